"""Writes a measured table into a document, between the markers of its benchmark."""

from __future__ import annotations

import re
from pathlib import Path


def write(document: str, name: str, text: str) -> None:
    """Replaces what is between `<!-- NAME -->` and `<!-- end of NAME -->`."""
    path = Path(document)
    before = path.read_text(encoding="utf-8")
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(before):
        raise SystemExit(f"{document}: no markers of {name}")
    path.write_text(pattern.sub(lambda _: start + text.strip() + "\n" + end, before), "utf-8")
