//! The answer of `POST /language/:analyze-text`.

use serde::Serialize;

/// The answer.
#[derive(Debug, Serialize)]
pub struct AzureAnswer {
    /// `SentimentAnalysisResults`.
    pub kind: &'static str,
    /// What was found.
    pub results: AzureResults,
}

/// What was found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AzureResults {
    /// Documents that were analysed, in the order of the request.
    pub documents: Vec<AzureDocument>,
    /// Documents that were refused.
    pub errors: Vec<AzureDocumentError>,
    /// Statistics, if `showStats` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<AzureTotals>,
    /// The model that answered.
    pub model_version: String,
}

/// Statistics of a request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AzureTotals {
    /// Documents of the request.
    pub documents_count: usize,
    /// Documents that were analysed.
    pub valid_documents_count: usize,
    /// Documents that were refused.
    pub erroneous_documents_count: usize,
    /// Units of work: one per 1,000 characters of a document.
    pub transactions_count: usize,
}

/// One document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AzureDocument {
    /// Its id.
    pub id: String,
    /// `positive`, `negative`, `neutral` or `mixed`.
    pub sentiment: &'static str,
    /// The probability of each sentiment of the whole text.
    pub confidence_scores: AzureScores,
    /// Its sentences.
    pub sentences: Vec<AzureSentence>,
    /// Warnings.
    pub warnings: Vec<AzureWarning>,
    /// Statistics, if `showStats` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<AzureStatistics>,
}

/// A warning about a document.
#[derive(Debug, Serialize)]
pub struct AzureWarning {
    /// For programs.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

/// Statistics of a document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AzureStatistics {
    /// Characters of the text.
    pub characters_count: usize,
    /// Units of work: one per 1,000 characters.
    pub transactions_count: usize,
}

/// The probabilities of sentiments.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct AzureScores {
    /// Of positive.
    pub positive: f32,
    /// Of neutral.
    pub neutral: f32,
    /// Of negative.
    pub negative: f32,
}

/// The probabilities of sentiments of a term.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct AzureTargetScores {
    /// Of positive.
    pub positive: f32,
    /// Of negative.
    pub negative: f32,
}

/// A sentence.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AzureSentence {
    /// `positive`, `negative` or `neutral`.
    pub sentiment: &'static str,
    /// The probability of each sentiment.
    pub confidence_scores: AzureScores,
    /// Where it begins.
    pub offset: usize,
    /// How long it is.
    pub length: usize,
    /// The sentence.
    pub text: String,
    /// Aspects, if `opinionMining` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<AzureTarget>>,
    /// Opinions, if `opinionMining` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assessments: Option<Vec<AzureAssessment>>,
}

/// An aspect.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AzureTarget {
    /// `positive`, `negative` or `neutral`.
    pub sentiment: &'static str,
    /// The probability of each sentiment.
    pub confidence_scores: AzureTargetScores,
    /// Where it begins.
    pub offset: usize,
    /// How long it is.
    pub length: usize,
    /// Its words.
    pub text: String,
    /// Opinions that are about it.
    pub relations: Vec<AzureRelation>,
}

/// A reference from a target to an assessment.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AzureRelation {
    /// `assessment`.
    pub relation_type: &'static str,
    /// A JSON pointer into `results`, such as `#/documents/0/sentences/0/assessments/0`.
    pub r#ref: String,
}

/// An opinion.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AzureAssessment {
    /// `positive`, `negative`, `neutral` or `mixed`.
    pub sentiment: &'static str,
    /// The probability of each sentiment.
    pub confidence_scores: AzureTargetScores,
    /// Where it begins.
    pub offset: usize,
    /// How long it is.
    pub length: usize,
    /// Its words.
    pub text: String,
    /// Whether it is negated.
    pub is_negated: bool,
}

/// A document that was refused.
#[derive(Debug, Serialize)]
pub struct AzureDocumentError {
    /// Its id.
    pub id: String,
    /// Why.
    pub error: AzureError,
}

/// Why a request or a document was refused.
#[derive(Debug, Serialize)]
pub struct AzureError {
    /// For programs.
    pub code: &'static str,
    /// For people.
    pub message: String,
    /// A more specific error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub innererror: Option<AzureInnerError>,
}

/// A more specific reason why a request or a document was refused.
#[derive(Debug, Serialize)]
pub struct AzureInnerError {
    /// For programs.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

/// The body of an error answer: in the format of Azure, with the error type of our other routes.
#[derive(Debug, Serialize)]
pub struct AzureErrorBody {
    /// What is wrong.
    pub error: AzureError,
    /// The error type of our other routes.
    pub error_type: crate::error::ErrorKind,
}
