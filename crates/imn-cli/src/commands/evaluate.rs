//! `imn evaluate`: how good a model is on annotated sentences.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use imn::analyze::{PairingScore, pairing_scores};
use imn::bundle::Model;
use imn::data::{self, AnnotatedSentence, Field, Format};
use imn::eval::{Bootstrap, CalibrationErrors, pair};
use imn::model::Network as _;
use imn::predict::{read_annotated, sentence_outcomes};

use super::convert::{target_format, write_without_losses};
use super::score::{Run, percent, print_run};
use super::values;

const EXAMPLES: &str = "\
Examples:
  imn evaluate model.imn data/aspect/res14/test
  imn evaluate model.imn test.jsonl --write predicted.jsonl
  imn evaluate model.imn test.jsonl --json | jq .scores.integrated.f1
  imn evaluate runs/reproduce/pipeline/lap14.seed1.imn data/aspect/lap14/test      a system of `imn reproduce`

The model sees the words only: no label of the data reaches it. Where the data has links from opinions to aspects, the ways to tell them are
scored too, given the terms. Predictions can be scored and compared with `imn score`.";

/// Score a model on annotated sentences, in any of the formats.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Evaluate {
    /// The model: the name of one that is built in, or a file.
    model: String,
    /// The gold annotation: a file, or a folder of the four-file layout.
    data: PathBuf,
    /// The annotation scheme of the data, where the model learnt several: see `imn inspect MODEL`.
    #[arg(long, value_name = "NAME")]
    scheme: Option<String>,
    /// Write the predictions; the format is told by the ending, or by --to.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// The format of the predictions.
    #[arg(long, value_parser = values::format, value_name = "FORMAT", requires = "write")]
    to: Option<Format>,
    /// Give up a field that the format of the predictions cannot hold.
    #[arg(long, value_parser = values::field, value_name = "FIELD", value_delimiter = ',')]
    drop: Vec<Field>,
    /// The format of the gold annotation, where telling it fails.
    #[arg(long, value_parser = values::format, value_name = "FORMAT")]
    format: Option<Format>,
    /// Rounds of the bootstrap; 0 for no intervals.
    #[arg(long, default_value_t = Bootstrap::default().resamples, value_name = "N")]
    resamples: u32,
    /// Confidence level of the intervals, in percent.
    #[arg(long, default_value_t = 95.0, value_parser = percent, value_name = "PERCENT")]
    level: f64,
    /// Print JSON: counts, scores, intervals.
    #[arg(long)]
    json: bool,
}

impl Evaluate {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        // Everything that can be wrong with the request first.
        let target = match &self.write {
            Some(path) => Some((path.clone(), target_format(path, self.to)?)),
            None => None,
        };
        let model = super::model::open(&self.model, self.scheme.as_deref())?;
        let gold = match self.format {
            Some(format) => data::read_as(&self.data, format)?,
            None => data::read(&self.data)?,
        };
        ensure!(
            !gold.is_empty(),
            "{}: no sentences in it",
            self.data.display()
        );
        let Evaluation {
            predicted,
            calibration,
            pairing,
        } = evaluate(&model, &gold)?;
        let bootstrap = Bootstrap {
            resamples: self.resamples,
            level: self.level / 100.0,
            ..Bootstrap::default()
        };
        let run = Run::new(
            PathBuf::from(&self.model),
            pair(&gold, &predicted)?,
            &bootstrap,
        );
        if let Some((path, format)) = target {
            write_without_losses(predicted, &path, format, &self.drop)?;
        }
        let mut out = io::stdout().lock();
        if self.json {
            let all = Evaluated {
                run,
                calibration,
                pairing,
            };
            serde_json::to_writer_pretty(&mut out, &all).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            print_run(&mut out, &run, self.level)?;
            print_calibration(&mut out, &calibration)?;
            print_pairing(&mut out, &pairing)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What a model makes of annotated sentences.
struct Evaluation {
    predicted: Vec<AnnotatedSentence>,
    calibration: CalibrationErrors,
    pairing: Vec<PairingScore>,
}

/// Reads the sentences once. IMN also has confidences and attention; other models give no more than
/// their annotation.
fn evaluate(model: &Model, gold: &[AnnotatedSentence]) -> anyhow::Result<Evaluation> {
    let Ok(imn) = model.imn() else {
        return Ok(Evaluation {
            predicted: model.annotate(gold)?,
            calibration: CalibrationErrors::default(),
            pairing: Vec::new(),
        });
    };
    let tags = imn.network.tag_set();
    let read = read_annotated(imn.network, imn.params, imn.featurizer, gold);
    let outcomes = sentence_outcomes(imn.network, &read).calibrated(imn.calibration);
    Ok(Evaluation {
        predicted: read.iter().map(|read| read.annotated(tags)).collect(),
        calibration: outcomes.errors(),
        pairing: pairing_scores(&read),
    })
}

#[derive(serde::Serialize)]
struct Evaluated {
    #[serde(flatten)]
    run: Run,
    calibration: CalibrationErrors,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pairing: Vec<PairingScore>,
}

fn print_pairing(out: &mut impl io::Write, scores: &[PairingScore]) -> io::Result<()> {
    for PairingScore {
        rule,
        links,
        scores,
    } in scores
    {
        writeln!(
            out,
            "links of the annotated terms by {}: F1 {:.2}, precision {:.2}, recall {:.2} ({} of {} said, {} in the annotation)",
            rule.name(),
            scores.f1,
            scores.precision,
            scores.recall,
            links.correct,
            links.predicted,
            links.gold
        )?;
    }
    Ok(())
}

fn print_calibration(out: &mut impl io::Write, errors: &CalibrationErrors) -> io::Result<()> {
    let kinds = [
        ("aspect terms", errors.aspects),
        ("opinion terms", errors.opinions),
        ("sentiments", errors.sentiments),
    ];
    let known: Vec<String> = kinds
        .iter()
        .filter_map(|(kind, error)| Some(format!("{kind} {:.3}", (*error)?)))
        .collect();
    if !known.is_empty() {
        writeln!(out, "calibration error of {}", known.join(", "))?;
    }
    Ok(())
}
