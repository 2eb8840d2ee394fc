//! Single runs: results, models and tables; the two recipes.

use crate::common::{fail, read, succeed, write_data};

#[test]
fn runs_are_made_once_and_saved_and_shown_in_tables() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_data(at, usize::MAX);
    let command = "reproduce main --data data --sets res15 --seeds 1 \
                   --systems decnn,pipeline,inabsa";
    let (_, err) = succeed(at, command);
    assert!(err.contains("run 3 of 3: inabsa on res15, seed 1"), "{err}");
    let result = |system: &str| -> serde_json::Value {
        let path = format!("results/paper/{system}/res15.seed1.json");
        serde_json::from_str(&read(at, &path)).unwrap()
    };
    let pipeline = result("pipeline");
    assert_eq!(pipeline["config"]["extractor"]["name"], "decnn");
    let f1 = |result: &serde_json::Value| result["scores"]["f1_i"].as_f64();
    assert!(f1(&pipeline).unwrap() > 50.0, "{pipeline}");
    assert_eq!(f1(&result("decnn")), None);
    let f1_a = &result("decnn")["scores"]["f1_a"];
    assert_eq!(f1_a, &pipeline["scores"]["f1_a"]);
    let table = read(at, "results/paper/main.md");
    assert!(table.contains("PIPELINE"), "{table}");
    assert!(read(at, "results/paper/main.html").contains("<svg"));

    // Nothing is trained twice: results and models do not change.
    let model = at.join("runs/reproduce/paper/pipeline/res15.seed1.imn");
    let modified = || std::fs::metadata(&model).unwrap().modified().unwrap();
    let before = modified();
    let (_, err) = succeed(at, command);
    assert!(!err.contains("run 1"), "{err}");
    assert_eq!(modified(), before);
    assert_eq!(result("pipeline"), pipeline);

    // A pipeline is assembled from parts that are trained already.
    std::fs::remove_file(at.join("results/paper/pipeline/res15.seed1.json")).unwrap();
    succeed(at, command);
    assert_eq!(result("pipeline"), pipeline);

    // The trained model has the scores of the result.
    let test = "data/aspect/res15/test";
    let evaluate = "evaluate runs/reproduce/paper";
    let (out, _) = succeed(
        at,
        &format!("{evaluate}/pipeline/res15.seed1.imn {test} --json --resamples 0"),
    );
    let evaluated: serde_json::Value = serde_json::from_str(&out).unwrap();
    let evaluated = evaluated["scores"]["integrated"]["f1"].as_f64();
    assert_eq!(evaluated, f1(&pipeline));
    let part = format!("{evaluate}/aspect-sentiment/res15.seed1.imn {test}");
    fail(at, &part, "pipeline");

    // A trial with another setting prints development scores and saves no result.
    let (out, _) = succeed(
        at,
        "reproduce main --data data --sets res15 --systems alstm --quiet --no-test \
         --set train.epochs=1 --set network.hidden=8",
    );
    assert!(out.contains("on dev") && out.contains("acc-s"), "{out}");
    // A classifier gets the gold aspects of the split, so extraction scores would say nothing.
    assert!(!out.contains("F1-a") && !out.contains("F1-I"), "{out}");
    assert!(!at.join("results/paper/alstm").exists());
}

#[test]
fn each_recipe_has_its_own_results_and_models() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_data(at, 10);
    let vectors = |recipe: &str| {
        let options = "--data data --sets res15 --systems mnn --seeds 1";
        succeed(at, &format!("reproduce main {options} --recipe {recipe}"));
        let result = read(at, &format!("results/{recipe}/mnn/res15.seed1.json"));
        let result: serde_json::Value = serde_json::from_str(&result).unwrap();
        let model = format!("runs/reproduce/{recipe}/mnn/res15.seed1.imn");
        assert!(at.join(model).exists());
        let title = format!("our runs: recipe {recipe}");
        assert!(read(at, &format!("results/{recipe}/main.md")).contains(&title));
        result["config"]["vectors"]["general"].to_string()
    };
    assert_eq!(vectors("paper"), r#"["vectors/glove840b.300d.txt.gz"]"#);
    assert_eq!(
        vectors("tuned"),
        r#"["vectors/glove840b.res15.300d.txt.gz"]"#
    );
    let (_, err) = succeed(at, "reproduce tables --recipe tuned");
    assert!(!err.contains("settings differ"), "{err}");
    // The tables of one recipe are not overwritten by those of another one.
    let page = read(at, "results/tuned/all.md");
    fail(
        at,
        "reproduce tables --results results/tuned",
        "results/tuned: these are results of the recipe `tuned`, not of `paper`; \
         add --recipe tuned",
    );
    assert_eq!(read(at, "results/tuned/all.md"), page);
    // Among results of the recipe, one of another recipe causes a warning.
    std::fs::copy(
        at.join("results/tuned/mnn/res15.seed1.json"),
        at.join("results/paper/mnn/other.json"),
    )
    .unwrap();
    let (_, err) = succeed(at, "reproduce tables");
    let warning = "results/paper/mnn/res15.seed1.json: its settings differ from the recipe `paper`";
    assert!(err.contains(warning), "{err}");
}
