//! Converts an analysis to a document of Azure Language.

use imn::analyze::{AnalyzedReview, FoundAspect, FoundOpinion, SentenceScores, StepwiseText};
use imn::data::Sentiment;
use imn::text::Span;

use super::answer::{
    AzureAssessment, AzureDocument, AzureRelation, AzureScores, AzureSentence, AzureStatistics,
    AzureTarget, AzureTargetScores,
};
use super::request::StringIndexType;
use super::units::Units;

/// Maximum number of words between a negation and an opinion.
const NEGATION_REACH: usize = 3;

/// Words that negate an opinion.
const NEGATIONS: [&str; 12] = [
    "not", "no", "never", "none", "nothing", "neither", "nor", "without", "hardly", "barely",
    "cannot", "scarcely",
];

/// How a document is written.
#[derive(Debug, Clone, Copy)]
struct Form<'a> {
    units: &'a Units<'a>,
    /// The position of the document in the answer.
    number: usize,
    opinions: bool,
}

/// The document of an analysed text; `number` is its position in the answer.
#[must_use]
pub fn document(
    id: String,
    number: usize,
    text: StepwiseText,
    unit: StringIndexType,
    opinions: bool,
    statistics: bool,
) -> AzureDocument {
    let read = text.sentences().to_vec();
    let review = text.into_review();
    let units = Units::new(&review.text, unit);
    let form = Form {
        units: &units,
        number,
        opinions,
    };
    let sentences: Vec<AzureSentence> = read
        .iter()
        .enumerate()
        .map(|(at, read)| sentence(&review, form, at, read))
        .collect();
    let characters = units.length();
    AzureDocument {
        id,
        sentiment: overall(sentences.iter().map(|sentence| sentence.sentiment)),
        confidence_scores: mean(sentences.iter().map(|sentence| sentence.confidence_scores)),
        sentences,
        warnings: Vec::new(),
        statistics: statistics.then(|| AzureStatistics {
            characters_count: characters,
            transactions_count: characters.div_ceil(1000).max(1),
        }),
    }
}

/// The label of a document, by the rule of Azure: `mixed` if it has positive and negative
/// sentences, otherwise the label of its sentences that are not neutral.
fn overall<'a>(sentences: impl Iterator<Item = &'a str>) -> &'static str {
    let (mut positive, mut negative) = (false, false);
    for sentence in sentences {
        positive |= sentence == Sentiment::Positive.name();
        negative |= sentence == Sentiment::Negative.name();
    }
    match (positive, negative) {
        (true, true) => "mixed",
        (true, false) => Sentiment::Positive.name(),
        (false, true) => Sentiment::Negative.name(),
        (false, false) => Sentiment::Neutral.name(),
    }
}

/// Probabilities in the order of the network; neutral if the network does not predict the sentiment
/// of sentences.
fn scores(row: Option<&[f32]>) -> AzureScores {
    let of = |sentiment: Sentiment| {
        let score = row.and_then(|row| row.get(sentiment.index()));
        score.copied().map_or(
            f32::from(u8::from(sentiment == Sentiment::Neutral)),
            rounded,
        )
    };
    AzureScores {
        positive: of(Sentiment::Positive),
        neutral: of(Sentiment::Neutral),
        negative: of(Sentiment::Negative),
    }
}

/// Rounds to two digits, as Azure does.
fn rounded(score: f32) -> f32 {
    (100.0 * score).round() / 100.0
}

fn mean(all: impl ExactSizeIterator<Item = AzureScores>) -> AzureScores {
    let share = 1.0 / all.len().max(1) as f32;
    let none = AzureScores {
        positive: 0.0,
        neutral: 0.0,
        negative: 0.0,
    };
    let sum = all.fold(none, |sum, scores| AzureScores {
        positive: sum.positive + share * scores.positive,
        neutral: sum.neutral + share * scores.neutral,
        negative: sum.negative + share * scores.negative,
    });
    AzureScores {
        positive: rounded(sum.positive),
        neutral: rounded(sum.neutral),
        negative: rounded(sum.negative),
    }
}

/// The probabilities of a sentence: the mean of its aspects; without aspects, those of the network.
fn sentence_scores(aspects: &[&FoundAspect], read: &SentenceScores) -> AzureScores {
    if aspects.is_empty() {
        return scores(read.scores.as_deref());
    }
    mean(aspects.iter().map(|aspect| {
        let of = |sentiment: Sentiment| match sentiment == aspect.sentiment {
            true => aspect.sentiment_confidence,
            false => (1.0 - aspect.sentiment_confidence) / 2.0,
        };
        AzureScores {
            positive: of(Sentiment::Positive),
            neutral: of(Sentiment::Neutral),
            negative: of(Sentiment::Negative),
        }
    }))
}

