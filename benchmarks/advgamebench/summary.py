"""The content of ``summary.json``: every metric of every policy, and what it rests on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.benchmarks.advgamebench import metrics
from stratagym.benchmarks.advgamebench.answers import answers, stale
from stratagym.benchmarks.advgamebench.credit import credits_of
from stratagym.benchmarks.advgamebench.games import GAMES, ROLES, names
from stratagym.benchmarks.advgamebench.matches import Plan, Setting
from stratagym.benchmarks.advgamebench.metrics import METRICS, Game
from stratagym.benchmarks.advgamebench.names import CLASSES, HALLUCINATED, OWN, classify
from stratagym.benchmarks.advgamebench.rounds import LOST, WON, Round, rounds_of
from stratagym.benchmarks.advgamebench.score import scores
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.files import JsonlWriter
from stratagym.benchmarks.harness.records import DecisionRecord, GameRecord
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.reporting.correlation import correlation, holm
from stratagym.benchmarks.reporting.stats import mean_rate, ratio_rate
from stratagym.envs import sealed_words, spec
from stratagym.envs.replies import ReplyError
from stratagym.envs.words import Renaming

ROUNDS = "rounds.jsonl"
ADVANTAGES = ("WR", "ORR", "CSR")
AGAINST_ORR = ("WR", "slope", "OBR", "CSR")
MOST_NAMES = 10


def summarise(run: Run, plan: Plan, records: Mapping[str, GameRecord]) -> dict[str, Any]:
    """The summary of a run, from the records of its games and answers.

    Every round is written to ``rounds.jsonl``.
    """
    decisions = list(run.decisions())
    first = _first_answers(decisions)
    every: list[tuple[Setting, Game]] = []
    aborted: Counter[str] = Counter()
    for setting, seed in plan.settings():
        record = records.get(f"{setting.pairing}/{setting.repeat}")
        if record is None:
            continue
        if record["ended_by"] == TRANSPORT:
            aborted[setting.policy] += 1
            continue
        rounds = tuple(rounds_of(record))
        asked = plan.first_answer_in(setting), setting.role
        broke = _broke(rounds, setting.role, first.get(asked))
        every.append(
            (
                setting,
                Game(
                    setting.game, setting.opponent, setting.role, setting.first, seed, rounds, broke
                ),
            )
        )
    _write_rounds(run.folder, every)
    usual = [(setting, game) for setting, game in every if setting.factor == 1]
    if not usual:  # budgets were asked for, and the whole one was not among them
        usual = [(s, game) for s, game in every if s.factor == plan.factors[0]]
    of = {name: [game for s, game in usual if s.policy == name] for name in plan.policies}
    rows = [_row(name, of[name], aborted[name], of) for name in plan.policies]
    return {
        "config": run.config,
        "games": len(every),
        "policies": rows,
        "scores": scores({name: own for name, own in of.items() if own}),
        "figure_5": _figure_5(rows),
        "figure_4": _pair(rows, "OBR", "WR"),
        "updates": {name: _by_update(own) for name, own in of.items()},
        "courses": [_course(setting, game) for setting, game in usual],
        "budget_use": {name: _budget_use(own) for name, own in of.items()},
        "similarity": {name: _similarity(own) for name, own in of.items()},
        "names": _names(decisions, plan.policies, run.config),
        "answers": answers(decisions, plan.policies),
        "credit": credits_of({name: own for name, own in of.items() if own}, run.config),
        "budgets": _budgets(every, plan),
        "models": run.usage(),
    }


def _first_answers(decisions: Iterable[DecisionRecord]) -> dict[tuple[str, int], DecisionRecord]:
    """By match and seat, the first answer of a game that could be read."""
    found: dict[tuple[str, int], DecisionRecord] = {}
    for record in decisions:
        key = record["item"], record["seat"]
        if record["ply"] == 0 and record["kind"] in ("ok", "illegal") and key not in found:
            found[key] = record
    return found


def _broke(rounds: Sequence[Round], role: int, answer: DecisionRecord | None) -> str:
    """What was wrong with a policy's first plan, as one word; empty for nothing.

    Of a model, with the first answer, whether or not it was asked for again.
    """
    if answer is not None and answer["kind"] == "illegal":
        return answer["reason"] or "illegal"
    if answer is not None and "plan" in answer:
        return "over_budget" if answer["plan"].get("over") else ""
    if not rounds:
        return ""
    plan = rounds[0].plans[role]
    return "over_budget" if plan.over else "void" if plan.void else ""


def _row(
    name: str, games: Sequence[Game], aborted: int, of: Mapping[str, Sequence[Game]]
) -> dict[str, Any]:
    """A policy's figures."""
    chance = {
        metric: metrics.rate(of["random"], metric).value if of.get("random") else None
        for metric in METRICS
    }
    pooled = {metric: metrics.rate(games, metric).record() for metric in METRICS}
    for metric, rate in pooled.items():
        rate["chance"] = chance[metric]
    redraw = of.get(f"control:redraw={name}", ())
    return {
        "policy": name,
        "matches": len(games),
        "rounds": sum(len(game.rounds) for game in games),
        "transport_aborted": aborted,
        "endings": {},
        "pooled": pooled,
        "mean": {metric: metrics.mean_over_games(games, metric).record() for metric in METRICS},
        "by_game": {
            game: {metric: metrics.rate(own, metric).record() for metric in METRICS}
            for game in GAMES
            if (own := [one for one in games if one.game == game])
        },
        "as_published": metrics.as_published(games),
        "FMA": {m: metrics.first_move_advantage(games, m).record() for m in ADVANTAGES},
        "CSR minus redraw": metrics.paired(games, redraw, "CSR").record() if redraw else None,
    }


