#!/usr/bin/env bash
# A bounded soak of `imn serve` with mixed traffic, or an overload test. Prints memory over time.
#   bench/soak.sh [--seconds N] [--overload] [--write]        (see bench/soak.py --help)
# Needs Python without packages.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${IMN_BENCH_PROFILE:-release}
cargo build --quiet --profile "$profile" --workspace --bin imn --example load
folder=${CARGO_TARGET_DIR:-target}/$([ "$profile" = dev ] && echo debug || echo "$profile")
python3 bench/soak.py "$folder" "$@"
