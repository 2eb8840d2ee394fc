//! Writes columns, always with a header.

use std::io::Write;

use crate::data::tags::begin_inside;
use crate::data::{AnnotatedSentence, Span};

/// Writes sentences. Overlapping spans of one kind, and everything else that the format cannot
/// represent, are left out (see [`losses`](crate::data::losses)).
pub fn write(sentences: &[AnnotatedSentence], out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "# columns = token aspect opinion")?;
    for sentence in sentences {
        if let Some(id) = &sentence.id {
            writeln!(out, "# id = {id}")?;
        }
        if let Some(review) = &sentence.extra.review {
            writeln!(out, "# review = {review}")?;
        }
        let words: Vec<&str> = sentence.words().collect();
        if sentence.text != words.join(" ") {
            writeln!(out, "# text = {}", sentence.text)?;
        }
        if let Some(links) = &sentence.links {
            let links: Vec<String> = links
                .iter()
                .map(|l| format!("{}-{}", l.aspect, l.opinion))
                .collect();
            writeln!(out, "# links = {}", links.join(" "))?;
        }
        let length = words.len();
        let spans: Vec<Span> = sentence.aspects.iter().map(|a| a.span).collect();
        let aspects = begin_inside(&spans, length).0;
        let labels = crate::data::sentiment_labels(sentence);
        let opinions = sentence
            .opinions
            .as_ref()
            .map(|spans| begin_inside(spans, length).0);
        for (i, word) in words.into_iter().enumerate() {
            let place = |mark: Option<bool>| match mark {
                Some(true) => "B",
                Some(false) => "I",
                None => "O",
            };
            write!(out, "{word}\t{}", place(aspects.get(i).copied().flatten()))?;
            if let Some(polarity) = labels.get(i).copied().flatten() {
                write!(out, "-{polarity}")?;
            }
            let opinion = opinions
                .as_ref()
                .map_or("_", |o| place(o.get(i).copied().flatten()));
            writeln!(out, "\t{opinion}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
