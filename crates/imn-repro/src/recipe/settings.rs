//! The settings of one run: the file of its system, changed by the recipe, by the variant's name
//! and by the caller, in this order.

use imn::config::{Config, ConfigError, Override};
use serde::Serialize;
use serde_json::{Value, json};

use super::Recipe;
use crate::config::SystemConfig;
use crate::registry::{Composition, SystemEntry, find};
use crate::runner::Job;
use crate::sets::PaperSet;

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
                let own = [recipe.base_changes(job.set), variant].concat();
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
    let name = job.system.name;
    let network = name.strip_suffix("-wo-op").unwrap_or(name);
    let own = [recipe.network_changes(network, job.set), variant].concat();
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
    fn a_recipe_can_change_the_settings_of_a_compared_network() {
        let batch = |recipe, system| {
            let job = job(system, PaperSet::Lap14);
            network_settings(recipe, job, &[]).unwrap().train.batch
        };
        for system in ["alstm", "alstm-wo-op", "inabsa", "inabsa-wo-op", "mnn"] {
            assert_eq!(batch(Recipe::Paper, system), 8, "{system}");
            assert_eq!(batch(Recipe::Tuned, system), 32, "{system}");
        }
        assert_eq!(batch(Recipe::Paper, "dtrans"), 32);
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
