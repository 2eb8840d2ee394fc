//! f_θs: word embedding, then m^s layers of CNNs; h^s(0) is the output of the last one.
//!
//! The first layer has half its filters of width 3 and half of width 5, the others are of width 5. Dropout follows
//! the embedding and every layer.

use std::ops::Range;

use imn_nn::layers::{Conv, Embedding};
use imn_nn::{Builder, Scalar, Tape, Var};

use super::{Input, ModelConfig};

/// The shared encoder.
#[derive(Debug, Clone)]
pub struct Shared {
    embedding: Embedding,
    narrow: Conv,
    wide: Conv,
    layers: Vec<Conv>,
    dropout: f64,
    domain_columns: Range<usize>,
}

/// What the shared encoder makes of its input.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// The word embeddings, after dropout.
    pub embedding: Var,
    /// The output of every layer, after dropout; the last one is h^s(0).
    pub layers: Vec<Var>,
}

impl Encoded {
    /// h^s(0)
    #[must_use]
    pub fn initial(&self) -> Var {
        self.layers.last().copied().unwrap_or(self.embedding)
    }
}

/// Which word vectors count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vectors {
    /// General and domain vectors.
    All,
    /// General ones only: the domain columns are masked (DD).
    General,
}

impl Shared {
    /// An encoder with new weights; `vectors` are what its words begin as, `dimensions` numbers each.
    #[must_use]
    pub fn new(
        builder: &mut Builder<'_, f32>,
        config: &ModelConfig,
        dimensions: usize,
        vectors: Vec<f32>,
        domain_columns: Range<usize>,
    ) -> Self {
        let filters = config.filters;
        let embedding =
            Embedding::from_values(&mut builder.scope("embedding"), dimensions, vectors);
        let mut conv = |name: &str, width, inputs, outputs| {
            Conv::new(
                &mut builder.scope(name),
                width,
                inputs,
                outputs,
                config.kernel_init,
            )
        };
        Self {
            embedding,
            narrow: conv("narrow", 3, dimensions, filters / 2),
            wide: conv("wide", 5, dimensions, filters / 2),
            layers: (1..config.shared_layers)
                .map(|layer| conv(&format!("layers.{layer}"), 5, filters, filters))
                .collect(),
            dropout: config.dropout,
            domain_columns,
        }
    }

    /// Reads words.
    pub fn forward(&self, tape: &mut Tape<'_, f32>, input: &Input, vectors: Vectors) -> Encoded {
        let mut x = self.embedding.forward(tape, &input.words, &input.layout);
        if vectors == Vectors::General && !self.domain_columns.is_empty() {
            x = tape.mask_columns(x, self.domain_columns.clone());
        }
        let embedding = tape.dropout(x, self.dropout);
        let (narrow, wide) = (
            self.narrow.forward(tape, embedding),
            self.wide.forward(tape, embedding),
        );
        let first = tape.concat(&[narrow, wide]);
        let mut layers = vec![tape.dropout(first, self.dropout)];
        for conv in &self.layers {
            let below = layers[layers.len() - 1];
            layers.push(encode(tape, conv, below, self.dropout));
        }
        Encoded { embedding, layers }
    }
}

/// One CNN layer and its dropout.
pub(super) fn encode<S: Scalar>(tape: &mut Tape<'_, S>, conv: &Conv, x: Var, dropout: f64) -> Var {
    let h = conv.forward(tape, x);
    tape.dropout(h, dropout)
}

/// A stack of CNN layers of width 5, all of the same size.
#[derive(Debug, Clone)]
pub(super) struct Encoder {
    layers: Vec<Conv>,
    dropout: f64,
}

impl Encoder {
    pub(super) fn new(builder: &mut Builder<'_, f32>, config: &ModelConfig, layers: usize) -> Self {
        let filters = config.filters;
        let layers = (0..layers)
            .map(|layer| {
                let mut scope = builder.scope(&format!("layers.{layer}"));
                Conv::new(&mut scope, 5, filters, filters, config.kernel_init)
            })
            .collect();
        Self {
            layers,
            dropout: config.dropout,
        }
    }

    pub(super) fn forward(&self, tape: &mut Tape<'_, f32>, x: Var) -> Var {
        self.layers
            .iter()
            .fold(x, |x, conv| encode(tape, conv, x, self.dropout))
    }
}
