"""Times one epoch of IMN^-d training in Rust and in PyTorch, in turns, and prints ratios.

Both train the same network (T = 2, trained vectors of 300 + 100 columns, batches of 32, dropout
0.5, Adam, learning rate 1e-4) on the same batches. Sentence lengths are those of the training set;
words and labels are arbitrary. The two take turns of a few steps, so that background load affects
both. On a busy machine the ratio of times still favours Rust, because PyTorch synchronizes its
threads after every operation. The processor time with one thread each (--threads 1) is then the
fairer measure.
"""

import argparse
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

import torch

from imn_torch import IGNORED, IMN, Config, aspect_loss, pad

# As in crates/imn/examples/bench_epoch.rs: words and labels by the number of a token in the epoch.
WORDS, GENERAL, DOMAIN = 5000, 300, 100
BA, IA, BP, IP, O = range(5)
TAGS = [O, BA, IA, O, BP, IP, O, O]
LEARNING_RATE = 1e-4
BATCH = 32


class PyTorch:
    def __init__(self, sparse):
        self.pid = os.getpid()
        self.network = IMN(
            Config.minus_d(), 0.3 * torch.randn(WORDS, GENERAL + DOMAIN), GENERAL, sparse=sparse
        )
        table = self.network.shared.embedding.weight
        if sparse:
            rest = [parameter for parameter in self.network.parameters() if parameter is not table]
            self.optimizers = [
                torch.optim.Adam(rest, lr=LEARNING_RATE),
                torch.optim.SparseAdam([table], lr=LEARNING_RATE),
            ]
        else:
            self.optimizers = [torch.optim.Adam(self.network.parameters(), lr=LEARNING_RATE)]
        self.network.train()

    def train(self, first, lengths):
        """One step on a batch whose first token has this number; seconds and loss."""
        sentences = []
        for length in lengths:
            sentences.append(range(first, first + length))
            first += length
        words = [[token * 7919 % WORDS for token in tokens] for tokens in sentences]
        tags = [[TAGS[token % len(TAGS)] for token in tokens] for tokens in sentences]
        polarities = [
            [token % 3 if tag in (BA, IA) else IGNORED for token, tag in zip(tokens, row)]
            for tokens, row in zip(sentences, tags)
        ]
        start = time.perf_counter()
        words, mask = pad(words)
        ae_labels, as_labels = pad(tags, IGNORED)[0], pad(polarities, IGNORED)[0]
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        loss = aspect_loss(self.network(words, mask)[-1], mask, ae_labels, as_labels)
        loss.backward()
        for optimizer in self.optimizers:
            optimizer.step()
        return time.perf_counter() - start, loss.item()


