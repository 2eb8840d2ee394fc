#!/usr/bin/env bash
# Adapts a model to a few labelled rows of a set that it was not trained on, and prints F1-I on the
# development part of the set before and after, and the seconds of training:
#
#   scripts/adapt-experiment.sh BASE DATA_DIR WORK_DIR [SET] [ROWS] [SCHEME] [OPTION ...]
#
# BASE is a built-in name or a model file, DATA_DIR contains more/SET.{train,dev}.jsonl.gz.
# Default: 200 rows of fashion in the scheme `judged`. The rows are drawn by a fixed seed. Options
# are those of `imn train`.
# Environment: IMN, the binary (default imn).
set -euo pipefail

if [ $# -lt 3 ]; then
    sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
base=$1 data=$2 work=$3
set=${4:-fashion} rows=${5:-200} scheme=${6:-judged}
imn=${IMN:-imn}
mkdir -p "$work"
rows_file=$work/$set.$rows.jsonl
dev=$data/more/$set.dev.jsonl.gz

# shuf reads its random bytes from the second stream, so the same rows are drawn every time.
gzip -dc "$data/more/$set.train.jsonl.gz" |
    shuf -n "$rows" --random-source=<(yes imn) > "$rows_file"

f1() { # MODEL
    "$imn" evaluate "$1" "$dev" --scheme "$scheme" --json --resamples 0 |
        sed -n '/"integrated": {/,/}/s/.*"f1": \([0-9.]*\).*/\1/p' | tail -1
}

before=$(f1 "$base")
start=$(date +%s)
"$imn" train --init "$base" --data "$rows_file" --scheme "$scheme" --out "$work/run" "${@:7}"
end=$(date +%s)
after=$(f1 "$work/run/model.imn")
printf '%s rows of %s: F1-I %.2f before, %.2f after; %d s\n' \
    "$(wc -l < "$rows_file")" "$set" "$before" "$after" $((end - start))
