//! The rounds of a sentence with tokens as columns, wrapped into bands like lines of text.

use std::ops::Range;

use unicode_width::UnicodeWidthStr as _;

use super::super::Svg;
use super::svg::{ASPECTS, LEFT, WIDTH};
use super::{Scale, aspects, cut, is_aspect, tags_by_round};
use crate::analyze::{ExplainedRound, ExplainedSentence, ExplanationView};
use crate::data::AeTag;

/// Maximum width of a token, in characters.
const LETTERS: usize = 16;
const TAGS: f64 = 32.0;
const SENTIMENTS: f64 = 8.0;
const STRIP: f64 = 7.0;
const GAP: f64 = 4.0;

/// Draws the bands from `y` downwards, and gives the `y` of their end.
pub(super) fn draw(
    svg: &mut Svg,
    explanation: &ExplanationView<'_>,
    sentence: &ExplainedSentence,
    mut y: f64,
) -> f64 {
    let names: Vec<String> = sentence
        .tokens
        .iter()
        .map(|token| cut(&token.text, LETTERS))
        .collect();
    let widths: Vec<f64> = names
        .iter()
        .map(|name| (7.4 * name.width() as f64 + 12.0).max(58.0))
        .collect();
    for columns in lines(&widths) {
        let band = Band {
            explanation,
            sentence,
            names: &names,
            widths: &widths,
            columns,
        };
        y = band.draw(svg, y);
    }
    y
}

/// Wraps columns into bands that fit the width of the image.
fn lines(widths: &[f64]) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut x = f64::INFINITY;
    for (i, width) in widths.iter().enumerate() {
        match lines.last_mut() {
            Some(line) if x + width <= WIDTH - 16.0 => line.end = i + 1,
            _ => {
                lines.push(i..i + 1);
                x = LEFT;
            }
        }
        x += width;
    }
    lines
}

struct Band<'a> {
    explanation: &'a ExplanationView<'a>,
    sentence: &'a ExplainedSentence,
    names: &'a [String],
    widths: &'a [f64],
    columns: Range<usize>,
}

