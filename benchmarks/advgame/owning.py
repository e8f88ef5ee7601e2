"""Whose plans were whose in AdvGameBench: over all games, and game by game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from stratagym.benchmarks.advgame.matches import START, Setting
from stratagym.benchmarks.advgame.metrics import Game
from stratagym.benchmarks.harness import own_play
from stratagym.benchmarks.harness.own_play import OwnPlay
from stratagym.envs import spec

T = TypeVar("T", bound=tuple[Setting, Game])


in_games = partial(own_play.in_games, behind=START)
"""Whether a match, or one for a first plan, is of one of these games."""


def without_result(play: OwnPlay, games: Sequence[str]) -> set[tuple[str, str]]:
    """(game, policy) of all that have no result there; in every game where it has none at all."""
    void = {(game, name) for game in games for name in play.void(in_games([game]))}
    return void | {(game, name) for name in play.void(in_games(games)) for game in games}


def counting(every: Iterable[T], void: set[tuple[str, str]]) -> list[T]:
    """The matches in which neither side lacks a result."""
    return [
        one
        for one in every
        if not void & {(one[0].game, one[0].policy), (one[0].game, one[0].opponent)}
    ]


def records(play: OwnPlay, games: Sequence[str], policies: Sequence[str]) -> dict[str, Any]:
    """``own`` of the summary: by policy over the games that it has a result in, and by game.

    Over all games where it has none.
    """
    void = without_result(play, games)
    own: dict[str, Any] = {}
    for name in policies:
        kept = [game for game in games if (game, name) not in void]
        own |= play.records([name], in_games(kept or games))
    return {"all": own, **{game: play.records(policies, in_games([game])) for game in games}}


def scopes(summary: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """``own`` of the summary with the titles of games, where there are several."""
    all_games, *by_game = summary["own"].items()
    return [("", all_games[1])] + [
        (spec(game).title, own) for game, own in by_game if len(by_game) > 1
    ]
