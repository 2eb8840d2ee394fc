//! `imn evaluate`: the scores of a model on annotated sentences.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use imn::analyze::{EvaluatedScheme, Evaluation, PairingScore, TripletScores};
use imn::data::{self, DataFormat, Field};
use imn::eval::{Bootstrap, CalibrationErrors};

use super::convert::{check_output, target_format, write_without_losses};
use super::model::PrecisionArgs;
use super::score::{percent, print_run};
use super::values;
use crate::progress::say;

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
    #[command(flatten)]
    precision: PrecisionArgs,
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
            Some(path) => {
                let format = target_format(path, self.to)?;
                check_output(&self.data, path, format)?;
                Some((path.clone(), format))
            }
            None => None,
        };
        let model = super::model::open(&self.model, self.scheme.as_deref())?;
        let model = self.precision.apply(model)?;
        let loaded = data::load(&self.data, self.format)?;
        let unlabelled = loaded.without_aspect_field;
        let gold = loaded.strict()?;
        ensure!(
            !gold.is_empty(),
            "{}: contains no sentences",
            self.data.display()
        );
        if unlabelled == gold.len() {
            say(&format!(
                "warning: {}: no sentence has the field \"aspects\"; scored as without aspects",
                self.data.display()
            ));
        }
        let evaluation =
            Evaluation::new(&model, &gold, &mut || true)?.context("the evaluation was stopped")?;
        let bootstrap = Bootstrap {
            resamples: self.resamples,
            level: self.level / 100.0,
            ..Bootstrap::default()
        };
        let evaluated = evaluation.score(PathBuf::from(&self.model), &gold, &bootstrap)?;
        if let Some((path, format)) = target {
            let place = |i: usize| format!("sentence {}", i + 1);
            write_without_losses(evaluation.predicted, &path, format, &self.drop, place)?;
        }
        let mut out = io::stdout().lock();
        if self.json {
            serde_json::to_writer_pretty(&mut out, &evaluated).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            print_run(&mut out, &evaluated.run, self.level)?;
            print_calibration(&mut out, &evaluated.calibration, evaluated.scheme.as_ref())?;
            print_pairing(&mut out, &evaluated.pairing)?;
            if let Some(triplets) = &evaluated.triplets {
                print_triplets(&mut out, triplets)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
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
    writeln!(
        out,
        "both terms were found in {} of the {} annotated pairs; {} of these are linked",
        scores.findable_pairs, scores.pair_counts.gold, scores.pair_counts.correct
    )
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

fn print_calibration(
    out: &mut impl io::Write,
    errors: &CalibrationErrors,
    scheme: Option<&EvaluatedScheme>,
) -> io::Result<()> {
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
        let curves = match scheme {
            None => String::new(),
            Some(EvaluatedScheme {
                name,
                own_calibration: true,
            }) => format!(" (curves of scheme `{name}`)"),
            Some(_) => " (curves of all schemes)".to_owned(),
        };
        writeln!(
            out,
            "expected calibration error{curves}: {}",
            known.join(", ")
        )?;
    }
    Ok(())
}
