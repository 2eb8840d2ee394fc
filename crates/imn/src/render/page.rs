//! The `head` element that all HTML pages share.

use maud::{Markup, PreEscaped, html};

/// The Content-Security-Policy of a page: it loads nothing, and runs only the script with this
/// hash. The page states it; a server that sends the page can send the same.
#[must_use]
pub fn page_policy(script: Option<&str>) -> String {
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    match script {
        None => policy.to_owned(),
        Some(hash) => format!("{policy}; script-src '{hash}'"),
    }
}

/// The `head` element of a self-contained page.
///
/// Its content security policy forbids the page to load anything. Scripts are forbidden too, except
/// the one with the hash `script` (`sha256-…`). `style` is inserted without escaping.
///
/// ```
/// let head = imn::render::page_head("Tea & bread", "p{color:red}", None).into_string();
/// assert!(head.contains("<title>Tea &amp; bread</title><style>p{color:red}</style>"));
/// ```
#[must_use]
pub fn page_head(title: &str, style: &str, script: Option<&str>) -> Markup {
    let policy = page_policy(script);
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta http-equiv="Content-Security-Policy" content=(policy);
            title { (title) }
            style { (PreEscaped(style)) }
        }
    }
}
