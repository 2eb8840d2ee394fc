//! The networks of the compared systems. A new one is a file here, with its settings and its
//! [`Network`], and a line in the registry below.

mod alstm;
mod aspect_sentiment;
mod check;
mod cmla;
mod decnn;
mod dtrans;
mod inabsa;
mod mnn;
mod parts;
mod readout;
mod unified;

use imn::model::{Network, TagSet, WordVectors};
use imn::text::Vocabulary;
use imn_nn::Builder;
use serde::{Deserialize, Serialize};

pub use alstm::{Alstm, AlstmConfig};
pub use aspect_sentiment::{AspectSentiment, AspectSentimentConfig};
pub use check::Problem;
pub use cmla::{Cmla, CmlaConfig};
pub use decnn::{Decnn, DecnnConfig};
pub use dtrans::{DTrans, DTransConfig};
pub use inabsa::{Inabsa, InabsaConfig};
pub use mnn::{Mnn, MnnConfig};
pub use unified::{Boundaries, UnifiedTags};

/// What a network is built for.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The words.
    pub vocabulary: &'a Vocabulary,
    /// What the words begin as.
    pub vectors: WordVectors,
    /// The tags that are learnt.
    pub tag_set: TagSet,
}

/// The sizes of a network, and how it is built from them.
pub trait NetworkSettings {
    /// The network with new weights.
    fn build(&self, builder: &mut Builder<'_, f32>, setting: Setting<'_>) -> Box<dyn Network>;

    /// A setting out of its range.
    fn problem(&self) -> Option<Problem>;

    /// Whether it learns from documents.
    fn reads_documents(&self) -> bool {
        false
    }

    /// Whether it cannot do without opinion labels.
    fn needs_opinions(&self) -> bool {
        false
    }
}

/// Makes [`NetworkConfig`] of the registry: the one list of all networks.
macro_rules! networks {
    ($($(#[$doc:meta])* $kind:literal => $variant:ident($config:ty),)*) => {
        /// Which network, and its sizes.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub enum NetworkConfig {
            $($(#[$doc])* #[serde(rename = $kind)] $variant($config),)*
        }

        impl NetworkConfig {
            /// The name of every kind of network.
            pub const KINDS: &'static [&'static str] = &[$($kind),*];

            /// Its name in a configuration and in model files.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $kind,)*
                }
            }

            /// The settings of the network.
            #[must_use]
            pub fn settings(&self) -> &dyn NetworkSettings {
                match self {
                    $(Self::$variant(config) => config,)*
                }
            }
        }
    };
}

networks! {
    /// DECNN, an extractor; the AE of PIPELINE too.
    "decnn" => Decnn(DecnnConfig),
    /// CMLA, an extractor.
    "cmla" => Cmla(CmlaConfig),
    /// ALSTM, a classifier.
    "alstm" => Alstm(AlstmConfig),
    /// dTrans, a classifier that learns from documents too.
    "dtrans" => Dtrans(DTransConfig),
    /// The AS of PIPELINE, a classifier.
    "aspect-sentiment" => AspectSentiment(AspectSentimentConfig),
    /// MNN, integrated.
    "mnn" => Mnn(MnnConfig),
    /// INABSA, integrated.
    "inabsa" => Inabsa(InabsaConfig),
}
