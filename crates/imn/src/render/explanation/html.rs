//! The picture in a page of its own, with the text above it.

use maud::{DOCTYPE, PreEscaped, html as markup};

use super::{cut, svg};
use crate::analyze::ExplanationView;
use crate::render::page_head;

/// Letters of the text that the page shows.
const LETTERS: usize = 2000;

/// A page that needs nothing but a browser.
#[must_use]
pub fn html<'a>(explanation: impl Into<ExplanationView<'a>>, text: &str) -> String {
    let title = format!("{} – imn explain", cut(text, 60));
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            (page_head(&title, STYLE, None))
            body {
                h1 { "How it was read, round by round" }
                blockquote { (cut(text, LETTERS)) }
                div class="picture" { (PreEscaped(svg(explanation))) }
                p {
                    "Each column is a word. The height of a colour in a cell is how likely the tag is, "
                    "the bar under it how likely each sentiment is if the word is an aspect. Point at a "
                    "cell for the number."
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
