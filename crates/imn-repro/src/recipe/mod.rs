//! The recipes, which determine the settings of every system. `paper` follows the paper and its
//! authors' program; `tuned` was chosen on development splits. The others put a pre-trained
//! transformer below the same network (contextual IMN) and are named after it.
//!
//! | recipe | IMN and its variants | compared networks |
//! |---|---|---|
//! | `paper` | `configs/paper` | `configs/baselines` with GloVe 840B |
//! | `tuned` | `configs/tuned` | `configs/baselines` with IMN's general vectors on each set |
//! | `minilm`, `gte-small`, `mpnet` | `configs/contextual`, with this encoder and its schedule | none |
//!
//! Each recipe has its own results and its own tables. Within a recipe, a variant differs from its
//! base only in what its name says.

mod settings;

use std::fmt;
use std::str::FromStr;

use crate::registry::{Base, Composition, DEFAULT_SEEDS, SystemEntry};
use crate::sets::PaperSet;

pub use settings::RecipeSettings;

/// The source of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recipe {
    /// The paper's settings, and those of its authors' program where the paper gives none.
    #[default]
    Paper,
    /// Settings chosen on development splits.
    Tuned,
    /// Contextual IMN on all-MiniLM-L6-v2.
    Minilm,
    /// Contextual IMN on gte-small.
    GteSmall,
    /// Contextual IMN on all-mpnet-base-v2.
    Mpnet,
}

/// A name that no recipe has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no recipe {name:?}; the recipes are {}", names())]
pub struct UnknownRecipe {
    /// The unknown name.
    pub name: String,
}

fn names() -> String {
    Recipe::ALL.map(Recipe::name).join(", ")
}

/// The settings files of IMN and IMN⁻ᵈ in a folder of `configs/`.
macro_rules! base_settings {
    ($folder:literal, $base:expr, $set:expr) => {
        match $base {
            Base::ImnNoDocs => base_settings!(@of $folder, "imn-no-docs", $set),
            Base::Imn => base_settings!(@of $folder, "imn", $set),
        }
    };
    (@of $folder:literal, $base:literal, $set:expr) => {
        match $set {
            PaperSet::Res14 => base_settings!(@file $folder, $base, "res14"),
            PaperSet::Lap14 => base_settings!(@file $folder, $base, "lap14"),
            PaperSet::Res15 => base_settings!(@file $folder, $base, "res15"),
        }
    };
    (@file $folder:literal, $base:literal, $set:literal) => {
        include_str!(concat!(
            "../../../../configs/",
            $folder,
            "/",
            $base,
            ".",
            $set,
            ".toml"
        ))
    };
}

impl Recipe {
    /// All recipes.
    pub const ALL: [Self; 5] = [
        Self::Paper,
        Self::Tuned,
        Self::Minilm,
        Self::GteSmall,
        Self::Mpnet,
    ];

