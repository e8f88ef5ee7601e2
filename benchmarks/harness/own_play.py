"""Which decisions were a policy's own, from a run's records; the rule is in ``reporting.own``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.records import DecisionRecord, GameRecord
from stratagym.benchmarks.reporting.own import Own
from stratagym.envs.text import ILLEGAL, OK

READABLE = (OK, ILLEGAL)
Where = Callable[[str], Any]
"""A function of a match's name that says whether the match counts."""
_NONE = Own()


class Made(NamedTuple):
    """Something that happened to a policy's decision in a match or spot.

    Attributes:
        policy, item: whose, and where. own: what follows for ``reporting.own``.
    """

    policy: str
    item: str
    own: Own


def made(decisions: Iterable[Mapping[str, Any]]) -> Iterator[Made]:
    """All decisions that were asked for, one by one, from the records of their answers.

    The last answer to a question says what was played: the answer itself, or what came in its
    place. Nothing was played where the game was lost by it, or where no answer came at all.
    """
    last: dict[Any, Mapping[str, Any]] = {}
    for record in decisions:
        if record["prompt"] is None or record["kind"] == TRANSPORT:
            continue  # no language model's, or no answer
        key = (record["policy"], record["persona"], record["item"], record["seat"], record["ply"])
        readable = int(record["kind"] in READABLE)
        yield Made(record["policy"], record["item"], Own(answers=1, readable=readable))
        if key not in last or record["attempt"] >= last[key]["attempt"]:
            last[key] = record
    for record in last.values():
        if record["kind"] == OK or record["action"] is not None:
            replaced = int(record["kind"] != OK)
            yield Made(record["policy"], record["item"], Own(decisions=1, replaced=replaced))


class OwnPlay:
    """How many decisions of a run's policies were their own, match by match.

    Args:
        decisions: the run's records of answers. games: of its matches; those of a match that was
            broken off for good do not count. None where every record counts, as in the spots.
    """

    def __init__(
        self, decisions: Iterable[DecisionRecord], games: Iterable[GameRecord] | None = None
    ):
        ended: dict[str, str] | None = None if games is None else {}
        replaced: dict[str, list[tuple[str, int]]] = {}
        for game in games or ():
            assert ended is not None
            ended[game["match"]] = game["ended_by"]
            stood_in = game.get("stand_ins", ()) if game["ended_by"] != TRANSPORT else ()
            replaced[game["match"]] = [
                (game["seats"][one["seat"]], one["moves"]) for one in stood_in
            ]
        self._by: defaultdict[str, defaultdict[str, list[Own]]]
        self._by = defaultdict(lambda: defaultdict(list))
        for one in made(decisions):
            if ended is None or ended.get(one.item, TRANSPORT) != TRANSPORT:
                self._by[one.policy][one.item].append(one.own)
        for match, seats in replaced.items():
            for policy, moves in seats:  # of an engine that failed, own decisions are not counted
                if policy in self._by:
                    self._by[policy][match].append(Own(decisions=moves, replaced=moves))

    def of(self, policy: str, where: Where = bool) -> Own:
        """A policy's decisions in the matches that count."""
        items: Mapping[str, list[Own]] = self._by.get(policy, {})
        own = (one for item, each in items.items() if where(item) for one in each)
        return reduce(add, own, _NONE)

    def records(self, policies: Iterable[str], where: Where = bool) -> dict[str, dict[str, Any]]:
        """The field ``own`` of a summary, by policy."""
        return {name: self.of(name, where).record() for name in dict.fromkeys(policies)}

    def void(self, where: Where = bool) -> set[str]:
        """The policies that have no result in the matches that count."""
        return {name for name in self._by if not self.of(name, where).is_result}


def in_games(games: Iterable[str], behind: str = "") -> Where:
    """Whether a match is of one of these games, by its name without ``behind`` at its front."""
    names = tuple(f"{game}/" for game in games)
    return lambda match: match.removeprefix(behind).startswith(names)


def own_of(decisions: Iterable[Mapping[str, Any]]) -> Own:
    """The sum of several policies' decisions."""
    return reduce(add, (one.own for one in made(decisions)), _NONE)


def counting(games: Iterable[GameRecord], void: Iterable[str]) -> list[GameRecord]:
    """The games whose players all have a result; other games count in nobody's figures."""
    out = set(void)
    return [game for game in games if not out & set(game["seats"])]
