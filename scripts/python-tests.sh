#!/usr/bin/env bash
# Tests the Python package: builds it into a virtual environment, then runs pytest (package, type
# stubs, documents, Polars, pandas, DuckDB, and Spark on a cluster of processes on loopback).
#
#   scripts/python-tests.sh [ARGUMENTS OF PYTEST]     # e.g. -k polars, -m "not spark"
#
# Needs Python 3.10 or newer and Java 17; with CI set, missing ones are installed (needs root). The
# packages that bindings/python/requirements-test.txt pins are installed to target/python-venv only.
# IMN_BIN names a binary of the same build; otherwise it is built.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
target=${CARGO_TARGET_DIR:-$root/target}

missing=()
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3 python3-venv)
command -v java >/dev/null || missing+=(openjdk-17-jre-headless)
if [ ${#missing[@]} -gt 0 ] && [ -n "${CI:-}" ]; then
    apt-get update -q
    apt-get install -qy --no-install-recommends "${missing[@]}"
fi
venv=$target/python-venv
requirements=bindings/python/requirements-test.txt
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
# The copy in the environment is that of the last installation.
if ! cmp -s "$requirements" "$venv/installed-requirements.txt"; then
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
    cp "$requirements" "$venv/installed-requirements.txt"
fi

# The same features as in the tests of the workspace, so that dependencies are compiled once.
if [ -z "${IMN_BIN:-}" ]; then
    cargo build --quiet --workspace --bin imn
    IMN_BIN=$target/debug/imn
fi
export IMN_BIN
scripts/wheel.sh --dev "$target/wheels-dev" "$venv/bin/maturin"
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall \
    "$target"/wheels-dev/imn-*.whl
cd bindings/python
exec "$venv/bin/python" -m pytest -o "cache_dir=$target/pytest-cache" "$@"
