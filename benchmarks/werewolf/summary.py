"""The content of ``summary.json``: results by side, votes, exiles, statements, speech."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.records import returns_of
from stratagym.benchmarks.harness.whole_games import Played
from stratagym.benchmarks.reporting.counts import Counts
from stratagym.benchmarks.reporting.stats import RESULT, mean_rate, paired_means
from stratagym.benchmarks.werewolf.settings import (
    GAME,
    MIXED,
    ONE,
    SELF,
    SIDES,
    VILLAGE,
    WOLVES,
    Setting,
    own_side,
)
from stratagym.envs.werewolf.metrics import COUNTS, RESULTS, replay
from stratagym.envs.werewolf.state import BY_VILLAGE, BY_WOLVES

OUTSIDERS = ("jester", "killer")
PACK = ("wolf", "alpha")
STATEMENTS = {
    "claims": ("false_claims", "claims"),
    "seer_claims": ("false_seer_claims", "seer_claims"),
    "changed": ("changed_claims", "claims"),
    "results": ("wrong_results", "results"),
    "protections": ("false_protections", "protections"),
}
"""What was said that is false, or against an earlier claim, of what was said."""


@dataclass(frozen=True)
class Counted:
    """The finished games of a setting, played again.

    Attributes:
        setting: which. games: those that count.
    """

    setting: Setting
    games: Games

    @cached_property
    def replayed(self) -> tuple[np.ndarray, np.ndarray]:
        """``COUNTS`` of every game and seat (G, P, ...), and ``RESULTS`` of every game (G, ...)."""
        records = self.games.records
        if not records:
            return np.zeros((0, 1, len(COUNTS))), np.zeros((0, len(RESULTS)), np.int64)
        rules = GAME.make_rules(**records[0]["rules"])
        return replay(rules, self.games.seeds, self.games.actions, self.games.plies)

    def count(self, game: int, seat: int, name: str) -> float:
        """What a seat did in a game."""
        return float(self.replayed[0][game, seat, COUNTS.index(name)])

    def result(self, game: int, name: str) -> int:
        """What the end of a game was like."""
        return int(self.replayed[1][game, RESULTS.index(name)])

    def seats(self, record: Any, side: str) -> list[int]:
        """The policy's own seats in a game that are of a side."""
        return [
            seat
            for seat, (name, role) in enumerate(zip(record["seats"], record["roles"], strict=True))
            if name == self.setting.policy and side_of(role) == side
        ]


def side_of(role: str) -> str:
    """The side of a role; ``MIXED`` for an outsider."""
    return WOLVES if role in PACK else MIXED if role in OUTSIDERS else VILLAGE


def add_up(
    games: Played,
    settings: Sequence[Setting],
    decisions: Iterable[Mapping[str, Any]],
    messages: Iterable[Mapping[str, Any]],
) -> dict[str, Any]:
    """``results``, ``pairs``, ``lift``, ``village``, ``wolves``, ``as_published``, ``statements``
    and ``speech`` of the summary."""
    counted = [Counted(one, games[one.pairing]) for one in settings]
    said = _said(games, decisions, messages)
    return {
        "results": [_result(one) for one in counted],
        "pairs": [_pairs(one) for one in counted if one.setting.name == SIDES],
        "lift": _lifts(counted),
        "village": [_village(one) for one in counted],
        "wolves": [_wolves(one) for one in counted],
        "as_published": [_as_published(one) for one in counted],
        "statements": [row for one in counted for row in _statements(one)],
        "speech": [_speech(one, said) for one in counted],
    }


def _row(one: Counted) -> dict[str, Any]:
    return {
        "setting": one.setting.name,
        "policy": one.setting.policy,
        "other": one.setting.other,
        "games": len(one.games.records),
    }


def _won(one: Counted, game: int, record: Any, side: str) -> float:
    """Whether a side won a game: 1, 0, or one half for a draw; a forfeit is as its returns say."""
    seats = record["sides"][0 if side == VILLAGE else 1]
    result = returns_of(record)[seats[0]]
    return 0.5 + 0.5 * (result > 0) - 0.5 * (result < 0)


