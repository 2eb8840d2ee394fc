//! How every system of the comparison is made: a variant of IMN, a network alone, or an extractor and a classifier.
//!
//! Each variant differs from its base in what its name says and in nothing else.

use imn::config::{Config, ConfigError, Override};
use imn::data::PaperSet;

use crate::config::SystemConfig;

/// How a system is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipe {
    /// A variant of IMN.
    Imn {
        /// What it starts from.
        base: Base,
        /// What it changes.
        changes: &'static [&'static str],
    },
    /// One network.
    Alone {
        /// Its configuration.
        network: &'static str,
        /// What it changes.
        changes: &'static [&'static str],
    },
    /// An extractor, and a classifier that is told what it found: names of systems.
    Pipeline {
        /// AE.
        extractor: &'static str,
        /// AS.
        classifier: &'static str,
    },
}

/// The configurations that variants of IMN start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// IMN^-d: no documents.
    ImnD,
    /// IMN.
    Imn,
}

const WITHOUT_OPINIONS: &[&str] = &["opinions=unused"];

const fn imn_d(changes: &'static [&'static str]) -> Recipe {
    let base = Base::ImnD;
    Recipe::Imn { base, changes }
}

const fn imn(changes: &'static [&'static str]) -> Recipe {
    let base = Base::Imn;
    Recipe::Imn { base, changes }
}

const fn alone(network: &'static str, changes: &'static [&'static str]) -> Recipe {
    Recipe::Alone { network, changes }
}

const fn pipeline(extractor: &'static str, classifier: &'static str) -> Recipe {
    Recipe::Pipeline {
        extractor,
        classifier,
    }
}

/// Every system by its name in results. Parts come before what is made of them.
pub const RECIPES: &[(&str, Recipe)] = &[
    ("decnn", alone("decnn", &[])),
    ("cmla", alone("cmla", &[])),
    ("alstm", alone("alstm", &[])),
    ("dtrans", alone("dtrans", &[])),
    ("aspect-sentiment", alone("aspect-sentiment", &[])),
    ("cmla-alstm", pipeline("cmla", "alstm")),
    ("cmla-dtrans", pipeline("cmla", "dtrans")),
    ("decnn-alstm", pipeline("decnn", "alstm")),
    ("decnn-dtrans", pipeline("decnn", "dtrans")),
    ("pipeline", pipeline("decnn", "aspect-sentiment")),
    ("mnn", alone("mnn", &[])),
    ("inabsa", alone("inabsa", &[])),
    ("imn-d-wo-de", imn_d(&["vectors.domain=[]"])),
    ("imn-d", imn_d(&[])),
    ("imn-wo-de", imn(&["vectors.domain=[]"])),
    ("imn", imn(&[])),
    (
        "vanilla",
        imn_d(&[
            "model.rounds=0",
            "model.messages=none",
            "model.opinions=extracted",
        ]),
    ),
    ("imn-d-t0", imn_d(&["model.rounds=0"])),
    ("imn-d-t1", imn_d(&["model.rounds=1"])),
    ("imn-d-t3", imn_d(&["model.rounds=3"])),
    ("imn-d-t4", imn_d(&["model.rounds=4"])),
    ("imn-d-t5", imn_d(&["model.rounds=5"])),
    (
        "imn-d-ds",
        imn(&["model.messages=aspect", "model.documents=sentiment"]),
    ),
    ("imn-d-dd", imn(&["model.messages=aspect"])),
    ("decnn-wo-op", alone("decnn", WITHOUT_OPINIONS)),
    ("alstm-wo-op", alone("alstm", WITHOUT_OPINIONS)),
    ("dtrans-wo-op", alone("dtrans", WITHOUT_OPINIONS)),
    ("decnn-alstm-wo-op", pipeline("decnn-wo-op", "alstm-wo-op")),
    (
        "decnn-dtrans-wo-op",
        pipeline("decnn-wo-op", "dtrans-wo-op"),
    ),
    // The AS of PIPELINE is told nothing of opinions: with and without labels it is the same.
    (
        "pipeline-wo-op",
        pipeline("decnn-wo-op", "aspect-sentiment"),
    ),
    ("mnn-wo-op", alone("mnn", WITHOUT_OPINIONS)),
    ("inabsa-wo-op", alone("inabsa", WITHOUT_OPINIONS)),
    ("imn-d-wo-op", imn_d(&["model.opinions=unlabelled"])),
    ("imn-wo-op", imn(&["model.opinions=unlabelled"])),
];

impl Recipe {
    /// How the system of this name is made.
    #[must_use]
    pub fn of(system: &str) -> Option<Self> {
        let known = RECIPES.iter().find(|(name, _)| *name == system);
        known.map(|(_, recipe)| *recipe)
    }
}

/// The settings of IMN and of IMN^-d, a file a set.
fn base_config(base: Base, set: PaperSet) -> &'static str {
    match (base, set) {
        (Base::ImnD, PaperSet::Res14) => include_str!("../../../configs/imn-d.res14.toml"),
        (Base::ImnD, PaperSet::Lap14) => include_str!("../../../configs/imn-d.lap14.toml"),
        (Base::ImnD, PaperSet::Res15) => include_str!("../../../configs/imn-d.res15.toml"),
        (Base::Imn, PaperSet::Res14) => include_str!("../../../configs/imn.res14.toml"),
        (Base::Imn, PaperSet::Lap14) => include_str!("../../../configs/imn.lap14.toml"),
        (Base::Imn, PaperSet::Res15) => include_str!("../../../configs/imn.res15.toml"),
    }
}

