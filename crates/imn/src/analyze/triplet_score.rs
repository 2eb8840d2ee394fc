//! F1 of (aspect, opinion) pairs and (aspect, opinion, sentiment) triplets, end to end.
//!
//! Nothing of the annotation is given: the network finds the terms and the sentiments, and the
//! pairing rule of `imn analyze` links them. A pair is right if both spans are exactly those of an
//! annotated link; a triplet, if the sentiment of the aspect is right too.

use serde::Serialize;

use super::pairing::{PairingRule, attention_shares, links};
use crate::data::{Polarity, Span};
use crate::eval::{Matches, Prf};
use crate::model::TagSet;
use crate::predict::{InferredSentence, Term, Terms, sentiment};

/// How well pairs and triplets are found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TripletScores {
    /// Pairs of the annotation, of the model, and of both.
    pub pair_counts: Matches,
    /// Precision, recall and F1 of pairs, in percent.
    pub pairs: Prf,
    /// Pairs of the annotation whose two terms the model has found: the most that any rule for
    /// links could get right.
    pub findable_pairs: u64,
    /// Triplets of the annotation, of the model, and of both.
    pub triplet_counts: Matches,
    /// Precision, recall and F1 of triplets, in percent.
    pub triplets: Prf,
}

/// An aspect, an opinion about it, and the sentiment towards the aspect.
type Triplet = (Span, Span, Option<Polarity>);

