#!/usr/bin/env python3
"""Writes sentences that teach what review sets lack: contrast, negation, comparison, wishes.

    python3 contrast.py --out DIR [--count 6000] [--seed 7] [--show 60]

Frames (frames.txt) are filled with aspects of a domain (domains.toml) and with opinions that fit
the type of the aspect (types.toml). A frame with a free polarity is always written twice, with the
same aspects and opposite opinions, so that neither place nor connective predicts the sentiment.
Sentences that were written one by one (handwritten) are added to both files.

In judged.jsonl, aspects without judgement carry no label; in terms.jsonl they are neutral. Half of
the filled frames go to each of the two. All other labels follow the same rules:
the reviewed thing as a whole and things of rivals are no aspects; an opinion is the shortest text
that judges, with its negation; intensifiers belong to it in `judged` only.
"""

import argparse
import collections
import json
import random
import re
import sys
import tomllib
from pathlib import Path

from checks import check, inline, report
from surface import style

HERE = Path(__file__).resolve().parent
SHARES = {
    "judged": {"mixed": 42, "negated": 20, "comparative": 16, "conditional": 17, "neutral": 5},
    "terms": {"mixed": 38, "negated": 17, "comparative": 14, "conditional": 16, "neutral": 15},
}
INTENSIFIERS = ["very", "really", "so", "quite", "pretty", "extremely", "surprisingly", "super"]
LOVE = {
    ("present", "+"): "love, adore, really <like>, enjoy, am <impressed> by, am <thrilled> with, "
    "am a big <fan> of, am very <happy> with, <can't get enough> of",
    ("present", "-"): "hate, dislike, loathe, can't stand, am <disappointed> by, am <fed up> with, "
    "am <no fan> of, am <not happy> with, really <don't like>",
    ("past", "+"): "loved, adored, really <liked>, enjoyed, was <impressed> by, "
    "was <thrilled> with, was very <happy> with, <couldn't get enough> of",
    ("past", "-"): "hated, disliked, couldn't stand, was <disappointed> by, was <fed up> with, "
    "was <not happy> with, really <didn't like>, was <annoyed> by",
}
LIKE = {
    ("present", "+"): "love, like, adore, enjoy",
    ("present", "-"): "hate, dislike, can't stand, loathe",
    ("past", "+"): "loved, liked, adored, enjoyed",
    ("past", "-"): "hated, disliked, couldn't stand",
}
BE = {  # (tense, plural)
    ("present", False): "is", ("present", True): "are",
    ("past", False): "was", ("past", True): "were",
}
LABEL = {"+": "positive", "-": "negative", "0": "neutral"}
FLIP = {"+": "-", "-": "+"}
BY_PLACE = {  # what one says of places and services, and of products
    "here": ("here", "this time"), "stay": ("come back", "kept it"),
    "leave": ("leave", "send it back"), "keep": ("stay", "keep it"),
}


class Unfit(Exception):
    """The frame has no word for this aspect; another one is drawn."""


def items(text):
    return [item.strip() for item in text.split(",") if item.strip()]


class Aspect:
    """One term of a domain with its type and grammatical number."""

    def __init__(self, entry, kind, tense):
        self.plural, self.mass = entry.endswith("*"), entry.endswith("~")
        self.term, self.kind, self.tense = entry.rstrip("*~"), kind, tense
        self.words = {word.rstrip("s") for word in self.term.lower().split()}

    @property
    def people(self):
        return self.kind == "people"

    def be(self, tense=None):
        return BE[tense or self.tense, self.plural]

    def it(self, tense=None):
        many = self.plural or self.people
        return ("they " if many else "it ") + BE[tense or self.tense, many]


class Lexicon:
    """Domains and types as read from the files; `words` lists what may be said of a type."""

    def __init__(self, folder):
        self.types = tomllib.loads((folder / "types.toml").read_text("utf-8"))
        self.domains = {}
        for name, table in tomllib.loads((folder / "domains.toml").read_text("utf-8")).items():
            tense, place = table.pop("tense"), table.pop("staffed", False)
            facts = {key: items(table.pop(key)) for key in ("it", "old")}
            facts["lead"] = [lead + " " for lead in table.pop("lead").split(" / ")]
            facts["place"] = place
            aspects = [Aspect(e, kind, tense) for kind, line in table.items() for e in items(line)]
            self.domains[name] = (facts, aspects)

    def words(self, kind, field):
        own = items(self.types[kind].get(field, ""))
        if kind in ("people", "cost"):
            return own
        # The words of the type come twice: they say more than "great" and "awful".
        return own * 2 + items(self.types["any"].get(field, ""))

    def adjectives(self, kind, sign, slot):
        out = self.words(kind, "pos" if sign == "+" else "neg")
        if slot in ("mild", "mattr"):
            out = [word for word in out if word.endswith("!")]
        out = [word.rstrip("!") for word in out]
        return [w for w in out if " " not in w] if slot in ("attr", "mattr") else out


