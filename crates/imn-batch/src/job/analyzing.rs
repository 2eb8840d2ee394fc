//! The analysis stage: chunks of rows to chunks of records.

use imn::analyze::{AnalyzedReview, Analyzer};

use super::chunk::{Chunk, Done};
use crate::{Language, LanguageVerdict};

/// What the analysis stage works with.
pub(super) struct AnalyzeStage<'a> {
    pub(super) analyzer: &'a Analyzer,
    pub(super) explain: bool,
    pub(super) min_confidence: f32,
    /// Names of the sources, if records are to name them.
    pub(super) files: Option<&'a [String]>,
    /// What the texts look like, until enough words are counted.
    pub(super) language: Option<Language>,
}

impl AnalyzeStage<'_> {
    /// Analyses a chunk.
    pub(super) fn run(&mut self, chunk: Chunk) -> Done {
        let texts: Vec<&str> = chunk.rows.iter().map(|row| row.text.as_str()).collect();
        let tokenized = self.analyzer.tokenize(&texts);
        let found: Vec<AnalyzedReview> = if self.explain {
            let explanations = tokenized.explain().into_iter();
            explanations
                .map(|explanation| AnalyzedReview::explained("", explanation))
                .collect()
        } else {
            let analyses = tokenized.analyze().into_iter();
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
        let rows = chunk.rows.into_iter().zip(found);
        let reviews = rows.map(|(row, found)| {
            let file = self.files.and_then(|files| files.get(row.place.source));
            let mut review = row.into_record(file.map(String::as_str), found);
            review.retain_confident(self.min_confidence);
            review
        });
        Done {
            reviews: reviews.collect(),
            errors: chunk.errors,
            end: chunk.end,
            bytes: chunk.bytes,
            language: verdict,
        }
    }

    /// What the texts look like, if no chunk has decided it.
    pub(super) fn verdict(&self) -> Option<LanguageVerdict> {
        self.language.as_ref().map(Language::verdict)
    }
}
