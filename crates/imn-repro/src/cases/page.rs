//! The case analysis as a self-contained HTML page.

use imn::render::{explanation_svg, page_head};
use maud::{DOCTYPE, PreEscaped, html as template};

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
                            div.scroll {
                                table {
                                    thead { tr { th { "" } th { "aspects" } th { "opinions" } } }
                                    tbody {
                                        @let (aspects, opinions) = case.gold.words();
                                        tr {
                                            th { "annotation" }
                                            td { (aspects) }
                                            td { (opinions) }
                                        }
                                        @for (said, (_, label)) in case.said.iter().zip(SYSTEMS) {
                                            @let (aspects, opinions) = said.words();
                                            tr { th { (label) } td { (aspects) } td { (opinions) } }
                                        }
                                    }
                                }
                            }
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
