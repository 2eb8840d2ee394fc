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
#: The rows of the table: a model and its options.
ROWS = {
    "`reviews`": ("reviews",),
    "`reviews`, `--precision bf16`": ("reviews", "--precision", "bf16"),
    "`reviews`, `--precision f32`": ("reviews", "--precision", "f32"),
    "`fast`": ("fast",),
}


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

        def analyze(row: str, *arguments: str | Path) -> bool:
            command = [options.binary, "analyze", "--threads", "2", "--model", *ROWS[row]]
            done = subprocess.run([*command, *arguments], stdout=subprocess.DEVNULL, check=False)
            return done.returncode == 0

        def many(row: str) -> None:
            output = folder / "out.jsonl"
            text = folder / f"{ROWS[row][0]}.txt"
            if not analyze(row, text, "--out", output, "--force", "--quiet"):
                raise SystemExit(f"{row} failed")

        # A CPU may lack the instructions for bf16.
        rows = [row for row in ROWS if analyze(row, "The soup was cold.")]
        seconds = median_seconds({row: lambda row=row: many(row) for row in rows}, options.rounds)
        starts = median_seconds(
            {row: lambda row=row: analyze(row, "The soup was cold.") for row in rows},
            4 * options.rounds,
        )

    rates = {row: COUNTS[ROWS[row][0]] / seconds[row] for row in rows}
    say = page.Printed()
    say(f"Sentences of {WORDS} words, two threads, median of {options.rounds} turns:")
    say()
    say("| model | sentences per second | of `reviews` | start-up in seconds |")
    say("|---|---|---|---|")
    for row, rate in rates.items():
        share = f"{rate / rates['`reviews`']:.1f} times"
        say(f"| {row} | {rate:,.0f} | {share} | {starts[row]:.2f} |")
    if options.write:
        page.write("docs/analyze.md", "models", say.text())


if __name__ == "__main__":
    main()
