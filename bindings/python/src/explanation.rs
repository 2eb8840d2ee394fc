//! The network's predictions for every word as Python objects.

use std::sync::Arc;

use imn::analyze::{AnalyzedReview, Explanation};
use imn::render::{explanation_html, explanation_svg, explanation_text};
use pyo3::prelude::*;

use crate::review::{Review, from_json, to_json};

/// The network's predictions for every word of a text, round by round.
///
/// >>> import imn
/// >>> explanation = imn.Analyzer().explain("Great ramen!")
/// >>> explanation.sentences[0].tokens
/// ['Great', 'ramen', '!']
/// >>> explanation
/// Explanation(text='Great ramen!', sentences=1)
#[pyclass(frozen, module = "imn", name = "Explanation")]
pub(crate) struct PyExplanation {
    text: String,
    explanation: Arc<Explanation>,
    review: Arc<AnalyzedReview>,
}

impl PyExplanation {
    /// `explanation` has offsets in code points.
    pub(crate) fn new(text: String, mut explanation: Explanation, min_confidence: f32) -> Self {
        explanation.analysis.retain_confident(min_confidence);
        let review = AnalyzedReview {
            offset_unit: explanation.offset_unit,
            ..AnalyzedReview::new(text.clone(), explanation.analysis.clone())
        };
        Self {
            text,
            explanation: Arc::new(explanation),
            review: Arc::new(review),
        }
    }
}

#[pymethods]
impl PyExplanation {
    /// The explained text.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// The analysis of the text.
    #[getter]
    fn review(&self) -> Review {
        Review(Arc::clone(&self.review))
    }

    /// The columns of `tags` in a round, such as 'BA' (first word of an aspect) and 'O'.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &to_json(&self.explanation.words.tags)?)
    }

    /// The columns of `sentiments` in a round.
    #[getter]
    fn polarities(&self) -> Vec<&'static str> {
        let all = self.explanation.words.polarities.iter();
        all.map(|polarity| polarity.name()).collect()
    }

    /// The explained sentences.
    #[getter]
    fn sentences(&self) -> Vec<ExplainedSentence> {
        let all = 0..self.explanation.words.sentences.len();
        all.map(|index| ExplainedSentence {
            explanation: Arc::clone(&self.explanation),
            index,
        })
        .collect()
    }

    /// Number of sentences after these that are not explained.
    #[getter]
    fn sentences_left_out(&self) -> usize {
        self.explanation.words.sentences_left_out
    }

    /// The explanation as a dictionary, with the fields of `imn explain --to json`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &to_json(&*self.explanation)?)
    }

    /// The explanation as an SVG image.
    fn to_svg(&self) -> String {
        explanation_svg(&*self.explanation)
    }

    /// The explanation as an HTML page.
    fn to_html(&self) -> String {
        explanation_html(&*self.explanation, &self.text)
    }

    /// The explanation as tables of plain text, as `imn explain` prints them.
    fn __str__(&self) -> String {
        let text = explanation_text(&*self.explanation);
        anstream::adapter::strip_str(&text).to_string()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = pyo3::types::PyString::new(py, &self.text)
            .repr()?
            .to_string();
        let sentences = self.explanation.words.sentences.len();
        Ok(format!("Explanation(text={text}, sentences={sentences})"))
    }

    /// The image, for notebooks.
    fn _repr_html_(&self) -> String {
        self.to_svg()
    }
}

/// The tokens of a sentence, and the predictions of every round.
#[pyclass(frozen, module = "imn")]
pub(crate) struct ExplainedSentence {
    explanation: Arc<Explanation>,
    index: usize,
}

impl ExplainedSentence {
    fn sentence(&self) -> &imn::analyze::ExplainedSentence {
        &self.explanation.words.sentences[self.index]
    }
}

#[pymethods]
impl ExplainedSentence {
    /// The tokens, copied from the text.
    #[getter]
    fn tokens(&self) -> Vec<&str> {
        let tokens = self.sentence().tokens.iter();
        tokens.map(|token| token.text.as_str()).collect()
    }

    /// Start and end of each token, in code points.
    #[getter]
    fn spans(&self) -> Vec<(usize, usize)> {
        let tokens = self.sentence().tokens.iter();
        tokens.map(|token| (token.start, token.end)).collect()
    }

    /// One dictionary per round, with the probabilities `tags` and `sentiments` of each token, its
    /// `attention` to each token, and the `document` predictions.
    #[getter]
    fn rounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &to_json(&self.sentence().rounds)?)
    }

    /// The sentence as a dictionary.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &to_json(self.sentence())?)
    }

    fn __repr__(&self) -> String {
        let sentence = self.sentence();
        let (tokens, rounds) = (sentence.tokens.len(), sentence.rounds.len());
        format!("ExplainedSentence(tokens={tokens}, rounds={rounds})")
    }
}
