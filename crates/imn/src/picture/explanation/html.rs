//! The picture in a page of its own, with the text above it.

use super::super::escape;
use super::{cut, svg};
use crate::analyze::Explanation;

/// Letters of the text that the page shows.
const LETTERS: usize = 2000;

/// A page that needs nothing but a browser.
#[must_use]
pub fn html(explanation: &Explanation, text: &str) -> String {
    let picture = svg(explanation);
    let short = cut(text, 60);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{} – imn explain</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>How it was read, round by round</h1>\n<blockquote>{}</blockquote>\n\
         <div class=\"picture\">\n{picture}</div>\n\
         <p>Each column is a word. The height of a colour in a cell is how likely the tag is, the bar under it how likely each sentiment \
         is if the word is an aspect. Point at a cell for the number.</p>\n</body>\n</html>\n",
        escape(&short),
        escape(&cut(text, LETTERS)),
    )
}

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,sans-serif;max-width:1080px;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.3rem}\
blockquote{margin:1rem 0;padding:.5rem 1rem;border-left:4px solid #888;overflow-wrap:anywhere}\
.picture{overflow-x:auto}\
.picture svg{min-width:760px;width:100%;height:auto}";
