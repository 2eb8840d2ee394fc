"""Writes model.safetensors: outputs of the network in bench/imn_torch.py on small random input.

    pip install -r bench/requirements.txt && python crates/imn/tests/golden/generate.py

Values are computed in double and stored in single precision. The metadata has the settings of every
case as JSON. Keys:

    CASE/param.NAME                                    weights, named and laid out as in Rust
    CASE/words, lengths, ae_labels, as_labels, gold    concatenated sentences; −1: no label
    CASE/OPINIONS/ROUND/ae, as, attention, ...         OPINIONS is `predicted` or `gold`
    CASE/OPINIONS/loss, grad.NAME                      L_a
    CASE/ds/words, lengths, labels, logits             documents; the same for dd
    CASE/documents/loss, grad.NAME                     L_d
"""

import dataclasses
import json
import pathlib
import sys

import torch
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "bench"))
from imn_torch import (
    IGNORED,
    IMN,
    POLARITIES,
    Config,
    aspect_loss,
    document_loss,
    pad,
)  # noqa: E402

WORDS, GENERAL, DOMAIN = 30, 8, 4
DOMAINS = 2
BA, IA, BP, IP, O = range(5)
# Sentences with aspects of one and of several words, an aspect without polarity (the last token of
# the third sentence), no aspect, and a single word.
TAGS = [
    [O, BA, O, BP, O],
    [BA],
    [BP, IP, O, BA, IA, O, BA],
    [O, BP, IP],
    [BA, IA, IA, O, O, BP, IP, O, BA],
]
SENTIMENTS = [
    [-1, 0, -1, -1, -1],
    [2],
    [-1, -1, -1, 1, 1, -1, -1],
    [-1] * 3,
    [2, 2, 2, -1, -1, -1, -1, -1, 0],
]
DOCUMENTS = {"ds": ([9, 1, 12], POLARITIES), "dd": ([6, 11, 1, 8], DOMAINS)}
SMALL = {"filters": 8, "dropout": 0.0}
CASES = {
    "imn": Config(**SMALL),
    "imn_minus_d": Config.minus_d(**SMALL),
    "vanilla": Config.vanilla(**SMALL),
    "opinion_transmission": Config.minus_d(rounds=0, **SMALL),
    "document_tasks": Config(messages="aspect", rounds=1, **SMALL),
    "unlabelled_opinions": Config.minus_d(opinions="unlabelled", **SMALL),
    "other_layers": Config(
        shared_layers=1, ae_layers=3, as_layers=1, ds_layers=1, dd_layers=1, rounds=1, **SMALL
    ),
    "program": Config(
        ae_representation="every_shared_layer",
        self_attention="query_bias_tanh",
        attention_message="sigmoid",
        **SMALL,
    ),
}
torch.manual_seed(20190728)
torch.set_num_threads(1)
store = {}


def random_network(config):
    """Random weights and biases: sharp attention, and about half of the ReLUs closed."""
    network = IMN(config, torch.randn(WORDS, GENERAL + DOMAIN), GENERAL, DOMAINS)
    weights = network.named()
    for name, value in weights.items():
        if not name.endswith(".table"):
            fan_in = value.shape[:-1].numel() if value.dim() > 1 else 4
            sharpness = 4 if name.endswith(("relevance.kernel", "attention.kernel")) else 1
            weights[name] = torch.randn_like(value) * sharpness * (2 / fan_in) ** 0.5
    network.load_named(weights)
    return network.double()


def flat(padded, mask):
    """`[B, n, ...]` → the real tokens of all texts, one below the other."""
    return padded[mask]


def pairs(padded, mask):
    """`[B, n, n]` → the n × n numbers of each text, one text after the other."""
    return torch.cat([matrix[real][:, real].reshape(-1) for matrix, real in zip(padded, mask)])


def ragged(lists):
    return torch.tensor([number for part in lists for number in part]).float()


def random_words(lengths):
    return [torch.randint(WORDS, (length,)).tolist() for length in lengths]


def labels(rows):
    padded, _ = pad(rows, IGNORED)
    return padded.masked_fill(padded < 0, IGNORED)


def put(prefix, **tensors):
    for key, value in tensors.items():
        store[f"{prefix}/{key}"] = value.detach().float().contiguous().clone()


def gradients(prefix, network, loss):
    network.zero_grad()
    loss.backward()
    put(prefix, loss=loss)
    put(prefix, **{f"grad.{name}": value for name, value in network.named(gradients=True).items()})


def check_padding(network, words, rounds):
    """A text must get in its padded batch what it gets alone."""
    for i, text in enumerate(words):
        alone = network(*pad([text]))
        for whole, single in zip(rounds, alone):
            n = len(text)
            torch.testing.assert_close(whole.ae[i, :n], single.ae[0])
            torch.testing.assert_close(whole.as_[i, :n], single.as_[0])
            torch.testing.assert_close(whole.attention[i, :n, :n], single.attention[0])


def aspects(case, network):
    config = network.config
    words = random_words([len(tags) for tags in TAGS])
    tags = TAGS
    if config.opinions == "unlabelled":
        tags = [[{BA: 0, IA: 1}.get(tag, 2) for tag in row] for row in TAGS]
    gold = [[tag in (BP, IP) for tag in row] for row in TAGS]
    put(
        case,
        words=ragged(words),
        lengths=ragged([map(len, words)]),
        ae_labels=ragged(tags),
        as_labels=ragged(SENTIMENTS),
        gold=ragged(gold),
    )
    ids, mask = pad(words)
    ae_labels, as_labels = labels(tags), labels(SENTIMENTS)
    transmitted = config.opinions == "transmitted"
    for opinions, given in (("predicted", None), ("gold", pad(gold)[0].double())):
        if opinions == "gold" and not transmitted:
            continue
        rounds = network(ids, mask, given)
        if given is None:
            check_padding(network, words, rounds)
        for t, round_ in enumerate(rounds):
            prefix = f"{case}/{opinions}/{t}"
            put(prefix, ae=flat(round_.ae, mask), attention=pairs(round_.attention, mask))
            put(prefix, **{"as": flat(round_.as_, mask)})
            if round_.ds is not None:
                put(
                    prefix,
                    ds=round_.ds,
                    ds_attention=flat(round_.ds_attention, mask),
                    dd_attention=flat(round_.dd_attention, mask),
                )
        gradients(
            f"{case}/{opinions}", network, aspect_loss(rounds[-1], mask, ae_labels, as_labels)
        )


def documents(case, network):
    results = []
    for task, (lengths, classes) in DOCUMENTS.items():
        words = random_words(lengths)
        classes_of = torch.arange(len(lengths)) % classes
        read = network.document_sentiment if task == "ds" else network.document_domain
        logits = read(*pad(words))
        put(
            f"{case}/{task}",
            words=ragged(words),
            lengths=ragged([lengths]),
            labels=classes_of,
            logits=logits,
        )
        results += [logits, classes_of]
    gradients(f"{case}/documents", network, document_loss(*results))


def main():
    for case, config in CASES.items():
        network = random_network(config)
        put(case, **{f"param.{name}": value for name, value in network.named().items()})
        aspects(case, network)
        if config.documents != "none":
            documents(case, network)
    settings = {case: dataclasses.asdict(config) for case, config in CASES.items()}
    # One entry: the order of several would differ from run to run.
    save_file(store, HERE / "model.safetensors", metadata={"settings": json.dumps(settings)})


if __name__ == "__main__":
    main()