class Frame:
    def __init__(self, line, phenomenon, number):
        self.scheme = None
        if match := re.match(r"(judged|terms): ", line):
            self.scheme, line = match[1], line[match.end():]
        self.pattern, self.types, self.template = (part.strip() for part in line.split(" | ", 2))
        self.template = re.sub(r"@ (?=[^{]*\{([ABC]))", r"{\1.a}", self.template)
        self.phenomenon, self.number = phenomenon, number
        self.free = "x" in self.pattern

    def signs(self, x):
        table = {"x": x, "y": FLIP[x]}
        return {name: table.get(sign, sign) for name, sign in zip("ABC", self.pattern)}

    def fits(self, aspect, place=True):
        if "{old}" in self.template and not place and aspect.kind in ("people", "service"):
            return False
        group = {"any": True, "thing": not aspect.people, "same": not aspect.people,
                 "goods": not aspect.people and aspect.kind != "cost"}
        return group.get(self.types, aspect.kind in self.types.split(","))


def read_frames(folder):
    frames, phenomenon = collections.defaultdict(list), None
    text = "".join((folder / name).read_text("utf-8") for name in ("clauses.txt", "frames.txt"))
    for line in text.splitlines():
        if line.startswith("["):
            phenomenon = line.strip("[]")
        elif line and not line.startswith("#"):
            frames[phenomenon].append(Frame(line, phenomenon, len(frames[phenomenon])))
    return frames


