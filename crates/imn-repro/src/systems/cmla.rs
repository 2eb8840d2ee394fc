//! CMLA (Wang et al. 2017): two coupled attentions, one for aspects and one for opinions.
//!
//! h = GRU(x). For m ∈ {a, p} with prototype u^m, where m̄ is the other one and G and D are tensors
//! of K slices:
//!
//! f^m_i = [tanh(h_iᵀ G^m u^m) : tanh(h_iᵀ D^m u^m̄)]; r^m = GRU(f^m);
//! α^m = softmax_i(v^m · r^m_i); o^m = Σ α^m_i h_i;
//! in the next layer, u^m = tanh(V^m u^m) + o^m.
//!
//! The tag of a word in {B, I, O} for m is predicted from the sum of r^m_i over the layers. The two
//! taggers are decoded independently, and P^op comes from the tagger of opinions.

use imn::data::{AeTag, Aspect, decode_tags};
use imn::model::{Network, Prediction, Role, SentenceBatch, TagSet, argmax};
use imn_nn::layers::{Gru, Linear};
use imn_nn::{Builder, Direction, Init, ParamId, Tape, Var};
use serde::{Deserialize, Serialize};

use super::check::{self, Problem};
use super::parts::{GroupSums, Words, decode, once_per_sequence};
use super::readout::rows_by_sentence;
use super::{NetworkSettings, Setting};

/// Sizes of CMLA.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CmlaConfig {
    /// Size of the GRU's state, and of a prototype.
    pub hidden: usize,
    /// K: slices of a tensor.
    pub slices: usize,
    /// Layers of coupled attention.
    pub layers: usize,
    /// Dropout after the embedding and before the decoders.
    pub dropout: f64,
}

impl Default for CmlaConfig {
    fn default() -> Self {
        Self {
            hidden: 50,
            slices: 20,
            layers: 2,
            dropout: 0.5,
        }
    }
}

/// The weights of one of the two attentions. All layers share them.
#[derive(Debug, Clone)]
struct Attention {
    /// u^m of the first layer.
    prototype: ParamId,
    /// G^m: `[d, K d]`, the slices in sequence.
    own: Linear,
    /// D^m: `[d, K d]`.
    other: Linear,
    gru: Gru,
    /// v^m.
    score: Linear,
    /// V^m.
    next: Linear,
    decoder: Linear,
}

impl Attention {
    fn new(builder: &mut Builder<'_, f32>, config: &CmlaConfig) -> Self {
        let (d, k) = (config.hidden, config.slices);
        let prototype = builder.add("prototype", &[1, d], Init::Uniform { limit: 0.2 });
        let mut plain = |name: &str, inputs, outputs| {
            Linear::without_bias(&mut builder.scope(name), inputs, outputs)
        };
        Self {
            prototype,
            own: plain("own", d, k * d),
            other: plain("other", d, k * d),
            score: plain("score", 2 * k, 1),
            next: plain("next", d, d),
            gru: Gru::new(&mut builder.scope("gru"), 2 * k, 2 * k, Direction::Forward),
            decoder: Linear::new(&mut builder.scope("decoder"), 2 * k, ASPECT_TAGS.len()),
        }
    }
}

/// The network.
#[derive(Debug, Clone)]
pub struct Cmla {
    words: Words,
    gru: Gru,
    aspects: Attention,
    opinions: Attention,
    sums: GroupSums,
    slices: usize,
    layers: usize,
    dropout: f64,
}

/// The output of the coupled attentions.
#[derive(Debug, Clone, Copy)]
pub struct Coupled {
    /// Logits of {B, I, O} for aspects and for opinions, one row per word.
    pub logits: [Var; 2],
    /// α of the last layer, for aspects and for opinions.
    pub attention: [Var; 2],
}

impl Cmla {
    /// A network with new weights.
    #[must_use]
    pub fn new(builder: &mut Builder<'_, f32>, config: &CmlaConfig, setting: Setting<'_>) -> Self {
        let words = Words::new(builder, setting.vectors);
        let d = config.hidden;
        let gru = &mut builder.scope("gru");
        Self {
            gru: Gru::new(gru, words.dimensions, d, Direction::Forward),
            aspects: Attention::new(&mut builder.scope("aspects"), config),
            opinions: Attention::new(&mut builder.scope("opinions"), config),
            sums: GroupSums::new(builder, "sums", config.slices, d),
            words,
            slices: config.slices,
            layers: config.layers,
            dropout: config.dropout,
        }
    }

    /// tanh(h_iᵀ T u), one value per slice of T. A row of h T has K parts; each is multiplied by u
    /// and summed.
    fn tensor(&self, tape: &mut Tape<'_, f32>, h: Var, tensor: &Linear, prototype: Var) -> Var {
        let layout = tape.shape(h).token_layout().clone();
        let products = tensor.forward(tape, h);
        let u = tape.broadcast(prototype, &layout);
        let u = tape.concat(&vec![u; self.slices]);
        let products = tape.mul(products, u);
        let sums = self.sums.forward(tape, products);
        tape.tanh(sums)
    }

