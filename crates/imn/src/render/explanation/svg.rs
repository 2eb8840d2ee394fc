//! The image of an explanation: a legend, followed by each sentence.

use super::super::Svg;
use super::{aspects, bands, counted, cut, grid, summary, tag_name};
use crate::analyze::ExplanationView;
use crate::data::{AeTag, Sentiment};

/// Width of the image.
pub(super) const WIDTH: f64 = 1040.0;
/// Left edge of the columns, after the labels.
pub(super) const LEFT: f64 = 104.0;
/// Maximum number of sentences that are drawn.
const SENTENCES: usize = 12;
/// Maximum number of aspects of a sentence that are listed.
pub(super) const ASPECTS: usize = 8;

const STYLE: &str = "<style>\
.paper{fill:#fff}.ink{fill:#1c1c1c}.soft{fill:#666}.rule{stroke:#ccc}\
.ring{fill:none;stroke:#1c1c1c;stroke-width:2}\
.BA{fill:#3868a6}.IA{fill:#86aee0}.BP{fill:#c46a00}.IP{fill:#f0b25e}.O{fill:#e4e4e4}\
.positive{fill:#00877c}.negative{fill:#cc3311}.neutral{fill:#9a9a9a}\
.look{fill:#6a3d9a}.about{fill:#8c5a2b}\
@media (prefers-color-scheme:dark){\
.paper{fill:#16181c}.ink{fill:#eee}.soft{fill:#aaa}.ring{stroke:#eee}.rule{stroke:#444}\
.BA{fill:#5c92d6}.IA{fill:#33567f}.BP{fill:#e08a1e}.IP{fill:#7d531b}.O{fill:#33363c}\
.positive{fill:#1fb5a6}.negative{fill:#ee5a3a}.neutral{fill:#777}\
.look{fill:#b08ae0}.about{fill:#c89058}}\
</style>\n";

/// An explanation as SVG. Each column is a token and each row of cells a round. A cell shows the
/// probability of each tag, and below it the probability of each sentiment.
///
/// ```
/// let explanation = imn::analyze::Analyzer::built_in()?.explain("Great ramen!");
/// let svg = imn::render::explanation_svg(&explanation);
/// assert!(svg.starts_with("<svg") && svg.contains("round 2"));
/// # Ok::<(), imn::bundle::ModelError>(())
/// ```
#[must_use]
pub fn svg<'a>(explanation: impl Into<ExplanationView<'a>>) -> String {
    let explanation = &explanation.into();
    let mut svg = Svg::new();
    svg.raw(STYLE);
    svg.raw("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
    let mut y = legend(&mut svg, explanation);
    if explanation.sentences.is_empty() {
        svg.text(16.0, y + 20.0, "class=\"ink\"", "The text has no words.");
        y += 32.0;
    }
    for (number, sentence) in explanation.sentences.iter().take(SENTENCES).enumerate() {
        y += 14.0;
        svg.line((16.0, y), (WIDTH - 16.0, y), "class=\"rule\"");
        y += 20.0;
        let title = format!("sentence {}", number + 1);
        svg.text(16.0, y, "class=\"soft\" font-weight=\"bold\"", &title);
        y = bands::draw(&mut svg, explanation, sentence, y + 8.0);
        let found = aspects(explanation, sentence);
        for aspect in found.iter().take(ASPECTS) {
            y += 18.0;
            let line = cut(&summary(explanation, aspect), 130);
            svg.text(LEFT, y, "class=\"ink\"", &line);
        }
        if found.len() > ASPECTS {
            y += 18.0;
            let more = format!("… and {} more", counted(found.len() - ASPECTS, "aspect"));
            svg.text(LEFT, y, "class=\"soft\"", &more);
        }
        y = grid::draw(&mut svg, sentence, y + 10.0);
    }
    let drawn = explanation.sentences.len().min(SENTENCES);
    let left_out = explanation.sentences.len() - drawn + explanation.sentences_left_out;
    if left_out > 0 {
        y += 28.0;
        let note = format!("… and {} more, not shown", counted(left_out, "sentence"));
        svg.text(16.0, y, "class=\"ink\" font-style=\"italic\"", &note);
    }
    svg.finish(
        WIDTH,
        (y + 20.0).ceil(),
        "role=\"img\" aria-label=\"The network's predictions for each word, round by round\"",
    )
}

fn legend(svg: &mut Svg, explanation: &ExplanationView<'_>) -> f64 {
    let mut key = |x: &mut f64, y: f64, class: &str, name: &str| {
        svg.rect((*x, y - 10.0), (12.0, 12.0), &format!("class=\"{class}\""));
        svg.text(*x + 17.0, y, "class=\"ink\"", name);
        *x += 34.0 + 6.6 * name.chars().count() as f64;
    };
    let mut x = LEFT;
    for &tag in explanation.tags {
        let name = match tag {
            AeTag::O => tag_name(tag).to_owned(),
            tag => format!("{tag:?} {}", tag_name(tag)),
        };
        key(&mut x, 26.0, &format!("{tag:?}"), &name);
    }
    x = LEFT;
    for polarity in Sentiment::CLASSES {
        key(&mut x, 46.0, polarity.name(), polarity.name());
    }
    key(&mut x, 46.0, "look", "attention of an aspect");
    svg.text(16.0, 26.0, "class=\"soft\"", "tags");
    svg.text(16.0, 46.0, "class=\"soft\"", "sentiments");
    svg.rect((x, 36.0), (12.0, 12.0), "class=\"ring\"");
    svg.text(
        x + 19.0,
        46.0,
        "class=\"ink\"",
        "the most probable tag changed in this round",
    );
    58.0
}
