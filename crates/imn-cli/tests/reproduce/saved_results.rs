//! The results in this repository belong to its configurations, and its tables to the results.

use std::path::{Path, PathBuf};

use imn_repro::recipe::Recipe;
use imn_repro::registry::find;
use imn_repro::results::read_results;
use imn_repro::runner::{Job, Runner};

use crate::common::succeed;

/// The recipes with results in the repository, and the folders of these results.
fn saved() -> Vec<(Recipe, PathBuf)> {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let folders = Recipe::ALL.map(|recipe| (recipe, results.join(recipe.name())));
    let has_runs = |(_, folder): &(Recipe, PathBuf)| folder.join("imn-no-docs").is_dir();
    folders.into_iter().filter(has_runs).collect()
}

#[test]
fn the_tables_in_the_repository_are_those_of_its_results() {
    assert!(!saved().is_empty());
    for (recipe, saved) in saved() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("results").join(recipe.name());
        for entry in std::fs::read_dir(&saved).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_dir() {
                let to = copy.join(entry.file_name());
                std::fs::create_dir_all(&to).unwrap();
                for file in std::fs::read_dir(entry.path()).unwrap() {
                    let file = file.unwrap();
                    std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
                }
            }
        }
        let command = format!("reproduce tables --recipe {recipe}");
        succeed(folder.path(), &command);
        for page in ["all.md", "all.html"] {
            let read = |folder: &Path| std::fs::read_to_string(folder.join(page)).unwrap();
            assert!(
                read(&copy) == read(&saved),
                "{}: out of date; run `imn {command}`",
                saved.join(page).display(),
            );
        }
    }
}

#[test]
fn the_results_in_the_repository_are_of_the_settings_in_it() {
    let mut all = 0;
    for (recipe, saved) in saved() {
        for result in read_results(&saved).unwrap() {
            let system = find(&result.system).unwrap();
            let job = Job::new(system, result.set.parse().unwrap(), result.seed);
            assert!(
                Runner::is_current(recipe, &result, job).unwrap(),
                "{recipe}: {job}: its settings differ from configs/"
            );
            all += 1;
        }
    }
    assert!(all > 15);
}
