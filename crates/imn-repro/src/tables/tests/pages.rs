//! The tables as they are written.

use super::super::{html, markdown};
use super::*;
use crate::recipe::Recipe;

fn some() -> Vec<RunResult> {
    let mut results = runs("imn-no-docs", "res14", &[69.0, 70.0, 71.0]);
    results.extend(runs("mnn", "res14", &[66.0, 67.0, 68.0]));
    results.extend(runs("inabsa", "res14", &[60.0]));
    results
}

/// The same with runs of every baseline, which a star needs.
fn complete() -> Vec<RunResult> {
    let pipelines = [
        "cmla-alstm",
        "cmla-dtrans",
        "decnn-alstm",
        "decnn-dtrans",
        "pipeline",
    ];
    let mut results = some();
    results.extend(pipelines.map(|system| run(system, "res14", 1, 10.0)));
    results
}

#[test]
fn markdown_of_several_metrics_has_one_table_per_set() {
    let text = markdown(Recipe::Paper, &some(), &[Table::Main]);
    let after = |wanted: &str| {
        let mut lines = text.lines().skip_while(|line| !line.starts_with(wanted));
        (
            lines.next().unwrap_or_default(),
            lines.next().unwrap_or_default(),
        )
    };
    let starred = markdown(Recipe::Paper, &complete(), &[Table::Main]);
    assert!(starred.contains("| IMN⁻ᵈ | 3 | **70.00 ± 1.00**\\* |"));
    let best = "**70.00 ± 1.00**";
    assert_eq!(
        after("| IMN⁻ᵈ |"),
        (
            &*format!("| IMN⁻ᵈ | 3 | {best} | {best} | {best} | {best} | {best} |"),
            concat!(
                "| *paper* |  | *84.01* (−14.01) | *85.64* (−15.64) | *81.56* (−11.56) ",
                "| *71.90* (−1.90) | *68.32* (+1.68) |"
            )
        )
    );
    let one = "60.00 (n = 1)";
    assert_eq!(
        after("| INABSA |").0,
        format!("| INABSA | 1 | {one} | {one} | {one} | {one} | {one} |")
    );
    assert_eq!(
        after("| IMN |"),
        (
            "| IMN | – | – | – | – | – | – |",
            "| *paper* |  | *83.33* | *85.61* | *83.89* | *75.66* | *69.54* |"
        )
    );
    for heading in [
        "### D1 (res14)",
        "### D2 (lap14)",
        "### D3 (res15)",
        "### What the paper claims",
    ] {
        assert_eq!(
            text.lines().filter(|line| *line == heading).count(),
            1,
            "{heading}"
        );
    }
    assert!(
        text.contains(
            "15 of 165 cells have runs: 7 runs, 7 min of training in total, 3 min with seed 1 (a \
             network that several pipelines share counts in each of them)."
        ),
        "{text}"
    );
    assert!(text.contains("No runs yet: CMLA-ALSTM: D1, D2, D3; "));
    assert!(
        text.contains("Of 33 cells: 2 at or above the paper's value, 1 below it, 30 without runs."),
        "{text}"
    );
    // The lines of a table have the same number of columns.
    for lines in text.split("\n\n").filter(|part| part.starts_with('|')) {
        let columns: Vec<usize> = lines
            .lines()
            .map(|line| line.matches('|').count())
            .collect();
        assert!(columns.iter().all(|n| *n == columns[0]), "{lines}");
    }
}

#[test]
fn markdown_of_one_metric_has_one_column_per_set() {
    let mut results = runs("imn-no-docs", "res14", &[69.0, 70.0, 71.0]);
    results.extend(runs("imn-no-docs", "lap14", &[55.0]));
    results.extend(runs("imn-no-docs-t0", "lap14", &[56.0]));
    let text = markdown(Recipe::Paper, &results, &[Table::Iterations]);
    assert!(
        text.contains("| system | runs | D1 (res14) | D2 (lap14) | D3 (res15) |\n"),
        "{text}"
    );
    assert!(text.contains(concat!(
        "| T = 0 | 0, 1, 0 | – | **56.00** (n = 1) | – |\n",
        "| *paper* |  | *66.98* | *56.03* (−0.03) | *56.65* |\n"
    )));
    assert!(text.contains("| T = 2 | 3, 1, 0 | 70.00 ± 1.00 | 55.00 (n = 1) | – |\n"));
    assert!(
        text.contains(
            "**Two iterations of message passing are better than none.** – inconclusive.\n"
        )
    );
    let (pair, paper) = (
        "| T = 2 > T = 0 | inconclusive |",
        "61.30 against 59.89 (+1.41)",
    );
    let expected = format!("{pair} – | {paper} | – | −1.00, n = 1 | – |\n");
    assert!(text.contains(&expected), "{text}");
}

