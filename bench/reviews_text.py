"""Short reviews for benchmarks, from words of our own, with a seed."""

from __future__ import annotations

import random

THINGS = [
    "soup", "bread", "waiter", "terrace", "coffee", "menu", "screen", "battery", "keyboard",
    "charger", "room", "breakfast", "lift", "bed", "view", "saddle", "brakes", "gears", "lecture",
    "exercises", "jacket", "zip", "lamp", "shelf", "delivery", "price", "customer service",
]  # fmt: skip
GOOD = ["great", "lovely", "quick", "solid", "bright", "friendly", "comfortable", "delicious"]
BAD = ["slow", "broken", "cold", "noisy", "rude", "flimsy", "overpriced", "disappointing"]
SHAPES = [
    "The {a} was {good}.",
    "{A} was {good}, but the {b} was {bad}.",
    "I expected more: the {a} is {bad} and the {b} is {bad}.",
    "We came for the {a} and stayed for the {b}, which was {good}.",
    "Not a {good} {a}. The {b} arrived {bad} after two weeks.",
    "The {a} looks {good} and the {b} feels {good} too!",
    "Would buy again, although the {a} is a bit {bad}.",
]


def reviews(count: int, seed: int = 1) -> list[str]:
    """Reviews of one sentence or two."""
    draw = random.Random(seed)
    texts = []
    for _ in range(count):
        first, second = draw.sample(THINGS, 2)
        words = {
            "a": first,
            "A": first.capitalize(),
            "b": second,
            "good": draw.choice(GOOD),
            "bad": draw.choice(BAD),
        }
        texts.append(draw.choice(SHAPES).format(**words))
    return texts


def sentences_of(words: int, count: int, seed: int = 1) -> list[str]:
    """Sentences of this many words: clauses one after the other, cut to length."""
    draw = random.Random(seed)
    texts = []
    for _ in range(count):
        clauses = reviews(words, draw.randrange(2**32))
        joined = ", and ".join(clause.rstrip(".!").replace(". ", ", ") for clause in clauses)
        texts.append(" ".join(joined.split()[:words]).rstrip(",:") + ".")
    return texts
