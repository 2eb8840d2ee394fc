#!/usr/bin/env bash
# Times the training engine and PyTorch on the same work in the same run, and prints ratios.
#   bench/engine.sh [ROUNDS]
# Python packages are installed to target/bench-venv only.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${IMN_BENCH_VENV:-target/bench-venv}
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check -r bench/requirements.txt
cargo build --quiet --release -p imn-nn --example bench_engine
RAYON_NUM_THREADS=2 OMP_NUM_THREADS=2 "$venv/bin/python" bench/engine.py \
  "${CARGO_TARGET_DIR:-target}/release/examples/bench_engine" "${1:-15}"
