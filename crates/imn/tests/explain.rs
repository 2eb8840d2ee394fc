//! Explanations of a small trained network, and their rendering.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use imn::analyze::{Analyzer, Explanation, MAX_WORDS, SCHEMA};
use imn::data::{AeTag, decode_tags};
use imn::render::{explanation_html, explanation_svg, explanation_text};
use imn::text::OffsetUnit;
use imn_testkit::toy;

fn analyzer() -> Analyzer {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    let config = toy::config(&["train.epochs=12"]);
    Analyzer::new(toy::train(&config, folder.path()).model).unwrap()
}

fn sums_to_one(row: &[f32]) {
    let sum: f32 = row.iter().sum();
    assert!((sum - 1.0).abs() < 1e-4, "{row:?}");
}

/// Explains a text, and checks that rows of probabilities sum to 1 and that the last round agrees
/// with the analysis.
fn checked_explanation(analyzer: &Analyzer, text: &str) -> Explanation {
    let explanation = analyzer.explain(text);
    assert_eq!(explanation.analysis, analyzer.analyze(text));
    assert_eq!(explanation.schema, SCHEMA);
    let mut found = Vec::new();
    let mut words = 0;
    for sentence in &explanation.words.sentences {
        let n = sentence.tokens.len();
        words += n;
        assert_eq!(sentence.rounds.len(), 3, "rounds 0, 1 and 2");
        for round in &sentence.rounds {
            assert_eq!((round.tags.len(), round.sentiments.len()), (n, n));
            round
                .tags
                .iter()
                .chain(&round.sentiments)
                .for_each(|row| sums_to_one(row));
            assert_eq!(round.attention.len(), n);
            let attention = round.attention.iter();
            // A single word attends to nothing.
            attention.filter(|_| n > 1).for_each(|row| {
                assert_eq!(row.len(), n);
                sums_to_one(row);
            });
            let document = round.document.as_ref().expect("document-level messages");
            sums_to_one(&document.sentiment);
            assert_eq!(
                (
                    document.sentiment_attention.len(),
                    document.domain_attention.len()
                ),
                (n, n)
            );
        }
        for token in &sentence.tokens {
            assert_eq!(&text[token.start..token.end], token.text);
        }
        let last = sentence.rounds.last().unwrap();
        let tags: Vec<AeTag> = last
            .tags
            .iter()
            .map(|row| explanation.best_tag(row).0)
            .collect();
        for span in decode_tags(&tags).aspects {
            let (start, end) = (
                sentence.tokens[span.start].start,
                sentence.tokens[span.end - 1].end,
            );
            found.push((
                start,
                end,
                explanation.best_sentiment(&last.sentiments[span.start]).0,
            ));
        }
    }
    assert!(words <= MAX_WORDS);
    if explanation.words.sentences_left_out == 0 {
        let expected: Vec<_> = explanation
            .analysis
            .aspects
            .iter()
            .map(|aspect| (aspect.start, aspect.end, aspect.sentiment))
            .collect();
        assert_eq!(found, expected);
    }
    explanation
}

/// Checks that XML is well-formed, and counts its elements.
fn well_formed(xml: &str) -> usize {
    let mut reader = quick_xml::Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let mut elements = 0;
    loop {
        match reader.read_event() {
            Ok(quick_xml::events::Event::Eof) => return elements,
            Ok(
                quick_xml::events::Event::Start(element) | quick_xml::events::Event::Empty(element),
            ) => {
                elements += 1;
                element.attributes().for_each(|attribute| {
                    attribute
                        .unwrap()
                        .normalized_value(quick_xml::XmlVersion::Implicit1_0)
                        .unwrap();
                });
            }
            Ok(quick_xml::events::Event::Text(text)) => {
                let text = text.xml10_content();
                assert!(
                    !text.contains(|c: char| c.is_control() && c != '\n'),
                    "{text:?}"
                );
            }
            Ok(_) => {}
            Err(error) => panic!("{error}: {xml:.2000}"),
        }
    }
}

