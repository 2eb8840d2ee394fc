//! Invalid arguments fail with a message that names valid ones.

use crate::common::fail;

#[test]
fn invalid_arguments_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let fails = |arguments: &str, expected| fail(at, &format!("reproduce {arguments}"), expected);
    fails("main", "--data");
    fails("main --data nowhere", "nowhere");
    fails("most --data .", "ablation");
    fails("main --data . --systems bert", "inabsa");
    fails("main --data . --sets res16", "res15");
    fails("main --data . --set train.epochs=1", "--no-test");
    fails("tables cases", "imn reproduce cases");
    fails("tables --data .", "--data");
    fails(
        "main --data . --recipe best",
        "paper, tuned, minilm, gte-small, mpnet",
    );
    std::fs::create_dir_all(at.join("data/aspect")).unwrap();
    fails("cases --data data --sets lap14", "leave out --systems");
    fails("cases --data data", "cases.jsonl");
    fails(
        "main --data data --no-test --set seed=3 --systems mnn",
        "seed",
    );
    fails("ablation --data data --systems mnn", "mnn");
}
