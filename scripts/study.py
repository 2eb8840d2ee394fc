#!/usr/bin/env python3
"""Compares settings on development splits. Test sets are never read.

    scripts/study.py list configs/studies/NAME.toml
    scripts/study.py run configs/studies/NAME.toml DATA_DIR WORK_DIR [VARIANT ...]
    scripts/study.py table configs/studies/NAME.toml
    scripts/study.py check configs/studies/NAME.toml ...

A study is a configuration and a list of variants of it:

    title = "..."                                 heading of the table
    question = "..."                              one paragraph above the table
    config = "configs/paper/imn.{set}.toml"       {set} is replaced by each of `sets`; or
    system = "mnn"                                a network of `imn reproduce --recipe paper`
    sets = ["res14"]
    seeds = [1, 2]
    set = ["data.documents.held_out=0.05"]        settings of all variants

    [[variant]]
    name = "ratio-8"                              folder of its results
    label = "r = 8"                               its row in the table
    set = ["train.ratio=8"]
    config or system, sets, seeds                 optional: instead of those of the study; with
                                                  its own config or system, a variant does not
                                                  have the study's `set`

`run` trains every variant with each seed on each set, or only the named variants, one after the
other, with one thread (IMN_THREADS), and writes results/studies/NAME/VARIANT/SET.seedN.json.
Finished runs are skipped, and a stopped run resumes. Start it twice with the same WORK_DIR to use
two cores: a run that is in progress elsewhere is left to the other process.

`table` writes results/studies/NAME.md from these files: means over seeds of the scores of the best
epoch, and the difference of F1-I from the first variant, paired by seed (of another score if the
study has, for example, `metric = "F1-a"`). `check` fails if that file differs.

Environment: IMN, the program (default imn).
"""

import fcntl
import functools
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import textwrap
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEYS = {"title", "question", "config", "system", "sets", "seeds", "set", "metric", "variant"}
VARIANT_KEYS = {"name", "label", "set", "config", "system", "sets", "seeds"}

# The paper's scores, and where the events of training have them. Extractors have the first two,
# classifiers acc-s and F1-s.
SCORES = {
    "F1-a": ("aspect", "f1"),
    "F1-o": ("opinion", "f1"),
    "acc-s": ("sentiment", "accuracy"),
    "F1-s": ("sentiment", "f1_s", "f1"),
    "F1-I": ("integrated", "f1"),
}


