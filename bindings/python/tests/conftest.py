"""Fixtures of all tests."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import imn

ROOT = Path(__file__).resolve().parents[3]

#: Sentences that any usable model gets right.
EASY = "The ramen was wonderful, but our waiter ignored us."


def sentences(count: int, seed: int = 1) -> list[str]:
    """Short reviews from words of our own, some with characters outside ASCII."""
    draw = random.Random(seed)
    things = ["ramen", "waiter", "screen", "battery", "crème brûlée", "café", "keyboard", "room"]
    words = ["wonderful", "awful", "slow", "great", "cold", "superb", "noisy", "fine", "rude"]
    openings = ["The", "Our", "Their", "🍜 The", "I think the"]
    texts = []
    for _ in range(count):
        first, second = draw.sample(things, 2)
        good, bad = draw.sample(words, 2)
        texts.append(f"{draw.choice(openings)} {first} was {good}, but the {second} was {bad}.")
    return texts


@pytest.fixture(scope="session")
def analyzer() -> imn.Analyzer:
    return imn.Analyzer()


@pytest.fixture(scope="session")
def command() -> Callable[..., str]:
    """Runs the command line of the same build."""
    binary = os.environ.get("IMN_BIN")
    if not binary:
        pytest.fail("IMN_BIN does not name the binary imn (see scripts/python-tests.sh)")

    def run(*arguments: object, check: bool = True, stderr: bool = False) -> str:
        done = subprocess.run(
            [binary, *map(str, arguments)], capture_output=True, text=True, check=False
        )
        if check and done.returncode > 1:
            raise AssertionError(done.stderr)
        return done.stderr if stderr else done.stdout

    return run
