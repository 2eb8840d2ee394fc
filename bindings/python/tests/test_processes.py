"""Threads, forked processes and Ctrl-C."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from conftest import EASY, ROOT, sentences

import imn

INTERRUPTED = """
import sys, time, imn
{setup}
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted", flush=True)
else:
    print("finished", flush=True)
"""


def interrupt(setup: str, work: str) -> tuple[str, float]:
    """What a program prints that is interrupted a moment after it is ready, and how long it took
    to react."""
    program = INTERRUPTED.format(setup=setup, work=work)
    arguments = [sys.executable, "-c", program]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(1.0)
            process.send_signal(signal.SIGINT)
            start = time.monotonic()
            rest = process.stdout.read()
            return rest, time.monotonic() - start
        finally:
            process.kill()


ENDLESS = "def endless():\n    while True:\n        yield 'The ramen was great.'"


def test_ctrl_c_interrupts_many_texts() -> None:
    printed, seconds = interrupt(
        f"analyzer = imn.Analyzer()\n{ENDLESS}", "analyzer.analyze_many(endless())"
    )
    assert printed == "interrupted\n" and seconds < 20


def test_ctrl_c_interrupts_long_texts() -> None:
    # Each would take a minute or more.
    long = "'The ramen was great, but our waiter was rude. ' * {}"
    for work in [
        f"analyzer.analyze({long.format(20000)})",
        f"analyzer.explain({long.format(20000)})",
        f"analyzer.analyze_many([{long.format(40)}] * 4000)",
    ]:
        printed, seconds = interrupt("analyzer = imn.Analyzer()", work)
        assert printed == "interrupted\n" and seconds < 20, work


def test_long_texts_have_the_analyses_of_their_command(
    analyzer: imn.Analyzer, command: Callable[..., str]
) -> None:
    # More than one step of the analysis.
    text = " ".join(sentences(600))
    printed = json.loads(command("analyze", "--to", "jsonl", "--offsets", "chars", "--text", text))
    review = analyzer.analyze(text)
    assert [aspect.start for aspect in review.aspects] == [
        aspect["start"] for aspect in printed["aspects"]
    ]
    assert analyzer.analyze_many([text, EASY]) == [review, analyzer.analyze(EASY)]


def test_ctrl_c_interrupts_arrow() -> None:
    # A consumer raises an exception of its own, and the interrupt follows.
    setup = """
import pyarrow as pa
analyzer = imn.Analyzer()
table = pa.table({'text': ['The ramen was great.'] * 1000000})
def read():
    try:
        pa.table(analyzer.analyze_arrow(table))
    except pa.ArrowException as error:
        assert "KeyboardInterrupt" in str(error)
        time.sleep(60)
"""
    printed, seconds = interrupt(setup, "read()")
    assert printed == "interrupted\n" and seconds < 20


def test_ctrl_c_interrupts_training(tmp_path: object) -> None:
    bikes = ROOT / "examples/bikes"
    setup = f"bikes = {str(bikes)!r}"
    work = (
        f"imn.train(bikes + '/bikes.toml', bikes, set={{'train.epochs': 100000}}, "
        f"out={str(tmp_path)!r} + '/run')"
    )
    printed, seconds = interrupt(setup, work)
    assert printed == "interrupted\n" and seconds < 20


def test_the_interpreter_is_free_during_an_analysis(analyzer: imn.Analyzer) -> None:
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.monotonic()
    analyzer.analyze_many(sentences(500))
    elapsed = time.monotonic() - started
    done.set()
    thread.join()
    # Without the lock, the thread ticks all the time. A busy machine wakes it late.
    assert ticks > elapsed / 0.005 / 20


def test_threads_share_an_analyzer(analyzer: imn.Analyzer) -> None:
    expected = analyzer.analyze_many(sentences(50))
    results: list[list[imn.Review]] = []
    threads = [
        threading.Thread(target=lambda: results.append(analyzer.analyze_many(sentences(50))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


ANALYZER: imn.Analyzer | None = None


def terms(text: str) -> tuple[int, list[str]]:
    assert ANALYZER is not None
    return os.getpid(), [aspect.term for aspect in ANALYZER.analyze(text).aspects]


def test_forked_processes_have_threads_of_their_own(analyzer: imn.Analyzer) -> None:
    global ANALYZER
    ANALYZER = analyzer
    analyzer.analyze(EASY)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(terms, [EASY] * 4).get(timeout=120)
    assert {tuple(words) for _, words in found} == {("ramen", "waiter")}
    assert os.getpid() not in {process for process, _ in found}
