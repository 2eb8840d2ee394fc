//! `imn.Analyzer`.

use std::path::PathBuf;
use std::sync::Arc;

use imn::analyze::{AnalyzedReview, Analyzer, Detail, StepwiseText};
use imn::bundle::{DEFAULT, Precision};
use imn::text::OffsetUnit;
use imn_batch::read::ReadSettings;
use imn_batch::{BatchSettings, Reason};
use imn_repro::fit;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyString};
use rayon::prelude::*;

use crate::arrow::ArrowStream;
use crate::errors::{self, DataError, InternalError, ModelError};
use crate::explanation::PyExplanation;
use crate::guard::guarded;
use crate::info::ModelInfo;
use crate::pool::Threads;
use crate::review::Review;
use crate::work;

/// How many texts are taken from an iterable at once, as in `imn analyze`.
const CHUNK_TEXTS: usize = 256;
/// A chunk is full at this many bytes, however few texts it has.
const CHUNK_BYTES: usize = 1 << 18;
/// The maximum number of tokens that are read together, unless there are many threads. Between two
/// such steps, which take seconds with a large model, an analysis can be interrupted. A step of 256
/// short texts is as fast as a larger one.
const STEP_TOKENS: usize = 1 << 12;
/// The minimum number of tokens per thread in a full step.
const THREAD_TOKENS: usize = 1 << 10;

/// An open model and its settings, shared with the streams that use it.
pub(crate) struct Loaded {
    pub(crate) analyzer: Analyzer,
    pub(crate) threads: Threads,
    min_confidence: f32,
    max_bytes: usize,
}

/// A model that analyses texts.
///
/// model: name of a built-in model or path of a model file; the default built-in model if None.
/// scheme: annotation scheme, if the model has several; its first one if None.
/// threads: number of threads, at most 1024; all cores if None. The results do not depend on it.
/// min_confidence: minimum confidence of aspects and opinions, 0 to 1.
/// max_bytes: maximum size of a text in bytes of UTF-8.
/// precision: of matrix products: "f32", "int8", or on CPUs with AVX512-BF16 "bf16"; that of the
/// model if None.
///
/// >>> import imn
/// >>> analyzer = imn.Analyzer()
/// >>> review = analyzer.analyze("The ramen was wonderful, but our waiter ignored us.")
/// >>> [(aspect.term, aspect.sentiment) for aspect in review.aspects]
/// [('ramen', 'positive'), ('waiter', 'negative')]
#[pyclass(frozen, module = "imn", name = "Analyzer")]
pub(crate) struct PyAnalyzer {
    loaded: Arc<Loaded>,
    info: ModelInfo,
}

