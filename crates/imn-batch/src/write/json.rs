//! JSON: one array, indented, or an object a line.

use std::io;

use super::record::{Record, in_unit};
use super::{Analysed, Context, Encode};

/// An object a line.
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

    fn rows(&mut self, rows: Vec<Analysed>, out: &mut Vec<u8>) -> io::Result<()> {
        for analysed in rows {
            let analysed = in_unit(&self.context, analysed);
            serde_json::to_writer(&mut *out, &Record::new(&self.context, &analysed))?;
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

    fn rows(&mut self, rows: Vec<Analysed>, out: &mut Vec<u8>) -> io::Result<()> {
        for analysed in rows {
            let analysed = in_unit(&self.context, analysed);
            out.extend_from_slice(if self.any { b",\n" } else { b"\n" });
            self.any = true;
            serde_json::to_writer_pretty(&mut *out, &Record::new(&self.context, &analysed))?;
        }
        Ok(())
    }

    fn tail(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        out.extend_from_slice(b"\n]\n");
        Ok(())
    }
}
