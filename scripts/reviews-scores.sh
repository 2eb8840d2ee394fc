#!/usr/bin/env bash
# Scores of a model on the raw text of the three test sets, as one JSON object:
#
#   scripts/reviews-scores.sh MODEL RAW_DIR        RAW_DIR as `imn align --out` writes it
set -euo pipefail
imn=${IMN:-imn}
echo '{'
for set in res14 lap14 res15; do
    end=, scheme=terms
    [ "$set" = res15 ] && end='' scheme=targets
    echo "\"$set\": $("$imn" evaluate "$1" "$2/$set.test.jsonl" --scheme "$scheme" --json --resamples 0 | sed '/"file":/d')$end"
done
echo '}'
