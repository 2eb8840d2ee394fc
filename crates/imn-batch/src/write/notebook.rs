//! A review as a fragment of HTML for a notebook. Notebooks may strip style sheets, so every style
//! is an attribute, in colours that are legible on light and dark backgrounds.

use imn::analyze::AnalyzedReview;
use imn::data::Sentiment;
use imn::text::OffsetUnit;
use maud::{Markup, html};

use super::segments::{Segment, percent, segments};

/// The review as HTML: aspects in the colour of their sentiment, opinions underlined. The text is
/// escaped.
///
/// ```
/// use imn::analyze::{AnalyzedReview, Analyzer};
/// use imn_batch::write::notebook_html;
///
/// let text = "Great <b>ramen</b>!";
/// let review = AnalyzedReview::new(text, Analyzer::built_in()?.analyze(text));
/// let html = notebook_html(&review);
/// assert!(html.contains("&lt;b&gt;") && !html.contains("<b>"));
/// # Ok::<(), imn::bundle::ModelError>(())
/// ```
#[must_use]
pub fn notebook_html(review: &AnalyzedReview) -> String {
    let bytes = review.clone().in_unit(OffsetUnit::Bytes);
    let fragment = html! {
        div style="max-width:50em;line-height:1.6" {
            p style="margin:0;white-space:pre-wrap;overflow-wrap:anywhere" {
                @for segment in segments(&bytes) { (marked(&bytes, segment)) }
            }
            @if let Some(sentiment) = bytes.sentiment {
                p style="margin:0;font-size:.85em;opacity:.75" {
                    "whole text: " (sentiment.polarity.name()) ", "
                    ((100.0 * sentiment.confidence).round()) " %"
                }
            }
        }
    };
    fragment.into_string()
}

fn marked(review: &AnalyzedReview, segment: Segment<'_>) -> Markup {
    match segment {
        Segment::Plain(text) => html! { (text) },
        Segment::Opinion(_, text) => {
            html! { u style="text-decoration-style:dotted" { (text) } }
        }
        Segment::Aspect(i, text) => {
            let aspect = &review.aspects[i];
            let color = color(aspect.sentiment);
            let about = review.opinions_about(aspect).collect::<Vec<_>>().join(", ");
            let mut title = format!("{}, {} %", aspect.sentiment.name(), percent(aspect));
            if !about.is_empty() {
                title += &format!(" ← {about}");
            }
            html! {
                mark title=(title)
                    style={ "color:" (color) ";background:" (color) "22;font-weight:600" }
                { (text) }
            }
        }
    }
}

fn color(sentiment: Sentiment) -> &'static str {
    match sentiment {
        Sentiment::Positive => "#238636",
        Sentiment::Negative => "#d1353d",
        Sentiment::Neutral => "#3b73d9",
    }
}
