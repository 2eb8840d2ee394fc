#!/usr/bin/env bash
# Prints the scores of a model as one JSON object, one entry per set:
#
#   scripts/model-scores.sh MODEL DATA_DIR
#
# The sets are the raw text of the paper's test sets (DATA_DIR/raw, the output of `imn align`), the
# development parts of DATA_DIR/more, and the development half of models/hard. A set is scored in
# its own annotation scheme if the model has it, and in the default scheme of the model otherwise.
# SET.default is a set in the default scheme, where its own is another. hard.test is the half of
# models/hard on which nothing was chosen.
# Environment: IMN, the binary (default imn).
set -euo pipefail
imn=${IMN:-imn}
hard=$(cd "$(dirname "$0")/../models/hard" && pwd)
schemes=$("$imn" inspect "$1" --json | sed -n '/"schemes"/,/]/p')
separator=''
echo '{'
score() { # NAME FILE SCHEME
    local options=()
    if grep -q "\"$3\"" <<< "$schemes"; then
        options=(--scheme "$3")
    fi
    local scores
    scores=$("$imn" evaluate "$model" "$2" "${options[@]}" --json)
    # The path of the model is of no interest.
    echo "$separator\"$1\": $(sed '/"file":/d' <<< "$scores")"
    separator=,
}
model=$1
score res14 "$2/raw/res14.test.jsonl" terms
score lap14 "$2/raw/lap14.test.jsonl" terms
score res15 "$2/raw/res15.test.jsonl" targets
for set in electronics fashion beauty home; do
    score $set "$2/more/$set.dev.jsonl.gz" judged
done
score mams "$2/more/mams.dev.jsonl.gz" terms
for set in food course hotel; do
    score $set "$2/more/$set.dev.jsonl.gz" phrases
done
for set in mams food course hotel; do
    score $set.default "$2/more/$set.dev.jsonl.gz" default
done
score hard "$hard/dev.jsonl" terms
score hard.test "$hard/test.jsonl" terms
echo '}'
