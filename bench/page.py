"""Puts what a benchmark printed into a Markdown page, between two marker lines:

<!-- NAME: printed by COMMAND -->
<!-- end of NAME -->
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def write(page, name, text):
    """Replaces what is between the markers of `name` in `page`, a path in the repository."""
    path = ROOT / page
    marks = re.compile(rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    old = path.read_text(encoding="utf-8")
    new, count = marks.subn(lambda found: f"{found[1]}\n{text.strip()}\n\n{found[2]}", old)
    if count != 1:
        sys.exit(f"{page}: no markers of {name}")
    path.write_text(new, encoding="utf-8")


class Printed:
    """Lines that are printed, and kept for a page."""

    def __init__(self):
        self.lines = []

    def __call__(self, line=""):
        print(line, flush=True)
        self.lines.append(line)

    def text(self):
        return "\n".join(self.lines)
