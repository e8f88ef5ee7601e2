"""DSGBench's metrics of recorded games, by the paper's names, in both readings.

A game tells its metrics by a function ``dsgbench(rules, record, seats, as_published)`` of its
``metrics`` module: by name the value of one game for the policy in these seats, None where the game
has no case. For games that came without one it stands here. WR and GA are the same for all games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.records import GameRecord, gone_seats, returns_of, sides_of
from stratagym.envs import core, spec
from stratagym.envs.facts import side_leads

Values = dict[str, float | None]
Replies = Sequence[Mapping[str, Any]]
Measure = Callable[[Any, GameRecord, Sequence[int], bool], Values]


def own_seats(record: GameRecord, seats: Sequence[int]) -> tuple[int, ...]:
    """The seats of a record's policy: the scene's, or its side's."""
    if seats:
        return tuple(seats)
    first = record["seat"] or 0
    return next(tuple(side) for side in sides_of(record) if first in side)


def values_of(
    record: GameRecord,
    seats: Sequence[int],
    replies: Replies,
    as_published: bool,
) -> dict[str, float]:
    """Every metric of a game, nan where there is no case.

    Args:
        replies: the answers of the policy in these seats, if it is a language model.
        as_published: as the released code computes them.
    """
    game = spec(record["game"])
    rules = game.make_rules(**record["rules"])
    measure = measure_of(game)
    told: Values = {} if measure is None else measure(rules, record, seats, as_published)
    told = {"WR": won(record, seats), **told}
    told["GA"] = grounding(replies, _refused(record, seats), as_published)
    return {name: float("nan") if value is None else value for name, value in told.items()}


