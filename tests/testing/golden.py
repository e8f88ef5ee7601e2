"""One recorded game of each kind, so that a change of the rules cannot go unseen.

    python -m stratagym.testing.golden [--folder FOLDER] GAME ...      writes FOLDER/<game>.txt

The form follows OpenSpiel's playthroughs. Moves are drawn from the legal ones by the seed alone.
The first and last plies are written out; a digest stands for those between.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.envs import core, games, spec

SEED = 20
SHOWN = 12


def _field(value: Any) -> str:
    return str(value.tolist()).replace("\n", " ")


def _state(s: np.void) -> list[str]:
    return [f"  {name} = {_field(s[name])}" for name in s.dtype.names or ()]


def _numbers(values: np.ndarray) -> str:
    return ", ".join(f"{value:g}" for value in values)


def playthrough(name: str, seed: int = SEED) -> str:
    """The text of one random game with default options."""
    game = spec(name)
    rules, view = game.make_rules(), game.module("view")
    states = core.new_states(rules)
    legal, probs = core.new_scratch(rules)
    returns = np.zeros(rules.num_players)
    observation = np.zeros(rules.observation_shape, rules.observation_dtype)
    plies: list[list[str]] = []
    player = core.start_at(rules, states, 0, np.uint64(seed), probs)
    n = core.legal_actions_at(rules, states, 0, legal) if player >= 0 else 0
    while player >= 0:
        core.observe_at(rules, states, 0, player, observation)
        actions = legal[:n].tolist()
        words = [view.action_to_string(rules, states[0], action) for action in actions]
        chosen = int(core.derive_seed(np.uint64(seed), np.uint64(len(plies)))) % n
        plies.append(
            [
                f"ply {len(plies)}",
                *_state(states[0]),
                f"  seat = {player}",
                f"  observation = {hashlib.sha256(observation.tobytes()).hexdigest()[:16]}",
                f"  legal = {actions}",
                f"  legal in words = {words}",
                f"  action = {actions[chosen]}, {words[chosen]}",
            ]
        )
        player, n = core.play_at(rules, states, 0, actions[chosen], legal, probs)
        core.returns_at(rules, states, 0, returns)
        plies[-1].append(f"  returns = {_numbers(returns)}")
    left_out = plies[SHOWN:-SHOWN]
    digest = hashlib.sha256("\n".join(map("\n".join, left_out)).encode()).hexdigest()[:16]
    middle = [[f"... {len(left_out)} plies, sha256 {digest}"]] if left_out else []
    shown = [*plies[:SHOWN], *middle, *plies[max(SHOWN, len(plies) - SHOWN) :]]
    end = {core.TERMINAL: "terminal", core.TRUNCATED: "truncated"}[int(player)]
    lines = [
        f"game = {name}",
        f"version = {game.version}",
        *(f"option {key} = {value}" for key, value in game.options_in_force().items()),
        f"seed = {seed}",
        f"observation shape = {rules.observation_shape}",
        f"actions = {rules.num_actions}",
        "",
        *("\n".join(ply) for ply in shown),
        "",
        f"{end} after {len(plies)} plies",
        *_state(states[0]),
        f"  returns = {_numbers(returns)}",
        "",
        *view.board_text(rules, states[0]).splitlines(),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m stratagym.testing.golden", description="Record a game of each kind."
    )
    parser.add_argument("games", nargs="*", metavar="GAME", help="default: every game")
    parser.add_argument("--folder", type=Path, default=Path(), help="default: this one")
    given = parser.parse_args(arguments)
    try:
        names = [spec(name).name for name in given.games or games()]
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for name in names:
        path = given.folder / f"{name}.txt"
        path.write_text(playthrough(name), encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
