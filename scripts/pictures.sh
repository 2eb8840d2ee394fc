#!/usr/bin/env bash
# Makes the pictures of the README from the real program:
#
#   scripts/pictures.sh [OUT_DIR]
#
# writes OUT_DIR/analyze.svg    terminal output of imn analyze and imn explain
#        OUT_DIR/report.png     the report of examples/bikes/reviews.csv, if Chromium is installed
#
# OUT_DIR is docs/pictures by default. Environment: IMN, the binary (default imn); CHROMIUM, the
# browser (default chromium).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/docs/pictures}
imn=${IMN:-imn}
browser=${CHROMIUM:-chromium}
mkdir -p "$out"

text="The ramen was wonderful, but our waiter ignored us."
{
    echo "\$ imn analyze \"$text\""
    "$imn" analyze --to pretty --color always "$text"
    echo
    echo "\$ imn explain \"$text\""
    CLICOLOR_FORCE=1 "$imn" explain "$text"
} | python3 "$root/scripts/terminal_svg.py" > "$out/analyze.svg"

if ! command -v "$browser" > /dev/null; then
    echo "$browser: not found; report.png was not made" >&2
    exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$imn" analyze --quiet "$root/examples/bikes/reviews.csv" --out "$work/analysed.jsonl"
"$imn" report "$work/analysed.jsonl" --title "Bicycle reviews" \
    --out "$work/report.html"
"$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync \
    --user-data-dir="$work/profile" --hide-scrollbars --window-size=900,960 \
    --screenshot="$out/report.png" "file://$work/report.html" 2> /dev/null
