#!/usr/bin/env python3
"""Renders terminal output with ANSI colours as an SVG image. No dependencies.

    imn analyze --color always "..." | scripts/terminal_svg.py > out.svg

Lines that start with "$ " are shown as a prompt. Bold, faint, underlined and the eight standard
colours are supported; other escape sequences are dropped.
"""

import html
import re
import sys

CHARACTER, LINE, FONT, MARGIN = 8.4, 20, 14, 16
BACKGROUND, TEXT, FAINT = "#1b1f27", "#e6e6e6", "#8b93a1"
COLORS = {
    30: "#5c6370",
    31: "#ff7b72",
    32: "#7ee787",
    33: "#f2cc60",
    34: "#79c0ff",
    35: "#d2a8ff",
    36: "#56d4dd",
    37: "#e6e6e6",
}
ESCAPE = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])")


class Style:
    """The state that escape sequences of the kind `ESC [ ... m` change."""

    def __init__(self):
        self.color, self.bold, self.faint, self.underline = None, False, False, False

    def apply(self, codes):
        for code in (int(code or 0) for code in codes.split(";")):
            if code == 0:
                self.__init__()
            elif code in (1, 2, 4):
                setattr(self, {1: "bold", 2: "faint", 4: "underline"}[code], True)
            elif code in COLORS:
                self.color = COLORS[code]

    def attributes(self):
        fill = FAINT if self.faint else self.color or TEXT
        weight = ' font-weight="bold"' if self.bold else ""
        line = ' text-decoration="underline"' if self.underline else ""
        return f'fill="{fill}"{weight}{line}'


def runs(line):
    """Splits a line into (text, style attributes)."""
    style, at, found = Style(), 0, []
    for escape in ESCAPE.finditer(line):
        found.append((line[at : escape.start()], style.attributes()))
        if escape[2] == "m":
            style.apply(escape[1])
        at = escape.end()
    found.append((line[at:], style.attributes()))
    return [run for run in found if run[0]]


def render(lines):
    columns = max(len(ESCAPE.sub("", line)) for line in lines)
    width, height = 2 * MARGIN + columns * CHARACTER, 2 * MARGIN + len(lines) * LINE
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}"'
        f' viewBox="0 0 {width:.0f} {height}" font-size="{FONT}"'
        ' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace">'
    )
    yield f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>'
    for row, line in enumerate(lines):
        column, y = 0, MARGIN + (row + 0.72) * LINE
        if line.startswith("$ "):
            line = f"\x1b[2m$\x1b[0m\x1b[1m{line[1:]}"
        for text, attributes in runs(line):
            # The explicit length keeps columns aligned in any font.
            x, length = MARGIN + column * CHARACTER, len(text) * CHARACTER
            column += len(text)
            if text.strip():
                yield (
                    f'<text x="{x:.1f}" y="{y:.1f}" textLength="{length:.1f}" {attributes}'
                    f' xml:space="preserve">{html.escape(text)}</text>'
                )
    yield "</svg>"


if __name__ == "__main__":
    print("\n".join(render(sys.stdin.read().rstrip("\n").split("\n"))))