    /// The name: a folder below `results/`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Tuned => "tuned",
            Self::Minilm => "minilm",
            Self::GteSmall => "gte-small",
            Self::Mpnet => "mpnet",
        }
    }

    /// One sentence about the settings, for the tables.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Paper => {
                "Settings of the paper, completed from its authors' program; compared systems use \
                 the same general word vectors as IMN."
            }
            Self::Tuned => {
                "Settings chosen on development splits; compared systems use the same general word \
                 vectors as IMN on each set."
            }
            Self::Minilm => {
                "Contextual IMN: the shared encoder is all-MiniLM-L6-v2 (6 layers of 384 units), \
                 pre-trained. The paper's values are those of its CNN."
            }
            Self::GteSmall => {
                "Contextual IMN: the shared encoder is gte-small (12 layers of 384 units), \
                 pre-trained. The paper's values are those of its CNN."
            }
            Self::Mpnet => {
                "Contextual IMN: the shared encoder is all-mpnet-base-v2 (12 layers of 768 units), \
                 pre-trained. The paper's values are those of its CNN."
            }
        }
    }

    /// Whether a pre-trained transformer is the shared encoder.
    #[must_use]
    pub const fn is_contextual(self) -> bool {
        match self {
            Self::Paper | Self::Tuned => false,
            Self::Minilm | Self::GteSmall | Self::Mpnet => true,
        }
    }

    /// Whether the recipe has settings for a system. With a pre-trained encoder, there are no word
    /// vectors to leave out, and the compared networks have no place for the encoder.
    #[must_use]
    pub fn includes(self, system: &SystemEntry) -> bool {
        let without_vectors = || match system.composition {
            Composition::Imn { changes, .. } => {
                !changes.iter().any(|change| change.starts_with("vectors."))
            }
            Composition::Network { .. } | Composition::Pipeline { .. } => false,
        };
        !self.is_contextual() || without_vectors()
    }

    /// The default number of runs of a system per set.
    #[must_use]
    pub fn default_seeds(self, system: &SystemEntry) -> u64 {
        if self.is_contextual() {
            DEFAULT_SEEDS
        } else {
            system.default_seeds()
        }
    }

    /// The settings file of IMN or IMN⁻ᵈ on a set.
    const fn base_settings(self, base: Base, set: PaperSet) -> &'static str {
        match self {
            Self::Paper => base_settings!("paper", base, set),
            Self::Tuned => base_settings!("tuned", base, set),
            Self::Minilm | Self::GteSmall | Self::Mpnet => base_settings!("contextual", base, set),
        }
    }

    /// What this recipe changes in the settings file of IMN or IMN⁻ᵈ: the encoder, and what was
    /// chosen with it.
    const fn base_changes(self, set: PaperSet) -> &'static [&'static str] {
        const MPNET: &str = "model.encoder.transformer.folder=encoders/mpnet";
        // Chosen by the study `mpnet`: half the rate of the small encoders, and fewer epochs.
        const MPNET_RATE: &str =
            r#"train.groups=[{ prefix = "shared.", rate = 0.1, weight_decay = 0.01 }]"#;
        match (self, set) {
            (Self::Paper | Self::Tuned | Self::Minilm, _) => &[],
            (Self::GteSmall, _) => &["model.encoder.transformer.folder=encoders/gte-small"],
            (Self::Mpnet, PaperSet::Res15) => &[MPNET, MPNET_RATE, "train.epochs=16"],
            (Self::Mpnet, _) => &[MPNET, MPNET_RATE, "train.epochs=8"],
        }
    }

    /// What this recipe changes in the settings of a compared network in `configs/baselines`: the
    /// general word vectors, which are those of IMN, and what was chosen with them.
    fn network_changes(self, network: &str, set: PaperSet) -> &'static [&'static str] {
        const GLOVE: &str = r#"vectors.general=["vectors/glove840b.300d.txt.gz"]"#;
        const GLOVE_RES15: &str = r#"vectors.general=["vectors/glove840b.res15.300d.txt.gz"]"#;
        match (self, set, network) {
            (Self::Tuned, PaperSet::Res15, _) => &[GLOVE_RES15],
            (Self::Tuned, PaperSet::Res14 | PaperSet::Lap14, _) => &[],
            // Chosen by the studies `alstm`, `dtrans`, `inabsa` and `mnn`. INABSA's own program
            // trains on one sentence at a time, and that of dTrans pre-trains for ten passes.
            (_, _, "alstm" | "inabsa") => &[GLOVE, "train.batch=8"],
            (_, _, "dtrans") => &[GLOVE, "train.documents.pretrain_epochs=4"],
            (_, _, "mnn") => &[GLOVE, "train.batch=8", "network.hidden=200"],
            _ => &[GLOVE],
        }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Recipe {
    type Err = UnknownRecipe;

    fn from_str(name: &str) -> Result<Self, UnknownRecipe> {
        let mut recipes = Self::ALL.into_iter();
        recipes
            .find(|recipe| recipe.name() == name)
            .ok_or_else(|| UnknownRecipe {
                name: name.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_is_found_by_its_name() {
        for recipe in Recipe::ALL {
            assert_eq!(recipe.name().parse(), Ok(recipe));
        }
        let error = "best".parse::<Recipe>().unwrap_err().to_string();
        assert!(error.contains("paper, tuned, minilm"), "{error}");
    }
}
