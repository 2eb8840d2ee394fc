#!/usr/bin/env bash
# Checks `imn serve` against its own OpenAPI document with generated requests (schemathesis).
#   scripts/schemathesis.sh [EXAMPLES]        number of requests per route and phase (default: 50)
# Uses target/debug/imn, or the binary that IMN names. Packages go to target/schemathesis-venv.
set -euo pipefail
cd "$(dirname "$0")/.."
binary=${IMN:-target/debug/imn}
venv=$PWD/target/schemathesis-venv
if [ ! -x "$venv/bin/st" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check schemathesis==4.32.5
fi
folder=$(mktemp -d)
# The document cannot say that a list with explanations may be only so long.
"$binary" serve --port 0 --jobs-dir "$folder/jobs" --log-level warn \
  --max-client-explanations 256 2> "$folder/log" &
server=$!
stop() {
  kill "$server" 2> /dev/null || true
  wait "$server" 2> /dev/null || true
  rm -rf "$folder"
}
trap stop EXIT
until grep -q 'listening on' "$folder/log"; do
  kill -0 "$server" || { cat "$folder/log"; exit 1; }
  sleep 0.1
done
address=$(sed -n 's/.*listening on \(http[^ ]*\).*/\1/p' "$folder/log")
exceptions=$PWD/scripts/schemathesis.toml
# It keeps a cache where it is run.
cd "$folder"
"$venv/bin/st" --config-file "$exceptions" run "$address/openapi.json" --url "$address" \
  --max-examples "${1:-50}" \
  --seed 1 --generation-deterministic --request-timeout 20
kill -0 "$server"
