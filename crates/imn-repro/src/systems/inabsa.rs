//! INABSA (Li et al. 2019): two stacked LSTMs, where the boundaries of the lower one guide the
//! unified tags of the upper one.
//!
//! The lower bidirectional LSTM gives z^T, a softmax over boundaries. On its output, the upper one
//! has a gate for sentiment consistency, h̃_t = g ⊙ h_t + (1 − g) ⊙ h̃_{t−1} with g = σ(W h_t + b),
//! and gives z^S, a softmax over unified tags. Boundary guidance combines them: z = α z' + (1 − α)
//! z^S, with z' = z^T W_tr for a fixed W_tr, α = ε c and c = z^T · z^T.
//!
//! The loss is the cross-entropy of z plus that of z^T. If opinions are labelled, an auxiliary loss
//! is added: the lower LSTM predicts whether an opinion is within three words. (The original takes
//! opinion words from a lexicon.)

use imn::data::AeTag;
use imn::model::{Example, Network, Prediction, Role, SentenceBatch, TagSet};
use imn_nn::layers::Linear;
use imn_nn::{Builder, ParamId, Tape, Var};
use serde::{Deserialize, Serialize};

use super::check::{self, Problem};
use super::parts::{BiLstm, GroupSums, Words, constant, decode};
use super::unified::{Boundaries, UnifiedTags};
use super::{NetworkSettings, Setting};

/// The distance in words at which an opinion counts as near.
const NEAR: usize = 3;

/// Sizes of INABSA.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InabsaConfig {
    /// State size of each LSTM, per direction.
    pub hidden: usize,
    /// ε, the maximum weight of boundaries.
    pub guidance: f64,
    /// Dropout after the embedding and before the decoders.
    pub dropout: f64,
}

impl Default for InabsaConfig {
    fn default() -> Self {
        Self {
            hidden: 50,
            guidance: 0.5,
            dropout: 0.5,
        }
    }
}

/// The network.
#[derive(Debug, Clone)]
pub struct Inabsa {
    words: Words,
    lower: BiLstm,
    upper: BiLstm,
    boundary: Linear,
    gate: Linear,
    unified: Linear,
    /// Predicts whether an opinion is near, if opinions are labelled.
    near_opinion: Option<Linear>,
    transition: ParamId,
    sum: GroupSums,
    tags: UnifiedTags,
    guidance: f64,
    dropout: f64,
}

/// The output of the network, one row per word.
#[derive(Debug, Clone, Copy)]
pub struct Guided {
    /// Logits of z^T.
    pub boundary_logits: Var,
    /// z^T.
    pub boundaries: Var,
    /// z^S.
    pub sentiments: Var,
    /// z.
    pub unified: Var,
    /// Logits of whether an opinion is near.
    near_opinion: Option<Var>,
}

impl Inabsa {
    /// A network with new weights.
    #[must_use]
    pub fn new(
        builder: &mut Builder<'_, f32>,
        config: &InabsaConfig,
        setting: Setting<'_>,
    ) -> Self {
        let words = Words::new(builder, setting.vectors);
        let tags = UnifiedTags {
            boundaries: Boundaries::BeginInsideEndSingle,
            tag_set: setting.tag_set,
        };
        let both = 2 * config.hidden;
        let (boundaries, unified) = (tags.boundary_classes(), tags.unified_classes());
        let transition = constant(
            builder,
            "transition",
            &[boundaries, unified],
            tags.transition(),
        );
        let opinions = setting.tag_set == TagSet::AspectsAndOpinions;
        Self {
            lower: BiLstm::new(&mut builder.scope("lower"), words.dimensions, config.hidden),
            upper: BiLstm::new(&mut builder.scope("upper"), both, config.hidden),
            boundary: Linear::new(&mut builder.scope("boundary"), both, boundaries),
            gate: Linear::new(&mut builder.scope("gate"), both, both),
            unified: Linear::new(&mut builder.scope("unified"), both, unified),
            near_opinion: opinions
                .then(|| Linear::new(&mut builder.scope("near_opinion"), both, 2)),
            transition,
            sum: GroupSums::new(builder, "sum", 1, boundaries),
            tags,
            words,
            guidance: config.guidance,
            dropout: config.dropout,
        }
    }

