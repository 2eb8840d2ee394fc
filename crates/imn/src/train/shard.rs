//! Batches cut into the parts that run on one tape each.

use imn_nn::{shard_count, shards};

use super::{DocumentExample, Example};
use crate::model::{DocumentTask, Input};

/// Sentences of one shard, and what to learn from them.
pub(super) struct SentenceShard {
    pub(super) input: Input,
    pub(super) tags: Vec<Option<u32>>,
    pub(super) polarities: Vec<Option<u32>>,
    pub(super) opinions: Option<Vec<bool>>,
}

/// Documents of one shard, and what to learn from them.
pub(super) struct DocumentShard {
    pub(super) input: Input,
    pub(super) task: DocumentTask,
    pub(super) classes: Vec<Option<u32>>,
    /// Documents of the task in the whole batch.
    pub(super) count: f64,
}

/// Cuts a batch of sentences. `gold_opinions`: P^op is the gold labels.
pub(super) fn sentence_shards(examples: &[&Example], gold_opinions: bool) -> Vec<SentenceShard> {
    let lengths: Vec<usize> = examples.iter().map(|example| example.words.len()).collect();
    shards(&lengths, shard_count(lengths.iter().sum()))
        .into_iter()
        .map(|shard| {
            let examples = || shard.iter().map(|&i| examples[i]);
            SentenceShard {
                input: Input::sentences(examples().map(|example| example.words.as_slice()))
                    .with_schemes(examples().map(|example| example.scheme)),
                tags: examples()
                    .flat_map(|example| example.tags.iter().copied())
                    .collect(),
                polarities: examples()
                    .flat_map(|example| example.polarities.iter().copied())
                    .collect(),
                opinions: gold_opinions.then(|| {
                    examples()
                        .flat_map(|example| example.opinions.iter().copied())
                        .collect()
                }),
            }
        })
        .collect()
}

/// Cuts a batch of documents of one task.
pub(super) fn document_shards(
    task: DocumentTask,
    chosen: &[usize],
    documents: &[DocumentExample],
) -> Vec<DocumentShard> {
    let chosen: Vec<&DocumentExample> = chosen.iter().map(|&i| &documents[i]).collect();
    let lengths: Vec<usize> = chosen.iter().map(|document| document.words.len()).collect();
    // Two tasks share a step: each has half the shards.
    shards(&lengths, 4)
        .into_iter()
        .map(|shard| DocumentShard {
            input: Input::documents(shard.iter().map(|&i| chosen[i].words.as_slice())),
            task,
            classes: shard.iter().map(|&i| Some(chosen[i].class)).collect(),
            count: chosen.len() as f64,
        })
        .collect()
}
