//! The whole network: the shared encoder, four components, T rounds of message passing.

use imn_nn::layers::Embedding;
use imn_nn::{Builder, Freeze, Init, Params, Tape, Var, shard_count};

use super::ae::Ae;
use super::r#as::As;
use super::document::Document;
use super::encoder::{Encoder, VectorColumns};
use super::message_passing::ReEncoder;
use super::{
    DocumentBatch, DocumentTasks, EncoderSource, Input, Messages, ModelConfig, ModelConfigError,
    Network, Objective, Opinions, Phase, Prediction, Role, SentenceBatch, TagSet,
};
use crate::data::{AeTag, Sentiment};
use crate::features::Limits;

/// A document-level task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentTask {
    /// DS: positive, negative or neutral.
    Sentiment,
    /// DD: the domain.
    Domain,
}

/// The network. Its weights are in the [`Params`] that it was built with. Their names begin with
/// `shared.`, `ae.`, `as.`, `ds.`, `dd.` and `re.`: the paper's θ_s, θ_ae, θ_as, θ_ds, θ_dd and
/// θ_re.
#[derive(Debug, Clone)]
pub struct Imn {
    config: ModelConfig,
    shared: Encoder,
    ae: Ae,
    r#as: As,
    ds: Option<Document>,
    dd: Option<Document>,
    re: Option<ReEncoder>,
    schemes: Option<Embedding>,
    /// Index of the annotation scheme of its predictions.
    scheme: u32,
}

/// Output of the network after t rounds of message passing.
#[derive(Debug, Clone, Copy)]
pub struct Round {
    /// Logits of ŷ^ae(t), one row per token.
    pub ae_logits: Var,
    /// ŷ^ae(t).
    pub ae: Var,
    /// Logits of ŷ^as(t), one row per token.
    pub as_logits: Var,
    /// ŷ^as(t).
    pub r#as: Var,
    /// A(t), the self-attention of AS: one value per pair of tokens.
    pub attention: Var,
    /// ŷ^ds(t), one row per sentence, and a^ds(t) and a^dd(t), one value per token. `None` if the
    /// messages do not include them.
    pub document: Option<(Var, Var, Var)>,
}

/// Output of the network for sentences.
#[derive(Debug, Clone)]
pub struct ImnOutput {
    /// Rounds 0 … T. Predictions come from the last one.
    pub rounds: Vec<Round>,
    /// h^s(0).
    initial: Var,
}

impl ImnOutput {
    /// Round T.
    ///
    /// # Panics
    /// If there are no rounds. [`Imn::forward`] gives at least one.
    #[must_use]
    pub fn last(&self) -> Round {
        self.rounds[self.rounds.len() - 1]
    }
}

