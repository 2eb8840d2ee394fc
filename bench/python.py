"""Throughput of the Python package beside that of `imn analyze`, in turns in the same run."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import page
import pyarrow as pa
import pyarrow.parquet as pq
from reviews_text import reviews
from turns import median_seconds

import imn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", help="the command imn")
    parser.add_argument("--rows", type=int, default=100_000, help="reviews [default: %(default)s]")
    parser.add_argument("--rounds", type=int, default=3, help="turns [default: %(default)s]")
    parser.add_argument("--model", default="fast", help="model [default: %(default)s]")
    parser.add_argument("--write", action="store_true", help="put the table into docs/python.md")
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
        seconds = median_seconds(works, options.rounds)

    rates = {name: options.rows / time for name, time in seconds.items()}
    names = list(works)
    peers = {names[1]: names[0], names[3]: names[2]}
    say = page.Printed()
    say(
        f"{options.rows:,} short reviews, model `{options.model}`, {os.cpu_count()} cores, median "
        f"of {options.rounds} turns:"
    )
    say()
    say("| | reviews per second | share of the command |")
    say("|---|---|---|")
    for name in names:
        share = f"{100 * rates[name] / rates[peers[name]]:.0f} %" if name in peers else "–"
        say(f"| {name} | {rates[name]:,.0f} | {share} |")
    if options.write:
        page.write("docs/python.md", "python", say.text())


if __name__ == "__main__":
    main()
