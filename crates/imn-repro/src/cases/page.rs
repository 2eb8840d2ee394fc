//! The case analysis as a self-contained HTML page.

use imn::render::{explanation_svg, page_head};
use maud::{DOCTYPE, Markup, PreEscaped, html as template};

use super::{Case, SYSTEMS, summary};

/// The case analysis as a self-contained HTML page, with pictures of IMN's rounds.
#[must_use]
pub fn html(cases: &[Case]) -> String {
    const STYLE: &str = include_str!("../../assets/tables.css");
    const TITLE: &str = "The paper's case analysis from our runs";
    let page = template! {
        (DOCTYPE)
        html lang="en" {
            (page_head(TITLE, STYLE, None))
            body {
                header {
                    h1 { (TITLE) }
                    p { (summary(cases)) }
                }
                main {
                    @for (i, case) in cases.iter().enumerate() {
                        section {
                            h2 { (i + 1) ". " (case.text) }
                            div.scroll { (table(case)) }
                            p.hint { "IMN, round by round (models of " (case.set.name()) ")" }
                            div.scroll { (PreEscaped(explanation_svg(&case.explanation))) }
                        }
                    }
                }
            }
        }
    };
    page.into_string()
}

/// The annotation of a sentence, and the predictions of each system.
fn table(case: &Case) -> Markup {
    let predicted = SYSTEMS
        .iter()
        .zip(&case.predicted)
        .map(|((_, label), terms)| (*label, terms));
    let rows = std::iter::once(("annotation", &case.gold)).chain(predicted);
    template! {
        table {
            thead { tr { th { "" } th { "aspects" } th { "opinions" } } }
            tbody {
                @for (label, terms) in rows {
                    @let (aspects, opinions) = terms.words();
                    tr { th { (label) } td { (aspects) } td { (opinions) } }
                }
            }
        }
    }
}