impl Imn {
    /// Builds a network and initializes its weights in `params`.
    ///
    /// # Errors
    /// If the configuration is not valid.
    pub fn new(
        params: &mut Params<f32>,
        config: &ModelConfig,
        source: impl Into<EncoderSource>,
        domains: usize,
        seed: u64,
    ) -> Result<Self, ModelConfigError> {
        config.validate()?;
        let mut builder = params.builder(seed);
        let shared = Encoder::new(&mut builder.scope("shared"), config, source.into());
        let widths = shared.widths();
        let width = widths.layer;
        let document = |builder: &mut Builder<'_, f32>, layers, classes| {
            Document::new(builder, config, width, layers, classes)
        };
        let has_ds = config.documents != DocumentTasks::None;
        let has_dd = config.documents == DocumentTasks::SentimentAndDomain;
        let sentiments = Sentiment::CLASSES.len();
        Ok(Self {
            shared,
            ae: Ae::new(&mut builder.scope("ae"), config, widths),
            r#as: As::new(&mut builder.scope("as"), config, width),
            ds: has_ds.then(|| document(&mut builder.scope("ds"), config.ds_layers, sentiments)),
            dd: has_dd.then(|| document(&mut builder.scope("dd"), config.dd_layers, domains)),
            re: ReEncoder::new(&mut builder.scope("re"), config, width),
            schemes: (!config.schemes.is_empty()).then(|| {
                let mut scope = builder.scope("schemes");
                Embedding::new(&mut scope, config.schemes.len(), width, Init::Zeros)
            }),
            scheme: 0,
            config: config.clone(),
        })
    }

    /// Loads the weights of a pre-trained transformer from its folder. Does nothing with a CNN
    /// encoder.
    ///
    /// # Errors
    /// If the weights cannot be read or have other shapes.
    pub fn load_pretrained(
        &self,
        params: &mut Params<f32>,
        folder: &std::path::Path,
    ) -> imn_nn::Result<()> {
        self.shared.load_pretrained(params, folder)
    }

    /// Whether the sentiment of a text comes from its sentences as they were read for their terms
    /// ([`Imn::sentence_evidence`]), not from a pass over the text. A transformer costs too much to
    /// run twice.
    #[must_use]
    pub fn reads_texts_by_sentence(&self) -> bool {
        self.ds.is_some() && matches!(self.shared, Encoder::Transformer(_))
    }

    /// DS on sentences that were read: the logits, one row per sentence, and the attention scores,
    /// one value per word. `None` unless the network [reads texts by
    /// sentence](Imn::reads_texts_by_sentence).
    pub fn sentence_evidence(
        &self,
        tape: &mut Tape<'_, f32>,
        output: &ImnOutput,
    ) -> Option<(Var, Var)> {
        let ds = self
            .ds
            .as_ref()
            .filter(|_| self.reads_texts_by_sentence())?;
        let of_sentences = ds.forward(tape, output.initial);
        Some((of_sentences.logits, of_sentences.scores))
    }

    /// The architecture.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The network with predictions in the annotation scheme `name`; `None` if it was not trained
    /// on this scheme.
    #[must_use]
    pub fn in_scheme(mut self, name: &str) -> Option<Self> {
        let at = self.config.schemes.iter().position(|scheme| scheme == name);
        self.scheme = u32::try_from(at?).ok()?;
        Some(self)
    }

    /// The network with predictions in the annotation scheme of this index. A network without
    /// schemes does not change.
    #[must_use]
    pub fn in_scheme_number(mut self, scheme: u32) -> Self {
        let last = self.config.schemes.len().saturating_sub(1) as u32;
        self.scheme = scheme.min(last);
        self
    }

    /// Index of the annotation scheme of its predictions.
    #[must_use]
    pub fn scheme(&self) -> u32 {
        self.scheme
    }

    /// Name of the annotation scheme of its predictions; `None` without schemes.
    #[must_use]
    pub fn scheme_name(&self) -> Option<&str> {
        let names = &self.config.schemes;
        names.get(self.scheme as usize).map(String::as_str)
    }

    /// Runs AE and AS on sentences in every round.
    ///
    /// `gold_opinions`, one value per word, replaces P^op in training (scheduled sampling) where
    /// it is known. It is `None` in inference.
    ///
    /// # Panics
    /// If `input` was packed as documents, or `gold_opinions` is not one value per word.
    pub fn forward(
        &self,
        tape: &mut Tape<'_, f32>,
        input: &Input,
        gold_opinions: Option<&[Option<f32>]>,
    ) -> ImnOutput {
        let (encoded, mut shared) = match self.schemes {
            None => {
                let encoded = self.shared.forward(tape, input, VectorColumns::All);
                let shared = encoded.initial();
                (encoded, shared)
            }
            Some(table) => {
                let of_words = match input.schemes.as_slice() {
                    [] => &vec![self.scheme; input.layout.tokens()],
                    known => known,
                };
                self.shared
                    .forward_in_schemes(tape, input, (table, of_words))
            }
        };
        let gold = gold_opinions.map(|gold| GoldOpinions::new(tape, input, gold));
        let mut rounds: Vec<Round> = Vec::with_capacity(self.config.rounds + 1);
        for t in 0..=self.config.rounds {
            let ae_logits = self.ae.forward(tape, &encoded, shared);
            let ae = tape.softmax(ae_logits);
            let opinion = match self.config.opinions {
                Opinions::Transmitted => match &gold {
                    None => opinion_probability(tape, ae, self.config.tag_set()),
                    Some(gold) => gold.or_predicted(tape, ae, self.config.tag_set()),
                },
                Opinions::Unlabelled | Opinions::Extracted => None,
            };
            let (as_logits, attention) = self.r#as.forward(tape, input, &encoded, shared, opinion);
            let r#as = tape.softmax(as_logits);
            let mut round = Round {
                ae_logits,
                ae,
                as_logits,
                r#as,
                attention,
                document: None,
            };
            if let (Messages::AspectAndDocument, Some(ds), Some(dd)) =
                (self.config.messages, &self.ds, &self.dd)
            {
                let (ds, dd) = (ds.forward(tape, shared), dd.forward(tape, shared));
                round.document = Some((tape.softmax(ds.logits), ds.attention, dd.attention));
            }
            rounds.push(round);
            if let (Some(re), true) = (&self.re, t < self.config.rounds) {
                let mut messages = vec![ae, r#as];
                if let Some((sentiment, ds_attention, dd_attention)) = round.document {
                    let sentiment = tape.broadcast(sentiment, &input.layout);
                    messages.extend([sentiment, ds_attention, dd_attention]);
                }
                shared = re.forward(tape, shared, &messages);
            }
        }
        ImnOutput {
            rounds,
            initial: encoded.initial(),
        }
    }

    /// Runs one task on documents, without message passing, and gives the logits, one row per
    /// document. `None` if the network does not have the task. DD sees the general vectors only.
    pub fn read_documents(
        &self,
        tape: &mut Tape<'_, f32>,
        input: &Input,
        task: DocumentTask,
    ) -> Option<Var> {
        let (component, vectors) = match task {
            DocumentTask::Sentiment => (self.ds.as_ref()?, VectorColumns::All),
            DocumentTask::Domain => (self.dd.as_ref()?, VectorColumns::General),
        };
        let encoded = self.shared.forward(tape, input, vectors);
        let shared = encoded.initial();
        Some(component.forward(tape, shared).logits)
    }
}

