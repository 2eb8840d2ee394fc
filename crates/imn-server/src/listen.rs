//! Accepts connections and limits their number and duration.
//!
//! Headers must arrive within [`HEADERS`], and a client that reads nothing for [`STALLED`] is
//! disconnected, so that slow and half-open clients do not hold connections.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::app::App;
use crate::stall::StallGuard;

/// Maximum time until the headers of a request have arrived, including the wait for the request.
const HEADERS: Duration = Duration::from_secs(30);

/// The time after which a client that does not read its answer is disconnected.
const STALLED: Duration = Duration::from_secs(30);

/// The pause after an error of the operating system, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves connections until `stop` is done; then waits for requests in progress.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    app: &Arc<App>,
    stop: impl Future<Output = ()>,
) {
    let connections = Arc::new(Semaphore::new(app.settings.limits.max_connections));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = async {
            // Further clients wait in the backlog of the operating system.
            let permit = Arc::clone(&connections).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "accepting a connection");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        // Answers are written at once; waiting to fill packets only delays them.
        let _ = stream.set_nodelay(true);
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEADERS);
        let service = TowerToHyperService::new(router.clone());
        let io = TokioIo::new(StallGuard::new(stream, STALLED));
        let connection = graceful.watch(http.serve_connection(io, service));
        let connected = Connected::new(app);
        tokio::spawn(async move {
            // A client that disconnects is not an error of the server.
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection");
            }
            drop((permit, connected));
        });
    }
    drop(listener);
    let limit = app.settings.shutdown_timeout;
    if tokio::time::timeout(limit, graceful.shutdown())
        .await
        .is_err()
    {
        let seconds = limit.as_secs_f64();
        tracing::warn!("requests were still in progress after {seconds} seconds");
    }
}

/// Counts a connection while it is open.
struct Connected(Arc<App>);

impl Connected {
    fn new(app: &Arc<App>) -> Self {
        app.metrics.connections.inc();
        Self(Arc::clone(app))
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.metrics.connections.dec();
    }
}
