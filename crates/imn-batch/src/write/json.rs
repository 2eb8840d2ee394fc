//! JSON: one indented array, or one object per line.

use std::io;

use imn::analyze::AnalyzedReview;

use super::{Context, Encode, in_unit};

/// One object per line.
pub(super) struct Jsonl {
    context: Context,
}

impl Jsonl {
    pub(super) fn new(context: Context) -> Self {
        Self { context }
    }
}

impl Encode for Jsonl {
    fn head(&mut self, _: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }

    fn rows(&mut self, reviews: Vec<AnalyzedReview>, out: &mut Vec<u8>) -> io::Result<()> {
        for review in in_unit(&self.context, reviews) {
            serde_json::to_writer(&mut *out, &review)?;
            out.push(b'\n');
        }
        Ok(())
    }

    fn tail(&mut self, _: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }
}

/// One array.
pub(super) struct Json {
    context: Context,
    any: bool,
}

impl Json {
    pub(super) fn new(context: Context) -> Self {
        Self {
            context,
            any: false,
        }
    }
}

impl Encode for Json {
    fn head(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        out.push(b'[');
        Ok(())
    }

    fn rows(&mut self, reviews: Vec<AnalyzedReview>, out: &mut Vec<u8>) -> io::Result<()> {
        for review in in_unit(&self.context, reviews) {
            out.extend_from_slice(if self.any { b",\n" } else { b"\n" });
            self.any = true;
            serde_json::to_writer_pretty(&mut *out, &review)?;
        }
        Ok(())
    }

    fn tail(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        out.extend_from_slice(b"\n]\n");
        Ok(())
    }
}
