"""The content of ``summary.json``: points, centres, alliances and Nash welfare by policy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.diplomacy_games import PRESS, SILENT, Again
from stratagym.benchmarks.harness.diplomacy_judges import (
    BY_HAND,
    KNOWN,
    Labelled,
    agreements_of,
    declared_in,
    judged_rows,
)
from stratagym.benchmarks.harness.diplomacy_talk import agreed_in, spoken_in
from stratagym.benchmarks.harness.records import GameRecord, returns_of
from stratagym.benchmarks.harness.whole_games import Played
from stratagym.benchmarks.reporting.counts import Counts
from stratagym.benchmarks.reporting.stats import COUNT, FREE, SHARE, Bounds, mean_rate, paired_means
from stratagym.benchmarks.welfare.settings import Setting, pairing_of
from stratagym.envs.diplomacy import metrics
from stratagym.envs.diplomacy.alliances import (
    Alliances,
    Relations,
    declared,
    observed,
    relations_of,
)
from stratagym.envs.diplomacy.tables import NUM_CENTRES, NUM_POWERS

OBSERVED, DECLARED = "observed", "declared"
SMOOTHED = 1e-6
"""Added to each power's points a year in the smoothed Nash welfare."""
BETRAYED = "betrayals_per_order"
BROKEN = "betrayals_per_phase"
ALLIED = "phases_with_ally"
LENGTH = "length"
Said = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Found:
    """What a run's figures are made of.

    Attributes:
        games: that count. setting: of the run. policies: by name. decisions: all answers.
        messages: by match. again: games played again. labels: of what was said, by judge.
    """

    games: Played
    setting: Setting
    policies: Sequence[str]
    decisions: Sequence[Mapping[str, Any]]
    messages: Said
    again: Again
    labels: Labelled

    def played(self, variant: str, policy: str) -> list[tuple[GameRecord, tuple[int, ...]]]:
        """A policy's games with the powers that it had."""
        own = self.games[pairing_of(variant, policy)]
        return [(record, self.setting.powers(record)) for record in own.records]

    @property
    def judge(self) -> str:
        """The judge whose labels declare alliances: the first, or the known words."""
        return next((one for one in self.labels if one not in (KNOWN, BY_HAND)), KNOWN)


def add_up(found: Found) -> dict[str, Any]:
    """The benchmark's own parts of the summary."""
    answered = _answered(found.decisions)
    parts: dict[str, Any] = {"most": NUM_CENTRES, "results": [], "alliances": [], "press": []}
    for variant in found.setting.variants:
        for policy in found.policies:
            own = found.games[pairing_of(variant, policy)]
            played = found.played(variant, policy)
            head = {"variant": variant, "policy": policy}
            parts["results"].append(
                {
                    **head,
                    "games": len(own),
                    "endings": own.endings,
                    "transport_aborted": own.aborted,
                    **_result(played, found.again, answered.get(policy, Answered())),
                }
            )
            for kind in (OBSERVED, DECLARED) if variant == PRESS else (OBSERVED,):
                row = _alliances(found, played, kind)
                parts["alliances"].append({**head, "kind": kind, **row})
    speakers = {}
    if PRESS in found.setting.variants:
        parts["press"] = [_press(found, policy) for policy in found.policies]
        speakers = {
            policy: {
                (record["match"], power)
                for record, powers in found.played(PRESS, policy)
                for power in powers
            }
            for policy in found.policies
        }
    judged = judged_rows(speakers, found.labels)
    return {**parts, "judged": judged, "judges": agreements_of(found.labels)}


# --- points, centres, Nash welfare ---------------------------------------------------------------


@dataclass
class Answered:
    """A language model's answers, and the orders in them."""

    replies: int = 0
    valid: int = 0
    orders: int = 0
    legal: int = 0

    def shares(self) -> list[float]:
        """The shares of valid replies and of valid orders; 1 where there are none."""
        return [
            self.valid / self.replies if self.replies else 1.0,
            self.legal / self.orders if self.orders else 1.0,
        ]


def _answered(decisions: Iterable[Mapping[str, Any]]) -> dict[str, Answered]:
    found: defaultdict[str, Answered] = defaultdict(Answered)
    for one in decisions:
        if one["reply"] is None or "task" in one:
            continue
        own, plan = found[one["policy"]], one.get("plan") or {}
        own.replies += 1
        own.valid += one["kind"] == "ok"
        own.orders += plan.get("orders", 0)
        own.legal += plan.get("legal", 0)
    return dict(found)


def nash_welfare(points: Sequence[float], years: int, more: float = 0.0) -> float:
    """The geometric mean of the powers' points a year, ``more`` added to each; 0 if one is 0."""
    each = np.array(points, float) / years + more
    return float(np.exp(np.log(each).mean())) if (each > 0).all() else 0.0


