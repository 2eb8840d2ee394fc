//! The analysis stage: turns chunks of rows into chunks of records.

use std::sync::atomic::{AtomicBool, Ordering};

use imn::analyze::{AnalyzedReview, Analyzer};

use super::chunk::{AnalyzedChunk, Chunk};
use crate::{Language, LanguageVerdict};

/// The analysis stage.
pub(super) struct AnalyzeStage<'a> {
    pub(super) analyzer: &'a Analyzer,
    pub(super) explain: bool,
    pub(super) min_confidence: f32,
    /// The names of the sources, if records name their source.
    pub(super) files: Option<&'a [String]>,
    /// The language check, until it has counted enough words.
    pub(super) language: Option<Language>,
    /// Whether to stop. A chunk can be one row of a megabyte, which takes minutes.
    pub(super) stop: &'a AtomicBool,
}

impl AnalyzeStage<'_> {
    /// Analyses a chunk; `None` if the job was stopped meanwhile.
    pub(super) fn run(&mut self, chunk: Chunk) -> Option<AnalyzedChunk> {
        let texts: Vec<&str> = chunk.rows.iter().map(|row| row.text.as_str()).collect();
        let tokenized = self.analyzer.tokenize(&texts);
        let proceed = || !self.stop.load(Ordering::Relaxed);
        let found: Vec<AnalyzedReview> = if self.explain {
            let explanations = tokenized.explain(&proceed)?.into_iter();
            explanations
                .map(|explanation| AnalyzedReview::explained("", explanation))
                .collect()
        } else {
            let analyses = tokenized.analyze(&proceed)?.into_iter();
            analyses
                .map(|analysis| AnalyzedReview::new("", analysis))
                .collect()
        };
        let mut verdict = None;
        if let Some(language) = &mut self.language {
            for (word, known) in tokenized.tokens() {
                if !language.wants_more() {
                    break;
                }
                language.count(word, known);
            }
            if !language.wants_more() {
                verdict = Some(language.verdict());
            }
        }
        if verdict.is_some() {
            self.language = None;
        }
        let reviews = chunk.rows.into_iter().zip(found).map(|(row, found)| {
            let file = self.files.and_then(|files| files.get(row.place.source));
            let mut review = row.into_record(file.map(String::as_str), found);
            review.retain_confident(self.min_confidence);
            review
        });
        Some(AnalyzedChunk {
            reviews: reviews.collect(),
            errors: chunk.errors,
            end: chunk.end,
            bytes: chunk.bytes,
            language: verdict,
        })
    }

    /// The verdict on the language at the end of the input, if no chunk carried it.
    pub(super) fn verdict(&self) -> Option<LanguageVerdict> {
        self.language.as_ref().map(Language::verdict)
    }
}
