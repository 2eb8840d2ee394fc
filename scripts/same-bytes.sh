#!/usr/bin/env bash
# Checks that two versions of the program train the same weights and write the same analyses:
#
#   scripts/same-bytes.sh OLD NEW [MODEL]
#
# OLD and NEW are programs (target/release/imn of two commits), MODEL is a model file that both can
# read (default: models/fast.imn). Both train examples/bikes/bikes.toml from the same seed, and both
# analyse the reviews of examples/bikes with MODEL and with the trained model. The script compares
# the tensors of the trained models and all outputs byte for byte, and fails at the first
# difference.
set -euo pipefail
if [ $# -lt 2 ]; then
    sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
old=$(realpath "$1")
new=$(realpath "$2")
cd "$(dirname "$0")/.."
model=${3:-models/fast.imn}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for side in old new; do
    program=${!side}
    mkdir "$work/$side"
    "$program" train --config examples/bikes/bikes.toml --data examples/bikes \
        --out "$work/$side/run" > "$work/$side/log" 2>&1
    # The header also names the version of the program, so only what follows it is compared.
    python3 - "$work/$side/run/model.imn" "$work/$side/tensors" << 'END'
import struct
import sys

with open(sys.argv[1], "rb") as file:
    size = struct.unpack("<Q", file.read(8))[0]
    file.seek(8 + size)
    open(sys.argv[2], "wb").write(file.read())
END
    for threads in 1 2; do
        "$program" analyze examples/bikes/reviews.csv --column text --quiet --threads "$threads" \
            --model "$model" --out "$work/$side/built-in.$threads.jsonl"
    done
    "$program" analyze examples/bikes/reviews.csv --column text --quiet \
        --model "$work/$side/run/model.imn" --out "$work/$side/trained.jsonl"
done
for file in tensors built-in.1.jsonl built-in.2.jsonl trained.jsonl; do
    cmp "$work/old/$file" "$work/new/$file"
    echo "$file: the same $(stat -c %s "$work/new/$file") bytes"
done
