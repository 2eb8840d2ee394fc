//! Y = Aᵀ[(G k) ⊙ (Bᵀ x)]: m neighbouring outputs of a convolution by m + taps − 1 products instead of m · taps.
//!
//! The outputs of a tile are the coefficients of a product of polynomials; evaluated at [`POINTS`] points (0, ±1, ±2, ±½, ∞) the product
//! becomes a product of numbers (Toom and Cook; Winograd, *Arithmetic Complexity of Computations*, 1980). Over all channels each
//! number becomes a row and each product of a point a matrix product. With 8 points a kernel of 5 taps gives 4 outputs for 8 products
//! instead of 20, one of 3 taps 6 for 8 instead of 18. The transforms only add and scale rows: they cost a few per cent of what they save.
//!
//! A tile never reaches beyond its sequence: rows past the end count as zero, and outputs past the end are dropped. A sequence therefore
//! gets the same result, bit for bit, in whatever batch it stands.

use pulp::{Arch, Simd, WithSimd};

use super::Packed;
use crate::{Layout, Scalar};

/// Points at which a tile is evaluated, so also the rows of the input that it reads.
pub(crate) const POINTS: usize = 8;

/// Numbers that the transforms handle at a time.
const LANES: usize = 16;

/// Numbers between the matrices of two points.
const ROOM: usize = 48;

type Lanes<S> = [S; LANES];

/// Outputs of a tile for a kernel of so many taps; none where the direct product is used.
pub(crate) const fn outputs(taps: usize) -> Option<usize> {
    match taps {
        3 | 5 | 7 => Some(POINTS + 1 - taps),
        _ => None,
    }
}

/// Numbers from one point's matrix of `size` numbers to the next. Sizes are often a power of two: without the room between them the same
/// place of every point would fight for the same few cache lines.
pub(crate) const fn stride(size: usize) -> usize {
    size + ROOM
}

/// The points besides 0 and ∞ come in pairs ±a; each with the scale 1/N of its row of G, N = Π (a − other points).
const PAIRS: [(f64, f64); 3] = [(1.0, -1.0 / 4.5), (2.0, 1.0 / 90.0), (0.5, 32.0 / 45.0)];

/// Consecutive outputs of one sequence.
#[derive(Debug, Clone, Copy)]
struct Tile {
    /// Its first output.
    first: usize,
    /// First row of its sequence.
    start: usize,
    /// Row after the last of its sequence.
    end: usize,
}

/// How the sequences of a layout are cut into tiles.
#[derive(Debug)]
pub(crate) struct Tiles {
    taps: usize,
    outputs: usize,
    tiles: Vec<Tile>,
}

impl Tiles {
    /// Tiles for a kernel of so many taps, where it has them. The gaps of the layout must be at least half as wide as the kernel.
    pub(crate) fn new(layout: &Layout, taps: usize) -> Option<Self> {
        let outputs = outputs(taps)?;
        assert!(layout.gap() >= taps / 2, "gaps narrower than the kernel");
        let mut tiles = Vec::with_capacity(layout.tokens() / outputs + layout.sequences());
        for span in layout.spans() {
            tiles.extend(span.clone().step_by(outputs).map(|first| Tile {
                first,
                start: span.start,
                end: span.end,
            }));
        }
        Some(Self {
            taps,
            outputs,
            tiles,
        })
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.tiles.len()
    }

    /// Numbers from one point's matrix of `cols` columns and a row a tile to the next.
    pub(crate) fn stride(&self, cols: usize) -> usize {
        stride(self.len() * cols)
    }

    /// Bᵀ x of every tile: `v` is [`POINTS`] matrices with a row a tile.
    pub(crate) fn inputs<S: Scalar>(&self, x: &[S], cols: usize, v: &mut [S]) {
        assert_eq!(v.len(), POINTS * self.stride(cols));
        let tiles = self;
        Turn::Inputs { tiles, x, cols, v }.run();
    }

    /// The gradient of [`Tiles::inputs`], added to `dx`.
    pub(crate) fn inputs_back<S: Scalar>(&self, dv: &[S], cols: usize, dx: &mut [S]) {
        assert_eq!(dv.len(), POINTS * self.stride(cols));
        let tiles = self;
        Turn::InputsBack {
            tiles,
            dv,
            cols,
            dx,
        }
        .run();
    }

