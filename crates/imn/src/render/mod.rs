//! Rendering: runs and explanations as SVG, HTML and text for a terminal.
//!
//! Everything drawn is self-contained (no script, nothing fetched), and every text that goes into a picture is escaped.

mod explanation;
mod learning_curves;
mod page;
mod svg;

pub use explanation::{
    html as explanation_html, svg as explanation_svg, terminal as explanation_text,
};
pub use learning_curves::learning_curves;
pub use page::page_head;
pub use svg::{Svg, escape};
