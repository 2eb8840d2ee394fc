//! Unified tags combine a boundary and a sentiment: {B, I, …} × {POS, NEG, NEU}, plus BP, IP and O.
//!
//! Boundary classes are ordered: aspect boundaries, BP and IP (if opinions are labelled), O.
//! Unified classes have the same order, with three classes per aspect boundary.

use imn::data::{AeTag, Aspect, Sentiment, Span, decode_tags};
use imn::model::{Example, Prediction, TagSet, argmax};
use imn_nn::{Tape, Var};

use super::readout::rows_by_sentence;

/// The encoding of aspect boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundaries {
    /// B begins an aspect, I continues it.
    BeginInside,
    /// B begins an aspect, I continues it, E ends it; S is an aspect of one word.
    BeginInsideEndSingle,
}

/// A set of unified tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnifiedTags {
    /// The encoding of boundaries.
    pub boundaries: Boundaries,
    /// Whether there are BP and IP.
    pub tag_set: TagSet,
}

const BEGIN: usize = 0;
const INSIDE: usize = 1;
const END: usize = 2;
const SINGLE: usize = 3;

impl UnifiedTags {
    /// The number of aspect boundaries.
    fn aspect_boundaries(self) -> usize {
        match self.boundaries {
            Boundaries::BeginInside => 2,
            Boundaries::BeginInsideEndSingle => 4,
        }
    }

