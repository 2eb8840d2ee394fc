//! An HTML page with the text and the image of its explanation.

use maud::{DOCTYPE, PreEscaped, html as markup};

use super::{cut, svg};
use crate::analyze::ExplanationView;
use crate::render::page_head;

/// Maximum length of the shown text, in characters.
const LETTERS: usize = 2000;

/// A self-contained HTML page with an explanation.
///
/// ```
/// let text = "Great ramen!";
/// let explanation = imn::analyze::Analyzer::built_in()?.explain(text);
/// let page = imn::render::explanation_html(&explanation, text);
/// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("ramen: positive"));
/// # Ok::<(), imn::bundle::ModelError>(())
/// ```
#[must_use]
pub fn html<'a>(explanation: impl Into<ExplanationView<'a>>, text: &str) -> String {
    let title = format!("{} – imn explain", cut(text, 60));
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            (page_head(&title, STYLE, None))
            body {
                h1 { "The network's predictions, round by round" }
                blockquote { (cut(text, LETTERS)) }
                div class="picture" { (PreEscaped(svg(explanation))) }
                p {
                    "Each column is a word. In each cell, the height of a color is the probability "
                    "of that tag. The bar below shows the probability of each sentiment if the "
                    "word is part of an aspect. Hover over a cell for exact values."
                }
            }
        }
        "\n"
    };
    page.into_string()
}

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,sans-serif;max-width:1080px;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.3rem}\
blockquote{margin:1rem 0;padding:.5rem 1rem;border-left:4px solid #888;overflow-wrap:anywhere}\
.picture{overflow-x:auto}\
.picture svg{min-width:760px;width:100%;height:auto}";
