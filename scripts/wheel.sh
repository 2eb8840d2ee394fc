#!/usr/bin/env bash
# Builds the wheel of the Python package and prints its size.
#
#   scripts/wheel.sh [--dev] [FOLDER [MATURIN]]
#
# FOLDER is target/wheels by default; other wheels of the package in it are removed. MATURIN is the
# builder; without it, one is installed to target/wheel-venv. --dev builds without optimization, for
# tests. A wheel of more than 60 MB is an error.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
target=${CARGO_TARGET_DIR:-$root/target}
options=(--profile release)
if [ "${1:-}" = --dev ]; then
    # With the features of the workspace, dependencies are compiled once for all tests.
    options=(--profile dev --features workspace)
    shift
fi
folder=${1:-$target/wheels}
maturin=${2:-$target/wheel-venv/bin/maturin}
if [ ! -x "$maturin" ]; then
    python3 -m venv "$target/wheel-venv"
    "$target/wheel-venv/bin/pip" install --quiet --disable-pip-version-check \
        "$(grep '^maturin==' bindings/python/requirements-test.txt)"
fi
rm -f "$folder"/imn-*.whl
"$maturin" build --quiet "${options[@]}" --manifest-path bindings/python/Cargo.toml \
    --out "$folder"
wheel=$(echo "$folder"/imn-*.whl)
bytes=$(stat -c %s "$wheel")
awk -v bytes="$bytes" -v wheel="$wheel" 'BEGIN { printf "%s: %.1f MB\n", wheel, bytes / 1e6 }'
if [ "$bytes" -gt 60000000 ]; then
    echo "the wheel is larger than 60 MB" >&2
    exit 1
fi
