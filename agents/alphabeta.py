"""Alpha-beta for two-player games without chance or hidden information, as a policy.

Iterative deepening of ``pvs.search``, to a depth, for a number of positions or for a time.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.agents import hooks, pvs
from stratagym.agents.alphabeta_v1 import AlphaBetaV1
from stratagym.agents.core import Decision, Policy, PolicyString
from stratagym.agents.decisive import Narrowing
from stratagym.envs import core

MAX_DEPTH = 64
DEFAULT_DEPTH = 4
BEYOND = 32
"""Levels of quiescence and extensions below the depth asked for."""
_SLICE = 2048
"""Positions between two looks at the clock."""
_NO_LIMIT = 2**62


@dataclass(frozen=True)
class Found:
    """What a search came to.

    Attributes:
        action: the best move. value: for the seat to move, as ``hooks.estimate`` counts.
        depth: of the deepest search that was finished; 0 if none was.
        positions: visited.
    """

    action: int
    value: int
    depth: int
    positions: int

    @property
    def result(self) -> int | None:
        """Plies to the win or loss that was found; None if there is none."""
        return pvs.plies_to_result(self.value)

    @property
    def wins_at_once(self) -> bool:
        """Whether the action is one that wins at once."""
        return self.value > 0 and self.result == 1


class AlphaBeta(Policy):
    """Iterative deepening to ``depth`` plies, as far as the limits permit.

    A search that a limit breaks off counts as far as it came: its first move is the best one of the
    search before. Nothing is kept from one decision to the next, so that a decision follows from
    its position, but for ``milliseconds``.

    Args:
        depth: plies. positions: the most visited a move.
        milliseconds: the most CPU time of this thread a move, after the first ply.
        known_by: a class for the rules, by which another knowledge of the game is found.
        trusts_repetition: take a position that is repeated for a draw, though the other seat may
            win at once in it.

    Raises:
        ValueError: from ``act``, in a game with chance, hidden information or other than two seats.
    """

    version = 2

    def __init__(
        self,
        depth: int = MAX_DEPTH,
        positions: int = _NO_LIMIT,
        milliseconds: float | None = None,
        table_bits: int = 18,
        known_by: type | None = None,
        trusts_repetition: bool = False,
    ):
        self.depth, self.positions, self.milliseconds = depth, positions, milliseconds
        self.known_by, self.trusts_repetition = known_by, trusts_repetition
        self.name = (
            f"alphabeta:{depth}" if milliseconds is None else f"alphabeta:{milliseconds:g}ms"
        )
        self._table = np.zeros(2**table_bits, pvs.ENTRY)
        self._age = 0
        self._memory: tuple[Any, tuple[np.ndarray, ...]] | None = None
        self._narrow = Narrowing()

    def _allocate(self, rules: Any) -> tuple[np.ndarray, ...]:
        if self._memory is None or self._memory[0] != rules:
            self._memory = rules, pvs.new_memory(rules, self.depth + BEYOND)
        return self._memory[1]

    def search(self, decision: Decision) -> Found:
        """The best move and its value, with the depth that was finished."""
        spec, rules = decision.spec, decision.rules
        if self.known_by is not None:
            rules = self.known_by(*rules)
        if spec.chance == "explicit" or spec.information != "perfect" or rules.num_players != 2:
            raise ValueError(f"{self.name}: {spec.name} is not a two-player game without chance")
        states, nodes, legal, order, history, total = self._allocate(rules)
        history[:] = 0
        ranks = np.zeros(rules.num_actions, np.int64)
        running = np.zeros(3, np.int64)
        # What earlier decisions left in the table would make this one depend on them.
        self._age += 1
        found = Found(int(decision.legal[0]), 0, 0, 0)
        spent = 0
        began = 0.0
        for depth in range(1, self.depth + 1):
            if depth == 2:  # the first may have to wait until its code is loaded
                began = time.thread_time()
            states[0] = decision.states[0]
            running[:2] = 0
            status = pvs.RUNNING
            while status == pvs.RUNNING and spent + running[1] < self.positions:
                allowed = self.positions - spent - int(running[1])
                if self.milliseconds is not None:
                    if depth > 1 and 1000 * (time.thread_time() - began) >= self.milliseconds:
                        break
                    allowed = min(allowed, _SLICE)
                status = pvs.search(
                    rules, states, depth, allowed, running, nodes, legal, order, self._table,
                    self._age, history, total, ranks,
                )  # fmt: skip
            spent += int(running[1])
            best = int(pvs.best_action(nodes))
            if status != pvs.DONE:
                if best >= 0:
                    found = Found(best, int(pvs.best_value(nodes)), found.depth, spent)
                break
            found = Found(best, int(pvs.best_value(nodes)), depth, spent)
            over = found.result is not None and found.result <= depth and not running[2]
            if over or (self.milliseconds is not None and len(decision.legal) == 1):
                break
        return found

    def act(self, decision: Decision) -> int:
        """The action found, or another one where a reply wins at once that was not looked at:
        a limit left no time for it, or the search took a repeated position for a draw."""
        found = self.search(decision)
        unseen = found.depth < 2 or (found.value == 0 and not self.trusts_repetition)
        if unseen and self.depth > 1 and not found.wins_at_once:
            left = self._narrow(decision)
            return found.action if found.action in left else int(left[0])
        return found.action


def alphabeta_policy(spec: core.GameSpec, text: PolicyString) -> Policy:
    """``alphabeta:DEPTH?positions=N`` or ``alphabeta:TIMEms``: depth 4 by default.

    A time is the most CPU time a move. ``version=1`` is the player of version 0.1, kept for the
    ladders that hold it.

    Raises:
        ValueError: a bad number or option, or a game it cannot play, in one line.
    """
    options = text.options
    timed = re.fullmatch(r"(\d+(?:\.\d+)?)ms", text.argument)
    try:
        milliseconds = float(timed[1]) if timed else None
        depth = MAX_DEPTH if timed else int(text.argument or DEFAULT_DEPTH)
        positions = int(options.get("positions", _NO_LIMIT))
        if (
            not 1 <= depth <= MAX_DEPTH
            or positions < 1
            or set(options) - {"positions"}
            or (milliseconds is not None and (milliseconds <= 0 or "positions" in options))
            or (text.version == 1 and timed)
        ):
            raise ValueError
    except ValueError:
        raise ValueError(
            "policy alphabeta: write alphabeta:DEPTH?positions=N, such as alphabeta:6, or "
            "alphabeta:TIMEms, such as alphabeta:100ms"
        ) from None
    if spec.chance == "explicit" or spec.information != "perfect" or spec.min_players != 2:
        raise ValueError(f"policy alphabeta: {spec.name} is not a two-player game without chance")
    policy: Policy
    if text.version == 1:
        policy = AlphaBetaV1(depth, positions)
    else:
        changes = hooks.found(spec, "EARLIER_SEARCHES") or {}
        last = min((last for last in changes if text.version <= last), default=None)
        policy = AlphaBeta(
            depth, positions, milliseconds, known_by=changes.get(last), trusts_repetition=bool(last)
        )
        policy.version = last or max(changes, default=policy.version - 1) + 1
    if options:
        policy.name += "?" + "&".join(f"{key}={value}" for key, value in options.items())
    return policy
