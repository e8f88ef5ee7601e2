"""The networks of trained agents, as far as it takes them to play.

An actor holds the weights of the policy half of a Stable-Baselines3 model, under SB3's names, and
computes with them what the model would: a multilayer perceptron (SB3's ``MlpPolicy``), or layers
of 3 x 3 convolutions over a board (``BoardPolicy`` of ``stratagym.wrappers.sb3_board``).

Nothing is loaded here: weights come as tensors, and code of a model is never called. What reading
them from a file can do stands in ``agents.sb3``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagym.agents import hooks
from stratagym.envs.echo import shortened

if TYPE_CHECKING:
    import torch

ACTIVATIONS = ("ReLU", "Tanh")
_DENSE = re.compile(r"mlp_extractor\.policy_net\.(\d+)\.weight")
_CONVOLUTION = re.compile(r"features_extractor\.layers\.(\d+)\.weight")
_SHAPE, _CELLS = "features_extractor.shape", "action_net.cells"
_PLANES_FIRST = "features_extractor.planes_first"
"""There and true only where observations are (planes, rows, columns)."""


class Actor:
    """What every actor has.

    Attributes:
        weights: its tensors by SB3's names; those of a model in training stay up to date.
        activation: one of ``ACTIVATIONS``. inputs, outputs: numbers in an observation, actions.
    """

    weights: dict[str, torch.Tensor]
    activation: str
    inputs: int
    outputs: int

    def on(self, rules: Any) -> Actor:
        """This actor for the observations and actions of ``rules`` of its game.

        Raises:
            ValueError: it cannot play by them; one line.
        """
        wanted = math.prod(rules.observation_shape), rules.num_actions
        if (self.inputs, self.outputs) != wanted:
            raise ValueError(
                f"it was trained on {self.inputs} inputs and {self.outputs} actions, the game "
                f"has {wanted[0]} and {wanted[1]}; use the options it was trained with"
            )
        return self

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """(N, A) float32 for observations (N, ...)."""
        raise NotImplementedError


class DenseActor(Actor):
    """The policy half of an SB3 multilayer perceptron.

    Args:
        weights: an SB3 policy's ``state_dict()``, of which the actor's entries are used; they are
            not copied. activation: one of ``ACTIVATIONS``.

    Raises:
        ValueError: weights of another kind of network.
    """

    def __init__(self, weights: dict[str, torch.Tensor], activation: str):
        layers = [*_layers(weights, _DENSE), "action_net"]
        self.weights, self.activation = _chosen(weights, layers), activation
        self._layers = [
            (self.weights[f"{layer}.weight"], self.weights[f"{layer}.bias"]) for layer in layers
        ]
        widths = [weight.shape for weight, _ in self._layers]
        if any(len(w) != 2 for w in widths) or any(a[0] != b[1] for a, b in pairwise(widths)):
            raise ValueError("the layers of its network do not fit together")
        self.inputs, self.outputs = widths[0][1], widths[-1][0]

    def logits(self, observations: np.ndarray) -> np.ndarray:
        import torch

        activate = torch.relu if self.activation == "ReLU" else torch.tanh
        with torch.no_grad():
            x = torch.from_numpy(observations).flatten(1).float()
            for k, (weight, bias) in enumerate(self._layers):
                x = torch.nn.functional.linear(activate(x) if k else x, weight, bias)
        return x.numpy()


class BoardActor(Actor):
    """Convolutions over a board, and a logit for each action in a cell of planes over it.

    They know of no board's size: what was trained on one size plays on every other.

    Args:
        weights: the ``state_dict()`` of a ``BoardPolicy``, as for ``DenseActor``.

    Raises:
        ValueError: weights of another kind of network.
    """

    activation = "ReLU"

    def __init__(self, weights: dict[str, torch.Tensor]):
        layers = _layers(weights, _CONVOLUTION)
        more = [_PLANES_FIRST] if _PLANES_FIRST in weights else []
        self.weights = _chosen(weights, [*layers, "action_net"], (_SHAPE, _CELLS, *more))
        self._planes_first = bool(more) and bool(self.weights[_PLANES_FIRST])
        self._layers = [
            (self.weights[f"{layer}.weight"], self.weights[f"{layer}.bias"]) for layer in layers
        ]
        self._head = self.weights["action_net.weight"], self.weights["action_net.bias"]
        shape, cells = self.weights[_SHAPE], self.weights[_CELLS]
        channels = [weight.shape for weight, _ in self._layers] + [self._head[0].shape]
        if any(len(c) != 4 for c in channels) or any(a[0] != b[1] for a, b in pairwise(channels)):
            raise ValueError("the layers of its network do not fit together")
        rows, columns, planes = shape.tolist()
        if planes < channels[0][1] or int(cells.max()) >= channels[-1][0] * rows * columns:
            raise ValueError("the layers of its network do not fit its board")
        self.inputs, self.outputs = rows * columns * planes, len(cells)

    def on(self, rules: Any) -> Actor:
        import torch

        before, (found, first) = self.weights[_SHAPE].tolist(), hooks.board_shape(rules)
        shape = list(found)
        if shape == before or shape[2:] != before[2:] or first != self._planes_first:
            return super().on(rules)
        cells = hooks.action_cells(rules)
        if cells.max() >= len(self._head[0]) * shape[0] * shape[1]:
            return super().on(rules)
        others = {_SHAPE: torch.tensor(shape), _CELLS: torch.from_numpy(cells)}
        return BoardActor(self.weights | others)

    def logits(self, observations: np.ndarray) -> np.ndarray:
        import torch

        with torch.no_grad():
            x = board_features(torch.from_numpy(observations), self._layers, self._planes_first)
            return board_logits(x, *self._head, self.weights[_CELLS]).numpy()


def actor_of(weights: dict[str, torch.Tensor], activation: str) -> Actor:
    """The actor whose weights these are; raises ``ValueError`` where it is of neither kind."""
    if activation not in ACTIVATIONS:
        told = shortened(repr(activation))
        raise ValueError(f"activation {told} is not one of {', '.join(ACTIVATIONS)}")
    if _layers(weights, _CONVOLUTION):
        return BoardActor(weights)
    extractors = [name for name in weights if "features_extractor" in name]
    if extractors:
        raise ValueError(
            f"its network has layers of an unknown kind: {shortened(repr(extractors[0]))}"
        )
    return DenseActor(weights, activation)


def board_features(
    observations: torch.Tensor,
    layers: Sequence[tuple[torch.Tensor, torch.Tensor]],
    planes_first: bool = False,
) -> torch.Tensor:
    """(N, channels, rows, columns) float32 from boards (N, rows, columns, planes), or with
    ``planes_first`` (N, planes, rows, columns).

    ``layers`` are (weight, bias) of 3 x 3 convolutions, each followed by ReLU; planes beyond those
    that the first has weights for are not looked at.
    """
    import torch

    seen = layers[0][0].shape[1]
    if planes_first:
        x = observations[:, :seen].float()
    else:
        x = observations[..., :seen].float().permute(0, 3, 1, 2).contiguous()
    for weight, bias in layers:
        x = torch.relu(torch.nn.functional.conv2d(x, weight, bias, padding=1))
    return x


def board_logits(
    features: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, cells: torch.Tensor
) -> torch.Tensor:
    """(N, A) float32: a 1 x 1 convolution makes planes over the board, ``cells`` picks from them.

    Args:
        cells: (A,) int64, ``(plane * rows + row) * columns + column`` of each action.
    """
    import torch

    return torch.nn.functional.conv2d(features, weight, bias).flatten(1)[:, cells]


def _layers(weights: dict[str, Any], pattern: re.Pattern[str]) -> list[str]:
    """Names of a network's layers, in order."""
    found = sorted(filter(None, map(pattern.fullmatch, weights)), key=lambda match: int(match[1]))
    return [match[0].removesuffix(".weight") for match in found]


def _chosen(
    weights: dict[str, Any], layers: list[str], others: tuple[str, ...] = ()
) -> dict[str, torch.Tensor]:
    names = [f"{layer}.{part}" for layer in layers for part in ("weight", "bias")]
    try:
        return {name: weights[name].detach() for name in (*names, *others)}
    except (KeyError, AttributeError):
        raise ValueError("its network is of neither kind that can be read") from None
