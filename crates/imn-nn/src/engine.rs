//! Gradients of a batch, the same bit for bit on any number of threads.
//!
//! A batch is split into shards by a rule that depends on the batch only. Each shard runs forward
//! and backward on its own tape, with single-threaded products and its own random stream (from the
//! seed, the step and the shard index). The gradients are then summed in the order of the shards.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::tape::Workspace;
use crate::{Error, Freeze, Grads, Params, Result, Scalar, Tape, Var, stream};

/// The settings of a training step.
#[derive(Debug, Clone)]
pub struct Step {
    /// Seed of the dropout masks.
    pub seed: u64,
    /// Number of the step, counted from 1.
    pub number: u64,
    /// Parameters that get no gradient.
    pub freeze: Freeze,
}

/// The result of [`Engine::gradients`].
#[derive(Debug)]
pub struct StepGradients<S> {
    /// Sum of the shards' losses.
    pub loss: f64,
    /// Sum of the shards' gradients.
    pub grads: Grads<S>,
}

/// Runs shards in parallel and reuses their memory from step to step.
#[derive(Debug)]
pub struct Engine<S: Scalar> {
    workspaces: Mutex<Vec<Workspace<S>>>,
    totals: Mutex<Vec<Grads<S>>>,
}

impl<S: Scalar> Default for Engine<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar> Engine<S> {
    /// A new engine. Memory is allocated on first use.
    #[must_use]
    pub fn new() -> Self {
        Self {
            workspaces: Mutex::default(),
            totals: Mutex::default(),
        }
    }