class Writer:
    """Fills one frame. The result is a list of [text, aspect or None, owners of the opinion]."""

    def __init__(self, rng, lexicon, clauses, scheme, facts, aspects, signs):
        self.rng, self.lexicon, self.clauses, self.scheme = rng, lexicon, clauses, scheme
        self.facts, self.aspects, self.signs, self.used = facts, aspects, signs, set()

    def pick(self, options):
        fresh = [option for option in options if option not in self.used]
        if not fresh:
            raise Unfit
        choice = self.rng.choice(fresh)
        self.used.add(choice)
        return choice

    def fill(self, template, quiet=False):
        out = []
        template = re.sub(r"\bthe \{([ABC])\}", self.determiner, template)
        for part in re.split(r"(<[ABC]+:(?:[^<>])*>|\{[^}]*\})", template):
            if part.startswith("<"):
                owners, inner = part[1:-1].split(":", 1)
                text = "".join(piece[0] for piece in self.fill(inner, quiet=True))
                out.append([text, None, owners])
            elif part.startswith("{"):
                out += self.slot(part[1:-1], quiet)
            elif part:
                out.append([part, None, ""])
        return out

    def determiner(self, match):
        """Not every aspect follows "the": their staff, its keyboard, battery life."""
        aspect = self.aspects[match[1]]
        if self.rng.random() < 0.7:
            return match[0]
        if (aspect.plural or aspect.mass) and self.rng.random() < 0.6:
            return "{%s}" % match[1]
        many = self.facts["place"] or self.facts["it"][0].startswith("these")
        owner = "our" if aspect.people and not aspect.plural else "their" if many else "its"
        return "%s {%s}" % (owner, match[1])

    def marked(self, text, name):
        """Pieces of an entry of the lexicon, where <...> is the opinion; without it, all is."""
        if "<" not in text:
            return [[text, None, name]]
        parts = re.split(r"<(.*?)>", text)
        return [[p, None, name if i % 2 else ""] for i, p in enumerate(parts) if p]

    def slot(self, body, quiet):
        plain = lambda text: [[text, None, ""]]
        if body == "pl":
            return plain(BE[self.aspects["A"].tense, True])
        if body == "it":
            whole = self.scheme == "terms" and self.rng.random() < 0.5
            return plain(self.pick(self.facts["it"]) if whole else "it")
        if body in BY_PLACE:
            return plain(BY_PLACE[body][0 if self.facts["place"] else 1])
        if body == "old":
            return plain(self.pick(self.facts["old"]))
        name, _, slot = body.partition(".")
        aspect, sign = self.aspects[name], self.signs[name]
        if not slot:
            return [[aspect.term, name, ""]]
        opposite = slot.startswith("~")
        slot = slot.lstrip("~")
        if opposite:
            sign = FLIP[sign]
        owner = "" if opposite or quiet else name
        side = "pos" if sign == "+" else "neg"
        if slot in ("adj", "attr", "mild", "mattr", "int"):
            return self.adjective(aspect, sign, slot, owner)
        if slot == "cmp":
            return [[self.pick(self.lexicon.words(aspect.kind, side + "_cmp")), None, owner]]
        if slot == "sup":
            return [["best" if sign == "+" else "worst", None, owner]]
        if slot in ("love", "like"):
            table = LOVE if slot == "love" else LIKE
            return self.marked(self.pick(items(table[aspect.tense, sign])), name)
        if slot == "pred":
            if self.rng.random() < 0.55:
                return plain(aspect.be() + " ") + self.adjective(aspect, sign, "int", owner)
            return self.phrase(aspect, side, name)
        if slot == "vp":
            return self.phrase(aspect, side, name)
        if slot in ("cl", "fr"):
            fit = [c for c in self.clauses[slot] if c.pattern in ("x", sign) and c.fits(aspect)]
            template = self.rng.choice(fit).template
            return self.fill(re.sub(r"(?<=[{<])A(?=[.:}])", name, template))
        if slot == "neu":
            text = self.pick(items(self.lexicon.types[aspect.kind]["neu"]))
            return self.fill(text.replace("{the}", "the {%s}" % name))
        return plain(self.grammar(aspect, slot))

    def phrase(self, aspect, side, name):
        """A predicate that says what happened: "broke after a week", "was a joke"."""
        text = self.pick(self.lexicon.words(aspect.kind, side + "_vp"))
        if text.startswith("="):
            return [[aspect.be() + " ", None, ""]] + self.marked(text[1:], name)
        return self.marked(text, name)

    def adjective(self, aspect, sign, slot, owner):
        pool = "adj" if slot == "int" else slot
        word = self.pick(self.lexicon.adjectives(aspect.kind, sign, pool))
        mild = word in self.lexicon.adjectives(aspect.kind, sign, "mattr")
        if slot != "int" or not mild or self.rng.random() < 0.5:
            return [[word, None, owner]]
        more = self.rng.choice(INTENSIFIERS) + " "
        if self.scheme == "judged":
            return [[more + word, None, owner]]
        return [[more, None, ""], [word, None, owner]]

    def grammar(self, aspect, slot):
        if slot.startswith("v"):
            verb = slot.split(":")[1]
            if slot.startswith("v:") and aspect.tense == "past":
                return verb + "ed"
            return verb if aspect.plural else verb + "s"
        return {
            "a": "" if aspect.plural or aspect.mass else "\x01",
            "raw": aspect.term, "be": aspect.be(), "benot": aspect.be() + "n't",
            "were": aspect.be("past"), "werent": aspect.be("past") + "n't",
            "itbe": aspect.it(), "itnow": aspect.it("present"),
            "this": "these" if aspect.plural else "this", "wh": "who" if aspect.people else "which",
        }[slot]


def record(pieces, capitals, frame, signs, scheme, domain):
    text, aspects, opinions, links = "", [], [], []
    index, owners = {}, []
    for piece, name, owner in pieces:
        span = {"start": len(text), "end": len(text) + len(piece)}
        text += piece
        if name and (scheme == "terms" or signs[name] != "0"):
            index[name] = len(aspects)
            aspects.append(span | {"polarity": LABEL[signs[name]]})
        elif owner and piece:
            owners.append(owner)
            opinions.append(span)
    if capitals:
        text = re.sub(r"(^|(?<!\.\.)[.?!] )([a-zé])", lambda m: m[1] + m[2].upper(), text)
    for span in aspects + opinions:
        span["term"] = text[span["start"]:span["end"]]
    for number, owner in enumerate(owners):
        links += [[index[name], number] for name in owner if name in index]
    meta = {"phenomenon": frame.phenomenon, "domain": domain, "frame": frame.number}
    return {"v": 1, "text": text, "aspects": aspects, "opinions": opinions,
            "links": sorted(links), "meta": meta}


