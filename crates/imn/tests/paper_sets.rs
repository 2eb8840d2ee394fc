//! The paper's sets, if the data is present.

use imn::data::check::{check, find_sets};
use imn::data::{ProblemKind, decode_tags, encode_tags, read};

/// Table 2 of the paper: aspects and opinions of the training split, then of the test split.
const TABLE_2: [(&str, [usize; 4]); 3] = [
    ("res14", [3699, 3484, 1134, 1008]),
    ("lap14", [2373, 2504, 654, 674]),
    ("res15", [1199, 1210, 542, 510]),
];

#[test]
fn counts_are_those_of_the_paper() {
    let Some(data) = imn_testkit::shared_data() else {
        return;
    };
    let mut shared = 0;
    for (set, expected) in TABLE_2 {
        let mut counts = Vec::new();
        for part in ["train", "test"] {
            let sentences = read(&data.join("aspect").join(set).join(part)).unwrap();
            counts.push(sentences.iter().map(|s| s.aspects.len()).sum::<usize>());
            counts.push(
                sentences
                    .iter()
                    .flat_map(|s| &s.opinions)
                    .map(Vec::len)
                    .sum(),
            );
            shared += sentences
                .iter()
                .map(|s| encode_tags(s).shared_tokens)
                .sum::<usize>();
        }
        assert_eq!(counts, expected, "{set}");
    }
    assert_eq!(shared, 34);
}

#[test]
fn tags_lose_six_opinions_of_the_first_test_split() {
    let Some(data) = imn_testkit::shared_data() else {
        return;
    };
    let sentences = read(&data.join("aspect/res14/test")).unwrap();
    let opinions: usize = sentences
        .iter()
        .map(|s| decode_tags(&encode_tags(s).tags).opinions.len())
        .sum();
    assert_eq!(opinions, 1002);
}

#[test]
fn official_files_have_the_official_counts() {
    let Some(data) = imn_testkit::shared_data() else {
        return;
    };
    for (file, sentences, aspects) in [
        ("Restaurants_Train_v2.xml", 3041, 3693),
        ("Restaurants_Test_Gold.xml", 800, 1134),
        ("Laptops_Train_v2.xml", 3045, 2358),
        ("Laptops_Test_Gold.xml", 800, 654),
        ("ABSA-15_Restaurants_Train_Final.xml", 1315, 1199),
        ("ABSA15_Restaurants_Test.xml", 685, 542),
    ] {
        let read = read(&data.join("semeval_xml").join(file)).unwrap();
        assert_eq!(read.len(), sentences, "{file}");
        assert_eq!(
            read.iter().map(|s| s.aspects.len()).sum::<usize>(),
            aspects,
            "{file}"
        );
    }
}

#[test]
fn leaks_are_one_one_and_eight() {
    let Some(data) = imn_testkit::shared_data() else {
        return;
    };
    for (set, leaks) in [("res14", 1), ("lap14", 1), ("res15", 8)] {
        let sets = find_sets(&data.join("aspect").join(set)).unwrap();
        let report = check(&sets.sets, None).unwrap();
        let found = report
            .problems
            .iter()
            .filter(|p| p.kind == ProblemKind::Leak)
            .count();
        assert_eq!(found, leaks, "{set}");
        assert!(
            report
                .problems
                .iter()
                .all(|p| p.severity != imn::data::Severity::Error)
        );
    }
}
