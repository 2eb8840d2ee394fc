"""`imn.train`, `imn.evaluate` and `imn.score` do what the commands do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import imn

BIKES = ROOT / "examples/bikes"
QUICK = {"train.epochs": 3, "vectors.dimensions": 8, "model.encoder": {"cnn": {"filters": 8}}}
QUICK_FLAGS = [
    "--set", "train.epochs=3", "--set", "vectors.dimensions=8",
    "--set", "model.encoder={cnn = {filters = 8}}",
]  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[imn.TrainedModel, list[Any]]:
    events: list[Any] = []
    out = tmp_path_factory.mktemp("runs") / "bikes"
    model = imn.train(BIKES / "bikes.toml", BIKES, set=QUICK, out=out, progress=events.append)
    return model, events


def test_a_model_is_trained_with_events(
    trained: tuple[imn.TrainedModel, list[Any]], command: Callable[..., str], tmp_path: Path
) -> None:
    model, events = trained
    kinds = [event["event"] for event in events]
    assert kinds[:3] == ["reading", "read", "started"] and kinds[-2:] == ["saved", "tested"]
    assert kinds.count("epoch") == 3 and "step" in kinds
    assert not model.finished_before and model.test is not None
    assert model.dev.keys() >= {"F1-a", "F1-I", "acc-s"} and model.test.keys() == model.dev.keys()
    again = imn.train(BIKES / "bikes.toml", BIKES, set=QUICK, out=model.folder)
    assert again.finished_before and again.dev == model.dev and again.test == model.test
    # The command ends with the same bytes.
    command(
        "train", "--config", BIKES / "bikes.toml", "--data", BIKES, "--out", tmp_path / "run",
        "--quiet", *QUICK_FLAGS,
    )  # fmt: skip
    assert (tmp_path / "run/model.imn").read_bytes() == Path(model.path).read_bytes()
    assert imn.Analyzer(model.path).analyze("The gears are smooth.").text


def test_a_dictionary_is_a_configuration(tmp_path: Path) -> None:
    config = {
        "name": "small",
        "data": {"train": "train.jsonl", "test": None},
        "vectors": {"dimensions": 4},
        "model": {
            "messages": "aspect",
            "documents": "none",
            "encoder": {"cnn": {"filters": 4}},
        },
        "train": {"epochs": 1},
    }
    model = imn.train(config, BIKES, out=tmp_path / "run")
    assert model.best_epoch == 1 and model.test is None
    assert imn.Analyzer(Path(model.path)).info.description == "`small`"


def test_an_exception_stops_a_run_which_can_be_resumed(tmp_path: Path) -> None:
    def stop(event: dict[str, Any]) -> None:
        if event["event"] == "epoch" and event["epoch"] == 2:
            raise KeyboardInterrupt

    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        imn.train(BIKES / "bikes.toml", BIKES, set=QUICK, out=out, progress=stop)
    assert (out / "checkpoint").exists() and not (out / "model.imn").exists()
    events: list[Any] = []
    imn.train(BIKES / "bikes.toml", BIKES, set=QUICK, out=out, progress=events.append)
    started = next(event for event in events if event["event"] == "started")
    assert started["done"] >= 1


def test_scores_are_those_of_the_commands(
    trained: tuple[imn.TrainedModel, list[Any]], command: Callable[..., str], tmp_path: Path
) -> None:
    model = trained[0].path
    gold, predicted = BIKES / "test.jsonl", tmp_path / "predicted.jsonl"
    arguments = ["evaluate", model, gold, "--json", "--resamples", 50]
    printed = json.loads(command(*arguments, "--write", predicted))
    evaluation = imn.evaluate(model, gold, resamples=50)
    assert evaluation.metrics.keys() == (trained[0].test or {}).keys()
    assert evaluation.to_dict() == printed
    assert evaluation.metrics.keys() >= {"F1-a", "F1-I"}
    report = imn.score(gold, predicted, resamples=50)
    assert report.to_dict() == json.loads(
        command("score", gold, predicted, "--json", "--resamples", 50)
    )
    assert report.metrics == evaluation.metrics
    compared = imn.score(gold, [predicted], other=gold, resamples=20)
    assert compared.paired_test is not None and compared.t_test is None
    over_runs = imn.score(gold, [predicted, gold], other=[gold, predicted], resamples=0)
    assert over_runs.t_test is not None and len(over_runs.runs) == 2
    with pytest.raises(imn.DataError, match="cannot compare one run with several"):
        imn.score(gold, predicted, other=[gold, gold], resamples=0)


def test_warnings_about_data(tmp_path: Path) -> None:
    raw = tmp_path / "raw.jsonl"
    raw.write_text('{"text": "Great ramen!"}\n')
    with pytest.warns(UserWarning, match="no sentence has the field"):
        imn.score(raw, raw, resamples=0)
