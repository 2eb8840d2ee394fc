"""The two steps of domain-vectors.sh: tokenise raw text, train fastText on it.

    domain-vectors.py tokenize < raw > tokens
    domain-vectors.py train TOKENS.gz OUT.vec.gz [--epochs 5] [--threads 1]
"""

import argparse
import gzip
import os
import re
import shutil
import sys
import tempfile
import time

# A small stand-in for `imn tokenize`: lower case, punctuation apart, Treebank contractions ("could n't", "it 's"), one
# symbol for plain numbers. Good enough for vectors; the product's tokenizer is the one that decides offsets.
TOKEN = re.compile(
    r"""
      https?://\S+ | www\.\S+
    | \d+(?:[.,:]\d+)*                      # 12  3.50  1,000  10:30
    | [^\W\d_]+(?=n['’]t\b)                 # could | n't
    | n['’]t\b
    | ['’](?:s|m|d|re|ve|ll)\b
    | \w+(?:[.&]\w+)*(?:-\w+)*              # u.s.a  at&t  well-made
    | \.{2,} | -{2,} | !+ | \?+
    | \S
    """,
    re.VERBOSE,
)
NUMBER = re.compile(r"^[+-]?[0-9]+\.?[0-9]*$")


def tokens_of(line):
    """The tokens of one line, in the form that the model's vocabulary has."""
    for match in TOKEN.finditer(line.lower()):
        token = match.group().replace("’", "'")
        yield "<num>" if NUMBER.match(token) else token


def tokenize():
    for line in sys.stdin:
        sys.stdout.write(" ".join(tokens_of(line)) + "\n")


def train(arguments):
    import fasttext

    with tempfile.NamedTemporaryFile("wb", suffix=".txt", delete=False) as plain:
        with gzip.open(arguments.tokens) as packed:
            shutil.copyfileobj(packed, plain)
    settings = dict(
        model="skipgram",
        dim=100,
        minCount=5,
        minn=3,
        maxn=6,
        ws=5,
        neg=5,
        lr=0.05,
        epoch=arguments.epochs,
        thread=arguments.threads,
    )
    print("fasttext-wheel 0.9.2", settings, flush=True)
    start = time.time()
    try:
        model = fasttext.train_unsupervised(plain.name, **settings)
    finally:
        os.unlink(plain.name)
    words = model.get_words()
    part = arguments.out + ".part"
    with gzip.open(part, "wt", encoding="utf-8", compresslevel=6) as out:
        out.write(f"{len(words)} {model.get_dimension()}\n")
        for word in words:
            values = " ".join(f"{value:.4g}" for value in model.get_word_vector(word))
            out.write(f"{word} {values}\n")
    os.replace(part, arguments.out)
    print(f"{len(words)} words, {time.time() - start:.0f} s -> {arguments.out}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("tokenize")
    trainer = steps.add_parser("train")
    trainer.add_argument("tokens")
    trainer.add_argument("out")
    trainer.add_argument("--epochs", type=int, default=5)
    trainer.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.step == "tokenize":
        tokenize()
    else:
        train(arguments)


if __name__ == "__main__":
    main()
