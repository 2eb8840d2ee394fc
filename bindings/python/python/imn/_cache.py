"""One analyzer per model and process, for the expressions of Polars and the tasks of Spark."""

from __future__ import annotations

import os
from functools import lru_cache

from ._imn import Analyzer


def analyzer(
    model: str | os.PathLike[str] | None,
    *,
    scheme: str | None = None,
    threads: int | None = None,
    min_confidence: float = 0.0,
    max_bytes: int = 1 << 20,
    precision: str | None = None,
) -> Analyzer:
    """An analyzer with these settings. The second call returns the one of the first."""
    name = None if model is None else os.fspath(model)
    return _open(name, scheme, threads, min_confidence, max_bytes, precision)


@lru_cache(maxsize=4)
def _open(
    model: str | None,
    scheme: str | None,
    threads: int | None,
    min_confidence: float,
    max_bytes: int,
    precision: str | None,
) -> Analyzer:
    return Analyzer(
        model,
        scheme=scheme,
        threads=threads,
        min_confidence=min_confidence,
        max_bytes=max_bytes,
        precision=precision,
    )
