"""The peer of bench/serve.py: FastAPI with onnxruntime, one sentence per run.

    python serve_peer.py FOLDER PORT THREADS

FOLDER has network.onnx and vocabulary.json. The network is the one of `imn serve`; tokens are words
and punctuation marks.
"""

import json
import pathlib
import re
import sys

import numpy
import onnxruntime
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

TOKEN = re.compile(r"\w+|[^\w\s]")
POLARITIES = ("positive", "negative", "neutral")

folder, port, threads = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
told = json.loads((folder / "vocabulary.json").read_text())
numbers, unknown = {word: i for i, word in enumerate(told["words"])}, told["unknown"]
options = onnxruntime.SessionOptions()
options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
session = onnxruntime.InferenceSession(
    str(folder / "network.onnx"), options, providers=["CPUExecutionProvider"]
)
app = FastAPI()


class Request(BaseModel):
    inputs: str


def terms(tags, tokens, begin, inside):
    """Spans of a begin tag and the inside tags after it."""
    found, start = [], None
    for i, tag in enumerate([*tags, -1]):
        if start is not None and tag != inside:
            found.append((start, i))
            start = None
        if tag == begin:
            start = i
    return [(first, tokens[first].start(), tokens[last - 1].end()) for first, last in found]


@app.post("/analyze")
def analyze(request: Request):
    text = request.inputs
    tokens = list(TOKEN.finditer(text))
    words = numpy.array(
        [[numbers.get(token.group().lower(), unknown) for token in tokens]], dtype=numpy.int64
    )
    ae, as_, _ = session.run(None, {"words": words, "mask": numpy.ones(words.shape, dtype=bool)})
    tags = ae[0].argmax(-1)
    aspects = [
        {
            "term": text[start:end],
            "start": start,
            "end": end,
            "span_confidence": float(ae[0, first, 0]),
            "sentiment": POLARITIES[int(as_[0, first].argmax())],
            "sentiment_confidence": float(as_[0, first].max()),
        }
        for first, start, end in terms(tags, tokens, 0, 1)
    ]
    opinions = [
        {"term": text[start:end], "start": start, "end": end, "confidence": float(ae[0, first, 2])}
        for first, start, end in terms(tags, tokens, 2, 3)
    ]
    return {"results": [{"text": text, "aspects": aspects, "opinions": opinions}]}


uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
