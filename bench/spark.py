"""Throughput of `imn.spark` on local[2] beside that of `imn analyze`, and memory per worker."""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import page
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from reviews_text import reviews
from turns import median_seconds, timed

import imn.spark

#: Reviews of the worked example.
BILLION = 1_000_000_000
#: Cores of the worked example.
CLUSTER_CORES = 512


def peak_megabytes() -> tuple[float, float]:
    """Peak memory of the largest Python worker and of the JVM that this program started."""
    parents: dict[int, int] = {}
    peaks: dict[int, tuple[str, float]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace")
            status = (folder / "status").read_text()
        except OSError:
            continue
        parent = re.search(r"PPid:\s+(\d+)", status)
        peak = re.search(r"VmHWM:\s+(\d+) kB", status)
        if parent and peak:
            parents[int(folder.name)] = int(parent[1])
            peaks[int(folder.name)] = (command, int(peak[1]) / 1000)

    def is_ours(process: int) -> bool:
        while process in parents and process != os.getpid():
            process = parents[process]
        return process == os.getpid()

    ours = [peak for process, peak in peaks.items() if is_ours(process)]
    workers = [peak for command, peak in ours if "pyspark.daemon" in command]
    machines = [peak for command, peak in ours if "SparkSubmit" in command]
    return max(workers, default=0.0), max(machines, default=0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", help="the command imn")
    parser.add_argument("--rows", type=int, default=100_000, help="reviews [default: %(default)s]")
    parser.add_argument("--rounds", type=int, default=3, help="turns [default: %(default)s]")
    parser.add_argument("--partitions", type=int, default=16, help="[default: %(default)s]")
    parser.add_argument("--model", default="fast", help="model [default: %(default)s]")
    parser.add_argument("--write", action="store_true", help="put the table into docs/scale.md")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = reviews(options.rows)
        pq.write_table(pa.table({"id": range(options.rows), "text": texts}), folder / "in.parquet")
        spark = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.memory", "2g")
            .config("spark.log.level", "ERROR")
            .getOrCreate()
        )
        rows = spark.read.parquet(str(folder / "in.parquet")).repartition(options.partitions)
        rows.write.parquet(str(folder / "in"))

        def command(threads: int) -> None:
            arguments = [folder / "in.parquet", "--out", folder / "out.parquet", "--force"]
            subprocess.run(
                [options.binary, "analyze", *arguments, "--quiet", "--model", options.model,
                 "--threads", str(threads)],
                check=True,
            )  # fmt: skip

        def job() -> None:
            frame = spark.read.parquet(str(folder / "in"))
            analyzed = imn.spark.analyze(frame, model=options.model)
            analyzed.write.mode("overwrite").parquet(str(folder / "out"))

        first = timed(job)
        print(f"first job, with the start of Python workers: {first:.2f} s", file=sys.stderr)
        works: dict[str, Callable[[], object]] = {
            "command": lambda: command(2),
            "spark": job,
            "one thread": lambda: command(1),
        }
        seconds = median_seconds(works, options.rounds)
        assert spark.read.parquet(str(folder / "out")).count() == options.rows
        worker, machine = peak_megabytes()
        spark.stop()

    rates = {name: options.rows / time for name, time in seconds.items()}
    per_core = rates["spark"] / 2
    hours = BILLION / (per_core * CLUSTER_CORES) / 3600
    cores = math.ceil(BILLION / (per_core * 3600 * 8))
    lines = [
        f"Measured, {options.rows:,} short reviews, model `{options.model}`, two cores, median of "
        f"{options.rounds} turns after a first job:",
        "",
        "| | reviews per second | share of the command |",
        "|---|---|---|",
        f"| `imn analyze`, two threads | {rates['command']:,.0f} | – |",
        f"| `imn.spark`, `local[2]` | {rates['spark']:,.0f} | "
        f"{100 * rates['spark'] / rates['command']:.0f} % |",
        f"| `imn analyze`, one thread | {rates['one thread']:,.0f} | – |",
        "",
        f"- Rate per core in Spark: {per_core:,.0f} reviews per second.",
        f"- Peak memory of a Python worker: {worker:,.0f} MB; of the JVM with driver and executor: "
        f"{machine:,.0f} MB.",
        f"- First job, with the start of Python workers and models: {first:.1f} s.",
        "",
        f"Extrapolated from the rate per core, for {BILLION:,} reviews of this length:",
        "",
        f"- {CLUSTER_CORES} cores take {hours:.1f} hours.",
        f"- A job of eight hours needs {cores:,} cores.",
        f"- Python workers on a machine with 16 cores need {16 * worker / 1000:.1f} GB beside the "
        "memory of the executor.",
    ]
    say = page.Printed()
    for line in lines:
        say(line)
    if options.write:
        page.write("docs/scale.md", "spark", say.text())


if __name__ == "__main__":
    main()