def sizes_of(record: GameRecord) -> dict[str, float]:
    """Numbers of a scene that ranges name, such as ``turns``: the options that are numbers.

    ``phases`` are the movement phases of a game that counts ``years``, two a year.
    """
    sizes = {
        name: float(value)
        for name, value in record["rules"].items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return sizes | ({"phases": 2 * sizes["years"]} if "years" in sizes else {})


def measure_of(game: core.GameSpec) -> Measure | None:
    """The metrics of a game, or None where only WR and GA are known of it."""
    own = getattr(game.optional_module("metrics"), "dsgbench", None)
    return own or OTHERS.get(game.name)


def won(record: GameRecord, seats: Sequence[int]) -> float:
    """1 where the side of the first seat came first alone, else 0; a tie is no win."""
    sides, returns = sides_of(record), returns_of(record)
    if set(seats) & gone_seats(record):
        return 0.0
    if not any(set(side) == set(seats) for side in sides):  # several seats that are sides alone
        best = max(range(len(returns)), key=returns.__getitem__)
        return float(best in seats and returns.count(returns[best]) == 1)
    own = next(k for k, side in enumerate(sides) if set(side) == set(seats))
    return float(side_leads(sides, returns)[own] > 0)


# --- grounding accuracy --------------------------------------------------------------------------


def grounding(
    replies: Iterable[Mapping[str, Any]], refused: int = 0, as_published: bool = False
) -> float:
    """The share of valid names among the names in replies; 1 for who answers by no words.

    A reply without a name that can be read counts as one bad name.

    Args:
        refused: names that were valid by themselves and not legal when their time came.
        as_published: 1 less errors by calls, calls counted from 1 and one error a reply at most.
    """
    named = valid = calls = errors = 0
    for reply in replies:
        if reply["kind"] in ("transport", "overtime"):
            continue
        names, good = names_in(reply)
        calls += 1
        errors += good < names
        named, valid = named + names, valid + good
    if as_published:
        return 1 - errors / (1 + calls)
    return (valid - min(refused, valid)) / named if named else 1.0


def names_in(reply: Mapping[str, Any]) -> tuple[int, int]:
    """How many moves a reply names, and how many of them are valid by themselves."""
    facts = reply.get("plan") or {}
    for every, good in (("named", "valid"), ("orders", "legal")):
        if facts.get(every):
            return facts[every], facts.get(good, 0)
    bad = len(reply.get("rejected") or ())
    if reply["kind"] != "ok":
        return max(1, bad), 0
    good_moves = len(reply.get("actions") or (1,))
    return good_moves + bad, good_moves


def _refused(record: GameRecord, seats: Sequence[int]) -> int:
    return sum(entry[1] in seats for entry in record.get("rejected", ()))


# --- games whose metrics have other names --------------------------------------------------------


def _arrays(record: GameRecord) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What replays of a game take: its seed, its actions and how many there are."""
    actions = np.array([record["actions"] or [0]], np.int32)
    return np.array([record["seed"]], np.uint64), actions, np.array([record["plies"]], np.int64)


def _stratego(rules: Any, record: GameRecord, seats: Sequence[int], as_published: bool) -> Values:
    metrics = spec("stratego").module("metrics")
    counts = metrics.game_counts(rules, *_arrays(record))
    told = metrics.rates(rules, counts, as_published)
    return {name.upper(): float(told[name][0, seats[0]]) for name in ("cpr", "tpcv")}


def _welfare(rules: Any, record: GameRecord, seats: Sequence[int], as_published: bool) -> Values:
    """Centres, the share of the points, betrayals and alliances, by observed alliances."""
    from stratagym.envs.diplomacy import alliances, metrics

    again = metrics.play_again(rules, record["actions"], record["seed"])
    points = returns_of(record)
    centres = metrics.centres_of(again.end[0])
    own = [points[seat] for seat in seats]
    found: Values = {
        "CCC": float(np.mean([centres[seat] for seat in seats])),
        "WS": sum(own) / sum(points) if sum(points) else None,
    }
    relations = alliances.relations_of(again.movements)
    those = alliances.observed(relations)
    who = list(seats)
    betrayals = (relations.attacks & those.in_force)[:, who].sum()
    orders, alive = relations.orders[:, who].sum(), relations.alive[:, who]
    allied = those.allied[:, who].any(2) & alive
    return found | {
        "1-BIR": 1 - float(betrayals / orders) if orders else None,
        "ASR": float(allied.sum() / alive.sum()) if alive.any() else None,
        "AD": float(allied.sum(0).mean()),
    }


def _starcraft(rules: Any, record: GameRecord, seats: Sequence[int], as_published: bool) -> Values:
    metrics = spec("starcraft").module("metrics")
    counts = metrics.game_counts(rules, *_arrays(record))[0, seats[0]]
    told = metrics.rates(counts, _refused(record, seats))
    names = ("RPM", "EER", "SUR", "TCR", "APM", "EPM")
    coded = {name: told.get(f"{name}_coded", told[name]) for name in names}
    return coded if as_published else {name: told[name] for name in names}


def _werewolf(rules: Any, record: GameRecord, seats: Sequence[int], as_published: bool) -> Values:
    """Those of the village, for who is on its side."""
    metrics = spec("werewolf").module("metrics")
    counts, results = metrics.replay(rules, *_arrays(record))
    own = dict(zip(metrics.COUNTS, counts[0, list(seats)].sum(0).tolist(), strict=True))
    end = dict(zip(metrics.RESULTS, results[0].tolist(), strict=True))
    if record["roles"][seats[0]] in ("wolf", "alpha"):
        return {"IRP": None, "KSR": None, "VSS": None}
    when = "_after_vote" if as_published else ""
    exiled = end["wolf_exiles"] / end["exiles"] if end["exiles"] else None
    return {
        "IRP": own["wolf_votes"] / own["votes"] if own["votes"] else None,
        "KSR": (max(0, end[f"seer_alive{when}"]) + max(0, end[f"doctor_alive{when}"])) / 2,
        "VSS": 0.0 if exiled is None and as_published else exiled,
    }


OTHERS: dict[str, Measure] = {
    "starcraft": _starcraft,
    "stratego": _stratego,
    "welfare_diplomacy": _welfare,
    "werewolf": _werewolf,
}
