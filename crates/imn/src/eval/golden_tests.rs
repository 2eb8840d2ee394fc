//! The definitions of the paper, computed by hand on small sentences.

use super::{Counts, Matches, Metric, Scores, SentenceSpans};
use crate::data::AeTag::{BA, BP, IA, IP, O};
use crate::data::Polarity::{self, Conflict, Negative, Neutral, Positive};
use crate::data::{AeTag, Aspect, Span};

/// Aspects as (first, after, polarity), opinions as (first, after).
fn spans(aspects: &[(usize, usize, Polarity)], opinions: &[(usize, usize)]) -> SentenceSpans {
    SentenceSpans {
        aspects: aspects
            .iter()
            .map(|&(start, end, polarity)| Aspect {
                span: Span::new(start, end),
                polarity: Some(polarity),
            })
            .collect(),
        opinions: Some(
            opinions
                .iter()
                .map(|&(start, end)| Span::new(start, end))
                .collect(),
        ),
        orphans: 0,
    }
}

fn scores(sentences: &[(SentenceSpans, SentenceSpans)]) -> Scores {
    sentences
        .iter()
        .map(|(gold, predicted)| Counts::of(gold, predicted))
        .sum::<Counts>()
        .scores()
}

#[track_caller]
fn expect(scores: &Scores, expected: [f64; 6]) {
    for (metric, expected) in Metric::ALL.into_iter().zip(expected) {
        let score = scores.get(metric).unwrap();
        assert!(
            (score - expected).abs() < 1e-9,
            "{metric} is {score}, not {expected}"
        );
    }
}

#[test]
fn everything_right() {
    let sentence = spans(
        &[(0, 1, Positive), (2, 4, Negative), (5, 6, Neutral)],
        &[(1, 2)],
    );
    expect(&scores(&[(sentence.clone(), sentence)]), [100.0; 6]);
}

#[test]
fn nothing_predicted() {
    let gold = spans(&[(0, 1, Positive)], &[(1, 2)]);
    let result = scores(&[(gold, spans(&[], &[]))]);
    expect(&result, [0.0; 6]);
    assert_eq!((result.aspect.precision, result.aspect.recall), (0.0, 0.0));
}

#[test]
fn nothing_gold() {
    let predicted = spans(&[(0, 1, Positive)], &[(1, 2)]);
    expect(&scores(&[(spans(&[], &[]), predicted)]), [0.0; 6]);
}

#[test]
fn zero_divided_by_zero_is_zero() {
    expect(&scores(&[(spans(&[], &[]), spans(&[], &[]))]), [0.0; 6]);
    expect(
        &scores(&[
            (spans(&[], &[]), spans(&[], &[])),
            (
                spans(&[(0, 1, Positive)], &[(1, 2)]),
                spans(&[(0, 1, Positive)], &[(1, 2)]),
            ),
        ]),
        // F1-s counts all three classes, of which one occurs: (1 + 0 + 0)/3.
        [100.0, 100.0, 100.0, 100.0 / 3.0, 100.0, 100.0],
    );
}

#[test]
fn nothing_to_score_has_no_score() {
    let gold = SentenceSpans {
        opinions: None,
        ..spans(&[(0, 1, Positive)], &[])
    };
    let result = scores(&[(gold.clone(), spans(&[(0, 1, Positive)], &[(1, 2)]))]);
    assert_eq!(result.get(Metric::F1O), None);
    let mut bare = gold;
    bare.aspects[0].polarity = None;
    let result = scores(&[(bare.clone(), spans(&[(0, 1, Positive)], &[]))]);
    assert_eq!(result.get(Metric::F1A), Some(100.0));
    for metric in [Metric::AccS, Metric::F1S, Metric::MacroF1S, Metric::F1I] {
        assert_eq!(result.get(metric), None, "{metric}");
    }
    let result = scores(&[(spans(&[(0, 1, Positive)], &[]), bare)]);
    assert_eq!(result.get(Metric::F1I), None);
}

#[test]
fn a_conflict_span_predicted() {
    // Gold: conflict 0..1, positive 2..3. Both predicted positive.
    let gold = spans(&[(0, 1, Conflict), (2, 3, Positive)], &[]);
    let predicted = spans(&[(0, 1, Positive), (2, 3, Positive)], &[]);
    let counts = Counts::of(&gold, &predicted);
    assert_eq!(
        counts.aspects,
        Matches {
            gold: 2,
            predicted: 2,
            correct: 2
        }
    );
    assert_eq!(
        counts.integrated,
        Matches {
            gold: 1,
            predicted: 1,
            correct: 1
        }
    );
    assert_eq!(counts.gold_conflicts, 1);
    let result = counts.scores();
    assert_eq!(result.get(Metric::F1A), Some(100.0));
    assert_eq!(result.get(Metric::AccS), Some(100.0));
    assert_eq!(result.get(Metric::F1I), Some(100.0));
}

