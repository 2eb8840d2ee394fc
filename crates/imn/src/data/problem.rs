//! What can be wrong with data, where, and how to mend it.

use std::path::{Path, PathBuf};

use serde::Serialize;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; handled by a documented rule.
    Note,
    /// Probably a mistake in the data; read by a documented rule.
    Warning,
    /// Cannot be read.
    Error,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// Does not follow the format.
    Malformed,
    /// Files or columns that belong together differ in length.
    CountMismatch,
    /// A tag or polarity that the format does not know.
    UnknownTag,
    /// An inside tag without a beginning; ignored.
    OrphanTag,
    /// Offsets that are not in the text, or hold another text than the term says.
    OffsetMismatch,
    /// An annotation that begins or ends inside a token; widened to whole tokens.
    CutToken,
    /// Two spans of one kind share a token; tags keep the first.
    Overlap,
    /// One span with two polarities; read as conflict.
    TwoPolarities,
    /// One span annotated twice with the same polarity; read once.
    RepeatedSpan,
    /// The tokens of one aspect carry different polarities; the first counts.
    MixedPolarity,
    /// A polarity on a token outside every aspect; ignored.
    StrayPolarity,
    /// An aspect without a polarity.
    MissingPolarity,
    /// A sentence without tokens.
    EmptySentence,
    /// Two sentences have one identifier.
    DuplicateId,
    /// The same sentence with the same annotation twice.
    DuplicateSentence,
    /// The same sentence twice with different annotation.
    Contradiction,
    /// A test sentence that is also in the training data.
    Leak,
}

impl ProblemKind {
    /// All kinds.
    pub const ALL: [Self; 17] = [
        Self::Malformed,
        Self::CountMismatch,
        Self::UnknownTag,
        Self::OrphanTag,
        Self::OffsetMismatch,
        Self::CutToken,
        Self::Overlap,
        Self::TwoPolarities,
        Self::RepeatedSpan,
        Self::MixedPolarity,
        Self::StrayPolarity,
        Self::MissingPolarity,
        Self::EmptySentence,
        Self::DuplicateId,
        Self::DuplicateSentence,
        Self::Contradiction,
        Self::Leak,
    ];

    /// How bad this kind is.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::Malformed | Self::CountMismatch | Self::UnknownTag => Severity::Error,
            Self::OrphanTag
            | Self::OffsetMismatch
            | Self::Overlap
            | Self::MixedPolarity
            | Self::DuplicateId
            | Self::Contradiction
            | Self::Leak => Severity::Warning,
            Self::CutToken
            | Self::TwoPolarities
            | Self::RepeatedSpan
            | Self::StrayPolarity
            | Self::MissingPolarity
            | Self::EmptySentence
            | Self::DuplicateSentence => Severity::Note,
        }
    }

    /// The name, as in `imn check --allow`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::CountMismatch => "count-mismatch",
            Self::UnknownTag => "unknown-tag",
            Self::OrphanTag => "orphan-tag",
            Self::OffsetMismatch => "offset-mismatch",
            Self::CutToken => "cut-token",
            Self::Overlap => "overlap",
            Self::TwoPolarities => "two-polarities",
            Self::RepeatedSpan => "repeated-span",
            Self::MixedPolarity => "mixed-polarity",
            Self::StrayPolarity => "stray-polarity",
            Self::MissingPolarity => "missing-polarity",
            Self::EmptySentence => "empty-sentence",
            Self::DuplicateId => "duplicate-id",
            Self::DuplicateSentence => "duplicate-sentence",
            Self::Contradiction => "contradiction",
            Self::Leak => "leak",
        }
    }
}

/// A line of a file; lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line.
    pub line: usize,
}

impl Place {
    /// A line of a file.
    #[must_use]
    pub fn new(path: &Path, line: usize) -> Self {
        Self {
            path: path.to_owned(),
            line,
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.path.display(), self.line)
    }
}

/// Something wrong with data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// What kind.
    pub kind: ProblemKind,
    /// How bad: the kind's severity, or an error where the reader could not go on.
    pub severity: Severity,
    /// What exactly.
    pub message: String,
    /// What to do.
    pub fix: String,
}

impl Problem {
    /// A problem of the kind's own severity.
    #[must_use]
    pub fn new(
        place: Place,
        kind: ProblemKind,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        let severity = kind.severity();
        Self {
            place,
            kind,
            severity,
            message: message.into(),
            fix: fix.into(),
        }
    }

    /// The same, as an error: the annotation or sentence cannot be read at all.
    #[must_use]
    pub fn as_error(mut self) -> Self {
        self.severity = Severity::Error;
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        if !self.fix.is_empty() {
            write!(f, " ({})", self.fix)?;
        }
        Ok(())
    }
}
