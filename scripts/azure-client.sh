#!/usr/bin/env bash
# Runs opinion mining with Microsoft's own client for Azure Language (azure-ai-textanalytics)
# against `imn serve`.
#   scripts/azure-client.sh
# Uses target/debug/imn, or the binary that IMN names. Packages go to target/azure-venv.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=$PWD/target/azure-venv
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check azure-ai-textanalytics==5.3.0
. scripts/test-server.sh
key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export IMN_API_KEY=$key
start_server
AZURE_KEY=$key "$venv/bin/python" scripts/azure_client.py "$address"
