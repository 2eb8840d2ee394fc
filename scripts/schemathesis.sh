#!/usr/bin/env bash
# Checks `imn serve` against its own OpenAPI document with generated requests (schemathesis).
#   scripts/schemathesis.sh [EXAMPLES]        number of requests per route and phase (default: 50)
# Uses target/debug/imn, or the binary that IMN names. Packages go to target/schemathesis-venv.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=$PWD/target/schemathesis-venv
if [ ! -x "$venv/bin/st" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check schemathesis==4.32.5
fi
. scripts/test-server.sh
# The document cannot say that a list with explanations may be only so long.
start_server --max-client-explanations 256
exceptions=$PWD/scripts/schemathesis.toml
# It keeps a cache where it is run.
cd "$folder"
"$venv/bin/st" --config-file "$exceptions" run "$address/openapi.json" --url "$address" \
  --max-examples "${1:-50}" \
  --seed 1 --generation-deterministic --request-timeout 20
kill -0 "$server"