    /// y = Aᵀ m + bias, clipped below at 0 where asked.
    pub(crate) fn outputs<S: Scalar>(
        &self,
        m: &[S],
        cols: usize,
        bias: Option<&[S]>,
        relu: bool,
        y: &mut [S],
    ) {
        assert_eq!(m.len(), POINTS * self.stride(cols));
        let tiles = self;
        Turn::Outputs {
            tiles,
            m,
            cols,
            bias,
            relu,
            y,
        }
        .run();
    }

    /// The gradient of [`Tiles::outputs`] with respect to m. `y` is given where the outputs were clipped. The rows of the second point
    /// are sums over the outputs of a tile: the gradient of the bias is their sum.
    pub(crate) fn outputs_back<S: Scalar>(
        &self,
        dy: &[S],
        cols: usize,
        y: Option<&[S]>,
        dm: &mut [S],
    ) {
        assert_eq!(dm.len(), POINTS * self.stride(cols));
        let tiles = self;
        Turn::OutputsBack {
            tiles,
            dy,
            cols,
            y,
            dm,
        }
        .run();
    }
}

/// G k: [`POINTS`] packed matrices from one a tap, in the memory of earlier ones.
pub(crate) fn kernel<S: Scalar>(
    k: &[S],
    (taps, inputs, outputs): (usize, usize, usize),
    earlier: Vec<Packed<S>>,
) -> Vec<Packed<S>> {
    let mut earlier = earlier.into_iter();
    let mut points: Vec<_> = (0..POINTS)
        .map(|_| Packed::unwritten(inputs, outputs, S::packed_layout(), earlier.next()))
        .collect();
    let to = points.as_mut_slice();
    Turn::Kernel { k, taps, to }.run();
    points
}

/// The gradient of [`kernel`], added to `dk` or put in its place.
pub(crate) fn kernel_back<S: Scalar>(du: &[S], taps: usize, dk: &mut [S], accumulate: bool) {
    let size = dk.len() / taps;
    assert_eq!(du.len(), POINTS * stride(size));
    Turn::KernelBack {
        du,
        taps,
        size,
        dk,
        accumulate,
    }
    .run();
}

/// One of the six turns. A struct and not a closure, because only what is always inlined is compiled for the vector instructions that the
/// machine has, and a closure cannot be told to be.
enum Turn<'a, S> {
    Inputs {
        tiles: &'a Tiles,
        x: &'a [S],
        cols: usize,
        v: &'a mut [S],
    },
    InputsBack {
        tiles: &'a Tiles,
        dv: &'a [S],
        cols: usize,
        dx: &'a mut [S],
    },
    Outputs {
        tiles: &'a Tiles,
        m: &'a [S],
        cols: usize,
        bias: Option<&'a [S]>,
        relu: bool,
        y: &'a mut [S],
    },
    OutputsBack {
        tiles: &'a Tiles,
        dy: &'a [S],
        cols: usize,
        y: Option<&'a [S]>,
        dm: &'a mut [S],
    },
    Kernel {
        k: &'a [S],
        taps: usize,
        to: &'a mut [Packed<S>],
    },
    KernelBack {
        du: &'a [S],
        taps: usize,
        size: usize,
        dk: &'a mut [S],
        accumulate: bool,
    },
}

impl<S: Scalar> Turn<'_, S> {
    fn run(self) {
        Arch::new().dispatch(self);
    }
}

impl<S: Scalar> WithSimd for Turn<'_, S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) {
        match self {
            Self::Inputs { tiles, x, cols, v } => inputs(tiles, x, cols, v),
            Self::InputsBack {
                tiles,
                dv,
                cols,
                dx,
            } => inputs_back(tiles, dv, cols, dx),
            Self::Outputs {
                tiles,
                m,
                cols,
                bias,
                relu,
                y,
            } => match tiles.outputs {
                2 => outputs_of::<S, 2>(tiles, m, cols, bias, relu, y),
                4 => outputs_of::<S, 4>(tiles, m, cols, bias, relu, y),
                _ => outputs_of::<S, 6>(tiles, m, cols, bias, relu, y),
            },
            Self::OutputsBack {
                tiles,
                dy,
                cols,
                y,
                dm,
            } => match tiles.outputs {
                2 => outputs_back::<S, 2>(tiles, dy, cols, y, dm),
                4 => outputs_back::<S, 4>(tiles, dy, cols, y, dm),
                _ => outputs_back::<S, 6>(tiles, dy, cols, y, dm),
            },
            Self::Kernel { k, taps, to } => kernel_points(k, taps, to),
            Self::KernelBack {
                du,
                taps,
                size,
                dk,
                accumulate,
            } => kernel_taps(du, taps, size, dk, accumulate),
        }
    }
}

