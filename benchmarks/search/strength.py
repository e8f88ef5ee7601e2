"""How strong searches are: ours beside OpenSpiel's at equal simulations, and one against others."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.agents import hooks
from stratagym.agents.core import Policy, decision_for, make_policy
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.matches import SeatedMatch
from stratagym.benchmarks.harness.openings import opening_moves
from stratagym.benchmarks.reporting.stats import mean_rate, wilson
from stratagym.benchmarks.search.openspiel import MCTSBot
from stratagym.envs import core, spec

NAME = "search"
NOBODY: Mapping[str, str] = {}
CUT = "cut"
"""How a game ended that reached ``--max-plies``."""


@dataclass(frozen=True)
class Pairing:
    """Our search and another player: OpenSpiel's, alike in all that can be set, or a rival."""

    board: str
    ours: Policy
    bot: Policy

    @property
    def name(self) -> str:
        return f"{self.board}/{self.ours.name}/{self.bot.name}"

    def matches(self, games: int, seed: int) -> list[SeatedMatch]:
        """Each opening, the match's seed, once with either side."""
        game = spec(self.board)
        rules, options = game.make_rules(), game.options_in_force()
        seats: list[Policy] = [self.ours, self.bot]
        return [
            SeatedMatch.of(
                NAME,
                f"{self.name}/{g // 2}/{g % 2}",
                game,
                rules,
                options,
                item_seed(seed, self.board, "opening", str(g // 2)),
                seats[:: -1 if g % 2 else 1],
            )
            for g in range(games)
        ]


def board_pairings(
    board: str, simulations: int, exploration: float, players: Mapping[str, str] = NOBODY
) -> list[Pairing]:
    """Plain UCT and ours that proves results against OpenSpiel's without and with its solver.

    Without it OpenSpiel's bot still knows a won or lost child for what it is, plain UCT does not.
    Plain is the first version, which looks at the root as it does at any other node.

    Args:
        players: what plays a policy's name, where it is not the newest version.
    """
    game = spec(board)
    own = hooks.found(game, "MCTS_DEFAULTS") or {}
    options = f"c={exploration:g}" + ("&playout=all&priors=no" if own else "")
    plain = make_policy(game, f"mcts:{simulations}?{options}&solve=no&version=1")
    proving = _made(board, f"mcts:{simulations}?{options}", players)
    theirs, theirs_proving = (
        MCTSBot(game, simulations, exploration, solve) for solve in (False, True)
    )
    return [
        Pairing(board, plain, theirs),
        Pairing(board, proving, theirs),
        Pairing(board, proving, theirs_proving),
    ]


def _made(board: str, name: str, players: Mapping[str, str]) -> Policy:
    policy = make_policy(spec(board), players.get(name, name))
    policy.name = name
    return policy


def rival_pairings(
    board: str, names: list[str], players: Mapping[str, str] = NOBODY
) -> list[Pairing]:
    """The first of the policies against each of the others; ``players`` as in ``board_pairings``.

    Raises:
        ValueError: a policy that does not play the game, in one line.
    """
    first, *others = (_made(board, name, players) for name in names)
    return [Pairing(board, first, other) for other in others]


def play(match: SeatedMatch, bot: Policy, random_moves: int, max_plies: int) -> dict[str, Any]:
    """The record of one game, its first ``random_moves`` the same for every pairing.

    It is over when either side's rules say so, or cut after ``max_plies``. ``ms`` in it is each
    seat's mean CPU time of a move in this thread, in milliseconds; an engine's is not in it.
    """
    rules = match.rules
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    player = core.start_at(rules, states, 0, np.uint64(match.seed), probs)
    theirs = bot if isinstance(bot, MCTSBot) else None
    if theirs:
        theirs.begin(item_seed(match.seed, match.name))
    spent, moves = np.zeros(2), np.zeros(2)
    actions: list[int] = []
    opening = opening_moves(match.game, rules, random_moves, match.seed)
    over = False
    while player >= 0 and not over and len(actions) < max_plies:
        if len(actions) < len(opening):
            action = opening[len(actions)]
        else:
            seed = item_seed(match.seed, match.name, str(len(actions)))
            view = decision_for(match.game, rules, states, seed)
            began = time.thread_time()
            action = match.seats[player].act(view)
            spent[player] += time.thread_time() - began
            moves[player] += 1
        if theirs:
            theirs.follow(states, action)
            over = theirs.over()
        player, _ = core.play_at(rules, states, 0, action, legal, probs)
        actions.append(action)
    returns = np.zeros(rules.num_players)
    core.returns_at(rules, states, 0, returns)
    ending = player if player < 0 else "openspiel" if over else CUT
    record = match.record(actions, ending, returns.tolist())
    return dict(record) | {"ms": (1000 * spent / np.maximum(moves, 1)).round(3).tolist()}


def strength(games: Iterable[Mapping[str, Any]], pairings: list[Pairing]) -> list[dict[str, Any]]:
    """Results of our search by pairing, from the records."""
    by_name: dict[str, list[Mapping[str, Any]]] = {pairing.name: [] for pairing in pairings}
    for game in games:
        by_name.get(game["match"].rsplit("/", 2)[0], []).append(game)
    rows = []
    for pairing in pairings:
        played = by_name[pairing.name]
        seats = [g["seats"].index(pairing.ours.name) for g in played]
        won = np.array([g["returns"][seat] for g, seat in zip(played, seats, strict=True)])
        # Version 0.1 took no time.
        timed = zip(played, seats, strict=True)
        ms = [[g["ms"][seat], g["ms"][1 - seat]] for g, seat in timed if "ms" in g]
        rows.append(
            {
                "game": pairing.board,
                "ours": pairing.ours.name,
                "openspiel" if isinstance(pairing.bot, MCTSBot) else "rival": pairing.bot.name,
                "wins": wilson(int((won > 0).sum()), len(won)).record(),
                "draws": wilson(int((won == 0).sum()), len(won)).record(),
                "losses": wilson(int((won < 0).sum()), len(won)).record(),
                "points": mean_rate(
                    (won + 1) / 2, np.array([g["seed"] for g in played]), chance=0.5
                ).record(),
                "cut": sum(g["ended_by"] == CUT for g in played),
                "ms": np.mean(ms, 0).round(3).tolist() if ms else None,
                "mean_plies": float(np.mean([g["plies"] for g in played])),
            }
        )
    return rows