#[test]
fn a_conflict_span_missed_costs_f1_a_only() {
    let gold = spans(&[(0, 1, Conflict), (2, 3, Positive)], &[]);
    let result = scores(&[(gold, spans(&[(2, 3, Positive)], &[]))]);
    assert!((result.aspect.f1 - 200.0 / 3.0).abs() < 1e-9); // P = 1, R = 1/2
    assert_eq!(result.get(Metric::F1I), Some(100.0));
}

#[test]
fn a_wrong_boundary_on_a_conflict_span_counts_as_predicted() {
    // Only an exact match on a conflict aspect leaves the denominator.
    let gold = spans(&[(0, 2, Conflict), (3, 4, Positive)], &[]);
    let predicted = spans(&[(0, 1, Positive), (3, 4, Positive)], &[]);
    let counts = Counts::of(&gold, &predicted);
    assert_eq!(
        counts.integrated,
        Matches {
            gold: 1,
            predicted: 2,
            correct: 1
        }
    );
}

#[test]
fn a_prediction_of_conflict_is_a_wrong_sentiment() {
    let gold = spans(&[(0, 1, Positive), (2, 3, Conflict)], &[]);
    let predicted = spans(&[(0, 1, Conflict), (2, 3, Conflict)], &[]);
    let counts = Counts::of(&gold, &predicted);
    assert_eq!(
        counts.integrated,
        Matches {
            gold: 1,
            predicted: 1,
            correct: 0
        }
    );
    assert_eq!(
        counts.sentiments[0],
        Matches {
            gold: 1,
            predicted: 0,
            correct: 0
        }
    );
    assert_eq!(counts.scores().get(Metric::AccS), Some(0.0));
}

#[test]
fn a_wrong_boundary_is_wrong() {
    // Gold "hot dog" 1..3; predicted "dog" 2..3, and once "hot dog stand" 1..4.
    let gold = spans(&[(1, 3, Positive)], &[(0, 1)]);
    for wrong in [(2, 3), (1, 4), (1, 2)] {
        let predicted = spans(&[(wrong.0, wrong.1, Positive)], &[(0, 1)]);
        let result = scores(&[(gold.clone(), predicted)]);
        assert_eq!(result.get(Metric::F1A), Some(0.0));
        assert_eq!(result.get(Metric::AccS), Some(0.0));
        assert_eq!(result.get(Metric::F1I), Some(0.0));
        assert_eq!(result.get(Metric::F1O), Some(100.0));
    }
}

#[test]
fn opinions_next_to_aspects() {
    // "tasty(BP) noodles(BA) soup(IA) hot(BP) fresh(BP)": neighbours of either kind stay apart.
    let gold = SentenceSpans::from_tags(&[BP, BA, IA, BP, BP], |_| Some(Positive));
    let predicted = SentenceSpans::from_tags(&[BP, BA, IA, BP, IP], |_| Some(Positive));
    let counts = Counts::of(&gold, &predicted);
    assert_eq!(
        counts.aspects,
        Matches {
            gold: 1,
            predicted: 1,
            correct: 1
        }
    );
    // Gold {0..1, 3..4, 4..5}, predicted {0..1, 3..5}.
    assert_eq!(
        counts.opinions,
        Matches {
            gold: 3,
            predicted: 2,
            correct: 1
        }
    );
    // The tokens of an aspect predicted as an opinion are correct for neither.
    let predicted = SentenceSpans::from_tags(&[BP, BP, IP, O, O], |_| Some(Positive));
    let counts = Counts::of(&gold, &predicted);
    assert_eq!(
        counts.aspects,
        Matches {
            gold: 1,
            predicted: 0,
            correct: 0
        }
    );
    assert_eq!(
        counts.opinions,
        Matches {
            gold: 3,
            predicted: 2,
            correct: 1
        }
    );
}

#[test]
fn orphans_neither_help_nor_hurt_and_are_reported() {
    let tag = |tags: &[AeTag]| SentenceSpans::from_tags(tags, |_| Some(Negative));
    let gold = tag(&[BA, O, O, BP]);
    let clean = Counts::of(&gold, &gold);
    let messy = Counts::of(&gold, &tag(&[BA, O, IA, BP]));
    assert_eq!(messy.predicted_orphans, 1);
    assert_eq!(
        Counts {
            predicted_orphans: 0,
            ..messy
        },
        clean
    );
    // Directly after the term, an inside tag is no orphan: it makes the term longer, and wrong.
    assert_eq!(Counts::of(&gold, &tag(&[BA, IA, O, BP])).aspects.correct, 0);
}

#[test]
fn the_sentiment_of_the_first_token_decides() {
    let gold = SentenceSpans::from_tags(&[BA, IA], |_| Some(Negative));
    let mixed = [Negative, Positive];
    let predicted = SentenceSpans::from_tags(&[BA, IA], |at| Some(mixed[at]));
    assert_eq!(
        Counts::of(&gold, &predicted).scores().get(Metric::F1I),
        Some(100.0)
    );
}

