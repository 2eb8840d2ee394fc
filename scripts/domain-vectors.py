"""The two steps of domain-vectors.sh: normalize tokens, then train fastText on them.

imn tokenize --lines --file RAW | domain-vectors.py join > tokens
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

# Tokens that the model's vocabulary replaces by the symbol for numbers.
NUMBER = re.compile(r"^[+-]?[0-9]+\.?[0-9]*$")


def join():
    """Joins the output of `imn tokenize` to one sentence per line.

    Words are normalized as in the model's vocabulary: lower case, and one symbol for numbers.
    """
    words = []
    for line in sys.stdin:
        fields = line.rstrip("\n").split("\t")
        if len(fields) == 3:
            words.append("<num>" if NUMBER.match(fields[2]) else fields[2].lower())
        elif words:
            sys.stdout.write(" ".join(words) + "\n")
            words = []


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
    steps.add_parser("join")
    trainer = steps.add_parser("train")
    trainer.add_argument("tokens")
    trainer.add_argument("out")
    trainer.add_argument("--epochs", type=int, default=5)
    trainer.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.step == "join":
        join()
    else:
        train(arguments)


if __name__ == "__main__":
    main()
