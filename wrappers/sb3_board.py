"""Convolutional networks over a board, for Stable-Baselines3's ``MaskablePPO``.

    from sb3_contrib import MaskablePPO
    from stratagym.wrappers.sb3 import SB3VecEnv
    from stratagym.wrappers.sb3_board import BoardPolicy, board_settings

    env = SB3VecEnv("chess", 64, opponent="random", shaping=1.0, gamma=0.95)
    model = MaskablePPO(BoardPolicy, env, policy_kwargs=board_settings(env.rules, (32, 32, 32)))

Actions are laid out over the board as planes (AlphaZero's way; Silver et al. 2018), so that what is
learned of a move on one square holds on all others. That takes a game whose agents define
``action_cells``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

try:
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "BoardPolicy needs sb3-contrib: pip install 'stratagym[rl]'"
    ) from None

from stratagym.agents import hooks
from stratagym.agents.networks import board_features, board_logits

VALUE_PLANES, VALUE_WIDTH = 8, 64
"""Planes over the board and hidden units of the critic's own layers."""


class BoardExtractor(BaseFeaturesExtractor):
    """3 x 3 convolutions with ReLU over observations (rows, columns, planes), or the planes first.

    Args:
        channels: of each layer. planes: how many of the observation's planes are looked at, from
            the first on; None for all. planes_first: whether observations are (planes, rows,
            columns).
    """

    def __init__(
        self,
        space: spaces.Box,
        channels: tuple[int, ...],
        planes: int | None = None,
        planes_first: bool = False,
    ):
        rows, columns, found = space.shape
        if planes_first:
            found, rows, columns = space.shape
        super().__init__(space, channels[-1] * rows * columns)
        widths = [planes or found, *channels]
        self.layers = nn.ModuleList(
            nn.Conv2d(a, b, 3, padding=1) for a, b in zip(widths, channels, strict=False)
        )
        self.register_buffer("shape", torch.tensor((rows, columns, found)))
        self.first = planes_first
        if planes_first:
            self.register_buffer("planes_first", torch.tensor(True))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        layers: list[Any] = [(layer.weight, layer.bias) for layer in self.layers]
        return board_features(observations, layers, self.first).flatten(1)


class BoardHead(nn.Conv2d):
    """Logits of the actions: a 1 x 1 convolution, of whose cells each action has one."""

    cells: torch.Tensor

    def __init__(self, channels: int, rows: int, columns: int, cells: np.ndarray):
        super().__init__(channels, int(cells.max()) // (rows * columns) + 1, 1)
        self.board = channels, rows, columns
        self.register_buffer("cells", torch.from_numpy(cells))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        assert self.bias is not None
        return board_logits(features.view(-1, *self.board), self.weight, self.bias, self.cells)


class BoardCritic(nn.Sequential):
    """The value of a position: a few planes over the board, then one hidden layer."""

    def __init__(self, channels: int, rows: int, columns: int):
        super().__init__(
            nn.Unflatten(1, (channels, rows, columns)),
            nn.Conv2d(channels, VALUE_PLANES, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(VALUE_PLANES * rows * columns, VALUE_WIDTH),
            nn.ReLU(),
            nn.Linear(VALUE_WIDTH, 1),
        )


class BoardPolicy(MaskableActorCriticPolicy):
    """Actor and critic on shared convolutions; see ``board_settings`` for its arguments."""

    optimizer_class: Any
    value_net: Any

    def __init__(self, *args: Any, cells: np.ndarray, board: tuple[int, int], **kwargs: Any):
        self.cells, self.board = cells, board
        super().__init__(*args, **kwargs)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        own = {"cells": self.cells, "board": self.board}
        return super()._get_constructor_parameters() | own

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        rows, columns = self.board
        channels = self.features_dim // (rows * columns)
        self.action_net = BoardHead(channels, rows, columns, self.cells)
        with torch.no_grad():  # near to equal probabilities at the start, as SB3 has it
            self.action_net.weight *= 0.1
        self.value_net = BoardCritic(channels, rows, columns)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


def board_settings(
    rules: Any, channels: tuple[int, ...], planes: int | None = None
) -> dict[str, Any]:
    """``policy_kwargs`` of a ``BoardPolicy`` for a game's rules.

    Raises:
        ValueError: the game's actions have no places on its board.
    """
    cells = hooks.action_cells(rules)
    (rows, columns, _), planes_first = hooks.board_shape(rules)
    return {
        "net_arch": [],
        "activation_fn": nn.ReLU,
        "features_extractor_class": BoardExtractor,
        "features_extractor_kwargs": {
            "channels": channels,
            "planes": planes,
            "planes_first": planes_first,
        },
        "cells": cells,
        "board": (rows, columns),
    }
