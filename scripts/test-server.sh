# Sourced by checks of `imn serve`: starts a server on a free port and stops it at the end.
#   . scripts/test-server.sh; start_server [OPTION ...]
# Sets `folder`, a temporary folder, `server`, the process, and `address`. Uses target/debug/imn, or
# the binary that IMN names.
start_server() {
  local binary=${IMN:-target/debug/imn}
  folder=$(mktemp -d)
  "$binary" serve --port 0 --jobs-dir "$folder/jobs" --log-level warn "$@" 2> "$folder/log" &
  server=$!
  trap stop_server EXIT
  until grep -q 'listening on' "$folder/log"; do
    kill -0 "$server" || { cat "$folder/log"; exit 1; }
    sleep 0.1
  done
  address=$(sed -n 's/.*listening on \(http[^ ]*\).*/\1/p' "$folder/log")
}
stop_server() {
  kill "$server" 2> /dev/null || true
  wait "$server" 2> /dev/null || true
  rm -rf "$folder"
}
