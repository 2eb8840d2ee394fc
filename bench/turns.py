"""Times several pieces of work in turns, so that all of them meet the same disturbances."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def median_seconds(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median time of each; nobody is always the first."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(rounds):
        for name in list(works)[:: 1 if turn % 2 == 0 else -1]:
            seconds[name].append(timed(works[name]))
            print(f"turn {turn + 1}: {name}: {seconds[name][-1]:.2f} s", file=sys.stderr)
    return {name: statistics.median(times) for name, times in seconds.items()}
