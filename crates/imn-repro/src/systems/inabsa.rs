//! INABSA (Li et al. 2019): two stacked LSTMs, where the boundaries of the lower one guide the
//! unified tags of the upper one.
//!
//! The lower bidirectional LSTM gives z^T, a softmax over boundaries. On its output, the upper one
//! has a gate for sentiment consistency, h̃_t = g ⊙ h_t + (1 − g) ⊙ h̃_{t−1} with g = σ(W h_t + b),
//! and gives z^S, a softmax over unified tags. Boundary guidance combines them: z = α z' + (1 − α)
//! z^S, with z' = z^T W_tr for a fixed W_tr, α = ε c and c = z^T · z^T. The program of its authors
//! differs in two points: α = ε (1 − c) without a gradient, and the lower LSTM reads the vectors of
//! a word and of its neighbours. [`InabsaConfig`] has settings for both.
//!
//! The loss is the cross-entropy of z plus that of z^T. If opinions are labelled, an auxiliary loss
//! is added: the lower LSTM predicts whether an opinion is within three words. (The original takes
//! opinion words from a lexicon.)

use imn::data::AeTag;
use imn::model::{Example, Network, Prediction, Role, SentenceBatch, TagSet};
use imn_nn::layers::Linear;
use imn_nn::{Builder, ParamId, Rows, Tape, Var};
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
    /// When boundaries have that weight.
    #[serde(skip_serializing_if = "GuidedWhen::is_confident")]
    pub guided_when: GuidedWhen,
    /// Number of words whose vectors the lower LSTM reads in a step: an odd number up to 7.
    #[serde(skip_serializing_if = "is_one")]
    pub window: usize,
    /// Dropout after the embedding and before the decoders.
    pub dropout: f64,
}

impl Default for InabsaConfig {
    fn default() -> Self {
        Self {
            hidden: 50,
            guidance: 0.5,
            guided_when: GuidedWhen::Confident,
            window: 1,
            dropout: 0.5,
        }
    }
}

/// α of boundary guidance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuidedWhen {
    /// α = ε c: most if z^T is sure (the paper of INABSA).
    #[default]
    Confident,
    /// α = ε (1 − c), a constant in the backward pass: most if z^T is unsure (the program).
    Unsure,
}

impl GuidedWhen {
    fn is_confident(&self) -> bool {
        *self == Self::Confident
    }
}

// The signature is that of serde.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_one(value: &usize) -> bool {
    *value == 1
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
    guided_when: GuidedWhen,
    window: usize,
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
            lower: BiLstm::new(
                &mut builder.scope("lower"),
                config.window * words.dimensions,
                config.hidden,
            ),
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
            guided_when: config.guided_when,
            window: config.window,
            dropout: config.dropout,
        }
    }

    /// Runs the network.
    pub fn forward(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Guided {
        let x = self.words.forward(tape, &batch.input);
        let x = match self.window {
            1 => x,
            window => windows(tape, x, window / 2),
        };
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
        let share = match self.guided_when {
            GuidedWhen::Confident => tape.scale(confidence, self.guidance),
            GuidedWhen::Unsure => {
                let shape = tape.shape(confidence).clone();
                let confidence = tape.value(confidence).iter();
                let epsilon = self.guidance as f32;
                let shares: Vec<f32> = confidence.map(|c| epsilon * (1.0 - c)).collect();
                tape.constant(shape, &shares)
            }
        };
        let rest = tape.one_minus(share);
        let guided = tape.mul_column(guided, share);
        let own = tape.mul_column(sentiments, rest);
        tape.add(guided, own)
    }
}

/// [x_{i−h} : … : x_i : … : x_{i+h}] for every word, with zeros beyond the ends of a sentence.
fn windows(tape: &mut Tape<'_, f32>, x: Var, half: usize) -> Var {
    let rows = tape.shape(x).rows.clone();
    let Rows::Tokens(layout) = &rows else {
        return x;
    };
    let lengths: Vec<usize> = layout.spans().iter().map(ExactSizeIterator::len).collect();
    let half = half as isize;
    let parts: Vec<Var> = (-half..=half)
        .map(|shift| {
            let mut index = Vec::with_capacity(layout.tokens());
            for &length in &lengths {
                let first = index.len();
                index.extend((0..length).map(|i| {
                    let at = i.checked_add_signed(shift).filter(|&at| at < length)?;
                    Some((first + at) as u32)
                }));
            }
            tape.take_rows(x, &index, rows.clone())
        })
        .collect();
    tape.concat(&parts)
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
            .or_else(|| check::window(self.window))
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
