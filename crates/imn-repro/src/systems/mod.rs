//! The networks of the compared systems, one file each. To add one: write its file, and give it a line in [`NetworkConfig`] and wherever
//! the compiler then asks for one.

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

    /// A number out of its range: the setting, its value, what it must be. A file that asks for a huge network is refused before
    /// anything is allocated.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        let size = |field, value: usize, most: usize| {
            let wrong = !(1..=most).contains(&value);
            wrong.then(|| Problem::new(field, &value, format!("must be from 1 to {most}")))
        };
        let hidden = |value| size("network.hidden", value, 1024);
        let filters = |value: usize| {
            let odd = !value.is_multiple_of(2);
            size("network.filters", value, 2048).or_else(|| {
                let text = "must be even: half the filters of the first layer are of width 3, half of width 5";
                odd.then(|| Problem::new("network.filters", &value, text.to_owned()))
            })
        };
        let share = |field, value: f64| {
            let wrong = !(0.0..1.0).contains(&value);
            wrong.then(|| Problem::new(field, &value, "must be at least 0 and below 1".to_owned()))
        };
        let dropout = |value| share("network.dropout", value);
        let init = |init: imn_nn::Init| {
            let problem = init.problem();
            problem.map(|text| Problem::new("network.kernel_init", &"", text.to_owned()))
        };
        match self {
            Self::Decnn(c) => filters(c.filters)
                .or_else(|| size("network.layers", c.layers, 32))
                .or_else(|| dropout(c.dropout))
                .or_else(|| init(c.kernel_init)),
            Self::AspectSentiment(c) => filters(c.filters)
                .or_else(|| size("network.layers", c.layers, 32))
                .or_else(|| dropout(c.dropout))
                .or_else(|| share("network.decoder_dropout", c.decoder_dropout))
                .or_else(|| init(c.kernel_init)),
            // G and D have hidden · hidden · slices numbers each.
            Self::Cmla(c) => size("network.hidden", c.hidden, 256)
                .or_else(|| size("network.slices", c.slices, 64))
                .or_else(|| size("network.layers", c.layers, 16))
                .or_else(|| dropout(c.dropout)),
            Self::Alstm(c) => hidden(c.hidden).or_else(|| dropout(c.dropout)),
            Self::Dtrans(c) => hidden(c.hidden).or_else(|| dropout(c.dropout)),
            Self::Mnn(c) => hidden(c.hidden)
                .or_else(|| size("network.characters", c.characters, 256))
                .or_else(|| size("network.character_filters", c.character_filters, 256))
                .or_else(|| dropout(c.dropout)),
            Self::Inabsa(c) => hidden(c.hidden)
                .or_else(|| share("network.guidance", c.guidance))
                .or_else(|| dropout(c.dropout)),
        }
    }
}

/// A number out of its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The setting.
    pub field: &'static str,
    /// Its value.
    pub value: String,
    /// What it must be.
    pub range: String,
}

impl Problem {
    fn new(field: &'static str, value: &dyn ToString, range: String) -> Self {
        Self {
            field,
            value: value.to_string(),
            range,
        }
    }
}
