//! Starts, runs and stops the server.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::app::App;
use crate::jobs::JobsError;
use crate::models::Models;
use crate::settings::Settings;
use crate::{listen, routes};

/// Number of runtime threads that read and write files.
const FILE_THREADS: usize = 8;

/// Longer than any server runs.
const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Why a server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is not free, or not one of this machine.
    #[error("listening on {address}: {error}")]
    Bind {
        /// The address.
        address: String,
        /// Why not.
        #[source]
        error: io::Error,
    },
    /// The folder of jobs cannot be used.
    #[error(transparent)]
    Jobs(#[from] JobsError),
    /// The operating system refused something else.
    #[error("starting the server: {0}")]
    Start(#[source] io::Error),
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
    stopping: watch::Sender<bool>,
}

impl Server {
    /// Listens on `host:port`; port 0 is any free one. Must be called inside a runtime.
    ///
    /// # Errors
    /// If the address cannot be used.
    pub async fn bind(
        host: &str,
        port: u16,
        models: Models,
        settings: Settings,
    ) -> Result<Self, ServeError> {
        let bound = TcpListener::bind((host, port)).await;
        let listener = bound.map_err(|error| ServeError::Bind {
            address: format!("{host}:{port}"),
            error,
        })?;
        let (stopping, stop) = watch::channel(false);
        let app = App::new(models, settings, stop)?;
        Ok(Self {
            listener,
            app: Arc::new(app),
            stopping,
        })
    }

    /// The address it listens on.
    ///
    /// # Errors
    /// If the operating system cannot tell.
    pub fn address(&self) -> Result<SocketAddr, ServeError> {
        self.listener.local_addr().map_err(ServeError::Start)
    }

    /// Serves until `stop` completes, then finishes the accepted requests.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let Self {
            listener,
            app,
            stopping,
        } = self;
        let router = routes::router(Arc::clone(&app));
        let stop = async move {
            stop.await;
            tracing::info!("stopping: finishing what was accepted");
            // The app has a receiver, so sending cannot fail.
            let _ = stopping.send(true);
        };
        listen::serve(listener, router, &app, stop).await;
        let finished = tokio::task::spawn_blocking(move || {
            app.batcher.finish();
            app.jobs.finish();
        });
        // A panic was reported when it happened.
        let _ = finished.await;
        tracing::info!("stopped");
    }

    /// Runs a server until the process is told to stop (SIGINT, SIGTERM). `ready` is called with
    /// the address once it listens.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(
        host: &str,
        port: u16,
        models: Models,
        settings: Settings,
        ready: impl FnOnce(SocketAddr),
    ) -> Result<(), ServeError> {
        // Threads for files live as long as the server, like all others (`pool.rs`).
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .max_blocking_threads(FILE_THREADS)
            .thread_keep_alive(FOREVER)
            .enable_all()
            .build()
            .map_err(ServeError::Start)?;
        let served = runtime.block_on(async {
            let mut signals = Signals::new().map_err(ServeError::Start)?;
            let server = Self::bind(host, port, models, settings).await?;
            ready(server.address()?);
            let stop = async move {
                signals.next().await;
                // A second signal ends the program at once.
                tokio::spawn(async move {
                    signals.next().await;
                    std::process::exit(130);
                });
            };
            server.serve(stop).await;
            Ok(())
        });
        // Answers to requests that were given up need not be finished.
        runtime.shutdown_background();
        served
    }
}

/// Signals that ask the program to stop.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        // Without a handler there is nothing to wait for.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