def draw_aspects(rng, frame, aspects, place):
    fit = [aspect for aspect in aspects if frame.fits(aspect, place)]
    chosen = {}
    for name in "ABC"[:len(frame.pattern)]:
        seen = set().union(*(aspect.words for aspect in chosen.values()))
        rest = [a for a in fit if not a.words & seen]
        if frame.types == "same" and chosen:
            rest = [a for a in rest if a.kind == chosen["A"].kind]
        if not rest:
            raise Unfit
        chosen[name] = rng.choice(rest)
    return chosen


def sentences(rng, lexicon, frames, scheme, count):
    """Visits the frames of each phenomenon and the domains in turn until there are enough."""
    out, seen, domains = [], set(), list(lexicon.domains)
    clauses = {"cl": frames["clause"], "fr": frames["fragment"]}
    turn = 0
    for phenomenon, share in SHARES[scheme].items():
        usable = [f for f in frames[phenomenon] if f.scheme in (None, scheme)]
        target, queue = len(out) + round(count * share / 100), []
        while len(out) < target:
            if not queue:
                # A frame with fixed polarities is drawn as often as half a pair.
                queue = [f for f in usable for _ in range(1 if f.free else 2)]
                rng.shuffle(queue)
            frame, domain = queue.pop(), domains[turn % len(domains)]
            turn += 1
            facts, aspects = lexicon.domains[domain]
            try:
                chosen = draw_aspects(rng, frame, aspects, facts["place"])
                pair = []
                for x in "+-" if frame.free else "+":
                    signs = frame.signs(x)
                    writer = Writer(rng, lexicon, clauses, scheme, facts, chosen, signs)
                    pieces = writer.fill(frame.template)
                    capitals = style(pieces, rng, facts["lead"], frame.phenomenon != "neutral",
                                     "0" in frame.pattern, set(signs.values()) - {"0"})
                    pair.append(record(pieces, capitals, frame, signs, scheme, domain))
            except Unfit:
                queue.insert(0, frame)
                continue
            keys = {re.sub(r"\W+", " ", r["text"].lower()).strip() for r in pair}
            if len(keys) == len(pair) and not keys & seen:
                seen |= keys
                out += pair
    return out


def handwritten(folder, scheme):
    """The sentences of all files in `handwritten`."""
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                yield handwritten_record(line, scheme)


def handwritten_record(line, scheme):
    """A line `DOMAIN | PHENOMENON | TEXT`; handwritten/README.md describes the marks."""
    domain, phenomenon, text = line.split(" | ", 2)
    frame, signs, pieces = Frame("0 | any | -", phenomenon, -1), {}, []
    for part in re.split(r"(\[[A-E]:[^]]*\]|<[A-E]:[^>]*>)", text):
        if part.startswith("["):
            term, signs[part[1]] = part[3:-1].split("|")
            pieces.append([term, part[1], ""])
        else:
            marked = part.startswith("<")
            pieces.append([part[3:-1], None, part[1]] if marked else [part, None, ""])
    return record(pieces, False, frame, signs, scheme, domain)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the two files")
    parser.add_argument("--count", type=int, default=6000, help="filled frames in both files")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=0, help="print this many with marked labels")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    lexicon, frames = Lexicon(HERE), read_frames(HERE)
    seen = set()
    for scheme in ("judged", "terms"):
        rng = random.Random(f"{args.seed} {scheme}")
        filled = sentences(rng, lexicon, frames, scheme, args.count // 2)
        filled = [item for item in filled if item["text"].lower() not in seen]
        seen |= {item["text"].lower() for item in filled}
        made = list(handwritten(HERE / "handwritten", scheme)) + filled
        made = [{"v": 1, "id": f"contrast-{scheme}-{n}"} | item for n, item in enumerate(made)]
        check(made)
        lines = (json.dumps(item, ensure_ascii=False) + "\n" for item in made)
        (args.out / f"{scheme}.jsonl").write_text("".join(lines), "utf-8")
        report(scheme, made)
        for item in random.Random().sample(made, args.show // 2):
            print(f"  {item['meta']['phenomenon'][:4]}{item['meta']['frame']:<3}", inline(item))


if __name__ == "__main__":
    sys.exit(main())
