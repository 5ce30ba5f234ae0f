"""Networks of columns of a table, as PyTorch trains and exports them. One function each; a case returns the trained
module, its inputs and rows. Both of PyTorch's exporters write each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, List, Sequence, Tuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from golden_cells import Value

#: Of an input: its name, type and columns.
Input = Tuple[str, str, int]


@dataclass
class Network:
    module: nn.Module
    inputs: List[Input]
    rows: List[List[Value]]
    outputs: Sequence[str] = ("y",)
    shape: Tuple[int, ...] = ()  # of a row of the one input; (): columns


CASES: List[Callable[[], Network]] = []


def case(train: Callable[[], Network]) -> Callable[[], Network]:
    CASES.append(train)
    return train


# Data -------------------------------------------------------------------------------------------

PLANS, CITIES = 5, 7
ODD: List[Value] = [float("nan"), None, float("inf"), float("-inf"), 0.0, -0.0, 1e-40, 1e30, -3.0, 1, True]
ODD_CODES: List[Value] = [0, -1, -PLANS, PLANS, 2**40, None]


def numbers(seed: int, f: int, n: int = 160) -> np.ndarray:
    return np.random.RandomState(seed).randn(n, f).astype(np.float32)


def target_of(x: np.ndarray) -> np.ndarray:
    return np.sin(x[:, 0]) + x[:, 1:] @ (0.8 - 0.5 * np.arange(x.shape[1] - 1)) + 0.3 * x[:, 0] * x[:, -1]


def odd_rows(x: np.ndarray, odd: Sequence[Value]) -> List[List[Value]]:
    """Training rows, and rows in which one number is odd."""
    rows: List[List[Value]] = [[v.item() for v in row] for row in x[:20]]
    for i, value in enumerate(odd):
        row: List[Value] = [v.item() for v in x[30 + i]]
        row[i % len(row)] = value
        rows.append(row)
    return rows


def fit(module: nn.Module, inputs: Sequence[np.ndarray], y: np.ndarray, loss: Any, epochs: int = 12) -> None:
    """A network that has learned something, with statistics of batches that are not the initial ones."""
    data = [torch.tensor(v) for v in inputs]
    wanted = torch.tensor(y)
    optimizer = torch.optim.Adam(module.parameters(), lr=0.02)
    module.train()
    for _ in range(epochs):
        for begin in range(0, len(y), 32):
            part = slice(begin, begin + 32)
            optimizer.zero_grad()
            loss(module(*[v[part] for v in data]), wanted[part]).backward()
            optimizer.step()
    module.eval()


def squared(got: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    return functional.mse_loss(got.reshape(len(wanted), -1)[:, 0], wanted)


def regression(make: Callable[[], nn.Module], seed: int, f: int = 4, dtype: str = "float32") -> Network:
    torch.manual_seed(seed)
    x = numbers(seed, f)
    module = make().to(getattr(torch, dtype))
    fit(module, [x.astype(dtype)], target_of(x).astype(dtype), squared)
    return Network(module, [("x", dtype, f)], odd_rows(x, ODD))


class Ends(nn.Module):
    """A network with operators behind it that training does without."""

    def __init__(self, body: nn.Module, end: Callable[[torch.Tensor], Any]) -> None:
        super().__init__()
        self.body, self.end = body, end

    def forward(self, x: torch.Tensor) -> Any:
        return self.end(self.body(x))


def classes(make: Callable[[], nn.Module], seed: int, end: Callable[[torch.Tensor], Any], k: int = 3, **more: Any) -> Network:
    """Trained by the cross entropy of the scores; exported with what makes probabilities or labels of them."""
    torch.manual_seed(seed)
    x = numbers(seed, 4)
    t = target_of(x)
    module = make()
    fit(module, [x], np.searchsorted(np.quantile(t, np.linspace(0, 1, k + 1)[1:-1]), t), functional.cross_entropy)
    return Network(Ends(module, end).eval(), [("x", "float32", 4)], odd_rows(x, ODD), **more)


# Layers one behind the other --------------------------------------------------------------------


@case
def relu_softmax() -> Network:
    layers = lambda: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))  # noqa: E731
    return classes(layers, 1, lambda s: functional.softmax(s, 1))


@case
def label_and_probabilities() -> Network:
    layers = lambda: nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3))  # noqa: E731
    return classes(layers, 2, lambda s: (s.argmax(1), functional.softmax(s, 1)), outputs=("label", "probabilities"))


@case
def log_softmax() -> Network:
    layers = lambda: nn.Sequential(nn.Linear(4, 6), nn.SiLU(), nn.Linear(6, 4, bias=False))  # noqa: E731
    return classes(layers, 3, lambda s: functional.log_softmax(s, -1), k=4)


@case
def batch_norm_dropout() -> Network:
    make = lambda: nn.Sequential(  # noqa: E731
        nn.BatchNorm1d(4), nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 1)
    )
    return regression(make, 4)


@case
def layer_norm_gelu() -> Network:
    make = lambda: nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 2))  # noqa: E731
    return regression(make, 5)


@case
def gelu_of_tanh() -> Network:
    return regression(lambda: nn.Sequential(nn.Linear(4, 6), nn.GELU(approximate="tanh"), nn.Linear(6, 1)), 6)


@case
def activations() -> Network:
    """Each on four of the columns behind the first layer."""

    class Activations(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.kinds = nn.ModuleList(
                [
                    nn.ELU(0.7), nn.LeakyReLU(0.1), nn.SELU(), nn.CELU(1.3), nn.Hardswish(), nn.Mish(), nn.PReLU(4),
                    nn.PReLU(), nn.Softplus(), nn.Hardsigmoid(), nn.Hardtanh(-0.5, 0.8), nn.ReLU6(), nn.Softsign(),
                    nn.LogSigmoid(), nn.Tanhshrink(), nn.Tanh(),
                ]
            )  # fmt: skip
            self.first, self.last = nn.Linear(3, 4 * len(self.kinds)), nn.Linear(4 * len(self.kinds), 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            parts = torch.split(self.first(x), 4, 1)
            return self.last(torch.cat([kind(part) for kind, part in zip(self.kinds, parts)], 1))

    return regression(Activations, 7, f=3)


@case
def float64() -> Network:
    make = lambda: nn.Sequential(nn.Linear(4, 6), nn.Sigmoid(), nn.Linear(6, 1))  # noqa: E731
    net = regression(make, 8, dtype="float64")
    return Network(net.module, net.inputs, [row for row in net.rows if all(v is None or np.isfinite(v) for v in row)])


# Layers beside each other -----------------------------------------------------------------------


class Residual(nn.Module):
    """A block of the ResNet for tables, behind a first layer."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Linear(4, 6), nn.BatchNorm1d(6)
        self.inner, self.outer, self.head = nn.Linear(6, 12), nn.Linear(12, 6), nn.Linear(6, 1)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        x = x + self.dropout(self.outer(torch.relu(self.inner(self.norm(x)))))
        return self.head(torch.relu(x)).squeeze(1)


