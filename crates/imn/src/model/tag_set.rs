//! The classes of the AE decoder: Y^ae = {BA, IA, BP, IP, O}, or {BA, IA, O} where opinions are not labelled.

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
    /// The tags in the order of their classes.
    #[must_use]
    pub fn tags(self) -> &'static [AeTag] {
        match self {
            Self::AspectsAndOpinions => &AeTag::ALL,
            Self::Aspects => &[AeTag::BA, AeTag::IA, AeTag::O],
        }
    }

    /// The class of a tag; opinions are O where they have no class.
    #[must_use]
    pub fn class(self, tag: AeTag) -> u32 {
        match (self, tag) {
            (Self::AspectsAndOpinions, tag) => tag as u32,
            (Self::Aspects, AeTag::BA) => 0,
            (Self::Aspects, AeTag::IA) => 1,
            (Self::Aspects, AeTag::BP | AeTag::IP | AeTag::O) => 2,
        }
    }
}
