//! `imn models`: the models that are part of the program.

use std::io::{self, Write as _};
use std::process::ExitCode;

use imn::bundle::{BUILT_IN, DEFAULT};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  imn models
  imn models --json | jq -r '.[].name'
  imn analyze --model domains reviews.csv

F1-I counts an aspect as right if its words and its sentiment are. It is printed for the raw text \
of three test sets, and as the mean over eight other development sets. models/NAME.md has all \
scores.";

/// The scores of each built-in model, as `scripts/model-scores.sh` printed them.
const SCORES: [(&str, &str); 2] = [
    (
        "reviews",
        include_str!("../../../../models/reviews.scores.json"),
    ),
    (
        "domains",
        include_str!("../../../../models/domains.scores.json"),
    ),
];

/// The test sets of the paper.
const TESTS: [&str; 3] = ["res14", "lap14", "res15"];

/// The other development sets.
const DOMAINS: [&str; 8] = [
    "mams",
    "electronics",
    "fashion",
    "beauty",
    "home",
    "food",
    "course",
    "hotel",
];

/// List the built-in models with their sizes, annotation schemes and scores.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Models {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Models {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut models = Vec::new();
        for built_in in &BUILT_IN {
            let model = super::model::open(built_in.name, None)?;
            let stored = SCORES.iter().find(|(name, _)| *name == built_in.name);
            let stored: Value = serde_json::from_str(stored.map_or("{}", |(_, text)| text))?;
            let f1 = |set: &&str| stored[*set].pointer("/scores/integrated/f1")?.as_f64();
            let domains: Vec<f64> = DOMAINS.iter().filter_map(f1).collect();
            models.push(json!({
                "name": built_in.name,
                "default": built_in.name == DEFAULT,
                "about": built_in.about,
                "bytes": built_in.size(),
                "schemes": model.schemes(),
                "f1_i": {
                    "tests": TESTS.iter().map(f1).collect::<Option<Vec<f64>>>(),
                    "mean_of_domains": domains.iter().sum::<f64>() / domains.len() as f64,
                },
            }));
        }
        let mut out = io::stdout().lock();
        if self.json {
            serde_json::to_writer_pretty(&mut out, &models).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            models.iter().try_for_each(|model| print(&mut out, model))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(out: &mut impl io::Write, model: &Value) -> io::Result<()> {
    let text = |key: &str| model[key].as_str().unwrap_or_default();
    let list = |value: &Value, show: &dyn Fn(&Value) -> String| {
        let shown: Vec<String> = value.as_array().into_iter().flatten().map(show).collect();
        shown.join(", ")
    };
    let number = |value: &Value| format!("{:.2}", value.as_f64().unwrap_or_default());
    let default = if model["default"] == json!(true) {
        " (default)"
    } else {
        ""
    };
    let megabytes = model["bytes"].as_f64().unwrap_or_default() / 1e6;
    let schemes = list(&model["schemes"], &|name| {
        name.as_str().unwrap_or_default().to_owned()
    });
    writeln!(out, "{}{default}: {}", text("name"), text("about"))?;
    writeln!(out, "  {megabytes:.1} MB, schemes {schemes}")?;
    let f1_i = &model["f1_i"];
    writeln!(
        out,
        "  F1-I: {} on {}; {} on eight other sets",
        list(&f1_i["tests"], &number),
        TESTS.join(", "),
        number(&f1_i["mean_of_domains"])
    )
}
