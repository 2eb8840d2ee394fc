//! `imn evaluate`: the scores of a model on annotated sentences.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use imn::analyze::{PairingScore, TripletScores, pairing_scores, triplet_scores};
use imn::bundle::Model;
use imn::data::{self, AnnotatedSentence, DataFormat, Field};
use imn::eval::{Bootstrap, CalibrationErrors, pair};
use imn::model::Network as _;
use imn::predict::{infer_annotated, sentence_outcomes};

use super::convert::{target_format, write_without_losses};
use super::score::{Run, percent, print_run};
use super::values;

const EXAMPLES: &str = "\
Examples:
  imn evaluate model.imn data/aspect/res14/test
  imn evaluate model.imn test.jsonl --write predicted.jsonl
  imn evaluate model.imn test.jsonl --json | jq .scores.integrated.f1
  imn evaluate runs/reproduce/paper/pipeline/lap14.seed1.imn data/aspect/lap14/test

The model sees only the words, never the labels. If the data links opinions to aspects, the \
rules that predict links are scored on the annotated terms, and the pairs and triplets of the \
model are scored end to end. `imn score` scores and compares the predictions that --write writes.";

/// Score a model on annotated sentences.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Evaluate {
    /// Name of a built-in model, or a model file.
    model: String,
    /// Annotated sentences: a file in any format, or a four-file folder.
    data: PathBuf,
    /// Annotation scheme of the data, if the model has several (`imn inspect MODEL` lists them)
    /// [default: the model's first scheme].
    #[arg(long, value_name = "NAME")]
    scheme: Option<String>,
    /// File or folder to write the predictions to.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Format of the predictions [default: from the extension of --write].
    #[arg(long, value_parser = values::format, value_name = "FORMAT", requires = "write")]
    to: Option<DataFormat>,
    /// Fields of the predictions to drop, if their format cannot represent them (comma-separated).
    #[arg(long, value_parser = values::field, value_name = "FIELD", value_delimiter = ',')]
    drop: Vec<Field>,
    /// Format of DATA [default: detected from the content].
    #[arg(long, value_parser = values::format, value_name = "FORMAT")]
    format: Option<DataFormat>,
    /// Bootstrap resamples; 0 for no confidence intervals.
    #[arg(long, default_value_t = Bootstrap::default().resamples, value_name = "N")]
    resamples: u32,
    /// Level of the confidence intervals, in percent.
    #[arg(long, default_value_t = 95.0, value_parser = percent, value_name = "PERCENT")]
    level: f64,
    /// Print counts, scores and intervals as JSON.
    #[arg(long)]
    json: bool,
}

impl Evaluate {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        // Invalid arguments fail before the model is read.
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
            "{}: contains no sentences",
            self.data.display()
        );
        let Evaluation {
            predicted,
            calibration,
            pairing,
            triplets,
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
                triplets,
            };
            serde_json::to_writer_pretty(&mut out, &all).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            print_run(&mut out, &run, self.level)?;
            print_calibration(&mut out, &calibration)?;
            print_pairing(&mut out, &pairing)?;
            if let Some(triplets) = &triplets {
                print_triplets(&mut out, triplets)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Predictions of a model for annotated sentences, and the scores that need its probabilities.
struct Evaluation {
    predicted: Vec<AnnotatedSentence>,
    calibration: CalibrationErrors,
    pairing: Vec<PairingScore>,
    triplets: Option<TripletScores>,
}

/// Runs the model once. Only IMN has confidences and attention; other models return predictions
/// alone.
fn evaluate(model: &Model, gold: &[AnnotatedSentence]) -> anyhow::Result<Evaluation> {
    let Ok(imn) = model.imn() else {
        return Ok(Evaluation {
            predicted: model.annotate(gold)?,
            calibration: CalibrationErrors::default(),
            pairing: Vec::new(),
            triplets: None,
        });
    };
    let tags = imn.network.tag_set();
    let read = infer_annotated(imn.network, imn.params, imn.featurizer, gold);
    let outcomes = sentence_outcomes(imn.network, &read).calibrated(imn.calibration);
    Ok(Evaluation {
        predicted: read.iter().map(|read| read.annotated(tags)).collect(),
        calibration: outcomes.errors(),
        pairing: pairing_scores(&read),
        triplets: triplet_scores(&read, tags),
    })
}

#[derive(serde::Serialize)]
struct Evaluated {
    #[serde(flatten)]
    run: Run,
    calibration: CalibrationErrors,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pairing: Vec<PairingScore>,
    #[serde(skip_serializing_if = "Option::is_none")]
    triplets: Option<TripletScores>,
}

fn print_triplets(out: &mut impl io::Write, scores: &TripletScores) -> io::Result<()> {
    for (name, counts, scores) in [
        ("aspect-opinion pairs", scores.pair_counts, scores.pairs),
        ("triplets", scores.triplet_counts, scores.triplets),
    ] {
        writeln!(
            out,
            "{name}, end to end: F1 {:.2}, precision {:.2}, recall {:.2} \
             ({} of {} predicted are correct, {} annotated)",
            scores.f1,
            scores.precision,
            scores.recall,
            counts.correct,
            counts.predicted,
            counts.gold
        )?;
    }
    Ok(())
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
            "links by {}: F1 {:.2}, precision {:.2}, recall {:.2} \
             ({} of {} predicted are correct, {} annotated)",
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
        writeln!(out, "expected calibration error: {}", known.join(", "))?;
    }
    Ok(())
}
