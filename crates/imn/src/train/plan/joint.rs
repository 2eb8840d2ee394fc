//! Joint steps on sentences and documents: L_a + λ L_d, after pre-training on documents.
//!
//! A pre-training epoch is one pass over the documents. In training, passes over the documents
//! follow each other independently of the epochs. A pass ends when less than a batch is left of it.

use super::{PlannedStep, Sizes, shuffled};
use crate::train::{JointDocuments, TrainSettings};

pub(super) fn pretraining_steps(sizes: Sizes, joint: &JointDocuments) -> usize {
    sizes.sentiment.div_ceil(joint.batch)
}

pub(super) fn pretraining_epoch(
    sizes: Sizes,
    settings: &TrainSettings,
    joint: &JointDocuments,
    epoch: usize,
) -> Vec<PlannedStep> {
    let name = format!("documents first {epoch}");
    let order = shuffled(sizes.sentiment, settings.seed, &name);
    let batches = order.chunks(joint.batch);
    batches
        .map(|documents| PlannedStep::documents(documents.to_vec(), Vec::new()))
        .collect()
}

pub(super) fn training_steps(sizes: Sizes, settings: &TrainSettings) -> usize {
    sizes.sentences.div_ceil(settings.batch)
}

pub(super) fn training_epoch(
    sizes: Sizes,
    settings: &TrainSettings,
    joint: &JointDocuments,
    epoch: usize,
) -> Vec<PlannedStep> {
    let order = shuffled(
        sizes.sentences,
        settings.seed,
        &format!("sentences {epoch}"),
    );
    let before = (epoch - 1) * training_steps(sizes, settings);
    let mut pass: (usize, Vec<usize>) = (0, Vec::new());
    let batches = order.chunks(settings.batch).enumerate();
    batches
        .map(|(i, sentences)| {
            let mut step = PlannedStep::sentences(sentences, false);
            if sizes.sentiment > 0 {
                let whole = (sizes.sentiment / joint.batch).max(1);
                let (number, at) = ((before + i) / whole + 1, (before + i) % whole);
                if pass.0 != number {
                    let name = format!("documents beside {number}");
                    pass = (number, shuffled(sizes.sentiment, settings.seed, &name));
                }
                // Batches are taken from the end of the shuffled pass.
                let end = sizes.sentiment - at * joint.batch;
                let start = end.saturating_sub(joint.batch);
                step.sentiment = pass.1[start..end].to_vec();
            }
            step
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Objective;
    use crate::train::DocumentSteps;

    const SIZES: Sizes = Sizes {
        sentences: 20,
        soft: 0,
        soft_per_epoch: 0,
        sentiment: 10,
        domain: 0,
    };

    #[test]
    fn passes_over_documents_continue_across_epochs() {
        let joint = JointDocuments {
            batch: 4,
            weight: 0.1,
        };
        let settings = TrainSettings {
            batch: 8,
            documents: DocumentSteps::Joint(joint),
            ..TrainSettings::default()
        };
        let steps: Vec<PlannedStep> = (1..=2)
            .flat_map(|epoch| training_epoch(SIZES, &settings, &joint, epoch))
            .collect();
        assert_eq!(steps.len(), 2 * training_steps(SIZES, &settings));
        // 10 documents make 2 full batches. A pass contains no document twice.
        for pass in steps.chunks_exact(2) {
            let mut seen: Vec<usize> = pass.iter().flat_map(|s| s.sentiment.clone()).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 8);
        }
        assert!(steps.iter().all(|s| s.objective() == Objective::Joint));
        let first = pretraining_epoch(SIZES, &settings, &joint, 1);
        assert_eq!(first.len(), pretraining_steps(SIZES, &joint));
        assert!(first.iter().all(|s| s.objective() == Objective::Documents));
        let mut seen: Vec<usize> = first.into_iter().flat_map(|s| s.sentiment).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..10).collect::<Vec<_>>());
    }
}
