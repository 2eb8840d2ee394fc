"""The type stubs are complete and agree with the package."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from conftest import ROOT

import imn
from imn import _imn

PACKAGE = Path(imn.__file__).parent
TESTS = Path(__file__).parent


def mypy(*arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        capture_output=True, text=True, check=False, cwd=ROOT / "bindings/python",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_mypy_accepts_package_tests_and_example() -> None:
    cache = ROOT / "target/mypy-cache"
    example = ROOT / "examples/spark_reviews.py"
    mypy("mypy", "--cache-dir", cache, "-p", "imn")
    mypy("mypy", "--cache-dir", cache, TESTS, example)


def test_stubs_have_the_signatures_of_the_package() -> None:
    mypy("mypy.stubtest", "imn._imn", "--ignore-disjoint-bases")
    assert (PACKAGE / "py.typed").exists()


def test_stubs_name_everything_in_the_native_module() -> None:
    tree = ast.parse((PACKAGE / "_imn.pyi").read_text())
    stubbed = {
        node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))
    }
    native = {name for name in dir(_imn) if not name.startswith("__")}
    assert native <= stubbed, native - stubbed