    /// The loss and gradients of a batch that is split into shards, summed over the shards. `loss`
    /// writes the network and its loss on the tape. The loss of a shard must already be divided by
    /// the size of the whole batch.
    ///
    /// # Errors
    /// If the loss is not finite.
    pub fn gradients<T: Sync>(
        &self,
        params: &Params<S>,
        step: &Step,
        shards: &[T],
        loss: impl Fn(&mut Tape<'_, S>, &T) -> Var + Sync,
    ) -> Result<StepGradients<S>> {
        on_pool_thread(|| self.gradients_inner(params, step, shards, &loss))
    }

    fn gradients_inner<T: Sync>(
        &self,
        params: &Params<S>,
        step: &Step,
        shards: &[T],
        loss: &(impl Fn(&mut Tape<'_, S>, &T) -> Var + Sync),
    ) -> Result<StepGradients<S>> {
        // Taken before anything runs, so that the memory of a shard does not depend on timing.
        let workspaces: Vec<Workspace<S>> = {
            let mut kept = self
                .workspaces
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            shards
                .iter()
                .map(|_| kept.pop().unwrap_or_else(Workspace::new))
                .collect()
        };
        let mut results: Vec<(f64, Workspace<S>)> = shards
            .par_iter()
            .zip(workspaces)
            .enumerate()
            .with_max_len(1)
            .map(|(i, (shard, workspace))| {
                let seed = shard_seed(step, i);
                let mut tape = Tape::train_in(params, &step.freeze, seed, workspace);
                let loss = loss(&mut tape, shard);
                let value = tape.scalar(loss).as_f64();
                let (_, workspace) = tape.backward_in(loss, &[]);
                (value, workspace)
            })
            .collect();
        let loss: f64 = results.iter().map(|(loss, _)| loss).sum();
        let recycled = self
            .totals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        // The gradients of the first shard become the sum; its workspace gets the memory of an
        // earlier sum.
        let mut grads = recycled.unwrap_or_else(Grads::new);
        if let Some((_, first)) = results.first_mut() {
            std::mem::swap(&mut grads, &mut first.grads);
        }
        let others: Vec<&Grads<S>> = results
            .iter()
            .skip(1)
            .map(|(_, workspace)| &workspace.grads)
            .collect();
        grads.sum(&others);
        let mut kept = self
            .workspaces
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        while let Some((_, mut workspace)) = results.pop() {
            workspace.grads.clear();
            kept.push(workspace);
        }
        if !loss.is_finite() {
            return Err(Error::Loss {
                loss,
                step: step.number,
            });
        }
        Ok(StepGradients { loss, grads })
    }

    /// Runs a network over shards for inference, each on its own tape and thread. If there are
    /// fewer shards than threads, the products of each shard are split over the threads; the
    /// results are the same bit for bit.
    pub fn infer<T: Sync, R: Send>(
        &self,
        params: &Params<S>,
        shards: &[T],
        network: impl Fn(&mut Tape<'_, S>, &T) -> R + Sync,
    ) -> Vec<R> {
        let lock = || {
            self.workspaces
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let split = shards.len() < rayon::current_num_threads();
        let run = |shard: &T| {
            let workspace = lock().pop().unwrap_or_else(Workspace::new);
            let mut tape = Tape::infer_in(params, workspace);
            if split {
                tape = tape.split();
            }
            let result = network(&mut tape, shard);
            lock().push(tape.into_workspace());
            result
        };
        match shards {
            [shard] if split => with_helpers(|| vec![run(shard)]),
            shards => shards.par_iter().with_max_len(1).map(run).collect(),
        }
    }

    /// Reuses the memory of gradients that the optimizer has applied.
    pub fn recycle(&self, mut grads: Grads<S>) {
        grads.clear();
        self.totals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(grads);
    }
}

/// Runs `work` on a thread of the pool while the other threads stay awake for the tasks that it
/// spawns. Waking a thread takes longer than many products of a single sentence.
pub(crate) fn with_helpers<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let done = AtomicBool::new(false);
    let done = &done;
    rayon::scope(move |scope| {
        let leader = rayon::current_thread_index();
        for _ in 1..rayon::current_num_threads() {
            // The leader may pick up a helper task while waiting for its own work: it must skip it.
            scope.spawn(move |_| {
                if rayon::current_thread_index() != leader {
                    help(done);
                }
            });
        }
        let result = work();
        done.store(true, Ordering::Release);
        result
    })
}

/// Runs tasks of the pool until `done`, or until there have been none for a while. Without the time
/// limit, two leaders that picked up each other's helper tasks would wait for each other forever.
fn help(done: &AtomicBool) {
    const IDLE_LIMIT: Duration = Duration::from_micros(300);
    let mut idle = Instant::now();
    while !done.load(Ordering::Acquire) && idle.elapsed() < IDLE_LIMIT {
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            idle = Instant::now();
        } else {
            std::hint::spin_loop();
        }
    }
}

/// Runs `work` on a thread of the pool. A parallel loop that starts on another thread costs two
/// thread switches, and a training step has more than a hundred parallel loops.
pub(crate) fn on_pool_thread<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::scope(|_| work())
}

fn shard_seed(step: &Step, shard: usize) -> u64 {
    use rand::Rng as _;
    stream(step.seed, &format!("step {} shard {shard}", step.number)).next_u64()
}

/// The number of shards for a batch of this many tokens: two, four or eight.
///
/// Every shard reads all weights and writes all gradients once more, which is expensive for small
/// batches. 32 sentences of usual length make two shards, 32 long ones eight.
#[must_use]
pub fn shard_count(tokens: usize) -> usize {
    match tokens {
        0..=639 => 2,
        640..=1279 => 4,
        _ => 8,
    }
}

/// Assigns sequences to at most `count` shards of about the same number of tokens: the longest
/// first, each to the shard with the fewest tokens. Sequences keep their order within a shard;
/// empty shards are left out.
#[must_use]
pub fn shards(lengths: &[usize], count: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(lengths[i]), i));
    let mut loads: Vec<(usize, Vec<usize>)> = vec![(0, Vec::new()); count.max(1)];
    for i in order {
        // `min_by_key` returns the first minimum: ties go to the first shard.
        if let Some(shard) = loads.iter_mut().min_by_key(|(tokens, _)| *tokens) {
            shard.0 += lengths[i].max(1);
            shard.1.push(i);
        }
    }
    let mut shards: Vec<Vec<usize>> = loads.into_iter().map(|(_, sequences)| sequences).collect();
    shards.iter_mut().for_each(|shard| shard.sort_unstable());
    shards.retain(|shard| !shard.is_empty());
    shards
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Linear;

    /// Several callers at a time, each with one sequence whose products are split over threads: no
    /// caller waits forever, and all get the result of a single thread.
    #[test]
    fn callers_that_share_a_pool_do_not_block_each_other() {
        let mut params = Params::<f32>::new();
        let mut builder = params.builder(1);
        let (wide, narrow) = (
            Linear::new(&mut builder.scope("wide"), 64, 1024),
            Linear::new(&mut builder.scope("narrow"), 1024, 64),
        );
        let input: Vec<f32> = (0..48 * 64).map(|i| (i % 17) as f32 / 17.0).collect();
        let engine = Engine::new();
        let infer = || {
            let mut results = engine.infer(&params, &[()], |tape, ()| {
                let mut x = tape.plain(48, 64, &input);
                for _ in 0..4 {
                    let h = wide.forward_relu(tape, x);
                    x = narrow.forward(tape, h);
                }
                tape.value(x).to_vec()
            });
            results.pop().unwrap()
        };
        let pool = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap()
        };
        let expected = pool(1).install(infer);
        for threads in [2, 3] {
            let pool = pool(threads);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        for _ in 0..20 {
                            assert!(pool.install(infer) == expected);
                        }
                    });
                }
            });
        }
    }
}
