#!/usr/bin/env bash
# Times a pre-trained encoder in Rust, PyTorch and onnxruntime with the same weights in the same
# run, and prints ratios.
#   bench/encoder.sh --encoder DIR [--data DIR] [--rounds N]
# Options: bench/encoder.py --help. Python packages are installed to target/bench-venv only.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${IMN_BENCH_VENV:-target/bench-venv}
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check -r bench/requirements-encoder.txt
cargo build --quiet --release -p imn-nn --example bench_encoder
RAYON_NUM_THREADS=2 OMP_NUM_THREADS=2 "$venv/bin/python" bench/encoder.py \
  "${CARGO_TARGET_DIR:-target}/release/examples/bench_encoder" "$@"
