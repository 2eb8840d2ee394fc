"""Writes operations.safetensors and trajectory.safetensors: the results of PyTorch for each
operation of the engine and for 50 training steps.

    pip install -r bench/requirements.txt && python crates/imn-nn/tests/golden/generate.py

The tokens of all sequences are concatenated without separators. Every case stores its inputs and
parameters, the weights that turn its output into a loss, the output, and the gradients of inputs
and parameters.
"""

import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

HERE = pathlib.Path(__file__).parent
LENGTHS = [3, 1, 4]
TOKENS = sum(LENGTHS)
torch.manual_seed(20190728)
torch.set_num_threads(1)
store = {}


def case(name, inputs, params, compute):
    """`compute(inputs, params)` returns the output; `inputs` is a list and `params` a dict."""
    inputs = [x.clone().requires_grad_(x.is_floating_point()) for x in inputs]
    params = {key: p.clone().requires_grad_() for key, p in params.items()}
    output = compute(inputs, params)
    weights = torch.randn_like(output)
    (output * weights).sum().backward()
    for i, x in enumerate(inputs):
        store[f"{name}/input.{i}"] = x.detach().float()
        if x.is_floating_point():
            store[f"{name}/grad.input.{i}"] = x.grad
    for key, p in params.items():
        store[f"{name}/param.{key}"] = p.detach()
        store[f"{name}/grad.param.{key}"] = p.grad
    store[f"{name}/weights"] = weights
    store[f"{name}/output"] = output.detach()


def each(x, compute):
    """Applies `compute` to the tokens of each sequence."""
    return torch.cat([compute(part) for part in x.split(LENGTHS)])


def tokens(cols):
    return torch.randn(TOKENS, cols)


