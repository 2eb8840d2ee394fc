#!/usr/bin/env bash
# Trains our own domain vectors: 100-d skip-gram with subwords (fastText), every word seen 5 times or more.
#
#   scripts/domain-vectors.sh DATA_DIR OUT_DIR [DOMAIN...]
#
# reads  DATA_DIR/unlabeled/DOMAIN.txt.gz   (one review a line; default domains: restaurant electronics)
# writes OUT_DIR/DOMAIN.100d.vec.gz         (text, with the "words dimensions" header)
#        OUT_DIR/DOMAIN.tokens.gz           (what was trained on: a sentence a line, cut by `imn tokenize`)
#        OUT_DIR/DOMAIN.log                 (settings, loss, time)
#
# Settings by environment: EPOCHS (5), THREADS (1: the same numbers every time), IMN (the imn binary),
# VENV (a scratch virtual environment for the pinned trainer; default OUT_DIR/venv).
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
data=$1 out=$2
shift 2
domains=("$@")
[ ${#domains[@]} -gt 0 ] || domains=(restaurant electronics)

here=$(cd "$(dirname "$0")" && pwd)
epochs=${EPOCHS:-5} threads=${THREADS:-1}
venv=${VENV:-$out/venv}
imn=${IMN:-imn}
mkdir -p "$out"

if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
"$venv/bin/python" -c 'import fasttext' 2>/dev/null ||
    "$venv/bin/pip" install --quiet 'fasttext-wheel==0.9.2'

for domain in "${domains[@]}"; do
    text=$data/unlabeled/$domain.txt.gz
    [ -f "$text" ] || { echo "$text: no such file" >&2; exit 2; }
    tokens=$out/$domain.tokens.gz
    if [ ! -f "$tokens" ]; then
        # Written under another name first, so that an interrupted run is not mistaken for a finished one.
        "$imn" tokenize --lines --file "$text" |
            python3 "$here/domain-vectors.py" join | gzip -1 > "$tokens.part"
        mv "$tokens.part" "$tokens"
    fi
    "$venv/bin/python" "$here/domain-vectors.py" train "$tokens" "$out/$domain.100d.vec.gz" \
        --epochs "$epochs" --threads "$threads" 2>&1 | tee "$out/$domain.log"
done