class Rust:
    def __init__(self, binary, threads):
        environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        self.process = subprocess.Popen(
            [binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.pid = self.process.pid
        self.backend = self.process.stdout.readline().strip()

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the Rust half of the benchmark has stopped")
        return line.split()

    def train(self, first, lengths):
        seconds, loss = self.ask("train", first, *lengths)
        return float(seconds), float(loss)

    def peak_memory(self):
        return int(self.ask("memory")[0])


def batches_of(lengths, alike):
    """The batches of an epoch in random order, of similar length if `alike` is set."""
    order = sorted(lengths) if alike else random.sample(lengths, len(lengths))
    batches = [order[i : i + BATCH] for i in range(0, len(order), BATCH)]
    random.shuffle(batches)
    first, numbered = 0, []
    for batch in batches:
        numbered.append((first, batch))
        first += sum(batch)
    return numbered


def processor_seconds(side):
    """Processor time of all threads of a side so far; 0 if the system has no /proc."""
    try:
        fields = pathlib.Path(f"/proc/{side.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def race(rust, peer, batches, slice_steps):
    """Seconds, processor seconds and last loss of both sides, and the ratio of every turn."""
    for side in (rust, peer):
        side.train(*batches[0])  # The first step allocates memory and starts threads.
    seconds, processor, losses, ratios = {rust: 0.0, peer: 0.0}, {rust: 0.0, peer: 0.0}, {}, []
    for at in range(0, len(batches), slice_steps):
        part = batches[at : at + slice_steps]
        turn = {}
        for side in (rust, peer) if at // slice_steps % 2 == 0 else (peer, rust):
            before = processor_seconds(side)
            results = [side.train(*batch) for batch in part]
            processor[side] += processor_seconds(side) - before
            turn[side] = sum(result[0] for result in results)
            losses[side] = results[-1][1]
        for side, spent in turn.items():
            seconds[side] += spent
        ratios.append(turn[rust] / turn[peer])
    return seconds, processor, losses, ratios


def main():
    default_data = os.environ.get(
        "IMN_DATA", pathlib.Path(__file__).resolve().parents[2] / "shared/data"
    )
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("binary", help="the Rust program, example bench_epoch")
    parser.add_argument(
        "--data",
        type=pathlib.Path,
        default=default_data,
        help="folder with aspect/res14/train/sentence.txt (default: $IMN_DATA or ../shared/data)",
    )
    parser.add_argument(
        "--steps", type=int, help="maximum number of steps (default: the whole epoch)"
    )
    parser.add_argument(
        "--slice", type=int, default=4, help="steps per turn (default: %(default)s)"
    )
    parser.add_argument(
        "--threads", type=int, default=2, help="threads of each side (default: %(default)s)"
    )
    parser.add_argument(
        "--sparse",
        action="store_true",
        help="use sparse gradients and SparseAdam for the vectors in PyTorch, as the Rust engine "
        "does, instead of Adam",
    )
    options = parser.parse_args()
    path = pathlib.Path(options.data) / "aspect/res14/train/sentence.txt"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}; name the data folder with --data or IMN_DATA")
    lengths = [len(line.split()) for line in lines if line.strip()]

    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    random.seed(1)
    rust, peer = Rust(options.binary, options.threads), PyTorch(options.sparse)
    adam = "SparseAdam for the vectors" if options.sparse else "Adam"
    load = os.getloadavg()[0]
    rows = []
    for name, alike in (
        ("batches of similar length", True),
        ("random batches, PyTorch padded", False),
    ):
        batches = batches_of(lengths, alike)[: options.steps]
        seconds, processor, losses, ratios = race(rust, peer, batches, options.slice)
        for side in (rust, peer):
            if not losses[side] < 4.0:
                sys.exit(f"{type(side).__name__} does not learn: loss {losses[side]}")
        tokens = sum(sum(batch) for _, batch in batches)
        padded = sum(len(batch) * max(batch) for _, batch in batches)
        rows.append(
            (
                f"{name} ({len(batches)} steps, {tokens} tokens, {padded} with padding)",
                seconds[rust],
                seconds[peer],
                statistics.median(ratios),
                processor[rust],
                processor[peer],
            )
        )

    print(
        f"Rust kernels: {rust.backend}; PyTorch {torch.__version__}, {adam}; "
        f"{options.threads} threads each; {len(lengths)} sentences, {WORDS} words; "
        f"turns of {options.slice} steps"
    )
    print()
    print(
        "| work | Rust, s | PyTorch, s | Rust / PyTorch | median of turns "
        "| processor time, s | ratio |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, ours, theirs, median, our_processor, their_processor in rows:
        ratio = f"{our_processor / their_processor:.2f}" if their_processor else "–"
        print(
            f"| {name} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} | {median:.2f} "
            f"| {our_processor:.1f}, {their_processor:.1f} | {ratio} |"
        )
    print()
    peak = rust.peak_memory()
    memory = f"{peak / 1e9:.2f} GB" if peak else "unknown on this system"
    if load > 0.5:
        print(
            f"The machine was busy before the run (load {load:.1f}); repeat it on an idle machine."
        )
    print(f"Peak memory of the Rust side: {memory}")


if __name__ == "__main__":
    main()
