//! A view for a terminal: the text with its aspects in the colour of their sentiment and its opinions underlined, then a line an aspect.

use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};
use imn::data::Polarity;
use imn::picture::explanation_text;
use unicode_width::UnicodeWidthStr as _;

use super::record::field;
use super::shown::{Part, opinions_of, parts, percent};
use super::{Analysed, Context, Encode};

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

    /// Text in a style, where there are colours. Control characters would do things to the terminal; they are shown as a sign.
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

    fn show(&mut self, analysed: &Analysed, out: &mut Vec<u8>) -> io::Result<()> {
        let Analysed {
            row,
            analysis,
            explanation,
        } = analysed;
        let dim = Style::new().dimmed();
        if self.any {
            writeln!(out)?;
        }
        self.any = true;
        let file = self.context.file(row).map(str::to_owned);
        let id = row.id.as_deref().map(field);
        let label: Vec<String> = file.into_iter().chain(id).collect();
        if !label.is_empty() {
            writeln!(out, "{}", self.paint(dim, &label.join(" ")))?;
        }
        for part in parts(&row.text, analysis) {
            let shown = match part {
                Part::Plain(text) => self.paint(Style::new(), text),
                Part::Aspect(i, text) => {
                    let style = style(analysis.aspects[i].sentiment);
                    self.paint(style.bold(), text)
                }
                Part::Opinion(_, text) => self.paint(Style::new().underline(), text),
            };
            out.extend_from_slice(shown.as_bytes());
        }
        writeln!(out)?;
        if let Some(sentiment) = analysis.sentiment {
            let name = self.paint(style(sentiment.polarity), sentiment.polarity.name());
            let sure = (100.0 * sentiment.confidence).round();
            writeln!(out, "  {} {name} {sure} %", self.paint(dim, "as a whole"))?;
        }
        let widest = analysis.aspects.iter().map(|aspect| aspect.term.width());
        let widest = widest.max().unwrap_or(0).min(40);
        for aspect in &analysis.aspects {
            let pad = widest.saturating_sub(aspect.term.width());
            let term = self.paint(Style::new().bold(), &aspect.term.replace(['\n', '\r'], " "));
            let name = format!("{:8}", aspect.sentiment.name());
            let name = self.paint(style(aspect.sentiment), &name);
            let opinions: Vec<String> = opinions_of(analysis, aspect)
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
        if analysis.aspects.is_empty() {
            writeln!(out, "  {}", self.paint(dim, "no aspects"))?;
        }
        if let Some(explanation) = explanation {
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

fn style(polarity: Polarity) -> Style {
    let color = match polarity {
        Polarity::Positive => AnsiColor::Green,
        Polarity::Negative => AnsiColor::Red,
        Polarity::Neutral => AnsiColor::Blue,
        Polarity::Conflict => AnsiColor::Yellow,
    };
    color.on_default()
}

impl Encode for Pretty {
    fn head(&mut self, _: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }

    fn rows(&mut self, rows: Vec<Analysed>, out: &mut Vec<u8>) -> io::Result<()> {
        rows.iter()
            .try_for_each(|analysed| self.show(analysed, out))
    }

    fn tail(&mut self, _: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }
}
