//! The records of `imn` as schemas. The library knows nothing of OpenAPI, so its types are
//! described here; a test reads what the library writes into these types and back.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::formats::OffsetUnit;
use crate::error::ErrorKind;

/// A sentiment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sentiment {
    /// Positive.
    Positive,
    /// Negative.
    Negative,
    /// Neutral.
    Neutral,
}

/// The id of a text: a string or a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum TextId {
    /// A string.
    Text(String),
    /// A number.
    Number(f64),
}

/// A text with an id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TextWithId {
    /// The text.
    #[schema(min_length = 1)]
    pub text: String,
    /// Echoed in the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<TextId>,
}

/// A text: a string, or an object with `text` and `id`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum InputText {
    /// A string.
    Plain(String),
    /// An object.
    WithId(TextWithId),
}

/// One text, or a list of texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum InputTexts {
    /// One text. If it is refused, the request is.
    One(InputText),
    /// A list. A text that is refused is an error among the results.
    Many(Vec<InputText>),
}

/// The body of `POST /analyze`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"inputs": "The ramen was wonderful, but our waiter ignored us."}))]
pub struct AnalyzeRequest {
    /// One text, or a list of texts.
    pub inputs: InputTexts,
    /// The name of a model [default: the first of the server].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1)]
    pub model: Option<String>,
    /// What counts as an aspect [default: the first scheme of the model].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// Aspects and opinions with a smaller confidence are left out [default: 0].
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1)]
    pub min_confidence: f32,
    /// What offsets count [default: bytes].
    #[serde(default = "bytes")]
    #[schema(required = false)]
    pub offset_unit: OffsetUnit,
    /// Whether the predictions for every word are added, round by round [default: false].
    #[serde(default)]
    pub explain: bool,
}

fn bytes() -> OffsetUnit {
    OffsetUnit::Bytes
}

/// The body of `POST /explain`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"inputs": "The keys wobble."}))]
pub struct ExplainRequest {
    /// The text.
    pub inputs: InputText,
    /// The name of a model [default: the first of the server].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1)]
    pub model: Option<String>,
    /// What counts as an aspect [default: the first scheme of the model].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// What offsets count [default: bytes].
    #[serde(default = "bytes")]
    #[schema(required = false)]
    pub offset_unit: OffsetUnit,
}

/// The answer of `POST /analyze`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalyzeResponse {
    /// The model that answered.
    pub model: String,
    /// Its annotation scheme, if it has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// One result per text, in the order of the request.
    pub results: Vec<TextResult>,
}

/// The result for one text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum TextResult {
    /// What was found.
    Found(AnalyzedReview),
    /// Why the text was refused.
    Refused(RefusedText),
}

/// A text that was refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RefusedText {
    /// Its id, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<TextId>,
    /// What is wrong, for people.
    pub error: String,
    /// What is wrong, for programs.
    pub error_type: ErrorKind,
}

/// A text and everything that was found in it; the record of `imn analyze`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalyzedReview {
    /// Version of the record.
    pub schema: u32,
    /// What offsets count.
    pub offset_unit: OffsetUnit,
    /// The row of the source, counted from 1; only in results of jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
    /// The id that the input gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<TextId>,
    /// The text, unchanged.
    pub text: String,
    /// The other columns of the input; only in results of jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Value>,
    /// The sentiment of the whole text.
    pub sentiment: Option<TextSentiment>,
    /// Aspects in order of position.
    pub aspects: Vec<Aspect>,
    /// Opinions in order of position.
    pub opinions: Vec<Opinion>,
    /// The predictions for every word, if asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<ExplainedSentences>,
}

/// The sentiment of a whole text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TextSentiment {
    /// The sentiment.
    pub polarity: Sentiment,
    /// The probability that it is right.
    pub confidence: f32,
}

/// An aspect and the sentiment towards it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Aspect {
    /// Its words.
    pub term: String,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The sentiment.
    pub sentiment: Sentiment,
    /// The probability that it is an aspect with exactly these words.
    pub span_confidence: f32,
    /// The probability that the sentiment is right if the aspect is.
    pub sentiment_confidence: f32,
    /// Opinions that are about it, the one with the largest weight first.
    pub opinions: Vec<LinkedOpinion>,
}

/// An opinion that is about an aspect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkedOpinion {
    /// Position in `opinions` of the text.
    pub opinion: usize,
    /// Its share of the aspect's attention to all opinions of its sentence.
    pub weight: f32,
}

/// An opinion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Opinion {
    /// Its words.
    pub term: String,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The probability that it is an opinion with exactly these words.
    pub confidence: f32,
}

/// The answer of `POST /explain`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// Version of the form.
    pub schema: u32,
    /// What offsets count.
    pub offset_unit: OffsetUnit,
    /// The columns of `tags` of a round.
    pub tags: Vec<String>,
    /// The columns of `sentiments` of a round.
    pub polarities: Vec<Sentiment>,
    /// The sentences.
    pub sentences: Vec<ExplainedSentence>,
    /// The number of sentences after them that are not explained.
    pub sentences_left_out: usize,
    /// The analysis of the whole text.
    pub analysis: Analysis,
}

/// An analysis without its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    /// The sentiment of the whole text.
    pub sentiment: Option<TextSentiment>,
    /// Aspects in order of position.
    pub aspects: Vec<Aspect>,
    /// Opinions in order of position.
    pub opinions: Vec<Opinion>,
}

/// The explanation in a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainedSentences {
    /// The columns of `tags` of a round.
    pub tags: Vec<String>,
    /// The columns of `sentiments` of a round.
    pub polarities: Vec<Sentiment>,
    /// The sentences.
    pub sentences: Vec<ExplainedSentence>,
    /// The number of sentences after them that are not explained.
    pub sentences_left_out: usize,
}

/// A sentence and its rounds of message passing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainedSentence {
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// Round 0, before message passing, to the last one.
    pub rounds: Vec<Round>,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// The token.
    pub text: String,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// The predictions after a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// One row per token: the probability of each tag.
    pub tags: Vec<Vec<f32>>,
    /// One row per token: the probability of each sentiment if the token is an aspect.
    pub sentiments: Vec<Vec<f32>>,
    /// One row per token: how much it attends to each token; null for long sentences.
    pub attention: Option<Vec<Vec<f32>>>,
    /// What the document-level components say; null if the model has none.
    pub document: Option<Document>,
}

/// What the document-level components say of a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The probability of each sentiment.
    pub sentiment: Vec<f32>,
    /// For each token, its share in the sentiment.
    pub sentiment_attention: Vec<f32>,
    /// For each token, its share in the domain.
    pub domain_attention: Vec<f32>,
}

/// The answer of `GET /health`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`.
    pub status: String,
}

#[cfg(test)]
mod tests {
    use imn::analyze::{AnalyzedReview as Real, Analyzer, RawJson};

    use super::*;

    /// What the library writes is exactly what the schemas say.
    #[test]
    fn the_schemas_are_those_of_the_library() {
        let analyzer = Analyzer::built_in().unwrap();
        let text = "The ramen was wonderful, but our waiter ignored us.";
        let explanation = analyzer.explain(text);
        let json = serde_json::to_value(&explanation).unwrap();
        let read: Explanation = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), json);
        let mut review = Real::explained(text, explanation);
        review.id = Some(RawJson::of_text("a").unwrap());
        review.row = Some(7);
        let json = serde_json::to_value(&review).unwrap();
        let read: AnalyzedReview = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), json);
    }
}
