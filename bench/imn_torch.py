"""The network of the paper in PyTorch, written from Section 3 and Appendix A as a reference.

Shapes: B texts, padded to n tokens; a mask `[B, n]` is true at real tokens. Padding must not
influence the result, so the inputs of convolutions are zero there.
"""

import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import nn

# Classes of AE: BA, IA, BP, IP, O; without opinion labels BA, IA, O.
# Classes of AS and DS: positive, negative, neutral.
AE_CLASSES = {"transmitted": 5, "extracted": 5, "unlabelled": 3}
OPINION_CLASSES = slice(2, 4)
POLARITIES = 3
IGNORED = -100


@dataclasses.dataclass
class Config:
    """Names and values as in the Rust `ModelConfig`."""

    filters: int = 256
    shared_layers: int = 2
    ae_layers: int = 2
    as_layers: int = 0
    ds_layers: int = 0
    dd_layers: int = 0
    rounds: int = 2
    opinions: str = "transmitted"  # or "extracted", "unlabelled"
    messages: str = "aspect_and_document"  # or "aspect", "none"
    documents: str = "sentiment_and_domain"  # or "sentiment", "none"
    dropout: float = 0.5
    ae_representation: str = "initial_shared"  # or "every_shared_layer", "task_only"
    self_attention: str = "plain"  # or "bias_tanh", "query_bias_tanh"
    attention_message: str = "softmax"  # or "sigmoid"
    schemes: tuple = ()

    @classmethod
    def minus_d(cls, **changes):
        """IMN^-d: no document tasks and no messages from them."""
        return cls(**{"messages": "aspect", "documents": "none", **changes})

    @classmethod
    def vanilla(cls, **changes):
        """Shared encoder, AE and AS without messages."""
        return cls.minus_d(**{"rounds": 0, "messages": "none", "opinions": "extracted", **changes})


def zero_padding(x, mask):
    return x * mask.unsqueeze(-1)


