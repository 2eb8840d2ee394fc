//! Counts by sentiment.

use imn::data::Sentiment;

/// Counts by sentiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally([u64; Sentiment::CLASSES.len()]);

impl Tally {
    /// The order in which sentiments are shown.
    pub const ORDER: [Sentiment; 3] =
        [Sentiment::Positive, Sentiment::Neutral, Sentiment::Negative];

    /// Counts one.
    pub fn add(&mut self, sentiment: Sentiment) {
        self.0[sentiment.index()] += 1;
    }

    /// Adds the counts of another tally.
    pub fn merge(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }

    /// The count of a sentiment.
    #[must_use]
    pub fn get(self, sentiment: Sentiment) -> u64 {
        self.0[sentiment.index()]
    }

    /// The sum of all counts.
    #[must_use]
    pub fn total(self) -> u64 {
        self.0.iter().sum()
    }

    /// The share of a sentiment, from 0 to 1; 0 if nothing was counted.
    #[must_use]
    pub fn share(self, sentiment: Sentiment) -> f64 {
        self.get(sentiment) as f64 / self.total().max(1) as f64
    }

    /// (positive − negative) / total, from −1 to 1.
    #[must_use]
    pub fn net(self) -> f64 {
        self.share(Sentiment::Positive) - self.share(Sentiment::Negative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_total() {
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