#[inline(always)]
fn load<S: Scalar>(from: &[S], at: usize) -> Lanes<S> {
    match from.get(at..).and_then(<[S]>::first_chunk) {
        Some(lanes) => *lanes,
        None => load_some(from, at),
    }
}

/// What is left of a row whose length is no multiple of the lanes; nothing of an empty one.
#[cold]
#[inline(never)]
fn load_some<S: Scalar>(from: &[S], at: usize) -> Lanes<S> {
    let mut lanes = [S::zero(); LANES];
    if let Some(some) = from.get(at..) {
        lanes[..some.len()].copy_from_slice(some);
    }
    lanes
}

#[inline(always)]
fn store<S: Scalar>(to: &mut [S], at: usize, lanes: &Lanes<S>) {
    match to.get_mut(at..).and_then(<[S]>::first_chunk_mut) {
        Some(whole) => *whole = *lanes,
        None => store_some(to, at, lanes),
    }
}

#[cold]
#[inline(never)]
fn store_some<S: Scalar>(to: &mut [S], at: usize, lanes: &Lanes<S>) {
    if let Some(some) = to.get_mut(at..) {
        let count = some.len();
        some.copy_from_slice(&lanes[..count]);
    }
}

/// Lane by lane.
#[inline(always)]
fn lanes<S: Scalar>(f: impl Fn(usize) -> S) -> Lanes<S> {
    // Not `from_fn`: it is not always inlined, and what is not inlined misses the machine's vector instructions.
    let mut lanes = [S::zero(); LANES];
    for (l, lane) in lanes.iter_mut().enumerate() {
        *lane = f(l);
    }
    lanes
}

/// The lanes of every point at a tile and column of [`POINTS`] matrices.
#[inline(always)]
fn load_points<S: Scalar>(
    from: &[S],
    size: usize,
    row: usize,
    cols: usize,
    at: usize,
) -> [Lanes<S>; POINTS] {
    let mut points = [[S::zero(); LANES]; POINTS];
    for (p, point) in points.iter_mut().enumerate() {
        *point = load(&from[p * size + row..][..cols], at);
    }
    points
}

/// Sums and differences of the three pairs of points.
#[inline(always)]
fn pairs<S: Scalar>(points: &[Lanes<S>; POINTS]) -> ([Lanes<S>; 3], [Lanes<S>; 3]) {
    let (mut sums, mut differences) = ([[S::zero(); LANES]; 3], [[S::zero(); LANES]; 3]);
    for pair in 0..3 {
        let (plus, minus) = (&points[1 + 2 * pair], &points[2 + 2 * pair]);
        sums[pair] = lanes(|l| plus[l] + minus[l]);
        differences[pair] = lanes(|l| plus[l] - minus[l]);
    }
    (sums, differences)
}

/// Coefficients of Bᵀ besides ±1 and powers of two.
struct Coefficients<S> {
    c21_4: S,
    c17_4: S,
    c5: S,
    c5_2: S,
    c5_4: S,
    c4: S,
    c2: S,
    c1_2: S,
    c1_4: S,
}

impl<S: Scalar> Coefficients<S> {
    #[inline(always)]
    fn new() -> Self {
        Self {
            c21_4: S::of(5.25),
            c17_4: S::of(4.25),
            c5: S::of(5.0),
            c5_2: S::of(2.5),
            c5_4: S::of(1.25),
            c4: S::of(4.0),
            c2: S::of(2.0),
            c1_2: S::of(0.5),
            c1_4: S::of(0.25),
        }
    }
}