class Convolution(nn.Module):
    """One CNN layer: ReLU(convolution), dropout. `[B, n, in]` → `[B, n, out]`."""

    def __init__(self, inputs, outputs, widths, dropout):
        super().__init__()
        self.convs = nn.ModuleList(
            nn.Conv1d(inputs, outputs // len(widths), width, padding=width // 2) for width in widths
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        x = x.transpose(1, 2)
        h = (
            torch.cat([conv(x) for conv in self.convs], 1)
            if len(self.convs) > 1
            else self.convs[0](x)
        )
        return zero_padding(self.dropout(F.relu(h)).transpose(1, 2), mask)


class Encoder(nn.Module):
    """A stack of CNN layers of width 5."""

    def __init__(self, filters, layers, dropout):
        super().__init__()
        self.layers = nn.ModuleList(
            Convolution(filters, filters, [5], dropout) for _ in range(layers)
        )

    def forward(self, x, mask):
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def every(self, x, mask):
        """Returns `x` and the output of every layer."""
        outputs = [x]
        for layer in self.layers:
            outputs.append(layer(outputs[-1], mask))
        return outputs


class Shared(nn.Module):
    """f_θs: double embeddings, then m^s CNN layers, the first of widths 3 and 5."""

    def __init__(self, config, vectors, general_columns, sparse):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(vectors, freeze=False, sparse=sparse)
        self.dropout = nn.Dropout(config.dropout)
        self.first = Convolution(vectors.shape[1], config.filters, [3, 5], config.dropout)
        self.rest = Encoder(config.filters, config.shared_layers - 1, config.dropout)
        self.general_columns = general_columns

    def forward(self, words, mask, general_only=False):
        """Returns the embeddings and the output of every layer, h^s(0) last.

        `general_only` masks the domain-specific columns, for DD.
        """
        x = self.embedding(words)
        if general_only:
            x = F.pad(x[..., : self.general_columns], (0, x.shape[-1] - self.general_columns))
        x = zero_padding(self.dropout(x), mask)
        return x, self.rest.every(self.first(x, mask), mask)


class AspectExtraction(nn.Module):
    """AE: the decoder reads [embedding : h^s(0) : h^ae], every shared layer, or h^ae alone."""

    def __init__(self, config, dimensions):
        super().__init__()
        self.encoder = Encoder(config.filters, config.ae_layers, config.dropout)
        self.representation = config.ae_representation
        columns = {
            "initial_shared": dimensions + 2 * config.filters,
            "every_shared_layer": dimensions + (config.shared_layers + 1) * config.filters,
            "task_only": config.filters,
        }
        self.decoder = nn.Linear(columns[self.representation], AE_CLASSES[config.opinions])

    def forward(self, embedding, layers, shared, mask):
        h = self.encoder(shared, mask)
        if self.representation == "task_only":
            return self.decoder(h)
        seen = layers if self.representation == "every_shared_layer" else layers[-1:]
        return self.decoder(torch.cat([embedding, *seen, h], -1))


class AspectSentiment(nn.Module):
    """AS: self-attention (Eq. 1 and 2); the decoder reads [h^s(0) : h'^as]."""

    def __init__(self, config):
        super().__init__()
        self.encoder = Encoder(config.filters, config.as_layers, config.dropout)
        has_query_bias = config.self_attention == "query_bias_tanh"
        self.relevance = nn.Linear(config.filters, config.filters, bias=has_query_bias)
        self.has_tanh = config.self_attention != "plain"
        self.score_bias = (
            nn.Parameter(torch.zeros(1, 1)) if config.self_attention == "bias_tanh" else None
        )
        self.decoder = nn.Linear(2 * config.filters, POLARITIES)

    def forward(self, initial, shared, mask, opinion):
        """Returns logits and attention. `opinion`: P^op `[B, n]`, or None without transmission."""
        h = self.encoder(shared, mask)
        n = h.shape[1]
        position = torch.arange(n, device=h.device)
        distance = (position[:, None] - position[None, :]).abs()
        score = self.relevance(h) @ h.transpose(1, 2)
        if self.score_bias is not None:
            score = score + self.score_bias
        score = score / distance.clamp(min=1)
        if opinion is not None:
            score = score * opinion.unsqueeze(1)
        if self.has_tanh:
            score = score.tanh()
        # Token i attends to every other real token. The row is zero if there is none.
        context = mask.unsqueeze(1) & (distance > 0)
        attention = score.masked_fill(~context, torch.finfo(score.dtype).min).softmax(-1)
        attention = attention.masked_fill(~context, 0.0)
        return self.decoder(torch.cat([initial, attention @ h], -1)), attention


class Document(nn.Module):
    """DS or DD: attention over the tokens (Eq. 3), decoder."""

    def __init__(self, config, layers, classes):
        super().__init__()
        self.encoder = Encoder(config.filters, layers, config.dropout)
        self.attention = nn.Linear(config.filters, 1, bias=False)
        self.message = config.attention_message
        self.decoder = nn.Linear(config.filters, classes)

    def forward(self, shared, mask):
        """Returns logits `[B, classes]` and the attention message `[B, n]`."""
        h = self.encoder(shared, mask)
        score = self.attention(h).squeeze(-1)
        attention = score.masked_fill(~mask, torch.finfo(score.dtype).min).softmax(-1)
        message = attention if self.message == "softmax" else score.sigmoid()
        return self.decoder((attention.unsqueeze(1) @ h).squeeze(1)), message


@dataclasses.dataclass
class Round:
    """Output after t rounds: logits, distributions, attention of AS, messages of DS and DD."""

    ae_logits: torch.Tensor
    ae: torch.Tensor
    as_logits: torch.Tensor
    as_: torch.Tensor
    attention: torch.Tensor
    ds: torch.Tensor | None = None
    ds_attention: torch.Tensor | None = None
    dd_attention: torch.Tensor | None = None


class IMN(nn.Module):
    """IMN, IMN^-d and smaller variants; see `Config`.

    `vectors` `[words, dimensions]` are the initial embeddings. Columns from `general_columns` on
    are domain-specific.
    """

    def __init__(self, config, vectors, general_columns=None, domains=2, sparse=False):
        super().__init__()
        dimensions = vectors.shape[1]
        self.config = config
        self.shared = Shared(
            config, vectors, dimensions if general_columns is None else general_columns, sparse
        )
        self.ae = AspectExtraction(config, dimensions)
        self.as_ = AspectSentiment(config)
        if config.documents != "none":
            self.ds = Document(config, config.ds_layers, POLARITIES)
        if config.documents == "sentiment_and_domain":
            self.dd = Document(config, config.dd_layers, domains)
        if config.rounds > 0 and config.messages != "none":
            messages = AE_CLASSES[config.opinions] + POLARITIES
            if config.messages == "aspect_and_document":
                messages += POLARITIES + 2
            self.re = nn.Linear(config.filters + messages, config.filters)
        if config.schemes:
            self.schemes = nn.Embedding.from_pretrained(
                torch.zeros(len(config.schemes), config.filters), freeze=False
            )
        self.reset_parameters()

    def reset_parameters(self):
        for module in self.modules():
            if isinstance(module, nn.Conv1d | nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    def forward(self, words, mask, gold_opinions=None):
        """Rounds 0 to T. `gold_opinions` `[B, n]` replaces P^op (scheduled sampling)."""
        embedding, layers = self.shared(words, mask)
        initial = shared = layers[-1]
        if self.config.schemes:
            shared = zero_padding(shared + self.schemes.weight[0], mask)
        rounds = []
        for t in range(self.config.rounds + 1):
            ae_logits = self.ae(embedding, layers, shared, mask)
            ae = ae_logits.softmax(-1)
            opinion = None
            if self.config.opinions == "transmitted":
                opinion = (
                    ae[..., OPINION_CLASSES].sum(-1) if gold_opinions is None else gold_opinions
                )
            as_logits, attention = self.as_(initial, shared, mask, opinion)
            round_ = Round(ae_logits, ae, as_logits, as_logits.softmax(-1), attention)
            if self.config.messages == "aspect_and_document":
                ds_logits, round_.ds_attention = self.ds(shared, mask)
                round_.ds = ds_logits.softmax(-1)
                _, round_.dd_attention = self.dd(shared, mask)
            rounds.append(round_)
            if t < self.config.rounds and hasattr(self, "re"):
                shared = self.update(shared, round_, mask)
        return rounds

    def update(self, shared, round_, mask):
        """Eq. 4: h^s(t) from h^s(t−1) and the messages of round t−1."""
        parts = [shared, round_.ae, round_.as_]
        if round_.ds is not None:
            parts.append(round_.ds.unsqueeze(1).expand(-1, shared.shape[1], -1))
            parts += [round_.ds_attention.unsqueeze(-1), round_.dd_attention.unsqueeze(-1)]
        return zero_padding(F.relu(self.re(torch.cat(parts, -1))), mask)

    def document_sentiment(self, words, mask):
        """Logits of ŷ^ds; no message passing on documents."""
        _, layers = self.shared(words, mask)
        return self.ds(layers[-1], mask)[0]

    def document_domain(self, words, mask):
        """Logits of ŷ^dd from the general-purpose embeddings only."""
        _, layers = self.shared(words, mask, general_only=True)
        return self.dd(layers[-1], mask)[0]

    def _layers(self):
        """(name in Rust, layer) for every layer with weights."""

        def encoder(name, layers, first=0):
            for i, layer in enumerate(layers.layers):
                yield f"{name}.layers.{i + first}", layer.convs[0]

        yield "shared.embedding", self.shared.embedding
        yield "shared.narrow", self.shared.first.convs[0]
        yield "shared.wide", self.shared.first.convs[1]
        yield from encoder("shared", self.shared.rest, 1)
        yield from encoder("ae", self.ae.encoder)
        yield "ae.decoder", self.ae.decoder
        yield from encoder("as", self.as_.encoder)
        yield "as.relevance", self.as_.relevance
        yield "as.decoder", self.as_.decoder
        for name in ("ds", "dd"):
            if hasattr(self, name):
                task = getattr(self, name)
                yield from encoder(name, task.encoder)
                yield f"{name}.attention", task.attention
                yield f"{name}.decoder", task.decoder
        if hasattr(self, "re"):
            yield "re.layer", self.re
        if self.config.schemes:
            yield "schemes", self.schemes

    def _tensors(self):
        """(name in Rust, parameter, whether Rust stores its dimensions in reverse order)."""
        if self.as_.score_bias is not None:
            yield "as.score_bias", self.as_.score_bias, False
        for name, layer in self._layers():
            if isinstance(layer, nn.Embedding):
                yield f"{name}.table", layer.weight, False
                continue
            # [out, in, taps] is [taps, in, out] in Rust, and [out, in] is [in, out].
            yield f"{name}.kernel", layer.weight, True
            if layer.bias is not None:
                yield f"{name}.bias", layer.bias, False

    def named(self, gradients=False):
        """Weights or gradients (zero if there is none) with the names and layouts of Rust."""
        result = {}
        for name, parameter, reverse in self._tensors():
            value = parameter.detach()
            if gradients:
                value = torch.zeros_like(value) if parameter.grad is None else parameter.grad
            result[name] = (
                value.permute(*reversed(range(value.dim()))).contiguous()
                if reverse
                else value.clone()
            )
        return result

    @torch.no_grad()
    def load_named(self, tensors):
        """Loads every weight from `named`, which must have exactly the names of this network."""
        own = {name: (parameter, reverse) for name, parameter, reverse in self._tensors()}
        if own.keys() != tensors.keys():
            raise KeyError(
                f"not the weights of this network: {sorted(own.keys() ^ tensors.keys())}"
            )
        for name, (parameter, reverse) in own.items():
            value = tensors[name]
            parameter.copy_(value.permute(*reversed(range(value.dim()))) if reverse else value)


def aspect_loss(round_, mask, ae_labels, as_labels):
    """L_a: (1/N) Σ_i (1/n_i) Σ_j (l^ae + l^as).

    Labels are IGNORED at padding, and AS labels also outside aspects.
    """
    token = sum(
        F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=IGNORED, reduction="none")
        for logits, labels in ((round_.ae_logits, ae_labels), (round_.as_logits, as_labels))
    )
    return (token.sum(1) / mask.sum(1)).mean()


def document_loss(ds_logits, ds_labels, dd_logits, dd_labels):
    """L_d: the mean cross-entropy of DS plus that of DD, each over its own documents."""
    return F.cross_entropy(ds_logits, ds_labels) + F.cross_entropy(dd_logits, dd_labels)


def gold_probability(epoch):
    """ε_i = 5 / (5 + exp(i / 5)): probability of gold opinions in epoch i."""
    return 5 / (5 + math.exp(epoch / 5))


def pad(sequences, value=0):
    """Pads lists of numbers to `[B, n]` and returns the mask too."""
    tensors = [torch.as_tensor(sequence, dtype=torch.long) for sequence in sequences]
    padded = nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=value)
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    return padded, torch.arange(padded.shape[1])[None, :] < lengths[:, None]
