"""`imn.evaluate` and `imn.score`."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import _imn
from ._types import Path


@dataclass(frozen=True)
class RunScores:
    """Scores of one file of predictions, or of one model, in percent.

    `metrics` has one value per metric: F1-a, F1-o, acc-s, F1-s, macro-F1-s and F1-I.
    """

    file: str
    metrics: dict[str, float]
    counts: dict[str, Any]
    scores: dict[str, Any]
    intervals: dict[str, dict[str, float]]

    @classmethod
    def _of(cls, run: dict[str, Any], metrics: dict[str, float]) -> RunScores:
        return cls(run["file"], metrics, run["counts"], run["scores"], run["intervals"])


@dataclass(frozen=True)
class Evaluation:
    """Scores of a model on annotated sentences.

    `calibration` has the expected calibration errors. `pairing` and `triplets` are scores of the
    links between opinions and aspects, if the data has links.
    """

    run: RunScores
    calibration: dict[str, float | None]
    pairing: list[dict[str, Any]]
    triplets: dict[str, Any] | None
    _report: dict[str, Any]

    @property
    def metrics(self) -> dict[str, float]:
        """One value per metric, in percent: F1-a, F1-o, acc-s, F1-s, macro-F1-s and F1-I."""
        return self.run.metrics

    def to_dict(self) -> dict[str, Any]:
        """What `imn evaluate --json` prints."""
        return self._report

    def __repr__(self) -> str:
        return f"Evaluation({_shown(self.metrics)})"


@dataclass(frozen=True)
class ScoreReport:
    """Scores of the predictions of one or two systems.

    `runs` has one entry per file. `paired_test` compares two systems with one run each, `t_test`
    two systems with several.
    """

    runs: list[RunScores]
    paired_test: list[dict[str, Any]] | None
    t_test: list[dict[str, Any]] | None
    _report: dict[str, Any]

    @property
    def metrics(self) -> dict[str, float]:
        """One value per metric of the first run, in percent."""
        return self.runs[0].metrics

    def to_dict(self) -> dict[str, Any]:
        """What `imn score --json` prints."""
        return self._report

    def __repr__(self) -> str:
        return f"ScoreReport({', '.join(_shown(run.metrics) for run in self.runs)})"


def _shown(metrics: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in metrics.items())


def evaluate(
    model: Path,
    data: Path,
    *,
    scheme: str | None = None,
    format: str | None = None,
    resamples: int = 2000,
    level: float = 95.0,
    seed: int = 1,
    threads: int | None = None,
) -> Evaluation:
    """Score a model on annotated sentences, like `imn evaluate`.

    model: name of a built-in model, or path of a model file.
    data: annotated sentences, a file in any format or a four-file folder.
    scheme: annotation scheme of the data, if the model has several.
    format: format of the data; detected if None.
    resamples: bootstrap resamples of the confidence intervals; 0 for none.
    level: level of the intervals, in percent.
    """
    text = _imn.evaluate(
        model,
        data,
        scheme=scheme,
        format=format,
        resamples=resamples,
        level=level,
        seed=seed,
        threads=threads,
    )
    answer = json.loads(text)
    report = answer["report"]
    return Evaluation(
        run=RunScores._of(report, answer["metrics"]),
        calibration=report["calibration"],
        pairing=report.get("pairing", []),
        triplets=report.get("triplets"),
        _report=report,
    )


def score(
    gold: Path,
    predicted: Path | Sequence[Path],
    *,
    other: Path | Sequence[Path] = (),
    gold_format: str | None = None,
    format: str | None = None,
    resamples: int = 2000,
    level: float = 95.0,
    seed: int = 1,
    welch: bool = False,
    threads: int | None = None,
) -> ScoreReport:
    """Score predictions against gold annotations, and compare two systems, like `imn score`.

    gold: gold annotations, a file in any format or a four-file folder.
    predicted: predictions; several files are several runs of one system.
    other: predictions of a second system to compare with.
    welch: use Welch's t-test over runs (unequal variances) instead of Student's.
    """
    text = _imn.score(
        gold,
        _files(predicted),
        other=_files(other),
        gold_format=gold_format,
        format=format,
        resamples=resamples,
        level=level,
        seed=seed,
        welch=welch,
        threads=threads,
    )
    answer = json.loads(text)
    report = answer["report"]
    pairs = zip(report["system"]["runs"], answer["metrics"], strict=True)
    return ScoreReport(
        runs=[RunScores._of(run, metrics) for run, metrics in pairs],
        paired_test=report.get("paired_test"),
        t_test=report.get("t_test"),
        _report=report,
    )


def _files(paths: Path | Sequence[Path]) -> list[Path]:
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
