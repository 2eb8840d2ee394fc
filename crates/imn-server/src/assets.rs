//! The files of the pages. They are compiled into the program, so that it needs no other files.

/// A file that browsers load.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// Its name below `/assets/`.
    pub name: &'static str,
    /// Its content type.
    pub content_type: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

/// The start page.
pub const INDEX: &[u8] = include_bytes!("../web/index.html");

/// The files of `web` with these names.
macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        &[$(Asset {
            name: $name,
            content_type: content_type($name),
            bytes: include_bytes!(concat!("../web/", $name)),
        }),*]
    };
}

/// The page that shows the OpenAPI document.
pub const DOCS: &[u8] = include_bytes!("../web/docs.html");

/// All files that pages load.
pub const ASSETS: &[Asset] = assets![
    "analysis.js",
    "api.js",
    "arcs.js",
    "columns.js",
    "docs.css",
    "docs.js",
    "dom.js",
    "events.js",
    "examples.js",
    "format.js",
    "icon.svg",
    "job-row.js",
    "jobs.js",
    "main.js",
    "models.js",
    "problems.js",
    "readings.js",
    "review.js",
    "rounds.js",
    "share.js",
    "style.css",
    "tabs.js",
    "tooltip.js",
    "upload.js",
    "words.js",
];

/// The content type of a file, from its extension.
const fn content_type(name: &str) -> &'static str {
    match name.as_bytes() {
        [.., b'.', b'c', b's', b's'] => "text/css; charset=utf-8",
        [.., b'.', b's', b'v', b'g'] => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    }
}

/// The file of this name.
#[must_use]
pub fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}
