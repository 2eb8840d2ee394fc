//! The CNN layers of one task on top of h^s(t): kernels of width 5, dropout after or before each
//! layer.

use imn_nn::layers::ConvRelu;
use imn_nn::{Builder, Tape, Var};

use super::{DropoutPlacement, ModelConfig};

/// A stack of CNN layers, each as wide as the output of the shared encoder. It can be empty.
#[derive(Debug, Clone)]
pub(super) struct TaskLayers {
    layers: Vec<ConvRelu>,
    dropout: f64,
    placement: DropoutPlacement,
}

impl TaskLayers {
    pub(super) fn new(
        builder: &mut Builder<'_, f32>,
        config: &ModelConfig,
        width: usize,
        layers: usize,
    ) -> Self {
        let layers = (0..layers)
            .map(|layer| {
                let mut scope = builder.scope(&format!("layers.{layer}"));
                ConvRelu::new(&mut scope, 5, width, width, config.kernel_init)
            })
            .collect();
        Self {
            layers,
            dropout: config.dropout,
            placement: config.dropout_placement,
        }
    }

    pub(super) fn forward(&self, tape: &mut Tape<'_, f32>, x: Var) -> Var {
        self.layers.iter().fold(x, |x, conv| match self.placement {
            DropoutPlacement::Outputs => {
                let h = conv.forward(tape, x);
                tape.dropout(h, self.dropout)
            }
            DropoutPlacement::Inputs => {
                let x = tape.dropout(x, self.dropout);
                conv.forward(tape, x)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use imn_nn::{Freeze, Init, Layout, Params};

    use super::*;

    /// The share of zeros in the output of one layer in training.
    fn zeros(dropout_placement: DropoutPlacement) -> f64 {
        const WORDS: usize = 40;
        const WIDTH: usize = 32;
        let config = ModelConfig {
            dropout_placement,
            ..ModelConfig::default()
        };
        let mut params = Params::new();
        let layers = TaskLayers::new(&mut params.builder(1), &config, WIDTH, 1);
        let freeze = Freeze::none();
        let mut tape = Tape::train(&params, &freeze, 1);
        let values = Init::Normal { std: 1.0 }.draw(&[WORDS, WIDTH], 1, "input");
        let x = tape.tokens(&Arc::new(Layout::new([WORDS], 2)), WIDTH, &values);
        let output = layers.forward(&mut tape, x);
        let output = tape.token_values(output);
        output.iter().filter(|value| **value == 0.0).count() as f64 / output.len() as f64
    }

    #[test]
    fn dropout_follows_or_precedes_a_layer() {
        // ReLU makes half of the values zero, and dropout half of the others.
        assert!(zeros(DropoutPlacement::Outputs) > 0.65);
        assert!((0.35..0.6).contains(&zeros(DropoutPlacement::Inputs)));
    }
}
