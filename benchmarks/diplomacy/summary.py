"""The content of ``summary.json``: results, orders, facts, and what was said."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from stratagym.agents.games.diplomacy.phrases import PROPOSE, agreements, read
from stratagym.benchmarks.diplomacy.facts import Asked, answers
from stratagym.benchmarks.diplomacy.settings import FORMS, Setting
from stratagym.benchmarks.harness.diplomacy_games import PRESS, SILENT, START_CENTRES, Again
from stratagym.benchmarks.harness.diplomacy_judges import (
    Labelled,
    agreements_of,
    judged_rows,
)
from stratagym.benchmarks.harness.records import returns_of
from stratagym.benchmarks.harness.whole_games import Played
from stratagym.benchmarks.reporting.counts import Counts
from stratagym.benchmarks.reporting.stats import RESULT, Bounds, mean_rate, paired_means
from stratagym.envs.diplomacy import metrics, stated
from stratagym.envs.diplomacy.metrics import ORDER_METRICS, Promise
from stratagym.envs.diplomacy.stated import FACTS, Hits, compared, given_supports

AS_CODED = "as_coded"


Said = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Found:
    """What a run's figures are made of.

    Attributes:
        games: that count. setting: of the run. policies: by name. decisions: all answers.
        messages: by match. again: games played again. asked: positions of factual questions.
        labels: of what was said, by judge.
    """

    games: Played
    setting: Setting
    policies: Sequence[str]
    decisions: Sequence[Mapping[str, Any]]
    messages: Said
    again: Again
    asked: Sequence[Asked]
    labels: Labelled


def add_up(found: Found) -> dict[str, Any]:
    """The benchmark's own parts of the summary."""
    setting, policies = found.setting, found.policies
    return {
        "results": [
            _result(found, variant, policy) for variant in setting.variants for policy in policies
        ],
        "ablation": [
            row
            for variant in setting.variants
            for policy in setting.ablated
            for row in _ablation(found, variant, policy)
        ],
        "facts": _facts(found),
        "asked": _asked(found),
        "press": [_press(found, one) for one in policies] if PRESS in setting.variants else [],
        "promises": [_promises(found, one) for one in policies]
        if PRESS in setting.variants
        else [],
        "judged": judged_rows({one: _speakers(found, one) for one in policies}, found.labels),
        "judges": agreements_of(found.labels),
    }


def _speakers(found: Found, policy: str) -> set[tuple[str, int]]:
    """(match, seat) of a policy in games with talk."""
    games = found.games[found.setting.pairing(PRESS, policy)].records
    return {
        (record["match"], seat)
        for record in games
        for powers in found.setting.cases(record, policy)
        for seat in powers
    }


def _ablation(found: Found, variant: str, policy: str) -> list[dict[str, Any]]:
    """A model's results under each form of prompt, and their differences to the first form's."""
    first = _scores(found, variant, policy, "")
    rows = []
    for form in FORMS:
        own = "" if form == FORMS[0] else form
        row = _result(found, variant, policy, own) | {"form": form}
        for name, values in _scores(found, variant, policy, own).items():
            row[f"{name}_difference"] = (
                paired_means(values, first[name], bounds=BOUNDS[name]).record() if own else None
            )
        rows.append(row)
    return rows


BOUNDS: dict[str, Bounds] = {"score": RESULT, "centres": (-34.0, 34.0)}


def _scores(
    found: Found, variant: str, policy: str, form: str = ""
) -> dict[str, defaultdict[int, list[float]]]:
    """A policy's scores and centres by seed."""
    scores: defaultdict[int, list[float]] = defaultdict(list)
    centres: defaultdict[int, list[float]] = defaultdict(list)
    for record in found.games[found.setting.pairing(variant, policy, form)].records:
        for powers in found.setting.cases(record, policy):
            owned = metrics.centres_of(found.again(record).end[0])
            scores[record["seed"]].append(sum(returns_of(record)[power] for power in powers))
            centres[record["seed"]].append(sum(owned[power] for power in powers))
    return {"score": scores, "centres": centres}


def _result(found: Found, variant: str, policy: str, form: str = "") -> dict[str, Any]:
    """A policy's results and orders; years of a win are those of games that it won."""
    own = found.games[found.setting.pairing(variant, policy, form)]
    values: defaultdict[str, list[float]] = defaultdict(list)
    seeds: list[int] = []
    years: list[int] = []
    eliminated: list[int] = []
    curves: defaultdict[int, list[int]] = defaultdict(list)
    counts, played = Counts(), 0
    for record in own.records:
        told, seed = found.again(record), record["seed"]
        cases = found.setting.cases(record, policy)
        played += bool(cases)
        for powers in cases:
            s = told.end[0]
            centres = sum(metrics.centres_of(s)[power] for power in powers)
            score = sum(returns_of(record)[power] for power in powers)
            won = record["ended_by"] == "terminal" and score > 1 - 1e-6
            seeds.append(seed)
            for name, value in (
                ("score", score),
                ("won", float(won)),
                ("centres", centres),
                ("gain", centres - sum(START_CENTRES[power] for power in powers)),
                ("regions", sum(int((s["influence"] == power).sum()) for power in powers)),
            ):
                values[name].append(value)
            if won:
                years.append(told.years[-1][0] - 1900)
            for number, (_, by_power) in enumerate(told.years):
                curves[number].append(sum(by_power[power] for power in powers))
            last = max(
                (t for t, (_, one) in enumerate(told.years, 1) if any(one[p] for p in powers)),
                default=0,
            )
            values["survived"].append(float(last == len(told.years)))
            if last < len(told.years):
                eliminated.append(last + 1)
            for movement in told.movements:
                for name, share in metrics.order_shares(movement, powers).items():
                    counts.add(name, seed, share.successes, share.total)
                coded = metrics.order_shares_as_coded(movement, powers)
                for name, share in coded.items():
                    counts.add(f"{name}/{AS_CODED}", seed, share.successes, share.total)
    clusters = np.array(seeds, np.uint64)
    bounds = {"score": (0.0, 1.0), "centres": (0.0, 34.0), "regions": (0.0, 75.0)}
    return {
        "variant": variant,
        "policy": policy,
        "games": played,
        "endings": own.endings,
        "transport_aborted": own.aborted,
        **{
            name: mean_rate(
                np.array(values[name], float), clusters, bounds=bounds.get(name)
            ).record()
            for name in ("score", "won", "survived", "centres", "gain", "regions")
        },
        "centres_by_year": [float(np.mean(curves[number])) for number in sorted(curves)],
        "year_of_elimination": float(np.mean(eliminated)) if eliminated else None,
        "years_to_win": float(np.mean(years)) if years else None,
        "orders": {name: counts.record(name) for name in ORDER_METRICS},
        # Its totals hold orders twice, so that no interval fits: numbers alone.
        AS_CODED: {
            name: {key: counts.record(f"{name}/{AS_CODED}")[key] for key in ("successes", "total")}
            for name in ORDER_METRICS
        },
    }


