//! Properties that hold for any annotation.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::{Bootstrap, Counts, Metric, SentenceSpans, paired_test};
use crate::data::{AeTag, Aspect, Polarity, Span};

fn span() -> impl Strategy<Value = Span> {
    (0_usize..12, 1_usize..4).prop_map(|(start, length)| Span::new(start, start + length))
}

fn polarity() -> impl Strategy<Value = Option<Polarity>> {
    use Polarity::{Conflict, Negative, Neutral, Positive};
    select(vec![
        Some(Positive),
        Some(Negative),
        Some(Neutral),
        Some(Conflict),
        None,
    ])
}

fn sentence() -> impl Strategy<Value = SentenceSpans> {
    let aspect = (span(), polarity()).prop_map(|(span, polarity)| Aspect { span, polarity });
    (vec(aspect, 0..5), option::of(vec(span(), 0..5)), 0_u64..3).prop_map(
        |(aspects, opinions, orphans)| SentenceSpans {
            aspects,
            opinions,
            orphans,
        },
    )
}

fn pairs() -> impl Strategy<Value = Vec<(SentenceSpans, SentenceSpans)>> {
    vec((sentence(), sentence()), 0..8)
}

fn counts(pairs: &[(SentenceSpans, SentenceSpans)]) -> Vec<Counts> {
    pairs
        .iter()
        .map(|(gold, predicted)| Counts::of(gold, predicted))
        .collect()
}

/// Scores computed directly from tags, independently of [`Counts`]: for each gold begin tag, does
/// the prediction begin there and have the same length? Returns the number of correct aspects, the
/// number of correct sentiments, and F1-I in percent.
fn scored_by_tags(
    gold: &[AeTag],
    polarities: &[Option<Polarity>],
    tags: &[AeTag],
    sentiments: &[Option<Polarity>],
) -> (u64, u64, f64) {
    let run = |tags: &[AeTag], at: usize| {
        tags[at + 1..]
            .iter()
            .take_while(|&&tag| tag == AeTag::IA)
            .count()
    };
    let conflict = Some(Polarity::Conflict);
    let (mut found, mut right, mut wanted, mut on_conflict) = (0, 0, 0_u64, 0);
    for at in (0..gold.len()).filter(|&at| gold[at] == AeTag::BA) {
        let scored = polarities[at] != conflict;
        wanted += u64::from(scored);
        if tags[at] == AeTag::BA && run(gold, at) == run(tags, at) {
            found += 1;
            on_conflict += u64::from(!scored);
            right += u64::from(scored && polarities[at] == sentiments[at]);
        }
    }
    let claimed = tags.iter().filter(|&&tag| tag == AeTag::BA).count() as u64 - on_conflict;
    let ratio = |part: u64, whole: u64| {
        if whole == 0 {
            0.0
        } else {
            part as f64 / whole as f64
        }
    };
    let (precision, recall) = (ratio(right, claimed), ratio(right, wanted));
    let sum = precision + recall;
    (
        found,
        right,
        if sum > 0.0 {
            200.0 * precision * recall / sum
        } else {
            0.0
        },
    )
}

fn tagged() -> impl Strategy<Value = (Vec<AeTag>, Vec<Option<Polarity>>)> {
    use Polarity::{Conflict, Negative, Neutral, Positive};
    let tag = select(vec![AeTag::BA, AeTag::IA, AeTag::BP, AeTag::IP, AeTag::O]);
    let polarity = select(vec![
        Some(Positive),
        Some(Negative),
        Some(Neutral),
        Some(Conflict),
    ]);
    (vec(tag, 12), vec(polarity, 12))
}