/// Scores the pairs and triplets of the sentences that have links; `None` if none has. A triplet of
/// the annotation whose aspect has no sentiment, or *conflict*, cannot be found.
#[must_use]
pub fn triplet_scores(
    sentences: &[InferredSentence<'_>],
    tag_set: TagSet,
) -> Option<TripletScores> {
    let (mut pair_counts, mut triplet_counts) = (Matches::default(), Matches::default());
    let mut findable_pairs = 0;
    let mut has_links = false;
    for inferred in sentences {
        let Some(gold) = annotated(inferred) else {
            continue;
        };
        has_links = true;
        let Found { terms, triplets } = found(inferred, tag_set);
        let findable = gold.iter().filter(|(aspect, opinion, _)| {
            terms.aspects.contains(aspect) && terms.opinions.contains(opinion)
        });
        findable_pairs += findable.count() as u64;
        let pair = |(aspect, opinion, _): &Triplet| (*aspect, *opinion);
        let gold_pairs: Vec<_> = gold.iter().map(pair).collect();
        let right_pairs = triplets
            .iter()
            .filter(|one| gold_pairs.contains(&pair(one)));
        add(
            &mut pair_counts,
            gold.len(),
            triplets.len(),
            right_pairs.count(),
        );
        let right = triplets.iter().filter(|one| gold.contains(one));
        add(
            &mut triplet_counts,
            gold.len(),
            triplets.len(),
            right.count(),
        );
    }
    has_links.then(|| TripletScores {
        pair_counts,
        pairs: pair_counts.prf(),
        findable_pairs,
        triplet_counts,
        triplets: triplet_counts.prf(),
    })
}

fn add(matches: &mut Matches, gold: usize, predicted: usize, correct: usize) {
    matches.gold += gold as u64;
    matches.predicted += predicted as u64;
    matches.correct += correct as u64;
}

/// The triplets of the annotation; `None` if it has no links.
fn annotated(inferred: &InferredSentence<'_>) -> Option<Vec<Triplet>> {
    let sentence = inferred.sentence;
    let opinions = sentence.opinions.as_deref().unwrap_or_default();
    let triplet = |link: &crate::data::Link| {
        let aspect = sentence.aspects.get(link.aspect)?;
        Some((aspect.span, *opinions.get(link.opinion)?, aspect.polarity))
    };
    let mut triplets: Vec<Triplet> = sentence
        .links
        .as_ref()?
        .iter()
        .filter_map(triplet)
        .collect();
    triplets.sort_unstable_by_key(|(aspect, opinion, _)| (aspect.start, opinion.start));
    triplets.dedup();
    Some(triplets)
}

/// The terms of a sentence, in its own words.
#[derive(Default)]
struct Spans {
    aspects: Vec<Span>,
    opinions: Vec<Span>,
}

/// What the model has found in a sentence.
#[derive(Default)]
struct Found {
    terms: Spans,
    triplets: Vec<Triplet>,
}

/// The terms and triplets that `imn analyze` would give.
fn found(inferred: &InferredSentence<'_>, tag_set: TagSet) -> Found {
    let words: Vec<&str> = inferred.sentence.words().collect();
    let mut found = Found::default();
    for (start, output) in &inferred.pieces {
        let terms = Terms::of(output, tag_set.tags());
        let spans = |terms: &[Term]| terms.iter().map(|term| term.span).collect::<Vec<_>>();
        let (aspects, opinions) = (spans(&terms.aspects), spans(&terms.opinions));
        let length = output.tags.len() / tag_set.tags().len();
        let shares = attention_shares(&output.attention, length, &aspects, &opinions);
        let words = &words[*start..start + length];
        let in_sentence = |span: &Span| Span::new(start + span.start, start + span.end);
        let links = links(PairingRule::default(), &shares, words, &aspects, &opinions);
        found.triplets.extend(links.into_iter().map(|link| {
            let aspect = &aspects[link.aspect];
            let (sentiment, _) = sentiment(output, *aspect);
            let opinion = in_sentence(&opinions[link.opinion]);
            (in_sentence(aspect), opinion, Some(sentiment.into()))
        }));
        let terms = &mut found.terms;
        terms.aspects.extend(aspects.iter().map(in_sentence));
        terms.opinions.extend(opinions.iter().map(in_sentence));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{AnnotatedSentence, Aspect, Link};
    use crate::predict::SentenceOutput;

    /// "soup great": BA BP, positive.
    fn sentence_output() -> SentenceOutput {
        SentenceOutput {
            tags: [[0.8, 0.1, 0.0, 0.0, 0.1], [0.1, 0.0, 0.7, 0.0, 0.2]].concat(),
            polarities: [[0.6, 0.3, 0.1], [0.1, 0.8, 0.1]].concat(),
            attention: vec![0.0, 1.0, 1.0, 0.0],
            ..SentenceOutput::default()
        }
    }

    /// "soup great staff slow", read in two pieces of two words.
    fn scores(polarity: Polarity, links: Option<Vec<Link>>) -> Option<TripletScores> {
        let mut sentence = AnnotatedSentence::from_words(["soup", "great", "staff", "slow"]);
        let aspect = |start, polarity| Aspect {
            span: Span::new(start, start + 1),
            polarity: Some(polarity),
        };
        sentence.aspects = vec![aspect(0, Polarity::Positive), aspect(2, polarity)];
        sentence.opinions = Some(vec![Span::new(1, 2), Span::new(3, 4)]);
        sentence.links = links;
        let inferred = InferredSentence {
            sentence: &sentence,
            pieces: vec![(0, sentence_output()), (2, sentence_output())],
        };
        triplet_scores(&[inferred], TagSet::AspectsAndOpinions)
    }

    #[test]
    fn pairs_need_both_spans_and_triplets_the_sentiment_too() {
        let link = |aspect, opinion| Link { aspect, opinion };
        let both = Some(vec![link(0, 0), link(1, 1)]);
        let right = scores(Polarity::Positive, both.clone()).unwrap();
        assert_eq!((right.pairs.f1, right.triplets.f1), (100.0, 100.0));
        let wrong = scores(Polarity::Negative, both).unwrap();
        assert_eq!((wrong.pairs.f1, wrong.triplets.f1), (100.0, 50.0));
        let crossed = scores(Polarity::Positive, Some(vec![link(0, 1)])).unwrap();
        assert_eq!((crossed.pairs.f1, crossed.pair_counts.gold), (0.0, 1));
        // Both terms were found, but the rule does not link terms of different pieces.
        assert_eq!(crossed.findable_pairs, 1);
        assert_eq!(scores(Polarity::Positive, None), None);
    }
}
