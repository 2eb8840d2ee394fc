"""Checks of the written sentences, and how they are shown and counted."""

import collections
import re


def check(items):
    """The promises of the format: terms match their offsets, no span overlaps, no term is empty."""
    for item in items:
        last = 0
        for span in sorted(item["aspects"] + item["opinions"], key=lambda s: s["start"]):
            assert span["start"] >= last and span["end"] > span["start"], item
            term = item["text"][span["start"]:span["end"]]
            assert term == span["term"] == term.strip(), item
            last = span["end"]
        assert not re.search(r"[][{}<>|@\x01]|  ", item["text"]), item


def inline(item):
    signs = {"positive": "+", "negative": "-", "neutral": "0"}
    marks = [(s["start"], s["end"], signs[s["polarity"]]) for s in item["aspects"]]
    marks += [(s["start"], s["end"], None) for s in item["opinions"]]
    text = item["text"]
    for start, end, sign in sorted(marks, reverse=True):
        shown = f"[{text[start:end]}|{sign}]" if sign else f"<{text[start:end]}>"
        text = text[:start] + shown + text[end:]
    return text


def report(scheme, items):
    for field in ("phenomenon", "domain"):
        counts = collections.Counter(item["meta"][field] for item in items)
        print(f"{scheme} {field}:", ", ".join(f"{k} {n}" for k, n in counts.items()))
    polarity = collections.Counter(a["polarity"] for item in items for a in item["aspects"])
    total = sum(polarity.values())
    print(f"{scheme}: {len(items)} sentences, {total} aspects,",
          ", ".join(f"{k} {n} ({100 * n / total:.1f} %)" for k, n in polarity.items()))