impl Band<'_> {
    /// The columns, each with its left edge and the width of its cells.
    fn cells(&self) -> impl Iterator<Item = (usize, f64, f64)> {
        let mut x = LEFT;
        self.columns.clone().map(move |column| {
            let at = x;
            x += self.widths[column];
            (column, at, self.widths[column] - 3.0)
        })
    }

    fn draw(&self, svg: &mut Svg, mut y: f64) -> f64 {
        y += 18.0;
        for (column, x, width) in self.cells() {
            let last = tags_by_round(self.explanation, self.sentence, column).pop();
            let weight = match last {
                Some((AeTag::O, _)) | None => "",
                Some(_) => "font-weight=\"bold\"",
            };
            let attributes =
                format!("class=\"ink\" font-size=\"13\" text-anchor=\"middle\" {weight}");
            svg.text(x + width / 2.0, y, &attributes, &self.names[column]);
        }
        y += 8.0;
        for (number, round) in self.sentence.rounds.iter().enumerate() {
            y = self.round(svg, number, round, y);
        }
        self.aspect_attention(svg, y) + 2.0 * GAP
    }

    fn round(&self, svg: &mut Svg, number: usize, round: &ExplainedRound, mut y: f64) -> f64 {
        let label = if number == 0 {
            "before".to_owned()
        } else {
            format!("round {number}")
        };
        svg.text(16.0, y + 20.0, "class=\"ink\" font-size=\"11\"", &label);
        for (column, x, width) in self.cells() {
            self.tags(svg, number, column, (x, y), width);
            let dim = match tags_by_round(self.explanation, self.sentence, column).get(number) {
                Some(&(tag, _)) if is_aspect(tag) => 1.0,
                _ => 0.25,
            };
            let sentiments = round.sentiments.get(column).into_iter().flatten();
            let mut at = x;
            for (polarity, &p) in self.explanation.polarities.iter().zip(sentiments) {
                let size = (width * f64::from(p), SENTIMENTS);
                let title = format!("{polarity} {p:.3}");
                svg.titled_rect(
                    (at, y + TAGS + 16.0),
                    size,
                    &format!("class=\"{polarity}\" opacity=\"{dim}\""),
                    &title,
                );
                at += size.0;
            }
        }
        y += TAGS + 16.0 + SENTIMENTS + GAP;
        if let Some(document) = &round.document {
            for (class, what, row) in [
                ("look", "DS attention", &document.sentiment_attention),
                ("about", "DD attention", &document.domain_attention),
            ] {
                svg.text(16.0, y + STRIP, "class=\"soft\" font-size=\"9\"", what);
                self.strip(svg, class, row, y);
                y += STRIP + GAP;
            }
        }
        y + GAP
    }

    /// Draws a cell of a round: the tag probabilities, the most probable tag, and a frame if the
    /// round changed it.
    fn tags(&self, svg: &mut Svg, number: usize, column: usize, (x, y): (f64, f64), width: f64) {
        let Some(row) = self
            .sentence
            .rounds
            .get(number)
            .and_then(|round| round.tags.get(column))
        else {
            return;
        };
        let mut top = y + TAGS;
        for (tag, &p) in self.explanation.tags.iter().zip(row) {
            let height = TAGS * f64::from(p);
            top -= height;
            let title = format!("{tag:?} {p:.3}");
            svg.titled_rect(
                (x, top),
                (width, height),
                &format!("class=\"{tag:?}\""),
                &title,
            );
        }
        let by_round = tags_by_round(self.explanation, self.sentence, column);
        let (tag, p) = by_round[number];
        let before = number.checked_sub(1).map(|before| by_round[before].0);
        let changed = before.is_some_and(|before| before != tag);
        let percent = (100.0 * p).round();
        let label = match (before, tag) {
            (Some(before), tag) if changed => format!("{before:?}→{tag:?} {percent}"),
            (_, AeTag::O) => String::new(),
            (_, tag) => format!("{tag:?} {percent}"),
        };
        if changed {
            svg.rect((x, y), (width, TAGS), "class=\"ring\"");
        }
        let weight = if changed { "font-weight=\"bold\"" } else { "" };
        let attributes = format!("class=\"ink\" font-size=\"10\" text-anchor=\"middle\" {weight}");
        svg.text(x + width / 2.0, y + TAGS + 12.0, &attributes, &label);
    }

    /// Draws the attention of each aspect of the sentence after the last round.
    fn aspect_attention(&self, svg: &mut Svg, mut y: f64) -> f64 {
        let Some(ExplainedRound { attention, .. }) = self.sentence.rounds.last() else {
            return y;
        };
        for aspect in aspects(self.explanation, self.sentence)
            .into_iter()
            .take(ASPECTS)
        {
            let rows: Vec<&Vec<f32>> = self
                .sentence
                .tokens
                .iter()
                .zip(attention)
                .filter(|(token, _)| aspect.start <= token.start && token.end <= aspect.end)
                .map(|(_, row)| row)
                .collect();
            let mean: Vec<f32> = (0..attention.len())
                .map(|column| {
                    rows.iter().map(|row| row[column]).sum::<f32>() / rows.len().max(1) as f32
                })
                .collect();
            svg.text(
                16.0,
                y + STRIP,
                "class=\"soft\" font-size=\"10\"",
                &cut(&aspect.term, 13),
            );
            self.strip(svg, "look", &mean, y);
            y += STRIP + GAP;
        }
        y
    }

    /// Draws one value per token as the opacity of a color.
    fn strip(&self, svg: &mut Svg, class: &str, row: &[f32], y: f64) {
        let scale = Scale::of(row.iter().copied());
        for (column, x, width) in self.cells() {
            let Some(&weight) = row.get(column) else {
                continue;
            };
            let attributes = format!("class=\"{class}\" opacity=\"{:.2}\"", scale.opacity(weight));
            let title = format!("{} {weight:.3}", self.names[column]);
            svg.titled_rect((x, y), (width, STRIP), &attributes, &title);
        }
    }
}
