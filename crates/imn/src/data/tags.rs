//! Y^ae = {BA, IA, BP, IP, O}: the five token tags of aspect and opinion co-extraction.

use serde::{Deserialize, Serialize};

/// The tag of one token. The discriminants are the class indices of the AE decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum AeTag {
    /// Begins an aspect term.
    BA = 0,
    /// Inside an aspect term.
    IA = 1,
    /// Begins an opinion term.
    BP = 2,
    /// Inside an opinion term.
    IP = 3,
    /// Neither.
    O = 4,
}
