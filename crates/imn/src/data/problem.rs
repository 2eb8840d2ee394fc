//! Problems of data: what is wrong, where, and how to fix it.

use std::path::{Path, PathBuf};

use serde::Serialize;

/// Severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Handled by a documented rule; no action needed.
    Note,
    /// Probably a mistake in the data; handled by a documented rule.
    Warning,
    /// The data cannot be read.
    Error,
}

/// Kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// The data does not follow its format.
    Malformed,
    /// Files or columns that belong together differ in length.
    CountMismatch,
    /// A tag or polarity that the format does not have.
    UnknownTag,
    /// An inside tag without a begin tag before it; ignored.
    OrphanTag,
    /// Offsets that are out of bounds, or that select a text other than the given term.
    OffsetMismatch,
    /// An annotation that begins or ends inside a token; extended to whole tokens.
    CutToken,
    /// Two spans of the same kind share a token; tags keep the first.
    Overlap,
    /// One span with two polarities; read as conflict.
    TwoPolarities,
    /// One span annotated twice with the same polarity; read once.
    RepeatedSpan,
    /// The tokens of one aspect have different polarities; the first is used.
    MixedPolarity,
    /// A polarity on a token outside every aspect; ignored.
    StrayPolarity,
    /// An aspect without a polarity.
    MissingPolarity,
    /// A sentence without tokens.
    EmptySentence,
    /// Two sentences have the same identifier.
    DuplicateId,
    /// The same sentence twice with the same annotation.
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

    /// Severity of this kind.
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

    /// Name of the kind, as in `imn check --allow`.
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

/// A line of a file. Displays as `path:line`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// Path of the file.
    pub path: PathBuf,
    /// Number of the line, from 1.
    pub line: usize,
}

impl Place {
    /// The line `line` of the file `path`.
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

/// A problem found in data.
///
/// ```
/// use imn::data::{Place, Problem, ProblemKind, Severity};
///
/// let place = Place::new("a.tsv".as_ref(), 3);
/// let problem = Problem::new(place, ProblemKind::Leak, "also in a.train.tsv", "remove one");
/// assert_eq!(problem.severity, Severity::Warning);
/// assert_eq!(problem.to_string(), "a.tsv:3: also in a.train.tsv (remove one)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where the problem is.
    #[serde(flatten)]
    pub place: Place,
    /// Kind of the problem.
    pub kind: ProblemKind,
    /// Severity: that of the kind, or an error if the annotation could not be read.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do about it; may be empty.
    pub fix: String,
}

impl Problem {
    /// A problem with the severity of its kind.
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

    /// Raises the severity to an error: the annotation or sentence cannot be read.
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
