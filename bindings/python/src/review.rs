//! The result of an analysis as Python objects.
//!
//! An object is a reference to the record and an index, so that making a list of a hundred thousand
//! reviews takes no time. Aspects and opinions become objects when they are asked for.

use std::sync::Arc;

use imn::analyze::{AnalyzedReview, FoundAspect, FoundOpinion, LinkedOpinion as Link};
use imn_batch::write::notebook_html;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::errors::{DataError, InternalError};
use crate::number::shortest;

/// The `repr` of a string.
fn quoted(py: Python<'_>, text: &str) -> PyResult<String> {
    Ok(PyString::new(py, text).repr()?.to_string())
}

/// A JSON text as a Python object.
pub(crate) fn from_json<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

/// A value as JSON text.
pub(crate) fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| InternalError::new_err(error.to_string()))
}

/// A text and what was found in it.
///
/// >>> import imn
/// >>> review = imn.Analyzer().analyze("Great ramen!")
/// >>> review
/// Review(text='Great ramen!', aspects=[('ramen', 'positive')])
/// >>> review.text[review.aspects[0].start:review.aspects[0].end]
/// 'ramen'
#[pyclass(frozen, eq, module = "imn")]
#[derive(PartialEq)]
pub(crate) struct Review(pub(crate) Arc<AnalyzedReview>);

#[pymethods]
impl Review {
    /// The analysed text.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// Sentiment of the whole text. None for a text without words, and for a model that was not
    /// trained on documents.
    #[getter]
    fn sentiment(&self) -> Option<TextSentiment> {
        let sentiment = self.0.sentiment?;
        Some(TextSentiment {
            polarity: sentiment.polarity.name(),
            confidence: sentiment.confidence,
        })
    }

    /// Aspect terms, in text order.
    #[getter]
    fn aspects(&self) -> Vec<Aspect> {
        let all = 0..self.0.aspects.len();
        all.map(|index| Aspect {
            review: Arc::clone(&self.0),
            index,
        })
        .collect()
    }

    /// Opinion terms, in text order.
    #[getter]
    fn opinions(&self) -> Vec<Opinion> {
        let all = 0..self.0.opinions.len();
        all.map(|index| Opinion {
            review: Arc::clone(&self.0),
            index,
        })
        .collect()
    }

    /// The record as a dictionary, with the fields of the JSON output of `imn analyze`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.to_json()?)
    }

    /// The record as JSON text, equal to a line of `imn analyze --to jsonl --offsets chars` without
    /// its row.
    fn to_json(&self) -> PyResult<String> {
        to_json(&*self.0)
    }

    /// The record of a JSON text.
    ///
    /// >>> import imn
    /// >>> review = imn.Analyzer().analyze("Great ramen!")
    /// >>> imn.Review.from_json(review.to_json()) == review
    /// True
    #[classmethod]
    fn from_json(_: &Bound<'_, PyType>, json: &str) -> PyResult<Self> {
        let review = serde_json::from_str(json);
        let review = review.map_err(|error| DataError::new_err(error.to_string()))?;
        Ok(Self(Arc::new(review)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut aspects = Vec::new();
        for aspect in &self.0.aspects {
            let term = quoted(py, &aspect.term)?;
            aspects.push(format!("({term}, '{}')", aspect.sentiment.name()));
        }
        let (text, aspects) = (quoted(py, &self.0.text)?, aspects.join(", "));
        Ok(format!("Review(text={text}, aspects=[{aspects}])"))
    }

    /// HTML for notebooks: aspects in the colour of their sentiment, opinions underlined.
    fn _repr_html_(&self) -> String {
        notebook_html(&self.0)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let make = slf.get_type().getattr("from_json")?;
        let arguments = PyTuple::new(slf.py(), [slf.get().to_json()?])?;
        PyTuple::new(slf.py(), [make, arguments.into_any()])
    }
}

/// Sentiment of a whole text.
#[pyclass(frozen, eq, module = "imn")]
#[derive(PartialEq)]
pub(crate) struct TextSentiment {
    /// 'positive', 'negative' or 'neutral'.
    #[pyo3(get)]
    polarity: &'static str,
    confidence: f32,
}

#[pymethods]
impl TextSentiment {
    /// Calibrated probability that `polarity` is correct, 0 to 1.
    #[getter]
    fn confidence(&self) -> f64 {
        shortest(self.confidence)
    }

    /// The sentiment as a dictionary.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("polarity", self.polarity)?;
        dict.set_item("confidence", self.confidence())?;
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        let (polarity, confidence) = (self.polarity, self.confidence());
        format!("TextSentiment(polarity='{polarity}', confidence={confidence})")
    }
}

/// An aspect term and the sentiment towards it.
#[pyclass(frozen, module = "imn")]
pub(crate) struct Aspect {
    review: Arc<AnalyzedReview>,
    index: usize,
}

