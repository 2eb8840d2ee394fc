//! Properties of every format: written sentences are read back, and no bytes make a reader panic.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may fail the test")]

use imn::data::{
    AnnotatedSentence, Aspect, CategoryOpinion, DataFormat, Link, Polarity, Span, drop_fields,
    load, losses, read, read_as, read_documents, write,
};
use proptest::prelude::*;

fn polarity() -> impl Strategy<Value = Option<Polarity>> {
    prop_oneof![
        Just(None),
        Just(Some(Polarity::Positive)),
        Just(Some(Polarity::Negative)),
        Just(Some(Polarity::Neutral)),
        Just(Some(Polarity::Conflict)),
    ]
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z]{1,6}",
        1 => "[a-z]{1,3}'[a-z]{1,2}|#|<&>|####|\"q\"|é[a-z]|\u{1F44D}|[0-9]{1,3}|B|O|_|\\[",
    ]
}

fn spans(words: usize) -> impl Strategy<Value = Vec<Span>> {
    let span = (0..words, 1..4_usize).prop_map(move |(s, l)| Span::new(s, (s + l).min(words)));
    prop::collection::vec(span, 0..4).prop_map(|mut all| {
        all.sort();
        all.dedup();
        all
    })
}

/// Sentences of words joined with one space, or of raw text with the tokens of the tokenizer.
fn sentence() -> impl Strategy<Value = AnnotatedSentence> {
    (prop::collection::vec(word(), 1..10), any::<bool>())
        .prop_map(|(words, raw)| {
            if raw {
                AnnotatedSentence::from_text(format!("{} .", words.join("  ")))
            } else {
                AnnotatedSentence::from_words(words.iter().map(String::as_str))
            }
        })
        .prop_flat_map(|sentence| {
            let n = sentence.tokens.len();
            let aspects = spans(n).prop_flat_map(|spans| {
                let count = spans.len();
                (Just(spans), prop::collection::vec(polarity(), count))
            });
            let links = prop::option::of(prop::collection::vec((0..4_usize, 0..4_usize), 0..4));
            let id = prop::option::of("[a-z0-9:#&<\"' ]{0,6}[a-z]");
            let category = prop::option::of((polarity(), prop::option::of(0..4_usize)));
            (
                Just(sentence),
                aspects,
                prop::option::of(spans(n)),
                links,
                id,
                category,
            )
        })
        .prop_map(
            |(mut sentence, (spans, polarities), opinions, links, id, category)| {
                sentence.aspects = spans
                    .into_iter()
                    .zip(polarities)
                    .map(|(span, polarity)| Aspect { span, polarity })
                    .collect();
                let (aspects, count) = (
                    sentence.aspects.len(),
                    opinions.as_ref().map_or(0, Vec::len),
                );
                sentence.opinions = opinions;
                sentence.links = links.map(|links| {
                    let mut kept: Vec<Link> = links
                        .into_iter()
                        .filter(|(a, o)| *a < aspects && *o < count)
                        .map(|(aspect, opinion)| Link { aspect, opinion })
                        .collect();
                    kept.sort_unstable();
                    kept.dedup();
                    kept
                });
                sentence.extra.review = id.clone();
                sentence.id = id;
                if let Some((polarity, aspect)) = category {
                    // In the XML of 2015, the category opinion determines the polarity of its
                    // aspect.
                    let aspect = aspect.filter(|i| *i < aspects);
                    let polarity = match aspect {
                        Some(i) => sentence.aspects[i].polarity,
                        None => polarity,
                    };
                    sentence.extra.categories = vec![CategoryOpinion {
                        category: "FOOD#PRICES & <more>".to_owned(),
                        polarity,
                        aspect,
                    }];
                }
                sentence
            },
        )
}

/// Drops what the format cannot represent, writes the sentences and reads them back.
fn round_trip(
    mut sentences: Vec<AnnotatedSentence>,
    format: DataFormat,
    name: &str,
) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    for _ in 0..2 {
        // Dropping one field can cause another loss (tokens, then offsets).
        let lost: Vec<_> = losses(&sentences, format).into_keys().collect();
        drop_fields(&mut sentences, &lost);
    }
    prop_assert!(
        losses(&sentences, format).is_empty(),
        "{:?}",
        losses(&sentences, format)
    );
    if write(&sentences, &path, format).is_err() {
        // Some formats cannot represent words such as NULL or a no-break space: an error is
        // correct.
        return Ok(());
    }
    let back = read_as(&path, format).map_err(|e| TestCaseError::fail(e.to_string()))?;
    prop_assert_eq!(back, sentences);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn jsonl_round_trips(sentences in prop::collection::vec(sentence(), 1..5)) {
        round_trip(sentences, DataFormat::Jsonl, "a.jsonl.gz")?;
    }

    #[test]
    fn four_files_round_trip(sentences in prop::collection::vec(sentence(), 1..5)) {
        round_trip(sentences, DataFormat::FourFile, "folder")?;
    }

    #[test]
    fn semeval14_round_trips(sentences in prop::collection::vec(sentence(), 1..5)) {
        round_trip(sentences, DataFormat::Semeval14, "a.xml.zst")?;
    }

    #[test]
    fn semeval15_round_trips(sentences in prop::collection::vec(sentence(), 1..5)) {
        round_trip(sentences, DataFormat::Semeval15, "a.xml")?;
    }

    #[test]
    fn triplets_round_trip(sentences in prop::collection::vec(sentence(), 1..5)) {
        round_trip(sentences, DataFormat::Aste, "a.txt")?;
    }

    #[test]
    fn columns_round_trip(sentences in prop::collection::vec(sentence(), 1..5)) {
        round_trip(sentences, DataFormat::Conll, "a.conll")?;
    }

    #[test]
    fn no_bytes_make_a_reader_panic(
        head in prop::sample::select(vec![
            "",
            "<sentences><sentence>",
            "<Reviews>",
            "{\"text\":",
            "a####[(",
            "a\tB-x\n",
            "\u{1f}\u{8b}",
            "pos\t",
        ]),
        tail in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..60),
            "[\\[\\](){}<>/\"'#\\-0-9a-zBIO \t\n\r,:=&;]{0,80}".prop_map(String::into_bytes),
        ],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let bytes = [head.as_bytes(), &tail].concat();
        let path = folder.path().join("data");
        std::fs::write(&path, &bytes).unwrap();
        let _ = read(&path);
        for format in DataFormat::ALL {
            let _ = load(&path, Some(format));
        }
        for name in ["data.tsv", "data.csv"] {
            let path = folder.path().join(name);
            std::fs::write(&path, &bytes).unwrap();
            if let Ok(documents) = read_documents(&path) {
                documents.take(1000).for_each(drop);
            }
        }
        for name in ["sentence.txt", "target.txt", "opinion.txt", "target_polarity.txt"] {
            let content = if name == "sentence.txt" { &bytes } else { &tail };
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let _ = load(folder.path(), None);
    }
}