#[test]
fn all_five_metrics_worked_out() {
    // Sentence 1: gold  pos 0..1, neg 2..4, conflict 6..7, neu 8..9;  opinions 1..2, 5..6
    //         predicted pos 0..1, pos 2..4, neg      6..7, neu 9..10; opinions 1..2, 4..5
    // Sentence 2: gold  pos 0..1, neu 3..4; predicted pos 0..1, neg 3..4; no opinions on either
    // side
    let first = (
        spans(
            &[
                (0, 1, Positive),
                (2, 4, Negative),
                (6, 7, Conflict),
                (8, 9, Neutral),
            ],
            &[(1, 2), (5, 6)],
        ),
        spans(
            &[
                (0, 1, Positive),
                (2, 4, Positive),
                (6, 7, Negative),
                (9, 10, Neutral),
            ],
            &[(1, 2), (4, 5)],
        ),
    );
    let second = (
        spans(&[(0, 1, Positive), (3, 4, Neutral)], &[]),
        spans(&[(0, 1, Positive), (3, 4, Negative)], &[]),
    );
    let result = scores(&[first, second]);
    // F1-a: gold 6, predicted 6, spans right 0..1, 2..4, 6..7 and 0..1, 3..4: 5.
    let f1_a = 100.0 * 5.0 / 6.0;
    // F1-o: one of two each way.
    let f1_o = 50.0;
    // Extracted and not conflict: pos→pos, neg→pos, pos→pos, neu→neg.
    let acc_s = 50.0;
    // Gold, predicted, correct: pos 2, 3, 2; neg 1, 1, 0; neu 1, 0, 0.
    let (precision, recall) = (100.0 * (2.0 / 3.0) / 3.0, 100.0 / 3.0);
    let f1_s = 2.0 * precision * recall / (precision + recall); // 26.67
    // Class F1s: pos 2·(2/3)/(5/3) = 0.8, neg 0, neu 0.
    let macro_f1 = 80.0 / 3.0;
    // F1-I: gold 5 (conflict out), predicted 6 − 1 on the conflict span = 5, right 2.
    let f1_i = 40.0;
    expect(&result, [f1_a, f1_o, acc_s, f1_s, macro_f1, f1_i]);
    assert!((result.sentiment.unwrap().f1_s.precision - precision).abs() < 1e-9);
}

#[test]
fn the_two_ways_to_average_differ() {
    // pos: gold 3, predicted 2, correct 2. neg: gold 1, predicted 2, correct 1. neutral does not
    // occur.
    let gold = spans(
        &[
            (0, 1, Positive),
            (1, 2, Positive),
            (2, 3, Positive),
            (3, 4, Negative),
        ],
        &[],
    );
    let predicted = spans(
        &[
            (0, 1, Positive),
            (1, 2, Positive),
            (2, 3, Negative),
            (3, 4, Negative),
        ],
        &[],
    );
    let sentiment = scores(&[(gold, predicted)]).sentiment.unwrap();
    // Authors: P = (1 + 1/2 + 0)/3 = 1/2, R = (2/3 + 1 + 0)/3 = 5/9,
    // 2PR/(P+R) = (5/9)/(19/18) = 10/19.
    assert!((sentiment.f1_s.f1 - 1000.0 / 19.0).abs() < 1e-9);
    // Ordinary: (0.8 + 2/3)/2 over the two classes that occur.
    assert!((sentiment.macro_f1 - 100.0 * (0.8 + 2.0 / 3.0) / 2.0).abs() < 1e-9);
}

#[test]
fn a_span_twice_counts_once_and_two_polarities_are_conflict() {
    let gold = spans(
        &[
            (0, 1, Positive),
            (0, 1, Negative),
            (2, 3, Neutral),
            (2, 3, Neutral),
        ],
        &[(1, 2), (1, 2)],
    );
    let counts = Counts::of(
        &gold,
        &spans(&[(0, 1, Positive), (2, 3, Neutral)], &[(1, 2)]),
    );
    assert_eq!(
        counts.aspects,
        Matches {
            gold: 2,
            predicted: 2,
            correct: 2
        }
    );
    assert_eq!(counts.gold_conflicts, 1);
    assert_eq!(
        counts.integrated,
        Matches {
            gold: 1,
            predicted: 1,
            correct: 1
        }
    );
    assert_eq!(
        counts.opinions,
        Matches {
            gold: 1,
            predicted: 1,
            correct: 1
        }
    );
}

#[test]
fn json_uses_the_names_of_the_paper() {
    for (at, metric) in Metric::ALL.into_iter().enumerate() {
        assert_eq!(serde_json::to_value(metric).unwrap(), metric.name());
        assert_eq!(metric as usize, at); // arrays of scores are indexed by it
    }
    let counts = Counts::of(&spans(&[(0, 1, Positive)], &[]), &spans(&[], &[]));
    let json = serde_json::to_string(&counts).unwrap();
    assert_eq!(serde_json::from_str::<Counts>(&json).unwrap(), counts);
}
