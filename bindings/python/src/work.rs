//! Long work: on a pool, without the interpreter lock, interruptible.
//!
//! Python runs signal handlers in its main thread only. The thread that called the package
//! therefore does not compute; it waits for the work, hands its events to Python, and checks for
//! signals (Ctrl-C) several times a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::errors::InternalError;

/// How often the waiting thread checks for signals.
const CHECK: Duration = Duration::from_millis(50);

/// How many events may wait to be handled.
const WAITING: usize = 64;

/// What work knows of the thread that waits for it.
pub(crate) struct Caller<'a, E> {
    stop: &'a AtomicBool,
    events: SyncSender<E>,
}

impl<E> Caller<'_, E> {
    /// Whether to go on. After `false`, the result of the work is not used.
    pub(crate) fn proceed(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// Sends an event to be handled by Python. Returns whether to go on.
    pub(crate) fn send(&self, event: E) -> bool {
        self.proceed() && self.events.send(event).is_ok()
    }
}

/// Runs work that has no events.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    pool: &ThreadPool,
    work: impl FnOnce(&Caller<'_, ()>) -> T + Send,
) -> PyResult<T> {
    run_with(py, pool, work, &mut |_, ()| Ok(()))
}

/// Runs work on the pool and calls `handle` with its events. An exception of `handle` or of a
/// signal handler stops the work and is returned.
pub(crate) fn run_with<T: Send, E: Send>(
    py: Python<'_>,
    pool: &ThreadPool,
    work: impl FnOnce(&Caller<'_, E>) -> T + Send,
    handle: &mut dyn FnMut(Python<'_>, E) -> PyResult<()>,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let mut result = None;
    let mut raised = None;
    pool.in_place_scope(|scope| {
        let (events, mut received) = sync_channel(WAITING);
        let (stop, result) = (&stop, &mut result);
        scope.spawn(move |_| {
            let caller = Caller { stop, events };
            *result = Some(work(&caller));
        });
        // The channel is closed when the work ends, be it by a panic. Until then events are taken
        // even after an exception, so that the work does not wait for a full channel.
        loop {
            let receiver = &mut received;
            let event = py.detach(move || receiver.recv_timeout(CHECK));
            let handled = match event {
                Ok(event) if raised.is_none() => handle(py, event),
                Err(RecvTimeoutError::Disconnected) => break,
                Ok(_) | Err(RecvTimeoutError::Timeout) => Ok(()),
            };
            if let Err(error) = handled.and_then(|()| py.check_signals()) {
                stop.store(true, Ordering::Relaxed);
                raised.get_or_insert(error);
            }
        }
    });
    match (raised, result) {
        (Some(error), _) => Err(error),
        (None, Some(result)) => Ok(result),
        (None, None) => Err(InternalError::new_err("the work ended without a result")),
    }
}