#[test]
fn claims_have_the_paired_difference_with_its_interval() {
    let mut results = everywhere("imn-no-docs", &[61.0, 62.0, 63.0]);
    results.extend(everywhere("imn-no-docs-t0", &[60.0, 60.0, 60.0]));
    let text = markdown(Recipe::Paper, &results, &[Table::Iterations]);
    let difference = "+2.00 [−0.48, +4.48], n = 3";
    let (pair, paper) = (
        "| T = 2 > T = 0 | inconclusive |",
        "61.30 against 59.89 (+1.41)",
    );
    let on_sets = [difference; 3].join(" | ");
    let expected = format!("{pair} {difference} | {paper} | {on_sets} |\n");
    assert!(text.contains(&expected), "{text}");
    let page = html(Recipe::Paper, &results, &[Table::Iterations]);
    let lines = ["+2.00", "[−0.48, +4.48]", "n = 3"];
    let lines = lines.map(|line| format!("<span class=\"line\">{line} </span>"));
    assert!(page.contains(&lines.concat()), "{page}");
}

#[test]
fn a_result_that_is_left_out_is_reported() {
    let mut results = some();
    results.push(run("imn-no-docs", "res14", 1, 1.0));
    let note = "Left out: 1 result with the same system, set and seed as an earlier one.";
    assert!(markdown(Recipe::Paper, &results, &[Table::Main]).contains(note));
    assert!(html(Recipe::Paper, &results, &[Table::Main]).contains(note));
    assert!(!markdown(Recipe::Paper, &some(), &[Table::Main]).contains("Left out"));
}

#[test]
fn the_page_loads_nothing_and_closes_what_it_opens() {
    let page = html(Recipe::Paper, &some(), &Table::ALL);
    for forbidden in [
        "<script",
        "<link",
        "<img",
        "<iframe",
        "src=",
        "url(",
        "@import",
        "https:",
        "javascript:",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert_eq!(
        page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "")
            .matches("http:")
            .count(),
        0
    );
    assert!(page.matches("href=").count() == page.matches("href=\"#").count());
    let mut open: Vec<&str> = Vec::new();
    for part in page.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap();
        let name = tag.split([' ', '/', '\n']).next().unwrap_or_default();
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !(tag.ends_with('/') || tag.starts_with('!') || name == "meta") {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn the_page_shows_numbers_marks_and_charts() {
    let starred = html(Recipe::Paper, &complete(), &[Table::Main]);
    assert!(starred.contains(concat!(
        "<b>70.00</b>",
        "<span class=\"star\" title=\"significantly above every baseline\">*</span>",
        "<span class=\"deviation\"> ± 1.00</span>"
    )));
    let page = html(Recipe::Paper, &some(), &Table::ALL);
    assert!(page.contains("<i>68.32</i> (+1.68)"));
    // One panel per set and table; one mark of ours per system with runs, one of the paper's per
    // system.
    assert_eq!(page.matches("<svg").count(), 12);
    let systems: usize = Table::ALL
        .iter()
        .map(|table| table.systems(Recipe::Paper).len())
        .sum();
    assert_eq!(page.matches("class=\"paper\"/>").count(), 3 * systems);
    // MNN and INABSA in one table, IMN⁻ᵈ in three.
    assert_eq!(page.matches("<circle").count(), 5);
    assert!(page.contains("<title>IMN⁻ᵈ: 70.00 ± 1.00 (3 runs), paper 68.32</title>"));
    for table in Table::ALL {
        assert!(page.contains(&format!("<h2 id=\"{table}\">")), "{table}");
    }
    // Text is escaped: claims have a “>” between systems.
    assert!(page.contains("<span class=\"line\">&gt; IMN⁻ᵈ </span>"));
    assert_eq!(
        html(Recipe::Paper, &some(), &[Table::Ablation])
            .matches("<svg")
            .count(),
        3
    );
}

#[test]
fn a_page_names_its_recipe() {
    for recipe in Recipe::ALL {
        let title = format!("The paper's tables from our runs: recipe {recipe}");
        let text = markdown(recipe, &some(), &Table::ALL);
        assert!(text.starts_with(&format!("# {title}\n")), "{text}");
        assert!(html(recipe, &some(), &Table::ALL).contains(&format!("<h1>{}</h1>", title)));
    }
}

#[test]
fn runs_that_no_table_shows_are_listed_once_with_the_paper_below() {
    let mut results = some();
    results.extend(runs("decnn", "res14", &[83.0, 84.0]));
    results.extend(runs("imn-no-docs", "mine", &[50.0]));
    for result in &mut results {
        result.dev.insert("F1-I".to_owned(), 60.0);
        result.seconds = 90.0;
    }
    let text = markdown(Recipe::Paper, &results, &Table::ALL);
    let (_, others) = text.split_once("## Other runs\n").unwrap();
    let rows: Vec<&str> = others
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    let scores = |score: &str| [score; 6].join(" | ");
    let decnn = scores("83.50 ± 0.71");
    let mine = scores("50.00");
    assert_eq!(
        rows[1..],
        [
            &*format!("| decnn | res14 | 2 | {decnn} | 60.00 ± 0.00 | 1.5 |"),
            "| *paper* | res14 |  | *83.94* | *85.60* | – | – | – | – | – | – |",
            &*format!("| imn-no-docs | mine | 1 | {mine} | 60.00 | 1.5 |"),
        ]
    );
    assert!(html(Recipe::Paper, &results, &Table::ALL).contains("<h2 id=\"other\">"));
    assert!(!markdown(Recipe::Paper, &results, &[Table::Main]).contains("Other runs"));
}
