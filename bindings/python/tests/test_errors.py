"""Bad input raises typed exceptions with the words of the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import imn
from imn import _imn


def test_models_that_cannot_be_opened(command: Callable[..., str], tmp_path: Path) -> None:
    empty = tmp_path / "empty.imn"
    empty.write_bytes(b"")
    for model in ["nowhere.imn", str(empty)]:
        with pytest.raises(imn.ModelError) as error:
            imn.Analyzer(model)
        printed = command("analyze", "--model", model, "x", check=False, stderr=True)
        assert printed == f"imn: {error.value}\n"
    with pytest.raises(imn.ModelError, match="no annotation scheme `topics`"):
        imn.Analyzer(scheme="topics")
    assert issubclass(imn.ModelError, imn.Error)


def test_values_out_of_range() -> None:
    for threads in [0, -1, 1025, 100_000]:
        with pytest.raises(ValueError, match=f"from 1 to 1024, not {threads}"):
            imn.Analyzer(threads=threads)
    with pytest.raises(ValueError, match="from 1 to 1024"):
        imn.train({}, threads=1025)
    with pytest.raises(ValueError, match="0 to 1"):
        imn.Analyzer(min_confidence=1.5)
    with pytest.raises(ValueError, match="jsonl"):
        imn.score("a", "b", format="docx")


@pytest.mark.parametrize("text", [None, 3, b"bytes", ["list"]])
def test_only_str_is_text(analyzer: imn.Analyzer, text: Any) -> None:
    with pytest.raises(TypeError):
        analyzer.analyze(text)
    with pytest.raises(TypeError):
        analyzer.explain(text)
    with pytest.raises(TypeError, match="text 2: expected str"):
        analyzer.analyze_many(["fine", text])


def test_one_text_is_not_many(analyzer: imn.Analyzer) -> None:
    with pytest.raises(TypeError, match="not a str"):
        analyzer.analyze_many("Great ramen!")
    with pytest.raises(TypeError):
        analyzer.analyze_many(5)  # type: ignore[arg-type]


def test_texts_that_are_too_long_or_not_unicode() -> None:
    short = imn.Analyzer(max_bytes=10)
    with pytest.raises(imn.DataError, match="longer than 10 bytes, the limit for a row"):
        short.analyze("A text of more than ten bytes.")
    with pytest.raises(imn.DataError, match="text 2: longer than 10 bytes"):
        short.analyze_many(["fine", "A text of more than ten bytes."])
    with pytest.raises(UnicodeEncodeError):
        short.analyze("\ud800")


def test_unknown_precision() -> None:
    with pytest.raises(ValueError, match='precision: expected "f32", "bf16", "int8"'):
        imn.Analyzer(precision="f16")


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_another_precision_gives_the_same_terms(precision: str) -> None:
    text = "The ramen was wonderful, but our waiter ignored us."
    exact = imn.Analyzer(precision="f32").analyze(text)
    try:
        rounded = imn.Analyzer(precision=precision)
    except imn.ModelError as error:
        assert precision == "bf16" and "AVX512-BF16" in str(error)
        return
    found = rounded.analyze(text)
    assert [aspect.term for aspect in found.aspects] == [aspect.term for aspect in exact.aspects]
    assert found.to_dict() != exact.to_dict(), "confidences differ in the last digits"


def test_strange_texts_are_fine(analyzer: imn.Analyzer) -> None:
    for text in ["", " ", "\0", "\u202e", "🍜" * 500, "a" * 5000, "\n\n\n", "é\u0301" * 50]:
        review = analyzer.analyze(text)
        assert review.text == text
        terms: list[imn.Aspect | imn.Opinion] = [*review.aspects, *review.opinions]
        for term in terms:
            assert text[term.start : term.end] == term.term


def test_an_exception_of_the_iterable_is_raised(analyzer: imn.Analyzer) -> None:
    def broken() -> Any:
        yield "fine"
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        analyzer.analyze_many(broken())


def test_a_panic_is_an_exception() -> None:
    with pytest.raises(imn.InternalError, match="a panic for tests"):
        _imn._panic_for_tests()


def test_data_that_cannot_be_read(command: Callable[..., str], tmp_path: Path) -> None:
    bikes = ROOT / "examples/bikes"
    missing = tmp_path / "missing.jsonl"
    with pytest.raises(imn.DataError) as error:
        imn.score(bikes / "test.jsonl", missing)
    printed = command("score", bikes / "test.jsonl", missing, check=False, stderr=True)
    assert printed == f"imn: {error.value}\n"
    with pytest.raises(imn.DataError) as error:
        imn.score(bikes / "test.jsonl", bikes / "train.jsonl")
    arguments = ["score", bikes / "test.jsonl", bikes / "train.jsonl"]
    assert command(*arguments, check=False, stderr=True) == f"imn: {error.value}\n"
    with pytest.raises(imn.DataError, match="missing.jsonl"):
        imn.evaluate("reviews", missing)


def test_configurations_that_are_wrong(command: Callable[..., str], tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('name = "x"\n[data]\ntrain = "a"\ntets = 3\n')
    for path in [bad, tmp_path / "missing.toml"]:
        with pytest.raises(imn.ConfigError) as error:
            imn.train(path, tmp_path)
        printed = command("train", "--config", path, check=False, stderr=True)
        assert printed == f"imn: {error.value}\n"
    with pytest.raises(imn.ConfigError, match="missing field `data`"):
        imn.train({"name": "x"}, tmp_path)
    with pytest.raises(imn.DataError, match="bikes.toml.*train.jsonl"):
        imn.train(ROOT / "examples/bikes/bikes.toml", tmp_path, out=tmp_path / "out")