@case
def residual() -> Network:
    return regression(Residual, 9)


class WideAndDeep(nn.Module):
    """A linear model beside a network, cross products of columns, and a gate."""

    def __init__(self) -> None:
        super().__init__()
        self.wide, self.deep = nn.Linear(4 + 6, 1), nn.Sequential(nn.Linear(4, 12), nn.GLU(1), nn.Linear(6, 1))
        self.register_buffer("left", torch.tensor([0, 0, 0, 1, 1, 2]))
        self.register_buffer("right", torch.tensor([1, 2, 3, 2, 3, 3]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        crosses = x[:, self.left] * x[:, self.right]
        return self.wide(torch.cat([x, crosses], 1)) + self.deep(x)


@case
def wide_and_deep() -> Network:
    return regression(WideAndDeep, 10)


class Experts(nn.Module):
    """Several networks, weighted by a softmax of a gate."""

    def __init__(self) -> None:
        super().__init__()
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2)) for _ in range(3)])
        self.gate = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        answers = torch.stack([expert(x) for expert in self.experts], 1)
        return (answers * torch.softmax(self.gate(x), 1).unsqueeze(2)).sum(1)


@case
def experts() -> Network:
    return regression(Experts, 11)


class Autoencoder(nn.Module):
    """The score of an anomaly: how far a row is from what a narrow layer keeps of it."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(4, 2), nn.Linear(2, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x - self.decoder(torch.tanh(self.encoder(x)))).pow(2).mean(1)


@case
def autoencoder() -> Network:
    torch.manual_seed(12)
    x = numbers(12, 4)
    module = Autoencoder()
    fit(module, [x], np.zeros(len(x), dtype=np.float32), squared)
    return Network(module, [("x", "float32", 4)], odd_rows(x, ODD))


class Prepared(nn.Module):
    """Columns that the network itself fills, cuts and scales; missing ones are marked."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.1, -0.2, 0.0, 0.3]))
        self.register_buffer("scale", torch.tensor([1.5, 0.5, 2.0, 1.0]))
        self.layers = nn.Sequential(nn.Linear(9, 6), nn.ReLU(), nn.Linear(6, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        missing = torch.isnan(x)
        x = torch.where(missing, self.mean, x).clamp(-4, 4)
        logarithm = torch.log1p(x[:, :1].abs()) * torch.sign(x[:, :1])
        return self.layers(torch.cat([(x - self.mean) / self.scale, missing.to(x.dtype), logarithm], 1))


@case
def prepared() -> Network:
    return regression(Prepared, 13)


# Categories -------------------------------------------------------------------------------------


class Embedded(nn.Module):
    """Two categories by their vectors, beside numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.plan, self.city = nn.Embedding(PLANS, 3), nn.Embedding(CITIES, 2)
        self.norm, self.layers = nn.BatchNorm1d(2), nn.Sequential(nn.Linear(7, 6), nn.ReLU(), nn.Linear(6, 1))

    def forward(self, numbers: torch.Tensor, plan: torch.Tensor, city: torch.Tensor) -> torch.Tensor:
        x = torch.cat([self.norm(numbers), self.plan(plan[:, 0]), self.city(city).squeeze(1)], 1)
        return torch.sigmoid(self.layers(x))


class Factors(nn.Module):
    """A factorization machine: half of the square of a sum less the sum of squares, and a linear part."""

    def __init__(self) -> None:
        super().__init__()
        self.vectors, self.weights = nn.Embedding(PLANS + CITIES, 4), nn.Embedding(PLANS + CITIES, 1)
        self.register_buffer("begins", torch.tensor([0, PLANS]))

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        codes = codes + self.begins
        v = self.vectors(codes)
        return self.weights(codes).sum(1) + 0.5 * (v.sum(1) ** 2 - (v**2).sum(1)).sum(1, keepdim=True)


def codes(seed: int, n: int = 160) -> np.ndarray:
    random = np.random.RandomState(seed)
    return np.stack([random.randint(0, PLANS, n), random.randint(0, CITIES, n)], 1)


def target_of_codes(c: np.ndarray) -> np.ndarray:
    return (0.4 * c[:, 0] - 0.3 * (c[:, 1] == 3) + 0.2 * (c[:, 0] == 2) * c[:, 1]).astype(np.float32)


@case
def embeddings() -> Network:
    torch.manual_seed(14)
    x, c = numbers(14, 2), codes(14)
    y = ((target_of_codes(c) + 0.3 * x[:, 0]) > 1).astype(np.float32)
    module = Embedded()
    wanted = lambda got, y: functional.binary_cross_entropy(got[:, 0], y)  # noqa: E731
    fit(module, [x, c[:, :1], c[:, 1:]], y, wanted)
    rows: List[List[Value]] = [[v.item() for v in x[i]] + [int(v) for v in c[i]] for i in range(20)]
    for i, odd in enumerate(ODD[:9] + ODD_CODES):
        row = list(rows[i % 20])
        row[i % 2 if i < 9 else 2] = odd
        rows.append(row)
    inputs = [("numbers", "float32", 2), ("plan", "int64", 1), ("city", "int64", 1)]
    return Network(module, inputs, rows, outputs=("probability",))


@case
def factors() -> Network:
    torch.manual_seed(15)
    c = codes(15)
    module = Factors()
    fit(module, [c], target_of_codes(c), squared)
    rows: List[List[Value]] = [[int(v) for v in c[i]] for i in range(30)] + [[None, 2], [3, None]]
    return Network(module, [("codes", "int64", 2)], rows)


# Sequences of a fixed length ---------------------------------------------------------------------

WORDS, PLACES, MOOD = 14, 6, 9


def sentences(seed: int, n: int = 160) -> Tuple[np.ndarray, np.ndarray]:
    """Words as codes, 0 behind the last one, and a mask of those that are there."""
    random = np.random.RandomState(seed)
    mask = (np.arange(PLACES) < random.randint(2, PLACES + 1, n)[:, None]).astype(np.int64)
    return random.randint(1, WORDS, (n, PLACES)) * mask, mask


def target_of_words(words: np.ndarray) -> np.ndarray:
    return ((words == MOOD).any(1) ^ (words[:, 0] > 7)).astype(np.int64)


class Heads(nn.Module):
    """Attention as Bert has it: of each word to all words that the mask leaves."""

    def __init__(self, d: int, own: bool) -> None:
        super().__init__()
        self.own, self.query, self.key, self.value, self.last = own, *(nn.Linear(d, d) for _ in range(4))

    def heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(x.shape[0], PLACES, 2, -1).permute(0, 2, 1, 3)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        q, k, v = (self.heads(layer(x)) for layer in (self.query, self.key, self.value))
        if self.own:
            made = ((q @ k.transpose(-1, -2)) / q.shape[-1] ** 0.5 + mask).softmax(-1) @ v
        else:
            made = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.last(made.permute(0, 2, 1, 3).contiguous().view(x.shape[0], PLACES, -1))


class Encoder(nn.Module):
    """Bert with one layer, whose first word gives the label."""

    def __init__(self, own: bool, d: int = 8) -> None:
        super().__init__()
        self.words, self.kinds, self.places = nn.Embedding(WORDS, d, padding_idx=0), nn.Embedding(2, d), nn.Embedding(PLACES, d)
        self.norms, self.heads = nn.ModuleList([nn.LayerNorm(d, eps=1e-12) for _ in range(3)]), Heads(d, own)
        self.up, self.down, self.pool, self.head = nn.Linear(d, 2 * d), nn.Linear(2 * d, d), nn.Linear(d, d), nn.Linear(d, 2)
        self.register_buffer("numbers", torch.arange(PLACES)[None])
        self.register_buffer("zeros", torch.zeros((1, PLACES), dtype=torch.long))

    def forward(self, words: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.words(words) + self.kinds(self.zeros.expand(words.shape[0], PLACES)) + self.places(self.numbers)
        x = self.norms[0](x)
        left = (1.0 - mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        x = self.norms[1](x + self.heads(x, left))
        x = self.norms[2](x + self.down(functional.gelu(self.up(x))))
        return functional.softmax(self.head(torch.tanh(self.pool(x[:, 0]))), 1)


def encoded(module: nn.Module, seed: int) -> Network:
    words, mask = sentences(seed)
    wanted = lambda got, y: functional.nll_loss(torch.log(got), y)  # noqa: E731
    fit(module, [words, mask], target_of_words(words), wanted)
    rows: List[List[Value]] = [[int(v) for v in (*words[i], *mask[i])] for i in range(24)]
    for i, (place, odd) in enumerate([(0, WORDS), (1, None), (2, -1), (PLACES + 1, None), (PLACES, 0), (PLACES + 1, 2)]):
        row = list(rows[i])
        row[place] = odd
        rows.append(row)
    return Network(module, [("words", "int64", PLACES), ("mask", "int64", PLACES)], rows, outputs=("probabilities",))


@case
def encoder() -> Network:
    torch.manual_seed(16)
    return encoded(Encoder(own=True), 16)


class Tokens(nn.Module):
    """A transformer of a table's columns: each number becomes a vector, and the vectors attend to each other, by PyTorch's own
    layer, whose heads stand beside the rows."""

    def __init__(self, f: int = 4, d: int = 8) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(f, d)), nn.Parameter(torch.randn(f, d))
        self.first, self.last = nn.Parameter(torch.randn(1, 1, d)), nn.Linear(d, 1)
        self.layer = nn.TransformerEncoderLayer(d, 2, 2 * d, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        tokens = torch.cat([self.first.expand(x.shape[0], -1, -1), x.unsqueeze(-1) * self.weight + self.bias], 1)
        return self.last(self.layer(tokens)[:, 0])


@case
def transformer_of_columns() -> Network:
    return regression(Tokens, 17)