def _result(one: Counted) -> dict[str, Any]:
    """Games won as village and as wolves, and the mean of both; seats of both sides by themselves.

    In a game that a policy plays on both sides each side counts.
    """
    won: dict[str, list[tuple[float, int]]] = {VILLAGE: [], WOLVES: []}
    for game, record in enumerate(one.games.records):
        for side, own in won.items():
            own += [(_won(one, game, record, side), record["seed"])] * bool(one.seats(record, side))
    rates = {}
    for side, own in won.items():
        values = np.array([value for value, _ in own], float)
        rates[side] = mean_rate(values, np.array([seed for _, seed in own], np.uint64)).record()
    both = [pair for own in won.values() for pair in own]
    two = None
    if all(won.values()):
        two = (rates[VILLAGE]["value"] + rates[WOLVES]["value"]) / 2
    values = np.array([value for value, _ in both], float)
    pooled = mean_rate(values, np.array([seed for _, seed in both], np.uint64)).record()
    days = np.array([one.result(g, "days") for g in range(len(one.games.records))], float)
    return _row(one) | {
        "endings": one.games.endings,
        "transport_aborted": one.games.aborted,
        "village": rates[VILLAGE],
        "wolves": rates[WOLVES],
        "won": pooled,
        "two_sided": two,
        "days": float(days.mean()) if len(days) else None,
        "decided": {
            side: sum(one.result(g, "winner") == by for g in range(len(one.games.records)))
            for side, by in ((VILLAGE, BY_VILLAGE), (WOLVES, BY_WOLVES))
        },
    }


def _pairs(one: Counted) -> dict[str, Any]:
    """Seeds that the policy won on both sides, on neither, and on one of them."""
    scores: dict[int, list[float]] = {}
    for game, record in enumerate(one.games.records):
        side = own_side(record, one.setting.policy)
        if side != MIXED:
            scores.setdefault(record["seed"], []).append(_won(one, game, record, side))
    full = [sum(own) for own in scores.values() if len(own) == 2]
    both, neither = sum(total == 2 for total in full), sum(total == 0 for total in full)
    decided = np.array([1.0] * both + [0.0] * neither)
    return _row(one) | {
        "pairs": len(full),
        "both": both,
        "neither": neither,
        "won": mean_rate(decided, chance=0.5).record(),
    }


def _lifts(counted: Sequence[Counted]) -> list[dict[str, Any]]:
    """What one seat of a policy among frozen players gains on the frozen player in its place."""
    base = {one.setting.policy: one for one in counted if one.setting.name == SELF}
    found = []
    for one in counted:
        if one.setting.name != ONE or one.setting.other not in base:
            continue
        usual = {record["seed"]: record for record in base[one.setting.other].games.records}
        by_side: dict[str, tuple[dict[int, list[float]], dict[int, list[float]]]] = {}
        for record in one.games.records:
            if record["seed"] not in usual:
                continue
            for seat, name in enumerate(record["seats"]):
                if name == one.setting.policy:
                    after, before = by_side.setdefault(side_of(record["roles"][seat]), ({}, {}))
                    after.setdefault(record["seed"], []).append(returns_of(record)[seat])
                    was = returns_of(usual[record["seed"]])[seat]
                    before.setdefault(record["seed"], []).append(was)
        for side, (after, before) in sorted(by_side.items()):
            lift = paired_means(after, before, bounds=RESULT).record()
            found.append(_row(one) | {"side": side, "lift": lift})
    return found


def _village(one: Counted) -> dict[str, Any]:
    """The votes of the policy's village players, whom they exiled, and who of them lived."""
    counts = Counts()
    chance = votes = 0.0
    by_role: set[str] = set()
    for game, record in enumerate(one.games.records):
        seats, seed = one.seats(record, VILLAGE), record["seed"]
        if not seats:
            continue
        for seat in seats:
            own = [int(one.count(game, seat, name)) for name in ("wolf_votes", "votes")]
            counts.add("irp", seed, *own)
            counts.add(f"irp/{record['roles'][seat]}", seed, *own)
            by_role.add(record["roles"][seat])
            chance += one.count(game, seat, "wolf_votes_by_chance")
            votes += own[1]
            followed = (int(one.count(game, seat, name)) for name in ("followed", "heard"))
            counts.add("followed", seed, *followed)
        counts.add("vss", seed, one.result(game, "wolf_exiles"), one.result(game, "exiles"))
        for name in ("seer", "doctor"):
            if (lives := one.result(game, f"{name}_alive")) >= 0:
                counts.add("ksr", seed, lives, 1)
                counts.add(f"ksr_{name}", seed, lives, 1)
    names = ("irp", "vss", "ksr", "ksr_seer", "ksr_doctor", "followed")
    return _row(one) | {
        **{name: counts.record(name) for name in names},
        "irp_by_chance": chance / votes if votes else None,
        "irp_by_role": {role: counts.record(f"irp/{role}") for role in sorted(by_role)},
    }


def _wolves(one: Counted) -> dict[str, Any]:
    """The votes of the policy's wolves, and how often the village was drawn off wolves."""
    counts = Counts()
    hits = chance = votes = 0.0
    for game, record in enumerate(one.games.records):
        seats, seed = one.seats(record, WOLVES), record["seed"]
        if not seats:
            continue
        for seat in seats:
            total = int(one.count(game, seat, "votes"))
            counts.add("off_wolves", seed, total - int(one.count(game, seat, "wolf_votes")), total)
        for seat, role in enumerate(record["roles"]):
            if side_of(role) == VILLAGE:
                hits += one.count(game, seat, "wolf_votes")
                chance += one.count(game, seat, "wolf_votes_by_chance")
                votes += one.count(game, seat, "votes")
        counts.add("seer_first", seed, one.result(game, "first_victim") == 2, 1)
    return _row(one) | {
        "off_wolves": counts.record("off_wolves"),
        "seer_first": counts.record("seer_first"),
        "village_irp": hits / votes if votes else None,
        "village_irp_by_chance": chance / votes if votes else None,
    }


