//! `imn.train`: the run of `imn train`, with its progress as events.

use std::path::PathBuf;

use imn::config::{Config, Override};
use imn::eval::Metric;
use imn_repro::results::{ResultScores, read_result};
use imn_repro::training::{
    RunEnd, TrainingEvent, TrainingRun, TrainingRunError, default_folder, parse_config, read_config,
};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::analyzer::name_of;
use crate::errors;
use crate::guard::guarded;
use crate::pool::Threads;
use crate::review::{from_json, to_json};
use crate::work;

/// A configuration: a file, or its contents as JSON.
#[derive(FromPyObject)]
pub(crate) enum Source {
    /// The contents of a dictionary.
    Json {
        /// The JSON text.
        #[pyo3(item("json"))]
        json: String,
    },
    /// A TOML file.
    File(PathBuf),
}

impl Source {
    fn read(
        &self,
        overrides: &[Override],
        init: Option<&str>,
    ) -> Result<(String, Config), TrainingRunError> {
        let text = match self {
            Self::File(path) => {
                let name = path.display().to_string();
                return Ok((name, read_config(path, overrides, init)?));
            }
            Self::Json { json } => json,
        };
        let name = "the configuration".to_owned();
        let value: Value = serde_json::from_str(text)?;
        let text = toml::to_string(&value).map_err(|error| TrainingRunError::Config {
            name: name.clone(),
            overridden: false,
            error: error.into(),
        })?;
        let config = parse_config(&name, &text, overrides, init)?;
        Ok((name, config))
    }
}

/// Trains a model. Returns JSON with `folder`, `model`, `finished_before`, `record` and `test`.
#[pyfunction]
#[pyo3(signature = (
    config, data, *, overrides, init, out, results, pretrained, test, threads, progress
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn train(
    py: Python<'_>,
    config: Source,
    data: PathBuf,
    overrides: Vec<String>,
    init: Option<PathBuf>,
    out: Option<PathBuf>,
    results: Option<PathBuf>,
    pretrained: Option<PathBuf>,
    test: bool,
    threads: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let parsed: Result<Vec<Override>, _> = overrides.iter().map(|text| text.parse()).collect();
    let overrides = parsed.map_err(|error| errors::config(&error))?;
    let init = init.map(name_of).transpose()?;
    let threads = Threads::new(threads)?;
    guarded(|| {
        let read = config.read(&overrides, init.as_deref());
        let (config_name, config) = read.map_err(errors::run)?;
        let out = out.unwrap_or_else(|| default_folder(&config));
        let run = TrainingRun {
            config_name: Some(config_name),
            config,
            data,
            init: None,
            out: out.clone(),
            results,
            pretrained,
            test,
        };
        let model = run.model();
        let pool = threads.pool()?;
        let work = |caller: &work::Caller<'_, Value>| {
            run.run(&mut |progress| match event(&progress) {
                Some(event) => caller.send(event),
                None => caller.proceed(),
            })
        };
        let end = work::run_with(py, &pool, work, &mut |py, event| match &progress {
            Some(progress) => {
                let event = from_json(py, &to_json(&event)?)?;
                progress.call1(py, (event,)).map(drop)
            }
            None => Ok(()),
        })?;
        let end = end.map_err(errors::run)?;
        let opened = imn::bundle::Model::open(&name_of(model.clone())?).map_err(errors::model)?;
        let record = opened.only_part().map(|part| part.record.clone());
        let scores = read_result(&out.join("result.json")).ok();
        to_json(&json!({
            "folder": out,
            "model": model,
            "finished_before": end == RunEnd::FinishedBefore,
            "record": record,
            "test": scores.map(|result| named(&result.scores)),
        }))
    })
}

/// The existing scores by the names of their metrics, as in `imn.evaluate`.
fn named(scores: &ResultScores) -> Value {
    let existing = |metric: Metric| Some((metric.name().to_owned(), scores.get(metric)?.into()));
    Value::Object(Metric::ALL.into_iter().filter_map(existing).collect())
}

/// The progress of a run as the dictionary that the callback gets.
fn event(progress: &TrainingEvent<'_>) -> Option<Value> {
    Some(match progress {
        TrainingEvent::Reading => json!({ "event": "reading" }),
        TrainingEvent::Read(corpus) => {
            let mut report = serde_json::to_value(&corpus.report).ok()?;
            report["event"] = "read".into();
            report
        }
        TrainingEvent::Labelled(done, all) => {
            json!({ "event": "labelled", "done": done, "all": all })
        }
        TrainingEvent::Before(scores) => json!({ "event": "before", "dev": scores.named() }),
        TrainingEvent::Training(event) => serde_json::to_value(event).ok()?,
        TrainingEvent::Saved(record, seconds) => json!({
            "event": "saved",
            "best_epoch": record.best_epoch,
            "dev": record.dev,
            "seconds": seconds,
        }),
        TrainingEvent::Tested(scores) => json!({ "event": "tested", "scores": scores.named() }),
    })
}
