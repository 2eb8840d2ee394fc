"""Times a pre-trained encoder in Rust, PyTorch and onnxruntime, in turns, and prints ratios.

All three have the same weights and two threads. Sentences are those of the training split of res14.
Training uses batches of 32 sentences of similar length, a classifier of 5 classes on the first
subword of every word, dropout and AdamW; PyTorch pads. Inference is on 256 sentences, where the
peers use padded batches of similar length of the size that is fastest for each. Latency is that of
one sentence of 20 subwords. The best time of all rounds counts. The ratio of processor times, which
includes waiting threads of the peers, is more reliable on a busy machine. Rust also runs in 8-bit
integers (inference only), and in bfloat16 where the CPU supports it; the peers always have full
precision.

Usage: encoder.py BENCH_BINARY --encoder DIR [--data DIR] [--rounds N]     (see encoder.sh)
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import numpy
import onnxruntime
import tokenizers
import torch
from torch import nn
from transformers import AutoModel
from transformers.utils import logging

logging.disable_progress_bar()
warnings.filterwarnings("ignore")
THREADS = 2
CLASSES = 5
SIZES = (8, 16, 32)
torch.set_num_threads(THREADS)
torch.manual_seed(1)


class Rust:
    def __init__(self, binary, encoder, texts, precision):
        self.name = f"Rust, {precision}"
        self.process = subprocess.Popen(
            [binary, encoder, texts, precision],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.backend = self.process.stdout.readline().strip()
        if not self.backend:
            sys.exit("the Rust benchmark program did not start")

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the Rust benchmark program has stopped")
        return [float(word) for word in line.split()]

    def run(self, case, number):
        return self.ask(case, number)[0]

    def processor(self):
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def padded(sentences):
    longest = max(len(it["ids"]) for it in sentences)
    ids = torch.zeros(len(sentences), longest, dtype=torch.long)
    mask = torch.zeros(len(sentences), longest, dtype=torch.long)
    for i, it in enumerate(sentences):
        ids[i, : len(it["ids"])] = torch.tensor(it["ids"])
        mask[i, : len(it["ids"])] = 1
    return ids, mask


class Peer:
    """Inference in padded batches of similar length."""

    def __init__(self, texts):
        self.texts = texts
        self.size = SIZES[-1]

    def sentences(self, batch):
        return [self.texts["sentences"][i] for i in self.texts["batches"][batch]]

    def infer(self, batch):
        sentences = sorted(self.sentences(batch), key=lambda it: len(it["ids"]))
        start = time.perf_counter()
        for first in range(0, len(sentences), self.size):
            self.forward(*padded(sentences[first : first + self.size]))
        return time.perf_counter() - start

    def choose(self, batch, choices):
        """The choice that is fastest, in turns: a disturbance then meets all of them."""
        best = {}
        for _ in range(4):
            for choice in choices:
                self.use(*choice)
                best[choice] = min(best.get(choice, float("inf")), self.infer(batch))
        self.use(*min(choices, key=best.get))

    def use(self, size):
        self.size = size

    def choose_size(self, batch):
        self.choose(batch, [(size,) for size in SIZES])

    def one(self, sentence):
        ids, mask = padded([self.texts["sentences"][sentence]])
        start = time.perf_counter()
        self.forward(ids, mask)
        return time.perf_counter() - start

    def run(self, case, number):
        return getattr(self, case)(number)

    def processor(self):
        return time.process_time()


class Network(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.classes = nn.Linear(encoder.config.hidden_size, CLASSES)

    def forward(self, ids, mask):
        return self.classes(self.encoder(ids, attention_mask=mask).last_hidden_state)


class PyTorch(Peer):
    name = "PyTorch"

    def __init__(self, encoder, texts):
        super().__init__(texts)
        self.network = Network(AutoModel.from_pretrained(encoder))
        self.adam = torch.optim.AdamW(self.network.parameters(), lr=1e-7, weight_decay=0.01)

    def forward(self, ids, mask):
        self.network.eval()
        with torch.inference_mode():
            return self.network(ids, mask)

    def train(self, batch):
        self.network.train()
        start = time.perf_counter()
        sentences = self.sentences(batch)
        ids, mask = padded(sentences)
        labels = torch.full(ids.shape, -100)
        for i, it in enumerate(sentences):
            labels[i, it["words"]] = torch.arange(len(it["words"])) % CLASSES
        self.adam.zero_grad()
        logits = self.network(ids, mask)
        nn.functional.cross_entropy(logits.reshape(-1, CLASSES), labels.reshape(-1)).backward()
        self.adam.step()
        return time.perf_counter() - start

    def product(self, _):
        a, b = torch.randn(2560, 1280), torch.randn(1280, 256)
        start = time.perf_counter()
        a @ b
        return time.perf_counter() - start

    def output(self, sentence):
        ids, mask = padded([self.texts["sentences"][sentence]])
        self.network.eval()
        with torch.inference_mode():
            return (
                self.network.encoder(ids, attention_mask=mask)
                .last_hidden_state.flatten()[:64]
                .numpy()
            )


class Onnx(Peer):
    name = "onnxruntime"

    def __init__(self, network, texts, folder):
        super().__init__(texts)
        plain = folder / "plain.onnx"
        network.eval()
        ids = torch.ones(2, 9, dtype=torch.long)
        axes = {"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 1: "length"}}
        torch.onnx.export(
            network,
            (ids, ids),
            str(plain),
            input_names=["ids", "mask"],
            output_names=["logits"],
            dynamic_axes=axes,
            dynamo=False,
            opset_version=17,
        )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        config = network.encoder.config
        sessions = [
            onnxruntime.InferenceSession(plain, options, providers=["CPUExecutionProvider"])
        ]
        try:
            from onnxruntime.transformers import optimizer

            fused = optimizer.optimize_model(
                str(plain),
                model_type="bert",
                num_heads=config.num_attention_heads,
                hidden_size=config.hidden_size,
                opt_level=1,
            )
            fused.save_model_to_file(str(folder / "fused.onnx"))
            sessions.append(
                onnxruntime.InferenceSession(
                    folder / "fused.onnx", options, providers=["CPUExecutionProvider"]
                )
            )
        except (ImportError, RuntimeError) as error:
            print(f"(onnxruntime's own optimizer cannot be used: {error})")
        self.sessions = dict(zip(("plain", "fused"), sessions))

    def use(self, size, graph):
        self.size, self.graph, self.session = size, graph, self.sessions[graph]

    def choose_size(self, batch):
        """Also the faster of the plain graph and the one that onnxruntime's optimizer made."""
        self.choose(batch, [(size, graph) for size in SIZES for graph in self.sessions])

    def forward(self, ids, mask):
        return self.session.run(None, {"ids": ids.numpy(), "mask": mask.numpy()})[0]


