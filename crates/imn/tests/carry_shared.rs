//! Carrying the labels of the paper's sets to the official raw text, where both are present.

mod common;

use imn::data::{carry, read};

const SETS: [(&str, &str, &[&str]); 6] = [
    (
        "res14",
        "train",
        &["Restaurants_Train.xml", "Restaurants_Train_v2.xml"],
    ),
    ("res14", "test", &["Restaurants_Test_Gold.xml"]),
    (
        "lap14",
        "train",
        &["Laptops_Train.xml", "Laptops_Train_v2.xml"],
    ),
    ("lap14", "test", &["Laptops_Test_Gold.xml"]),
    ("res15", "train", &["ABSA-15_Restaurants_Train_Final.xml"]),
    ("res15", "test", &["ABSA15_Restaurants_Test.xml"]),
];

#[test]
fn nearly_all_sentences_are_carried_and_tokens_agree() {
    let Some(data) = common::shared_data() else {
        return;
    };
    let (mut all, mut carried, mut found, mut agree) = (0, 0, 0, 0);
    for (set, part, files) in SETS {
        let labelled = read(&data.join("aspect").join(set).join(part)).unwrap();
        let mut raw = Vec::new();
        for file in files {
            raw.extend(read(&data.join("semeval_xml").join(file)).unwrap());
        }
        let done = carry(&labelled, &raw);
        assert_eq!(done.sentences.len() + done.left.len(), labelled.len());
        for left in &done.left {
            eprintln!(
                "LEFT {set} {part} {} {} | {}",
                left.source + 1,
                left.reason,
                left.text
            );
        }
        for (i, a, b) in &done.agreement.differ {
            eprintln!("DIFF {set} {part} {} {a:?} {b:?}", i + 1);
        }
        eprintln!(
            "X {set} {part} same {} differ {} problems {}",
            done.cross_check.same,
            done.cross_check.differ.len(),
            done.problems.len()
        );
        for d in &done.cross_check.differ {
            eprintln!("XD {d:?}");
        }
        for d in &done.problems {
            eprintln!("P {set} {d}");
        }
        all += labelled.len();
        carried += done.sentences.len();
        found += done.agreement.found;
        agree += done.agreement.agree;
    }
    eprintln!(
        "{all} {carried} {found} {agree} {}",
        agree as f64 / found as f64
    );
    assert!(carried * 1000 >= all * 980, "{carried} of {all} carried");
    assert!(agree * 1000 >= found * 987, "{agree} of {found} agree");
}
