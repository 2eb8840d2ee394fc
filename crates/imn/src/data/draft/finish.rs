//! Converts a draft to an annotated sentence: token spans, sorted and without duplicates.
//!
//! Sorting and merging change the indices of aspects and opinions. Links and categories refer to
//! these indices, so they are renumbered last.

use super::{Draft, Report};
use crate::data::{
    AnnotatedSentence, Aspect, CategoryOpinion, Cut, Link, Mark, Polarity, ProblemKind, Span,
};
use crate::text::{is_separator, tokenize};

/// Token span, byte span and label of an annotation.
type Placed<T> = (Span, Span, T);

impl Draft {
    /// The annotated sentence; `None` if it cannot be read, which is then reported.
    pub fn finish(self, report: &mut Report<'_>) -> Option<AnnotatedSentence> {
        let text = self.text;
        let tokens = self.tokens.unwrap_or_else(|| tokenize(&text));
        let mut sentence = AnnotatedSentence {
            id: self.id,
            text,
            tokens,
            extra: self.extra,
            ..AnnotatedSentence::default()
        };
        let aspects = add_aspects(&mut sentence, self.aspects, report)?;
        let opinions = match self.opinions {
            Some(opinions) => add_opinions(&mut sentence, opinions, report)?,
            None => Vec::new(),
        };
        if let Some(links) = self.links {
            sentence.links = Some(renumber_links(links, &aspects, &opinions, report)?);
        }
        renumber_categories(&mut sentence.extra.categories, &aspects, report)?;
        Some(sentence)
    }
}

/// Sets the aspects of the sentence. Returns the new index of every element of `aspects`.
fn add_aspects(
    sentence: &mut AnnotatedSentence,
    aspects: Vec<(Span, Option<Polarity>)>,
    report: &mut Report<'_>,
) -> Option<Vec<usize>> {
    let mut placed = Vec::with_capacity(aspects.len());
    for (bytes, polarity) in aspects {
        let span = place_on_tokens(sentence, bytes, "aspect", report)?;
        placed.push((span, bytes, polarity));
    }
    let order = sort_and_merge(&mut placed, |kept, again| {
        let term = again.1.of(&sentence.text).unwrap_or("");
        match (kept.2, again.2) {
            (Some(a), Some(b)) if a != b => report.add(
                ProblemKind::TwoPolarities,
                format!("{term:?} is {a} and {b}"),
                "read as conflict",
            ),
            _ => report.add(
                ProblemKind::RepeatedSpan,
                format!("aspect {term:?} is annotated twice"),
                "read once",
            ),
        }
        kept.2 = match (kept.2, again.2) {
            (Some(a), Some(b)) => Some(a.merge(b)),
            (a, b) => a.or(b),
        };
    });
    keep_cuts(sentence, &placed, Mark::Aspect);
    sentence.aspects = placed
        .into_iter()
        .map(|(span, _, polarity)| Aspect { span, polarity })
        .collect();
    Some(order)
}

/// Sets the opinions of the sentence. Returns the new index of every element of `opinions`.
fn add_opinions(
    sentence: &mut AnnotatedSentence,
    opinions: Vec<Span>,
    report: &mut Report<'_>,
) -> Option<Vec<usize>> {
    let mut placed = Vec::with_capacity(opinions.len());
    for bytes in opinions {
        let span = place_on_tokens(sentence, bytes, "opinion", report)?;
        placed.push((span, bytes, ()));
    }
    let order = sort_and_merge(&mut placed, |_, again| {
        let term = again.1.of(&sentence.text).unwrap_or("");
        report.add(
            ProblemKind::RepeatedSpan,
            format!("opinion {term:?} is annotated twice"),
            "read once",
        );
    });
    keep_cuts(sentence, &placed, Mark::Opinion);
    sentence.opinions = Some(placed.into_iter().map(|(span, ..)| span).collect());
    Some(order)
}

