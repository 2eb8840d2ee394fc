//! The recipes, which determine the settings of every system. `paper` follows the paper and its
//! authors' program; `tuned` was chosen on development splits. The others put a pre-trained
//! transformer below the same network (contextual IMN) and are named after it.
//!
//! | recipe | IMN and its variants | compared networks |
//! |---|---|---|
//! | `paper` | `configs/paper` | `configs/baselines` with GloVe 840B |
//! | `tuned` | `configs/tuned` | `configs/baselines` with IMN's general vectors on each set |
//! | `minilm`, `gte-small`, `mpnet` | `configs/contextual`, with this encoder | none |
//!
//! Each recipe has its own results and its own tables. Within a recipe, a variant differs from its
//! base only in what its name says.

use std::fmt;
use std::str::FromStr;

use imn::config::{Config, ConfigError, Override};
use serde::Serialize;
use serde_json::{Value, json};

use crate::config::SystemConfig;
use crate::registry::{Base, Composition, DEFAULT_SEEDS, SystemEntry, find};
use crate::runner::Job;
use crate::sets::PaperSet;

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
            "../../../configs/",
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

    /// The folder of the pre-trained encoder below the data folder, in a recipe that has one.
    #[must_use]
    pub const fn encoder(self) -> Option<&'static str> {
        match self {
            Self::Paper | Self::Tuned => None,
            Self::Minilm => Some("encoders/minilm"),
            Self::GteSmall => Some("encoders/gte-small"),
            Self::Mpnet => Some("encoders/mpnet"),
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
        self.encoder().is_none() || without_vectors()
    }

    /// The default number of runs of a system per set.
    #[must_use]
    pub fn default_seeds(self, system: &SystemEntry) -> u64 {
        match self.encoder() {
            None => system.default_seeds(),
            Some(_) => DEFAULT_SEEDS,
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

    /// The general word vectors of the compared networks on a set, if they differ from those in
    /// `configs/baselines`. They are always the ones that IMN has in the same recipe.
    const fn general_vectors(self, set: PaperSet) -> Option<&'static str> {
        match (self, set) {
            (Self::Tuned, PaperSet::Res15) => Some("vectors/glove840b.res15.300d.txt.gz"),
            (Self::Tuned, PaperSet::Res14 | PaperSet::Lap14) => None,
            _ => Some("vectors/glove840b.300d.txt.gz"),
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

/// The settings of one run.
#[derive(Debug, Clone, PartialEq)]
pub enum RecipeSettings {
    /// Of a variant of IMN.
    Imn(Box<Config>),
    /// Of a compared network.
    Network(Box<SystemConfig>),
    /// Of the two parts of a pipeline.
    Pipeline {
        /// AE.
        extractor: (Job, Box<SystemConfig>),
        /// AS.
        classifier: (Job, Box<SystemConfig>),
    },
}

impl RecipeSettings {
    /// The settings of a run, with the caller's changes applied last.
    ///
    /// # Errors
    /// If the recipe does not have the system, or the changes are invalid.
    pub fn of(recipe: Recipe, job: Job, changes: &[Override]) -> Result<Self, ConfigError> {
        if !recipe.includes(job.system) {
            return Err(ConfigError::Range {
                field: "system",
                value: job.system.name.to_owned(),
                range: format!("is not a system of the recipe `{recipe}`"),
            });
        }
        Ok(match job.system.composition {
            Composition::Imn {
                base,
                changes: variant,
            } => {
                let text = recipe.base_settings(base, job.set);
                let encoder = recipe
                    .encoder()
                    .map(|folder| format!("model.encoder.transformer.folder={folder}"));
                let own: Vec<&str> = encoder
                    .as_deref()
                    .into_iter()
                    .chain(variant.iter().copied())
                    .collect();
                let overrides = overrides(job, &own, changes)?;
                Self::Imn(Box::new(Config::from_toml(text, &overrides)?))
            }
            Composition::Network { .. } => {
                Self::Network(Box::new(network_settings(recipe, job, changes)?))
            }
            Composition::Pipeline {
                extractor,
                classifier,
            } => {
                let part = |name: &str| -> Result<_, ConfigError> {
                    let job = Job {
                        system: part_of(job.system, name)?,
                        ..job
                    };
                    Ok((job, Box::new(network_settings(recipe, job, changes)?)))
                };
                Self::Pipeline {
                    extractor: part(extractor)?,
                    classifier: part(classifier)?,
                }
            }
        })
    }

    /// Whether these are the settings in a result file. Settings that are missing in the file have
    /// their defaults, so that older files can be compared. The precision of training may differ:
    /// it depends on the machine.
    #[must_use]
    pub fn are_in(&self, config: &Value) -> bool {
        match self {
            Self::Imn(now) => {
                let kept: Result<Config, _> = serde_json::from_value(config.clone());
                kept.is_ok_and(|mut kept| {
                    kept.train.precision = now.train.precision;
                    kept == **now
                })
            }
            Self::Network(now) => same_network(config, now),
            Self::Pipeline {
                extractor,
                classifier,
            } => {
                same_network(&config["extractor"], &extractor.1)
                    && same_network(&config["classifier"], &classifier.1)
            }
        }
    }

    /// The settings as in a result file.
    ///
    /// # Errors
    /// If a value cannot be written as JSON.
    pub fn to_json(&self) -> Result<Value, serde_json::Error> {
        fn value<T: Serialize>(config: &T) -> Result<Value, serde_json::Error> {
            serde_json::to_value(config)
        }
        Ok(match self {
            Self::Imn(config) => value(config)?,
            Self::Network(config) => value(config)?,
            Self::Pipeline {
                extractor,
                classifier,
            } => json!({
                "extractor": value(&extractor.1)?,
                "classifier": value(&classifier.1)?,
            }),
        })
    }
}

fn same_network(kept: &Value, now: &SystemConfig) -> bool {
    let kept: Result<SystemConfig, _> = serde_json::from_value(kept.clone());
    kept.is_ok_and(|kept| kept == *now)
}

fn part_of(pipeline: &SystemEntry, name: &str) -> Result<&'static SystemEntry, ConfigError> {
    find(name).ok_or_else(|| ConfigError::Range {
        field: "system",
        value: name.to_owned(),
        range: format!("is not a system, but `{}` needs it", pipeline.name),
    })
}

/// The overrides of a run: the variant's, then the caller's, then name and seed.
fn overrides(
    job: Job,
    variant: &[&str],
    changes: &[Override],
) -> Result<Vec<Override>, ConfigError> {
    let fixed = |change: &&Override| ["name", "seed"].contains(&change.key());
    if let Some(change) = changes.iter().find(fixed) {
        return Err(ConfigError::Range {
            field: "--set",
            value: change.key().to_owned(),
            range: "cannot be changed, because it identifies the run".to_owned(),
        });
    }
    let own: Result<Vec<Override>, _> = variant.iter().map(|change| change.parse()).collect();
    let mut all = own?;
    all.extend_from_slice(changes);
    all.push(format!("name={}", job.system.name).parse()?);
    all.push(format!("seed={}", job.seed).parse()?);
    Ok(all)
}

/// The settings of a compared network. `{set}` and `{documents}` in its file are replaced by those
/// of the set.
fn network_settings(
    recipe: Recipe,
    job: Job,
    changes: &[Override],
) -> Result<SystemConfig, ConfigError> {
    let Composition::Network {
        settings,
        changes: variant,
    } = job.system.composition
    else {
        return Err(ConfigError::Range {
            field: "system",
            value: job.system.name.to_owned(),
            range: "is not a single network".to_owned(),
        });
    };
    let documents = match job.set {
        PaperSet::Res14 | PaperSet::Res15 => "restaurant",
        PaperSet::Lap14 => "electronics",
    };
    let text = settings
        .replace("{set}", job.set.name())
        .replace("{documents}", documents);
    let vectors = recipe
        .general_vectors(job.set)
        .map(|file| format!("vectors.general=[{file:?}]"));
    let own: Vec<&str> = vectors
        .as_deref()
        .into_iter()
        .chain(variant.iter().copied())
        .collect();
    let mut config = SystemConfig::from_toml(&text, &overrides(job, &own, changes)?)?;
    if job.set == PaperSet::Res15 && !changes.iter().any(|change| change.key() == "train.epochs") {
        // It has fewer than half the sentences of the others; this keeps the number of steps
        // similar.
        config.train.epochs *= 2;
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::SYSTEMS;

    fn job(system: &str, set: PaperSet) -> Job {
        Job::new(find(system).unwrap(), set, 4)
    }

    fn imn(recipe: Recipe, system: &str, set: PaperSet) -> Config {
        match RecipeSettings::of(recipe, job(system, set), &[]).unwrap() {
            RecipeSettings::Imn(config) => *config,
            other => panic!("a variant of IMN, not {other:?}"),
        }
    }

    #[test]
    fn every_system_of_a_recipe_has_valid_settings() {
        for recipe in Recipe::ALL {
            for (entry, set) in SYSTEMS
                .iter()
                .filter(|entry| recipe.includes(entry))
                .flat_map(|entry| PaperSet::ALL.map(|set| (entry, set)))
            {
                let check_network = |config: &SystemConfig, system: &str| {
                    assert_eq!((config.name.as_str(), config.seed), (system, 4));
                    let kind = system.strip_suffix("-wo-op").unwrap_or(system);
                    assert_eq!(config.network.kind(), kind);
                    let train = config.data.train.first().to_string_lossy();
                    assert_eq!(train, format!("aspect/{set}/train"));
                    let imn = imn(recipe, "imn", set);
                    assert_eq!(config.vectors.general, imn.vectors.general);
                };
                let settings = RecipeSettings::of(recipe, job(entry.name, set), &[]).unwrap();
                match &settings {
                    RecipeSettings::Imn(config) => {
                        assert_eq!((config.name.as_str(), config.seed), (entry.name, 4));
                        assert_eq!(config.data.set.as_deref(), Some(set.name()));
                    }
                    RecipeSettings::Network(config) => check_network(config, entry.name),
                    RecipeSettings::Pipeline {
                        extractor,
                        classifier,
                    } => {
                        for (job, config) in [extractor, classifier] {
                            check_network(config, job.system.name);
                        }
                    }
                }
                assert!(settings.are_in(&settings.to_json().unwrap()));
            }
        }
    }

    #[test]
    fn a_variant_differs_from_its_base_in_what_its_name_says() {
        for recipe in Recipe::ALL {
            let base = imn(recipe, "imn-no-docs", PaperSet::Lap14);
            let mut five = imn(recipe, "imn-no-docs-t5", PaperSet::Lap14);
            assert_eq!(five.model.rounds, 5);
            five.model.rounds = base.model.rounds;
            five.name.clone_from(&base.name);
            assert_eq!(five, base);
        }
    }

    #[test]
    fn the_recipes_differ() {
        for entry in SYSTEMS {
            let job = job(entry.name, PaperSet::Res14);
            let settings: Vec<RecipeSettings> = Recipe::ALL
                .into_iter()
                .filter(|recipe| recipe.includes(entry))
                .map(|recipe| RecipeSettings::of(recipe, job, &[]).unwrap())
                .collect();
            for (i, one) in settings.iter().enumerate() {
                for other in &settings[..i] {
                    assert!(!one.are_in(&other.to_json().unwrap()), "{}", entry.name);
                }
            }
        }
        for recipe in Recipe::ALL {
            assert_eq!(recipe.name().parse(), Ok(recipe));
        }
        let error = "best".parse::<Recipe>().unwrap_err().to_string();
        assert!(error.contains("paper, tuned, minilm"), "{error}");
    }

    #[test]
    fn results_in_another_precision_are_of_the_same_settings() {
        let job = job("imn", PaperSet::Res14);
        let settings = RecipeSettings::of(Recipe::GteSmall, job, &[]).unwrap();
        let changed = |change: &str| {
            let changes = [change.parse().unwrap()];
            let changed = RecipeSettings::of(Recipe::GteSmall, job, &changes).unwrap();
            changed.to_json().unwrap()
        };
        assert!(settings.are_in(&changed("train.precision=bf16")));
        assert!(!settings.are_in(&changed("train.epochs=3")));
    }

    #[test]
    fn a_recipe_rejects_systems_of_others() {
        let error = RecipeSettings::of(Recipe::Minilm, job("mnn", PaperSet::Res14), &[]);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("recipe `minilm`"), "{error}");
    }
}
