"""What agents know of a particular game, by the same dispatch as the rules.

``agents/games/<game>.py`` may define these kernel functions for its game, and ``agents`` in the
package of a game of somebody else's; generic searches call them here. A game without them gets the
defaults.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.envs import core


def _returns(rules, s, out):
    core.returns(rules, s, out)


@core.kernel("agents", default=_returns)
def evaluate(rules, s, out):
    """Write an estimate of every seat's return into ``out``; exact where the game is over."""


def _lowest(rules, s, legal, n):
    return legal[0]


@core.kernel("agents", default=_lowest)
def heuristic(rules, s, legal, n):
    """The action of the game's rule-based player among ``legal[:n]``."""


def _no_hash(rules, s):
    return np.uint64(0)


@core.kernel("agents", default=_no_hash)
def position_hash(rules, s):
    """A 64-bit hash of all that a position's value depends on; 0 where the game gives none."""


def _no_priority(rules, s, action):
    return 0.0


@core.kernel("agents", default=_no_priority)
def priority(rules, s, action):
    """How early alpha-beta tries a legal action: higher first, as a float."""


def _no_rule(rules, s, legal, n, which):
    return legal[0]


@core.kernel("agents", default=_no_rule)
def rule(rules, s, legal, n, which):
    """The action of rule-based player number ``which`` (a value of ``RULES``) of the game."""


def found(spec: core.GameSpec, name: str) -> Any:
    """What the game's agents define under ``name``, or None."""
    return getattr(core.home(spec.module("rules").Rules, "agents"), name, None)


def rule_names(spec: core.GameSpec) -> dict[str, int]:
    """``RULES`` of the game's agents: the names of its rule-based players and their numbers."""
    return found(spec, "RULES") or {}


def action_cells(rules: Any) -> np.ndarray:
    """Where each action stands in planes over the observation's board, as the game's agents say.

    Returns:
        (A,) int64: ``(plane * rows + row) * columns + column``.

    Raises:
        ValueError: the game's agents do not define ``action_cells``.
    """
    home = core.home(type(rules), "agents")
    if not hasattr(home, "action_cells"):
        raise ValueError(f"{home.__name__} does not say where its actions stand on a board")
    return np.asarray(home.action_cells(rules), np.int64)