def _as_published(one: Counted) -> dict[str, Any]:
    """IRP, KSR, VSS and WR as DSGBench's code counts them, over games with the village's seats.

    All village votes cumulated over games; the key roles behind the last vote; exiles cumulated,
    0 without any; the village's games alone.
    """
    hits = votes = key = exiles = wolves = won = games = 0.0
    for game, record in enumerate(one.games.records):
        if not one.seats(record, VILLAGE):
            continue
        games += 1
        won += _won(one, game, record, VILLAGE) == 1
        for seat, role in enumerate(record["roles"]):
            if side_of(role) == VILLAGE:
                hits += one.count(game, seat, "wolf_votes")
                votes += one.count(game, seat, "votes")
        for name in ("seer", "doctor"):
            key += max(0, one.result(game, f"{name}_alive_after_vote")) / 2
        exiles += one.result(game, "exiles")
        wolves += one.result(game, "wolf_exiles")
    return _row(one) | {
        "village_games": int(games),
        "irp": hits / votes if votes else 0.0,
        "ksr": key / games if games else None,
        "vss": wolves / exiles if exiles else 0.0,
        "wr": won / games if games else None,
    }


def _statements(one: Counted) -> list[dict[str, Any]]:
    """What the policy said, against the truth, by side."""
    rows = []
    for side in (VILLAGE, WOLVES):
        counts, any_seat = Counts(), False
        for game, record in enumerate(one.games.records):
            for seat in one.seats(record, side):
                any_seat = True
                for name, (false, of) in STATEMENTS.items():
                    counted = (int(one.count(game, seat, part)) for part in (false, of))
                    counts.add(name, record["seed"], *counted)
        if any_seat:
            told = {name: counts.record(name) for name in STATEMENTS}
            rows.append(_row(one) | {"side": side, **told})
    return rows


Said = dict[tuple[str, int], dict[str, int]]
"""By match and seat: words, speeches and what replies declared."""
DECLARED = ("acts", "parsed", "declared", "read", "agreed")


def _said(
    games: Played, decisions: Iterable[Mapping[str, Any]], messages: Iterable[Mapping[str, Any]]
) -> Said:
    known = {record["match"] for each in games.values() for record in each.records}
    found: Said = {}

    def place(match: str, seat: int) -> dict[str, int]:
        names = ("words", "messages", "replies", "rejected", *DECLARED)
        return found.setdefault((match, seat), dict.fromkeys(names, 0))

    for message in messages:
        if message["match"] in known and message["to"] != [message["seat"]]:
            own = place(message["match"], message["seat"])
            own["words"] += len(message["text"].split())
            own["messages"] += 1
    last: dict[tuple[str, int, int], Mapping[str, Any]] = {}
    for one in decisions:
        if one["item"] in known and one.get("plan"):
            last[one["item"], one["ply"], one["seat"]] = one
    for (match, _, seat), one in last.items():
        own = place(match, seat)
        own["replies"] += 1
        own["rejected"] += len(one.get("rejected") or ())
        for name in DECLARED:
            own[name] += one["plan"].get(name, 0)
    return found


def _speech(one: Counted, said: Said) -> dict[str, Any]:
    """How much the policy spoke, and how what it declared agrees with its words."""
    total = dict.fromkeys(("words", "messages", "replies", "rejected", *DECLARED), 0)
    spoken = bids = bid_sum = days = seats = 0.0
    for game, record in enumerate(one.games.records):
        for seat, name in enumerate(record["seats"]):
            if name != one.setting.policy:
                continue
            seats += 1
            spoken += one.count(game, seat, "speeches")
            bids += one.count(game, seat, "bids")
            bid_sum += one.count(game, seat, "bid_sum")
            for what, many in said.get((record["match"], seat), {}).items():
                total[what] += many
        days += one.result(game, "days")
    different = total["declared"] + total["read"] - 2 * total["agreed"]
    either = total["declared"] + total["read"] - total["agreed"]
    return _row(one) | {
        **total,
        "speeches": int(spoken),
        "words_a_speech": total["words"] / total["messages"] if total["messages"] else None,
        "bid": bid_sum / bids if bids else None,
        "mismatch": different / either if either else None,
        "parsed_share": total["parsed"] / total["replies"] if total["replies"] else None,
    }
