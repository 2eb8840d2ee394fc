#!/usr/bin/env bash
# Prints the scores of a model on the raw text of the three test sets as one JSON object:
#
#   scripts/reviews-scores.sh MODEL RAW_DIR
#
# RAW_DIR is the output of `imn align --out RAW_DIR`. Environment: IMN, the binary (default imn).
set -euo pipefail
imn=${IMN:-imn}
echo '{'
for set in res14 lap14 res15; do
    end=, scheme=terms
    [ "$set" = res15 ] && end='' scheme=targets
    scores=$("$imn" evaluate "$1" "$2/$set.test.jsonl" --scheme "$scheme" --json --resamples 0)
    # The path of the model is of no interest.
    echo "\"$set\": $(sed '/"file":/d' <<< "$scores")$end"
done
echo '}'