def read_texts(encoder, data):
    """Subwords of the sentences, and the numbers of those at which a word begins."""
    tokenizer = tokenizers.Tokenizer.from_file(str(encoder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    sentences = []
    for line in (data / "aspect/res14/train/sentence.txt").read_text().splitlines():
        encoded = tokenizer.encode(line.split(), is_pretokenized=True)
        words = [
            i
            for i, word in enumerate(encoded.word_ids)
            if word is not None and word != encoded.word_ids[i - 1]
        ]
        sentences.append({"ids": encoded.ids, "words": words})
    return sentences


def flops(config, tokens, words):
    """Multiplications and additions of the linear layers for one forward run."""
    hidden, inner = config.hidden_size, config.intermediate_size
    block = 2 * (4 * hidden * hidden + 2 * hidden * inner)
    skipped = 2 * (2 * hidden * hidden + 2 * hidden * inner)
    return config.num_hidden_layers * block * tokens - skipped * (tokens - words)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("binary")
    parser.add_argument("--encoder", type=pathlib.Path, required=True, help="folder of the encoder")
    parser.add_argument(
        "--data",
        type=pathlib.Path,
        default=os.environ.get("IMN_DATA", "."),
        help="[default: $IMN_DATA]",
    )
    parser.add_argument("--rounds", type=int, default=10, help="turns of each side")
    options = parser.parse_args()
    sentences = read_texts(options.encoder, pathlib.Path(options.data))
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]["ids"]))
    # Training batches of 32 sentences of similar length, over all lengths. The last batch is for
    # inference.
    count = len(order) // 32
    batches = [order[i * 32 : (i + 1) * 32] for i in range(count)]
    spread = [batches[(2 * i + 1) * count // 20] for i in range(10)]
    spread.append(order[len(order) % 256 // 2 :: len(order) // 256][:256])
    texts = {"sentences": sentences, "batches": spread}
    single = min(range(len(sentences)), key=lambda i: (abs(len(sentences[i]["ids"]) - 20), i))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "texts.json").write_text(json.dumps(texts))
        rusts = [
            Rust(options.binary, options.encoder, folder / "texts.json", precision)
            for precision in ("f32", "bf16", "int8")
        ]
        rusts = [rust for rust in rusts if rust.backend != "unavailable"]
        pytorch = PyTorch(options.encoder, texts)
        onnx = Onnx(pytorch.network, texts, folder)
        compare(rusts, pytorch, onnx, single, options.rounds)


def compare(rusts, pytorch, onnx, single, rounds):
    rust = rusts[0]
    off = max(abs(numpy.array(rust.ask("output", single)) - pytorch.output(single)))
    if off > 1e-3:
        sys.exit(f"outputs differ by {off}")
    for peer in (pytorch, onnx):
        peer.choose_size(10)
    times, processor = {}, {}

    def turn(case, number, sides, repeats=1):
        for side in sides:
            key = case, number, side.name
            for _ in range(repeats):
                before = side.processor()
                times.setdefault(key, []).append(side.run(case, number))
                processor.setdefault(key, []).append(side.processor() - before)
            # Threads of the peers keep spinning for a while after their work.
            time.sleep(0.05)

    # Integers are for inference only.
    trained = [rust for rust in rusts if not rust.name.endswith("int8")]
    for number in range(10):
        turn("train", number, (*trained, pytorch))
    times.clear()
    processor.clear()
    for _ in range(rounds):
        for number in range(10):
            turn("train", number, (*trained, pytorch))
        turn("infer", 10, (*rusts, pytorch, onnx), 2)
        turn("one", single, (*rusts, pytorch, onnx), 20)
        turn("product", 0, (rust, pytorch), 3)

    config = pytorch.network.encoder.config

    def best(measured, case, side):
        return sum(
            min(values)
            for key, values in measured.items()
            if key[0] == case and key[2] == side.name
        )

    print(
        f"Rust kernels: {rust.backend}; PyTorch {torch.__version__} (batches of {pytorch.size}), "
        f"onnxruntime {onnxruntime.__version__} ({onnx.graph} graph, batches of {onnx.size}); "
        f"{THREADS} threads each; {config.num_hidden_layers} layers of {config.hidden_size}; "
        f"outputs differ by {off:.1e}"
    )
    print()
    print("| work | precision | Rust, ms | peer | peer, ms | Rust / peer | processor time |")
    print("|---|---|---|---|---|---|---|")
    rows = [
        ("training, 10 batches of 32", "train", pytorch),
        ("inference, 256 sentences", "infer", pytorch),
        ("inference, 256 sentences", "infer", onnx),
        ("one sentence of 20 subwords", "one", pytorch),
        ("one sentence of 20 subwords", "one", onnx),
    ]
    for side in rusts:
        for title, case, peer in rows:
            if case == "train" and side not in trained:
                continue
            ours, theirs = 1e3 * best(times, case, side), 1e3 * best(times, case, peer)
            share = best(processor, case, side) / best(processor, case, peer)
            print(
                f"| {title} | {side.name.removeprefix('Rust, ')} | {ours:.1f} | {peer.name} | "
                f"{theirs:.1f} | {ours / theirs:.2f} | {share:.2f} |"
            )
    work = 2 * 2560 * 1280 * 256 / 1e9
    rates = {side.name: work / best(times, "product", side) for side in (rust, pytorch)}
    top = max(rates.values())
    size = lambda numbers, part: sum(
        len(it[part]) for number in numbers for it in pytorch.sentences(number)
    )
    inference = (
        flops(config, size([10], "ids"), size([10], "words")) / 1e9 / best(times, "infer", rust)
    )
    training = (
        3
        * flops(config, size(range(10), "ids"), size(range(10), "words"))
        / 1e9
        / best(times, "train", rust)
    )
    print()
    print(
        "Best matrix products (2560 x 1280 x 256, GFLOP/s): "
        + ", ".join(f"{name} {rate:.0f}" for name, rate in rates.items())
    )
    print(
        f"Linear layers in Rust: inference {inference:.0f} GFLOP/s, "
        f"{100 * inference / top:.0f} % of the best; training with everything "
        f"{training:.0f} GFLOP/s, {100 * training / top:.0f} %"
    )


if __name__ == "__main__":
    main()
