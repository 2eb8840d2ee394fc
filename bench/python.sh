#!/usr/bin/env bash
# Throughput of the Python package (analyze_many, analyze_arrow) beside that of `imn analyze`.
#   bench/python.sh [--rows N] [--rounds N] [--model NAME|PATH] [--write]
# Options: bench/python.py --help. Python packages are installed to target/bench-python-venv only.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/python-venv.sh
"$venv/bin/python" bench/python.py "$binary" "$@"