# --- over rounds ---------------------------------------------------------------------------------


def _by_update(games: Sequence[Game]) -> list[dict[str, Any]]:
    """Share of rounds won after a policy's i-th update, i from 1."""
    clusters = metrics.clusters_of(games)
    most = max((len(game.updates()) for game in games), default=0)
    found = []
    for k in range(most):
        known = [(g, game) for g, game in enumerate(games) if len(game.updates()) > k]
        wins = [game.updates()[k][1].score[game.role] == WON for _, game in known]
        rate = mean_rate(np.array(wins, float), clusters[[g for g, _ in known]])
        found.append(rate.record())
    return found


def _course(setting: Setting, game: Game) -> dict[str, Any]:
    """A match in marks, one a round.

    W, L or D; behind it what the policy did before: ``*`` another plan, ``=`` the same one, nothing
    where it was not asked; ``!`` over budget, ``x`` void.
    """
    marks = []
    before: Round | None = None
    for one in game.rounds:
        plan = one.plans[game.role]
        mark = {WON: "W", LOST: "L"}.get(one.score[game.role], "D")
        if before is not None and plan.asked:
            mark += "*" if game.revised(before, one) else "="
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
    }


def _budget_use(games: Sequence[Game]) -> list[dict[str, Any]]:
    """By round, what plans cost of the budget."""
    most = max((len(game.rounds) for game in games), default=0)
    found = []
    for k in range(most):
        shares = [
            game.rounds[k].spent[game.role]
            for game in games
            if len(game.rounds) > k and not game.rounds[k].plans[game.role].void
        ]
        found.append(mean_rate(np.array(shares), bounds=(0.0, 4.0)).record())
    return found


def _similarity(games: Sequence[Game]) -> dict[str, Any]:
    """S and F of revisions and the plans that they revise, and of first plans with each other."""
    from stratagym.benchmarks.advgamebench.similarity import similarity

    own = [
        (before.plans[game.role], after.plans[game.role], game)
        for game in games
        for before, after in game.updates()
        if game.revised(before, after)
    ]
    firsts = [(game, game.rounds[0].plans[game.role]) for game in games if game.rounds]
    apart = [
        (a, b, one)
        for (one, a), (other, b) in pairwise(firsts)
        if (one.game, one.role) == (other.game, other.role)
    ]
    found = {}
    for title, pairs in (("revisions", own), ("independent", apart)):
        values = np.array([similarity(g.game, g.role, a, b) for a, b, g in pairs]).reshape(-1, 2)
        for k, part in enumerate(("S", "F")):
            found[f"{title} {part}"] = mean_rate(values[:, k]).record()
        found[title] = mean_rate(values.mean(1)).record()
    return found


def _write_rounds(folder: Path, every: Sequence[tuple[Setting, Game]]) -> None:
    """One line a round, from the policy's side; made anew each time."""
    path = folder / ROUNDS
    path.unlink(missing_ok=True)
    writer = JsonlWriter(path)
    words = {WON: "positive", LOST: "negative"}
    lines = []
    for setting, game in every:
        before: Round | None = None
        for one in game.rounds:
            own, other = (one.plans[k] for k in (game.role, 1 - game.role))
            asked = before is not None and own.asked
            lines.append(
                {
                    **setting._asdict(),
                    "round": one.number,
                    "score": one.score[game.role],
                    "fought": one.fought,
                    "end": one.end,
                    "value": one.value[game.role],
                    "asked": own.asked,
                    "kept": own.kept,
                    "feedback": words.get(before.score[game.role], "neutral")
                    if before is not None and asked
                    else None,
                    "revised": game.revised(before, one) if before is not None and asked else None,
                    "plan": own.data,
                    "cost": own.cost,
                    "over": own.over,
                    "void": own.void,
                    "other": other.data,
                    "other_cost": other.cost,
                }
            )
            before = one
    writer.write_all(lines)
    writer.close()


