#!/usr/bin/env bash
# Trains the built-in models from the data folder:
#
#   scripts/models.sh DATA_DIR WORK_DIR [reviews] [fast]     (default: both)
#
# writes WORK_DIR/data/raw/*.jsonl       labels aligned with the raw text (imn align)
#        WORK_DIR/data/contrast/*.jsonl  our own training sentences (models/contrast)
#        WORK_DIR/data/encoders/gte-small-reviews
#                                        the pre-trained encoder of `reviews`, without subwords that
#                                        our reviews lack (scripts/encoders.py fetch, trim)
#        WORK_DIR/NAME/                  the training run (configs/NAME.toml), resumed if stopped
#        WORK_DIR/NAME.imn               the quantized model (imn quantize)
#        WORK_DIR/NAME.scores.json       its scores (scripts/model-scores.sh)
#
# `fast` learns from `reviews`, so train that first.
# WORK_DIR/NAME/events.jsonl has the seconds of each epoch. To make a model the built-in one, copy
# NAME.imn and NAME.scores.json to models/. CPUs with AVX512-BF16 train `reviews` in that precision.
# Environment: IMN, the binary (default imn).
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,19s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
data=$(cd "$1" && pwd)
mkdir -p "$2/data"
work=$(cd "$2" && pwd)
shift 2
here=$(cd "$(dirname "$0")" && pwd)
imn=${IMN:-imn}
[ $# -gt 0 ] || set -- reviews fast

# All paths in the configuration are relative to one folder, so the given data is linked into it.
for part in document vectors more unlabeled; do
    ln -sfn "$data/$part" "$work/data/$part"
done
[ -f "$work/data/raw/res15.test.jsonl" ] || "$imn" align --data "$data" --out "$work/data/raw"
"$here/../models/contrast/contrast.py" --out "$work/data/contrast"

# Transformers train in bfloat16 if the CPU has instructions for it.
precision=()
if grep -qs avx512_bf16 /proc/cpuinfo; then
    precision=(--set 'train.precision="bf16"')
fi

run() { # NAME [OPTION ...]: trains configs/NAME.toml
    local name=$1
    shift
    [ -f "$work/$name/model.imn" ] ||
        "$imn" train --config "$here/../configs/$name.toml" --data "$work/data" \
            --out "$work/$name" "$@"
    "$imn" quantize --force "$work/$name/model.imn" "$work/$name.imn"
}

for name in "$@"; do
    case $name in
    reviews)
        encoders=$work/data/encoders
        if [ ! -f "$encoders/gte-small-reviews/model.safetensors" ]; then
            # The tools of the two steps, in an environment of their own.
            python3 -m venv "$work/python"
            "$work/python/bin/pip" install --quiet numpy onnx tokenizers
            "$work/python/bin/python" "$here/encoders.py" fetch "$encoders" gte-small
            "$work/python/bin/python" "$here/encoders.py" trim "$encoders/gte-small" \
                "$encoders/gte-small-reviews" "$data"/unlabeled/*.gz "$data"/document/*.gz
        fi
        run reviews "${precision[@]}"
        ;;
    fast)
        # `reviews` is its teacher.
        if [ ! -f "$work/reviews.imn" ]; then
            echo "scripts/models.sh: train reviews before fast" >&2
            exit 2
        fi
        run fast
        ;;
    *)
        echo "scripts/models.sh: no such model: $name" >&2
        exit 2
        ;;
    esac
    IMN=$imn "$here/model-scores.sh" "$work/$name.imn" "$work/data" > "$work/$name.scores.json"
    cat "$work/$name.scores.json"
done
