#!/usr/bin/env python3
"""Lists runs of six words that our sentences share with annotated reviews of a data folder.

    python3 overlap.py DATA FILE.jsonl ...

DATA may also be one JSONL file, for example a measuring set. Of a folder, it reads
DATA/aspect/*/*/sentence.txt, DATA/semeval_xml/*.xml and DATA/more/*.jsonl.gz.
"""

import collections
import gzip
import json
import re
import sys
from pathlib import Path

SIZE = 6


def runs(text):
    words = re.findall(r"[a-z0-9]+", text.lower().replace("n't", "nt").replace("\u2019", ""))
    return {" ".join(words[i:i + SIZE]) for i in range(len(words) - SIZE + 1)}


def reviews(data):
    if data.is_file():
        yield from (json.loads(line)["text"] for line in data.read_text("utf-8").splitlines())
    for path in data.glob("aspect/*/*/sentence.txt"):
        yield from path.read_text("utf-8").splitlines()
    for path in data.glob("semeval_xml/*.xml"):
        yield from re.findall(r"<text>(.*?)</text>", path.read_text("utf-8", "replace"))
    for path in data.glob("more/*.jsonl.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from (json.loads(line)["text"] for line in lines)


def main():
    ours = collections.defaultdict(set)
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    paths = sys.argv[2:]
    for path in paths:
        for line in Path(path).read_text("utf-8").splitlines():
            text = json.loads(line)["text"]
            for run in runs(text):
                ours[run].add(text)
    theirs = list(reviews(Path(sys.argv[1])))
    if not theirs:
        sys.exit(f"{sys.argv[1]}: no reviews found")
    shared = {run for text in theirs for run in runs(text) if run in ours}
    hit = {text for run in shared for text in ours[run]}
    for run in sorted(shared, key=lambda run: -len(ours[run])):
        print(f"{len(ours[run]):4} {run}")
    print(f"{len(shared)} runs of {SIZE} words in {len(hit)} sentences")


if __name__ == "__main__":
    main()
