#!/usr/bin/env python3
"""Writes small valid inputs for the fuzz targets. Usage: fuzz/seeds.py FOLDER

Each target gets FOLDER/TARGET. All texts are made up. The model for `bundle` takes its header from
the built-in model, with every size reduced and all weights set to a constant.
"""

import gzip
import json
import struct
import sys
from math import prod
from pathlib import Path

TEXT = "The soup wasn't great, but our waiter (Ann) smiled: 4.5/5!"
LINE = {
    "v": 1,
    "id": "r1",
    "text": "The soup was great.",
    "aspects": [{"start": 4, "end": 8, "term": "soup", "polarity": "positive"}],
    "opinions": [{"start": 13, "end": 18, "term": "great"}],
    "links": [[0, 0]],
    "categories": [{"category": "FOOD", "polarity": "positive", "aspect": 0}],
    "meta": {"stars": 5},
}
SEMEVAL14 = """<sentences><sentence id="1"><text>The soup was great</text><aspectTerms>
<aspectTerm term="soup" polarity="positive" from="4" to="8"/></aspectTerms></sentence></sentences>
"""
SEMEVAL15 = """<Reviews><Review rid="1"><sentences><sentence id="1:0">
<text>The soup was great</text><Opinions>
<Opinion target="soup" category="FOOD#QUALITY" polarity="positive" from="4" to="8"/>
</Opinions></sentence></sentences></Review></Reviews>
"""
CONLL = "# columns = token aspect opinion\n# id = 1\nsoup\tB-positive\tO\nwas\tO\tO\ngreat\tO\tB\n"


def model(version):
    """A model of a few kilobytes with the tensors that docs/bundle.md lists."""
    path = Path(__file__).resolve().parent.parent / "models" / "reviews.imn"
    file = path.read_bytes()
    (size,) = struct.unpack("<Q", file[:8])
    stored = json.loads(file[8 : 8 + size])
    header = json.loads(stored.pop("__metadata__")["imn"])
    dimensions, filters, words = 3, 4, ["<pad>", "<unk>", "<num>", "soup", "was", "great"]
    header["config"]["model"]["filters"] = filters
    header["dimensions"] = dimensions
    header["domain_columns"] = {"start": 1, "end": 3}
    header["vocabulary"]["words"] = words
    small = {256: filters, 128: filters // 2, 512: 2 * filters, 350: dimensions, 32003: len(words)}
    small |= {1118: dimensions + 3 * filters, 269: filters + 13, 352033: len(words)}
    widths = {"F32": 4, "F16": 2, "I8": 1}
    prefix, tensors = "", {}
    for name, tensor in stored.items():
        tensors[name] = (tensor["dtype"], [small.get(n, n) for n in tensor["shape"]])
    if version == 3:
        prefix = "0."
        tensors = {n: ("F32", s) for n, (_, s) in tensors.items() if not n.endswith(".scales")}
        sizes = header["config"]["model"]
        cnn = {"filters": sizes.pop("filters"), "layers": sizes.pop("shared_layers")}
        sizes["encoder"] = {"cnn": cnn}
        part = {k: header[k] for k in ["config", "labels", "domains", "record", "tokenizer"]}
        encoder = {k: header[k] for k in ["dimensions", "domain_columns", "vocabulary"]}
        part |= {"kind": "imn", "encoder": {"words": encoder}, "calibration": header["calibration"]}
        header = {"format": "imn-model", "version": 3, "parts": [part]}
    index, data = {"__metadata__": {"imn": json.dumps(header)}}, b""
    for name, (dtype, shape) in sorted(tensors.items(), key=lambda t: -widths[t[1][0]]):
        value = {"F32": struct.pack("<f", 0.5), "F16": struct.pack("<e", 0.5), "I8": b"\1"}[dtype]
        start, data = len(data), data + value * prod(shape)
        index[prefix + name] = {"dtype": dtype, "shape": shape, "data_offsets": [start, len(data)]}
    text = json.dumps(index).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def readers():
    """The first byte chooses the format by its number; NUL separates the four files."""
    four = "nice brown bread\0" "0 1 2\0" "1 0 0\0" "0 1 1"
    aste = "the soup was very good####[([1], [3, 4], 'POS')]\n"
    texts = [four, SEMEVAL14, SEMEVAL15, aste, CONLL, json.dumps(LINE) + "\n"]
    return [bytes([i]) + text.encode() for i, text in enumerate(texts)]


def tables():
    csv = b'id,text,stars\n1,"The soup, again, was great",5\n2,stale bread,1\n'
    jsonl = b'{"id":1,"text":"The soup was great","n":null}\n{"text":"stale bread"}\n'
    return [csv, csv.replace(b",", b"\t"), jsonl, b"soup\r\nbread\n", gzip.compress(csv, mtime=0)]


def vectors():
    numbers = struct.pack("<3f", 0.5, -1.25, 3.0)
    binary = b"2 3\ntea " + numbers + b"\ncup " + numbers + b"\n"
    return [b"tea 0.5 -1\ncup 1e-3 2\n", b"2 2\ntea 0.5 -1\n. . . 3 4\n", binary]


def main():
    seeds = {
        "bundle": [model(2), model(3)],
        "documents": [
            b"pos\tgreat soup\n1\tstale bread\n",
            b'label,text\nneg,"stale, dry"\n4,fine\n',
        ],
        "jsonl": [json.dumps(LINE).encode(), b'{"text":"soup","tokens":[[0,4]],"aspects":[]}'],
        "readers": readers(),
        "tables": tables(),
        "tokenize": [TEXT.encode(), "We’ll go… “again”? www.example.org 👍".encode()],
        "vectors": vectors(),
    }
    for target, inputs in seeds.items():
        folder = Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for i, content in enumerate(inputs):
            (folder / f"seed-{i}").write_bytes(content)


main()
