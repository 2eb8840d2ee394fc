"""Times inference in Rust, PyTorch and onnxruntime, in turns, and prints rates and ratios.

All three have the same weights and, in full precision, must first give the same probabilities. Rust
also runs with products of 8-bit integers, the default of a quantized model. They take turns, so
that background load affects all of them: a thousand sentences for throughput (the peers in padded
batches of similar length, of the size that is fastest for each), and one sentence at a time for
latency. Each sentence of the data folder is a review. Without data, sentences are drawn from the
vocabulary of the model.

On a busy machine the rates mean little, because the peers synchronize their threads after every
operation. The processor time with one thread each (--threads 1) is then the fairer measure.
"""

import argparse
import json
import logging
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import warnings

import numpy
import onnxruntime
import safetensors.torch
import torch

from epoch import processor_seconds
from imn_torch import AE_CLASSES, IMN, POLARITIES, Config, pad

TOLERANCE = 1e-4
# Sentences per turn of throughput and of latency.
TURN, SINGLE = 1000, 50
BATCHES = (8, 16, 32, 64)
# Seconds between turns, because threads of the peers keep spinning for a while after their work.
PAUSE = 0.05


class Rust:
    def __init__(self, folder, model, texts, precision):
        self.process = subprocess.Popen(
            [folder / "examples/bench_analyze", model, texts, precision],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self.process.pid
        self.backend = self.process.stdout.readline().strip()
        if not self.backend:
            sys.exit("the Rust benchmark program did not start")

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the Rust benchmark program has stopped")
        return line.split()


class RustSide:
    """`read`, the network on word numbers, or `analyze`, from text to analysis."""

    def __init__(self, rust, task, threads):
        self.rust, self.task, self.threads = rust, task, threads
        self.pid = rust.pid

    def many(self, first, count):
        return float(self.rust.ask(self.task, self.threads, first, count)[0])

    def single(self, first, count):
        return [
            float(seconds)
            for seconds in self.rust.ask(f"{self.task}-one", self.threads, first, count)
        ]


class Peer:
    """A network that takes padded batches: `run(words, mask)` gives ŷ^ae, ŷ^as and A."""

    def __init__(self, run, sentences):
        self.run, self.sentences, self.batch = run, sentences, BATCHES[0]
        self.pid = os.getpid()

    def take(self, first, count):
        return [self.sentences[i % len(self.sentences)] for i in range(first, first + count)]

    def many(self, first, count):
        sentences = self.take(first, count)
        start = time.perf_counter()
        sentences.sort(key=len)
        for at in range(0, count, self.batch):
            self.run(*pad(sentences[at : at + self.batch]))
        return time.perf_counter() - start

    def single(self, first, count):
        seconds = []
        for sentence in self.take(first, count):
            start = time.perf_counter()
            self.run(*pad([sentence]))
            seconds.append(time.perf_counter() - start)
        return seconds

    def tune(self):
        """Takes the size of batches that is fastest."""
        best = {size: 1e9 for size in BATCHES}
        for _ in range(2):
            for size in BATCHES:
                self.batch = size
                best[size] = min(best[size], self.many(0, 512))
        self.batch = min(best, key=best.get)


class Reader(torch.nn.Module):
    """What is asked of a network at inference: the last round."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, words, mask):
        last = self.network(words, mask)[-1]
        return last.ae, last.as_, last.attention


def network_of(folder):
    """The network that the Rust side exported."""
    told = json.loads((folder / "network.json").read_text())
    names = {field.name for field in Config.__dataclass_fields__.values()}
    model = told["model"]
    cnn = model["encoder"]["cnn"]
    model |= {"filters": cnn["filters"], "shared_layers": cnn["layers"]}
    config = Config(**{name: value for name, value in model.items() if name in names})
    tensors = safetensors.torch.load_file(folder / "weights.safetensors")
    network = IMN(
        config, tensors["shared.embedding.table"], told["general_columns"], max(told["domains"], 1)
    )
    network.load_named(tensors)
    return config, told["dimensions"], network.eval()


def onnx_session(reader, folder, threads):
    words, mask = pad([[1, 2, 3, 4, 5, 6, 7], [1, 2, 3]])
    batch, tokens = torch.export.Dim("batch"), torch.export.Dim("tokens")
    shapes = {"words": {0: batch, 1: tokens}, "mask": {0: batch, 1: tokens}}
    path = str(folder / "network.onnx")
    with torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        torch.onnx.export(
            reader,
            (words, mask),
            path,
            dynamo=True,
            dynamic_shapes=shapes,
            verbose=False,
            input_names=["words", "mask"],
            output_names=["ae", "as", "attention"],
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def multiplications(config, dimensions, sentences):
    """Multiplications of the direct form of the network, without DS and DD (a ten-thousandth)."""
    f, classes = config.filters, AE_CLASSES[config.opinions]
    convolution = 5 * f * f
    seen = {
        "initial_shared": dimensions + 2 * f,
        "every_shared_layer": dimensions + (config.shared_layers + 1) * f,
        "task_only": f,
    }[config.ae_representation]
    once = dimensions * f // 2 * (3 + 5) + (config.shared_layers - 1) * convolution
    a_round = (
        (config.ae_layers + config.as_layers) * convolution
        + seen * classes
        + f * f
        + 2 * f * POLARITIES
    )
    messages = {"none": 0, "aspect": f + classes + 3, "aspect_and_document": f + classes + 8}[
        config.messages
    ] * f
    words = sum(map(len, sentences))
    pairs = sum(len(sentence) ** 2 for sentence in sentences)
    return (
        words * (once + (config.rounds + 1) * a_round + config.rounds * messages)
        + pairs * (config.rounds + 1) * 2 * f
    )


def check(rust, peers, config, sentences, folder):
    """Returns the largest difference of each peer from Rust on these sentences."""
    rust.ask("probabilities", len(sentences), folder / "probabilities")
    numbers = numpy.fromfile(folder / "probabilities", "<f4")
    worst, at = dict.fromkeys(peers, 0.0), 0
    for sentence in sentences:
        n = len(sentence)
        parts = []
        for columns in (AE_CLASSES[config.opinions], POLARITIES, n):
            parts.append(numbers[at : at + n * columns].reshape(n, columns))
            at += n * columns
        for name, peer in peers.items():
            for ours, theirs in zip(parts, peer.run(*pad([sentence]))):
                difference = float(numpy.abs(numpy.asarray(theirs)[0] - ours).max()) if n else 0.0
                worst[name] = max(worst[name], difference)
    assert at == len(numbers), "numbers without a sentence"
    for name, difference in worst.items():
        if not difference < TOLERANCE:
            sys.exit(f"{name} and Rust disagree: probabilities differ by {difference:.2e}")
    return worst


def product_rate(folder, threads, turns=10):
    """The best rate of a large matrix product, in multiplications per second (see engine.py)."""
    environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    process = subprocess.Popen(
        [folder / "examples/bench_engine"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    process.stdout.readline()
    a, b = torch.randn(2560, 1280), torch.randn(1280, 256)
    best = 1e9
    for _ in range(turns):
        for case in ("product-packed", "product-gemm"):
            process.stdin.write(case + "\n")
            process.stdin.flush()
            best = min(best, float(process.stdout.readline()))
        for _ in range(3):
            start = time.perf_counter()
            a @ b
            best = min(best, time.perf_counter() - start)
    process.stdin.close()
    process.wait()
    return 2560 * 1280 * 256 / best


def start_up(folder, model):
    """Seconds from the start of the binary to the analysis of one sentence."""
    binary = folder / "imn"
    seconds = []
    for _ in range(7):
        start = time.perf_counter()
        subprocess.run(
            [binary, "analyze", "--model", model],
            input="The soup was cold.\n",
            text=True,
            capture_output=True,
            check=True,
        )
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def texts_of(data):
    """The sentences of a data folder."""
    paths = sorted(pathlib.Path(data).glob("aspect/*/*/sentence.txt"))
    if not paths:
        sys.exit(f"no aspect/*/*/sentence.txt in {data}")
    lines = [
        line.strip() for path in paths for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [line for line in lines if line]


def vocabulary(model):
    """The words of a model file, frequent words first."""
    with open(model, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(json.loads(file.read(size))["__metadata__"]["imn"])
    encoder = header["parts"][0]["encoder"]
    if "words" not in encoder:
        sys.exit(f"{model}: the network of the peer is a CNN over words, and this one is not")
    return encoder["words"]["vocabulary"]["words"]


def generated(model):
    """Sentences of realistic lengths from the vocabulary of a model, frequent words more often."""
    words = [word for word in vocabulary(model) if word.isalpha()]
    texts = []
    for _ in range(5000):
        length = min(80, max(1, round(random.lognormvariate(2.6, 0.6))))
        texts.append(
            " ".join(words[int(len(words) ** random.random()) - 1] for _ in range(length)) + " ."
        )
    return texts


def progress(what):
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder", type=pathlib.Path, help="folder of the Rust programs, target/release"
    )
    parser.add_argument("--model", required=True, help="model file")
    parser.add_argument(
        "--data",
        help="folder with aspect/*/*/sentence.txt (default: $IMN_DATA, or generated sentences)",
        default=os.environ.get("IMN_DATA"),
    )
    parser.add_argument(
        "--rounds", type=int, default=9, help="turns per side (default: %(default)s)"
    )
    parser.add_argument(
        "--threads", type=int, default=2, help="threads per side (default: %(default)s)"
    )
    parser.add_argument(
        "--largest",
        type=int,
        default=100_000,
        help="size of the largest batch (default: %(default)s)",
    )
    options = parser.parse_args()
    load = os.getloadavg()[0]
    random.seed(1)
    torch.set_num_threads(options.threads)
    texts = texts_of(options.data) if options.data else generated(options.model)
    random.shuffle(texts)
    with tempfile.TemporaryDirectory() as temporary:
        temporary = pathlib.Path(temporary)
        (temporary / "texts").write_text("\n".join(texts), encoding="utf-8")
        rust = Rust(options.folder, options.model, temporary / "texts", "f32")
        integers = Rust(options.folder, options.model, temporary / "texts", "int8")
        rust.ask("export", temporary)
        sentences = json.loads((temporary / "words.json").read_text())
        config, dimensions, network = network_of(temporary)
        reader = Reader(network).eval()
        progress("exporting the network for onnxruntime")
        session = onnx_session(reader, temporary, options.threads)
        peers = {
            "PyTorch": Peer(torch.inference_mode()(reader), sentences),
            "onnxruntime": Peer(
                lambda words, mask: session.run(
                    None, {"words": words.numpy(), "mask": mask.numpy()}
                ),
                sentences,
            ),
        }
        progress("comparing probabilities")
        worst = check(rust, peers, config, sentences[:200], temporary)
    progress("choosing batch sizes")
    for peer in peers.values():
        peer.tune()
    ours = "imn, network"
    sides = {
        ours: RustSide(rust, "read", options.threads),
        "imn, text to analysis": RustSide(rust, "analyze", options.threads),
        "imn, network, int8": RustSide(integers, "read", options.threads),
        "imn, text to analysis, int8": RustSide(integers, "analyze", options.threads),
        **peers,
    }
    for side in sides.values():
        side.many(0, TURN)
        side.single(0, SINGLE)

    rates, latencies = {name: [] for name in sides}, {name: [] for name in sides}
    processor = dict.fromkeys(sides, 0.0)
    order = list(sides.items())
    for turn in range(options.rounds):
        progress(f"turn {turn + 1} of {options.rounds}")
        # All sides read the same sentences, and each of them starts a turn equally often.
        for name, side in order[turn % len(order) :] + order[: turn % len(order)]:
            time.sleep(PAUSE)
            before = processor_seconds(side)
            rates[name].append(TURN / side.many(turn * TURN, TURN))
            processor[name] += (processor_seconds(side) - before) / options.rounds
            time.sleep(PAUSE)
            latencies[name] += side.single(turn * SINGLE, SINGLE)

    progress("larger batches")
    print(
        f"Kernels: {rust.backend}; PyTorch {torch.__version__}, "
        f"onnxruntime {onnxruntime.__version__}; {options.threads} threads each; "
        f"{len(sentences)} sentences of {statistics.mean(map(len, sentences)):.1f} words, "
        f"{dimensions} dimensions per word, "
        f"T = {config.rounds}, messages: {config.messages}; load before the run: {load:.1f}"
    )
    print(
        "Largest difference of probabilities from those of Rust: "
        + ", ".join(f"{name} {difference:.1e}" for name, difference in worst.items())
    )
    print()
    print(
        "| | reviews per second | Rust / peer | processor ms per review | peer / Rust "
        "| one sentence, ms | p95 | Rust / peer |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, side in sides.items():
        title, ratio, work, share = name, "–", "–", "–"
        if name in peers:
            title = f"{name}, batches of {side.batch}"
            ratios = [r / p for r, p in zip(rates[ours], rates[name])]
            ratio = f"{statistics.median(ratios):.2f}"
            work = f"{processor[name] / processor[ours]:.2f}" if processor[ours] else "–"
            single = statistics.median(latencies[ours]) / statistics.median(latencies[name])
            share = f"{single:.2f}"
        print(
            f"| {title} | {statistics.median(rates[name]):.0f} | {ratio} "
            f"| {1e3 * processor[name] / TURN:.2f} | {work} "
            f"| {1e3 * statistics.median(latencies[name]):.2f} "
            f"| {1e3 * percentile(latencies[name], 0.95):.2f} | {share} |"
        )
    for name in peers:
        ratios = [r / p for r, p in zip(rates["imn, network, int8"], rates[name])]
        single = statistics.median(latencies["imn, network, int8"]) / statistics.median(
            latencies[name]
        )
        print(
            f"\nWith int8, the network has {statistics.median(ratios):.2f} times the throughput of "
            f"{name}, and takes {single:.2f} of its time for one sentence."
        )
    print()
    print("| reviews | per second, 1 thread | per second, 2 threads | ratio |")
    print("|---|---|---|---|")
    count = min(1000, options.largest)
    while count <= options.largest:
        turns = max(1, min(5, 5000 // count))
        best = {
            threads: max(
                count / float(rust.ask("read", threads, 0, count)[0]) for _ in range(turns)
            )
            for threads in (1, 2)
        }
        print(f"| {count} | {best[1]:.0f} | {best[2]:.0f} | {best[2] / best[1]:.2f} |")
        count *= 10
    print()
    sample = [sentences[i % len(sentences)] for i in range(TURN)]
    per_review = multiplications(config, dimensions, sample) / TURN
    rate = per_review * statistics.median(rates[ours])
    best = product_rate(options.folder, options.threads)
    print(
        f"Multiplications of the direct form: {2 * rate / 1e9:.0f} GFLOP/s, "
        f"{100 * rate / best:.0f} % of the best matrix product ({2 * best / 1e9:.0f} GFLOP/s)"
    )
    peak = int(rust.ask("memory")[0])
    print(
        f"Peak memory of the Rust side: {peak / 1e9:.2f} GB"
        if peak
        else "Peak memory: unknown on this system"
    )
    seconds = start_up(options.folder, options.model)
    print(f"From the start of the binary to the analysis of a sentence: {seconds:.2f} s (median)")


if __name__ == "__main__":
    main()
