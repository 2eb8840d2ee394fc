//! Classes of the AE decoder: Y^ae = {BA, IA, BP, IP, O}, or {BA, IA, O} without opinion labels.

use serde::{Deserialize, Serialize};

use crate::data::AeTag;

/// The classes of the AE decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TagSet {
    /// BA, IA, BP, IP, O
    AspectsAndOpinions,
    /// BA, IA, O (the paper's Appendix B)
    Aspects,
}

impl TagSet {
    /// The tags in the order of their classes; the last one is O.
    #[must_use]
    pub fn tags(self) -> &'static [AeTag] {
        match self {
            Self::AspectsAndOpinions => &AeTag::ALL,
            Self::Aspects => &[AeTag::BA, AeTag::IA, AeTag::O],
        }
    }

    /// The class of a tag; that of O if the set does not contain the tag.
    #[must_use]
    pub fn class(self, tag: AeTag) -> u32 {
        let tags = self.tags();
        self.index_of(tag).unwrap_or(tags.len() - 1) as u32
    }

    /// The tag if the set contains it, otherwise O.
    #[must_use]
    pub fn known(self, tag: AeTag) -> AeTag {
        self.index_of(tag).map_or(AeTag::O, |_| tag)
    }

    /// The column of a tag; `None` if the set does not contain it.
    #[must_use]
    pub fn index_of(self, tag: AeTag) -> Option<usize> {
        self.tags().iter().position(|&other| other == tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_columns_and_tags_without_one_are_outside() {
        for set in [TagSet::AspectsAndOpinions, TagSet::Aspects] {
            for (i, &tag) in set.tags().iter().enumerate() {
                assert_eq!((set.index_of(tag), set.class(tag)), (Some(i), i as u32));
            }
            assert_eq!(set.tags().last(), Some(&AeTag::O));
        }
        for opinion in [AeTag::BP, AeTag::IP] {
            assert_eq!(TagSet::Aspects.index_of(opinion), None);
            assert_eq!(
                TagSet::Aspects.class(opinion),
                TagSet::Aspects.class(AeTag::O)
            );
        }
    }
}