class Study:
    """A study file."""

    def __init__(self, path):
        self.name = pathlib.Path(path).stem
        with open(path, "rb") as file:
            self.settings = tomllib.load(file)
        if unknown := set(self.settings) - KEYS:
            sys.exit(f"{path}: unknown settings: {', '.join(sorted(unknown))}")
        for variant in self.settings["variant"]:
            if unknown := set(variant) - VARIANT_KEYS:
                sys.exit(f"{path}: unknown settings of a variant: {', '.join(sorted(unknown))}")
        names = [variant["name"] for variant in self.settings["variant"]]
        if len(set(names)) < len(names):
            sys.exit(f"{path}: two variants have the same name")
        self.results = ROOT / "results" / "studies" / self.name
        self.page = self.results.with_suffix(".md")

    def variants(self, names=()):
        """The variants, or those with these names."""
        variants = self.settings["variant"]
        if unknown := set(names) - {variant["name"] for variant in variants}:
            sys.exit(f"{self.name} has no variant {', '.join(sorted(unknown))}")
        return [variant for variant in variants if not names or variant["name"] in names]

    def of(self, variant, key):
        """A setting of a variant, by default the study's."""
        return variant.get(key, self.settings.get(key))

    def base(self, variant):
        """What is changed: ("config", PATH) or ("system", NAME)."""
        for settings in (variant, self.settings):
            for kind in ("config", "system"):
                if kind in settings:
                    return kind, settings[kind]
        sys.exit(f"{self.name} has neither `config` nor `system`")

    def overrides(self, variant):
        """The changes to the configuration."""
        is_own = "config" in variant or "system" in variant
        shared = [] if is_own else self.settings.get("set", [])
        return shared + variant["set"]

    def identity(self, variant, on):
        """What a run depends on besides the program and the data."""
        kind, base = self.base(variant)
        identity = {"base": base, "changes": self.overrides(variant)}
        if kind == "config":
            path = ROOT / base.format(set=on)
            identity["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
        return identity

    def result(self, variant, on, seed):
        """The file of a run."""
        return self.results / variant["name"] / f"{on}.seed{seed}.json"

    def runs(self, names=()):
        """All runs, seed by seed, so that every variant has a first run early."""
        variants = self.variants(names)
        seeds = sorted({seed for variant in variants for seed in self.of(variant, "seeds")})
        for seed in seeds:
            for variant in variants:
                if seed in self.of(variant, "seeds"):
                    for on in self.of(variant, "sets"):
                        yield variant, on, seed


def train(study, variant, on, seed, data, work):
    """Trains one run and saves its scores on the development split."""
    out = work / study.name / variant["name"] / f"{on}.seed{seed}"
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"{variant['name']} {on} seed {seed}: another process is at it", flush=True)
            return
        print(f"{variant['name']} {on} seed {seed}", flush=True)
        kind, base = study.base(variant)
        arguments = ["--no-test", "--data", data, "--threads", os.environ.get("IMN_THREADS", "1")]
        for override in study.overrides(variant):
            arguments += ["--set", override]
        if kind == "config":
            config = ROOT / base.format(set=on)
            events = of_config(config, seed, arguments, out / "run", work / "pretrained")
        else:
            events = of_system(base, on, seed, arguments, out.parent)
        summary = {"set": on, "seed": seed} | study.identity(variant, on) | summarized(events)
        result = study.result(variant, on, seed)
        result.parent.mkdir(parents=True, exist_ok=True)
        result.write_text(json.dumps(summary, indent=2) + "\n")


def of_config(config, seed, arguments, out, pretrained):
    """Trains with `imn train`, which skips a finished run and refuses one with other settings, and
    returns the file of events."""
    places = ["--config", config, "--out", out, "--pretrained", pretrained]
    run("train", *places, *arguments, "--set", f"seed={seed}")
    return out / "events.jsonl"


def of_system(system, on, seed, arguments, work):
    """Trains with `imn reproduce`, which skips finished runs, and returns the file of events."""
    choice = ["--recipe", "paper", "--systems", system, "--sets", on, "--seeds", seed]
    run("reproduce", "all", *choice, "--work", work, *arguments)
    return work / "tried" / system / f"{on}.seed{seed}.events.jsonl"


def run(*arguments):
    """Runs the program, and ends this one if that fails."""
    command = [os.environ.get("IMN", "imn"), *map(str, arguments)]
    if subprocess.run(command).returncode != 0:
        sys.exit(f"this command failed: {' '.join(command)}")


def summarized(path):
    """The best epoch, and the accuracies of DS and DD after pre-training and at the end."""
    events = [json.loads(line) for line in path.read_text().splitlines()]
    best = [event for event in events if event["best"]][-1]
    pretraining = [event for event in events if event["phase"] == "pretraining"]
    scores = {}
    for name, (part, *place) in SCORES.items():
        if best["dev"].get(part):
            score = functools.reduce(dict.__getitem__, place, best["dev"][part])
            scores[name] = round(score, 4)
    return {
        "epochs": events[-1]["epoch"],
        "best_epoch": best["epoch"],
        "dev": scores,
        "documents_after_pretraining": pretraining[-1].get("documents") if pretraining else None,
        "documents_at_the_end": events[-1].get("documents"),
        "seconds": round(sum(event["seconds"] for event in events)),
    }


def saved(study, variant, on):
    """The finished runs of a variant on a set, by seed. Runs with other settings are refused."""
    runs = {}
    for path in sorted((study.results / variant["name"]).glob(f"{on}.seed*.json")):
        run = json.loads(path.read_text())
        # Runs from before `base` and `sha256` were saved have their changes only.
        now = study.identity(variant, on)
        if any(run.get(key, value) != value for key, value in now.items()):
            sys.exit(f"{path} has other settings than the study; delete it and run it again")
        runs[run["seed"]] = run
    return runs


