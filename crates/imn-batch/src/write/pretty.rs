//! Output for a terminal: the text with its aspects in the colour of their sentiment and its
//! opinions underlined, then one line per aspect.

use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};
use imn::analyze::{AnalyzedReview, RawJson};
use imn::data::Sentiment;
use imn::render::explanation_text;
use unicode_width::UnicodeWidthStr as _;

use super::segments::{Segment, percent, segments};
use super::{Context, Encode};

pub(super) struct Pretty {
    context: Context,
    any: bool,
}

impl Pretty {
    pub(super) fn new(context: Context) -> Self {
        Self {
            context,
            any: false,
        }
    }

    /// The text in a style, if colours are on. Control characters, which could control the
    /// terminal, are replaced by U+FFFD.
    fn paint(&self, style: Style, text: &str) -> String {
        let shown: String = text
            .chars()
            .map(|c| {
                if c.is_control() && c != '\n' && c != '\t' {
                    '\u{FFFD}'
                } else {
                    c
                }
            })
            .collect();
        if self.context.settings.color {
            format!("{style}{shown}{style:#}")
        } else {
            shown
        }
    }

    fn show(&mut self, review: &AnalyzedReview, out: &mut Vec<u8>) -> io::Result<()> {
        let dim = Style::new().dimmed();
        if self.any {
            writeln!(out)?;
        }
        self.any = true;
        let id = review.id.as_ref().map(RawJson::cell);
        let label: Vec<String> = review.file.clone().into_iter().chain(id).collect();
        if !label.is_empty() {
            writeln!(out, "{}", self.paint(dim, &label.join(" ")))?;
        }
        for segment in segments(review) {
            let shown = match segment {
                Segment::Plain(text) => self.paint(Style::new(), text),
                Segment::Aspect(i, text) => {
                    let style = style(review.aspects[i].sentiment);
                    self.paint(style.bold(), text)
                }
                Segment::Opinion(_, text) => self.paint(Style::new().underline(), text),
            };
            out.extend_from_slice(shown.as_bytes());
        }
        writeln!(out)?;
        if let Some(sentiment) = review.sentiment {
            let name = self.paint(style(sentiment.polarity), sentiment.polarity.name());
            let sure = (100.0 * sentiment.confidence).round();
            writeln!(out, "  {} {name} {sure} %", self.paint(dim, "whole text"))?;
        }
        let widths = review.aspects.iter().map(|aspect| aspect.term.width());
        let widest = widths.max().unwrap_or(0).min(40);
        for aspect in &review.aspects {
            let pad = widest.saturating_sub(aspect.term.width());
            let term = self.paint(Style::new().bold(), &aspect.term.replace(['\n', '\r'], " "));
            let name = format!("{:8}", aspect.sentiment.name());
            let name = self.paint(style(aspect.sentiment), &name);
            let opinions: Vec<String> = review
                .opinions_about(aspect)
                .map(|term| self.paint(Style::new(), &term.replace(['\n', '\r'], " ")))
                .collect();
            write!(out, "  {term}{:pad$}  {name} {:>3} %", "", percent(aspect))?;
            match opinions.as_slice() {
                [] => writeln!(out)?,
                opinions => {
                    writeln!(out, "  {} {}", self.paint(dim, "←"), opinions.join(", "))?;
                }
            }
        }
        if review.aspects.is_empty() {
            writeln!(out, "  {}", self.paint(dim, "no aspects"))?;
        }
        if let Some(explanation) = review.explanation_view() {
            let table = explanation_text(explanation);
            if self.context.settings.color {
                write!(out, "\n{table}")?;
            } else {
                write!(out, "\n{}", anstream::adapter::strip_str(&table))?;
            }
        }
        Ok(())
    }
}

fn style(sentiment: Sentiment) -> Style {
    let color = match sentiment {
        Sentiment::Positive => AnsiColor::Green,
        Sentiment::Negative => AnsiColor::Red,
        Sentiment::Neutral => AnsiColor::Blue,
    };
    color.on_default()
}

impl Encode for Pretty {
    fn head(&mut self, _: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }

    fn rows(&mut self, reviews: Vec<AnalyzedReview>, out: &mut Vec<u8>) -> io::Result<()> {
        reviews.iter().try_for_each(|review| self.show(review, out))
    }

    fn tail(&mut self, _: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }
}