impl Aspect {
    fn found(&self) -> &FoundAspect {
        &self.review.aspects[self.index]
    }
}

#[pymethods]
impl Aspect {
    /// The term, copied from the text.
    #[getter]
    fn term(&self) -> &str {
        &self.found().term
    }

    /// Offset of the first character, in code points: `text[start:end] == term`.
    #[getter]
    fn start(&self) -> usize {
        self.found().start
    }

    /// Offset after the last character, in code points.
    #[getter]
    fn end(&self) -> usize {
        self.found().end
    }

    /// 'positive', 'negative' or 'neutral'.
    #[getter]
    fn sentiment(&self) -> &'static str {
        self.found().sentiment.name()
    }

    /// Calibrated probability that exactly these words are an aspect term, 0 to 1.
    #[getter]
    fn span_confidence(&self) -> f64 {
        shortest(self.found().span_confidence)
    }

    /// Calibrated probability that the sentiment is correct if the term is, 0 to 1.
    #[getter]
    fn sentiment_confidence(&self) -> f64 {
        shortest(self.found().sentiment_confidence)
    }

    /// Opinions about the aspect, by descending weight.
    #[getter]
    fn opinions(&self) -> Vec<LinkedOpinion> {
        let links = self.found().opinions.iter();
        let links = links.filter(|link| link.opinion < self.review.opinions.len());
        links
            .map(|&link| LinkedOpinion {
                review: Arc::clone(&self.review),
                link,
            })
            .collect()
    }

    /// The aspect as a dictionary. `opinions` has indexes into the opinions of the review.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &to_json(self.found())?)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.found() == other.found()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let found = self.found();
        let about: PyResult<Vec<String>> = self
            .review
            .opinions_about(found)
            .map(|term| quoted(py, term))
            .collect();
        Ok(format!(
            "Aspect(term={}, start={}, end={}, sentiment='{}', opinions=[{}])",
            quoted(py, &found.term)?,
            found.start,
            found.end,
            found.sentiment.name(),
            about?.join(", ")
        ))
    }
}

/// An opinion term.
#[pyclass(frozen, module = "imn")]
pub(crate) struct Opinion {
    review: Arc<AnalyzedReview>,
    index: usize,
}

impl Opinion {
    fn found(&self) -> &FoundOpinion {
        &self.review.opinions[self.index]
    }
}

#[pymethods]
impl Opinion {
    /// The term, copied from the text.
    #[getter]
    fn term(&self) -> &str {
        &self.found().term
    }

    /// Offset of the first character, in code points.
    #[getter]
    fn start(&self) -> usize {
        self.found().start
    }

    /// Offset after the last character, in code points.
    #[getter]
    fn end(&self) -> usize {
        self.found().end
    }

    /// Calibrated probability that exactly these words are an opinion term, 0 to 1.
    #[getter]
    fn confidence(&self) -> f64 {
        shortest(self.found().confidence)
    }

    /// The opinion as a dictionary.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &to_json(self.found())?)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.found() == other.found()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let FoundOpinion {
            term, start, end, ..
        } = self.found();
        let term = quoted(py, term)?;
        Ok(format!("Opinion(term={term}, start={start}, end={end})"))
    }
}

/// An opinion about an aspect.
#[pyclass(frozen, module = "imn")]
pub(crate) struct LinkedOpinion {
    review: Arc<AnalyzedReview>,
    link: Link,
}

impl LinkedOpinion {
    fn found(&self) -> &FoundOpinion {
        &self.review.opinions[self.link.opinion]
    }
}

#[pymethods]
impl LinkedOpinion {
    /// Index of the opinion in the opinions of the review.
    #[getter]
    fn index(&self) -> usize {
        self.link.opinion
    }

    /// Share of the aspect's attention to all opinions of the sentence, 0 to 1.
    #[getter]
    fn weight(&self) -> f64 {
        shortest(self.link.weight)
    }

    /// The term, copied from the text.
    #[getter]
    fn term(&self) -> &str {
        &self.found().term
    }

    /// Offset of the first character, in code points.
    #[getter]
    fn start(&self) -> usize {
        self.found().start
    }

    /// Offset after the last character, in code points.
    #[getter]
    fn end(&self) -> usize {
        self.found().end
    }

    /// Calibrated probability that exactly these words are an opinion term, 0 to 1.
    #[getter]
    fn confidence(&self) -> f64 {
        shortest(self.found().confidence)
    }

    /// The opinion and its weight as a dictionary.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let dict = from_json(py, &to_json(self.found())?)?;
        dict.set_item("weight", self.weight())?;
        Ok(dict)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.link == other.link && self.found() == other.found()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (term, weight) = (quoted(py, self.term())?, self.weight());
        Ok(format!("LinkedOpinion(term={term}, weight={weight})"))
    }
}
