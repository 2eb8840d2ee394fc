"""Times the engine and PyTorch on the same work, in turns, and prints ratios of their best times.

Usage: engine.py BENCH_BINARY ROUNDS   (see engine.sh)
"""

import subprocess
import sys
import time

import torch
from torch import nn

torch.set_num_threads(2)
torch.manual_seed(1)
WORDS = 5000
FULL = [80] * 32
# Lengths of 32 review sentences: mean 15, longest 40.
# fmt: off
REAL = [
    3, 4, 5, 6, 6, 7, 8, 8, 9, 10, 10, 11, 12, 12, 13, 13,
    14, 14, 15, 15, 16, 17, 17, 18, 19, 20, 21, 23, 25, 28, 33, 40,
]
# fmt: on


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 400)
        self.embedding.weight.requires_grad_(False)
        self.narrow = nn.Conv1d(400, 128, 3, padding=1)
        self.wide = nn.Conv1d(400, 128, 5, padding=2)
        self.deep = nn.ModuleList(nn.Conv1d(256, 256, 5, padding=2) for _ in range(3))
        self.classes = nn.Linear(256, 5)
        self.dropout = nn.Dropout(0.5)

    def forward(self, ids):
        x = self.dropout(self.embedding(ids)).transpose(1, 2)
        h = self.dropout(torch.relu(torch.cat([self.narrow(x), self.wide(x)], 1)))
        for conv in self.deep:
            h = self.dropout(torch.relu(conv(h)))
        return self.classes(h.transpose(1, 2))


class PyTorch:
    def __init__(self):
        self.network = Network()
        learning = [p for p in self.network.parameters() if p.requires_grad]
        self.adam = torch.optim.Adam(learning, lr=1e-4)

    def run(self, case, lengths):
        if case.startswith("product") or case == "convolution":
            return self.product()
        longest = max(lengths)
        ids = (torch.arange(len(lengths) * longest) * 7919 % WORDS).reshape(len(lengths), longest)
        labels = (torch.arange(ids.numel()) % 5).reshape(ids.shape)
        mask = torch.arange(longest)[None, :] < torch.tensor(lengths)[:, None]
        labels = labels.masked_fill(~mask, -100)
        if case == "forward":
            self.network.eval()
            with torch.inference_mode():
                start = time.perf_counter()
                self.network(ids)
                return time.perf_counter() - start
        self.network.train()
        start = time.perf_counter()
        self.adam.zero_grad()
        logits = self.network(ids)
        loss = nn.functional.cross_entropy(logits.reshape(-1, 5), labels.reshape(-1))
        loss.backward()
        self.adam.step()
        return time.perf_counter() - start

    def product(self):
        a, b = torch.randn(2560, 1280), torch.randn(1280, 256)
        start = time.perf_counter()
        a @ b
        return time.perf_counter() - start


class Engine:
    def __init__(self, binary):
        self.process = subprocess.Popen(
            [binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.backend = self.process.stdout.readline().strip()

    def run(self, case, lengths):
        self.process.stdin.write(" ".join([case, *map(str, lengths)]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the benchmark program of the engine has stopped")
        return float(line)


def main():
    engine, torch_side = Engine(sys.argv[1]), PyTorch()
    rounds = int(sys.argv[2])
    cases = [
        ("training step, 32 x 80", "train", FULL, 1),
        ("training step, 32 real lengths (PyTorch padded)", "train", REAL, 3),
        ("forward, 32 x 80", "forward", FULL, 2),
        ("forward, 1 x 20", "forward", [20], 20),
    ]
    rates = ["convolution", "product-packed", "product-gemm"]
    best = {}

    def take(key, side, case, lengths):
        seconds = side.run(case, lengths)
        best[key] = min(best.get(key, seconds), seconds)

    for _ in range(rounds):
        for name, case, lengths, repeats in cases:
            for side_name, side in (("engine", engine), ("torch", torch_side)):
                for _ in range(repeats):
                    take((side_name, name), side, case, lengths)
        for case in rates:
            for _ in range(3):
                take(("engine", case), engine, case, [])
        for _ in range(3):
            take(("torch", "product"), torch_side, "product", [])

    print(
        f"engine kernels: {engine.backend}; PyTorch {torch.__version__}, 2 threads each, "
        f"best of {rounds} rounds"
    )
    print()
    print("| work | engine, ms | PyTorch, ms | engine / PyTorch |")
    print("|---|---|---|---|")
    for name, *_ in cases:
        ours, theirs = best["engine", name] * 1e3, best["torch", name] * 1e3
        print(f"| {name} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} |")
    work = 2 * 2560 * 1280 * 256 / 1e9
    products = {
        "PyTorch": work / best["torch", "product"],
        "engine": work / best["engine", "product-packed"],
        "gemm crate": work / best["engine", "product-gemm"],
    }
    top = max(products.values())
    print()
    print(
        "Best matrix-product rates (2560 x 1280 x 256, the engine's and the gemm crate's in 8 "
        "parts, GFLOP/s): " + ", ".join(f"{name} {rate:.0f}" for name, rate in products.items())
    )
    conv = work / best["engine", "convolution"]
    print(
        f"Convolution forward (5 x 256 -> 256, 32 x 80 tokens): {conv:.0f} GFLOP/s, "
        f"{100 * conv / top:.0f} % of the best"
    )


if __name__ == "__main__":
    main()
