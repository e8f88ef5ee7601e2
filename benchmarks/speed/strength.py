"""How strong our search is beside OpenSpiel's at equal simulations, game by game."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.agents.core import Policy, decision_for, make_policy
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.match_play import SeatedMatch
from stratagym.benchmarks.reporting.stats import mean_rate, wilson
from stratagym.benchmarks.speed.openspiel import MCTSBot
from stratagym.benchmarks.speed.searches import opening_moves
from stratagym.envs import core, spec

NAME = "search"
CUT = "cut"
"""How a game ended that reached ``--max-plies``."""


@dataclass(frozen=True)
class Pairing:
    """Our search and OpenSpiel's, alike in all that can be set."""

    board: str
    ours: Policy
    bot: MCTSBot

    @property
    def name(self) -> str:
        return f"{self.board}/{self.ours.name}/{self.bot.name}"

    def matches(self, games: int, seed: int) -> list[SeatedMatch]:
        """Each opening, the match's seed, once with either side."""
        game = spec(self.board)
        rules, options = game.make_rules(), game.options_in_force()
        seats: list[Policy] = [self.ours, self.bot]
        return [
            SeatedMatch(
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


def board_pairings(board: str, simulations: int, exploration: float) -> list[Pairing]:
    """Plain UCT and ours that proves results against OpenSpiel's without and with its solver.

    Without it OpenSpiel's bot still knows a won or lost child for what it is, plain UCT does not.
    """
    game = spec(board)
    plain = make_policy(game, f"mcts:{simulations}?c={exploration:g}&solve=no")
    proving = make_policy(game, f"mcts:{simulations}?c={exploration:g}")
    theirs, theirs_proving = (
        MCTSBot(game, simulations, exploration, solve) for solve in (False, True)
    )
    return [
        Pairing(board, plain, theirs),
        Pairing(board, proving, theirs),
        Pairing(board, proving, theirs_proving),
    ]


def play(match: SeatedMatch, bot: MCTSBot, random_moves: int, max_plies: int) -> dict[str, Any]:
    """The record of one game, its first ``random_moves`` the same for every pairing.

    It is over when either side's rules say so, or cut after ``max_plies``.
    """
    rules = match.rules
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    player = core.start_at(rules, states, 0, np.uint64(match.seed), probs)
    bot.begin(item_seed(match.seed, match.name))
    actions: list[int] = []
    opening = opening_moves(match.game, rules, random_moves, match.seed)
    while player >= 0 and not bot.over() and len(actions) < max_plies:
        if len(actions) < len(opening):
            action = opening[len(actions)]
        else:
            seed = item_seed(match.seed, match.name, str(len(actions)))
            action = match.seats[player].act(decision_for(match.game, rules, states, seed))
        bot.follow(states, action)
        player, _ = core.play_at(rules, states, 0, action, legal, probs)
        actions.append(action)
    returns = np.zeros(rules.num_players)
    core.returns_at(rules, states, 0, returns)
    ending = player if player < 0 else "openspiel" if bot.over() else CUT
    return match.record(actions, ending, returns.tolist())


def strength(games: Iterable[dict[str, Any]], pairings: list[Pairing]) -> list[dict[str, Any]]:
    """Results of our search by pairing, from the records."""
    by_name: dict[str, list[dict[str, Any]]] = {pairing.name: [] for pairing in pairings}
    for game in games:
        by_name[game["match"].rsplit("/", 2)[0]].append(game)
    rows = []
    for pairing in pairings:
        played = by_name[pairing.name]
        won = np.array([g["returns"][g["seats"].index(pairing.ours.name)] for g in played])
        rows.append(
            {
                "game": pairing.board,
                "ours": pairing.ours.name,
                "openspiel": pairing.bot.name,
                "wins": wilson(int((won > 0).sum()), len(won)).record(),
                "draws": wilson(int((won == 0).sum()), len(won)).record(),
                "losses": wilson(int((won < 0).sum()), len(won)).record(),
                "points": mean_rate(
                    (won + 1) / 2, np.array([g["seed"] for g in played]), chance=0.5
                ).record(),
                "cut": sum(g["ended_by"] == CUT for g in played),
                "mean_plies": float(np.mean([g["plies"] for g in played])),
            }
        )
    return rows