    /// The tags without a sentiment: BP, IP and O, or only O.
    fn others(self) -> &'static [AeTag] {
        match self.tag_set {
            TagSet::AspectsAndOpinions => &[AeTag::BP, AeTag::IP, AeTag::O],
            TagSet::Aspects => &[AeTag::O],
        }
    }

    /// The number of boundary classes.
    #[must_use]
    pub fn boundary_classes(self) -> usize {
        self.aspect_boundaries() + self.others().len()
    }

    /// The number of unified classes.
    #[must_use]
    pub fn unified_classes(self) -> usize {
        self.aspect_boundaries() * Sentiment::CLASSES.len() + self.others().len()
    }

    /// The index of a tag among the tags without a sentiment. A missing tag counts as O, the last
    /// one.
    fn other(self, tag: AeTag) -> usize {
        let others = self.others();
        let found = others.iter().position(|&other| other == tag);
        found.unwrap_or(others.len() - 1)
    }

    /// The boundary class of every word.
    #[must_use]
    pub fn boundaries(self, sentence: &Example) -> Vec<usize> {
        let tags = sentence.tags();
        let continues = |i: usize| tags.get(i + 1) == Some(&AeTag::IA);
        let words = tags.iter().enumerate();
        words
            .map(|(i, &tag)| match (tag, self.boundaries) {
                (AeTag::BA, Boundaries::BeginInsideEndSingle) if !continues(i) => SINGLE,
                (AeTag::BA, _) => BEGIN,
                (AeTag::IA, Boundaries::BeginInsideEndSingle) if !continues(i) => END,
                (AeTag::IA, _) => INSIDE,
                (other, _) => self.aspect_boundaries() + self.other(other),
            })
            .collect()
    }

    /// The unified class of every word; `None` in an aspect without one of the three sentiments
    /// (*conflict*).
    #[must_use]
    pub fn unified(self, sentence: &Example) -> Vec<Option<u32>> {
        let boundaries = self.boundaries(sentence).into_iter();
        let words = boundaries.zip(sentence.polarities());
        words
            .map(|(boundary, polarity)| {
                if boundary < self.aspect_boundaries() {
                    Some((boundary * Sentiment::CLASSES.len()) as u32 + (*polarity)?)
                } else {
                    let other = boundary - self.aspect_boundaries();
                    Some((self.aspect_boundaries() * Sentiment::CLASSES.len() + other) as u32)
                }
            })
            .collect()
    }

    /// W_tr, which maps boundaries to unified tags, one row per boundary: 1/3 for each sentiment of
    /// an aspect boundary, and 1 from any other tag to itself.
    #[must_use]
    pub fn transition(self) -> Vec<f32> {
        let (rows, columns) = (self.boundary_classes(), self.unified_classes());
        let mut matrix = vec![0.0; rows * columns];
        let with_sentiment = self.aspect_boundaries();
        for row in 0..rows {
            if row < with_sentiment {
                let from = row * columns + row * Sentiment::CLASSES.len();
                matrix[from..from + Sentiment::CLASSES.len()]
                    .fill(1.0 / Sentiment::CLASSES.len() as f32);
            } else {
                let other = row - with_sentiment;
                matrix[row * columns + with_sentiment * Sentiment::CLASSES.len() + other] = 1.0;
            }
        }
        matrix
    }

    /// The predictions of the most probable unified classes, by sentence. `unified` has one row per
    /// word.
    pub(super) fn predictions(self, tape: &Tape<'_, f32>, unified: Var) -> Vec<Prediction> {
        let prediction = |rows: Vec<&[f32]>| {
            let classes: Vec<usize> = rows.iter().map(|row| argmax(row)).collect();
            self.decode(&classes)
        };
        rows_by_sentence(tape, unified).map(prediction).collect()
    }

    /// Decodes unified classes. An aspect starts at B or S and includes the I and E words that
    /// follow a B. Its sentiment is that of its first word. I and E without a B are ignored.
    #[must_use]
    pub fn decode(self, classes: &[usize]) -> Prediction {
        let with_sentiment = self.aspect_boundaries() * Sentiment::CLASSES.len();
        let boundary =
            |class: usize| (class < with_sentiment).then_some(class / Sentiment::CLASSES.len());
        let mut aspects = Vec::new();
        let mut i = 0;
        while i < classes.len() {
            let start = i;
            i += 1;
            match boundary(classes[start]) {
                Some(BEGIN) => {
                    while let Some(next @ (INSIDE | END)) =
                        classes.get(i).copied().and_then(boundary)
                    {
                        i += 1;
                        if next == END {
                            break;
                        }
                    }
                }
                Some(SINGLE) => {}
                _ => continue,
            }
            aspects.push(Aspect {
                span: Span::new(start, i),
                polarity: Some(
                    Sentiment::CLASSES[classes[start] % Sentiment::CLASSES.len()].into(),
                ),
            });
        }
        let tag = |class: &usize| {
            let other = class.checked_sub(with_sentiment);
            let tag = other.and_then(|other| self.others().get(other));
            tag.copied().unwrap_or(AeTag::O)
        };
        let tags: Vec<AeTag> = classes.iter().map(tag).collect();
        Prediction {
            aspects,
            opinions: decode_tags(&tags).opinions,
            opinion: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use imn::data::Polarity;
    use imn::model::{GoldLabels, Labels};

    const BIES: UnifiedTags = UnifiedTags {
        boundaries: Boundaries::BeginInsideEndSingle,
        tag_set: TagSet::AspectsAndOpinions,
    };

    /// "great pad thai rolls , slow waiter": a positive aspect of three words, a negative one of
    /// one word, two opinions.
    fn sentence() -> Example {
        use AeTag::*;
        Example {
            features: vec![0; 7].into(),
            labels: Labels::Gold(GoldLabels {
                tags: vec![BP, BA, IA, IA, O, BP, BA],
                polarities: vec![None, Some(0), Some(0), Some(0), None, None, Some(1)],
            }),
            aspects: vec![Span::new(1, 4), Span::new(6, 7)],
            ..Example::default()
        }
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        for boundaries in [Boundaries::BeginInside, Boundaries::BeginInsideEndSingle] {
            let tags = UnifiedTags { boundaries, ..BIES };
            let classes = tags.unified(&sentence());
            let classes: Vec<usize> = classes
                .iter()
                .map(|class| class.unwrap() as usize)
                .collect();
            let decoded = tags.decode(&classes);
            let aspect = |start, end, polarity| Aspect {
                span: Span::new(start, end),
                polarity: Some(polarity),
            };
            assert_eq!(
                decoded.aspects,
                [
                    aspect(1, 4, Polarity::Positive),
                    aspect(6, 7, Polarity::Negative)
                ]
            );
            assert_eq!(decoded.opinions, [Span::new(0, 1), Span::new(5, 6)]);
        }
        assert_eq!(BIES.boundaries(&sentence()), [4, 0, 1, 2, 6, 4, 3]);
        assert_eq!((BIES.boundary_classes(), BIES.unified_classes()), (7, 15));
    }

    #[test]
    fn an_aspect_in_conflict_has_no_unified_class_and_opinions_may_be_unlabelled() {
        let mut sentence = sentence();
        sentence.labels = Labels::Gold(GoldLabels {
            tags: sentence.tags().to_vec(),
            polarities: vec![None; 7],
        });
        let classes = BIES.unified(&sentence);
        assert_eq!(classes[1..4], [None, None, None]);
        assert_eq!(classes[4], Some(14));
        let without = UnifiedTags {
            tag_set: TagSet::Aspects,
            ..BIES
        };
        assert_eq!(without.unified(&sentence)[0], Some(12));
        assert!(without.decode(&[12, 12]).opinions.is_empty());
    }

    #[test]
    fn an_aspect_has_the_sentiment_of_its_first_word_and_orphans_are_ignored() {
        // I-POS, B-NEG, E-POS, E-POS, S-NEU
        let decoded = BIES.decode(&[3, 1, 6, 6, 11]);
        let found: Vec<_> = decoded
            .aspects
            .iter()
            .map(|a| (a.span, a.polarity))
            .collect();
        assert_eq!(
            found,
            [
                (Span::new(1, 3), Some(Polarity::Negative)),
                (Span::new(4, 5), Some(Polarity::Neutral))
            ]
        );
    }

    #[test]
    fn boundaries_distribute_their_probability() {
        let matrix = BIES.transition();
        for (boundary, row) in matrix.chunks(15).enumerate() {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            match boundary {
                0..4 => assert_eq!(row[boundary * 3 + 2], 1.0 / 3.0),
                _ => assert_eq!(row[12 + boundary - 4], 1.0),
            }
        }
    }
}
