//! Aspects, opinions and sentiments of texts, with the built-in model.
//!
//! `cargo run --release -p imn-examples --bin analyze -- "The soup was cold."`
#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use imn::analyze::Analyzer;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut texts: Vec<String> = std::env::args().skip(1).collect();
    if texts.is_empty() {
        texts.push("The ramen was wonderful, but our waiter ignored us.".to_owned());
    }
    let analyzer = Analyzer::built_in()?;
    // One call analyzes all texts, on all cores.
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (text, analysis) in texts.iter().zip(analyzer.analyze_all(&borrowed)) {
        println!("{text}");
        for aspect in &analysis.aspects {
            let opinions: Vec<&str> = aspect
                .opinions
                .iter()
                .map(|link| analysis.opinions[link.opinion].term.as_str())
                .collect();
            println!(
                "  {} is {}, because of: {}",
                aspect.term,
                aspect.sentiment.name(),
                opinions.join(", ")
            );
        }
    }
    Ok(())
}
