//! The settings that pre-training depends on.

use imn_nn::optim::Schedule;

use super::{Config, LossMean, Sampling};

impl Config {
    /// The configuration with a fixed value for every setting that pre-training does not depend on.
    /// Two runs for which it is the same can share their pre-training.
    ///
    /// ```
    /// use imn::config::Config;
    ///
    /// let text = "name = \"small\"\n[data]\ntrain = \"train.jsonl\"\n\
    ///     [model]\nmessages = \"aspect\"\ndocuments = \"none\"\n";
    /// let config = |change: &str| Config::from_toml(text, &[change.parse()?]);
    /// let pretraining = |change| config(change).map(|config| config.of_pretraining());
    /// assert_eq!(pretraining("train.epochs=2")?, pretraining("train.epochs=3")?);
    /// assert_ne!(pretraining("seed=2")?, pretraining("seed=3")?);
    /// # Ok::<(), imn::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn of_pretraining(&self) -> Self {
        let mut config = self.clone();
        config.name = "pretraining".to_owned();
        (config.data.set, config.data.test) = (None, None);
        let train = &mut config.train;
        match train.schedule {
            // The rate depends on the number of all steps, so on these settings too.
            Schedule::WarmupShare { .. } => {}
            Schedule::Constant
            | Schedule::InverseEpoch { .. }
            | Schedule::Exponential { .. }
            | Schedule::Linear { .. }
            | Schedule::Warmup { .. } => (train.epochs, train.ratio) = (1, 1),
        }
        train.select_from = 1;
        train.sampling = Sampling::Never;
        train.loss_mean = LossMean::Sentences;
        (train.average_epochs, train.init_share) = (None, None);
        config
    }
}
