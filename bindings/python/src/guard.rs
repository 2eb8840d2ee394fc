//! Panics at the border to Python become exceptions.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

use crate::errors::InternalError;

/// Runs code of an entry point. A panic becomes an `InternalError`; PyO3 would raise an exception
/// that `except Exception` does not catch.
pub(crate) fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|panic| {
        let text = format!("bug in imn: {}", text(&*panic));
        Err(InternalError::new_err(text))
    })
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic")
}

/// Raises what a panic raises, for the tests of the package.
#[pyfunction]
#[pyo3(name = "_panic_for_tests")]
pub(crate) fn panic_for_tests(py: Python<'_>) -> PyResult<()> {
    let pool = crate::pool::Threads::new(None)?.pool()?;
    guarded(|| crate::work::run(py, &pool, |_| panic!("a panic for tests")))
}
