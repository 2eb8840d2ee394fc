//! The case analysis as one HTML page: no script, nothing fetched.

use imn::render::explanation_svg;
use maud::{DOCTYPE, PreEscaped, html as template};

use super::{Case, SYSTEMS, summary};

/// The case analysis as a self-contained HTML page, with IMN's rounds as pictures.
#[must_use]
pub fn html(cases: &[Case]) -> String {
    const STYLE: &str = include_str!("../../assets/tables.css");
    const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
    let page = template! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "The paper's case analysis from our runs" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { "The paper's case analysis from our runs" }
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
                                        tr { th { "annotation" } td { (aspects) } td { (opinions) } }
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
