#!/usr/bin/env bash
# Tests the page of `imn serve` in headless Chromium, and type-checks its script.
#
#   scripts/browser-tests.sh [FILE...]     # all tests, or files of crates/imn-server/tests/browser
#
# Installs what is missing: Debian packages chromium, nodejs and npm (needs root), and the npm
# packages that crates/imn-server/package-lock.json pins. Builds the binary unless IMN_BIN names
# one. IMN_WEB=1 takes the files of the page from the folder instead of from the binary; CHROMIUM
# names another browser. The last line is `N passed, N failed`; the exit code is 1 if a
# test or the type check failed.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root/crates/imn-server"

missing=()
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || missing+=(chromium)
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
if [ ${#missing[@]} -gt 0 ]; then
    apt-get update -q
    apt-get install -qy --no-install-recommends "${missing[@]}"
fi
# The copy in node_modules is that of the last installation.
if ! cmp -s package-lock.json node_modules/.installed-lock; then
    npm ci --no-audit --no-fund
    cp package-lock.json node_modules/.installed-lock
fi

if [ -z "${IMN_BIN:-}" ]; then
    (cd "$root" && cargo build --workspace --bin imn)
    IMN_BIN="${CARGO_TARGET_DIR:-$root/target}/debug/imn"
fi
export IMN_BIN

tests=(tests/browser/*.test.js)
[ $# -eq 0 ] || tests=("${@/#/tests/browser/}")
npm run --silent check >node_modules/.check.log 2>&1 &
check=$!
# Tests wait for servers and timers more than they compute.
failed=0
node --test --test-concurrency=4 --test-reporter=./tests/browser/reporter.js "${tests[@]}" \
    >node_modules/.tests.log || failed=1
if ! wait "$check"; then
    failed=1
    cat node_modules/.check.log
fi
cat node_modules/.tests.log
exit "$failed"
