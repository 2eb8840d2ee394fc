"""Speed of the built-in models: sentences of 15 words on two threads, and start-up.

Both models analyse sentences of the same length in turns. Start-up is the time of a command that
analyses one sentence, from its start to its end.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import page
from reviews_text import sentences_of
from turns import median_seconds

#: Sentences of a turn, so that both models take seconds.
COUNTS = {"reviews": 4_000, "fast": 24_000}
WORDS = 15


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", help="the command imn")
    parser.add_argument("--rounds", type=int, default=5, help="turns [default: %(default)s]")
    parser.add_argument("--write", action="store_true", help="put the table into docs/analyze.md")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for model, count in COUNTS.items():
            lines = "\n".join(sentences_of(WORDS, count))
            (folder / f"{model}.txt").write_text(lines + "\n", encoding="utf-8")

        def analyze(model: str, *arguments: str | Path) -> None:
            subprocess.run(
                [options.binary, "analyze", "--model", model, "--threads", "2", *arguments],
                stdout=subprocess.DEVNULL,
                check=True,
            )

        def many(model: str) -> None:
            output = folder / "out.jsonl"
            analyze(model, folder / f"{model}.txt", "--out", output, "--force", "--quiet")

        seconds = median_seconds(
            {model: lambda model=model: many(model) for model in COUNTS}, options.rounds
        )
        starts = median_seconds(
            {
                model: lambda model=model: analyze(model, "The soup was cold.")
                for model in COUNTS
            },
            4 * options.rounds,
        )

    rates = {model: COUNTS[model] / seconds[model] for model in COUNTS}
    say = page.Printed()
    say(f"Sentences of {WORDS} words, two threads, median of {options.rounds} turns:")
    say()
    say("| model | sentences per second | of `reviews` | start-up in seconds |")
    say("|---|---|---|---|")
    for model, rate in rates.items():
        share = f"{rate / rates['reviews']:.1f} times"
        say(f"| `{model}` | {rate:,.0f} | {share} | {starts[model]:.2f} |")
    if options.write:
        page.write("docs/analyze.md", "models", say.text())


if __name__ == "__main__":
    main()
