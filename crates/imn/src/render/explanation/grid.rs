//! A after the last round as n × n squares: row i is the attention of word i.

use super::super::Svg;
use super::svg::LEFT;
use super::{Scale, cut};
use crate::analyze::ExplainedSentence;

/// Maximum number of words of a sentence whose grid is drawn.
const MAX_WORDS: usize = 40;
const SQUARE: f64 = 15.0;

/// Draws the grid from `y` downwards, and gives the `y` of its end.
pub(super) fn draw(svg: &mut Svg, sentence: &ExplainedSentence, y: f64) -> f64 {
    let Some(round) = sentence.rounds.last() else {
        return y;
    };
    let words = sentence.tokens.len();
    if words < 2 {
        // A single word attends to nothing.
        return y;
    }
    if words > MAX_WORDS {
        let note =
            format!("attention between words is drawn for sentences of up to {MAX_WORDS} words");
        let style = "class=\"soft\" font-style=\"italic\"";
        svg.text(LEFT, y + 14.0, style, &note);
        return y + 20.0;
    }
    // A word does not attend to itself.
    let others = round.attention.iter().enumerate().flat_map(|(i, row)| {
        let columns = row.iter().copied().enumerate();
        columns
            .filter(move |&(j, _)| j != i)
            .map(|(_, weight)| weight)
    });
    let scale = Scale::of(others);
    let title = format!(
        "attention of each row's word, last round: from {:.2} (light) to {:.2} (dark)",
        scale.low, scale.high
    );
    svg.text(16.0, y + 14.0, "class=\"soft\"", &title);
    let (left, top) = (LEFT + 30.0, y + 82.0);
    for (i, token) in sentence.tokens.iter().enumerate() {
        let name = cut(&token.text, 12);
        let at = SQUARE * i as f64;
        svg.text(
            left - 6.0,
            top + at + 11.0,
            "class=\"ink\" font-size=\"10\" text-anchor=\"end\"",
            &name,
        );
        let (x, y) = (left + at + 10.0, top - 5.0);
        let rotated =
            format!("class=\"ink\" font-size=\"10\" transform=\"rotate(-60 {x:.1} {y:.1})\"");
        svg.text(x, y, &rotated, &name);
    }
    for (i, row) in round.attention.iter().enumerate() {
        for (j, &weight) in row.iter().enumerate() {
            let at = (left + SQUARE * j as f64, top + SQUARE * i as f64);
            let title = format!(
                "{} → {} {weight:.3}",
                cut(&sentence.tokens[i].text, 20),
                cut(&sentence.tokens[j].text, 20)
            );
            let attributes = format!("class=\"look\" opacity=\"{:.2}\"", scale.opacity(weight));
            svg.titled_rect(at, (SQUARE - 1.0, SQUARE - 1.0), &attributes, &title);
        }
    }
    top + SQUARE * words as f64 + 4.0
}
