//! `Analyzer.analyze_arrow`: streams of the Arrow PyCapsule interface in and out.
//!
//! ```text
//! data.__arrow_c_stream__() ─→ Input ─ batches ─→ Reader ─→ ArrowStream.__arrow_c_stream__()
//! ```

mod capsule;
mod input;
mod reader;
mod stream;

pub(crate) use stream::ArrowStream;
