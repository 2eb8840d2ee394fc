//! A minimal SVG writer.

use std::borrow::Cow;
use std::fmt::Write as _;

/// An SVG image, written shape by shape. Texts and titles are escaped; attributes are not, and must
/// not contain user input.
///
/// ```
/// let mut svg = imn::render::Svg::new();
/// svg.text(4.0, 16.0, "fill=\"black\"", "fish & chips");
/// let picture = svg.finish(100.0, 20.0, "");
/// assert!(picture.contains("fish &amp; chips") && picture.ends_with("</svg>\n"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Svg {
    body: String,
}

impl Svg {
    /// An empty image.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text whose baseline starts at `x`, `y`.
    pub fn text(&mut self, x: f64, y: f64, attributes: &str, text: &str) {
        let text = escape(text);
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{text}</text>"
        );
    }

    /// Adds a rectangle.
    pub fn rect(&mut self, at: (f64, f64), size: (f64, f64), attributes: &str) {
        self.open_rect(at, size, attributes);
        self.body.push_str("/>\n");
    }

    /// Adds a rectangle with a tooltip.
    pub fn titled_rect(&mut self, at: (f64, f64), size: (f64, f64), attributes: &str, title: &str) {
        self.open_rect(at, size, attributes);
        let _ = writeln!(self.body, "><title>{}</title></rect>", escape(title));
    }

    fn open_rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), attributes: &str) {
        let _ = write!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             {attributes}"
        );
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), attributes: &str) {
        let _ = writeln!(
            self.body,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" {attributes}/>",
            from.0, from.1, to.0, to.1
        );
    }

    /// Adds an open line through points.
    pub fn polyline(&mut self, points: &[(f64, f64)], attributes: &str) {
        self.add_points("polyline", points, attributes);
    }

    /// Adds a closed polygon.
    pub fn polygon(&mut self, points: &[(f64, f64)], attributes: &str) {
        self.add_points("polygon", points, attributes);
    }

    fn add_points(&mut self, shape: &str, points: &[(f64, f64)], attributes: &str) {
        let coordinates: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let list = coordinates.join(" ");
        let _ = writeln!(self.body, "<{shape} points=\"{list}\" {attributes}/>");
    }

    /// Adds SVG elements without escaping.
    pub fn raw(&mut self, elements: &str) {
        self.body.push_str(elements);
    }

    /// The SVG file; `attributes` are added to its root element.
    #[must_use]
    pub fn finish(self, width: f64, height: f64, attributes: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\" {attributes}>\n{}</svg>\n",
            self.body
        )
    }
}

/// Escapes a text for XML and HTML, for content and attributes. Characters that XML does not allow
/// become U+FFFD.
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    let invalid = |c: char| {
        matches!(
            c,
            '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
                | '\u{fffe}' | '\u{ffff}'
        )
    };
    if text.contains(invalid) {
        let valid = text.replace(invalid, "\u{fffd}");
        return Cow::Owned(quick_xml::escape::escape(valid).into_owned());
    }
    quick_xml::escape::escape(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_invalid_characters_replaced() {
        assert_eq!(escape("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&apos;c");
        assert_eq!(
            escape("bell\u{7} \u{0}\u{ffff} ok 👍"),
            "bell\u{fffd} \u{fffd}\u{fffd} ok 👍"
        );
    }
}
