//! The networks of the compared systems, one file each. To add one: write its file, and give it a line in [`NetworkConfig`] and in its
//! two `match`es.

mod alstm;
mod aspect_sentiment;
mod cmla;
mod decnn;
mod dtrans;
mod inabsa;
mod mnn;
mod parts;
mod unified;

use imn_nn::Builder;
use serde::{Deserialize, Serialize};

pub use alstm::{Alstm, AlstmConfig};
pub use aspect_sentiment::{AspectSentiment, AspectSentimentConfig};
pub use cmla::{Cmla, CmlaConfig};
pub use decnn::{Decnn, DecnnConfig};
pub use dtrans::{DTrans, DTransConfig};
pub use inabsa::{Inabsa, InabsaConfig};
pub use mnn::{Mnn, MnnConfig};
pub use unified::{Boundaries, UnifiedTags};

use crate::network::{Network, Setting};

/// Which network, and its sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum NetworkConfig {
    /// DECNN, an extractor; the AE of PIPELINE too.
    Decnn(DecnnConfig),
    /// CMLA, an extractor.
    Cmla(CmlaConfig),
    /// ALSTM, a classifier.
    Alstm(AlstmConfig),
    /// dTrans, a classifier that learns from documents too.
    Dtrans(DTransConfig),
    /// The AS of PIPELINE, a classifier.
    AspectSentiment(AspectSentimentConfig),
    /// MNN, integrated.
    Mnn(MnnConfig),
    /// INABSA, integrated.
    Inabsa(InabsaConfig),
}

impl NetworkConfig {
    /// A network with new weights.
    #[must_use]
    pub fn build(&self, builder: &mut Builder<'_, f32>, setting: Setting<'_>) -> Box<dyn Network> {
        match self {
            Self::Decnn(config) => Box::new(Decnn::new(builder, config, setting)),
            Self::Cmla(config) => Box::new(Cmla::new(builder, config, setting)),
            Self::Alstm(config) => Box::new(Alstm::new(builder, config, setting)),
            Self::Dtrans(config) => Box::new(DTrans::new(builder, config, setting)),
            Self::AspectSentiment(config) => {
                Box::new(AspectSentiment::new(builder, config, setting))
            }
            Self::Mnn(config) => Box::new(Mnn::new(builder, config, setting)),
            Self::Inabsa(config) => Box::new(Inabsa::new(builder, config, setting)),
        }
    }

    /// Its name in a configuration.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Decnn(_) => "decnn",
            Self::Cmla(_) => "cmla",
            Self::Alstm(_) => "alstm",
            Self::Dtrans(_) => "dtrans",
            Self::AspectSentiment(_) => "aspect-sentiment",
            Self::Mnn(_) => "mnn",
            Self::Inabsa(_) => "inabsa",
        }
    }

    /// Whether it learns from documents.
    #[must_use]
    pub fn reads_documents(&self) -> bool {
        matches!(self, Self::Dtrans(_))
    }

    /// A number out of its range: the setting, its value, what it must be.
    #[must_use]
    pub fn problem(&self) -> Option<(&'static str, String, &'static str)> {
        let (sizes, dropout): (&[(&'static str, usize)], f64) = match self {
            Self::Decnn(c) => (&[("network.filters", c.filters)], c.dropout),
            Self::Cmla(c) => (
                &[
                    ("network.hidden", c.hidden),
                    ("network.slices", c.slices),
                    ("network.layers", c.layers),
                ],
                c.dropout,
            ),
            Self::Alstm(c) => (&[("network.hidden", c.hidden)], c.dropout),
            Self::Dtrans(c) => (&[("network.hidden", c.hidden)], c.dropout),
            Self::AspectSentiment(c) => (&[("network.filters", c.filters)], c.dropout),
            Self::Mnn(c) => (
                &[
                    ("network.hidden", c.hidden),
                    ("network.characters", c.characters),
                    ("network.character_filters", c.character_filters),
                ],
                c.dropout,
            ),
            Self::Inabsa(c) => (&[("network.hidden", c.hidden)], c.dropout),
        };
        if let Some(&(field, value)) = sizes.iter().find(|(_, size)| !(1..=4096).contains(size)) {
            return Some((field, value.to_string(), "must be from 1 to 4096"));
        }
        if let Self::Decnn(DecnnConfig { filters, .. })
        | Self::AspectSentiment(AspectSentimentConfig { filters, .. }) = self
            && filters % 2 == 1
        {
            let text =
                "must be even: half the filters of the first layer are of width 3, half of width 5";
            return Some(("network.filters", filters.to_string(), text));
        }
        let text = "must be at least 0 and below 1";
        (!(0.0..1.0).contains(&dropout)).then(|| ("network.dropout", dropout.to_string(), text))
    }
}