def convolve(x, kernel, bias):
    """kernel: [taps, inputs, outputs]"""
    taps = kernel.shape[0]
    return each(
        x,
        lambda part: F.conv1d(part.T[None], kernel.permute(2, 1, 0), bias, padding=taps // 2)[0].T,
    )


def rnn(module, reverse):
    """A PyTorch recurrent layer with weights input [in, G H], bias [G H], recurrent [H, G H]."""

    def compute(inputs, params):
        def run(part):
            part = part.flip(0) if reverse else part
            bias_hh = params.get("recurrent_bias", torch.zeros_like(params["bias"]))
            weights = {
                "weight_ih_l0": params["input"].T,
                "bias_ih_l0": params["bias"],
                "weight_hh_l0": params["recurrent"].T,
                "bias_hh_l0": bias_hh,
            }
            out = torch.func.functional_call(module, weights, (part[:, None],))[0][:, 0]
            return out.flip(0) if reverse else out

        return each(inputs[0], run)

    return compute


def attention(inputs, _):
    """Eq. 1-2 of the paper, with one factor per pair (a list for all sequences) and per column."""
    q, k, factor, column, v = inputs
    out, at = [], 0
    for qs, ks, cs, vs in zip(*(x.split(LENGTHS) for x in (q, k, column, v))):
        n = len(qs)
        scores = qs @ ks.T * factor[at : at + n * n].reshape(n, n) * cs.reshape(1, n)
        at += n * n
        if n == 1:
            out.append(torch.zeros_like(vs))
            continue
        scores = scores.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf"))
        out.append(scores.softmax(1) @ vs)
    return torch.cat(out)


def multi_head(inputs, p):
    def run(x):
        module = nn.MultiheadAttention(4, 2, batch_first=True)
        weights = {
            "in_proj_weight": torch.cat(
                [p["query.kernel"].T, p["key.kernel"].T, p["value.kernel"].T]
            ),
            "in_proj_bias": torch.cat([p["query.bias"], p["key.bias"], p["value.bias"]]),
            "out_proj.weight": p["output.kernel"].T,
            "out_proj.bias": p["output.bias"],
        }
        return torch.func.functional_call(module, weights, (x[None], x[None], x[None]))[0][0]

    return each(inputs[0], run)


def scan(inputs, _):
    def run(part):
        gate, h = part[:, :3], part[:, 3:]
        state, out = torch.zeros(3), []
        for g, x in zip(gate, h):
            state = g * x + (1 - g) * state
            out.append(state)
        return torch.stack(out)

    return each(torch.cat(inputs, 1), run)


def token_loss(logits, labels, sequence_mean):
    losses = F.cross_entropy(logits, labels.long(), ignore_index=-100, reduction="none")
    if not sequence_mean:
        return (losses.sum() / TOKENS).reshape(1, 1)
    return (sum(part.sum() / len(part) for part in losses.split(LENGTHS)) / len(LENGTHS)).reshape(
        1, 1
    )


def pool(compute):
    return lambda inputs, _: torch.stack([compute(part) for part in inputs[0].split(LENGTHS)])


w = torch.randn
table_ids = torch.tensor([4, 0, 4, 2, 1, 1, 4, 3])
labels = torch.tensor([0, 2, -100, 1, -100, 3, 0, 2])

case("embed", [table_ids], {"table": w(6, 3)}, lambda i, p: F.embedding(i[0], p["table"]))
case(
    "linear",
    [tokens(3)],
    {"kernel": w(3, 5), "bias": w(5)},
    lambda i, p: i[0] @ p["kernel"] + p["bias"],
)
for taps in (1, 3, 5):
    case(
        f"conv{taps}",
        [tokens(3)],
        {"kernel": w(taps, 3, 4), "bias": w(4)},
        lambda i, p: convolve(i[0], p["kernel"], p["bias"]),
    )
    case(
        f"conv{taps}_relu",
        [tokens(3)],
        {"kernel": w(taps, 3, 4), "bias": w(4)},
        lambda i, p: convolve(i[0], p["kernel"], p["bias"]).relu(),
    )
case("take_rows", [tokens(3)], {}, lambda i, _: i[0][torch.tensor([5, 0, 5, 2])])
case("concat", [tokens(2), tokens(3)], {}, lambda i, _: torch.cat(i, 1))
case("slice", [tokens(4)], {}, lambda i, _: i[0][:, 1:3])
case("mask_columns", [tokens(4)], {}, lambda i, _: i[0] * torch.tensor([1.0, 0.0, 0.0, 1.0]))
case("add", [tokens(3), tokens(3)], {}, lambda i, _: i[0] + i[1])
case("mul", [tokens(3), tokens(3)], {}, lambda i, _: i[0] * i[1])
case("mul_column", [tokens(3), tokens(1)], {}, lambda i, _: i[0] * i[1])
case("scale", [tokens(3)], {}, lambda i, _: i[0] * 0.3)
case("one_minus", [tokens(3)], {}, lambda i, _: 1 - i[0])
case("relu", [tokens(3)], {}, lambda i, _: i[0].relu())
case("tanh", [tokens(3)], {}, lambda i, _: i[0].tanh())
case("sigmoid", [tokens(3)], {}, lambda i, _: i[0].sigmoid())
case("gelu", [tokens(3)], {}, lambda i, _: F.gelu(i[0]))
case("softmax", [tokens(5)], {}, lambda i, _: i[0].softmax(1))
case(
    "attention",
    [tokens(3), tokens(3), w(sum(n * n for n in LENGTHS), 1), torch.rand(TOKENS, 1), tokens(2)],
    {},
    attention,
)
case("sequence_softmax", [tokens(1)], {}, lambda i, _: each(i[0], lambda part: part.softmax(0)))
case(
    "attention_pooling",
    [tokens(1), tokens(3)],
    {},
    lambda i, _: torch.stack(
        [(a.softmax(0) * x).sum(0) for a, x in zip(i[0].split(LENGTHS), i[1].split(LENGTHS))]
    ),
)
case(
    "broadcast",
    [w(3, 2)],
    {},
    lambda i, _: torch.cat([row.expand(n, -1) for row, n in zip(i[0], LENGTHS)]),
)
case("mean_rows", [tokens(3)], {}, pool(lambda part: part.mean(0)))
case("max_rows", [tokens(3)], {}, pool(lambda part: part.max(0).values))
case("last_rows", [tokens(3)], {}, pool(lambda part: part[-1]))
case("gated_scan", [torch.rand(TOKENS, 3), tokens(3)], {}, scan)
for reverse in (False, True):
    suffix = "backward" if reverse else "forward"
    case(
        f"lstm_{suffix}",
        [tokens(3)],
        {"input": w(3, 8), "bias": w(8), "recurrent": w(2, 8)},
        rnn(nn.LSTM(3, 2), reverse),
    )
    case(
        f"gru_{suffix}",
        [tokens(3)],
        {"input": w(3, 6), "bias": w(6), "recurrent": w(2, 6), "recurrent_bias": w(6)},
        rnn(nn.GRU(3, 2), reverse),
    )
case(
    "layer_norm",
    [tokens(4)],
    {"gain": w(4), "bias": w(4)},
    lambda i, p: F.layer_norm(i[0], (4,), p["gain"], p["bias"], 1e-5),
)
case(
    "multi_head",
    [tokens(4)],
    {
        f"{part}.{kind}": 0.4 * (w(4, 4) if kind == "kernel" else w(4))
        for part in ("query", "key", "value", "output")
        for kind in ("kernel", "bias")
    },
    multi_head,
)
case("token_loss_sequences", [tokens(4), labels], {}, lambda i, _: token_loss(i[0], i[1], True))
case("token_loss_tokens", [tokens(4), labels], {}, lambda i, _: token_loss(i[0], i[1], False))
case(
    "likelihood",
    [tokens(4), labels],
    {},
    lambda i, _: token_loss(i[0].softmax(1).log(), i[1], True),
)
case(
    "sequence_loss",
    [w(3, 4), torch.tensor([2, 0, 3])],
    {},
    lambda i, _: F.cross_entropy(i[0], i[1]).reshape(1, 1),
)
case(
    "binary_loss",
    [w(3, 1), torch.tensor([1, 0, 1])],
    {},
    lambda i, _: F.binary_cross_entropy_with_logits(i[0][:, 0], i[1].float()).reshape(1, 1),
)
save_file(
    {key: value.detach().clone().float().contiguous() for key, value in store.items()},
    HERE / "operations.safetensors",
)


def trajectory():
    """50 steps of a small network: embedding, convolution, attention, pooling, two heads.

    Every third step freezes `tags.`.
    """
    torch.manual_seed(7)
    words, lengths = 12, [4, 1, 6, 3]
    total = sum(lengths)
    p = {
        "embedding.table": w(words, 5) * 0.5,
        "conv.kernel": w(3, 5, 6) * 0.3,
        "conv.bias": torch.zeros(6),
        "attention.kernel": w(6, 6) * 0.3,
        "pool.kernel": w(6, 1) * 0.3,
        "tags.kernel": w(12, 4) * 0.3,
        "tags.bias": torch.zeros(4),
        "document.kernel": w(6, 3) * 0.3,
        "document.bias": torch.zeros(3),
    }
    out = {f"param.{key}": value.clone() for key, value in p.items()}
    p = {key: value.requires_grad_() for key, value in p.items()}
    others = [value for key, value in p.items() if key != "embedding.table"]
    dense, sparse = torch.optim.Adam(others, lr=0.01), torch.optim.SparseAdam(
        [p["embedding.table"]], lr=0.01
    )
    losses, all_ids, all_tags, all_documents = [], [], [], []
    for step in range(1, 51):
        ids = torch.randint(0, words, (total,))
        tags = torch.randint(0, 4, (total,))
        documents = torch.randint(0, 3, (len(lengths),))
        x = F.embedding(ids, p["embedding.table"], sparse=True)
        tag_losses, pooled = [], []
        at = 0
        for n in lengths:
            part = x[at : at + n]
            h = F.conv1d(
                part.T[None], p["conv.kernel"].permute(2, 1, 0), p["conv.bias"], padding=1
            )[0].T.relu()
            if n == 1:
                context = torch.zeros_like(h)
            else:
                distance = (torch.arange(n)[:, None] - torch.arange(n)[None, :]).abs().float()
                distance.fill_diagonal_(1)
                scores = (h @ p["attention.kernel"] @ h.T) / distance
                scores = scores.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf"))
                context = scores.softmax(1) @ h
            logits = torch.cat([h, context], 1) @ p["tags.kernel"] + p["tags.bias"]
            tag_losses.append(F.cross_entropy(logits, tags[at : at + n]))
            weights = (h @ p["pool.kernel"]).softmax(0)
            pooled.append((weights * h).sum(0))
            at += n
        logits = torch.stack(pooled) @ p["document.kernel"] + p["document.bias"]
        loss = torch.stack(tag_losses).mean() + F.cross_entropy(logits, documents)
        for value in p.values():
            value.grad = None
        loss.backward()
        if step % 3 == 0:
            p["tags.kernel"].grad = p["tags.bias"].grad = None
        dense.step()
        sparse.step()
        losses.append(loss.item())
        all_ids.append(ids)
        all_tags.append(tags)
        all_documents.append(documents)
    out["losses"] = torch.tensor(losses)
    for name, values in (("ids", all_ids), ("tags", all_tags), ("documents", all_documents)):
        out[name] = torch.stack(values).float()
    for key, value in p.items():
        out[f"final.{key}"] = value.detach().clone()
    save_file(
        {key: value.detach().clone().contiguous() for key, value in out.items()},
        HERE / "trajectory.safetensors",
    )


trajectory()
