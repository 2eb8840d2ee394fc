//! How often each sentiment was found.

use imn::data::Sentiment;

/// Counts by sentiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally([u64; Sentiment::CLASSES.len()]);

impl Tally {
    /// The sentiments in the order in which they are shown.
    pub const ORDER: [Sentiment; 3] =
        [Sentiment::Positive, Sentiment::Neutral, Sentiment::Negative];

    /// Counts one more.
    pub fn add(&mut self, sentiment: Sentiment) {
        self.0[sentiment.index()] += 1;
    }

    /// Counts all that another one has counted.
    pub fn merge(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }

    /// How many have this sentiment.
    #[must_use]
    pub fn get(self, sentiment: Sentiment) -> u64 {
        self.0[sentiment.index()]
    }

    /// How many there are.
    #[must_use]
    pub fn total(self) -> u64 {
        self.0.iter().sum()
    }

    /// The part that has this sentiment, 0 to 1; 0 of nothing.
    #[must_use]
    pub fn share(self, sentiment: Sentiment) -> f64 {
        self.get(sentiment) as f64 / self.total().max(1) as f64
    }

    /// (positive − negative) / all, −1 to 1.
    #[must_use]
    pub fn net(self) -> f64 {
        self.share(Sentiment::Positive) - self.share(Sentiment::Negative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_whole() {
        let mut tally = Tally::default();
        assert_eq!((tally.share(Sentiment::Negative), tally.net()), (0.0, 0.0));
        for sentiment in [
            Sentiment::Positive,
            Sentiment::Positive,
            Sentiment::Negative,
            Sentiment::Neutral,
        ] {
            tally.add(sentiment);
        }
        assert_eq!(
            (tally.total(), tally.share(Sentiment::Positive), tally.net()),
            (4, 0.5, 0.25)
        );
        tally.merge(tally);
        assert_eq!(tally.get(Sentiment::Positive), 4);
    }
}