/// The settings of a compared network, for all sets.
fn network_config(network: &str) -> Option<&'static str> {
    Some(match network {
        "decnn" => include_str!("../../../configs/baselines/decnn.toml"),
        "cmla" => include_str!("../../../configs/baselines/cmla.toml"),
        "alstm" => include_str!("../../../configs/baselines/alstm.toml"),
        "dtrans" => include_str!("../../../configs/baselines/dtrans.toml"),
        "aspect-sentiment" => include_str!("../../../configs/baselines/aspect-sentiment.toml"),
        "mnn" => include_str!("../../../configs/baselines/mnn.toml"),
        "inabsa" => include_str!("../../../configs/baselines/inabsa.toml"),
        _ => return None,
    })
}

/// The overrides of a run: the recipe's, then the caller's, then name and seed.
fn overrides(
    system: &str,
    seed: u64,
    changes: &[&str],
    more: &[Override],
) -> Result<Vec<Override>, ConfigError> {
    let fixed = |change: &&Override| ["name", "seed"].contains(&change.key());
    if let Some(change) = more.iter().find(fixed) {
        return Err(ConfigError::Range {
            field: "--set",
            value: change.key().to_owned(),
            range: "is the run's own".to_owned(),
        });
    }
    let own: Result<Vec<Override>, _> = changes.iter().map(|change| change.parse()).collect();
    let mut all = own?;
    all.extend_from_slice(more);
    all.push(format!("name={system}").parse()?);
    all.push(format!("seed={seed}").parse()?);
    Ok(all)
}

/// The configuration of a variant of IMN.
///
/// # Errors
/// If the overrides make no sense.
pub fn imn_config(
    system: &str,
    base: Base,
    changes: &[&str],
    set: PaperSet,
    seed: u64,
    more: &[Override],
) -> Result<Config, ConfigError> {
    Config::from_toml(
        base_config(base, set),
        &overrides(system, seed, changes, more)?,
    )
}

/// The general vectors of a set, as IMN has them: the paper's own, GloVe 840B, can be had for res15 only.
fn vectors_of_set(set: PaperSet) -> &'static [&'static str] {
    match set {
        PaperSet::Res14 | PaperSet::Lap14 => &[],
        PaperSet::Res15 => &[r#"vectors.general=["vectors/glove840b.res15.300d.txt.gz"]"#],
    }
}

/// The configuration of a compared network; `{set}` and `{documents}` in the file become those of the set, and res15, the smallest set, has
/// vectors of its own and twice the epochs.
///
/// # Errors
/// If the overrides make no sense, or there is no such network.
pub fn system_config(
    system: &str,
    network: &str,
    changes: &[&str],
    set: PaperSet,
    seed: u64,
    more: &[Override],
) -> Result<SystemConfig, ConfigError> {
    let unknown = || ConfigError::Range {
        field: "system",
        value: network.to_owned(),
        range: "there is no such network".to_owned(),
    };
    let documents = match set {
        PaperSet::Res14 | PaperSet::Res15 => "restaurant",
        PaperSet::Lap14 => "electronics",
    };
    let text = network_config(network).ok_or_else(unknown)?;
    let text = text
        .replace("{set}", set.name())
        .replace("{documents}", documents);
    let changes = [vectors_of_set(set), changes].concat();
    let mut config = SystemConfig::from_toml(&text, &overrides(system, seed, &changes, more)?)?;
    if set == PaperSet::Res15 && !more.iter().any(|change| change.key() == "train.epochs") {
        // It has fewer than half the sentences of the others: so the steps are about as many.
        config.train.epochs *= 2;
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_makes_a_configuration_that_makes_sense() {
        for (system, recipe) in RECIPES {
            for set in PaperSet::ALL {
                match *recipe {
                    Recipe::Imn { base, changes } => {
                        let config = imn_config(system, base, changes, set, 4, &[]).unwrap();
                        assert_eq!((config.name.as_str(), config.seed), (*system, 4));
                        assert_eq!(config.data.set.as_deref(), Some(set.name()));
                    }
                    Recipe::Alone { network, changes } => {
                        let config = system_config(system, network, changes, set, 4, &[]).unwrap();
                        assert_eq!(config.name, *system);
                        assert_eq!(config.network.kind(), network);
                        let train = config.data.train.first().to_string_lossy();
                        assert_eq!(train, format!("aspect/{}/train", set.name()));
                        let imn = imn_config("imn", Base::Imn, &[], set, 4, &[]).unwrap();
                        assert_eq!(config.vectors.general, imn.vectors.general);
                    }
                    Recipe::Pipeline {
                        extractor,
                        classifier,
                    } => {
                        for part in [extractor, classifier] {
                            assert!(matches!(Recipe::of(part), Some(Recipe::Alone { .. })));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_variant_differs_from_its_base_in_what_its_name_says() {
        let set = PaperSet::Lap14;
        let base = imn_config("x", Base::ImnD, &[], set, 1, &[]).unwrap();
        let Some(Recipe::Imn { changes, .. }) = Recipe::of("imn-d-t5") else {
            panic!("a variant of IMN");
        };
        let mut five = imn_config("x", Base::ImnD, changes, set, 1, &[]).unwrap();
        assert_eq!(five.model.rounds, 5);
        five.model.rounds = base.model.rounds;
        assert_eq!(five, base);
    }
}