def _press(found: Found, policy: str) -> dict[str, Any]:
    """By how much a policy scores more with talk than without, seed by seed."""
    both = [_scores(found, variant, policy)["score"] for variant in (PRESS, SILENT)]
    return {"policy": policy, "difference": paired_means(*both, bounds=RESULT).record()}


def _promises(found: Found, policy: str) -> dict[str, Any]:
    """What a policy said in known words, and which of its promises its orders kept."""
    counts, words = Counts(), Counter[str]()
    for record in found.games[found.setting.pairing(PRESS, policy)].records:
        seed = record["seed"]
        seats = {seat for powers in found.setting.cases(record, policy) for seat in powers}
        messages = [SimpleNamespace(**one) for one in found.messages.get(record["match"], ())]
        for one in messages:
            if one.seat in seats:
                words["messages"] += 1
                words["read"] += read(one.text) is not None
        for movement in found.again(record).movements:
            phase = movement.phase
            made = agreements(messages, phase)
            agreed = {(one.by, one.to, one.proposal) for one in made}
            proposed = {
                (one.seat, one.to[0], said[1])
                for one in messages
                if (said := read(one.text)) and said[0] == PROPOSE and said[1].phase == phase
                if one.seat in seats and len(one.to) == 1
            }
            for proposal in proposed:
                counts.add("accepted", seed, proposal in agreed, 1)
            promises = {promise for one in made for promise in one.promises()}
            for who, to, what in promises:
                if who in seats:
                    promise = Promise(who, to, what.kind, what.order)
                    is_kept = metrics.is_kept(movement, promise)
                    counts.add("kept", seed, is_kept, 1)
                    counts.add(f"kept/{what.kind}", seed, is_kept, 1)
    names = ("accepted", "kept", "kept/peace", "kept/support_move")
    return {
        "policy": policy,
        "messages": words["messages"],
        "read": words["read"],
        **{name.replace("/", "_"): counts.record(name) for name in names},
    }


def _facts(found: Found) -> list[dict[str, Any]]:
    """What language models stated beside orders, in the last reply to each question."""
    records = {
        record["match"]: record for played in found.games.values() for record in played.records
    }
    last: dict[tuple[str, int, int], Mapping[str, Any]] = {}
    for one in found.decisions:
        if one["reply"] is not None and one["item"] in records and one["policy"] in found.policies:
            last[one["item"], one["ply"], one["seat"]] = one
    counts: defaultdict[str, Counts] = defaultdict(Counts)
    for (match, ply, seat), one in last.items():
        record = records[match]
        movement = next((m for m in found.again(record).movements if m.ply == ply), None)
        if movement is None:
            continue
        own = counts[one["policy"]]
        _count_facts(own, record["seed"], compared(movement.before[0], seat, one["reply"]))
        supports = given_supports(one["reply"], seat)
        if supports is not None:
            own.add("supports", record["seed"], supports.hits, supports.stated)
    return [{"policy": policy, **_told_facts(own)} for policy, own in counts.items()]


def _asked(found: Found) -> list[dict[str, Any]]:
    """What language models answered to factual questions."""
    counts: defaultdict[str, Counts] = defaultdict(Counts)
    for asked, one in answers(found.asked, found.decisions):
        (s,) = (m.before[0] for m in found.again(asked.record).movements if m.ply == asked.ply)
        hits = compared(s, asked.power, one["reply"])
        _count_facts(counts[one["policy"]], asked.record["seed"], hits)
    return [{"policy": policy, **_told_facts(own)} for policy, own in counts.items()]


def _count_facts(own: Counts, seed: int, found: Mapping[str, Hits] | None) -> None:
    own.add("replies", seed, found is not None, 1)
    for name, agreed in (found or {}).items():
        # Of these the ratio is F1, the harmonic mean of precision and recall.
        own.add(name, seed, 2 * agreed.hits, agreed.stated + agreed.true)
        own.add(f"{name}/precision", seed, agreed.hits, agreed.stated)
        own.add(f"{name}/recall", seed, agreed.hits, agreed.true)


def _told_facts(own: Counts) -> dict[str, Any]:
    names = (*FACTS, *stated.AS_CODED)
    return {
        "replies": own.record("replies"),
        **{name: own.record(name) for name in names},
        **{
            f"{name}_{part}": own.record(f"{name}/{part}")
            for name in names
            for part in ("precision", "recall")
        },
        "supports": own.record("supports"),
    }
