//! Central differences in `f64` against the hand-written backward passes.

use imn_nn::{Freeze, Init, ParamId, Params, Shape, Tape, Var};

use crate::common::{assert_separators_are_zero, numbers};

/// A computation whose derivatives are checked.
#[derive(Clone)]
pub struct Check {
    pub seed: u64,
    pub params: Params<f64>,
    pub inputs: Vec<Shape>,
}

impl Check {
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            params: Params::new(),
            inputs: Vec::new(),
        }
    }

    pub fn param(&mut self, name: &str, shape: &[usize]) -> ParamId {
        self.params
            .builder(self.seed)
            .add(name, shape, Init::Normal { std: 0.7 })
    }

    pub fn input(mut self, shape: Shape) -> Self {
        self.inputs.push(shape);
        self
    }

    /// The loss for these inputs: a weighted sum of the output with fixed weights.
    fn loss<'p>(
        &self,
        params: &'p Params<f64>,
        freeze: &'p Freeze,
        inputs: &[Vec<f64>],
        network: &impl Fn(&mut Tape<'_, f64>, &[Var]) -> Var,
    ) -> (Tape<'p, f64>, Vec<Var>, Var) {
        let mut tape = Tape::train(params, freeze, self.seed);
        let shapes = self.inputs.iter().zip(inputs);
        let vars: Vec<Var> = shapes
            .map(|(shape, data)| tape.variable(shape.clone(), data))
            .collect();
        let y = network(&mut tape, &vars);
        let shape = tape.shape(y).clone();
        assert_separators_are_zero(&shape, tape.value(y));
        let weights = tape.constant(shape.clone(), &numbers(shape.len(), self.seed, "weights"));
        let weighted = tape.mul(y, weights);
        let loss = tape.total(weighted);
        (tape, vars, loss)
    }

    /// Compares every derivative with central differences.
    pub fn run(&self, network: impl Fn(&mut Tape<'_, f64>, &[Var]) -> Var) {
        let freeze = Freeze::none();
        let mut inputs: Vec<Vec<f64>> = self
            .inputs
            .iter()
            .enumerate()
            .map(|(i, shape)| numbers(shape.len(), self.seed, &format!("input {i}")))
            .collect();
        let (tape, vars, loss) = self.loss(&self.params, &freeze, &inputs, &network);
        let (leaf_grads, grads) = tape.backward_to(loss, &vars);

        let value = |params: &Params<f64>, inputs: &[Vec<f64>]| {
            let (tape, _, loss) = self.loss(params, &freeze, inputs, &network);
            tape.scalar(loss)
        };
        let mut kinks = 0;
        for (i, shape) in self.inputs.iter().enumerate() {
            assert_separators_are_zero(shape, &leaf_grads[i]);
            for at in shape.live().flatten() {
                let old = inputs[i][at];
                kinks += compare(&format!("input {i} at {at}"), leaf_grads[i][at], |delta| {
                    inputs[i][at] = old + delta;
                    value(&self.params, &inputs)
                });
                inputs[i][at] = old;
            }
        }
        let mut params = self.params.clone();
        let ids: Vec<ParamId> = self.params.iter().map(|(id, _)| id).collect();
        for id in ids {
            let grad = grads.dense(&self.params, id);
            for (at, &gradient) in grad.iter().enumerate() {
                let old = self.params.get(id).data()[at];
                let name = self.params.get(id).name().to_owned();
                kinks += compare(&format!("{name} at {at}"), gradient, |delta| {
                    params.get_mut(id).data_mut()[at] = old + delta;
                    value(&params, &inputs)
                });
                params.get_mut(id).data_mut()[at] = old;
            }
        }
        assert!(kinks <= 2, "{kinks} derivatives at kinks");
    }
}

/// Compares a derivative with the difference quotient. Returns 1 if the function has a kink (ReLU,
/// max) within the step, where the derivative must be the slope on one side, and 0 otherwise.
fn compare(what: &str, analytic: f64, mut at: impl FnMut(f64) -> f64) -> usize {
    let step = 1e-5;
    let (low, middle, high) = (at(-step), at(0.0), at(step));
    let numeric = (high - low) / (2.0 * step);
    let close =
        |a: f64, b: f64, tolerance: f64| (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()));
    if close(analytic, numeric, 1e-6) {
        return 0;
    }
    let (left, right) = ((middle - low) / step, (high - middle) / step);
    // One-sided differences are less exact, but functions with kinks are linear on both sides.
    assert!(
        close(analytic, left, 1e-5) || close(analytic, right, 1e-5),
        "{what}: {analytic}, by differences {numeric}"
    );
    1
}
