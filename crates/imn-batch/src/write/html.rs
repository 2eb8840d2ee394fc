//! A page that needs nothing but itself: each text with its aspects in the colour of their sentiment and its opinions underlined. Aspects
//! are numbered, and an opinion carries the numbers of the aspects that it is about; pointing at either lights up both.

use std::io::{self, Write as _};

use imn::analyze::Analysis;
use imn::picture::{escape, explanation_svg};

use super::record::field;
use super::shown::{Part, opinions_of, parts, percent};
use super::{Analysed, Context, Encode};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub(super) struct Html {
    context: Context,
}

impl Html {
    pub(super) fn new(context: Context) -> Self {
        Self { context }
    }

    fn show(&self, analysed: &Analysed, out: &mut Vec<u8>) -> io::Result<()> {
        let Analysed {
            row,
            analysis,
            explanation,
        } = analysed;
        let mut label: Vec<String> = Vec::new();
        label.extend(self.context.file(row).map(str::to_owned));
        label.push(format!("row {}", row.place.row));
        label.extend(row.id.as_deref().map(|id| format!("id {}", field(id))));
        let columns = row.columns.iter();
        label.extend(columns.map(|(name, value)| format!("{name}: {}", shorten(&field(value)))));
        write!(
            out,
            "<article>\n<div class=\"label\">{}",
            escape(&label.join(" · "))
        )?;
        if let Some(sentiment) = analysis.sentiment {
            let name = sentiment.polarity.name();
            let sure = (100.0 * sentiment.confidence).round();
            write!(
                out,
                " · <span class=\"{name}\" style=\"color:var(--c)\">{name} as a whole, {sure} %</span>"
            )?;
        }
        write!(out, "</div>\n<p class=\"text\">")?;
        for part in parts(&row.text, analysis) {
            match part {
                Part::Plain(text) => write!(out, "{}", escape(text))?,
                Part::Aspect(i, text) => {
                    let name = analysis.aspects[i].sentiment.name();
                    let (sure, number) = (percent(&analysis.aspects[i]), i + 1);
                    write!(
                        out,
                        "<mark class=\"{name}\" data-link=\"{number}\" title=\"{name}, {sure} %\">{}<sup>{number}</sup></mark>",
                        escape(text)
                    )?;
                }
                Part::Opinion(i, text) => {
                    let about = about(analysis, i);
                    let numbers: Vec<String> = about.iter().map(ToString::to_string).collect();
                    write!(
                        out,
                        "<u data-link=\"{}\">{}",
                        numbers.join(" "),
                        escape(text)
                    )?;
                    if !numbers.is_empty() {
                        write!(out, "<sup>→{}</sup>", numbers.join(","))?;
                    }
                    write!(out, "</u>")?;
                }
            }
        }
        writeln!(out, "</p>")?;
        if !analysis.aspects.is_empty() {
            writeln!(out, "<table>")?;
        }
        for (i, aspect) in analysis.aspects.iter().enumerate() {
            let (name, number) = (aspect.sentiment.name(), i + 1);
            let opinions: Vec<&str> = opinions_of(analysis, aspect).collect();
            writeln!(
                out,
                "<tr class=\"{name}\" data-link=\"{number}\"><td>{number}</td><td>{}</td><td class=\"sentiment\">{name}</td><td class=\"sure\">{} %</td><td>{}</td></tr>",
                escape(&aspect.term),
                percent(aspect),
                escape(&opinions.join(", ")),
            )?;
        }
        if !analysis.aspects.is_empty() {
            writeln!(out, "</table>")?;
        }
        if let Some(explanation) = explanation {
            write!(
                out,
                "<details><summary>round by round</summary>\n{}\n</details>\n",
                explanation_svg(explanation)
            )?;
        }
        writeln!(out, "</article>")
    }
}

/// Numbers, from 1, of the aspects that an opinion is about.
fn about(analysis: &Analysis, opinion: usize) -> Vec<usize> {
    let aspects = analysis.aspects.iter().enumerate();
    let about = aspects.filter(|(_, aspect)| {
        let mut links = aspect.opinions.iter();
        links.any(|link| link.opinion == opinion)
    });
    about.map(|(i, _)| i + 1).collect()
}

/// The first characters of a long value: a label is no place for all of it.
fn shorten(value: &str) -> String {
    const LONGEST: usize = 60;
    match value.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &value[..at]),
        None => value.to_owned(),
    }
}

impl Encode for Html {
    fn head(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        writeln!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>Aspects and opinions</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>Aspects and opinions</h1>\n\
             <p class=\"key\">Aspects: <mark class=\"positive\">positive</mark> <mark class=\"negative\">negative</mark> \
             <mark class=\"neutral\">neutral</mark>. <u>Opinions</u> carry the numbers of the aspects that they are about. \
             Percentages: how likely both the words of an aspect and its sentiment are right.</p>"
        )
    }

    fn rows(&mut self, rows: Vec<Analysed>, out: &mut Vec<u8>) -> io::Result<()> {
        rows.iter()
            .try_for_each(|analysed| self.show(analysed, out))
    }

    fn tail(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        writeln!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>")
    }
}
