//! Results of finished jobs, in every format that `imn analyze` writes, and the report.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::Arc;

use imn::text::OffsetUnit;
use imn_batch::Conversion;
use imn_batch::write::{OutputFormat, RowPer, WriteSettings};
use imn_report::{DateColumn, DateFormat, Report, ReportError};

use super::entry::{INPUT, read_settings};
use super::options::{boolean, parse};
use super::{JobEntry, JobRecord, JobState};
use crate::error::{ApiError, ErrorKind};
use crate::pool::Pool;

pub(super) const RECORDS: &str = "records.jsonl";
pub(super) const ERRORS: &str = "errors.jsonl";

/// The requested form of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultOptions {
    format: OutputFormat,
    per: RowPer,
    unit: OffsetUnit,
}

impl ResultOptions {
    /// Parses the query parameters `format`, `per` and `offset_unit`.
    ///
    /// # Errors
    /// If there is no such parameter or value.
    pub fn new(job: &JobRecord, query: &[(String, String)]) -> Result<Self, ApiError> {
        let mut options = Self {
            format: OutputFormat::Jsonl,
            per: job.options.per,
            unit: job.options.offset_unit,
        };
        for (name, value) in query {
            match name.as_str() {
                "format" => {
                    let values = "jsonl, json, csv, parquet, html or pretty";
                    options.format = parse(name, value, values)?;
                }
                "per" => options.per = parse(name, value, "aspect or review")?,
                "offset_unit" => options.unit = parse(name, value, "bytes, chars or utf16")?,
                _ => {
                    let message = "parameters of a result are format, per and offset_unit";
                    return Err(ApiError::validation(message));
                }
            }
        }
        if cfg!(not(feature = "parquet")) && options.format == OutputFormat::Parquet {
            return Err(ApiError::validation(
                "this server was built without Parquet",
            ));
        }
        Ok(options)
    }

    fn extension(self) -> &'static str {
        match self.format {
            OutputFormat::Pretty => "txt",
            OutputFormat::Json => "json",
            OutputFormat::Jsonl => "jsonl",
            OutputFormat::Csv => "csv",
            OutputFormat::Parquet => "parquet",
            OutputFormat::Html => "html",
        }
    }

    fn content_type(self) -> &'static str {
        match self.format {
            OutputFormat::Pretty => "text/plain; charset=utf-8",
            OutputFormat::Json => "application/json",
            OutputFormat::Jsonl => "application/x-ndjson",
            OutputFormat::Csv => "text/csv; charset=utf-8",
            OutputFormat::Parquet => "application/vnd.apache.parquet",
            OutputFormat::Html => "text/html; charset=utf-8",
        }
    }

    /// The name of the file that holds the result.
    fn file(self) -> String {
        if self.format == OutputFormat::Jsonl && self.unit == OffsetUnit::Bytes {
            return RECORDS.to_owned();
        }
        let per = match (self.format, self.per) {
            (OutputFormat::Csv, RowPer::Review) => ".review",
            _ => "",
        };
        format!("result{per}.{}.{}", self.unit.name(), self.extension())
    }
}

/// A file to send.
#[derive(Debug)]
pub struct ResultFile {
    /// Where it is.
    pub path: PathBuf,
    /// The name that the client gets.
    pub name: String,
    /// Its content type.
    pub content_type: &'static str,
}

/// Refuses requests for results of a job that is not finished.
fn finished(job: &JobRecord) -> Result<(), ApiError> {
    if job.state == JobState::Finished {
        return Ok(());
    }
    let message = format!("the job is {}; it has no results", job.state.name());
    Err(ApiError::new(ErrorKind::Conflict, message))
}

