//! `imn.evaluate` and `imn.score`: the reports of the commands as JSON.

use std::path::{Path, PathBuf};

use imn::analyze::Evaluation;
use imn::data::{self, AnnotatedSentence, DataError, DataFormat};
use imn::eval::{Bootstrap, ScoreError, ScoreRequest, Variance};
use imn_repro::fit;
use pyo3::exceptions::{PyUserWarning, PyValueError};
use pyo3::prelude::*;
use serde_json::json;

use crate::analyzer::name_of;
use crate::errors;
use crate::guard::guarded;
use crate::pool::Threads;
use crate::review::to_json;
use crate::work;

/// The format of this name.
fn format_of(name: Option<&str>) -> PyResult<Option<DataFormat>> {
    let Some(name) = name else { return Ok(None) };
    let format = DataFormat::from_name(name);
    let unknown = || {
        let names: Vec<&str> = DataFormat::ALL.iter().map(|format| format.name()).collect();
        let text = format!("format: expected one of {}", names.join(", "));
        PyValueError::new_err(text)
    };
    format.ok_or_else(unknown).map(Some)
}

fn bootstrap(resamples: u32, level: f64, seed: u64) -> PyResult<Bootstrap> {
    if !(1.0..100.0).contains(&level) {
        let text = "level: expected percent, a number between 1 and 100";
        return Err(PyValueError::new_err(text));
    }
    Ok(Bootstrap {
        resamples,
        level: level / 100.0,
        seed,
    })
}

fn read(path: &Path, format: Option<DataFormat>) -> Result<Vec<AnnotatedSentence>, DataError> {
    match format {
        Some(format) => data::read_as(path, format),
        None => data::read(path),
    }
}

/// Scores a model on annotated sentences. Returns JSON with `report`, as `imn evaluate --json`
/// prints it, and `metrics`.
#[pyfunction]
#[pyo3(signature = (model, data, *, scheme, format, resamples, level, seed, threads))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn evaluate(
    py: Python<'_>,
    model: PathBuf,
    data: PathBuf,
    scheme: Option<String>,
    format: Option<String>,
    resamples: u32,
    level: f64,
    seed: u64,
    threads: Option<i64>,
) -> PyResult<String> {
    let bootstrap = bootstrap(resamples, level, seed)?;
    let format = format_of(format.as_deref())?;
    let name = name_of(model)?;
    guarded(|| {
        let pool = Threads::new(threads)?.pool()?;
        let evaluated = work::run(py, &pool, |caller| {
            let model = fit::open_scheme(&name, scheme.as_deref()).map_err(errors::model)?;
            let gold = read(&data, format).map_err(|error| errors::data(&error))?;
            if gold.is_empty() {
                return Err(errors::score(ScoreError::NoSentences { path: data }));
            }
            let evaluation = Evaluation::new(&model, &gold, &mut || caller.proceed());
            let Some(evaluation) = evaluation.map_err(errors::model)? else {
                return Ok(None);
            };
            let scored = evaluation.score(name.into(), &gold, &bootstrap);
            scored.map(Some).map_err(|error| errors::data(&error))
        })??;
        let metrics = evaluated
            .as_ref()
            .map(|evaluated| evaluated.run.scores.named());
        to_json(&json!({ "report": evaluated, "metrics": metrics }))
    })
}

/// Scores predictions against gold annotations. Returns JSON with `report`, as `imn score --json`
/// prints it, and `metrics`, one per run of the first system.
#[pyfunction]
#[pyo3(signature = (
    gold, predicted, *, other, gold_format, format, resamples, level, seed, welch, threads
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn score(
    py: Python<'_>,
    gold: PathBuf,
    predicted: Vec<PathBuf>,
    other: Vec<PathBuf>,
    gold_format: Option<String>,
    format: Option<String>,
    resamples: u32,
    level: f64,
    seed: u64,
    welch: bool,
    threads: Option<i64>,
) -> PyResult<String> {
    let request = ScoreRequest {
        gold,
        predicted,
        other,
        gold_format: format_of(gold_format.as_deref())?,
        format: format_of(format.as_deref())?,
        bootstrap: bootstrap(resamples, level, seed)?,
        variance: if welch {
            Variance::Welch
        } else {
            Variance::Pooled
        },
    };
    guarded(|| {
        let pool = Threads::new(threads)?.pool()?;
        let work = |caller: &work::Caller<'_, String>| {
            request.score(&mut |warning| {
                caller.send(warning.to_owned());
            })
        };
        let report = work::run_with(py, &pool, work, &mut |py, warning| {
            let category = py.get_type::<PyUserWarning>();
            let warnings = py.import("warnings")?;
            warnings
                .call_method1("warn", (warning, category, 3))
                .map(drop)
        })?;
        let report = report.map_err(errors::score)?;
        let runs = report.system.runs.iter();
        let metrics: Vec<_> = runs.map(|run| run.scores.named()).collect();
        to_json(&json!({ "report": report, "metrics": metrics }))
    })
}