def mean(runs, number, digits=2):
    """The mean of a number over runs, as text."""
    numbers = [number(run) for run in runs.values()]
    if not numbers or None in numbers:
        return "–"
    return f"{statistics.mean(numbers):.{digits}f}"


def difference(runs, base, metric):
    """The mean difference of a score from the first variant over common seeds, as text."""
    common = [seed for seed in runs if seed in base]
    if not common or runs is base:
        return "–"
    gains = [runs[seed]["dev"][metric] - base[seed]["dev"][metric] for seed in common]
    each = ", ".join(f"{gain:+z.2f}" for gain in gains)
    return f"{statistics.mean(gains):+z.2f} ({each})".replace("-", "−")


def documents(when, task):
    """A function from a run to the accuracy of DS or DD."""
    return lambda run: (run.get(when) or {}).get(task)


def table(study):
    """The table of a study, as Markdown."""
    metric = study.settings.get("metric", "F1-I")
    legend = (
        "Scores of the best epoch on the development split, means over runs. The last column is "
        f"the difference of {metric} from the first row, and in brackets that of each seed. "
        f"Written by `scripts/study.py table configs/studies/{study.name}.toml`."
    )
    lines = [f"# {study.settings['title']}", ""]
    lines += [*textwrap.wrap(study.settings["question"], 100), "", *textwrap.wrap(legend, 100)]
    sets = []
    for variant in study.variants():
        sets += [on for on in study.of(variant, "sets") if on not in sets]
    for on in sets:
        rows = [(variant, saved(study, variant, on)) for variant in study.variants()]
        rows = [(variant, runs) for variant, runs in rows if runs]
        if not rows:
            continue
        base = rows[0][1]
        after, end = "documents_after_pretraining", "documents_at_the_end"
        every = [run for _, runs in rows for run in runs.values()]
        columns = [("runs", lambda runs: str(len(runs)))]
        columns += [
            ("best epoch", lambda runs: mean(runs, lambda run: run["best_epoch"], 1)),
            ("minutes", lambda runs: f"{float(mean(runs, lambda run: run['seconds'])) / 60:.0f}"),
        ]
        for heading, accuracy in [
            ("DS before", documents(after, "sentiment")),
            ("DS", documents(end, "sentiment")),
            ("DD before", documents(after, "domain")),
            ("DD", documents(end, "domain")),
        ]:
            if any(accuracy(run) is not None for run in every):
                columns.append((heading, lambda runs, get=accuracy: mean(runs, get)))
        for score in SCORES:
            if any(score in run["dev"] for run in every):
                get = lambda run, name=score: run["dev"].get(name)
                columns.append((score, lambda runs, get=get: mean(runs, get)))
        columns.append(("difference", lambda runs: difference(runs, base, metric)))
        headings = ["settings", *(heading for heading, _ in columns)]
        lines += ["", f"## {on}", "", f"| {' | '.join(headings)} |", "|---" * len(headings) + "|"]
        for variant, runs in rows:
            cells = [variant["label"], *(cell(runs) for _, cell in columns)]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main():
    """Runs the command."""
    match sys.argv[1:]:
        case ["list", path]:
            study = Study(path)
            for variant, on, seed in study.runs():
                state = "done" if study.result(variant, on, seed).exists() else "missing"
                print(f"{state:8}{variant['name']} {on} seed {seed}")
        case ["run", path, data, work, *names]:
            study = Study(path)
            for variant, on, seed in study.runs(names):
                if not study.result(variant, on, seed).exists():
                    train(study, variant, on, seed, data, pathlib.Path(work))
        case ["table", path]:
            study = Study(path)
            if not study.results.exists():
                sys.exit(f"{study.name} has no finished runs: `scripts/study.py run` makes them")
            study.page.write_text(table(study))
            print(f"wrote {study.page.relative_to(ROOT)}")
        case ["check", *paths] if paths:
            for study in map(Study, paths):
                if study.results.exists() and study.page.read_text() != table(study):
                    sys.exit(f"{study.page} is out of date: run `scripts/study.py table`")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
