//! The JSON form of an analysed review (docs/analyze.md).

use imn::analyze::{Analysis, ExplainedSentence, FoundAspect, FoundOpinion, SCHEMA, TextSentiment};
use imn::data::{AeTag, Polarity};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::{Analysed, Context};

#[derive(Serialize)]
pub(super) struct Record<'a> {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    row: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    text: &'a str,
    #[serde(skip_serializing_if = "Members::is_empty")]
    columns: Members<'a>,
    sentiment: Option<TextSentiment>,
    aspects: &'a [FoundAspect],
    opinions: &'a [FoundOpinion],
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Rounds<'a>>,
}

/// An explanation without what the record says itself.
#[derive(Serialize)]
struct Rounds<'a> {
    tags: &'a [AeTag],
    polarities: &'a [Polarity],
    sentences: &'a [ExplainedSentence],
    sentences_left_out: usize,
}

impl<'a> Record<'a> {
    /// The record of a review whose analysis has its offsets in the right unit.
    pub(super) fn new(context: &'a Context, analysed: &'a Analysed) -> Self {
        let Analysed {
            row,
            analysis,
            explanation,
        } = analysed;
        Self {
            schema: SCHEMA,
            file: context.file(row),
            row: row.place.row,
            id: row.id.as_deref(),
            text: &row.text,
            columns: Members(&row.columns),
            sentiment: analysis.sentiment,
            aspects: &analysis.aspects,
            opinions: &analysis.opinions,
            explanation: explanation.as_ref().map(|explanation| Rounds {
                tags: &explanation.tags,
                polarities: &explanation.polarities,
                sentences: &explanation.sentences,
                sentences_left_out: explanation.sentences_left_out,
            }),
        }
    }
}

/// Passed-through columns as an object, in their order.
pub(super) struct Members<'a>(pub(super) &'a [(String, Box<RawValue>)]);

impl Members<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The review with offsets as they are given out.
pub(super) fn in_unit(context: &Context, mut analysed: Analysed) -> Analysed {
    let analysis: Analysis = std::mem::take(&mut analysed.analysis);
    let (text, unit) = (&analysed.row.text, context.settings.unit);
    analysed.analysis = analysis.in_unit(text, unit);
    let explanation = analysed.explanation.take();
    analysed.explanation = explanation.map(|explanation| explanation.in_unit(text, unit));
    analysed
}

/// A JSON value as the text of a field: texts without their quotation marks, null as nothing.
pub(super) fn field(value: &RawValue) -> String {
    let json = value.get();
    if json == "null" {
        String::new()
    } else if json.starts_with('"') {
        serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())
    } else {
        json.to_owned()
    }
}
