"""The examples of docstrings and documents."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from conftest import ROOT

import imn
import imn.polars

FENCE = re.compile(r"^```python\n(.*?)^```(?:\n+```text\n(.*?)^```)?", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("module", [imn, imn.polars])
def test_docstrings(module: object) -> None:
    finder = doctest.DocTestFinder()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    examples = 0
    for test in finder.find(module, module.__name__):  # type: ignore[attr-defined]
        runner.run(test)
        examples += len(test.examples)
    assert runner.summarize(verbose=False).failed == 0
    assert examples >= (15 if module is imn else 4)


def test_everything_public_has_a_docstring() -> None:
    missing = [
        f"{name}.{member}"
        for name, value in vars(imn).items()
        if name in imn.__all__ and isinstance(value, type) and hasattr(imn._imn, name)
        for member in vars(value)
        if not member.startswith("_") and getattr(value, member).__doc__ is None
    ]
    assert missing == []
    assert all(getattr(imn, name).__doc__ for name in imn.__all__)


@pytest.mark.parametrize("document", ["docs/python.md", "README.md", "bindings/python/README.md"])
def test_examples_of_documents(
    document: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The Python blocks of a document run one after the other, and print what the text block after
    them says. Numbers may differ, because they depend on the model."""
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = FENCE.findall(text)
    assert blocks, document
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "example"}
    for code, expected in blocks:
        if "pyspark" in code or "imn.spark" in code:
            continue  # tests/test_spark.py runs these
        exec(compile(code, document, "exec"), names)
        printed = capsys.readouterr().out
        if expected:
            assert without_numbers(printed) == without_numbers(expected), code


def without_numbers(text: str) -> str:
    return re.sub(r"\d+(\.\d+)?", "N", text).strip()
