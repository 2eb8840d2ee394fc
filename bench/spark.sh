#!/usr/bin/env bash
# Throughput of `imn.spark` on local[2] beside that of `imn analyze` with two threads, and memory.
#   bench/spark.sh [--rows N] [--rounds N] [--model NAME|PATH] [--write]
# Options: bench/spark.py --help. Needs Java 17. Python packages are installed to
# target/bench-python-venv only.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/python-venv.sh
export PYSPARK_PYTHON="$venv/bin/python" PYSPARK_DRIVER_PYTHON="$venv/bin/python"
export SPARK_LOCAL_IP=127.0.0.1
# Two cores, also on a larger machine.
run=()
if command -v taskset >/dev/null; then
  run=(taskset -c 0,1)
fi
"${run[@]}" "$venv/bin/python" bench/spark.py "$binary" "$@"
