"""Writes the results of the `transformers` package for BERT and MPNet encoders.

    pip install -r bench/requirements-encoder.txt
    python crates/imn-nn/tests/golden/generate_encoders.py [FOLDER]

Two tiny encoders with random weights are stored: configuration, weights, and the outputs and the
gradients of all weights for the same tokens. Gradients have the names of the weights, so that the
loader of weights can read them.

FOLDER contains real encoders in the layout of scripts/encoders.py. Their outputs for two sentences
(the first 64 columns of every token) are written to encoders.safetensors.
"""

import json
import pathlib
import sys

import torch
from safetensors.torch import save_file
from transformers import AutoModel, BertConfig, BertModel, MPNetConfig, MPNetModel

HERE = pathlib.Path(__file__).parent
SIZES = dict(
    vocab_size=40,
    hidden_size=24,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=40,
    hidden_dropout_prob=0.1,
    attention_probs_dropout_prob=0.1,
)
LENGTHS = [5, 1, 19, 2]
torch.set_num_threads(1)


def named(tensors):
    return {key: value.detach().clone().float().contiguous() for key, value in tensors.items()}


def outputs(model, sequences):
    return torch.cat([model(ids[None]).last_hidden_state[0] for ids in sequences])


def tiny(name, model, prefix):
    """`prefix` is prepended to every name, as in files that were saved with a task head."""
    torch.manual_seed(20190728)
    for key, value in model.named_parameters():
        noise = torch.randn_like(value)
        value.data = 1 + 0.2 * noise if key.endswith("LayerNorm.weight") else 0.3 * noise
    model.eval()
    # Tokens 0 and 1 are padding for one model or the other and would get special positions.
    sequences = [torch.randint(2, 40, (n,)) for n in LENGTHS]
    output = outputs(model, sequences)
    weights = torch.randn_like(output)
    (output * weights).sum().backward()
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    config = model.config.to_dict() | {"architectures": [type(model).__name__]}
    (folder / "config.json").write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")
    save_file(
        {prefix + key: value for key, value in named(dict(model.named_parameters())).items()},
        folder / "model.safetensors",
    )
    gradients = {
        key: value.grad for key, value in model.named_parameters() if value.grad is not None
    }
    save_file(named(gradients), folder / "gradients.safetensors")
    results = {
        "ids": torch.cat(sequences),
        "output": output,
        "weights": weights,
        "lengths": torch.tensor(LENGTHS),
    }
    save_file(named(results), folder / "results.safetensors")


def real(folder):
    store = {}
    for name in ("minilm", "gte-small", "mpnet"):
        model = AutoModel.from_pretrained(pathlib.Path(folder) / name).eval()
        torch.manual_seed(7)
        sequences = [torch.randint(1000, 28000, (n,)) for n in (7, 33)]
        with torch.inference_mode():
            output = outputs(model, sequences)
        store[f"{name}/ids"] = torch.cat(sequences)
        store[f"{name}/lengths"] = torch.tensor([len(ids) for ids in sequences])
        store[f"{name}/output"] = output[:, :64]
    save_file(named(store), HERE / "encoders.safetensors")


tiny("bert", BertModel(BertConfig(**SIZES, max_position_embeddings=20, type_vocab_size=2)), "bert.")
tiny("mpnet", MPNetModel(MPNetConfig(**SIZES, max_position_embeddings=22, pad_token_id=1)), "")
if len(sys.argv) > 1:
    real(sys.argv[1])
