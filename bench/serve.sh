#!/usr/bin/env bash
# Load test on loopback: `imn serve` beside FastAPI with onnxruntime, the same network and texts.
#   bench/serve.sh [--data DIR] [--seconds N] [--turns N] [--write]     (see bench/serve.py --help)
# The peers are installed into target/bench-venv, nowhere else.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${IMN_BENCH_VENV:-target/bench-venv}
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check -r bench/requirements-serve.txt
profile=${IMN_BENCH_PROFILE:-release}
cargo build --quiet --profile "$profile" --workspace --bin imn --example bench_analyze \
  --example load
folder=${CARGO_TARGET_DIR:-target}/$([ "$profile" = dev ] && echo debug || echo "$profile")
"$venv/bin/python" bench/serve.py "$folder" "$@"
