//! The whole network: the shared encoder, four components, T rounds of message passing.

use std::ops::Range;

use imn_nn::layers::Embedding;
use imn_nn::{Freeze, Params, Tape, Var};

use super::ae::Ae;
use super::r#as::{As, POLARITIES};
use super::document::Document;
use super::message_passing::ReEncoder;
use super::shared::{Shared, Vectors};
use super::{DocumentTasks, Input, Messages, ModelConfig, ModelConfigError, Opinions};

/// A document-level task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentTask {
    /// DS: positive, negative or neutral.
    Sentiment,
    /// DD: which of the domains.
    Domain,
}

/// The network. Its weights are in a [`Params`] that it was made with; names begin with `shared.`, `ae.`, `as.`, `ds.`, `dd.` and
/// `re.`, the paper's θ_s, θ_ae, θ_as, θ_ds, θ_dd and θ_re.
#[derive(Debug, Clone)]
pub struct Imn {
    config: ModelConfig,
    shared: Shared,
    ae: Ae,
    r#as: As,
    ds: Option<Document>,
    dd: Option<Document>,
    re: Option<ReEncoder>,
    schemes: Option<Embedding>,
    /// The annotation scheme that it answers in.
    scheme: u32,
}

/// What the network says after t rounds of message passing.
#[derive(Debug, Clone, Copy)]
pub struct Round {
    /// Logits of ŷ^ae(t), one row a token.
    pub ae_logits: Var,
    /// ŷ^ae(t).
    pub ae: Var,
    /// Logits of ŷ^as(t), one row a token.
    pub as_logits: Var,
    /// ŷ^as(t).
    pub r#as: Var,
    /// A(t), the self-attention of AS: one number a pair of tokens.
    pub attention: Var,
    /// ŷ^ds(t), a^ds(t), a^dd(t) where they are passed on: one row a sentence, one number a token, one number a token.
    pub document: Option<(Var, Var, Var)>,
}

/// What the network says about sentences.
#[derive(Debug, Clone)]
pub struct Output {
    /// Rounds 0 … T; the last one counts.
    pub rounds: Vec<Round>,
}

impl Output {
    /// Round T.
    #[must_use]
    pub fn last(&self) -> Round {
        self.rounds[self.rounds.len() - 1]
    }
}

/// The vectors that a network begins with.
#[derive(Debug, Clone)]
pub struct WordVectors {
    /// One vector a word of the vocabulary.
    pub data: Vec<f32>,
    /// Numbers a vector.
    pub dimensions: usize,
    /// Columns of the domain-specific vectors, which DD does not see; may be empty.
    pub domain_columns: Range<usize>,
}

impl Imn {
    /// A network with new weights in `params`.
    ///
    /// # Errors
    /// If the configuration makes no sense.
    pub fn new(
        params: &mut Params<f32>,
        config: &ModelConfig,
        vectors: WordVectors,
        domains: usize,
        seed: u64,
    ) -> Result<Self, ModelConfigError> {
        config.validate()?;
        let WordVectors {
            data,
            dimensions,
            domain_columns,
        } = vectors;
        let mut builder = params.builder(seed);
        let has_ds = config.documents != DocumentTasks::None;
        let has_dd = config.documents == DocumentTasks::SentimentAndDomain;
        Ok(Self {
            shared: Shared::new(
                &mut builder.scope("shared"),
                config,
                dimensions,
                data,
                domain_columns,
            ),
            ae: Ae::new(&mut builder.scope("ae"), config, dimensions),
            r#as: As::new(&mut builder.scope("as"), config),
            ds: has_ds.then(|| {
                Document::new(
                    &mut builder.scope("ds"),
                    config,
                    config.ds_layers,
                    POLARITIES,
                )
            }),
            dd: has_dd.then(|| {
                Document::new(&mut builder.scope("dd"), config, config.dd_layers, domains)
            }),
            re: ReEncoder::new(&mut builder.scope("re"), config),
            schemes: (!config.schemes.is_empty()).then(|| {
                let zeros = vec![0.0; config.schemes.len() * config.filters];
                Embedding::from_values(&mut builder.scope("schemes"), config.filters, zeros)
            }),
            scheme: 0,
            config: config.clone(),
        })
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The same network, answering in the annotation scheme of this name; `None` where it has learnt no such scheme.
    #[must_use]
    pub fn in_scheme(mut self, name: &str) -> Option<Self> {
        let at = self.config.schemes.iter().position(|scheme| scheme == name);
        self.scheme = u32::try_from(at?).ok()?;
        Some(self)
    }

    /// What stays fixed while L_a is minimised: θ_ds and θ_dd.
    #[must_use]
    pub fn fixed_for_aspects() -> Freeze {
        Freeze::prefixes(["ds.", "dd."])
    }

    /// Reads sentences: AE and AS after every round.
    ///
    /// `gold_opinions`, one a token, replaces P^op in training (scheduled sampling); never in inference.
    pub fn forward(
        &self,
        tape: &mut Tape<'_, f32>,
        input: &Input,
        gold_opinions: Option<&[bool]>,
    ) -> Output {
        let encoded = self.shared.forward(tape, input, Vectors::All);
        let gold = gold_opinions.map(|gold| {
            let gold: Vec<f32> = gold
                .iter()
                .map(|&inside| f32::from(u8::from(inside)))
                .collect();
            tape.tokens(&input.layout, 1, &gold)
        });
        let mut shared = encoded.initial();
        if let Some(schemes) = &self.schemes {
            let of_words = match input.schemes.as_slice() {
                [] => &vec![self.scheme; input.words.len()],
                known => known,
            };
            let vectors = schemes.forward(tape, of_words, &input.layout);
            shared = tape.add(shared, vectors);
        }
        let mut rounds: Vec<Round> = Vec::with_capacity(self.config.rounds + 1);
        for t in 0..=self.config.rounds {
            let ae_logits = self.ae.forward(tape, &encoded, shared);
            let ae = tape.softmax(ae_logits);
            let opinion = match self.config.opinions {
                Opinions::Transmitted => {
                    Some(gold.unwrap_or_else(|| opinion_probability(tape, ae)))
                }
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
        Output { rounds }
    }

    /// Reads documents for one task, without message passing: the logits, one row a document; `None` where the network does not
    /// have the task. DD sees the general vectors only.
    pub fn read_documents(
        &self,
        tape: &mut Tape<'_, f32>,
        input: &Input,
        task: DocumentTask,
    ) -> Option<Var> {
        let (component, vectors) = match task {
            DocumentTask::Sentiment => (self.ds.as_ref()?, Vectors::All),
            DocumentTask::Domain => (self.dd.as_ref()?, Vectors::General),
        };
        let encoded = self.shared.forward(tape, input, vectors);
        let shared = encoded.initial();
        Some(component.forward(tape, shared).logits)
    }
}

/// P^op = P(BP) + P(IP), one column.
fn opinion_probability(tape: &mut Tape<'_, f32>, ae: Var) -> Var {
    let begin = tape.slice(ae, 2..3);
    let inside = tape.slice(ae, 3..4);
    tape.add(begin, inside)
}
