#!/usr/bin/env bash
# Speed of the built-in models beside each other: sentences per second, and the start to the first
# answer.
#   bench/models.sh [--rounds N] [--write]
# Options: bench/models.py --help. Needs Python without packages.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --quiet --release --workspace --bin imn
python3 bench/models.py "${CARGO_TARGET_DIR:-target}/release/imn" "$@"