impl JobEntry {
    /// The result in this format. It is made on the first request.
    ///
    /// # Errors
    /// If the job is not finished, or the result cannot be made.
    pub async fn result(
        self: &Arc<Self>,
        query: &[(String, String)],
        slow: &Pool,
    ) -> Result<ResultFile, ApiError> {
        let job = self.snapshot();
        let options = ResultOptions::new(&job, query)?;
        finished(&job)?;
        let path = self.file(&options.file());
        let _one = self.converting.lock().await;
        if !path.exists() {
            let conversion = Conversion {
                source: self
                    .source(&job.options)
                    .ok_or_else(|| ApiError::internal("a job without a format"))?,
                read: read_settings(&job.options),
                records: self.file(RECORDS),
                write: WriteSettings {
                    format: options.format,
                    per: options.per,
                    unit: options.unit,
                    color: false,
                },
                output: path.clone(),
            };
            let made = slow.run(move || conversion.run()).await?;
            made.map_err(ApiError::internal)?;
        }
        Ok(ResultFile {
            path,
            name: format!("imn-{}.{}", job.id, options.extension()),
            content_type: options.content_type(),
        })
    }

    /// Rows that could not be read, as JSONL; `None` if there are none.
    ///
    /// # Errors
    /// If the job is not finished.
    pub fn errors(&self) -> Result<Option<ResultFile>, ApiError> {
        let job = self.snapshot();
        finished(&job)?;
        let path = self.file(ERRORS);
        Ok(path.exists().then(|| ResultFile {
            path,
            name: format!("imn-{}.errors.jsonl", job.id),
            content_type: "application/x-ndjson",
        }))
    }

    /// The report as a page. Parameters: `title`, `date`, `date_format`, `min_count`, `top`,
    /// `download`. Returns the page and whether it is to be downloaded.
    ///
    /// # Errors
    /// If the job is not finished, a parameter is wrong, or there is nothing to report.
    pub async fn report(
        self: &Arc<Self>,
        query: &[(String, String)],
        slow: &Pool,
    ) -> Result<(String, bool), ApiError> {
        finished(&self.snapshot())?;
        let (settings, download) = report_settings(query)?;
        let path = self.file(RECORDS);
        let make = move || {
            let source = || Ok(Box::new(BufReader::new(File::open(&path)?)) as Box<dyn BufRead>);
            Report::make(&source, &settings).map(|report| imn_report::html(&report))
        };
        let page = slow.run(make).await?;
        Ok((
            page.map_err(|error| ApiError::validation(report_problem(&error)))?,
            download,
        ))
    }
}

/// Why there is no report, with the names of the query parameters instead of command-line options.
fn report_problem(error: &ReportError) -> String {
    match error {
        ReportError::UnreadableDates { .. } => {
            error.to_string().replace("--date-format", "`date_format`")
        }
        error => error.to_string(),
    }
}

fn report_settings(
    query: &[(String, String)],
) -> Result<(imn_report::ReportSettings, bool), ApiError> {
    let mut settings = imn_report::ReportSettings::default();
    let (mut date, mut form, mut download) = (None, DateFormat::Common, false);
    let number = |name: &str, value: &str, most: u64| {
        let number = value.parse::<u64>().ok();
        let number = number.filter(|number| (1..=most).contains(number));
        let message = || format!("`{name}` must be a whole number from 1 to {most}");
        number.ok_or_else(|| ApiError::validation(message()))
    };
    for (name, value) in query {
        match name.as_str() {
            "title" => settings.title = value.chars().take(200).collect(),
            "date" => date = Some(value.clone()),
            "date_format" => {
                let given = DateFormat::strptime(value);
                form = given.map_err(|error| ApiError::validation(error.to_string()))?;
            }
            "min_count" => settings.min_count = number(name, value, u64::MAX)?,
            "top" => settings.top = number(name, value, 1000)? as usize,
            "download" => download = boolean(name, value)?,
            _ => {
                let message = "parameters of a report are title, date, date_format, min_count, \
                               top and download";
                return Err(ApiError::validation(message));
            }
        }
    }
    settings.dates = date.map(|name| DateColumn { name, format: form });
    Ok((settings, download))
}

/// Removes the records of a job, their journal, its errors file and its upload.
pub(super) fn remove_records(job: &JobEntry) {
    for name in [RECORDS, ERRORS, "records.jsonl.journal", INPUT] {
        // Some of them may not exist.
        let _ = fs::remove_file(job.file(name));
    }
}
