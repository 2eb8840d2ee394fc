//! CSV: a row an aspect, or a row a review.
//!
//! Whoever counts and filters in a spreadsheet counts aspects, so that is a row; a review without aspects has one with empty fields, so that no
//! review is lost. Opinions stand in one field, the weightiest first, with `; ` between them.

use std::io;

use super::record::{Members, field, in_unit};
use super::{Analysed, Context, Encode, Per};
use crate::Layout;
use crate::columns::Columns;

/// Our columns beside those that pass through.
const OURS: [&str; 15] = [
    "file",
    "row",
    "id",
    "text",
    "columns",
    "text_sentiment",
    "text_confidence",
    "aspect",
    "start",
    "end",
    "sentiment",
    "span_confidence",
    "sentiment_confidence",
    "opinions",
    "aspects",
];

pub(super) struct Csv {
    context: Context,
}

impl Csv {
    pub(super) fn new(context: Context) -> Self {
        Self { context }
    }

    fn header(&self) -> Vec<String> {
        let Layout { file, id, columns } = &self.context.layout;
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
                    .map(|(name, _)| Layout::name_beside(name, &OURS)),
            ),
        }
        names.extend(["text_sentiment", "text_confidence"].map(own));
        match self.context.settings.per {
            Per::Aspect => names.extend(
                [
                    "aspect",
                    "start",
                    "end",
                    "sentiment",
                    "span_confidence",
                    "sentiment_confidence",
                    "opinions",
                ]
                .map(own),
            ),
            Per::Review => names.extend(["aspects", "opinions"].map(own)),
        }
        names
    }

    /// The fields that all rows of a review have.
    fn shared(&self, Analysed { row, analysis, .. }: &Analysed) -> io::Result<Vec<String>> {
        let layout = &self.context.layout;
        let mut fields: Vec<String> = Vec::new();
        fields.extend(self.context.file(row).map(str::to_owned));
        fields.push(row.place.row.to_string());
        if layout.id.is_some() {
            fields.push(row.id.as_deref().map(field).unwrap_or_default());
        }
        fields.push(row.text.clone());
        match &layout.columns {
            Columns::Json => fields.push(match row.columns.as_slice() {
                [] => String::new(),
                columns => serde_json::to_string(&Members(columns))?,
            }),
            Columns::Named(_) => {
                fields.extend(row.columns.iter().map(|(_, value)| field(value)));
            }
        }
        fields.push(
            analysis
                .sentiment
                .map_or("", |sentiment| sentiment.polarity.name())
                .to_owned(),
        );
        fields.push(number(
            analysis.sentiment.map(|sentiment| sentiment.confidence),
        ));
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

    fn rows(&mut self, rows: Vec<Analysed>, out: &mut Vec<u8>) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        for analysed in rows {
            let analysed = in_unit(&self.context, analysed);
            let shared = self.shared(&analysed)?;
            let analysis = &analysed.analysis;
            if self.context.settings.per == Per::Review {
                let aspects = serde_json::to_string(&analysis.aspects)?;
                let opinions = serde_json::to_string(&analysis.opinions)?;
                writer.write_record(shared.iter().chain([&aspects, &opinions]))?;
                continue;
            }
            for aspect in &analysis.aspects {
                let about = aspect.opinions.iter();
                let about = about.filter_map(|link| analysis.opinions.get(link.opinion));
                let about: Vec<&str> = about.map(|opinion| opinion.term.as_str()).collect();
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
            if analysis.aspects.is_empty() {
                let fields: [String; 7] = Default::default();
                writer.write_record(shared.iter().chain(&fields))?;
            }
        }
        writer.flush()
    }

    fn tail(&mut self, _: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }
}
