#!/usr/bin/env python3
"""Turn sentences.txt into dev.jsonl and test.jsonl, and print how balanced they are.

usage:
    models/hard/write.py            write both files
    models/hard/write.py --check    only compare them with sentences.txt; exit code 1 if they differ

A line of the source is `phenomenon | domain | sentence`, with aspects marked as `[term|sign]`. The
sentences of each phenomenon and domain go to dev and test in turn, and the turn carries over from
one group to the next, so both halves hold as many sentences of each kind as they can.
"""

import collections
import json
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE = FOLDER / "sentences.txt"
HALVES = ("dev", "test")
SIGNS = {"+": "positive", "-": "negative", "0": "neutral"}
PHENOMENA = ("mixed", "negated", "comparative", "conditional")
DOMAINS = ("restaurant", "laptop", "hotel", "clothes", "kitchen", "cosmetics", "course",
           "groceries", "phone", "car-repair", "bank-app", "museum")
MARK = re.compile(r"\[([^\[\]|]+)\|([+0-])\]")

# What the set promises: sentences in all, of each phenomenon and of each domain, words of a
# sentence, and the share of each sentiment in percent, in the set and in each half.
SENTENCES = 300
PER_PHENOMENON = 75
PER_DOMAIN = 25
WORDS = range(5, 36)
SHARES = {"positive": (40, 45), "negative": (40, 45), "neutral": (10, 20)}


def fail(line, reason):
    sys.exit(f"{SOURCE.name}:{line}: {reason}")


def unmark(line, marked):
    """The sentence without marks, and its aspects in code points."""
    text, aspects, end = "", [], 0
    for mark in MARK.finditer(marked):
        text += marked[end:mark.start()]
        start = len(text)
        text += mark[1]
        aspects.append({"start": start, "end": len(text), "polarity": SIGNS[mark[2]]})
        end = mark.end()
    text += marked[end:]
    if not aspects:
        fail(line, "no aspect is marked")
    if re.search(r"[\[\]|]", text):
        fail(line, "a mark that is not [term|+], [term|-] or [term|0]")
    for aspect in aspects:
        term = text[aspect["start"]:aspect["end"]]
        around = text[max(aspect["start"] - 1, 0):aspect["start"]] + text[aspect["end"]:][:1]
        if term != term.strip() or any(character.isalnum() for character in around):
            fail(line, f"the mark of {term!r} does not begin and end with a word")
    return text, aspects


def read():
    """Sentences by phenomenon and domain, in the order of the file."""
    groups = {(phenomenon, domain): [] for phenomenon in PHENOMENA for domain in DOMAINS}
    seen = {}
    for line, content in enumerate(SOURCE.read_text(encoding="utf-8").splitlines(), 1):
        if not content.strip() or content.startswith("#"):
            continue
        fields = content.split(" | ", 2)
        if len(fields) != 3 or tuple(fields[:2]) not in groups:
            fail(line, "expected `phenomenon | domain | sentence` with known names")
        phenomenon, domain, marked = fields
        text, aspects = unmark(line, marked)
        if text != " ".join(text.split()):
            fail(line, "white space at an end or doubled")
        if len(text.split()) not in WORDS:
            fail(line, f"{len(text.split())} words; {WORDS.start} to {WORDS.stop - 1} are allowed")
        letters = "".join(filter(str.isalnum, text.lower()))
        if letters in seen:
            fail(line, f"repeats line {seen[letters]}")
        seen[letters] = line
        groups[phenomenon, domain].append({
            "v": 1,
            "text": text,
            "aspects": aspects,
            "meta": {"phenomenon": phenomenon, "domain": domain},
        })
    return groups


def split(groups):
    """Both halves, each ordered as the groups are."""
    halves = {half: [] for half in HALVES}
    turn = 0
    for group in groups.values():
        for sentence in group:
            halves[HALVES[turn % 2]].append(sentence)
            turn += 1
    return halves


def polarities(sentences):
    return collections.Counter(
        aspect["polarity"] for sentence in sentences for aspect in sentence["aspects"])


def row(name, sentences):
    counts = polarities(sentences)
    total = counts.total()
    shares = "".join(f"{counts[polarity]:>10} {100 * counts[polarity] / total:>5.1f} %"
                     for polarity in SHARES)
    print(f"{name:<16}{len(sentences):>10}{total:>9}{shares}")


def report(halves):
    """Print the balance. Returns what breaks a promise of the set."""
    everything = [sentence for half in halves.values() for sentence in half]
    heads = "".join(f"{polarity:>18}" for polarity in SHARES)
    print(f"{'':<16}{'sentences':>10}{'aspects':>9}{heads}")
    for name, sentences in [("all", everything), *halves.items()]:
        row(name, sentences)
    for key, names in (("phenomenon", PHENOMENA), ("domain", DOMAINS)):
        print()
        for name in names:
            row(name, [sentence for sentence in everything if sentence["meta"][key] == name])
    print()
    for half, sentences in halves.items():
        counts = collections.Counter(sentence["meta"]["phenomenon"] for sentence in sentences)
        print(f"{half}: " + ", ".join(f"{counts[name]} {name}" for name in PHENOMENA))
    lengths = sorted(len(sentence["text"].split()) for sentence in everything)
    median = lengths[len(lengths) // 2]
    print(f"words of a sentence: {lengths[0]} to {lengths[-1]}, median {median}")

    broken = []
    if len(everything) != SENTENCES:
        broken.append(f"{len(everything)} sentences instead of {SENTENCES}")
    for key, names, expected in (("phenomenon", PHENOMENA, PER_PHENOMENON),
                                 ("domain", DOMAINS, PER_DOMAIN)):
        for name in names:
            count = sum(sentence["meta"][key] == name for sentence in everything)
            if count != expected:
                broken.append(f"{count} sentences of {name} instead of {expected}")
    for name, sentences in [("all", everything), *halves.items()]:
        counts = polarities(sentences)
        for polarity, (low, high) in SHARES.items():
            share = 100 * counts[polarity] / counts.total()
            if not low <= share <= high:
                broken.append(f"{name}: {share:.1f} % {polarity}, not {low} to {high} %")
    return broken


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    halves = split(read())
    broken = report(halves)
    for half, sentences in halves.items():
        path = FOLDER / f"{half}.jsonl"
        lines = "".join(json.dumps(sentence, ensure_ascii=False, separators=(",", ":")) + "\n"
                        for sentence in sentences)
        if not arguments:
            path.write_text(lines, encoding="utf-8", newline="\n")
        elif not path.exists() or path.read_text(encoding="utf-8") != lines:
            broken.append(f"{path.name} is not what {SOURCE.name} says: run write.py")
    if broken:
        sys.exit("\n" + "\n".join(broken))


if __name__ == "__main__":
    main(sys.argv[1:])
