//! What holds for any annotation.

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

proptest! {
    #[test]
    fn a_perfect_prediction_scores_100_wherever_there_is_something(gold in sentence()) {
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
    fn the_order_inside_a_sentence_does_not_matter((gold, mut predicted) in (sentence(), sentence())) {
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
