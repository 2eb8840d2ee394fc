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
