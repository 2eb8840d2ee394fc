//! The gradients of attention: dv = P̃ᵀ g, dP = (g vᵀ) ⊙ m / (1 − p), dS = P ⊙ (dP − Σ P dP),
//! dq = dS k / √d, dk = dSᵀ q / √d, dr = dS, where P are the weights, P̃ the weights after dropout
//! and g is the gradient of the output.

use super::positions::Diagonals;
use super::{Attend, Columns, Head, Plan, Run, product};
use crate::kernels::Packed;
use crate::kernels::elementwise::{add, dot, vectorize};
use crate::tape::{Backward, BackwardPass};
use crate::{Scalar, Var};

/// The gradients of the values that hold q, k and v. One value may hold several of them.
struct Slots<S> {
    slots: Vec<(Var, Option<Vec<S>>)>,
}

impl<S: Scalar> Slots<S> {
    fn take(parts: [Columns; 3], pass: &mut BackwardPass<'_, S>) -> Self {
        let mut slots: Vec<(Var, Option<Vec<S>>)> = Vec::new();
        for part in parts {
            if slots.iter().all(|(var, _)| *var != part.var) {
                slots.push((part.var, pass.take_grad(part.var)));
            }
        }
        Self { slots }
    }

    fn get(&mut self, part: Columns) -> Option<&mut Vec<S>> {
        let slot = self.slots.iter_mut().find(|(var, _)| *var == part.var);
        slot.and_then(|(_, slot)| slot.as_mut())
    }

    fn put(self, pass: &mut BackwardPass<'_, S>) {
        for (var, slot) in self.slots {
            if let Some(slot) = slot {
                pass.put_grad(var, slot);
            }
        }
    }
}

/// Memory for one head at a time.
struct Scratch<S> {
    packed: Packed<S>,
    /// P̃, then its transpose.
    dropped: Vec<S>,
    transposed: Vec<S>,
    /// dP, then dS.
    scores: Vec<S>,
}

impl<S: Scalar> Backward<S> for Attend {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let plan = &self.plan;
        let weights = pass.value(self.weights);
        let mut slots = Slots::take([plan.query, plan.key, plan.value], pass);
        let mut diagonals = plan
            .positions
            .map(|it| Diagonals::new(it, pass.params().get(it.table), plan.longest()).zeros());
        let widest = plan.widest_head();
        let transposed = plan.widest_transpose();
        let mut scratch = Scratch {
            packed: Packed::empty(),
            dropped: pass.scratch(widest),
            transposed: pass.scratch(transposed),
            scores: pass.scratch(widest),
        };
        for run in &plan.runs {
            for head in 0..plan.heads {
                let own = &weights[plan.block(run, head, true)];
                let task = (run, head);
                self.head_back(
                    pass,
                    task,
                    own,
                    grad,
                    &mut slots,
                    &mut diagonals,
                    &mut scratch,
                );
            }
        }
        slots.put(pass);
        for buffer in [scratch.dropped, scratch.transposed, scratch.scores] {
            pass.recycle(buffer);
        }
        if let (Some(positions), Some(diagonals)) = (plan.positions, diagonals)
            && let Some(slot) = pass.param_grad(positions.table)
        {
            diagonals.add_to(slot);
        }
    }
}

impl Plan {
    /// Size of the largest transpose of weights: one row per key, padded to whole registers of
    /// queries.
    fn widest_transpose(&self) -> usize {
        let sizes = self.runs.iter().map(|run| {
            let tokens = self.layout.span(run.sequence).len();
            tokens * run.rows.len().next_multiple_of(8)
        });
        sizes.max().unwrap_or(0)
    }
}

impl Attend {
    #[allow(
        clippy::too_many_arguments,
        reason = "buffers that are reused for every head"
    )]
    fn head_back<S: Scalar>(
        &self,
        pass: &BackwardPass<'_, S>,
        (run, head): (&Run, usize),
        weights: &[S],
        grad: &[S],
        slots: &mut Slots<S>,
        diagonals: &mut Option<Diagonals<S>>,
        scratch: &mut Scratch<S>,
    ) {
        let plan = &self.plan;
        let (tokens, width) = plan.width(run);
        let queries = run.rows.len();
        let first = plan.layout.span(run.sequence).start;
        let stride = |part: Columns| pass.shape(part.var).cols;
        let head_of = |part: Columns, row: usize| {
            plan.head(pass.value(part.var), stride(part), part, row, head)
        };
        let (k, v) = (head_of(plan.key, first), head_of(plan.value, first));
        let q = head_of(plan.query, run.rows.start);
        let columns = plan.heads * plan.depth;
        let g = Head::new(grad, columns, run.rows.start, head * plan.depth);
        let Scratch {
            packed,
            dropped,
            transposed,
            scores,
        } = scratch;
        let (dropped, scores) = (&mut dropped[..weights.len()], &mut scores[..weights.len()]);
        // The transposes have one row per key.
        let t_stride = queries.next_multiple_of(8);
        let target = |part: Columns, row: usize, stride: usize| {
            row * stride + part.first + head * plan.depth
        };

        if let Some(slot) = slots.get(plan.value) {
            let used = match &self.mask {
                None => weights,
                Some(mask) => {
                    plan.drop(mask, (run, head), weights, dropped);
                    &*dropped
                }
            };
            S::transpose((used, width), (queries, tokens), (transposed, t_stride));
            packed.refill(g.data, g.rows(), (queries, plan.depth), plan.depth);
            let stride = stride(plan.value);
            let c = &mut slot[target(plan.value, first, stride)..];
            product((transposed, t_stride), packed, (tokens, c, stride), true);
        }

        packed.refill(v.data, v.rows().t(), (plan.depth, tokens), width);
        product(g.left(), packed, (queries, scores, width), false);
        if let Some(mask) = &self.mask {
            plan.drop(mask, (run, head), scores, dropped);
            scores.copy_from_slice(dropped);
        }
        let scale = S::from_f64(plan.scale);
        vectorize(
            #[inline(always)]
            || {
                let rows = scores.chunks_exact_mut(width);
                for (scores, weights) in rows.zip(weights.chunks_exact(width)) {
                    let mean = dot(scores, weights);
                    for (s, &p) in scores.iter_mut().zip(weights) {
                        *s = p * (*s - mean);
                    }
                }
            },
        );
        if let Some(diagonals) = diagonals {
            for (row, &position) in scores.chunks_exact(width).zip(&run.positions) {
                add(diagonals.row_mut(head, position, tokens), &row[..tokens]);
            }
        }
        scores.iter_mut().for_each(|s| *s *= scale);

        if let Some(slot) = slots.get(plan.query) {
            packed.refill(k.data, k.rows(), (tokens, plan.depth), plan.depth);
            let stride = stride(plan.query);
            let c = &mut slot[target(plan.query, run.rows.start, stride)..];
            product((scores, width), packed, (queries, c, stride), true);
        }
        if let Some(slot) = slots.get(plan.key) {
            S::transpose((scores, width), (queries, tokens), (transposed, t_stride));
            packed.refill(q.data, q.rows(), (queries, plan.depth), plan.depth);
            let stride = stride(plan.key);
            let c = &mut slot[target(plan.key, first, stride)..];
            product((transposed, t_stride), packed, (tokens, c, stride), true);
        }
    }
}
