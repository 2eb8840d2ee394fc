//! Calibration curves for each annotation scheme.
//!
//! Schemes differ in how hard their terms are to find, so one curve for all of them is too sure of
//! some and too unsure of others. A scheme without annotated sentences uses the curves that were
//! fitted to the sentences of all schemes together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Calibration, Outcome, Outcomes, Platt};

/// The calibration curves of a model.
///
/// ```
/// use imn::eval::{Calibration, Outcomes, SchemeCalibration};
///
/// // 90 % confident: right in half of the cases in one scheme, always in the other.
/// let outcomes = |right: fn(usize) -> bool| Outcomes {
///     aspects: (0..100).map(|i| (0.9, right(i))).collect(),
///     ..Outcomes::default()
/// };
/// let curves = SchemeCalibration::fit(
///     vec![
///         (Some("terms".to_owned()), outcomes(|i| i % 2 == 0)),
///         (Some("targets".to_owned()), outcomes(|_| true)),
///     ],
///     &[],
/// );
/// let confidence = |scheme| curves.of(Some(scheme)).aspects.apply(0.9);
/// assert!(confidence("terms") < 0.55 && confidence("targets") > 0.95);
/// assert_eq!(curves.of(Some("phrases")), curves.of(None));
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "StoredCalibration", into = "StoredCalibration")]
pub struct SchemeCalibration {
    /// Curves fitted to the sentences of all schemes.
    pooled: Calibration,
    /// Curves of the schemes that had sentences.
    schemes: BTreeMap<String, Calibration>,
}

impl From<Calibration> for SchemeCalibration {
    /// The same curves for every scheme.
    fn from(pooled: Calibration) -> Self {
        Self {
            pooled,
            schemes: BTreeMap::new(),
        }
    }
}

impl SchemeCalibration {
    /// The outcomes that are needed to fit a curve anew.
    pub const ENOUGH: usize = 200;

    /// Fits the curves of each scheme, and those of all schemes together. Outcomes of a network
    /// without schemes have no name. `texts` are the outcomes of the sentiments of texts, which do
    /// not depend on a scheme.
    #[must_use]
    pub fn fit(outcomes: Vec<(Option<String>, Outcomes)>, texts: &[Outcome]) -> Self {
        let mut all = Outcomes {
            texts: texts.to_vec(),
            ..Outcomes::default()
        };
        let mut schemes = BTreeMap::new();
        for (name, of_scheme) in outcomes {
            if let Some(name) = name {
                schemes.insert(name, Calibration::fit(&of_scheme));
            }
            all.add(of_scheme);
        }
        let pooled = Calibration::fit(&all);
        schemes
            .values_mut()
            .for_each(|own| own.texts = pooled.texts);
        Self { pooled, schemes }
    }

    /// Fits the curves of a model that was trained further to new outcomes. A curve that has fewer
    /// than [`SchemeCalibration::ENOUGH`] of them stays as it is, and so do the curves of other
    /// schemes.
    #[must_use]
    pub fn refit(&self, outcomes: Vec<(Option<String>, Outcomes)>, texts: &[Outcome]) -> Self {
        let refit = |known: Platt, outcomes: &[Outcome]| match outcomes.len() {
            0..Self::ENOUGH => known,
            _ => Platt::fit(outcomes),
        };
        let mut refitted = self.clone();
        for (name, new) in outcomes {
            let known = self.of(name.as_deref());
            let own = Calibration {
                aspects: refit(known.aspects, &new.aspects),
                opinions: refit(known.opinions, &new.opinions),
                sentiments: refit(known.sentiments, &new.sentiments),
                texts: known.texts,
            };
            match name {
                Some(name) => {
                    refitted.schemes.insert(name, own);
                }
                None => refitted.pooled = own,
            }
        }
        let texts = refit(self.pooled.texts, texts);
        refitted.pooled.texts = texts;
        let schemes = refitted.schemes.values_mut();
        schemes.for_each(|own| own.texts = texts);
        refitted
    }

    /// The curves of a scheme; those of all schemes together without a scheme, or for a scheme that
    /// had no annotated sentences.
    #[must_use]
    pub fn of(&self, scheme: Option<&str>) -> Calibration {
        let own = scheme.and_then(|name| self.schemes.get(name));
        own.copied().unwrap_or(self.pooled)
    }

