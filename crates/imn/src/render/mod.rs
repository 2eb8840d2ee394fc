//! Rendering of learning curves and explanations as SVG, HTML and terminal text.
//!
//! All output is self-contained: it has no scripts and loads nothing. All text in it is escaped.

mod explanation;
mod learning_curves;
mod page;
mod svg;

pub use explanation::{
    html as explanation_html, svg as explanation_svg, terminal as explanation_text,
};
pub use learning_curves::learning_curves;
pub use page::{page_head, page_policy};
pub use svg::{Svg, escape};
