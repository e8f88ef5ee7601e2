"""The content of ``summary.json``: every metric of every policy, and what it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stratagym.agents.controls import REDRAW
from stratagym.benchmarks.advgame import beside, budgets, mentions, metrics, owning, process
from stratagym.benchmarks.advgame.answers import answers
from stratagym.benchmarks.advgame.credit import SAMPLES, WITHOUT, credits_of
from stratagym.benchmarks.advgame.embeddings import Embeddings
from stratagym.benchmarks.advgame.matches import Plan, Setting
from stratagym.benchmarks.advgame.metrics import METRICS, Game
from stratagym.benchmarks.advgame.rounds import LOST, WON, Round, rounds_of
from stratagym.benchmarks.advgame.score import scores
from stratagym.benchmarks.advgame.similarity import Likeness
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.files import JsonlWriter
from stratagym.benchmarks.harness.records import DecisionRecord, GameRecord
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.sealed_games import GAMES
from stratagym.benchmarks.reporting.stats import Rate

ROUNDS = "rounds.jsonl"
ADVANTAGES = ("WR", "ORR", "CSR")
NEVER = ("OBR", "RVR", "RVR over budget", "RVR other", "slope")
"""Metrics that are 0 by chance."""
AS_REDRAWN = ("CSR", "CSR won", "CSR mended", "constructive")
"""Metrics whose chance is what first plans come to in the place of revisions."""
Played = tuple[Setting, Game]


def summarise(
    run: Run,
    plan: Plan,
    records: Mapping[str, GameRecord],
    *,
    pooled: bool = False,
    credit: str = WITHOUT,
    samples: int = SAMPLES,
    embeddings: Embeddings | None = None,
) -> dict[str, Any]:
    """The summary of a run, from the records of its games and answers.

    Every round is written to ``rounds.jsonl``.

    Args:
        pooled: whether policies are points in figures by games pooled, not by the mean of games.
        credit, samples: as ``credits_of`` has them.
        embeddings: of plans' texts, for M of how alike they are.

    Raises:
        Unavailable: there are no embeddings to be had.
    """
    decisions = list(run.decisions())
    whole, aborted = played(plan, records, decisions)
    _write_rounds(run.folder, whole)
    play = run.own_play()
    every = owning.counting(whole, owning.without_result(play, plan.games))
    usual = whole_budget(every, plan)
    of = {name: [game for s, game in usual if s.policy == name] for name in plan.shown}
    rows = [_row(name, of[name], aborted[name], of) for name in plan.shown]
    found = {name: own for name, own in of.items() if own}
    renamed, likeness = is_renamed(run.config), Likeness(run.config["rules"], embeddings)
    likeness.learn(one.plans[game.role] for _, game in usual for one in game.rounds)
    return {
        "config": run.config,
        "games": len(every),
        "own": owning.records(play, plan.games, plan.everybody),
        "policies": rows,
        "scores": scores(found, _redraws(of)),
        **beside.summary(rows, of, "pooled" if pooled else "mean"),
        "updates": {name: process.by_update(own) for name, own in of.items()},
        "courses": [process.course(setting, game, likeness) for setting, game in usual],
        "feedback": {name: process.by_feedback(own, likeness) for name, own in of.items()},
        "budget_use": {name: process.budget_use(own) for name, own in of.items()},
        "similarity": {name: process.similarities(own, likeness) for name, own in found.items()},
        "names": {
            name: mentions.summary(own)
            for name in plan.policies
            if (own := mentions.replies(decisions, by_match(whole, name), renamed))
        },
        "answers": answers(decisions, plan.policies),
        "credit_by": {"kind": credit, "samples": samples},
        "credit": credits_of(found, run.config, credit, samples),
        "budgets": budgets.summary(every, plan),
        "models": run.usage(),
    }


def played(
    plan: Plan, records: Mapping[str, GameRecord], decisions: Iterable[DecisionRecord]
) -> tuple[list[Played], Counter[str]]:
    """(every match that was played, by policy how many transport failures broke off)."""
    first = _first_answers(decisions)
    every: list[Played] = []
    aborted: Counter[str] = Counter()
    for setting, seed in plan.settings():
        record = records.get(setting.name)
        if record is None:
            continue
        if record["ended_by"] == TRANSPORT:
            aborted[setting.policy] += 1
            continue
        rounds = tuple(rounds_of(record))
        asked = plan.first_answer_in(setting), setting.role
        broke = _broke(rounds, setting.role, first.get(asked))
        game = Game(
            setting.game, setting.opponent, setting.role, setting.first, seed, rounds, broke
        )  # fmt: skip
        every.append((setting, game))
    return every, aborted


def whole_budget(every: Sequence[Played], plan: Plan) -> list[Played]:
    """The matches with the whole budget, or with the first one where that is not played."""
    return [(setting, game) for setting, game in every if setting.factor == plan.usual]


def by_match(every: Iterable[Played], policy: str) -> dict[str, Game]:
    """A policy's matches by their names."""
    return {setting.name: game for setting, game in every if setting.policy == policy}