# --- policies beside each other ------------------------------------------------------------------


def _figure_5(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """ORR against four metrics, a point a policy; p-values as they are and after Holm."""
    found = [{"metric": metric, **_pair(rows, "ORR", metric)} for metric in AGAINST_ORR]
    known = [one for one in found if one["correlation"] is not None]
    for one, p in zip(known, holm([k["correlation"]["p"] for k in known]), strict=True):
        one["correlation"]["p_holm"] = p
    return found


def _pair(rows: Sequence[Mapping[str, Any]], x: str, y: str) -> dict[str, Any]:
    """Two metrics of all policies, each the mean of the games, and how they go together."""
    known = [
        row for row in rows
        if row["mean"][x]["value"] is not None and row["mean"][y]["value"] is not None
    ]  # fmt: skip
    points = [[row["mean"][m]["value"] for row in known] for m in (x, y)]
    found = correlation(points[0], points[1])
    return {
        "policies": [row["policy"] for row in known],
        "x": points[0],
        "y": points[1],
        "correlation": None if found is None else found.record(),
    }


# --- names ---------------------------------------------------------------------------------------


def _names(
    decisions: Sequence[DecisionRecord], policies: Sequence[str], config: Mapping[str, Any]
) -> dict[str, Any]:
    """By policy: how many readable replies name what there is not, and what."""
    renamed = bool(config["text"].get("renamed"))
    found: dict[str, Any] = {}
    for name in policies:
        own = [record for record in decisions if record["policy"] == name and record["reply"]]
        if own:
            found[name] = _names_of(own, renamed)
    return found


def _names_of(decisions: Sequence[DecisionRecord], renamed: bool) -> dict[str, Any]:
    classes: Counter[str] = Counter()
    most: Counter[tuple[str, str, str]] = Counter()
    by_game: defaultdict[str, list[bool]] = defaultdict(list)
    replies: list[tuple[str, bool]] = []
    for record in decisions:
        game, seat = record["game"], record["seat"]
        view = spec(game).module("view")
        try:
            said = sealed_words.names_in(sealed_words.last_json(record["reply"] or "", dict))
        except ReplyError:
            continue
        own, other = names(game, seat), names(game, 1 - seat)
        true: tuple[str, ...] = ()
        if renamed:
            words = Renaming(view.RENAMED)
            true = (*own, *other)
            own, other = (tuple(map(words.renamed, side)) for side in (own, other))
        siblings = [n for g in GAMES if g != game for k in range(2) for n in names(g, k)]
        bad = False
        for one in said:
            kind, source = classify(one, own, other, siblings, true)
            # Priorities name the other side's units.
            classes[kind] += 1
            if kind != OWN:
                most[one, kind, source] += kind in HALLUCINATED
            bad |= kind in HALLUCINATED
        replies.append((record["item"], bad))
        by_game[game].append(bad)
    items, bads = [item for item, _ in replies], np.array([bad for _, bad in replies], float)
    return {
        "replies": len(replies),
        "hallucinated": mean_rate(bads, np.array(items)).record(),
        "by_game": {g: mean_rate(np.array(own, float)).record() for g, own in by_game.items()},
        "classes": {kind: classes[kind] for kind in CLASSES},
        "most": [
            {"name": name[:80], "class": kind, "source": source, "times": times}
            for (name, kind, source), times in most.most_common(MOST_NAMES)
            if times
        ],
    }


# --- budgets -------------------------------------------------------------------------------------


def _budgets(every: Sequence[tuple[Setting, Game]], plan: Plan) -> dict[str, Any]:
    """By policy and factor: metrics, what was spent, and the difference to the whole budget."""
    if len(plan.factors) == 1:
        return {}
    found: dict[str, Any] = {}
    for name in plan.policies:
        of = {f: [g for s, g in every if s.policy == name and s.factor == f] for f in plan.factors}
        whole = of.get(1.0, [])
        found[name] = {
            f"{factor:g}": {
                **{
                    metric: metrics.rate(games, metric).record()
                    for metric in ("OBR", "RVR", "WR", "init-win")
                },
                "spent": ratio_rate(
                    np.array([sum(r.spent[g.role] for r in g.rounds) for g in games] or [0.0]),
                    np.array([len(g.rounds) for g in games] or [0]),
                    bounds=(0.0, 4.0),
                ).record(),
                "stale": stale(every, plan, name, factor),
                "WR difference": metrics.paired(games, whole, "WR").record() if whole else None,
            }
            for factor, games in of.items()
        }
    return found
