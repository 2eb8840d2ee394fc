#!/usr/bin/env bash
# Builds the program from nothing and prints how long that takes, in total and per crate:
#
#   scripts/build-times.sh [CRATES]     (default: the 12 crates that take longest)
#
# prints a Markdown table. The build uses a folder of its own below target/, which is removed at the
# start. Crates are downloaded before the clock starts. Two crates are compiled at a time on two
# cores, so the seconds of all crates add up to more than the total.
set -euo pipefail
cd "$(dirname "$0")/.."
most=${1:-12}
export CARGO_TARGET_DIR=target/build-times
rm -rf "$CARGO_TARGET_DIR"
cargo fetch --quiet --locked
started=$(date +%s)
cargo build --quiet --release --locked --timings
seconds=$(($(date +%s) - started))
python3 - "$CARGO_TARGET_DIR/cargo-timings/cargo-timing.html" "$seconds" "$most" \
    "$CARGO_TARGET_DIR/release/imn" << 'END'
import collections
import json
import os
import re
import sys

page, seconds, most = open(sys.argv[1], encoding="utf-8").read(), int(sys.argv[2]), int(sys.argv[3])
units = json.loads(re.search(r"const UNIT_DATA = (\[.*?\]);", page, re.S)[1])
crates = collections.Counter()
for unit in units:
    crates[unit["name"]] += unit["duration"]
print(f"| crate | seconds of {sum(crates.values()):.0f} |\n|---|---|")
for name, duration in crates.most_common(most):
    print(f"| `{name}` | {duration:.0f} |")
rest = sum(duration for _, duration in crates.most_common()[most:])
print(f"| {len(crates) - most} others | {rest:.0f} |")
size = os.path.getsize(sys.argv[4]) / 1e6
print(f"\nThe build took {seconds // 60} min {seconds % 60} s. The program has {size:.0f} MB.")
END