def is_renamed(config: Mapping[str, Any]) -> bool:
    """Whether a run's prompts had made-up names."""
    return bool(config["text"].get("renamed"))


def _first_answers(
    decisions: Iterable[DecisionRecord],
) -> dict[tuple[str, int | None], DecisionRecord]:
    """By match and seat, the first answer of a game that could be read."""
    found: dict[tuple[str, int | None], DecisionRecord] = {}
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


# --- a policy's figures --------------------------------------------------------------------------


def _redraws(of: Mapping[str, Sequence[Game]]) -> dict[str, Sequence[Game]]:
    """By policy the matches of its redraws, where these were played."""
    found = {}
    for name in of:
        same = f"{REDRAW}{name}"
        # Its own temperature may be in its name.
        own = [redraw for redraw in of if redraw == same or redraw.partition("?")[0] == same]
        if games := of[same if same in of else own[0]] if own else ():
            found[name] = games
    return found


def _row(
    name: str, games: Sequence[Game], aborted: int, of: Mapping[str, Sequence[Game]]
) -> dict[str, Any]:
    random, redraw = of.get("random", ()), _redraws(of).get(name, ())
    corrections, negative = metrics.cases(games, "ORR").sum(0).tolist()
    return {
        "policy": name,
        "is_chance": beside.is_chance(name),
        "matches": len(games),
        "rounds": sum(len(game.rounds) for game in games),
        "transport_aborted": aborted,
        "endings": {},
        "corrections": int(corrections),
        "negative_feedbacks": int(negative),
        "pooled": _rates(metrics.rate, games, random, redraw),
        "mean": _rates(metrics.mean_over_games, games, random, redraw),
        "by_game": {
            game: _rates(metrics.rate, *(_in_game(part, game) for part in (games, random, redraw)))
            for game in GAMES
            if _in_game(games, game)
        },
        "as_published": metrics.as_published(games),
        "FMA": {m: metrics.first_move_advantage(games, m).record() for m in ADVANTAGES},
        "minus_redraw": {m: metrics.paired(games, redraw, m).record() for m in AS_REDRAWN}
        if redraw
        else None,
        "redraw_CSR": metrics.rate(redraw, "CSR").record() if redraw else None,
    }


def _in_game(games: Sequence[Game], name: str) -> list[Game]:
    return [game for game in games if game.game == name]


def _rates(
    rate: Callable[[Sequence[Game], str], Rate],
    games: Sequence[Game],
    random: Sequence[Game],
    redraw: Sequence[Game],
) -> dict[str, Any]:
    """Every metric, with what it is by chance where that is known.

    Of what revisions come to, chance is the policy's own redraws; random plans, where there are
    none, are their own.
    """
    found = {}
    for metric in METRICS:
        others = (redraw or random) if metric in AS_REDRAWN else random
        chance = 0.0 if metric in NEVER else rate(others, metric).value
        found[metric] = replace(rate(games, metric), chance=chance).record()
    return found


# --- rounds.jsonl --------------------------------------------------------------------------------


def _write_rounds(folder: Path, every: Sequence[Played]) -> None:
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
