"""How a policy went on from round to round: what it revised after what, and what that came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagym.benchmarks.advgame import metrics
from stratagym.benchmarks.advgame.matches import Setting
from stratagym.benchmarks.advgame.metrics import Game
from stratagym.benchmarks.advgame.rounds import LOST, WON, Plan, Round
from stratagym.benchmarks.advgame.similarity import BOUNDS, Likeness
from stratagym.benchmarks.harness.sealed_games import CARD, ROLES, TOWER
from stratagym.benchmarks.reporting.stats import COUNT, SHARE, Bounds, mean_rate

FEEDBACK = ("lost", "over budget", "void", "won", "drawn")
"""What a policy can have been told before it plans anew."""
Pair = tuple[Round, Round]


def feedback(game: Game, before: Round) -> str:
    """What a round was to the policy; a bad plan comes before the result."""
    plan = before.plans[game.role]
    if plan.void or plan.over:
        return "void" if plan.void else "over budget"
    return {WON: "won", LOST: "lost"}.get(before.score[game.role], "drawn")


def by_update(games: Sequence[Game]) -> list[dict[str, Any]]:
    """Share of rounds won after a policy's i-th update, i from 1."""
    return _by_place(
        games,
        [[float(b.score[game.role] == WON) for _, b in game.updates()] for game in games],
        SHARE,
    )


def budget_use(games: Sequence[Game]) -> list[dict[str, Any]]:
    """By round, what plans cost of the budget; void ones, which have no cost, left out."""
    shares = [
        [None if r.plans[game.role].void else r.spent[game.role] for r in game.rounds]
        for game in games
    ]
    return _by_place(games, shares, COUNT)


def _by_place(
    games: Sequence[Game], values: Sequence[Sequence[float | None]], bounds: Bounds
) -> list[dict[str, Any]]:
    """The mean of every match's k-th value, k from 0, with intervals over clusters."""
    clusters, found = metrics.clusters_of(games), []
    for k in range(max(map(len, values), default=0)):
        known = [
            (cluster, own[k])
            for cluster, own in zip(clusters, values, strict=True)
            if len(own) > k and own[k] is not None
        ]
        index, column = zip(*known, strict=True) if known else ((), ())
        found.append(mean_rate(np.array(column, float), np.array(index), bounds=bounds).record())
    return found


# --- how alike plans are -------------------------------------------------------------------------


def alike(game: Game, before: Plan, after: Plan, likeness: Likeness) -> float:
    """The similarity of two plans of a match, its parts weighed."""
    return float(np.mean(likeness.of(game.game, game.role, before, after)))


def similarities(games: Sequence[Game], likeness: Likeness) -> dict[str, Any]:
    """How alike a revision and the plan before it are: by part, weighed, and update by update.

    ``chance`` is what two independent random plans of the same games and roles have.
    """
    own: list[tuple[int, tuple[float, ...]]] = []
    by_match: list[list[float | None]] = []
    for cluster, game in zip(metrics.clusters_of(games), games, strict=True):
        row: list[float | None] = []
        for before, after in game.updates():
            one, other = (r.plans[game.role] for r in (before, after))
            row.append(None)
            if game.revised(before, after) and not one.void and not other.void:
                parts = likeness.of(game.game, game.role, one, other)
                own.append((int(cluster), parts))
                row[-1] = float(np.mean(parts))
        by_match.append(row)
    index = np.array([cluster for cluster, _ in own], np.int64)
    values = np.array([parts for _, parts in own]).reshape(-1, len(likeness.parts))
    sides = dict.fromkeys((game.game, game.role) for game in games)
    return {
        **{
            part: mean_rate(values[:, k], index, bounds=BOUNDS[part]).record()
            for k, part in enumerate(likeness.parts)
        },
        "weighed": mean_rate(values.mean(1), index, bounds=likeness.bounds).record(),
        "chance": float(np.mean([likeness.chance(*side) for side in sides])) if sides else None,
        "weights": likeness.weights,
        "by_update": _by_place(games, by_match, likeness.bounds),
    }


# --- what was revised ----------------------------------------------------------------------------