def _result(
    played: Sequence[tuple[GameRecord, tuple[int, ...]]], again: Again, answers: Answered
) -> dict[str, Any]:
    """A policy's figures; those of its powers are means over them."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    seeds, curves = [], []
    for record, powers in played:
        told, points = again(record), returns_of(record)
        years = len(told.years)
        own, whole = [points[power] for power in powers], sum(points)
        others = [points[power] for power in range(NUM_POWERS) if power not in powers]
        by_year = [float(np.mean([centres[p] for p in powers])) for _, centres in told.years]
        curves.append(by_year)
        owned = sum(metrics.centres_of(told.end[0])) / NUM_CENTRES
        seeds.append(record["seed"])
        for name, value in (
            ("points", float(np.mean(own))),
            ("points_share", sum(own) / whole if whole else None),
            ("others_points", float(np.mean(others)) if others else None),
            ("centres", by_year[-1]),
            ("centres_mean", float(np.mean(by_year))),
            ("all_points", whole),
            ("nash", nash_welfare(points, years)),
            ("nash_smoothed", nash_welfare(points, years, SMOOTHED)),
            ("nash_own", nash_welfare(own, years)),
            ("nash_others", nash_welfare(others, years) if others else None),
            ("competence", float(np.mean([*answers.shares(), owned]))),
        ):
            values[name] += [] if value is None else [value]
    clusters = np.array(seeds, np.uint64)
    bounds: dict[str, Bounds] = {
        "points_share": SHARE,
        "competence": SHARE,
        "centres": (0.0, float(NUM_CENTRES)),
        "centres_mean": (0.0, float(NUM_CENTRES)),
    }
    names = (
        "points", "points_share", "others_points", "centres", "centres_mean", "all_points",
        "nash", "nash_smoothed", "nash_own", "nash_others", "competence",
    )  # fmt: skip
    found: dict[str, Any] = {}
    for name in names:
        one = np.array(values[name], float)
        own_clusters = clusters if len(one) == len(clusters) else None
        found[name] = mean_rate(one, own_clusters, bounds=bounds.get(name, COUNT)).record()
    longest = max(map(len, curves), default=0)
    found["centres_by_year"] = [
        float(np.mean([curve[k] for curve in curves if len(curve) > k])) for k in range(longest)
    ]
    return found


def _press(found: Found, policy: str) -> dict[str, Any]:
    """By how many points its powers have more with talk than without, seed by seed."""
    both = []
    for variant in (PRESS, SILENT):
        points: defaultdict[int, list[float]] = defaultdict(list)
        for record, powers in found.played(variant, policy):
            own = [returns_of(record)[power] for power in powers]
            points[record["seed"]].append(float(np.mean(own)))
        both.append(points)
    return {"policy": policy, "difference": paired_means(*both, bounds=FREE).record()}


# --- alliances -----------------------------------------------------------------------------------


def _alliances(
    found: Found, played: Sequence[tuple[GameRecord, tuple[int, ...]]], kind: str
) -> dict[str, Any]:
    """What a policy's powers did to their allies, and how long alliances lasted."""
    counts, lengths, seeds = Counts(), [], []
    longest, pairs, phases, allied = 0, Counts(), 0, 0
    for record, powers in played:
        seed = record["seed"]
        relations = relations_of(found.again(record).movements)
        those = _in_game(found, record, relations, kind)
        betrayals = relations.attacks & those.in_force
        for who in powers:
            counts.add(
                BETRAYED, seed, int(betrayals[:, who].sum()), int(relations.orders[:, who].sum())
            )
            counts.add(
                BROKEN, seed, int(betrayals[:, who].sum()), int(those.in_force[:, who].sum())
            )
            alive = relations.alive[:, who]
            with_ally = those.allied[:, who].any(1) & alive
            counts.add(ALLIED, seed, int(with_ally.sum()), int(alive.sum()))
        own = those.lengths(powers)
        lengths += own
        seeds += [seed] * len(own)
        longest = max([longest, *own])
        for in_force, is_met, is_broken in _pairs(relations, those, powers):
            pairs.add("allied_pairs", seed, in_force > 0, in_force > 0 or is_met)
            pairs.add("loyal_pairs", seed, in_force > 0 and not is_broken, in_force > 0)
            phases, allied = phases + in_force, allied + (in_force > 0)
    return {
        **{name: counts.record(name) for name in (BETRAYED, BROKEN, ALLIED)},
        LENGTH: mean_rate(
            np.array(lengths, float), np.array(seeds, np.uint64), bounds=COUNT
        ).record(),
        "longest": longest,
        # Their cases are pairs of powers of a game, as DSGBench's code takes them.
        "as_coded": {name: pairs.record(name) for name in ("loyal_pairs", "allied_pairs")}
        | {"phases_per_pair": phases / allied if allied else None},
    }


def _pairs(
    relations: Relations, found: Alliances, powers: Sequence[int]
) -> Iterator[tuple[int, bool, bool]]:
    """(phases with an alliance in force, whether in contact, whether betrayed) of a game's pairs.

    Of those of which one is of ``powers``.
    """
    attacks = relations.attacks | relations.attacks.transpose(0, 2, 1)
    for one in range(NUM_POWERS):
        for other in range(one + 1, NUM_POWERS):
            if one in powers or other in powers:
                in_force = found.in_force[:, one, other]
                yield (
                    int(in_force.sum()),
                    bool(relations.contact[:, one, other].any()),
                    bool((attacks[:, one, other] & in_force).any()),
                )


def _in_game(found: Found, record: GameRecord, relations: Relations, kind: str) -> Alliances:
    if kind == OBSERVED:
        return observed(relations)
    match, told = record["match"], found.again(record)
    if found.judge != KNOWN:
        return declared(relations, *declared_in(found.labels[found.judge].values(), match))
    agreed = agreed_in(told, spoken_in(told, found.messages.get(match, ())))
    return declared(relations, [(t, one.by, one.to) for t, one in agreed])