#[pymethods]
impl PyAnalyzer {
    #[new]
    #[pyo3(signature = (
        model=None, *, scheme=None, threads=None, min_confidence=0.0, max_bytes=1048576,
        precision=None
    ))]
    fn new(
        py: Python<'_>,
        model: Option<PathBuf>,
        scheme: Option<String>,
        threads: Option<i64>,
        min_confidence: f64,
        max_bytes: usize,
        precision: Option<&str>,
    ) -> PyResult<Self> {
        let name = name_of(model.unwrap_or_else(|| DEFAULT.into()))?;
        let threads = Threads::new(threads)?;
        if !(0.0..=1.0).contains(&min_confidence) {
            let text = "min_confidence: expected a number from 0 to 1";
            return Err(PyValueError::new_err(text));
        }
        let precision = precision.map(precision_of).transpose()?;
        guarded(|| {
            let open = || {
                let mut model = fit::open_scheme(&name, scheme.as_deref())?;
                if let Some(precision) = precision {
                    model = model.in_precision(precision)?;
                }
                let info = ModelInfo::new(&name, &model, scheme.clone());
                Ok((fit::analyzer(model, &name)?, info))
            };
            let (analyzer, info) = py.detach(open).map_err(errors::model)?;
            let loaded = Loaded {
                analyzer,
                threads,
                min_confidence: min_confidence as f32,
                max_bytes,
            };
            Ok(Self {
                loaded: Arc::new(loaded),
                info,
            })
        })
    }

    /// The model: its name, schemes, size and training record.
    #[getter]
    fn info(&self) -> ModelInfo {
        self.info.clone()
    }

    /// Analyses one text.
    ///
    /// >>> import imn
    /// >>> imn.Analyzer().analyze("Great ramen!").aspects[0].sentiment
    /// 'positive'
    fn analyze(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Review> {
        guarded(|| {
            let text = self.checked(text.to_str()?, None)?;
            let mut reviews = self.analyze_chunk(py, vec![text])?;
            let review = reviews.pop().ok_or_else(without_result)?;
            Ok(Review(Arc::new(review)))
        })
    }

    /// Analyses many texts on all threads, in their order. `texts` is any iterable of str; it is
    /// read in chunks of a few hundred texts.
    ///
    /// >>> import imn
    /// >>> reviews = imn.Analyzer().analyze_many(["Great ramen!", "The waiter was rude."])
    /// >>> [review.aspects[0].sentiment for review in reviews]
    /// ['positive', 'negative']
    fn analyze_many<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        if texts.is_instance_of::<PyString>() {
            let text = "texts: expected an iterable of str, not a str; use analyze for one text";
            return Err(PyTypeError::new_err(text));
        }
        guarded(|| {
            let mut texts = texts.try_iter()?;
            let all = PyList::empty(py);
            loop {
                let chunk = self.next_chunk(&mut texts, all.len())?;
                if chunk.is_empty() {
                    return Ok(all);
                }
                for review in self.analyze_chunk(py, chunk)? {
                    all.append(Review(Arc::new(review)))?;
                }
            }
        })
    }

    /// Analyses a column of a table. `data` is any object with the Arrow PyCapsule interface: a
    /// table, data frame, series or stream of pyarrow, Polars, DuckDB or pandas 3. The result has
    /// this interface too, and computes its batches when they are read; the text is not copied.
    ///
    /// The result has the columns of the Parquet output of `imn analyze`: `row`, `id` (if there is
    /// one), `text`, the other columns of `data`, `text_sentiment`, `text_confidence`, `aspects`
    /// and `opinions`. A row whose text is null or too long has null in the last four.
    ///
    /// column: the text column; one with a usual name, such as `text` or `review`, if None.
    /// id: the id column; `id` if there is one and None was given.
    /// reason: name of an additional column that says why a row was not analysed.
    #[pyo3(signature = (data, column=None, *, id=None, reason=None))]
    fn analyze_arrow(
        &self,
        data: &Bound<'_, PyAny>,
        column: Option<String>,
        id: Option<String>,
        reason: Option<String>,
    ) -> PyResult<ArrowStream> {
        let settings = BatchSettings {
            read: ReadSettings {
                column,
                id,
                max_bytes: self.loaded.max_bytes,
            },
            min_confidence: self.loaded.min_confidence,
            unit: OffsetUnit::Chars,
            reason,
        };
        guarded(|| ArrowStream::new(Arc::clone(&self.loaded), data, settings))
    }

    /// Explains one text: the network's predictions for every word, round by round.
    fn explain(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<PyExplanation> {
        guarded(|| {
            let text = self.checked(text.to_str()?, None)?;
            let mut explained = self.in_steps(py, vec![text], true, |texts| {
                let explanations = texts.into_iter().filter_map(StepwiseText::into_explanation);
                let in_chars = explanations.map(|(text, explanation)| {
                    let explanation = explanation.in_unit(&text, OffsetUnit::Chars);
                    (text, explanation)
                });
                in_chars.collect::<Vec<_>>()
            })?;
            let (text, explanation) = explained.pop().ok_or_else(without_result)?;
            let min_confidence = self.loaded.min_confidence;
            Ok(PyExplanation::new(text, explanation, min_confidence))
        })
    }

    fn __repr__(&self) -> String {
        format!("Analyzer({:?})", self.info.name)
    }
}

impl PyAnalyzer {
    /// A copy of the text, unless it is too long. `number` counts the texts of a call from 1.
    fn checked(&self, text: &str, number: Option<usize>) -> PyResult<String> {
        let limit = self.loaded.max_bytes;
        if text.len() <= limit {
            return Ok(text.to_owned());
        }
        let reason = Reason::TooLong { limit };
        Err(DataError::new_err(match number {
            Some(number) => format!("text {number}: {reason}"),
            None => reason.to_string(),
        }))
    }

