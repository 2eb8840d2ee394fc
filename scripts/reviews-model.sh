#!/usr/bin/env bash
# Trains the built-in model from the data folder:
#
#   scripts/reviews-model.sh DATA_DIR WORK_DIR [options of imn train, such as --set seed=2]
#
# writes WORK_DIR/data/raw/*.jsonl       labels aligned with the raw text (imn align)
#        WORK_DIR/data/own/*.vec.gz      domain vectors (scripts/domain-vectors.sh; about 20 minutes
#                                        on one core)
#        WORK_DIR/run/                   the training run (configs/reviews.toml), resumed if stopped
#        WORK_DIR/reviews.imn            the quantized model (imn quantize)
#        WORK_DIR/reviews.scores.json    its scores on the raw text of the three test sets
#
# To make it the built-in model, copy reviews.imn and reviews.scores.json to models/. Environment:
# IMN, the binary (default imn).
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,14s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
data=$(cd "$1" && pwd)
mkdir -p "$2/data"
work=$(cd "$2" && pwd)
shift 2
here=$(cd "$(dirname "$0")" && pwd)
imn=${IMN:-imn}

# All paths in the configuration are relative to one folder, so the given data is linked into it.
for part in document vectors; do
    ln -sfn "$data/$part" "$work/data/$part"
done
[ -f "$work/data/raw/res15.test.jsonl" ] || "$imn" align --data "$data" --out "$work/data/raw"
for domain in restaurant electronics; do
    [ -f "$work/data/own/$domain.100d.vec.gz" ] ||
        IMN=$imn "$here/domain-vectors.sh" "$data" "$work/data/own" "$domain"
done
[ -f "$work/run/model.imn" ] ||
    "$imn" train --config "$here/../configs/reviews.toml" --data "$work/data" --out "$work/run" "$@"
"$imn" quantize --force "$work/run/model.imn" "$work/reviews.imn"
"$here/reviews-scores.sh" "$work/reviews.imn" "$work/data/raw" > "$work/reviews.scores.json"
cat "$work/reviews.scores.json"
