//! An explanation for a terminal: one line per token, one column per round, changes marked.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr as _;

use super::{aspects, counted, cut, is_aspect, sentiment, summary, tags_by_round};
use crate::analyze::{ExplainedSentence, ExplanationView};
use crate::data::{AeTag, Sentiment};

/// Maximum width of a token, in characters.
const LETTERS: usize = 24;
/// Width of a round, in characters.
const ROUND: usize = 11;

/// An explanation as text with ANSI colors. The mark `>` precedes a tag that differs from that of
/// the previous round.
///
/// ```
/// let explanation = imn::analyze::Analyzer::built_in()?.explain("Great ramen!");
/// let text = imn::render::explanation_text(&explanation);
/// assert!(text.contains("round 1") && text.contains("ramen: positive"));
/// # Ok::<(), imn::bundle::ModelError>(())
/// ```
#[must_use]
pub fn terminal<'a>(explanation: impl Into<ExplanationView<'a>>) -> String {
    let explanation = &explanation.into();
    let mut text = String::new();
    if explanation.sentences.is_empty() {
        text.push_str("The text has no words.\n");
    }
    for (number, sentence) in explanation.sentences.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        table(&mut text, explanation, sentence);
        for aspect in aspects(explanation, sentence) {
            let (start, end) = (sentiment_style(aspect.sentiment).bold(), anstyle::Reset);
            let line = cut(&summary(explanation, aspect), 300);
            let _ = writeln!(text, "{start}{line}{end}");
        }
    }
    if explanation.sentences_left_out > 0 {
        let more = counted(explanation.sentences_left_out, "sentence");
        let _ = writeln!(text, "\n… and {more} more, not explained");
    }
    text
}

fn table(text: &mut String, explanation: &ExplanationView<'_>, sentence: &ExplainedSentence) {
    let names: Vec<String> = sentence
        .tokens
        .iter()
        .map(|token| cut(&token.text, LETTERS))
        .collect();
    let width = names
        .iter()
        .map(|name| name.width())
        .max()
        .unwrap_or(0)
        .max(5);
    let dim = Style::new().dimmed();
    let _ = write!(text, "{dim}{:<width$}", "token");
    for round in 0..sentence.rounds.len() {
        let head = if round == 0 {
            "before".to_owned()
        } else {
            format!("round {round}")
        };
        let _ = write!(text, "  {head:<ROUND$}");
    }
    let _ = writeln!(text, "sentiment{dim:#}");
    for (token, name) in names.iter().enumerate() {
        let by_round = tags_by_round(explanation, sentence, token);
        let last = by_round.last().map_or(AeTag::O, |last| last.0);
        let style = tag_style(last);
        let room = " ".repeat(width - name.width());
        let _ = write!(text, "{style}{name}{style:#}{room}");
        for (round, &(tag, p)) in by_round.iter().enumerate() {
            let changed = round > 0 && by_round[round - 1].0 != tag;
            let mark = if changed { '>' } else { ' ' };
            let style = if changed {
                tag_style(tag).bold()
            } else {
                tag_style(tag)
            };
            // The last column has no trailing spaces.
            let is_end = round + 1 == by_round.len() && !is_aspect(last);
            let room = if is_end { 0 } else { ROUND };
            let _ = write!(
                text,
                " {mark}{style}{:<room$}{style:#}",
                format!("{tag:?} {p:.2}")
            );
        }
        if is_aspect(last) {
            let sentiments: Vec<(Sentiment, f32)> = (0..sentence.rounds.len())
                .filter_map(|round| sentiment(explanation, sentence, round, token))
                .collect();
            for (round, &(polarity, p)) in sentiments.iter().enumerate() {
                // Only the last of several equal sentiments in a row is shown.
                let after = sentiments.get(round + 1).map(|after| after.0);
                if after != Some(polarity) {
                    let arrow = if after.is_some() { " > " } else { "" };
                    let style = sentiment_style(polarity);
                    let _ = write!(text, "{style}{polarity} {p:.2}{style:#}{arrow}");
                }
            }
        }
        text.push('\n');
    }
}

fn tag_style(tag: AeTag) -> Style {
    match tag {
        AeTag::BA | AeTag::IA => AnsiColor::Blue.on_default(),
        AeTag::BP | AeTag::IP => AnsiColor::Yellow.on_default(),
        AeTag::O => Style::new().dimmed(),
    }
}

fn sentiment_style(sentiment: Sentiment) -> Style {
    match sentiment {
        Sentiment::Positive => AnsiColor::Green.on_default(),
        Sentiment::Negative => AnsiColor::Red.on_default(),
        Sentiment::Neutral => Style::new(),
    }
}
