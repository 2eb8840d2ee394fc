//! A self-contained HTML page: each text with its aspects in the colour of their sentiment and its
//! opinions underlined. Aspects are numbered, and an opinion shows the numbers of the aspects that
//! it is about. Hovering over one highlights the others.

use std::io::{self, Write as _};

use imn::analyze::{AnalyzedReview, FoundAspect};
use imn::render::{explanation_svg, page_head};
use imn::text::shorten;
use maud::{Markup, PreEscaped, html};

use super::segments::{Segment, percent, segments};
use super::{Context, Encode};

const TITLE: &str = "Aspects and opinions";
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The content security policy allows only this script.
const SCRIPT_HASH: &str = "sha256-evOP7jfv82i8xkeZvtM4IZ4rpFl+uo61AN0fflubu8I=";
/// Most characters of an input column in the label of a text.
const MAX_VALUE: usize = 60;

pub(super) struct Html;

impl Html {
    pub(super) fn new(_: Context) -> Self {
        Self
    }
}

fn article(review: &AnalyzedReview) -> Markup {
    html! {
        article {
            div class="label" {
                (label(review))
                @if let Some(sentiment) = review.sentiment {
                    @let name = sentiment.polarity.name();
                    " · "
                    span class=(name) style="color:var(--c)" {
                        "whole text: " (name) ", " ((100.0 * sentiment.confidence).round()) " %"
                    }
                }
            }
            p class="text" {
                @for segment in segments(review) { (marked(review, segment)) }
            }
            @if !review.aspects.is_empty() { (table(review)) }
            @if let Some(explanation) = review.explanation_view() {
                details {
                    summary { "Predictions round by round" }
                    (PreEscaped(explanation_svg(explanation)))
                }
            }
        }
        "\n"
    }
}

fn label(review: &AnalyzedReview) -> String {
    let mut label: Vec<String> = Vec::new();
    label.extend(review.file.clone());
    label.extend(review.row.map(|row| format!("row {row}")));
    label.extend(review.id.as_ref().map(|id| format!("id {}", id.cell())));
    let columns = review.columns.iter();
    label.extend(
        columns.map(|(name, value)| format!("{name}: {}", shorten(value.cell(), MAX_VALUE))),
    );
    label.join(" · ")
}

fn marked(review: &AnalyzedReview, segment: Segment<'_>) -> Markup {
    match segment {
        Segment::Plain(text) => html! { (text) },
        Segment::Aspect(i, text) => {
            let aspect = &review.aspects[i];
            let (name, number) = (aspect.sentiment.name(), i + 1);
            html! {
                mark class=(name) data-link=(number) title={ (name) ", " (percent(aspect)) " %" } {
                    (text) sup { (number) }
                }
            }
        }
        Segment::Opinion(i, text) => {
            let about = about(review, i);
            html! {
                u data-link=(about.join(" ")) {
                    (text)
                    @if !about.is_empty() { sup { "→" (about.join(",")) } }
                }
            }
        }
    }
}

fn table(review: &AnalyzedReview) -> Markup {
    html! {
        table {
            @for (i, aspect) in review.aspects.iter().enumerate() {
                @let (name, number) = (aspect.sentiment.name(), i + 1);
                @let opinions = review.opinions_about(aspect).collect::<Vec<_>>().join(", ");
                tr class=(name) data-link=(number) {
                    td { (number) }
                    td { (aspect.term) }
                    td class="sentiment" { (name) }
                    td class="sure" { (percent(aspect)) " %" }
                    td { (opinions) }
                }
            }
        }
    }
}

/// The numbers, from 1, of the aspects that an opinion is about.
fn about(review: &AnalyzedReview, opinion: usize) -> Vec<String> {
    let is_about =
        |aspect: &FoundAspect| aspect.opinions.iter().any(|link| link.opinion == opinion);
    let aspects = review.aspects.iter().enumerate();
    aspects
        .filter(|(_, aspect)| is_about(aspect))
        .map(|(i, _)| (i + 1).to_string())
        .collect()
}

/// The start of the page. Its elements stay open for the records, which are streamed.
fn head() -> Markup {
    html! {
        (maud::DOCTYPE)
        (PreEscaped("\n<html lang=\"en\">\n"))
        (page_head(TITLE, STYLE, Some(SCRIPT_HASH)))
        (PreEscaped("\n<body>\n"))
        h1 { (TITLE) }
        p class="key" {
            "Aspects: " mark class="positive" { "positive" }
            " " mark class="negative" { "negative" }
            " " mark class="neutral" { "neutral" } ". "
            u { "Opinions" } " show the numbers of the aspects that they are about. "
            "Percentages: the probability that both the words of an aspect and its sentiment are "
            "correct."
        }
        "\n"
    }
}

impl Encode for Html {
    fn head(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        out.write_all(head().into_string().as_bytes())
    }

    fn rows(&mut self, reviews: Vec<AnalyzedReview>, out: &mut Vec<u8>) -> io::Result<()> {
        for review in &reviews {
            out.write_all(article(review).into_string().as_bytes())?;
        }
        Ok(())
    }

    fn tail(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let script = html! { script { (PreEscaped(SCRIPT)) } };
        writeln!(out, "{}\n</body>\n</html>", script.into_string())
    }
}

#[cfg(test)]
mod tests {
    use imn_testkit::script_hash;

    use super::*;

    #[test]
    fn the_page_allows_its_own_script() {
        let message = "update the hash of the changed script";
        assert_eq!(SCRIPT_HASH, script_hash(SCRIPT), "{message}");
        // Neither may contain the end tag of its element.
        assert!(!SCRIPT.contains("</") && !STYLE.contains("</"));
    }
}