#[inline(always)]
fn inputs<S: Scalar>(tiles: &Tiles, x: &[S], cols: usize, v: &mut [S]) {
    let c = Coefficients::<S>::new();
    let nothing = vec![S::zero(); cols];
    let size = tiles.stride(cols);
    for (i, tile) in tiles.tiles.iter().enumerate() {
        let top = tile.first - tiles.taps / 2;
        let live = POINTS.min(tile.end + tiles.taps / 2 - top);
        let rows: [&[S]; POINTS] = std::array::from_fn(|k| {
            if k < live {
                &x[(top + k) * cols..][..cols]
            } else {
                nothing.as_slice()
            }
        });
        for at in (0..cols).step_by(LANES) {
            let mut d = [[S::zero(); LANES]; POINTS];
            for (lanes, row) in d.iter_mut().zip(rows) {
                *lanes = load(row, at);
            }
            let pair = |even: Lanes<S>, odd: Lanes<S>| {
                (lanes(|l| even[l] + odd[l]), lanes(|l| even[l] - odd[l]))
            };
            let zero = lanes(|l| d[0][l] - d[6][l] + c.c21_4 * (d[4][l] - d[2][l]));
            let infinity = lanes(|l| d[7][l] - d[1][l] + c.c21_4 * (d[3][l] - d[5][l]));
            let one = pair(
                lanes(|l| d[2][l] + d[6][l] - c.c17_4 * d[4][l]),
                lanes(|l| d[1][l] + d[5][l] - c.c17_4 * d[3][l]),
            );
            let two = pair(
                lanes(|l| d[6][l] + c.c1_4 * d[2][l] - c.c5_4 * d[4][l]),
                lanes(|l| c.c1_2 * d[1][l] + c.c2 * d[5][l] - c.c5_2 * d[3][l]),
            );
            let half = pair(
                lanes(|l| d[6][l] + c.c4 * d[2][l] - c.c5 * d[4][l]),
                lanes(|l| c.c2 * d[1][l] + c.c1_2 * d[5][l] - c.c5_2 * d[3][l]),
            );
            let points = [zero, one.0, one.1, two.0, two.1, half.0, half.1, infinity];
            for (p, point) in points.iter().enumerate() {
                store(&mut v[p * size + i * cols..][..cols], at, point);
            }
        }
    }
}

#[inline(always)]
fn inputs_back<S: Scalar>(tiles: &Tiles, dv: &[S], cols: usize, dx: &mut [S]) {
    let c = Coefficients::<S>::new();
    let size = tiles.stride(cols);
    for (i, tile) in tiles.tiles.iter().enumerate() {
        let top = tile.first - tiles.taps / 2;
        for at in (0..cols).step_by(LANES) {
            let v = load_points(dv, size, i * cols, cols, at);
            let ([s1, s2, s3], [t1, t2, t3]) = pairs(&v);
            let (z, f) = (v[0], v[7]);
            let rows = [
                z,
                lanes(|l| t1[l] - f[l] + c.c1_2 * t2[l] + c.c2 * t3[l]),
                lanes(|l| s1[l] - c.c21_4 * z[l] + c.c1_4 * s2[l] + c.c4 * s3[l]),
                lanes(|l| c.c21_4 * f[l] - c.c17_4 * t1[l] - c.c5_2 * (t2[l] + t3[l])),
                lanes(|l| c.c21_4 * z[l] - c.c17_4 * s1[l] - c.c5_4 * s2[l] - c.c5 * s3[l]),
                lanes(|l| t1[l] - c.c21_4 * f[l] + c.c2 * t2[l] + c.c1_2 * t3[l]),
                lanes(|l| s1[l] - z[l] + s2[l] + s3[l]),
                f,
            ];
            for (k, row) in rows.iter().enumerate() {
                let at_row = top + k;
                if at_row >= tile.start && at_row < tile.end {
                    let slot = &mut dx[at_row * cols..][..cols];
                    let old = load(slot, at);
                    store(slot, at, &lanes(|l| old[l] + row[l]));
                }
            }
        }
    }
}

/// aʲ for the three pairs of points.
#[inline(always)]
fn powers<S: Scalar>(j: usize) -> [S; 3] {
    let j = i32::try_from(j).unwrap_or(0);
    [S::one(), S::of(2_f64.powi(j)), S::of(0.5_f64.powi(j))]
}

#[inline(always)]
fn outputs_of<S: Scalar, const M: usize>(
    tiles: &Tiles,
    m: &[S],
    cols: usize,
    bias: Option<&[S]>,
    relu: bool,
    y: &mut [S],
) {
    let size = tiles.stride(cols);
    let powers: [[S; 3]; M] = std::array::from_fn(powers);
    for (i, tile) in tiles.tiles.iter().enumerate() {
        let live = M.min(tile.end - tile.first);
        for at in (0..cols).step_by(LANES) {
            let m = load_points(m, size, i * cols, cols, at);
            let bias = match bias {
                Some(bias) => load(bias, at),
                None => [S::zero(); LANES],
            };
            let (even, odd) = pairs(&m);
            for (j, &[one, two, half]) in powers.iter().enumerate().take(live) {
                let pairs = if j % 2 == 0 { &even } else { &odd };
                let mut sum = lanes(|l| one * pairs[0][l] + two * pairs[1][l] + half * pairs[2][l]);
                if j == 0 {
                    sum = lanes(|l| sum[l] + m[0][l]);
                }
                if j + 1 == M {
                    sum = lanes(|l| sum[l] + m[POINTS - 1][l]);
                }
                sum = lanes(|l| sum[l] + bias[l]);
                if relu {
                    // Not `max`: a NaN must stay one.
                    sum = lanes(|l| {
                        if sum[l] < S::zero() {
                            S::zero()
                        } else {
                            sum[l]
                        }
                    });
                }
                store(&mut y[(tile.first + j) * cols..][..cols], at, &sum);
            }
        }
    }
}