    /// Runs the network.
    pub fn forward(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Guided {
        let x = self.words.forward(tape, &batch.input);
        let x = tape.dropout(x, self.dropout);
        let lower = self.lower.forward(tape, x);
        let boundary_logits = decode(tape, &self.boundary, lower, self.dropout);
        let boundaries = tape.softmax(boundary_logits);
        let upper = self.upper.forward(tape, lower);
        let gate = self.gate.forward(tape, upper);
        let gate = tape.sigmoid(gate);
        let consistent = tape.gated_scan(gate, upper);
        let logits = decode(tape, &self.unified, consistent, self.dropout);
        let sentiments = tape.softmax(logits);
        let unified = self.guide(tape, boundaries, sentiments);
        let near = self.near_opinion.as_ref();
        Guided {
            near_opinion: near.map(|near| decode(tape, near, lower, self.dropout)),
            boundary_logits,
            boundaries,
            sentiments,
            unified,
        }
    }

    /// z = α z' + (1 − α) z^S
    fn guide(&self, tape: &mut Tape<'_, f32>, boundaries: Var, sentiments: Var) -> Var {
        let guided = tape.linear(boundaries, self.transition, None);
        let squares = tape.mul(boundaries, boundaries);
        let confidence = self.sum.forward(tape, squares);
        let share = tape.scale(confidence, self.guidance);
        let rest = tape.one_minus(share);
        let guided = tape.mul_column(guided, share);
        let own = tape.mul_column(sentiments, rest);
        tape.add(guided, own)
    }
}

/// The class of every word: 1 if an opinion is near, otherwise 0.
fn near_opinions(sentence: &Example) -> Vec<Option<u32>> {
    let opinion = |tag: &AeTag| matches!(tag, AeTag::BP | AeTag::IP);
    let words = sentence.tags().len();
    (0..words)
        .map(|i| {
            let around = i.saturating_sub(NEAR)..words.min(i + NEAR + 1);
            Some(u32::from(sentence.tags()[around].iter().any(opinion)))
        })
        .collect()
}

impl NetworkSettings for InabsaConfig {
    fn build(&self, builder: &mut Builder<'_, f32>, setting: Setting<'_>) -> Box<dyn Network> {
        Box::new(Inabsa::new(builder, self, setting))
    }

    fn problem(&self) -> Option<Problem> {
        check::hidden(self.hidden)
            .or_else(|| check::share("network.guidance", self.guidance))
            .or_else(|| check::dropout(self.dropout))
    }
}

impl Network for Inabsa {
    fn role(&self) -> Role {
        Role::Integrated
    }

    fn tag_set(&self) -> TagSet {
        self.tags.tag_set
    }

    fn loss(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        let guided = self.forward(tape, batch);
        let classes = |sentence: &Example| {
            let boundaries = self.tags.boundaries(sentence).into_iter();
            boundaries.map(|class| Some(class as u32)).collect()
        };
        let unified = batch.of_words(|sentence| self.tags.unified(sentence));
        let mut loss = tape.token_likelihood(guided.unified, &unified, batch.mean);
        let boundaries = batch.of_words(classes);
        let boundary_loss =
            tape.token_cross_entropy(guided.boundary_logits, &boundaries, batch.mean);
        loss = tape.add(loss, boundary_loss);
        if let Some(logits) = guided.near_opinion {
            let labels = batch.of_words(near_opinions);
            let near_loss = tape.token_cross_entropy(logits, &labels, batch.mean);
            loss = tape.add(loss, near_loss);
        }
        loss
    }

    fn predict(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Vec<Prediction> {
        let unified = self.forward(tape, batch).unified;
        self.tags.predictions(tape, unified)
    }
}