    /// Runs the network.
    pub fn forward(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Coupled {
        let x = self.words.forward(tape, &batch.input);
        let x = tape.dropout(x, self.dropout);
        let h = self.gru.forward(tape, x);
        let layout = &batch.input.layout;
        let both = [&self.aspects, &self.opinions];
        let mut prototypes = both.map(|side| once_per_sequence(tape, side.prototype, layout));
        let mut sums: [Option<Var>; 2] = [None; 2];
        let mut attention = [h; 2];
        for _ in 0..self.layers {
            let mut next = prototypes;
            for (m, side) in both.into_iter().enumerate() {
                let own = self.tensor(tape, h, &side.own, prototypes[m]);
                let other = self.tensor(tape, h, &side.other, prototypes[1 - m]);
                let f = tape.concat(&[own, other]);
                let r = side.gru.forward(tape, f);
                sums[m] = Some(match sums[m] {
                    Some(sum) => tape.add(sum, r),
                    None => r,
                });
                let scores = side.score.forward(tape, r);
                attention[m] = tape.sequence_softmax(scores);
                let context = tape.weighted_sum(attention[m], h);
                let changed = side.next.forward(tape, prototypes[m]);
                let changed = tape.tanh(changed);
                next[m] = tape.add(changed, context);
            }
            prototypes = next;
        }
        let [aspects, opinions] = sums.map(|sum| sum.unwrap_or(h));
        Coupled {
            logits: [
                decode(tape, &self.aspects.decoder, aspects, self.dropout),
                decode(tape, &self.opinions.decoder, opinions, self.dropout),
            ],
            attention,
        }
    }
}

/// The classes {B, I, O} of the aspect tagger. O is the last one.
const ASPECT_TAGS: [AeTag; 3] = [AeTag::BA, AeTag::IA, AeTag::O];
/// The classes of the opinion tagger.
const OPINION_TAGS: [AeTag; 3] = [AeTag::BP, AeTag::IP, AeTag::O];

/// The classes of a tag for the aspect tagger and for the opinion tagger. Each treats the tags of
/// the other as O.
fn classes(tag: AeTag) -> [Option<u32>; 2] {
    [ASPECT_TAGS, OPINION_TAGS].map(|tags| {
        let class = tags.iter().position(|&other| other == tag);
        Some(class.unwrap_or(tags.len() - 1) as u32)
    })
}

impl NetworkSettings for CmlaConfig {
    fn build(&self, builder: &mut Builder<'_, f32>, setting: Setting<'_>) -> Box<dyn Network> {
        Box::new(Cmla::new(builder, self, setting))
    }

    fn problem(&self) -> Option<Problem> {
        // G and D have hidden · hidden · slices weights each.
        check::size("network.hidden", self.hidden, 256)
            .or_else(|| check::size("network.slices", self.slices, 64))
            .or_else(|| check::size("network.layers", self.layers, 16))
            .or_else(|| check::dropout(self.dropout))
    }

    fn needs_opinions(&self) -> bool {
        true
    }
}

impl Network for Cmla {
    fn role(&self) -> Role {
        Role::Extractor
    }

    fn tag_set(&self) -> TagSet {
        TagSet::AspectsAndOpinions
    }

    fn loss(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        let Coupled { logits, .. } = self.forward(tape, batch);
        let tags = batch.of_words(|sentence| sentence.tags().to_vec());
        let [aspects, opinions] = [0, 1].map(|m| {
            let classes: Vec<_> = tags.iter().map(|&tag| classes(tag)[m]).collect();
            tape.token_cross_entropy(logits[m], &classes, batch.mean)
        });
        tape.add(aspects, opinions)
    }

    fn predict(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Vec<Prediction> {
        let Coupled { logits, .. } = self.forward(tape, batch);
        let [aspects, opinions] = logits.map(|logits| tape.softmax(logits));
        let aspects = rows_by_sentence(tape, aspects).map(|rows| {
            let tag = |row: &&[f32]| ASPECT_TAGS[argmax(row)];
            decode_tags(&rows.iter().map(tag).collect::<Vec<_>>()).aspects
        });
        let opinions = rows_by_sentence(tape, opinions).map(|rows| {
            let tag = |row: &&[f32]| OPINION_TAGS[argmax(row)];
            let spans = decode_tags(&rows.iter().map(tag).collect::<Vec<_>>()).opinions;
            let inside = |row: &&[f32]| {
                let tagged = row.iter().zip(OPINION_TAGS);
                let inside = tagged.filter(|(_, tag)| *tag != AeTag::O);
                inside.map(|(probability, _)| probability).sum()
            };
            (spans, rows.iter().map(inside).collect())
        });
        aspects
            .zip(opinions)
            .map(|(aspects, (opinions, opinion))| Prediction {
                aspects: aspects
                    .into_iter()
                    .map(|span| Aspect {
                        span,
                        polarity: None,
                    })
                    .collect(),
                opinions,
                opinion,
            })
            .collect()
    }
}
