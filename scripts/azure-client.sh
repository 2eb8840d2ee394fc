#!/usr/bin/env bash
# Runs opinion mining with Microsoft's own client for Azure Language (azure-ai-textanalytics)
# against `imn serve`.
#   scripts/azure-client.sh
# Uses target/debug/imn, or the binary that IMN names. Packages go to target/azure-venv.
set -euo pipefail
cd "$(dirname "$0")/.."
binary=${IMN:-target/debug/imn}
venv=$PWD/target/azure-venv
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check azure-ai-textanalytics==5.3.0
folder=$(mktemp -d)
key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
IMN_API_KEY=$key "$binary" serve --port 0 --jobs-dir "$folder/jobs" --log-level warn \
  2> "$folder/log" &
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
AZURE_KEY=$key "$venv/bin/python" scripts/azure_client.py "$address"
