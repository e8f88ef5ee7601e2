"""The report of AdvGameBench: how policies plan, revise, and keep to budgets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.agents.controls import REDRAW
from stratagym.benchmarks.advgame import figures, owning, tables
from stratagym.benchmarks.advgame.beside import is_chance
from stratagym.benchmarks.advgame.credit import SHAPLEY
from stratagym.benchmarks.advgame.names import LEXICON_VERSION
from stratagym.benchmarks.advgame.score import PARTS
from stratagym.benchmarks.advgame.tables import MAIN, MORE
from stratagym.benchmarks.harness.sealed_games import GAMES
from stratagym.benchmarks.replaying.album import end_report
from stratagym.benchmarks.replaying.credit import remarks
from stratagym.benchmarks.reporting.own import add_words, marked, print_words
from stratagym.benchmarks.reporting.page import NOTHING, Page, code, count, number, number_of
from stratagym.benchmarks.reporting.sections import (
    model_table,
)
from stratagym.envs import spec

Summary = Mapping[str, Any]
MOST_REPEATS = 1
"""Repeats of every setting whose revisions the page lists one by one."""


def write(folder: Path, summary: Summary) -> None:
    """Write figures, ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        "AdvGameBench",
        f"{'One game' if len(config['games']) == 1 else count(len(config['games'])) + ' games'} "
        f"of sealed plans under a budget. A match has {config['rounds']} rounds, and after each "
        "round one side plans anew. Intervals are 95%, over games, opponents and roles. Rows in "
        "italics, marked (chance), are baselines: random plans, or a plan that is never revised.",
    )
    page.figures_in_brief(
        [
            number_of(summary["games"], "match", "matches"),
            number_of(len(config["named"]), "policy", "policies"),
            number_of(len(config["opponents"]), "opponent"),
        ]
    )
    page.bullets(in_short(summary))
    _whole(page, summary)
    page.heading("Game by game")
    for game in config["games"]:
        with page.games(f"{game}/"):
            page.table(tables.game_table(summary, game), spec(game).title)
    _process(page, folder, summary)
    _policies(page, folder, summary)
    if summary["budgets"]:
        _budgets(page, folder, summary)
    if summary["answers"]:
        page.heading("Plans as they were answered")
        page.table(tables.answer_table(summary))
    if summary["names"]:
        _names(page, summary)
    _credit(page, summary)
    end_report(page, folder, summary, WORDS, remarks)


def in_short(summary: Summary) -> list[str]:
    """The main results in a sentence for each policy: of players first, of baselines last."""
    rows = sorted(summary["policies"], key=lambda row: is_chance(row["policy"]))
    return [sentence for row in rows if (sentence := _sentence(row))]


def _sentence(row: Mapping[str, Any]) -> str:
    """What a policy won, spent and revised; empty without a round."""
    rates = row["pooled"]
    if rates["WR"]["value"] is None:
        return ""
    said = [f"{tables.named(row['policy'])} won {_percent(rates['WR'])} of its rounds"]
    for name, words in (
        ("OBR", "{} of its plans were over budget"),
        ("ORR", "it changed its plan after {} of its lost rounds"),
        ("CSR", "{} of these changes won the next round or mended the fault"),
    ):
        if rates[name]["value"] is not None:
            said.append(words.format(_percent(rates[name])))
    return "; ".join(said) + "."


def _percent(rate: Mapping[str, Any]) -> str:
    """``43% [40, 46]``."""
    said = f"{rate['value']:.0%}"
    if rate["low"] is None:
        return said
    return f"{said} [{100 * rate['low']:.0f}, {100 * rate['high']:.0f}]"


def _several(summary: Summary) -> bool:
    """Whether more than one policy that is no baseline played, so that policies can be compared."""
    return sum(not is_chance(row["policy"]) for row in summary["policies"]) > 1


def _whole(page: Page, summary: Summary) -> None:
    page.heading("All games")
    page.table(tables.metric_table(summary, MAIN), "All games pooled")
    add_words(page, *owning.scopes(summary))
    page.table(tables.metric_table(summary, MAIN, "mean"), "Mean over the games")
    page.table(tables.metric_table(summary, MORE), "Further metrics, all games pooled")
    page.note(
        "A high or low over-correction rate (ORR) is no merit by itself: a policy that never "
        "revises has 0, and a policy that always revises has 1. Revisions are corrections if their "
        "correction success rate (CSR) is above that of redraws."
    )
    if not any(row["policy"] == "random" and row["matches"] for row in summary["policies"]):
        page.note(
            "There is no chance level: `random` is not among the policies, and it is added to "
            "language models only against built-in opponents."
        )
    redraws = tables.redraw_table(summary)
    if redraws.rows:
        page.table(redraws, "Revisions minus redraws (new first plans), on the same matches")
        for said in sampled(summary):
            page.text(said)
    differences = tables.difference_table(summary)
    if differences.rows:
        first = code(summary["differences"][0]["policies"][0])
        page.table(differences, f"{first} minus the others, on the same opponents and settings")
    page.table(
        tables.score_table(summary),
        "Composite scores (the paper names such a score and gives no formula)",
    )


