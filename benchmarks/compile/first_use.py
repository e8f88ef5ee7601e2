"""What a game compiles at its first use, by what it is used for, and how long that takes."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numba.core import event

from stratagym import envs
from stratagym.agents import hooks, kernel_policies
from stratagym.agents.core import decision_for, make_policy
from stratagym.benchmarks.reporting.page import Table
from stratagym.envs import core
from stratagym.wrappers.single_agent import SingleAgentEnv
from stratagym.wrappers.vector import VectorEnv

PLAYERS = {
    "heuristic": "", "gt:1": "", "mcts:1": "", "pimc:1": "", "alphabeta:1": "", "plan:fill": "",
    "perfect": "solve", "random?tactic=1": "tactic",
}  # fmt: skip
"""Policies that search or solve, and what a game's agents define for them, where they must.

Where they do not, the policy is not asked for: its refusal loads every game, to name some.
"""
PART = "first use"
"""The part of a page that the table stands in."""
METHOD = (
    "CPU-seconds of one process each, imports included, from an empty cache to the end of what the "
    "column says; the process does them from left to right, so that what two have in common is "
    "compiled for the first of them. Functions are those that were compiled in all."
)


@dataclass
class Used:
    """What a game's use took.

    Attributes:
        game: its name. functions: how many were compiled, by what it was used for.
        seconds: CPU-seconds of the process so far, behind each use.
    """

    game: str
    functions: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def _environment(game: str) -> None:
    """As far as the second observation."""
    env = envs.make(game)
    env.reset(seed=1)
    seen = env.last()[0]
    env.step(int(np.flatnonzero(seen["action_mask"])[0]))
    env.last()


def _state(game: str) -> None:
    state = envs.make_state(game, 1)
    state.is_legal(0)
    state.observation_tensor()
    state.resample_from_infostate(state.current_player(), 1)
    state.apply_action(state.legal_actions()[0])
    state.returns()


def _plain(game: str) -> None:
    """The functions of ``core`` that replays, openings and outside code call."""
    rules = envs.spec(game).make_rules()
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    seat = core.start_at(rules, states, 0, np.uint64(1), probs)
    core.legal_actions_at(rules, states, 0, legal)
    core.is_legal_action_at(rules, states, 0, legal[0], legal)
    core.turn_at(rules, states, 0)
    core.determinize_at(rules, states, 0, seat, np.uint64(1))
    core.play_at(rules, states, 0, legal[0], legal, probs)
    core.returns_at(rules, states, 0, np.zeros(rules.num_players))
    core.random_games(rules, states, legal, probs, np.uint64(1), 1)


def _batch(game: str) -> None:
    batch = envs.make_batch(game, 2)
    batch.reset(seed=1)
    batch.step(batch.action_masks.argmax(1))
    batch.observe()


def _learner(game: str) -> None:
    """One learner among built-in opponents, alone and in a vector of games."""
    single = SingleAgentEnv(game, opponent="random")
    _, info = single.reset(seed=1)
    single.step(int(info["action_mask"].argmax()))
    vector = VectorEnv(game, num_envs=2, opponent="random")
    _, info = vector.reset(seed=1)
    vector.step(info["action_mask"].argmax(1))


def _players(game: str) -> None:
    """Games between compiled players, and a decision of each player that the game has."""
    spec = envs.spec(game)
    rules = spec.make_rules()
    player = kernel_policies.KernelPolicy("random", kernel_policies.RANDOM)
    seating = np.zeros((1, rules.num_players), np.int64)
    kernel_policies.play_many(rules, [player], np.ones(1, np.uint64), seating)
    state = envs.make_state(game, 1)
    while len(state.legal_actions()) < 2:  # else some players need no search
        state.apply_action(state.legal_actions()[0])
    for name, needed in PLAYERS.items():
        if needed and hooks.found(spec, needed) is None:
            continue
        try:
            policy = make_policy(spec, name)
        except ValueError:  # the game has none
            continue
        policy.act(decision_for(spec, rules, state.states, 1))


USES: dict[str, Callable[[str], None]] = {
    "first step": _environment,
    "state": _state,
    "batch": _batch,
    "learner": _learner,
    "players": _players,
    "plain calls": _plain,
}
"""What a game is used for, by the words for it."""


class _Count(event.Listener):
    """How many functions are compiled."""

    functions = 0

    def on_start(self, event: Any) -> None:
        self.functions += 1

    def on_end(self, event: Any) -> None:
        pass


@contextlib.contextmanager
def _counted() -> Iterator[_Count]:
    count = _Count()
    event.register("numba:compile", count)
    try:
        yield count
    finally:
        event.unregister("numba:compile", count)


def compiled(game: str) -> Used:
    """Use a game for everything, so that all of it is compiled and kept."""
    used = Used(game)
    with _counted() as count:
        for name, use in USES.items():
            before = count.functions
            use(game)
            used.functions[name] = count.functions - before
            used.seconds[name] = time.process_time()
    return used


def measured(game: str) -> Used:
    """The same in a new process that finds nothing compiled.

    Raises:
        RuntimeError: it failed, with what it said.
    """
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", __name__, game],
            env={**os.environ, "NUMBA_CACHE_DIR": folder},
            capture_output=True, text=True,
        )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{game}: {done.stderr}")
    return Used(**json.loads(done.stdout))


def table(found: list[Used], took: bool) -> Table:
    """A row for each game; with ``took``, the seconds of each use, else only what was compiled."""
    made = Table(["game", *(USES if took else ()), "functions compiled"])
    for used in found:
        cells = [f"{seconds:.1f}" for seconds in used.seconds.values()] if took else []
        made.rows.append([used.game, *cells, str(sum(used.functions.values()))])
    if took and len(found) > 1:
        sums = [sum(used.seconds[name] for used in found) for name in USES]
        functions = sum(sum(used.functions.values()) for used in found)
        made.rows.append(["together", *(f"{seconds:.1f}" for seconds in sums), str(functions)])
    return made


if __name__ == "__main__":
    print(json.dumps(asdict(compiled(sys.argv[1]))))
