//! The threads of an analyzer.
//!
//! A forked process (`multiprocessing`, Spark) has a copy of the pool but none of its threads, so
//! work would wait for them forever. A pool therefore belongs to the process that built it, and
//! another process builds its own.

use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::Error;

/// The maximum number of threads. Many more than this stall a machine before any of them works.
const MAX_THREADS: usize = 1024;

/// The pool of all analyzers without a number of threads.
static ALL_CORES: Pool = Pool::new(None);

/// The threads of an analyzer.
pub(crate) struct Pool {
    threads: Option<usize>,
    /// The pool, and the process that built it.
    built: Mutex<Option<(u32, Arc<ThreadPool>)>>,
}

impl Pool {
    const fn new(threads: Option<usize>) -> Self {
        Self {
            threads,
            built: Mutex::new(None),
        }
    }

    fn get(&self) -> PyResult<Arc<ThreadPool>> {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        let process = process::id();
        match &*built {
            Some((owner, pool)) if *owner == process => return Ok(Arc::clone(pool)),
            _ => {}
        }
        let builder = ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0));
        let pool = builder.thread_name(|i| format!("imn-{i}")).build();
        let pool = pool.map_err(|error| Error::new_err(error.to_string()))?;
        let pool = Arc::new(pool);
        // The pool of the parent process must not be dropped: its threads do not exist here.
        let parent = built.replace((process, Arc::clone(&pool)));
        std::mem::forget(parent);
        Ok(pool)
    }
}

/// The number of threads of an analyzer.
pub(crate) enum Threads {
    AllCores,
    Own(Pool),
}

impl Threads {
    /// The threads that the argument `threads` asks for.
    pub(crate) fn new(threads: Option<i64>) -> PyResult<Self> {
        let Some(threads) = threads else {
            return Ok(Self::AllCores);
        };
        match usize::try_from(threads) {
            Ok(threads @ 1..=MAX_THREADS) => Ok(Self::Own(Pool::new(Some(threads)))),
            _ => Err(PyValueError::new_err(format!(
                "threads: expected a whole number from 1 to {MAX_THREADS}, not {threads}"
            ))),
        }
    }

    /// The pool of this process.
    pub(crate) fn pool(&self) -> PyResult<Arc<ThreadPool>> {
        match self {
            Self::AllCores => ALL_CORES.get(),
            Self::Own(pool) => pool.get(),
        }
    }
}
