"""The surface of a review: lead-ins, letter case, final punctuation, apostrophes, typos."""

import re

LEADS = [
    "honestly, ", "I have to say ", "to be fair, ", "short version: ", "update: ",
    "for what it's worth, ", "all in all, ", "in a nutshell: ", "ok, ", "my verdict: ",
    "let me be clear: ", "what can I say, ", "just so you know, ", "my two cents: ",
    "as others have said, ",
]
TAILS = [", in my opinion", ", at least for me", ", to be honest", ", if you ask me"]


def article(rest):
    """The article "a" or "an" for what follows."""
    spoken_as_consonant = re.match(r"us[aeu]|uni[qf]|one", rest, re.I)
    vowel = re.match(r"[aeiou]|hour|hones", rest, re.I)
    return "an " if vowel and not spoken_as_consonant else "a "


def style(pieces, rng, leads, plain_end, neutral, polarity):
    """Surface of a review: lead-ins, case, final punctuation, apostrophes and a few typos."""
    full = "".join(p[0] for p in pieces)
    question = pieces[-1][0].endswith("?")
    opening = re.match(r"the |I |we ", full)
    if not question and opening and rng.random() < 0.3:
        pieces.insert(0, [rng.choice(leads if rng.random() < 0.6 else LEADS), None, ""])
    if not question and not neutral and plain_end and " me" not in full and rng.random() < 0.08:
        pieces.append([rng.choice(TAILS), None, ""])
    if not question:
        end = rng.choices([".", "", "!", "..."], [70, 17, 10, 3])[0]
        pieces.append([end, None, ""])
    if len(polarity) == 1 and rng.random() < 0.03:
        pieces.append([" :)" if polarity == {"+"} else " :(", None, ""])
    full = "".join(p[0] for p in pieces)
    offset = 0
    for piece in pieces:
        offset += len(piece[0])
        if "\x01" in piece[0]:
            piece[0] = piece[0].replace("\x01", article(full[offset:]))
    manners = {"normal": 60, "lower": 13, "shout": 1, "typo": 14, "bare": 6, "curly": 6}
    manner = rng.choices(list(manners), list(manners.values()))[0]
    if manner == "typo":
        typo(pieces, rng)
    for piece in pieces:
        if manner == "lower":
            piece[0] = piece[0].lower()
        elif manner == "shout" and piece[2]:
            piece[0] = piece[0].upper()
        elif manner == "bare":
            piece[0] = piece[0].replace("n't", "nt")
        elif manner == "curly":
            piece[0] = piece[0].replace("'", "\u2019")
    return manner != "lower"


def typo(pieces, rng):
    """Swaps, drops or doubles a letter inside one or two words of at least five letters.

    Words of opinions are drawn twice as often as others, because they decide the sentiment.
    """
    for _ in range(rng.choice([1, 1, 2])):
        spots = [
            (piece, match)
            for piece in pieces
            for match in re.finditer(r"[a-z]{5,}", piece[0])
            for _ in range(2 if piece[2] else 1)
        ]
        if not spots:
            return
        piece, match = rng.choice(spots)
        i = rng.randrange(match.start() + 1, match.end() - 2)
        text = piece[0]
        new = rng.choice([text[i + 1] + text[i], text[i], text[i] * 2 + text[i + 1]])
        piece[0] = text[:i] + new + text[i + 2:]
