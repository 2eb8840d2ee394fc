#!/usr/bin/env bash
# Trains domain word vectors with fastText: 100-dimensional skip-gram with subwords, for words that
# occur at least 5 times.
#
#   scripts/domain-vectors.sh DATA_DIR OUT_DIR [DOMAIN...]
#
# reads  DATA_DIR/unlabeled/DOMAIN.txt.gz   one review per line
# writes OUT_DIR/DOMAIN.100d.vec.gz         vectors as text, with a header "words dimensions"
#        OUT_DIR/DOMAIN.tokens.gz           training text: one sentence per line, tokenized
#        OUT_DIR/DOMAIN.log                 settings, loss, time
#
# The default domains are restaurant and electronics. Environment: EPOCHS (default 5); THREADS
# (default 1, which makes the result reproducible); IMN, the binary (default imn); VENV, the Python
# environment for fastText (default OUT_DIR/venv).
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,14s/^# \{0,1\}//p' "$0" >&2
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
        # Rename at the end, so that an interrupted run does not look finished.
        "$imn" tokenize --lines --file "$text" |
            python3 "$here/domain-vectors.py" join | gzip -1 > "$tokens.part"
        mv "$tokens.part" "$tokens"
    fi
    "$venv/bin/python" "$here/domain-vectors.py" train "$tokens" "$out/$domain.100d.vec.gz" \
        --epochs "$epochs" --threads "$threads" 2>&1 | tee "$out/$domain.log"
done
