//! The files of the pages, part of the program: no network, no folder beside the binary.

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

/// Everything that pages load.
pub const ASSETS: &[Asset] = &[
    Asset {
        name: "app.css",
        content_type: "text/css; charset=utf-8",
        bytes: include_bytes!("../web/app.css"),
    },
    Asset {
        name: "app.js",
        content_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../web/app.js"),
    },
];

/// The file of this name.
#[must_use]
pub fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}