#[inline(always)]
fn outputs_back<S: Scalar, const M: usize>(
    tiles: &Tiles,
    dy: &[S],
    cols: usize,
    y: Option<&[S]>,
    dm: &mut [S],
) {
    let size = tiles.stride(cols);
    let powers: [[S; 3]; M] = std::array::from_fn(powers);
    for (i, tile) in tiles.tiles.iter().enumerate() {
        let live = M.min(tile.end - tile.first);
        for at in (0..cols).step_by(LANES) {
            let zero = [S::zero(); LANES];
            let (mut even, mut odd) = ([zero; 3], [zero; 3]);
            let (mut first, mut last) = (zero, zero);
            for (j, powers) in powers.iter().enumerate().take(live) {
                let row = (tile.first + j) * cols;
                let mut g = load(&dy[row..][..cols], at);
                if let Some(y) = y {
                    let y = load(&y[row..][..cols], at);
                    g = lanes(|l| if y[l] > S::zero() { g[l] } else { S::zero() });
                }
                let sums = if j % 2 == 0 { &mut even } else { &mut odd };
                for (sum, &power) in sums.iter_mut().zip(powers) {
                    *sum = lanes(|l| sum[l] + power * g[l]);
                }
                if j == 0 {
                    first = g;
                }
                if j + 1 == M {
                    last = g;
                }
            }
            let mut points = [zero; POINTS];
            points[0] = first;
            points[POINTS - 1] = last;
            for pair in 0..3 {
                points[1 + 2 * pair] = lanes(|l| even[pair][l] + odd[pair][l]);
                points[2 + 2 * pair] = lanes(|l| even[pair][l] - odd[pair][l]);
            }
            for (p, point) in points.iter().enumerate() {
                store(&mut dm[p * size + i * cols..][..cols], at, point);
            }
        }
    }
}

/// Most taps of a kernel that is applied in tiles.
const MOST_TAPS: usize = 7;

/// 1/N · aᵗ for each tap and pair of points.
#[inline(always)]
fn weights<S: Scalar>() -> [[S; 3]; MOST_TAPS] {
    let tap = |t: usize| i32::try_from(t).unwrap_or(0);
    std::array::from_fn(|t| PAIRS.map(|(point, scale)| S::of(scale * point.powi(tap(t)))))
}

#[inline(always)]
fn kernel_points<S: Scalar>(k: &[S], taps: usize, points: &mut [Packed<S>]) {
    let Some(&Packed {
        k: inputs,
        n: outputs,
        layout,
        ..
    }) = points.first()
    else {
        return;
    };
    let (weights, width) = (weights::<S>(), layout.width(outputs).max(1));
    for panel in 0..outputs.div_ceil(width) {
        let columns = width.min(outputs - panel * width);
        for input in 0..inputs {
            let from = input * outputs + panel * width;
            let to = (panel * inputs + input) * width;
            for at in (0..columns).step_by(LANES) {
                let tap = |t: usize| load(&k[t * inputs * outputs + from..][..columns], at);
                let (mut even, mut odd) = ([[S::zero(); LANES]; 3], [[S::zero(); LANES]; 3]);
                for (t, weights) in weights[..taps].iter().enumerate() {
                    let tap = tap(t);
                    let sums = if t % 2 == 0 { &mut even } else { &mut odd };
                    for (sum, &weight) in sums.iter_mut().zip(weights) {
                        *sum = lanes(|l| sum[l] + weight * tap[l]);
                    }
                }
                let mut put = |p: usize, value: &Lanes<S>| {
                    store(&mut points[p].data[to..][..columns], at, value);
                };
                put(0, &tap(0));
                put(POINTS - 1, &tap(taps - 1));
                for pair in 0..3 {
                    put(1 + 2 * pair, &lanes(|l| even[pair][l] + odd[pair][l]));
                    put(2 + 2 * pair, &lanes(|l| even[pair][l] - odd[pair][l]));
                }
            }
        }
    }
}

