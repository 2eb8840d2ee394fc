//! Which queries attend to which sequence.

use std::ops::Range;

use crate::kernels::elementwise::LANES;
use crate::{Layout, Shape};

/// Consecutive rows of queries that attend to the same sequence.
pub(super) struct Run {
    pub(super) rows: Range<usize>,
    pub(super) sequence: usize,
    /// The position of every query in the sequence.
    pub(super) positions: Vec<u32>,
    /// Index of the first weight; the weights of the heads follow each other.
    pub(super) weights: usize,
    /// First row in the mask, with the heads in the same order.
    pub(super) mask: usize,
}

/// One run for every sequence that has tokens.
pub(super) fn sequence_runs(layout: &Layout, heads: usize) -> Vec<Run> {
    let (mut weights, mut mask) = (0, 0);
    let mut runs = Vec::with_capacity(layout.sequences());
    for (sequence, span) in layout.spans().iter().enumerate() {
        if span.is_empty() {
            continue;
        }
        let tokens = span.len();
        runs.push(Run {
            rows: span.clone(),
            sequence,
            positions: (0..tokens as u32).collect(),
            weights,
            mask,
        });
        weights += heads * tokens * tokens.next_multiple_of(LANES);
        mask += heads * tokens;
    }
    runs
}

/// Runs of some tokens, given by their indices in the batch.
pub(super) fn subset_runs(
    queries: &Shape,
    layout: &Layout,
    tokens: &[u32],
    heads: usize,
) -> Vec<Run> {
    let mut starts = Vec::with_capacity(layout.sequences());
    let mut first = 0_u32;
    for span in layout.spans() {
        starts.push(first);
        first += span.len() as u32;
    }
    let rows: Vec<usize> = queries.live_rows().flatten().collect();
    assert_eq!(rows.len(), tokens.len(), "one token per query");
    let mut runs: Vec<Run> = Vec::new();
    for (row, &token) in rows.into_iter().zip(tokens) {
        assert!(token < first, "token {token} of {first}");
        let sequence = starts.partition_point(|&start| start <= token) - 1;
        let position = token - starts[sequence];
        match runs.last_mut() {
            Some(run) if run.sequence == sequence && run.rows.end == row => {
                run.rows.end += 1;
                run.positions.push(position);
            }
            _ => runs.push(Run {
                rows: row..row + 1,
                sequence,
                positions: vec![position],
                weights: 0,
                mask: 0,
            }),
        }
    }
    let (mut weights, mut mask) = (0, 0);
    for run in &mut runs {
        (run.weights, run.mask) = (weights, mask);
        let width = layout.span(run.sequence).len().next_multiple_of(LANES);
        weights += heads * run.rows.len() * width;
        mask += heads * run.rows.len();
    }
    runs
}
