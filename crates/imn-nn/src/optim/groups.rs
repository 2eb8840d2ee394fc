//! Parameter groups: learning-rate factor, weight decay and freezing by name prefix.
//!
//! A parameter belongs to the group with the longest matching prefix. A parameter that matches no
//! group has the default settings. For layer-wise learning rates, the groups `encoder.layers.0.`,
//! `encoder.layers.1.`, … have increasing factors.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Error, Freeze, ParamId, Params, Result, Scalar};

/// Settings of the parameters whose names begin with `prefix`.
///
/// ```
/// use imn_nn::{Init, Params, optim::{Group, Groups}};
/// let mut params = Params::<f32>::new();
/// params.builder(1).scope("encoder").add("kernel", &[2, 2], Init::Zeros);
/// params.builder(1).scope("head").add("kernel", &[2, 2], Init::Zeros);
/// let encoder = Group { prefix: "encoder.".into(), rate: 0.1, ..Group::default() };
/// let groups = Groups::new(&[encoder], &params)?;
/// assert_eq!(groups.rate(params.find("encoder.kernel").unwrap()), 0.1);
/// assert_eq!(groups.rate(params.find("head.kernel").unwrap()), 1.0);
/// # Ok::<(), imn_nn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Prefix of the names of its parameters.
    pub prefix: String,
    /// Factor on the learning rate of the schedule [default: 1].
    #[serde(default = "one")]
    pub rate: f64,
    /// λ of AdamW: a step first multiplies the values by 1 − learning rate · λ. Applies to tensors
    /// of two or more dimensions, not to biases and gains [default: 0].
    #[serde(default)]
    pub weight_decay: f64,
    /// Never change the values [default: false].
    #[serde(default)]
    pub freeze: bool,
}

fn one() -> f64 {
    1.0
}

impl Default for Group {
    fn default() -> Self {
        Self {
            prefix: String::new(),
            rate: 1.0,
            weight_decay: 0.0,
            freeze: false,
        }
    }
}

impl Group {
    /// Why the settings are invalid; `None` if they are valid.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        let bad = |number: f64| !(number.is_finite() && number >= 0.0);
        if bad(self.rate) {
            Some("rate must be 0 or more")
        } else if bad(self.weight_decay) {
            Some("weight_decay must be 0 or more")
        } else {
            None
        }
    }
}

/// The settings of one parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
struct GroupSettings {
    rate: f64,
    weight_decay: f64,
    freeze: bool,
}

impl Default for GroupSettings {
    fn default() -> Self {
        Self {
            rate: 1.0,
            weight_decay: 0.0,
            freeze: false,
        }
    }
}

/// The settings of every parameter of a network. The default is rate 1 and no decay.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Groups {
    /// By parameter; parameters beyond the end have the default settings.
    settings: Vec<GroupSettings>,
    frozen: BTreeSet<String>,
}

