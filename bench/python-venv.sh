# Sourced by the benchmarks of the Python package: builds the command and the wheel, and installs
# the wheel with the pinned packages. Sets `venv` and `binary`.
target=${CARGO_TARGET_DIR:-$PWD/target}
venv=$target/bench-python-venv
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check \
  -r bindings/python/requirements-test.txt
cargo build --quiet --release --workspace --bin imn
binary=$target/release/imn
# IMN_WHEEL names a wheel that exists already.
wheel=${IMN_WHEEL:-}
if [ -z "$wheel" ]; then
  scripts/wheel.sh "$target/wheels" "$venv/bin/maturin" >&2
  wheel=$(echo "$target"/wheels/imn-*.whl)
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheel"