def sampled(summary: Summary) -> list[str]:
    """The temperatures of models' redraws, a sentence for each."""
    at = {one["name"]: one.get("temperature") for one in summary["config"]["policies"]}
    return [
        f"{code(name)} was sampled at temperature {at[name]:g}: its prompt is always the same, "
        "and at temperature 0 its plan would be, too."
        for name in summary["config"]["named"]
        if name.startswith(REDRAW) and at.get(name)
    ]


def _process(page: Page, folder: Path, summary: Summary) -> None:
    """The course of matches: what was revised after which feedback, and the results."""
    page.heading("Over rounds and updates")
    page.figure(
        figures.draw_updates(folder, summary),
        "Left: share of rounds won after each of a policy's updates. Right: slopes of the results "
        "within a match. (The paper's figure 3.)",
        "Wins by update",
    )
    with page.details("Wins by update in numbers"):
        page.table(tables.update_table(summary))
    page.figure(
        figures.draw_process(folder, summary),
        "Left: share of the budget that plans spend. Right: similarity of a revision and the plan "
        "before it, 1 for the same entries; dotted: similarity of two random plans.",
        "Budget use and similarity",
    )
    with page.details("Budget use in numbers"):
        page.table(tables.use_table(summary))
    weights = next((one["weights"] for one in summary["similarity"].values()), None)
    if weights is not None:
        said = ", ".join(f"{part} {weight:g}" for part, weight in weights.items() if weight)
        texts = " M: cosine similarity of the texts' embeddings." if weights.get("M") else ""
        page.table(
            tables.similarity_table(summary),
            f"Similarity of revisions and the plans before them, 0 to 1; weights: {said}. S: the "
            f"same entries. F: money spent on the same things.{texts}",
        )
    page.heading("Revisions by feedback")
    page.table(
        tables.feedback_table(summary),
        "How often a policy changed its plan after each kind of feedback, and how often it then "
        "won",
    )
    page.heading("Round by round")
    page.text(
        "W, L and D mean that the policy won, lost or drew the round. The mark behind the letter "
        "shows what the policy did before the round: * changed its plan, = kept its plan, no mark "
        "if it was not asked; ! the plan was over budget, x it was void. The second table lists "
        "the changes; a changed entry has another place, time or tier."
    )
    courses = summary["courses"]
    if any(one["repeat"] >= MOST_REPEATS for one in courses):
        page.text("Revisions are listed for the first repeat only; `summary.json` has all.")
    for name in summary["config"]["named"]:
        for game in summary["config"]["games"]:
            own = [c for c in courses if (c["policy"], c["game"]) == (name, game)]
            if not own:
                continue
            with page.details(f"{name}{' (chance)' * is_chance(name)}, {spec(game).title}"):
                page.table(tables.course_table(own))
                told = tables.revision_table([c for c in own if c["repeat"] < MOST_REPEATS])
                if told.rows:
                    page.table(told, "Changed plans")


def _policies(page: Page, folder: Path, summary: Summary) -> None:
    several = _several(summary)
    page.heading("Policies compared" if several else "Roles and corrections")
    page.figure(
        figures.draw_advantage(folder, summary),
        "First-mover advantage (FMA): the metric as first updater minus the metric as second "
        "updater, per game and then the mean. (The paper's figure 6.)",
        "First-mover advantage",
    )
    with page.details("First updater minus second updater in numbers"):
        page.table(tables.advantage_table(summary))
    page.figure(
        figures.draw_radar(folder, summary),
        "Axes: WR, CSR, 1 - ORR, 1 - OBR, slope from -.3 to .3. The area depends on the order of "
        "the axes, and 1 - ORR is largest for a policy that never revises. A policy that lacks "
        "one of the five values is left out.",
        "Radar",
    )
    if several:
        _correlations(page, folder, summary)
    with page.details("Corrections in numbers"):
        page.table(tables.correction_table(summary))
    page.table(
        tables.published_table(summary),
        "Metrics as the released program computes them: only rounds right after the policy's own "
        "updates, and revisions recognised by their cost",
    )


def _correlations(page: Page, folder: Path, summary: Summary) -> None:
    """What takes several policies: metrics against each other, a point for each policy."""
    page.figure(
        figures.draw_budget(folder, summary),
        "Share of plans over budget, ascending. (The paper's figure 4, where o3 and o3-mini have "
        "0, Qwen-Max .45, Qwen-Plus .50, and r(OBR, WR) = -.95, p < .001.)",
        "Plans over budget",
    )
    kind = {"mean": "the mean of its games", "pooled": "its games pooled"}[summary["points"]]
    page.figure(
        figures.draw_orr(folder, summary),
        f"ORR against the other metrics. A point is a policy ({kind}); small points are its "
        "games, grey points are baselines, and neither count in the correlations. (The paper's "
        "figure 5. Its table 1 gives ORR-CSR r = -.507, p = .093, and ORR-WR -.635, p = .027, n = "
        "12.)",
        "ORR against other metrics",
    )
    page.table(tables.correlation_table(summary), "Correlations over policies")
    page.figure(
        figures.draw_corrections(folder, summary),
        "Left: share of rounds won against how often a plan was changed after a lost round. "
        "Right: CSR against the CSR of redraws; a policy on the line does not correct.",
        "Corrections",
    )


