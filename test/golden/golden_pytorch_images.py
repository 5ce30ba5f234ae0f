"""Networks of images and series, as PyTorch trains and exports them: convolutions and pools. The row has an image's numbers
side by side, channel behind channel."""

from __future__ import annotations

from typing import Any, Callable, List, Tuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from golden_cells import Value
from golden_pytorch_cases import Ends, Network, case, fit

ODD: List[Value] = [float("nan"), None, float("inf"), 0.0, -0.0, 1e-40, -3.0, 1, True]


def images(seed: int, shape: Tuple[int, ...], k: int = 3, n: int = 120) -> Tuple[np.ndarray, np.ndarray]:
    """Bars along an axis, or across both, on noise, and which of these it is. Few digits, so that files stay small."""
    random = np.random.RandomState(seed)
    x, y = 0.4 * random.randn(n, *shape), random.randint(0, k, n)
    for i in range(n):
        at = random.randint(1, min(shape[1:]) - 1)
        for j in range(shape[-1]):
            place = [at] * (len(shape) - 2) + [j] if y[i] == 0 else [j % s for s in shape[1:-1]] + [at if y[i] == 1 else j]
            x[(i, slice(None), *place)] += 1.5
    return (np.round(16 * x) / 16).astype(np.float32), y


def rows_of(x: np.ndarray, odd: List[Value]) -> List[List[Value]]:
    flat = x.reshape(len(x), -1)
    rows: List[List[Value]] = [[v.item() for v in row] for row in flat[:10]]
    for i, value in enumerate(odd):
        row: List[Value] = [v.item() for v in flat[20 + i]]
        row[7 * i % len(row)] = value
        rows.append(row)
    return rows


def image_network(make: Callable[[], nn.Module], seed: int, shape: Tuple[int, ...], end: Any = None, **more: Any) -> Network:
    """Trained by the cross entropy of three scores; exported with what makes probabilities or labels of them."""
    torch.manual_seed(seed)
    x, y = images(seed, shape)
    module = make()
    fit(module, [x], y, functional.cross_entropy, epochs=6)
    end = end or (lambda s: s)
    inputs = [("x", "float32", int(np.prod(shape)))]
    return Network(Ends(module, end).eval(), inputs, rows_of(x, ODD), shape=shape, **more)


@case
def digits() -> Network:
    """Two convolutions with BatchNorm and pools, and a linear layer of all that is left."""
    layers = lambda: nn.Sequential(  # noqa: E731
        nn.Conv2d(1, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32, 3),
    )  # fmt: skip
    end = lambda s: (s.argmax(1), functional.softmax(s, 1))  # noqa: E731
    return image_network(layers, 21, (1, 8, 8), end, outputs=("label", "probabilities"))


class Separable(nn.Module):
    """A block of MobileNet: each channel by itself, wide apart, then all channels of each place; strides, a mean of all."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(2, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU6())
        self.each = nn.Sequential(
            nn.Conv2d(6, 6, 3, padding=2, dilation=2, groups=6, bias=False), nn.BatchNorm2d(6), nn.ReLU6()
        )
        self.all = nn.Sequential(nn.Conv2d(6, 6, 1), nn.Hardswish())
        self.down = nn.Conv2d(6, 8, (3, 2), stride=2, groups=2, padding=(1, 0))
        self.head = nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        x = x + self.all(self.each(x))
        return self.head(functional.adaptive_avg_pool2d(self.down(x), 1).flatten(1))


@case
def separable() -> Network:
    return image_network(Separable, 22, (2, 6, 6))


@case
def series() -> Network:
    """Along one axis, with means and largest numbers of windows that reach beyond the end."""
    layers = lambda: nn.Sequential(  # noqa: E731
        nn.Conv1d(2, 6, 5, padding="same"), nn.LeakyReLU(0.1), nn.AvgPool1d(3, stride=2, padding=1),
        nn.Conv1d(6, 6, 3, groups=2, stride=2), nn.ReLU(), nn.MaxPool1d(2, ceil_mode=True), nn.Flatten(), nn.Linear(12, 3),
    )  # fmt: skip
    return image_network(layers, 23, (2, 16))


@case
def volume() -> Network:
    layers = lambda: nn.Sequential(  # noqa: E731
        nn.Conv3d(1, 4, (2, 3, 3), padding=(0, 1, 1)), nn.ReLU(), nn.MaxPool3d((1, 2, 2)),
        nn.AvgPool3d(2, stride=1, padding=1, count_include_pad=False), nn.MaxPool3d(3), nn.Flatten(), nn.Linear(4, 3),
    )  # fmt: skip
    return image_network(layers, 24, (1, 3, 4, 4))


class Padded(nn.Module):
    """Channels normalized by themselves and in groups, images with a border of their own numbers, and a way back up."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.each = nn.Conv2d(2, 4, 3), nn.InstanceNorm2d(4, affine=True)
        self.second, self.groups = nn.Conv2d(4, 6, 3, stride=2), nn.GroupNorm(3, 6)
        self.up, self.head = nn.ConvTranspose2d(6, 2, 3, stride=2, padding=1, output_padding=1), nn.Linear(32, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.each(self.first(functional.pad(x, (1, 1, 1, 1), mode="reflect"))))
        x = torch.relu(self.groups(self.second(functional.pad(x, (0, 1, 0, 1), value=0.5))))
        return self.head(self.up(x).flatten(1))


@case
def padded() -> Network:
    return image_network(Padded, 25, (2, 4, 4))