fn label(scores: &AzureScores) -> Sentiment {
    let AzureScores {
        positive,
        neutral,
        negative,
    } = *scores;
    if positive > neutral && positive >= negative {
        Sentiment::Positive
    } else if negative > neutral {
        Sentiment::Negative
    } else {
        Sentiment::Neutral
    }
}

fn sentence(
    review: &AnalyzedReview,
    form: Form<'_>,
    at: usize,
    read: &SentenceScores,
) -> AzureSentence {
    let span = read.span;
    let within = |start: usize, end: usize| span.start <= start && end <= span.end;
    let opinions: Vec<usize> = (0..review.opinions.len())
        .filter(|&i| within(review.opinions[i].start, review.opinions[i].end))
        .collect();
    let aspects: Vec<&FoundAspect> = review
        .aspects
        .iter()
        .filter(|aspect| within(aspect.start, aspect.end))
        .collect();
    let scores = sentence_scores(&aspects, read);
    let sentiment = label(&scores);
    let target = |aspect: &&FoundAspect| {
        let (offset, length) = form.units.span(aspect.start, aspect.end);
        let links = aspect.opinions.iter();
        let positions = links.filter_map(|link| opinions.iter().position(|&i| i == link.opinion));
        AzureTarget {
            sentiment: aspect.sentiment.name(),
            confidence_scores: target_scores(aspect.sentiment, aspect.sentiment_confidence),
            offset,
            length,
            text: aspect.term.clone(),
            relations: positions
                .map(|position| AzureRelation {
                    relation_type: "assessment",
                    r#ref: format!(
                        "#/documents/{}/sentences/{at}/assessments/{position}",
                        form.number
                    ),
                })
                .collect(),
        }
    };
    let assessment = |&i: &usize| {
        let opinion = &review.opinions[i];
        let (offset, length) = form.units.span(opinion.start, opinion.end);
        let (sentiment, confidence_scores) = assessed(&aspects, i, sentiment, scores);
        AzureAssessment {
            sentiment,
            confidence_scores,
            offset,
            length,
            text: opinion.term.clone(),
            is_negated: is_negated(&review.text, span, opinion),
        }
    };
    let (offset, length) = form.units.span(span.start, span.end);
    AzureSentence {
        sentiment: sentiment.name(),
        confidence_scores: scores,
        offset,
        length,
        text: span.of(&review.text).unwrap_or_default().to_owned(),
        targets: form.opinions.then(|| aspects.iter().map(target).collect()),
        assessments: form
            .opinions
            .then(|| opinions.iter().map(assessment).collect()),
    }
}

/// Positive and negative sum to 1; neutral is the middle.
fn target_scores(sentiment: Sentiment, confidence: f32) -> AzureTargetScores {
    let positive = match sentiment {
        Sentiment::Positive => rounded(confidence),
        Sentiment::Negative => rounded(1.0 - confidence),
        Sentiment::Neutral => 0.5,
    };
    AzureTargetScores {
        positive,
        negative: rounded(1.0 - positive),
    }
}

/// The sentiment of an opinion: that of the aspects that it is about, else that of its sentence.
fn assessed(
    aspects: &[&FoundAspect],
    opinion: usize,
    sentence: Sentiment,
    scores: AzureScores,
) -> (&'static str, AzureTargetScores) {
    let about = aspects
        .iter()
        .filter(|aspect| aspect.opinions.iter().any(|link| link.opinion == opinion));
    let about: Vec<&&FoundAspect> = about.collect();
    let Some(first) = about.first() else {
        let sum = scores.positive + scores.negative;
        let positive = if sum > 0.0 {
            scores.positive / sum
        } else {
            0.5
        };
        return (
            sentence.name(),
            target_scores(Sentiment::Positive, positive),
        );
    };
    let same = about
        .iter()
        .all(|aspect| aspect.sentiment == first.sentiment);
    let name = if same {
        first.sentiment.name()
    } else {
        "mixed"
    };
    let positive = about
        .iter()
        .map(|aspect| target_scores(aspect.sentiment, aspect.sentiment_confidence).positive);
    let positive = positive.sum::<f32>() / about.len() as f32;
    (name, target_scores(Sentiment::Positive, positive))
}

/// Whether a negation is among the words of an opinion ("not bad") or among the words before it in
/// its clause.
fn is_negated(text: &str, sentence: Span, opinion: &FoundOpinion) -> bool {
    let before = text.get(sentence.start..opinion.start).unwrap_or_default();
    let clause = before
        .rsplit([',', ';', ':', '('])
        .next()
        .unwrap_or_default();
    let before = clause.split_whitespace().rev().take(NEGATION_REACH);
    let own = text.get(opinion.start..opinion.end).unwrap_or_default();
    before
        .chain(own.split_whitespace())
        .map(|word| word.to_lowercase().replace('’', "'"))
        .any(|word| NEGATIONS.contains(&word.as_str()) || word.ends_with("n't"))
}