    /// The schemes with curves of their own.
    pub fn schemes(&self) -> impl Iterator<Item = &str> {
        self.schemes.keys().map(String::as_str)
    }
}

/// The form in model files. Those from before there were curves for each scheme have no `schemes`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCalibration {
    aspects: Platt,
    opinions: Platt,
    sentiments: Platt,
    texts: Platt,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    schemes: BTreeMap<String, StoredScheme>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredScheme {
    aspects: Platt,
    opinions: Platt,
    sentiments: Platt,
}

impl From<StoredCalibration> for SchemeCalibration {
    fn from(stored: StoredCalibration) -> Self {
        let texts = stored.texts;
        let of_scheme = |scheme: StoredScheme| Calibration {
            aspects: scheme.aspects,
            opinions: scheme.opinions,
            sentiments: scheme.sentiments,
            texts,
        };
        Self {
            pooled: Calibration {
                aspects: stored.aspects,
                opinions: stored.opinions,
                sentiments: stored.sentiments,
                texts,
            },
            schemes: stored
                .schemes
                .into_iter()
                .map(|(name, scheme)| (name, of_scheme(scheme)))
                .collect(),
        }
    }
}

impl From<SchemeCalibration> for StoredCalibration {
    fn from(curves: SchemeCalibration) -> Self {
        let Calibration {
            aspects,
            opinions,
            sentiments,
            texts,
        } = curves.pooled;
        let of_scheme = |curves: Calibration| StoredScheme {
            aspects: curves.aspects,
            opinions: curves.opinions,
            sentiments: curves.sentiments,
        };
        Self {
            aspects,
            opinions,
            sentiments,
            texts,
            schemes: curves
                .schemes
                .into_iter()
                .map(|(name, curves)| (name, of_scheme(curves)))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_from_before_schemes_stay_readable_and_the_same() {
        let old = Calibration {
            aspects: Platt { a: 0.5, b: 0.1 },
            ..Calibration::default()
        };
        let text = serde_json::to_string(&old).unwrap();
        let curves: SchemeCalibration = serde_json::from_str(&text).unwrap();
        assert_eq!(curves, SchemeCalibration::from(old));
        assert_eq!(curves.of(Some("terms")), old);
        assert_eq!(serde_json::to_string(&curves).unwrap(), text);
    }

    #[test]
    fn curves_of_schemes_survive_storage() {
        let outcomes = Outcomes {
            aspects: (0..50).map(|i| (0.8, i % 3 == 0)).collect(),
            ..Outcomes::default()
        };
        let texts = [(0.7, true); 10];
        let curves = SchemeCalibration::fit(vec![(Some("terms".to_owned()), outcomes)], &texts);
        let text = serde_json::to_string(&curves).unwrap();
        let read: SchemeCalibration = serde_json::from_str(&text).unwrap();
        assert_eq!(read.schemes().collect::<Vec<_>>(), ["terms"]);
        let close = |a: Platt, b: Platt| (a.a - b.a).abs() < 1e-12 && (a.b - b.b).abs() < 1e-12;
        for scheme in [None, Some("terms")] {
            let (read, written) = (read.of(scheme), curves.of(scheme));
            assert!(close(read.aspects, written.aspects) && close(read.texts, written.texts));
        }
        assert_eq!(curves.of(Some("terms")).texts, curves.of(None).texts);
        let unknown = text.replace("terms\":{", "terms\":{\"x\":1,");
        assert!(serde_json::from_str::<SchemeCalibration>(&unknown).is_err());
    }

    #[test]
    fn few_outcomes_do_not_replace_a_curve() {
        let outcomes = |count: usize, right: bool| {
            let outcomes = Outcomes {
                aspects: vec![(0.6, right); count],
                ..Outcomes::default()
            };
            vec![(Some("terms".to_owned()), outcomes)]
        };
        let old = SchemeCalibration::fit(outcomes(300, false), &[]);
        assert_eq!(old.refit(outcomes(50, true), &[]), old);
        let new = old.refit(outcomes(SchemeCalibration::ENOUGH, true), &[]);
        assert!(new.of(Some("terms")).aspects.apply(0.6) > 0.9);
        assert_eq!(new.of(None), old.of(None));
        assert_eq!(new.of(Some("phrases")), old.of(Some("phrases")));
    }
}
