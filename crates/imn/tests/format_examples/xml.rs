//! The XML of SemEval 2014 and 2015.

use imn::data::{Aspect, Polarity, Span, load};

use crate::read_str;

#[test]
fn xml_of_2014_with_entities() {
    let xml = concat!(
        "\u{FEFF}<?xml version=\"1.0\"?>\r\n<sentences>\r\n<sentence id=\"7\">",
        "<text>Fish &amp; chips &#38; caf\u{E9} &quot;tea&quot;</text>\r\n<aspectTerms>",
        "<aspectTerm term=\"Fish &amp; chips\" polarity=\"positive\" from=\"0\" to=\"12\"/>",
        "<aspectTerm term=\"caf\u{E9}\" polarity=\"neutral\" from=\"15\" to=\"19\"/></aspectTerms>",
        "<aspectCategories><aspectCategory category=\"food\" polarity=\"positive\"/>",
        "</aspectCategories></sentence></sentences>",
    );
    let sentences = read_str("a.xml", xml).unwrap();
    let sentence = &sentences[0];
    assert_eq!(sentence.text, "Fish & chips & caf\u{E9} \"tea\"");
    assert_eq!(
        sentence
            .aspects
            .iter()
            .map(|a| sentence.surface(a.span))
            .collect::<Vec<_>>(),
        ["Fish & chips", "caf\u{E9}"]
    );
    assert_eq!(sentence.opinions, None);
    assert_eq!(sentence.extra.categories[0].category, "food");
}

#[test]
fn xml_of_2015_with_null_targets_and_two_polarities() {
    let xml = r#"<Reviews><Review rid="r"><sentences><sentence id="r:0">
<text>Good wine, dear wine</text><Opinions>
<Opinion target="NULL" category="AMBIENCE#GENERAL" polarity="negative" from="0" to="0"/>
<Opinion target="wine" category="DRINKS#QUALITY" polarity="positive" from="5" to="9"/>
<Opinion target="wine" category="DRINKS#PRICES" polarity="negative" from="5" to="9"/>
</Opinions></sentence></sentences></Review></Reviews>"#;
    let sentences = read_str("a.xml", xml).unwrap();
    assert_eq!(
        sentences[0].aspects,
        [Aspect {
            span: Span::new(1, 2),
            polarity: Some(Polarity::Conflict)
        }]
    );
    let aspects: Vec<_> = sentences[0]
        .extra
        .categories
        .iter()
        .map(|c| c.aspect)
        .collect();
    assert_eq!(aspects, [None, Some(0), Some(0)]);
    assert_eq!(sentences[0].extra.review.as_deref(), Some("r"));
}

#[test]
fn xml_errors_have_lines() {
    let bad = concat!(
        "<sentences>\n<sentence id=\"1\">\n<text>Nice tea</text>\n<aspectTerms>\n",
        "<aspectTerm term=\"pie\" polarity=\"positive\" from=\"5\" to=\"8\"/>\n",
        "</aspectTerms>\n</sentence>\n</sentences>",
    );
    let error = read_str("a.xml", bad).unwrap_err();
    assert_eq!(
        error,
        "a.xml:5: offsets 5..8 select \"tea\", not \"pie\" \
         (the term is not in the text: correct it)"
    );
    let cut = "<sentences>\n<sentence id=\"1\">\n<text>Nice tea</text>\n";
    assert!(
        read_str("a.xml", cut)
            .unwrap_err()
            .starts_with("a.xml:4: the file ends inside an element")
    );
    let mood = bad.replace("positive", "glad");
    assert!(
        read_str("a.xml", &mood)
            .unwrap_err()
            .contains("a.xml:5: \"glad\" is not a polarity")
    );
}

#[test]
fn wrong_offsets_of_a_term_that_occurs_once_are_corrected_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(
        &path,
        r#"{"text": "Nice tea here", "aspects": [{"start": 4, "end": 7, "term": "tea"}]}"#,
    )
    .unwrap();
    let loaded = load(&path, None).unwrap();
    assert_eq!(loaded.sentences[0].aspects[0].span, Span::new(1, 2));
    assert!(
        loaded.problems[0]
            .message
            .contains("offsets 4..7 select \" te\", not \"tea\"")
    );
}

/// The XML of 2015 cannot represent an aspect whose polarity differs from that of its categories.
#[test]
fn a_polarity_that_categories_contradict_is_a_loss() {
    use imn::data::{
        AnnotatedSentence, Aspect, CategoryOpinion, DataFormat, Field, Polarity, Span, losses,
    };
    let sentence = |own: Option<Polarity>, category: Option<Polarity>| {
        let mut sentence = AnnotatedSentence::from_text("Crisp bread.");
        sentence.aspects.push(Aspect {
            span: Span::new(1, 2),
            polarity: own,
        });
        sentence.extra.categories.push(CategoryOpinion {
            category: "FOOD#QUALITY".to_owned(),
            polarity: category,
            aspect: Some(0),
        });
        losses(&[sentence], DataFormat::Semeval15).contains_key(&Field::Categories)
    };
    let (good, bad) = (Some(Polarity::Positive), Some(Polarity::Negative));
    assert!(!sentence(good, good));
    assert!(!sentence(None, None));
    assert!(sentence(good, None));
    assert!(sentence(good, bad));
}