def by_feedback(games: Sequence[Game], likeness: Likeness) -> dict[str, Any]:
    """By what the policy was told: how often it planned another plan, how alike, and what came."""
    found: dict[str, Any] = {}
    for kind in FEEDBACK:
        told = [
            (cluster, game, *pair)
            for cluster, game in zip(metrics.clusters_of(games), games, strict=True)
            for pair in game.updates()
            if feedback(game, pair[0]) == kind
        ]
        if not told:
            continue
        revised = [one for one in told if one[1].revised(*one[2:])]
        kept = [one for one in told if not one[1].revised(*one[2:])]
        plans = [
            (cluster, game, before.plans[game.role], after.plans[game.role])
            for cluster, game, before, after in revised
        ]
        same = [
            (cluster, alike(game, one, other, likeness))
            for cluster, game, one, other in plans
            if not one.void and not other.void
        ]
        found[kind] = {
            "updates": len(told),
            "revised": _rate(
                [c for c, *_ in told], [float(g.revised(a, b)) for _, g, a, b in told]
            ),
            "similarity": _rate(
                [c for c, _ in same], [value for _, value in same], likeness.bounds
            ),
            "won after revision": _won(revised),
            "won after none": _won(kept),
        }
    return found


def _won(told: Sequence[tuple[int, Game, Round, Round]]) -> dict[str, Any]:
    return _rate([c for c, *_ in told], [float(b.score[g.role] == WON) for _, g, _, b in told])


def _rate(
    clusters: Sequence[int], values: Sequence[float], bounds: Bounds = SHARE
) -> dict[str, Any]:
    return mean_rate(np.array(values, float), np.array(clusters), bounds=bounds).record()


def change(game: str, before: Plan, after: Plan) -> dict[str, list[str]]:
    """What became of a plan: entries added, dropped, and changed, which is moved or of other time.

    In battle card and the duel, where the order counts, ``changed`` says so if it alone differs.
    """
    one, other = (Counter(_entries(game, plan)) for plan in (before, after))
    added, dropped = list((other - one).elements()), list((one - other).elements())
    changed = []
    for entry in list(added):
        name, where = entry
        for old in dropped:
            if old[0] == name:
                changed.append(f"{name} {old[1] or 'bronze'} → {where or 'bronze'}")
                added.remove(entry)
                dropped.remove(old)
                break
    if not (added or dropped or changed) and before.items != after.items:
        changed.append("the order")
    said = [[" ".join(filter(None, entry)) for entry in part] for part in (added, dropped)]
    return {"added": said[0], "dropped": said[1], "changed": changed}


def _entries(game: str, plan: Plan) -> list[tuple[str, str]]:
    """(name, where) of every entry of a plan; a tier but for bronze is a where too."""
    found = []
    for value in plan.data.values():
        for k, entry in enumerate(value):
            if isinstance(entry, str):
                found.append((f"priority {entry}", ""))
            elif game == TOWER:
                at = f"({entry['x']},{entry['y']})" if "x" in entry else f"row {entry['y']}"
                time = f" at {entry['spawn_time'] / 1000:g} s" if entry["spawn_time"] else ""
                found.append((entry["name"], at + time))
            elif game == CARD:
                found.append((entry["name"], "gold" if entry["tier"] == "Gold" else ""))
            else:
                found += [(skill, f"{entry['element']} {k + 1}") for skill in entry["skills"]]
    return found


def course(setting: Setting, game: Game, likeness: Likeness) -> dict[str, Any]:
    """A match in marks, one a round, and every time that the policy planned anew.

    W, L or D; behind it what the policy did before: ``*`` another plan, ``=`` the same one, nothing
    where it was not asked; ``!`` over budget, ``x`` void.
    """
    marks, revisions = [], []
    before: Round | None = None
    for one in game.rounds:
        plan = one.plans[game.role]
        mark = {WON: "W", LOST: "L"}.get(one.score[game.role], "D")
        if before is not None and plan.asked:
            old, is_revised = before.plans[game.role], game.revised(before, one)
            mark += "*" if is_revised else "="
            whole = is_revised and not old.void and not plan.void
            revisions.append(
                {
                    "round": one.number,
                    "feedback": feedback(game, before),
                    "revised": is_revised,
                    **(change(game.game, old, plan) if is_revised else {}),
                    "spent": [before.spent[game.role], one.spent[game.role]],
                    "similarity": alike(game, old, plan, likeness) if whole else None,
                    "result": feedback(game, one),
                }
            )
        marks.append(mark + "!" * plan.over + "x" * plan.void)
        before = one
    return {
        "policy": setting.policy,
        "game": setting.game,
        "opponent": setting.opponent,
        "role": ROLES[setting.role],
        "first": setting.first,
        "repeat": setting.repeat,
        "marks": marks,
        "revisions": revisions,
    }