impl Groups {
    /// Assigns every parameter to its group.
    ///
    /// # Errors
    /// If no parameter belongs to a group, two groups have the same prefix, or a setting is
    /// negative or not finite.
    pub fn new<S: Scalar>(groups: &[Group], params: &Params<S>) -> Result<Self> {
        let wrong = |group: &Group, problem: &'static str| Error::Group {
            prefix: group.prefix.clone(),
            problem,
        };
        for (i, group) in groups.iter().enumerate() {
            if let Some(problem) = group.problem() {
                return Err(wrong(group, problem));
            }
            if groups[..i].iter().any(|other| other.prefix == group.prefix) {
                return Err(wrong(group, "two groups have this prefix"));
            }
        }
        let mut used = vec![false; groups.len()];
        let mut frozen = BTreeSet::new();
        let settings = params
            .iter()
            .map(|(_, tensor)| {
                let matching = groups
                    .iter()
                    .enumerate()
                    .filter(|(_, group)| tensor.name().starts_with(&group.prefix));
                let Some((i, group)) = matching.max_by_key(|(_, group)| group.prefix.len()) else {
                    return GroupSettings::default();
                };
                used[i] = true;
                if group.freeze {
                    frozen.insert(tensor.name().to_owned());
                }
                let decays = tensor.shape().len() >= 2;
                GroupSettings {
                    rate: group.rate,
                    weight_decay: if decays { group.weight_decay } else { 0.0 },
                    freeze: group.freeze,
                }
            })
            .collect();
        match used.iter().position(|used| !used) {
            Some(i) => Err(wrong(&groups[i], "no parameter belongs to it")),
            None => Ok(Self { settings, frozen }),
        }
    }

    fn settings(&self, id: ParamId) -> GroupSettings {
        self.settings.get(id.0).copied().unwrap_or_default()
    }

    /// The factor on the learning rate of a parameter.
    #[must_use]
    pub fn rate(&self, id: ParamId) -> f64 {
        self.settings(id).rate
    }

    /// λ of a parameter; 0 for tensors of one dimension.
    #[must_use]
    pub fn weight_decay(&self, id: ParamId) -> f64 {
        self.settings(id).weight_decay
    }

    /// Whether a parameter is frozen.
    #[must_use]
    pub fn is_frozen(&self, id: ParamId) -> bool {
        self.settings(id).freeze
    }

    /// `freeze` with the parameters of frozen groups added. With this as [`crate::Step::freeze`],
    /// their gradients are not computed at all.
    #[must_use]
    pub fn freeze(&self, freeze: Freeze) -> Freeze {
        freeze.and_names(&self.frozen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Init;

    fn params() -> Params<f64> {
        let mut params = Params::new();
        let mut builder = params.builder(1);
        for layer in ["encoder.layers.0", "encoder.layers.1", "head"] {
            let mut scope = builder.scope(layer);
            scope.add("kernel", &[2, 2], Init::Zeros);
            scope.add("bias", &[2], Init::Zeros);
        }
        params
    }

    fn group(prefix: &str) -> Group {
        Group {
            prefix: prefix.to_owned(),
            ..Group::default()
        }
    }

    #[test]
    fn the_longest_prefix_wins_whatever_the_order() {
        let params = params();
        let outer = Group {
            rate: 0.5,
            weight_decay: 0.01,
            freeze: true,
            ..group("encoder.")
        };
        let inner = Group {
            rate: 0.1,
            ..group("encoder.layers.1.")
        };
        for groups in [[outer.clone(), inner.clone()], [inner, outer]] {
            let groups = Groups::new(&groups, &params).unwrap();
            let id = |name| params.find(name).unwrap();
            assert_eq!(groups.rate(id("encoder.layers.0.bias")), 0.5);
            assert_eq!(groups.rate(id("encoder.layers.1.bias")), 0.1);
            assert_eq!(groups.rate(id("head.bias")), 1.0);
            assert_eq!(groups.weight_decay(id("encoder.layers.0.kernel")), 0.01);
            assert_eq!(groups.weight_decay(id("encoder.layers.0.bias")), 0.0);
            let freeze = groups.freeze(Freeze::none());
            for (id, tensor) in params.iter() {
                let frozen = tensor.name().starts_with("encoder.layers.0.");
                assert_eq!(groups.is_frozen(id), frozen, "{}", tensor.name());
                assert_eq!(freeze.covers(tensor.name()), frozen, "{}", tensor.name());
            }
        }
    }

    #[test]
    fn invalid_groups_are_rejected() {
        let problem = |groups: &[Group]| Groups::new(groups, &params()).unwrap_err().to_string();
        assert_eq!(
            problem(&[group("encoder."), group("decoder.")]),
            "parameter group `decoder.`: no parameter belongs to it"
        );
        // All parameters that it matches belong to more specific groups.
        let hidden = ["encoder.", "encoder.layers.0.", "encoder.layers.1."].map(group);
        assert!(problem(&hidden).contains("`encoder.`: no parameter"));
        assert!(problem(&[group("head."), group("head.")]).contains("two groups"));
        let negative = Group {
            rate: -1.0,
            ..group("head.")
        };
        assert!(problem(&[negative]).contains("rate must be"));
        let infinite = Group {
            weight_decay: f64::INFINITY,
            ..group("head.")
        };
        assert!(problem(&[infinite]).contains("weight_decay must be"));
    }

    #[test]
    fn only_the_prefix_is_required_in_a_file() {
        let read = |text: &str| serde_json::from_str::<Group>(text);
        assert_eq!(read(r#"{"prefix": "head."}"#).unwrap(), group("head."));
        assert!(read(r#"{"rate": 1.0}"#).is_err());
        assert!(read(r#"{"prefix": "head.", "decay": 1.0}"#).is_err());
    }
}
