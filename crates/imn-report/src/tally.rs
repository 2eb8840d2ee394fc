//! How often each sentiment was found.

use imn::data::Polarity;

/// Counts by sentiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally([u64; 4]);

impl Tally {
    /// The sentiments in the order in which they are shown.
    pub const ORDER: [Polarity; 4] = [
        Polarity::Positive,
        Polarity::Neutral,
        Polarity::Conflict,
        Polarity::Negative,
    ];

    /// Counts one more.
    pub fn add(&mut self, polarity: Polarity) {
        self.0[polarity as usize] += 1;
    }

    /// Counts all that another one has counted.
    pub fn merge(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }

    /// How many have this sentiment.
    #[must_use]
    pub fn get(self, polarity: Polarity) -> u64 {
        self.0[polarity as usize]
    }

    /// How many there are.
    #[must_use]
    pub fn total(self) -> u64 {
        self.0.iter().sum()
    }

    /// The part that has this sentiment, 0 to 1; 0 of nothing.
    #[must_use]
    pub fn share(self, polarity: Polarity) -> f64 {
        self.get(polarity) as f64 / self.total().max(1) as f64
    }

    /// (positive − negative) / all, −1 to 1.
    #[must_use]
    pub fn net(self) -> f64 {
        self.share(Polarity::Positive) - self.share(Polarity::Negative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_whole() {
        let mut tally = Tally::default();
        assert_eq!((tally.share(Polarity::Negative), tally.net()), (0.0, 0.0));
        for polarity in [
            Polarity::Positive,
            Polarity::Positive,
            Polarity::Negative,
            Polarity::Neutral,
        ] {
            tally.add(polarity);
        }
        assert_eq!(
            (tally.total(), tally.share(Polarity::Positive), tally.net()),
            (4, 0.5, 0.25)
        );
        tally.merge(tally);
        assert_eq!(tally.get(Polarity::Positive), 4);
    }
}