def _budgets(page: Page, folder: Path, summary: Summary) -> None:
    page.heading("Other budgets")
    page.figure(
        figures.draw_budgets(folder, summary),
        "Metrics over shares of the policy's budget; the opponent keeps its whole budget. "
        "`plan:fill` spends the budget at random and `plan:reply` searches for an answer; both "
        "play against built-in opponents and show what the budget alone is worth.",
        "Budget curves",
    )
    page.table(tables.budget_table(summary), "Metrics by share of the budget")
    differences = tables.budget_difference_table(summary)
    if differences.rows:
        page.table(
            differences, "Differences from the whole budget, on the same opponents and settings"
        )


def _names(page: Page, summary: Summary) -> None:
    page.heading("Unknown names in plans")
    page.text(
        "Hallucinated names come from another of the three games (sibling), from a game that "
        f"models know (lexicon, version {LEXICON_VERSION}), or from the true names where the "
        "prompt uses made-up ones (leaked); all others are unknown."
    )
    page.table(tables.names_table(summary), "Replies with a hallucinated name")
    page.table(tables.names_round_table(summary), "Replies with a hallucinated name, by round")
    most = tables.most_names_table(summary)
    if most.rows:
        page.table(most, "The most frequent names")


def _credit(page: Page, summary: Summary) -> None:
    page.heading("Credit of single items")
    by = summary["credit_by"]
    page.text(
        f"The credit of an item is what it adds to the items before it, as the mean over "
        f"{by['samples']} random orders (Shapley values). There is none for the duel, whose "
        "skills cannot be left out."
        if by["kind"] == SHAPLEY
        else "The credit of an item is the result of the battle minus its result when it is fought "
        "again without the item. The credits of a plan need not add up to its result."
    )
    for name, by_game in summary["credit"].items():
        for game in GAMES:
            if by_game.get(game):
                with page.details(f"{name}, {spec(game).title}"):
                    page.table(tables.credit_table(by_game[game]))


WORDS = (
    "**WR** (win rate): share of rounds won, draws half; **WR_10**: the same over the first ten "
    "rounds, as in the paper's table. **init-win**: share of first rounds won.",
    "**ORR** (over-correction rate): share of lost rounds after which the policy planned and "
    "changed its plan. **Plan changed after a win**: the same after won rounds.",
    "**CSR** (correction success rate): share of the plans changed after a lost round that win the "
    "next round or mend a plan that was over budget or broke a rule; **CSR won** and **CSR "
    "mended** count these two separately.",
    "**slope**: least squares slope of the results after a policy's updates within a match.",
    "**OBR** (over-budget rate): share of the plans handed in that were over budget; a plan that "
    "is kept is not handed in. **stale**: share of the plans over a reduced budget that fit the "
    "whole budget.",
    "**RVR** (rule-violation rate): share of matches whose first plan, as first answered, breaks a "
    "rule or the budget.",
    "**constructive**: share of the plans changed after a lost round that come nearer to winning "
    "against the same plan of the opponent.",
    "**process**: mean of planning ((init-win + slope on a scale from 0 to 1) / 2), CSR and 1 - "
    "OBR; **process against redraws**: the same with .5 + (CSR - CSR of redraws) / 2 for CSR. A "
    "policy that never revises has no CSR: its score is that of the other parts alone and is not "
    "compared with scores of all three. Rank: median and range under 1,000 random weights, among "
    "policies with the same parts.",
    "**Chance level** of a rate: the rate of `random`, whose plans are new each time, in the same "
    "games and roles against the built-in opponents. For CSR and constructive it is the rate of "
    "the policy's own redraws, if they were played; for OBR, RVR and slope it is 0.",
    "**radar**: mean of WR, CSR, 1 - ORR, 1 - OBR and slope on a scale from 0 to 1, for policies "
    "that have all five.",
    "**credit**: the result with an item minus the result without it, against the same plan; "
    "**value**: the same difference of how near the plan came to winning. **plans**: plans that "
    "fought with the item. **idle**: share with credit and value 0; **harmful**: share with credit "
    "below 0.",
)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    table = tables.by_policy([*MAIN, "process"], tables.policies_of(summary))
    for row in summary["policies"]:
        pooled = [number(row["pooled"][name]["value"]) for name in MAIN]
        score = summary["scores"].get(row["policy"])
        process = NOTHING if score is None else number(score["process"]["value"])
        if score is not None and len(score["parts"]) < len(PARTS):
            process += f" ({tables.parts_text(score['parts'])} alone)"
        table.rows.append([code(row["policy"]), *pooled, process])
    shown = marked(table, [[name] for name in tables.policies_of(summary)], summary["own"]["all"])
    console.print(shown.rich("AdvGameBench, all games pooled"))
    print_words(console, *owning.scopes(summary))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))
