//! Layer-wise learning rates. Lower layers hold more general knowledge and should change less.

use super::TransformerEncoder;
use crate::optim::Group;

impl TransformerEncoder {
    /// Parameter groups for an encoder whose parameter names begin with `prefix` (`"encoder."` for
    /// the scope `encoder`).
    ///
    /// The last block has the learning-rate factor `rate`. Each block below it has `decay` times
    /// the factor of the block above, and the tables have `decay` times the factor of the first
    /// block. Kernels and tables have weight decay `weight_decay`; biases and layer norms have
    /// none.
    ///
    /// ```
    /// use imn_nn::optim::Groups;
    /// use imn_nn::transformer::{TransformerConfig, TransformerEncoder};
    /// use imn_nn::{Init, Params};
    ///
    /// let config = TransformerConfig {
    ///     vocabulary: 9,
    ///     hidden: 4,
    ///     layers: 2,
    ///     heads: 1,
    ///     intermediate: 8,
    ///     ..TransformerConfig::default()
    /// };
    /// let mut params = Params::<f32>::new();
    /// let mut builder = params.builder(1);
    /// let encoder = TransformerEncoder::new(&mut builder.scope("encoder"), &config, Init::Zeros);
    /// let groups = Groups::new(&encoder.layer_groups("encoder.", 1.0, 0.5, 0.01), &params)?;
    /// let id = params.find("encoder.layers.0.attention.query.kernel").unwrap();
    /// assert_eq!((groups.rate(id), groups.weight_decay(id)), (0.5, 0.01));
    /// # Ok::<(), imn_nn::Error>(())
    /// ```
    #[must_use]
    pub fn layer_groups(
        &self,
        prefix: &str,
        rate: f64,
        decay: f64,
        weight_decay: f64,
    ) -> Vec<Group> {
        let group = |scope: &str, blocks_above: usize| Group {
            prefix: format!("{prefix}{scope}"),
            rate: rate * (0..blocks_above).map(|_| decay).product::<f64>(),
            weight_decay,
            ..Group::default()
        };
        let count = self.layers.len();
        let mut groups = vec![group("embeddings.", count)];
        groups.extend(self.relative.map(|_| group("relative.", count)));
        let blocks = (0..count).map(|i| group(&format!("layers.{i}."), count - 1 - i));
        groups.extend(blocks);
        groups
    }
}

#[cfg(test)]
mod tests {
    use crate::optim::{Groups, Schedule};
    use crate::transformer::{RelativeConfig, TransformerConfig, TransformerEncoder};
    use crate::{Init, Params};

    #[test]
    fn every_parameter_has_the_rate_of_its_layer() {
        let config = TransformerConfig {
            vocabulary: 9,
            hidden: 4,
            layers: 12,
            heads: 1,
            intermediate: 8,
            relative: Some(RelativeConfig {
                buckets: 8,
                max_distance: 16,
            }),
            ..TransformerConfig::default()
        };
        let mut params = Params::<f64>::new();
        let encoder =
            TransformerEncoder::new(&mut params.builder(1).scope("e"), &config, Init::Zeros);
        params.add("head.kernel", &[4, 2], vec![0.0; 8]);
        let layers = encoder.layer_groups("e.", 0.1, 0.9, 0.01);
        let groups = Groups::new(&layers, &params).unwrap();
        for (id, tensor) in params.iter() {
            let mut parts = tensor.name().split('.').skip(1);
            let rate = match (parts.next(), parts.next()) {
                (Some("layers"), Some(number)) => {
                    0.1 * 0.9_f64.powi(11 - number.parse::<i32>().unwrap())
                }
                (Some("embeddings" | "relative"), _) => 0.1 * 0.9_f64.powi(12),
                _ => 1.0,
            };
            let name = tensor.name();
            assert!((groups.rate(id) - rate).abs() < 1e-12, "{name}");
            let vector = name.ends_with("bias") || name.ends_with("gain");
            let decay = if vector || name.starts_with("head") {
                0.0
            } else {
                0.01
            };
            assert_eq!(groups.weight_decay(id), decay, "{name}");
        }
    }

    #[test]
    fn warm_up_rises_to_the_full_rate_and_falls_to_zero() {
        let schedule = Schedule::Warmup {
            steps: 4,
            total: 12,
        };
        let factors: Vec<f64> = (0..14).map(|step| schedule.factor(step, 0)).collect();
        assert_eq!(factors[..5], [0.25, 0.5, 0.75, 1.0, 1.0]);
        assert_eq!(factors[8], 0.5);
        assert_eq!(factors[11..], [0.125, 0.0, 0.0]);
        // Without warm-up steps it begins with the full rate.
        let schedule = Schedule::Warmup { steps: 0, total: 2 };
        assert_eq!(
            [0, 1, 2].map(|step| schedule.factor(step, 0)),
            [1.0, 0.5, 0.0]
        );
    }
}