#[test]
fn explanations_are_consistent_and_rendered() {
    let analyzer = analyzer();
    let text = "the soup was great but the corner table looked awful. The bread was lovely 👍!";
    let explanation = checked_explanation(&analyzer, text);
    assert!(
        explanation.analysis.aspects.len() >= 2,
        "{:?}",
        explanation.analysis
    );
    let svg = explanation_svg(&explanation);
    assert!(well_formed(&svg) > 100);
    assert!(svg.contains(">soup<") && svg.contains("round 2") && svg.contains("DD attention"));
    let table = explanation_text(&explanation);
    assert!(
        table.contains("soup") && table.contains("round 1") && table.contains('←'),
        "{table}"
    );

    // Offsets in another unit cover the same words, and the image does not change.
    let units = explanation.clone().in_unit(text, OffsetUnit::Utf16);
    let wide: Vec<u16> = text.encode_utf16().collect();
    for token in units
        .words
        .sentences
        .iter()
        .flat_map(|sentence| &sentence.tokens)
    {
        assert_eq!(
            String::from_utf16(&wide[token.start..token.end]).unwrap(),
            token.text
        );
    }
    assert_eq!(explanation_svg(&units), svg);
    let json = serde_json::to_string(&explanation).unwrap();
    assert_eq!(
        serde_json::from_str::<Explanation>(&json)
            .unwrap()
            .words
            .sentences
            .len(),
        explanation.words.sentences.len()
    );

    // Both renderings mark a changed tag.
    let mut changed = explanation;
    let row = &mut changed.words.sentences[0].rounds[2].tags[0];
    row.fill(0.0);
    row[AeTag::BP.index()] = 1.0;
    assert!(explanation_svg(&changed).contains("→BP 100</text>"));
    assert!(explanation_text(&changed).contains('>'));

    check_unusual_texts(&analyzer);
}

/// Empty, huge and hostile texts are explained within bounds and escaped.
fn check_unusual_texts(analyzer: &Analyzer) {
    let word = "soup ".repeat(5000);
    let sentences = "The soup was great. ".repeat(2000);
    for text in [
        "",
        " \n\t ",
        "x",
        "👍",
        "👩‍👩‍👧‍👦 soup 🍜 z̸̢͔͒a̷l̶g̴o̵",
        "<b>soup</b> & \"bread\" <!-- ]]> </svg><script>alert(1)</script> &amp; 'x'",
        "bell \u{7} nul \u{0} escape \u{1b}[31m red \u{9b}0m",
        &"a\u{301}".repeat(4000),
        &"W".repeat(20_000),
        &word,
        &sentences,
    ] {
        let start: String = text.chars().take(30).collect();
        let explanation = checked_explanation(analyzer, text);
        let svg = explanation_svg(&explanation);
        well_formed(&svg);
        assert!(!svg.contains("<script"), "{start}");
        let table = explanation_text(&explanation);
        assert!(
            !table.contains("\u{1b}[31m red")
                && !table.contains('\u{9b}')
                && !table.contains('\u{7}'),
            "{start}"
        );
        let page = explanation_html(&explanation, text);
        assert!(!page.contains("<script"), "{start}");
        assert!(
            svg.len() < 2_500_000 && page.len() < 2_510_000 && table.len() < 1_000_000,
            "{start}: {}",
            svg.len()
        );
    }
    let long = explanation_svg(&analyzer.explain(&word));
    assert!(
        long.contains("drawn for sentences of up to 40 words"),
        "a note says what is not drawn"
    );
    let many = analyzer.explain(&sentences);
    assert!(many.words.sentences_left_out > 0);
    assert!(explanation_svg(&many).contains("more, not shown"));
    assert!(explanation_svg(&analyzer.explain("")).contains("The text has no words."));
}
