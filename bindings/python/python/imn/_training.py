"""`imn.train`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import _imn
from ._types import Path


@dataclass(frozen=True)
class TrainedModel:
    """A trained model.

    `path` is the model file, which `imn.Analyzer` and `imn.evaluate` open. `dev` has the scores of
    the best epoch on the development split, `test` those on the test set, if the configuration
    names one. Both use the metric names of `imn.evaluate`, such as F1-I. `finished_before` says
    whether an earlier run had already trained it.
    """

    path: str
    folder: str
    best_epoch: int
    dev: dict[str, float]
    test: dict[str, float] | None
    finished_before: bool

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dictionary."""
        return dict(vars(self))


def train(
    config: Path | Mapping[str, Any],
    data: Path = ".",
    *,
    set: Mapping[str, Any] | None = None,
    init: Path | None = None,
    out: Path | None = None,
    results: Path | None = None,
    pretrained: Path | None = None,
    test: bool = True,
    threads: int | None = None,
    progress: Callable[[dict[str, Any]], object] | None = None,
) -> TrainedModel:
    """Train a model on annotated sentences, like `imn train`.

    config: a configuration file (TOML), or its contents as a dictionary.
    data: folder that paths in the configuration are relative to.
    set: settings that override those of the configuration, such as {"train.epochs": 40}.
    init: model to start from.
    out: output folder; runs/NAME/SET.seedN if None.
    results: folder to also save the result in.
    pretrained: cache of pre-trained networks.
    test: whether to evaluate on the test set, if the configuration names one.
    progress: called with a dictionary for every event. `event` is 'reading', 'read', 'labelled'
        (by the teacher: `done` of `all` sentences), 'before' (`dev` scores of the model of `init`),
        'started', 'step', 'epoch', 'saved' or 'tested'. An exception that it raises stops the run.

    The same call resumes a run that was stopped, by Ctrl-C for instance, after its last finished
    epoch, and produces the same weights.
    """
    source: Path | dict[str, str]
    if isinstance(config, Mapping):
        source = {"json": json.dumps(_plain(config))}
    else:
        source = config
    overrides = [f"{key}={_toml(value)}" for key, value in (set or {}).items()]
    text = _imn.train(
        source,
        data,
        overrides=overrides,
        init=init,
        out=out,
        results=results,
        pretrained=pretrained,
        test=test,
        threads=threads,
        progress=progress,
    )
    answer = json.loads(text)
    record = answer["record"]
    return TrainedModel(
        path=answer["model"],
        folder=answer["folder"],
        best_epoch=record["best_epoch"],
        dev=record["dev"],
        test=answer["test"],
        finished_before=answer["finished_before"],
    )


def _plain(value: Any) -> Any:
    """A configuration with paths as text and without settings that are None."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _toml(value: Any) -> str:
    """A value as TOML. Tables are written inline."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(_plain(value), ensure_ascii=False)
