//! The formulas of the systems again, computed from the weights value by value in 64 bits.

use imn_nn::Params;

/// A row of numbers.
pub type Row = Vec<f64>;

/// The weights of a network.
pub struct ByHand<'a>(pub &'a Params<f32>);

pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

pub fn softmax(scores: &[f64]) -> Row {
    let sum: f64 = scores.iter().map(|score| score.exp()).sum();
    scores.iter().map(|score| score.exp() / sum).collect()
}

pub fn add(a: &[f64], b: &[f64]) -> Row {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn tanh(x: &[f64]) -> Row {
    x.iter().map(|x| x.tanh()).collect()
}

/// Σ w_i x_i
pub fn weighted(weights: &[f64], rows: &[Row]) -> Row {
    let mut sum = vec![0.0; rows[0].len()];
    for (weight, row) in weights.iter().zip(rows) {
        for (sum, x) in sum.iter_mut().zip(row) {
            *sum += weight * x;
        }
    }
    sum
}

impl ByHand<'_> {
    /// A tensor as rows.
    pub fn rows(&self, name: &str) -> Vec<Row> {
        let id = self.0.find(name).unwrap_or_else(|| panic!("no `{name}`"));
        let tensor = self.0.get(id);
        let numbers: Row = tensor.data().iter().map(|&x| f64::from(x)).collect();
        numbers.chunks(tensor.cols()).map(<[f64]>::to_vec).collect()
    }

    /// x K, and + b where the layer has one.
    pub fn linear(&self, x: &[f64], name: &str) -> Row {
        let product = weighted(x, &self.rows(&format!("{name}.kernel")));
        let bias = format!("{name}.bias");
        match self.0.find(&bias) {
            Some(_) => add(&product, &self.rows(&bias).concat()),
            None => product,
        }
    }

    pub fn embedded(&self, words: &[u32]) -> Vec<Row> {
        let table = self.rows("embedding.table");
        words
            .iter()
            .map(|&word| table[word as usize].clone())
            .collect()
    }

    /// The states of an LSTM whose input part is given: columns i, f, g, o.
    pub fn lstm(&self, gates: &[Row], recurrent: &str) -> Vec<Row> {
        let u = self.rows(recurrent);
        let size = u.len();
        let (mut h, mut c) = (vec![0.0; size], vec![0.0; size]);
        let mut states = Vec::new();
        for gates in gates {
            let all = add(gates, &weighted(&h, &u));
            for k in 0..size {
                let [i, f, o] = [0, 1, 3].map(|gate| sigmoid(all[gate * size + k]));
                c[k] = f * c[k] + i * all[2 * size + k].tanh();
                h[k] = o * c[k].tanh();
            }
            states.push(h.clone());
        }
        states
    }

    /// The states of both directions, side by side.
    pub fn bilstm(&self, x: &[Row], name: &str) -> Vec<Row> {
        let run = |direction: &str, x: Vec<&Row>| {
            let input = format!("{name}.{direction}.input");
            let gates: Vec<Row> = x.into_iter().map(|x| self.linear(x, &input)).collect();
            self.lstm(&gates, &format!("{name}.{direction}.recurrent"))
        };
        let forward = run("forward", x.iter().collect());
        let mut backward = run("backward", x.iter().rev().collect());
        backward.reverse();
        let both = forward.into_iter().zip(backward);
        both.map(|(forward, backward)| [forward, backward].concat())
            .collect()
    }

    /// The states of a GRU: columns r, z, n.
    pub fn gru(&self, x: &[Row], name: &str) -> Vec<Row> {
        let u = self.rows(&format!("{name}.recurrent"));
        let bias = self.rows(&format!("{name}.recurrent_bias")).concat();
        let size = u.len();
        let mut h = vec![0.0; size];
        let mut states = Vec::new();
        for x in x {
            let input = self.linear(x, &format!("{name}.input"));
            let before = add(&weighted(&h, &u), &bias);
            for k in 0..size {
                let r = sigmoid(input[k] + before[k]);
                let z = sigmoid(input[size + k] + before[size + k]);
                let n = (input[2 * size + k] + r * before[2 * size + k]).tanh();
                h[k] = (1.0 - z) * n + z * h[k];
            }
            states.push(h.clone());
        }
        states
    }
}
