//! CSV: one row per aspect (the default, for counting and filtering in a spreadsheet), or one row
//! per review.
//!
//! A review without aspects has one row with empty fields, so that no review is lost. The opinions
//! about an aspect are in one field, by decreasing weight, separated by `; `.

use std::io;

use imn::analyze::{AnalyzedReview, RawJson};

use super::{Context, Encode, RowPer, in_unit};
use crate::TableLayout;
use crate::columns::{Columns, OURS};

/// The columns of an aspect, if it has a row of its own.
const ASPECT: [&str; 7] = [
    "aspect",
    "start",
    "end",
    "sentiment",
    "span_confidence",
    "sentiment_confidence",
    "opinions",
];

pub(super) struct Csv {
    context: Context,
}

impl Csv {
    pub(super) fn new(context: Context) -> Self {
        Self { context }
    }

    fn header(&self) -> Vec<String> {
        let TableLayout { file, id, columns } = &self.context.layout;
        // A column has the same name whatever a row is.
        let ours = [&OURS[..], &ASPECT].concat();
        let mut names: Vec<String> = Vec::new();
        let own = |name: &str| name.to_owned();
        names.extend(file.then(|| own("file")));
        names.push(own("row"));
        names.extend(id.as_ref().map(|_| own("id")));
        names.push(own("text"));
        match columns {
            Columns::Json => names.push(own("columns")),
            Columns::Named(columns) => names.extend(
                columns
                    .iter()
                    .map(|(name, _)| TableLayout::name_beside(name, &ours)),
            ),
        }
        names.extend(["text_sentiment", "text_confidence"].map(own));
        match self.context.settings.per {
            RowPer::Aspect => names.extend(ASPECT.map(own)),
            RowPer::Review => names.extend(["aspects", "opinions"].map(own)),
        }
        names
    }

    /// The fields that all rows of a review share.
    fn shared(&self, review: &AnalyzedReview) -> io::Result<Vec<String>> {
        let layout = &self.context.layout;
        let mut fields: Vec<String> = Vec::new();
        if layout.file {
            fields.push(review.file.clone().unwrap_or_default());
        }
        fields.push(review.row.map(|row| row.to_string()).unwrap_or_default());
        if layout.id.is_some() {
            fields.push(review.id.as_ref().map(RawJson::cell).unwrap_or_default());
        }
        fields.push(review.text.clone());
        match &layout.columns {
            Columns::Json => fields.push(match &review.columns {
                columns if columns.is_empty() => String::new(),
                columns => serde_json::to_string(columns)?,
            }),
            Columns::Named(_) => {
                fields.extend(review.columns.iter().map(|(_, value)| value.cell()));
            }
        }
        let sentiment = review.sentiment;
        fields.push(
            sentiment
                .map_or("", |sentiment| sentiment.polarity.name())
                .to_owned(),
        );
        fields.push(number(sentiment.map(|sentiment| sentiment.confidence)));
        Ok(fields)
    }
}

fn number(value: Option<f32>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

impl Encode for Csv {
    fn head(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(self.header())?;
        writer.flush()
    }

    fn rows(&mut self, reviews: Vec<AnalyzedReview>, out: &mut Vec<u8>) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        for review in in_unit(&self.context, reviews) {
            let shared = self.shared(&review)?;
            if self.context.settings.per == RowPer::Review {
                let aspects = serde_json::to_string(&review.aspects)?;
                let opinions = serde_json::to_string(&review.opinions)?;
                writer.write_record(shared.iter().chain([&aspects, &opinions]))?;
                continue;
            }
            for aspect in &review.aspects {
                let about: Vec<&str> = review.opinions_about(aspect).collect();
                let fields = [
                    aspect.term.clone(),
                    aspect.start.to_string(),
                    aspect.end.to_string(),
                    aspect.sentiment.name().to_owned(),
                    number(Some(aspect.span_confidence)),
                    number(Some(aspect.sentiment_confidence)),
                    about.join("; "),
                ];
                writer.write_record(shared.iter().chain(&fields))?;
            }
            if review.aspects.is_empty() {
                let fields: [String; ASPECT.len()] = Default::default();
                writer.write_record(shared.iter().chain(&fields))?;
            }
        }
        writer.flush()
    }

    fn tail(&mut self, _: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }
}