proptest! {
    #[test]
    fn spans_and_tags_score_alike(
        (gold, polarities) in tagged(),
        (tags, mut sentiments) in tagged(),
    ) {
        // Systems do not predict conflict.
        for sentiment in sentiments.iter_mut().filter(|s| **s == Some(Polarity::Conflict)) {
            *sentiment = Some(Polarity::Positive);
        }
        let counts = Counts::of(
            &SentenceSpans::from_tags(&gold, |at| polarities[at]),
            &SentenceSpans::from_tags(&tags, |at| sentiments[at]),
        );
        let (found, right, f1) = scored_by_tags(&gold, &polarities, &tags, &sentiments);
        prop_assert_eq!((counts.aspects.correct, counts.integrated.correct), (found, right));
        let score = counts.scores().get(Metric::F1I).unwrap();
        prop_assert!((score - f1).abs() < 1e-9, "{} is not {}", score, f1);
    }

    #[test]
    fn a_perfect_prediction_scores_100_if_the_score_exists(gold in sentence()) {
        let counts = Counts::of(&gold, &gold);
        let scores = counts.scores();
        if counts.aspects.gold > 0 {
            prop_assert_eq!(scores.get(Metric::F1A), Some(100.0));
        }
        if counts.opinions.gold > 0 {
            prop_assert_eq!(scores.get(Metric::F1O), Some(100.0));
        }
        if counts.integrated.gold > 0 {
            prop_assert_eq!(scores.get(Metric::F1I), Some(100.0));
            prop_assert_eq!(scores.get(Metric::AccS), Some(100.0));
            prop_assert_eq!(scores.get(Metric::MacroF1S), Some(100.0));
        }
    }

    #[test]
    fn scores_are_percentages_and_counts_are_sane(pairs in pairs()) {
        let total: Counts = counts(&pairs).iter().sum();
        for matches in [total.aspects, total.opinions, total.integrated] {
            prop_assert!(matches.correct <= matches.gold.min(matches.predicted));
        }
        let extracted: u64 = total.sentiments.iter().map(|matches| matches.gold).sum();
        prop_assert!(extracted <= total.aspects.correct);
        for metric in Metric::ALL {
            if let Some(score) = total.scores().get(metric) {
                prop_assert!((0.0..=100.0 + 1e-9).contains(&score));
            }
        }
    }

    #[test]
    fn addition_is_associative_and_order_does_not_matter(mut pairs in pairs(), cut in 0_usize..8) {
        let all = counts(&pairs);
        let total: Counts = all.iter().sum();
        let (left, right) = all.split_at(cut.min(all.len()));
        let halves = left.iter().sum::<Counts>() + right.iter().sum::<Counts>();
        prop_assert_eq!(total, halves);
        pairs.reverse();
        prop_assert_eq!(total, counts(&pairs).iter().sum::<Counts>());
    }

    #[test]
    fn the_order_inside_a_sentence_does_not_matter(
        (gold, mut predicted) in (sentence(), sentence())
    ) {
        let before = Counts::of(&gold, &predicted);
        predicted.aspects.reverse();
        if let Some(opinions) = &mut predicted.opinions {
            opinions.reverse();
        }
        prop_assert_eq!(before, Counts::of(&gold, &predicted));
    }

    #[test]
    fn decoding_covers_every_tag_once(tags in vec(
        select(vec![AeTag::BA, AeTag::IA, AeTag::BP, AeTag::IP, AeTag::O]), 0..20,
    )) {
        let spans = SentenceSpans::from_tags(&tags, |_| None);
        let lengths = spans.aspects.iter().map(|aspect| aspect.span.len())
            .chain(spans.opinions.iter().flatten().map(|span| span.len()))
            .sum::<usize>();
        let outside = tags.iter().filter(|&&tag| tag == AeTag::O).count();
        prop_assert_eq!(lengths + outside + spans.orphans as usize, tags.len());
    }

    #[test]
    fn p_values_are_probabilities(pairs in pairs(), others in pairs()) {
        let length = pairs.len().min(others.len());
        let (a, b) = (counts(&pairs[..length]), counts(&others[..length]));
        let settings = Bootstrap { resamples: 20, ..Bootstrap::default() };
        for test in paired_test(&a, &b, &settings).unwrap() {
            prop_assert!(test.p_value > 0.0 && test.p_value <= 1.0);
        }
    }
}
