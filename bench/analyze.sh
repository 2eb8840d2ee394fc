#!/usr/bin/env bash
# Times inference in Rust, PyTorch (bench/imn_torch.py) and onnxruntime with the same weights in the
# same run, and prints ratios.
#   bench/analyze.sh --model FILE [--data DIR] [--largest N] [--rounds N] [--threads N]
# Options: bench/analyze.py --help. Python packages are installed to target/bench-venv only.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${IMN_BENCH_VENV:-target/bench-venv}
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check -r bench/requirements-analyze.txt
cargo build --quiet --release -p imn -p imn-nn --example bench_analyze --example bench_engine
cargo build --quiet --release -p imn-cli
"$venv/bin/python" bench/analyze.py "${CARGO_TARGET_DIR:-target}/release" "$@"