#[inline(always)]
fn kernel_taps<S: Scalar>(du: &[S], taps: usize, size: usize, dk: &mut [S], accumulate: bool) {
    let weights = weights::<S>();
    for at in (0..size).step_by(LANES) {
        let point = load_points(du, stride(size), 0, size, at);
        let (sums, differences) = pairs(&point);
        for (t, weights) in weights[..taps].iter().enumerate() {
            let slot = &mut dk[t * size..][..size];
            let mut tap = if accumulate {
                load(slot, at)
            } else {
                [S::zero(); LANES]
            };
            if t == 0 {
                tap = lanes(|l| tap[l] + point[0][l]);
            }
            if t + 1 == taps {
                tap = lanes(|l| tap[l] + point[POINTS - 1][l]);
            }
            let pairs = if t % 2 == 0 { &sums } else { &differences };
            for (&weight, values) in weights.iter().zip(pairs) {
                tap = lanes(|l| tap[l] + weight * values[l]);
            }
            store(slot, at, &tap);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::outputs;
    use crate::kernels::Stacked;
    use crate::{Init, Layout, Params, Scalar, Tape};

    /// The convolution as its formula says.
    fn direct(layout: &Layout, x: &[f64], kernel: &[f64], taps: usize, n: usize) -> Vec<f64> {
        let cols = kernel.len() / taps / n;
        let mut y = Vec::new();
        let mut first = 0;
        for span in layout.spans() {
            let rows = &x[first * cols..(first + span.len()) * cols];
            first += span.len();
            for i in 0..span.len() {
                for o in 0..n {
                    let mut sum = 0.0;
                    for t in 0..taps {
                        let Some(row) = (i + t).checked_sub(taps / 2).filter(|&r| r < span.len())
                        else {
                            continue;
                        };
                        for c in 0..cols {
                            sum += rows[row * cols + c] * kernel[(t * cols + c) * n + o];
                        }
                    }
                    y.push(sum);
                }
            }
        }
        y
    }

    fn worst<S: Scalar>(taps: usize, cols: usize, n: usize) -> f64 {
        let layout = Arc::new(Layout::new([1, 0, 2, 3, 4, 5, 6, 7, 8, 13, 40], taps / 2));
        let mut params = Params::<S>::new();
        let kernel = Init::Normal { std: 1.0 }.draw::<f64>(&[taps, cols, n], 1, "kernel");
        let id = params.add(
            "kernel",
            &[taps, cols, n],
            kernel.iter().map(|&k| S::of(k)).collect(),
        );
        let x = Init::Normal { std: 1.0 }.draw::<f64>(&[layout.tokens(), cols], 1, "x");
        let mut tape = Tape::infer(&params);
        let narrow: Vec<S> = x.iter().map(|&x| S::of(x)).collect();
        let input = tape.tokens(&layout, cols, &narrow);
        let y = tape.linear(input, id, None);
        let expected = direct(&layout, &x, &kernel, taps, n);
        let largest = expected.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        tape.token_values(y)
            .iter()
            .zip(&expected)
            .map(|(found, expected)| (found.wide() - expected).abs() / largest)
            .fold(0.0, f64::max)
    }

    #[test]
    fn tiles_equal_the_formula() {
        for taps in [3, 5, 7] {
            assert!(outputs(taps).is_some());
            for (cols, n) in [(1, 1), (8, 16), (13, 21), (64, 40)] {
                let exact = worst::<f64>(taps, cols, n);
                assert!(exact < 1e-13, "{taps} taps in f64: {exact}");
                let error = worst::<f32>(taps, cols, n);
                assert!(error < 1e-5, "{taps} taps in f32: {error}");
            }
        }
    }

    #[test]
    fn a_packed_matrix_transposed_is_the_transpose_packed() {
        for (rows, cols) in [(1, 1), (16, 16), (5, 40), (40, 5), (33, 17)] {
            let data = Init::Normal { std: 1.0 }.draw::<f32>(&[rows, cols], 1, "matrix");
            let mut turned = vec![0.0; data.len()];
            for i in 0..rows {
                for j in 0..cols {
                    turned[j * rows + i] = data[i * cols + j];
                }
            }
            for (pack, _, _) in crate::kernels::tests::kernels() {
                let packed = pack(&Stacked::row_major(&data, rows, cols)).transposed(None);
                let expected = pack(&Stacked::row_major(&turned, cols, rows));
                assert_eq!((packed.k, packed.n), (expected.k, expected.n));
                assert_eq!(packed.data, expected.data, "{rows} × {cols}");
            }
        }
    }
}
