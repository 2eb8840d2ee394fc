//! Random numbers that do not depend on the number of threads: each round has its own generator.

use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of a round.
pub(super) fn generator(seed: u64, round: u64) -> Xoshiro256PlusPlus {
    // The multiplier spreads consecutive rounds over the whole range; `seed_from_u64` then mixes
    // bits.
    Xoshiro256PlusPlus::seed_from_u64(seed ^ round.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}