/// Stores the exact bytes of annotations that begin or end inside a token.
fn keep_cuts<T>(sentence: &mut AnnotatedSentence, placed: &[Placed<T>], mark: fn(usize) -> Mark) {
    for (i, &(span, bytes, _)) in placed.iter().enumerate() {
        if sentence.bytes(span) != bytes {
            let mark = mark(i);
            sentence.extra.cuts.push(Cut { mark, bytes });
        }
    }
}

fn renumber_links(
    links: Vec<Link>,
    aspects: &[usize],
    opinions: &[usize],
    report: &mut Report<'_>,
) -> Option<Vec<Link>> {
    let mut kept = Vec::with_capacity(links.len());
    for link in links {
        match (aspects.get(link.aspect), opinions.get(link.opinion)) {
            (Some(&aspect), Some(&opinion)) => kept.push(Link { aspect, opinion }),
            _ => {
                let (aspect, opinion) = (link.aspect, link.opinion);
                return report.refuse(
                    ProblemKind::Malformed,
                    format!("link [{aspect}, {opinion}] refers to a missing aspect or opinion"),
                    "a link is a pair of indices: aspect and opinion, from 0",
                );
            }
        }
    }
    kept.sort_unstable();
    kept.dedup();
    Some(kept)
}

fn renumber_categories(
    categories: &mut [CategoryOpinion],
    aspects: &[usize],
    report: &mut Report<'_>,
) -> Option<()> {
    for category in categories {
        let Some(aspect) = category.aspect else {
            continue;
        };
        let Some(&sorted) = aspects.get(aspect) else {
            let name = &category.category;
            return report.refuse(
                ProblemKind::Malformed,
                format!("category {name:?} refers to aspect {aspect}, which does not exist"),
                "indices of aspects start at 0",
            );
        };
        category.aspect = Some(sorted);
    }
    Some(())
}

/// The tokens that `bytes` touches.
fn place_on_tokens(
    sentence: &AnnotatedSentence,
    bytes: Span,
    what: &str,
    report: &mut Report<'_>,
) -> Option<Span> {
    let start = sentence
        .tokens
        .partition_point(|token| token.end <= bytes.start);
    let end = sentence
        .tokens
        .partition_point(|token| token.start < bytes.end);
    let term = bytes.of(&sentence.text).unwrap_or("");
    if start >= end {
        return report.refuse(
            ProblemKind::OffsetMismatch,
            format!("{what} {term:?} contains no token"),
            "an annotation needs at least one visible character",
        );
    }
    let span = Span::new(start, end);
    let inner = term.trim_start_matches(is_separator);
    let from = bytes.end - inner.len();
    let to = from + inner.trim_end_matches(is_separator).len();
    let edges = sentence.bytes(span);
    if (from, to) != (edges.start, edges.end) {
        let whole = edges.of(&sentence.text).unwrap_or("");
        report.add(
            ProblemKind::CutToken,
            format!("{what} {term:?} begins or ends inside a token of {whole:?}"),
            "the model uses the whole tokens; the exact offsets are kept",
        );
    }
    Some(span)
}

/// Sorts by position and merges equal byte spans. Returns the new index of every old index.
fn sort_and_merge<T>(
    spans: &mut Vec<Placed<T>>,
    mut merge: impl FnMut(&mut Placed<T>, &Placed<T>),
) -> Vec<usize> {
    let mut sorted: Vec<(usize, Placed<T>)> = spans.drain(..).enumerate().collect();
    sorted.sort_by_key(|(_, (tokens, bytes, _))| (*tokens, *bytes));
    let mut new_index = vec![0; sorted.len()];
    for (old, entry) in sorted {
        match spans.last_mut() {
            Some(last) if last.1 == entry.1 => merge(last, &entry),
            _ => spans.push(entry),
        }
        if let Some(slot) = new_index.get_mut(old) {
            *slot = spans.len() - 1;
        }
    }
    new_index
}
