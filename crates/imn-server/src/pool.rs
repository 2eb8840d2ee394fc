//! Threads for work that would delay other requests: large answers, reports, conversions.
//!
//! The threads of the runtime must stay free for refusals and short texts. The threads here live as
//! long as the server: the allocator keeps an arena for each thread, so a server that kept starting
//! threads would accumulate arenas of freed memory.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::ThreadPool;
use tokio::sync::oneshot;

use crate::error::ApiError;

/// A fixed number of threads with a shared queue.
#[derive(Debug)]
pub struct Pool(ThreadPool);

impl Pool {
    /// Starts the threads.
    ///
    /// # Errors
    /// If the operating system has no threads left.
    pub fn new(name: &'static str, threads: usize) -> std::io::Result<Self> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(move |number| format!("{name} {number}"))
            .build()
            .map(Self)
            .map_err(std::io::Error::other)
    }

    /// Runs `work` on one of the threads, or skips it if its request is gone by the time that a
    /// thread is free.
    ///
    /// # Errors
    /// If the work panicked, which is a defect of the server.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let (done, result) = oneshot::channel();
        self.0.spawn(move || {
            if done.is_closed() {
                return;
            }
            if let Ok(value) = catch_unwind(AssertUnwindSafe(work)) {
                // Fails if the request has timed out.
                let _ = done.send(value);
            }
        });
        result
            .await
            .map_err(|_| ApiError::internal("work panicked"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_panics_is_an_error_and_the_thread_lives_on() {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let pool = Pool::new("test", 1).unwrap();
        { runtime }.build().unwrap().block_on(async {
            let failed = pool.run(|| -> u32 { panic!("on purpose") }).await;
            assert!(failed.is_err());
            assert_eq!(pool.run(|| 7).await, Ok(7));
        });
    }
}
