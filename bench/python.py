"""Throughput of the Python package beside that of `imn analyze`, in turns in the same run."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from reviews_text import reviews
from written import write

import imn


def fastest() -> str:
    """The built-in model that is made for throughput, if there is one."""
    names = [model["name"] for model in imn.models()]
    return "fast" if "fast" in names else names[0]


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", help="the command imn")
    parser.add_argument("--rows", type=int, default=100_000, help="reviews [default: %(default)s]")
    parser.add_argument("--rounds", type=int, default=3, help="turns [default: %(default)s]")
    parser.add_argument("--model", default=fastest(), help="model [default: %(default)s]")
    parser.add_argument("--write", metavar="DOCUMENT", help="put the table into a document")
    options = parser.parse_args()

    texts = reviews(options.rows)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in.txt").write_text("\n".join(texts) + "\n")
        table = pa.table({"text": texts})
        pq.write_table(table, folder / "in.parquet")

        def command(source: str, target: str) -> None:
            arguments = ["analyze", folder / source, "--out", folder / target, "--force", "--quiet"]
            subprocess.run([options.binary, *arguments, "--model", options.model], check=True)

        def many() -> None:
            assert len(imn.Analyzer(options.model).analyze_many(texts)) == options.rows

        def arrow() -> None:
            stream = imn.Analyzer(options.model).analyze_arrow(table, "text")
            assert pa.table(stream).num_rows == options.rows

        # Every work opens the model and analyses all texts.
        works: dict[str, Callable[[], object]] = {
            "`imn analyze`, text to JSONL": lambda: command("in.txt", "out.jsonl"),
            "`analyze_many`, list to list": many,
            "`imn analyze`, Parquet to Parquet": lambda: command("in.parquet", "out.parquet"),
            "`analyze_arrow`, table to table": arrow,
        }
        seconds: dict[str, list[float]] = {name: [] for name in works}
        for turn in range(options.rounds):
            order = list(works) if turn % 2 == 0 else list(works)[::-1]
            for name in order:
                seconds[name].append(timed(works[name]))
                print(f"turn {turn + 1}: {name}: {seconds[name][-1]:.2f} s", file=sys.stderr)

    rates = {name: options.rows / statistics.median(times) for name, times in seconds.items()}
    names = list(works)
    peers = {names[1]: names[0], names[3]: names[2]}
    lines = [
        f"{options.rows:,} short reviews, model `{options.model}`, {os.cpu_count()} cores, median "
        f"of {options.rounds} turns:",
        "",
        "| | reviews per second | share of the command |",
        "|---|---|---|",
    ]
    for name in names:
        share = f"{100 * rates[name] / rates[peers[name]]:.0f} %" if name in peers else "–"
        lines.append(f"| {name} | {rates[name]:,.0f} | {share} |")
    print("\n".join(lines))
    if options.write:
        write(options.write, "bench/python.sh", "\n".join(lines))


if __name__ == "__main__":
    main()
