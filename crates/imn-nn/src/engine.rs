//! Gradients of a batch, the same bit for bit with any number of threads.
//!
//! A batch is cut into shards by a rule that looks at the batch only. Each shard runs forward and back on its own tape with
//! single-threaded products and a random stream of its own (from the seed, the step and its number); the gradients are
//! then summed shard after shard.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::tape::Workspace;
use crate::{Error, Freeze, Grads, Params, Result, Scalar, Tape, Var, stream};

/// What a step depends on besides parameters and data.
#[derive(Debug, Clone)]
pub struct Step {
    /// Draws the dropout masks.
    pub seed: u64,
    /// Number of the step, from 1.
    pub number: u64,
    /// Parameters that get no gradient.
    pub freeze: Freeze,
}

/// What a step gives.
#[derive(Debug)]
pub struct StepGradients<S> {
    /// Sum of the shards' losses.
    pub loss: f64,
    /// Sum of the shards' gradients.
    pub grads: Grads<S>,
}

/// Runs shards in parallel and keeps their memory from step to step.
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
    /// An engine without memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            workspaces: Mutex::default(),
            totals: Mutex::default(),
        }
    }

    /// The summed loss and gradients of a batch cut into shards. `loss` writes the network and its loss on the tape; a
    /// shard's loss must already be divided by what the whole batch is divided by.
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
        // Workspaces are taken in order before anything runs: which memory a shard gets does not depend on timing.
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
        let kept = self
            .totals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        // The first shard's gradients become the sum; that shard gets the memory of an earlier sum.
        let mut grads = kept.unwrap_or_else(Grads::new);
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

    /// Runs a network over shards without going back, each shard on its own tape and thread, with memory that is used again. Where there
    /// are fewer shards than threads, the threads share the products of each; the results are the same bit for bit.
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

    /// Takes the memory of gradients back once the optimizer has used them.
    pub fn recycle(&self, mut grads: Grads<S>) {
        grads.clear();
        self.totals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(grads);
    }
}

/// Runs something on a thread of the pool while the other threads stay awake for what it shares out. Waking a thread takes
/// longer than many a product of a single sentence.
pub(crate) fn with_helpers<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let done = AtomicBool::new(false);
    let done = &done;
    rayon::scope(move |scope| {
        let leader = rayon::current_thread_index();
        for _ in 1..rayon::current_num_threads() {
            // The leader may meet a helper while it waits for its own work: it must not help.
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

/// Does the work of others until `done`, or until there has been none for a while: two leaders that met each other's helpers
/// must not wait for each other for ever.
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

/// Runs something on a thread of the pool. A parallel loop that is begun elsewhere hands its work over and waits for it, two switches of
/// threads each time, and a training step has more than a hundred such loops.
pub(crate) fn on_pool_thread<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::scope(|_| work())
}

fn shard_seed(step: &Step, shard: usize) -> u64 {
    use rand::Rng as _;
    stream(step.seed, &format!("step {} shard {shard}", step.number)).next_u64()
}

/// How many shards a batch of so many tokens is cut into: two, four or eight.
///
/// Every shard costs a pass over its gradients and reads all weights, which small batches would feel: 32 sentences of usual length are two shards, 32 long ones eight.
#[must_use]
pub fn shard_count(tokens: usize) -> usize {
    match tokens {
        0..=639 => 2,
        640..=1279 => 4,
        _ => 8,
    }
}

/// Assigns sequences to at most `count` shards of about the same number of tokens: longest first, each to the shard that has
/// the least. Within a shard sequences keep their order; empty shards are left out.
#[must_use]
pub fn shards(lengths: &[usize], count: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(lengths[i]), i));
    let mut shards: Vec<(usize, Vec<usize>)> = vec![(0, Vec::new()); count.max(1)];
    for i in order {
        // The first of the least loaded: `min_by_key` returns the first minimum.
        if let Some(shard) = shards.iter_mut().min_by_key(|(tokens, _)| *tokens) {
            shard.0 += lengths[i].max(1);
            shard.1.push(i);
        }
    }
    let mut shards: Vec<Vec<usize>> = shards.into_iter().map(|(_, sequences)| sequences).collect();
    shards.iter_mut().for_each(|shard| shard.sort_unstable());
    shards.retain(|shard| !shard.is_empty());
    shards
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Linear;

    /// Several callers at a time, each with one sequence whose products are shared out: nobody waits for ever, and everybody
    /// gets what a single thread computes.
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