/// P^op by the labels, where they are known.
struct GoldOpinions {
    /// The labels, one column; 0 where they are not known.
    labels: Var,
    /// 1 where they are not known, unless they are known everywhere.
    unknown: Option<Var>,
}

impl GoldOpinions {
    fn new(tape: &mut Tape<'_, f32>, input: &Input, gold: &[Option<f32>]) -> Self {
        let labels: Vec<f32> = gold.iter().map(|label| label.unwrap_or_default()).collect();
        let unknown = gold.iter().any(Option::is_none).then(|| {
            let unknown = gold
                .iter()
                .map(|label| f32::from(u8::from(label.is_none())));
            let unknown: Vec<f32> = unknown.collect();
            tape.tokens(&input.layout, 1, &unknown)
        });
        Self {
            labels: tape.tokens(&input.layout, 1, &labels),
            unknown,
        }
    }

    /// The labels where they are known, the network's own P^op elsewhere.
    fn or_predicted(&self, tape: &mut Tape<'_, f32>, ae: Var, tag_set: TagSet) -> Option<Var> {
        let Some(unknown) = self.unknown else {
            return Some(self.labels);
        };
        let predicted = opinion_probability(tape, ae, tag_set)?;
        let predicted = tape.mul(predicted, unknown);
        Some(tape.add(predicted, self.labels))
    }
}

impl Network for Imn {
    fn role(&self) -> Role {
        Role::Integrated
    }

    fn tag_set(&self) -> TagSet {
        self.config.tag_set()
    }

    /// L_a: the cross entropies of ŷ^ae and ŷ^as after the last round.
    fn loss(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        self.sentence_loss(tape, batch)
    }

    /// The sentiment of an aspect is that of its first word.
    fn predict(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Vec<Prediction> {
        let round = self.forward(tape, &batch.input, None).last();
        let tag_set = self.tag_set();
        let (classes, sentiments) = (tag_set.tags().len(), Sentiment::CLASSES.len());
        let spans = batch.input.layout.spans().iter();
        spans
            .map(|span| {
                let rows = |var, columns: usize| {
                    &tape.value(var)[span.start * columns..span.end * columns]
                };
                let (tags, polarities) = (rows(round.ae, classes), rows(round.r#as, sentiments));
                Prediction::decode(tags, polarities, tag_set)
            })
            .collect()
    }

    fn document_loss(
        &self,
        tape: &mut Tape<'_, f32>,
        batch: &DocumentBatch,
        _phase: Phase,
    ) -> Option<Var> {
        let logits = self.read_documents(tape, &batch.input, batch.task)?;
        Some(tape.sequence_cross_entropy(logits, &batch.classes, batch.count))
    }

    /// θ_ds and θ_dd stay fixed while L_a is minimized.
    fn frozen(&self, objective: Objective) -> Freeze {
        match objective {
            Objective::Sentences => Freeze::prefixes(["ds.", "dd."]),
            Objective::Documents | Objective::Joint => Freeze::none(),
        }
    }

    fn embedding(&self) -> &'static str {
        match self.shared {
            Encoder::Cnn(_) => "shared.embedding.",
            Encoder::Transformer(_) => "shared.embeddings.words.",
        }
    }

    fn limits(&self) -> Limits {
        self.shared.limits()
    }

    fn shards(&self, words: usize) -> usize {
        shard_count(words)
    }

    fn as_imn(&self) -> Option<&Imn> {
        Some(self)
    }
}

/// P^op = P(BP) + P(IP), one column. `None` if the tag set has no opinion tags.
fn opinion_probability(tape: &mut Tape<'_, f32>, ae: Var, tag_set: TagSet) -> Option<Var> {
    let begin = tag_set.index_of(AeTag::BP)?;
    let inside = tag_set.index_of(AeTag::IP)?;
    let begin = tape.slice(ae, begin..begin + 1);
    let inside = tape.slice(ae, inside..inside + 1);
    Some(tape.add(begin, inside))
}
