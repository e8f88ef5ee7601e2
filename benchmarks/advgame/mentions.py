"""Which names a language model's plans hold that the game has not: how often, where, and whence.

A reply counts that could be read, whether its plan was played or broke a rule, first answers and
later ones alike.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from stratagym.benchmarks.advgame.metrics import Game
from stratagym.benchmarks.advgame.names import (
    CLASSES,
    HALLUCINATED,
    KNOWN,
    LEAKED,
    classify,
)
from stratagym.benchmarks.harness.records import DecisionRecord
from stratagym.benchmarks.harness.sealed_games import GAMES, ROLES, names
from stratagym.benchmarks.reporting.stats import mean_rate
from stratagym.envs import sealed_words, spec
from stratagym.envs.replies import ReplyError
from stratagym.envs.words import Renaming

MOST_NAMES = 10
LONGEST = 80
"""Characters of a name in a report."""


@dataclass(frozen=True)
class Reply:
    """A readable reply of a policy in its own seat.

    Attributes:
        game: the match. round: from 1. names: (name as written, class, source) of each.
    """

    game: Game
    round: int
    names: tuple[tuple[str, str, str], ...]

    @property
    def is_bad(self) -> bool:
        """Whether a name is hallucinated."""
        return any(kind in HALLUCINATED for _, kind, _ in self.names)


def replies(
    decisions: Iterable[DecisionRecord], matches: Mapping[str, Game], renamed: bool
) -> list[Reply]:
    """The readable replies in matches, by the matches' names."""
    found = []
    for record in decisions:
        game = matches.get(record["item"])
        if game is None or record["seat"] != game.role or record["kind"] not in ("ok", "illegal"):
            continue
        plies = [one.ply for one in game.rounds]
        try:
            plan = sealed_words.last_json(record["reply"] or "", dict)
        except ReplyError:
            continue
        said = sealed_words.names_in(plan)
        own, other, siblings, true = _known(game.game, game.role, renamed)
        kinds = [(one, *classify(one, own, other, siblings, true)) for one in said]
        found.append(Reply(game, bisect_right(plies, record["ply"]), tuple(kinds)))
    return found


@lru_cache(maxsize=16)
def _known(
    game: str, seat: int, renamed: bool
) -> tuple[Sequence[str], Sequence[str], Mapping[str, Sequence[str]], Sequence[str]]:
    """``own``, ``other``, ``siblings`` and ``true`` of ``classify``."""
    own, other = names(game, seat), names(game, 1 - seat)
    siblings = {
        spec(g).title: [*names(g, 0), *names(g, 1)] for g in GAMES if g != game
    }  # fmt: skip
    if not renamed:
        return own, other, siblings, ()
    words = Renaming(spec(game).module("view").RENAMED)
    new = [tuple(map(words.renamed, side)) for side in (own, other)]
    return new[0], new[1], siblings, (*own, *other)


def summary(found: Sequence[Reply]) -> dict[str, Any]:
    """How many replies hold a hallucinated name, and which; intervals are over clusters."""
    cells = dict.fromkeys((one.game.game, one.game.role) for one in found)
    rounds = sorted({one.round for one in found})
    return {
        **_part(found),
        "by_side": [
            {
                "game": game,
                "role": ROLES[role],
                **_part([r for r in found if (r.game.game, r.game.role) == (game, role)]),
            }
            for game, role in cells
        ],
        "by_round": [{"round": k, **share([r for r in found if r.round == k])} for k in rounds],
        "most": [
            {"name": name[:LONGEST], "class": kind, "source": source, "times": times}
            for (name, kind, source), times in Counter(
                name for one in found for name in one.names if name[1] in HALLUCINATED
            ).most_common(MOST_NAMES)
        ],
    }


def _part(found: Sequence[Reply]) -> dict[str, Any]:
    classes = Counter(kind for one in found for _, kind, _ in one.names)
    bad = sum(classes[kind] for kind in HALLUCINATED)
    return {
        "replies": len(found),
        "hallucinated": share(found),
        "classes": {kind: classes[kind] for kind in CLASSES},
        "from_lexicon": (classes[KNOWN] + classes[LEAKED]) / bad if bad else None,
    }


def share(found: Sequence[Reply]) -> dict[str, Any]:
    """The share of replies with a hallucinated name."""
    clusters: dict[Any, int] = {}
    index = [clusters.setdefault(one.game.cluster, len(clusters)) for one in found]
    return mean_rate(np.array([one.is_bad for one in found], float), np.array(index)).record()


def counts(found: Iterable[Reply], games: Sequence[Game]) -> np.ndarray:
    """(games, 2): replies with a hallucinated name, and replies, of each match."""
    place = {id(game): k for k, game in enumerate(games)}
    total = np.zeros((len(games), 2))
    for one in found:
        if id(one.game) in place:
            total[place[id(one.game)]] += one.is_bad, 1
    return total
