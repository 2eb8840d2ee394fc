//! f_θre: h^s(t)_i = ReLU(W [h^s(t−1)_i : ŷ^ae_i : ŷ^as_i : ŷ^ds : a^ds_i : a^dd_i] + b) (Eq. 4),
//! or the same as a residual, see [`ReEncoding`].

use imn_nn::layers::Linear;
use imn_nn::{Builder, Init, Tape, Var};

use super::{Messages, ModelConfig, ReEncoding};
use crate::data::Sentiment;

/// The re-encoding function.
#[derive(Debug, Clone)]
pub(super) struct ReEncoder {
    layer: Linear,
    kind: ReEncoding,
}

impl ReEncoder {
    /// `None` without rounds or messages.
    pub(super) fn new(
        builder: &mut Builder<'_, f32>,
        config: &ModelConfig,
        width: usize,
    ) -> Option<Self> {
        let aspect = config.tag_set().tags().len() + Sentiment::CLASSES.len();
        let messages = match config.messages {
            _ if config.rounds == 0 => return None,
            Messages::None => return None,
            Messages::Aspect => aspect,
            // ŷ^ds, a^ds, a^dd
            Messages::AspectAndDocument => aspect + Sentiment::CLASSES.len() + 2,
        };
        let inputs = width + messages;
        let kind = config.re_encoding;
        let mut scope = builder.scope("layer");
        Some(Self {
            layer: match kind {
                ReEncoding::Relu => Linear::new(&mut scope, inputs, width),
                ReEncoding::Residual => Linear::with_init(&mut scope, inputs, width, Init::Zeros),
            },
            kind,
        })
    }

    /// h^s(t) from h^s(t−1) and the messages of round t−1, each with one row per token.
    pub(super) fn forward(&self, tape: &mut Tape<'_, f32>, shared: Var, messages: &[Var]) -> Var {
        let mut parts = vec![shared];
        parts.extend(messages);
        let joined = tape.concat(&parts);
        match self.kind {
            ReEncoding::Relu => self.layer.forward_relu(tape, joined),
            ReEncoding::Residual => {
                let change = self.layer.forward(tape, joined);
                tape.add(shared, change)
            }
        }
    }
}
