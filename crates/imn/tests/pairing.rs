//! Links between aspects and opinions on sentences that `pairing/write.py` writes.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Write as _;
use std::path::Path;

use imn::analyze::pairing::PairingRule;
use imn::analyze::{PairingScore, pairing_scores};
use imn::bundle::Model;
use imn::predict::infer_annotated;

#[test]
fn the_default_rule_finds_links_best() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairing/pairs.jsonl");
    let gold = imn::data::read(&path).unwrap();
    assert_eq!(gold.len(), 200);
    let model = Model::built_in().unwrap();
    let imn = model.imn().unwrap();
    let inferred = infer_annotated(imn.network, imn.params, imn.featurizer, &gold);
    let scores = pairing_scores(&inferred);
    let f1 = |rule| {
        let score = scores.iter().find(|score| score.rule == rule);
        score.unwrap().scores.f1
    };
    check_docs(&scores);
    let best = f1(PairingRule::default());
    for rule in PairingRule::ALL {
        assert!(best >= f1(rule), "{rule:?}: {scores:?}");
    }
    // The sentences are hard: the nearest opinion is often about another aspect.
    let nearest = f1(PairingRule::Nearest);
    assert!(
        (70.0..82.0).contains(&nearest) && best > nearest + 3.0,
        "{scores:?}"
    );
}

/// The table in `docs/analyze.md` has these scores. `IMN_BLESS=1 cargo test --test pairing` writes
/// it.
fn check_docs(scores: &[PairingScore]) {
    let mut table = String::from("| links by | F1 | precision | recall |\n|---|---|---|---|\n");
    for PairingScore { rule, scores, .. } in scores {
        let _ = writeln!(
            table,
            "| {} | {:.1} | {:.1} | {:.1} |",
            rule.name(),
            scores.f1,
            scores.precision,
            scores.recall
        );
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/analyze.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = ("<!-- links -->\n", "<!-- end -->");
    let from = page.find(begin).unwrap() + begin.len();
    let to = from + page[from..].find(end).unwrap();
    if std::env::var_os("IMN_BLESS").is_some() {
        let wanted = format!("{}{table}{}", &page[..from], &page[to..]);
        std::fs::write(&path, wanted).unwrap();
        return;
    }
    assert_eq!(page[from..to], table, "IMN_BLESS=1 writes the table");
}
