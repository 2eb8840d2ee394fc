//! Removes aspects and opinions, and updates the references to them.
//!
//! Links, categories and cuts refer to aspects and opinions by index. They are renumbered, or
//! removed together with the annotation that they refer to.

use crate::data::{AnnotatedSentence, Aspect, Link, Mark, Polarity};

/// For every aspect and opinion, whether it is kept.
pub(super) struct Kept {
    pub(super) aspects: Vec<bool>,
    pub(super) opinions: Vec<bool>,
}

impl Kept {
    /// Whether anything is removed.
    pub(super) fn removes_any(&self) -> bool {
        self.aspects.iter().chain(&self.opinions).any(|kept| !kept)
    }
}

pub(super) fn is_conflict(aspect: &Aspect) -> bool {
    aspect.polarity == Some(Polarity::Conflict)
}

pub(super) fn unlinked(sentence: &AnnotatedSentence) -> Kept {
    let opinions = sentence.opinions.as_ref().map_or(0, Vec::len);
    let mut kept = Kept {
        aspects: vec![false; sentence.aspects.len()],
        opinions: vec![false; opinions],
    };
    for link in sentence.links.iter().flatten() {
        // Conflict counts too: it is a separate loss.
        let polarity = sentence.aspects.get(link.aspect).and_then(|a| a.polarity);
        if polarity.is_some() {
            if let Some(slot) = kept.aspects.get_mut(link.aspect) {
                *slot = true;
            }
            if let Some(slot) = kept.opinions.get_mut(link.opinion) {
                *slot = true;
            }
        }
    }
    kept
}

pub(super) fn keep(sentence: &mut AnnotatedSentence, kept: &Kept) {
    let renumber = |flags: &[bool]| {
        let mut next = 0;
        flags
            .iter()
            .map(|kept| {
                next += usize::from(*kept);
                kept.then(|| next - 1)
            })
            .collect::<Vec<Option<usize>>>()
    };
    let (aspects, opinions) = (renumber(&kept.aspects), renumber(&kept.opinions));
    let new = |map: &[Option<usize>], i: usize| map.get(i).copied().flatten();
    let mut at = 0;
    sentence.aspects.retain(|_| {
        at += 1;
        new(&aspects, at - 1).is_some()
    });
    if let Some(spans) = &mut sentence.opinions {
        let mut at = 0;
        spans.retain(|_| {
            at += 1;
            new(&opinions, at - 1).is_some()
        });
    }
    if let Some(links) = &mut sentence.links {
        *links = (links.iter())
            .filter_map(|l| {
                Some(Link {
                    aspect: new(&aspects, l.aspect)?,
                    opinion: new(&opinions, l.opinion)?,
                })
            })
            .collect();
    }
    sentence
        .extra
        .categories
        .retain_mut(|category| match category.aspect {
            Some(i) => {
                category.aspect = new(&aspects, i);
                category.aspect.is_some()
            }
            None => true,
        });
    sentence.extra.cuts.retain_mut(|cut| {
        let moved = match cut.mark {
            Mark::Aspect(i) => new(&aspects, i).map(Mark::Aspect),
            Mark::Opinion(i) => new(&opinions, i).map(Mark::Opinion),
        };
        if let Some(mark) = moved {
            cut.mark = mark;
        }
        moved.is_some()
    });
}
