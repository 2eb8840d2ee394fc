#!/usr/bin/env bash
# Times training of IMN^-d in Rust and PyTorch (bench/imn_torch.py) on the same batches in the same
# run, and prints ratios.
#   bench/epoch.sh [--data DIR] [--steps N] [--threads N] [--sparse]
# Options: bench/epoch.py --help. Python packages are installed to target/bench-venv only.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${IMN_BENCH_VENV:-target/bench-venv}
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check -r bench/requirements.txt
cargo build --quiet --release -p imn --example bench_epoch
binary=${CARGO_TARGET_DIR:-target}/release/examples/bench_epoch
"$venv/bin/python" bench/epoch.py "$binary" "$@"
