//! L_a, the loss of IMN on sentences: the cross entropies of ŷ^ae and ŷ^as after the last round.
//!
//! With soft labels, a word with the teacher's distributions q^ae and q^as has the loss
//! H(q^ae, ŷ^ae) + (q^ae(BA) + q^ae(IA)) · H(q^as, ŷ^as), where H is the cross entropy. The
//! factor is the probability that the word belongs to an aspect, so that it has a sentiment.

use imn_nn::{ClassSet, Tape, Var};

use super::imn::Imn;
use super::{Example, Labels, Network as _, SentenceBatch, SoftLabels, TagSet};
use crate::data::{AeTag, Sentiment};

impl Imn {
    pub(super) fn sentence_loss(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        let gold = batch.gold_opinions.then(|| {
            batch.of_words(|sentence| match sentence.opinion.as_slice() {
                [] => vec![None; sentence.len()],
                known => known.iter().copied().map(Some).collect(),
            })
        });
        // Without opinion labels there is nothing to transmit.
        let gold = gold.filter(|gold| gold.iter().any(Option::is_some));
        let round = self.forward(tape, &batch.input, gold.as_deref()).last();
        let mut ae = self.ae_loss(tape, batch, round.ae_logits);
        let polarities = batch.of_words(|sentence| match &sentence.labels {
            Labels::Gold(gold) => gold.polarities.clone(),
            Labels::Soft(_) => vec![None; sentence.len()],
        });
        let mut sentiment = tape.token_cross_entropy(round.as_logits, &polarities, batch.mean);
        let mut sentences = batch.sentences.iter();
        if sentences.any(|sentence| sentence.soft_labels().is_some()) {
            let tag_set = self.tag_set();
            let soft = |labels: &SoftLabels, weight| labels.tag_targets(tag_set, weight);
            let soft = soft_loss(tape, batch, round.ae_logits, tag_set.tags().len(), soft);
            ae = tape.add(ae, soft);
            let soft = |labels: &SoftLabels, weight| labels.sentiment_targets(tag_set, weight);
            let classes = Sentiment::CLASSES.len();
            let soft = soft_loss(tape, batch, round.as_logits, classes, soft);
            sentiment = tape.add(sentiment, soft);
        }
        let sentiment = match batch.sentiment_weight {
            1.0 => sentiment,
            weight => tape.scale(sentiment, weight),
        };
        tape.add(ae, sentiment)
    }

    /// The cross entropy of ŷ^ae with gold labels. In a sentence whose opinions are not labelled, a
    /// word outside its aspects may be O, BP or IP.
    fn ae_loss(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>, logits: Var) -> Var {
        let tag_set = self.tag_set();
        let class = |tag: AeTag| tag_set.class(tag);
        let has_opinions =
            |sentence: &Example| tag_set == TagSet::Aspects || !sentence.opinion.is_empty();
        if batch
            .sentences
            .iter()
            .all(|sentence| has_opinions(sentence))
        {
            let tags = batch.of_words(|sentence| match &sentence.labels {
                Labels::Gold(gold) => gold.tags.iter().map(|&tag| Some(class(tag))).collect(),
                Labels::Soft(_) => vec![None; sentence.len()],
            });
            return tape.token_cross_entropy(logits, &tags, batch.mean);
        }
        let outside = ClassSet::of([AeTag::O, AeTag::BP, AeTag::IP].map(class));
        let sets = batch.of_words(|sentence| {
            let has_opinions = has_opinions(sentence);
            let set = |&tag: &AeTag| match tag {
                AeTag::O if !has_opinions => Some(outside),
                tag => Some(ClassSet::of([class(tag)])),
            };
            match &sentence.labels {
                Labels::Gold(gold) => gold.tags.iter().map(set).collect(),
                Labels::Soft(_) => vec![None; sentence.len()],
            }
        });
        tape.token_set_cross_entropy(logits, &sets, batch.mean)
    }
}

/// The cross entropy of `columns` logits with soft labels. `targets` gives the distributions of a
/// sentence, multiplied by a weight.
fn soft_loss(
    tape: &mut Tape<'_, f32>,
    batch: &SentenceBatch<'_>,
    logits: Var,
    columns: usize,
    targets: impl Fn(&SoftLabels, f32) -> Vec<f32>,
) -> Var {
    let (weight, temperature) = (batch.distillation.weight, batch.distillation.temperature);
    // T² keeps the size of the gradients, which the division of both logits by T makes smaller.
    let weight = (weight * temperature * temperature) as f32;
    let targets = batch.of_words(|sentence| match sentence.soft_labels() {
        None => vec![0.0; sentence.len() * columns],
        Some(labels) => targets(labels, weight),
    });
    let logits = match temperature {
        1.0 => logits,
        temperature => tape.scale(logits, 1.0 / temperature),
    };
    tape.token_soft_cross_entropy(logits, &targets, batch.mean)
}
