//! The networks of the compared systems. To add a network, write a file with its settings and its
//! [`Network`], and add a line to the registry below.

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
pub use inabsa::{GuidedWhen, Inabsa, InabsaConfig};
pub use mnn::{Mnn, MnnConfig};
pub use unified::{Boundaries, UnifiedTags};

/// The words, vectors and tags that a network is built for.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The vocabulary.
    pub vocabulary: &'a Vocabulary,
    /// The initial word vectors.
    pub vectors: WordVectors,
    /// The tags of the training data.
    pub tag_set: TagSet,
}

/// The sizes of a network, and how it is built from them.
pub trait NetworkSettings {
    /// Builds the network with new weights.
    fn build(&self, builder: &mut Builder<'_, f32>, setting: Setting<'_>) -> Box<dyn Network>;

    /// The first setting that is out of range.
    fn problem(&self) -> Option<Problem>;

    /// Whether the network learns from documents.
    fn reads_documents(&self) -> bool {
        false
    }

    /// Whether the network requires opinion labels.
    fn needs_opinions(&self) -> bool {
        false
    }
}

/// Defines [`NetworkConfig`] from the list of all networks.
macro_rules! networks {
    ($($(#[$doc:meta])* $kind:literal => $variant:ident($config:ty),)*) => {
        /// The kind of a network, and its settings.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub enum NetworkConfig {
            $($(#[$doc])* #[serde(rename = $kind)] $variant($config),)*
        }

        impl NetworkConfig {
            /// The names of all kinds of networks.
            pub const KINDS: &'static [&'static str] = &[$($kind),*];

            /// The name in configurations and model files.
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
    /// DECNN, an extractor. PIPELINE uses it as its AE.
    "decnn" => Decnn(DecnnConfig),
    /// CMLA, an extractor.
    "cmla" => Cmla(CmlaConfig),
    /// ALSTM, a classifier.
    "alstm" => Alstm(AlstmConfig),
    /// dTrans, a classifier that also learns from documents.
    "dtrans" => Dtrans(DTransConfig),
    /// The AS of PIPELINE, a classifier.
    "aspect-sentiment" => AspectSentiment(AspectSentimentConfig),
    /// MNN, integrated.
    "mnn" => Mnn(MnnConfig),
    /// INABSA, integrated.
    "inabsa" => Inabsa(InabsaConfig),
}
