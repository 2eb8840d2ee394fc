"""Load test on loopback: `imn serve` and FastAPI with onnxruntime.

Both serve the same network and get the same sentences, one per request, from the same load
generator (crates/imn-server/examples/load.rs), at 1, 32 and 256 connections. They take turns, so
that both meet the same disturbances; the table has the median of the turns.
"""

import argparse
import json
import os
import pathlib
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import torch

import page
from analyze import (
    Reader,
    Rust,
    generated,
    network_of,
    onnx_session,
    progress,
    texts_of,
    vocabulary,
)

CONNECTIONS = (1, 32, 256)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        if process.poll() is not None:
            sys.exit(f"a server ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit("a server does not listen")


def word_numbers(model):
    """The words of a model file, and the number of a word that it does not have."""
    words = vocabulary(model)
    return {
        "words": words,
        "unknown": next((i for i, word in enumerate(words) if "unk" in word.lower()), 1),
    }


class Side:
    def __init__(self, command, port):
        self.port = port
        self.process = subprocess.Popen([str(part) for part in command], stderr=subprocess.DEVNULL)
        wait_for(port, self.process)

    def memory(self):
        """Resident megabytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1e3

    def stop(self):
        self.process.terminate()
        self.process.wait()


def load(folder, port, bodies, connections, seconds):
    command = [folder / "examples/load", f"127.0.0.1:{port}", bodies, connections, seconds]
    return json.loads(
        subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, check=True
        ).stdout
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder", type=pathlib.Path, help="where the binaries were built, target/release"
    )
    parser.add_argument(
        "--model",
        default="models/fast.imn",
        help="a model file; its network must be a CNN (default: %(default)s)",
    )
    parser.add_argument(
        "--write", action="store_true", help="also put the table into docs/serve.md"
    )
    parser.add_argument(
        "--data",
        help="folder with aspect/*/*/sentence.txt (default: $IMN_DATA, else generated sentences)",
        default=os.environ.get("IMN_DATA"),
    )
    parser.add_argument(
        "--seconds", type=float, default=10, help="time of a turn (default: %(default)s)"
    )
    parser.add_argument(
        "--turns", type=int, default=3, help="turns of each side (default: %(default)s)"
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=os.cpu_count(),
        help="threads of each side (default: all cores)",
    )
    options = parser.parse_args()
    random.seed(1)
    texts = texts_of(options.data) if options.data else generated(options.model)
    random.shuffle(texts)
    texts = texts[:5000]
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as temporary:
        temporary = pathlib.Path(temporary)
        (temporary / "texts").write_text("\n".join(texts), encoding="utf-8")
        bodies = temporary / "bodies"
        bodies.write_text(
            "\n".join(json.dumps({"inputs": text}) for text in texts), encoding="utf-8"
        )
        rust = Rust(options.folder, options.model, temporary / "texts")
        rust.ask("export", temporary)
        _, _, network = network_of(temporary)
        progress("exporting the network for onnxruntime")
        torch.set_num_threads(options.threads)
        onnx_session(Reader(network).eval(), temporary, options.threads)
        (temporary / "vocabulary.json").write_text(json.dumps(word_numbers(options.model)))
        ports = free_port(), free_port()
        here = pathlib.Path(__file__).parent
        sides = {
            "imn serve": Side(
                [
                    options.folder / "imn",
                    "serve",
                    "--port",
                    ports[0],
                    "--threads",
                    options.threads,
                    "--log-level",
                    "warn",
                    "--model",
                    options.model,
                    "--jobs-dir",
                    temporary / "jobs",
                ],
                ports[0],
            ),
            "FastAPI, onnxruntime": Side(
                [sys.executable, here / "serve_peer.py", temporary, ports[1], options.threads],
                ports[1],
            ),
        }
        results = {(name, connections): [] for name in sides for connections in CONNECTIONS}
        try:
            for side in sides.values():
                load(options.folder, side.port, bodies, 8, 1)
            for turn in range(options.turns):
                for connections in CONNECTIONS:
                    # Nobody is always the first.
                    for name, side in list(sides.items())[:: 1 if turn % 2 == 0 else -1]:
                        progress(
                            f"turn {turn + 1} of {options.turns}: {name}, {connections} connections"
                        )
                        results[name, connections].append(
                            load(options.folder, side.port, bodies, connections, options.seconds)
                        )
            memory = {name: side.memory() for name, side in sides.items()}
        finally:
            for side in sides.values():
                side.stop()
    say = page.Printed()
    say(f"{len(texts)} sentences, one per request; {options.threads} threads each; the load")
    say(f"generator runs on the same cores; load before the run: {before:.1f}.")
    say()
    say(
        "| connections | server | requests per second | imn's / its | p50 ms | p95 | p99 "
        "| imn's p99 / its | not 200 |"
    )
    say("|---|---|---|---|---|---|---|---|---|")
    for connections in CONNECTIONS:
        ours = results["imn serve", connections]
        for name in sides:
            turns = results[name, connections]
            rate = statistics.median(turn["per_second"] for turn in turns)
            times = [
                statistics.median(turn["ok"][key] for turn in turns if turn["ok"])
                for key in ("p50", "p95", "p99")
            ]
            bad = sum(
                count
                for turn in turns
                for status, count in turn["statuses"].items()
                if status != "200"
            )
            faster = shorter = "–"
            if name != "imn serve":
                pairs = [(a, b) for a, b in zip(ours, turns) if a["ok"] and b["ok"]]
                ratio = statistics.median(a["per_second"] / b["per_second"] for a, b in pairs)
                faster = f"{ratio:.2f}"
                ratio = statistics.median(a["ok"]["p99"] / b["ok"]["p99"] for a, b in pairs)
                shorter = f"{ratio:.2f}"
            say(
                f"| {connections} | {name} | {rate:.0f} | {faster} | {times[0]:.1f} "
                f"| {times[1]:.1f} | {times[2]:.1f} | {shorter} | {bad} |"
            )
    say()
    sizes = ", ".join(f"{name} {size:.0f} MB" for name, size in memory.items())
    say(f"Resident memory after the run: {sizes}.")
    if options.write:
        page.write("docs/serve.md", "load", say.text())


if __name__ == "__main__":
    main()
