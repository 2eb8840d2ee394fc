//! The arguments of `imn analyze`.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use imn::text::OffsetUnit;
use imn_batch::read::InputFormat;
use imn_batch::write::{OutputFormat, RowPer};

use crate::commands::model::ModelArgs;
use crate::commands::values;
use crate::threads::ThreadArgs;

const EXAMPLES: &str = "\
Examples:
  imn analyze \"The ramen was wonderful, but our waiter ignored us.\"
  imn analyze reviews.csv --out aspects.csv
  imn analyze reviews.parquet --column review_body --out analysed.parquet
  imn analyze 2023.jsonl.gz 2024.jsonl.zst --out all.jsonl.zst --resume
  imn analyze --explain \"The keys wobble.\"
  imn analyze --whole letters/*.txt --out letters.html
  zcat reviews.csv.gz | imn analyze --from csv | jq -c '.aspects[]'

INPUT is a file, - for standard input (the default), or literal text. A row that cannot be read \
is written to the errors file, and the job continues. A job that was stopped or killed can be \
resumed with --resume if it reads files and writes JSONL, CSV or Parquet. Exit codes: 0 all rows \
done, 1 some rows could not be read, 2 the job failed, 130 stopped by Ctrl-C. Formats: \
docs/analyze.md.";

/// Find aspects, opinions and sentiments in reviews: one sentence or millions.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Analyze {
    /// Files (txt, csv, tsv, jsonl, parquet; also gzip and zstd), literal texts, or - for standard
    /// input [default: standard input].
    #[arg(value_name = "INPUT")]
    pub(super) inputs: Vec<String>,
    /// Literal text (repeatable).
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(super) text: Vec<String>,
    /// Input format [default: txt for standard input, from the extension for files].
    #[arg(long, value_name = "FORMAT", value_parser = input_format())]
    pub(super) from: Option<InputFormat>,
    /// Read each text file as one review, not one review per line.
    #[arg(long)]
    pub(super) whole: bool,
    /// Column, or JSON key or path (review.body), with the text [default: the first of text,
    /// review, content, body, ...].
    #[arg(long, value_name = "NAME")]
    pub(super) column: Option<String>,
    /// Column, or JSON key or path (meta.id), with the ids [default: `id` if there is one].
    #[arg(long, value_name = "NAME")]
    pub(super) id: Option<String>,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    /// Output format [default: from the extension of --out; without --out, pretty on a terminal and
    /// jsonl elsewhere].
    #[arg(long, value_name = "FORMAT", value_parser = output_format())]
    pub(super) to: Option<OutputFormat>,
    /// Output file (.jsonl, .csv, .parquet, .json, .html, .txt; also .gz and .zst) [default:
    /// standard output].
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Rows of CSV output.
    #[arg(long, value_name = "ROW", default_value = RowPer::Aspect.name(),
        value_parser = row_per())]
    pub(super) per: RowPer,
    /// Add the network's predictions for every word, round by round (pretty, json, jsonl, html).
    #[arg(long)]
    pub(super) explain: bool,
    /// Unit of offsets.
    #[arg(long, value_name = "UNIT", default_value = OffsetUnit::Bytes.name(),
        value_parser = values::offset_unit())]
    pub(super) offsets: OffsetUnit,
    /// Minimum confidence of aspects and opinions, 0 to 1.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = values::share)]
    pub(super) min_confidence: f32,
    /// Maximum size of a row in bytes (or 64K, 10M, 1G); longer rows are errors.
    #[arg(long, value_name = "N", default_value = "1M", value_parser = values::bytes)]
    pub(super) max_bytes: usize,
    /// File for rows that cannot be read [default: OUT.errors.jsonl; standard error without --out].
    #[arg(long, value_name = "FILE")]
    pub(super) errors: Option<PathBuf>,
    /// Resume a job that was stopped or killed; start it if there is none.
    #[arg(long, requires = "out", conflicts_with = "force")]
    pub(super) resume: bool,
    /// Overwrite the output if it exists.
    #[arg(long)]
    pub(super) force: bool,
    #[command(flatten)]
    pub(super) threads: ThreadArgs,
    /// Colours in the pretty format.
    #[arg(long, value_enum, default_value_t = clap::ColorChoice::Auto, value_name = "WHEN")]
    pub(super) color: clap::ColorChoice,
    /// No progress output and no summary.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// The formats of --from. [`InputFormat::Whole`] has an option of its own.
fn input_format() -> impl TypedValueParser<Value = InputFormat> {
    let formats = InputFormat::ALL.into_iter();
    let formats = formats.filter(|format| *format != InputFormat::Whole);
    values::choice(formats, InputFormat::name, |format| match format {
        InputFormat::Txt => "One review per line",
        InputFormat::Whole => "One review per file",
        InputFormat::Csv => "Comma-separated columns, names in the first row",
        InputFormat::Tsv => "Tab-separated columns, names in the first row, no quoting",
        InputFormat::Jsonl => "One JSON object per line",
        InputFormat::Parquet => "Apache Parquet (files only)",
    })
}

fn output_format() -> impl TypedValueParser<Value = OutputFormat> {
    values::choice(
        OutputFormat::ALL,
        OutputFormat::name,
        |format| match format {
            OutputFormat::Pretty => "Human-readable, with colours on a terminal",
            OutputFormat::Json => "One indented JSON array",
            OutputFormat::Jsonl => "One JSON object per line",
            OutputFormat::Csv => "One row per aspect, or per review (--per)",
            OutputFormat::Parquet => "One row per review (files only)",
            OutputFormat::Html => "HTML page with highlighted terms",
        },
    )
}

fn row_per() -> impl TypedValueParser<Value = RowPer> {
    values::choice(RowPer::ALL, RowPer::name, |row| match row {
        RowPer::Aspect => "One row per aspect; a review without aspects has one row too",
        RowPer::Review => "One row per review, with aspects and opinions as JSON",
    })
}