    /// The next texts; `done` texts came before them.
    fn next_chunk(&self, texts: &mut Bound<'_, PyIterator>, done: usize) -> PyResult<Vec<String>> {
        let mut chunk = Vec::with_capacity(CHUNK_TEXTS);
        let mut bytes = 0;
        while chunk.len() < CHUNK_TEXTS && bytes < CHUNK_BYTES {
            let Some(item) = texts.next() else { break };
            let (item, number) = (item?, done + chunk.len() + 1);
            let Ok(text) = item.cast::<PyString>() else {
                let found = item.get_type().name()?;
                let message = format!("text {number}: expected str, not {found}");
                return Err(PyTypeError::new_err(message));
            };
            let text = self.checked(text.to_str()?, Some(number))?;
            bytes += text.len();
            chunk.push(text);
        }
        Ok(chunk)
    }

    fn analyze_chunk(&self, py: Python<'_>, texts: Vec<String>) -> PyResult<Vec<AnalyzedReview>> {
        let min_confidence = self.loaded.min_confidence;
        self.in_steps(py, texts, false, |texts| {
            let records = texts.into_iter().map(|text| {
                let mut review = text.into_review().in_unit(OffsetUnit::Chars);
                review.retain_confident(min_confidence);
                review
            });
            records.collect()
        })
    }

    /// Analyses texts in steps, so that Ctrl-C interrupts soon, and converts them with `finish`.
    fn in_steps<T: Send>(
        &self,
        py: Python<'_>,
        texts: Vec<String>,
        explain: bool,
        finish: impl FnOnce(Vec<StepwiseText>) -> T + Send,
    ) -> PyResult<T> {
        let analyzer = &self.loaded.analyzer;
        let pool = self.loaded.threads.pool()?;
        let found = work::run(py, &pool, |caller| {
            let detail = match explain {
                true => Detail::Explanation,
                false => Detail::Analysis,
            };
            let tokenize = |text| StepwiseText::new(analyzer, text, detail);
            let mut texts: Vec<StepwiseText> = texts.into_par_iter().map(tokenize).collect();
            read(analyzer, &mut texts, &|| caller.proceed()).then(|| finish(texts))
        })?;
        found.ok_or_else(without_result)
    }
}

/// Reads texts to their end. Returns `false` if `proceed`, which is asked before every step, has
/// stopped it.
fn read(analyzer: &Analyzer, mut texts: &mut [StepwiseText], proceed: &dyn Fn() -> bool) -> bool {
    let most = STEP_TOKENS.max(THREAD_TOKENS * rayon::current_num_threads());
    while !texts.is_empty() {
        // The first step of a text also finds its sentiment, so texts join a step only if all of
        // them fit in it.
        let mut tokens = 0;
        let fits = texts.iter().take_while(|text| {
            tokens += text.tokens_left();
            tokens <= most
        });
        let count = fits.count().max(1);
        let (together, later) = texts.split_at_mut(count);
        texts = later;
        let mut unread: Vec<&mut StepwiseText> = together.iter_mut().collect();
        while !unread.is_empty() {
            if !proceed() {
                return false;
            }
            StepwiseText::step(analyzer, &mut unread, most);
            unread.retain(|text| !text.is_done());
        }
    }
    true
}

/// The work was stopped although no exception was raised.
fn without_result() -> PyErr {
    InternalError::new_err("the analysis ended without a result")
}

/// The name or path of a model as text.
pub(crate) fn name_of(model: PathBuf) -> PyResult<String> {
    model.into_os_string().into_string().map_err(|path| {
        let text = format!("{}: the path is not UTF-8", path.display());
        ModelError::new_err(text)
    })
}

/// The precision of that name.
fn precision_of(name: &str) -> PyResult<Precision> {
    let known = Precision::ALL.into_iter().find(|it| it.name() == name);
    known.ok_or_else(|| {
        let names = Precision::ALL.map(|it| format!("\"{}\"", it.name()));
        PyValueError::new_err(format!("precision: expected {}", names.join(", ")))
    })
}
