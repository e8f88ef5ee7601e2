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
from stratagym.benchmarks.replaying.album import add_replays
from stratagym.benchmarks.replaying.credit import remarks
from stratagym.benchmarks.reporting.own import add_words, marked, print_words
from stratagym.benchmarks.reporting.page import NOTHING, Page, code, count, number
from stratagym.benchmarks.reporting.sections import (
    add_models,
    add_run,
    model_table,
)
from stratagym.envs import spec

Summary = Mapping[str, Any]
MOST_REPEATS = 1
"""Repeats of every setting whose revisions the page tells one by one."""


def write(folder: Path, summary: Summary) -> None:
    """Write figures, ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        "AdvGameBench",
        f"{'One game' if len(config['games']) == 1 else count(len(config['games'])) + ' games'} "
        f"of sealed plans under a budget, {config['rounds']} "
        "rounds a match, after each of which one side plans anew. Intervals are 95%, over "
        "games, opponents and roles. Rows in italics are yardsticks: what chance, or never to "
        "revise, comes to.",
    )
    page.figures_in_brief(
        [
            (count(summary["games"]), "matches"),
            (str(len(config["named"])), "policies"),
            (str(len(config["opponents"])), "opponents"),
            (str(config["seed"]), "seed"),
        ]
    )
    _whole(page, summary)
    page.heading("Game by game")
    for game in config["games"]:
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
    add_models(page, summary)
    page.heading("Words")
    page.bullets(WORDS)
    add_replays(page, folder, remarks)
    add_run(page, config)
    page.write(folder)


def _whole(page: Page, summary: Summary) -> None:
    page.heading("All games")
    page.table(tables.metric_table(summary, MAIN), "Pooled over the games")
    add_words(page, *owning.scopes(summary))
    page.table(tables.metric_table(summary, MAIN, "mean"), "The mean of the games")
    page.table(tables.metric_table(summary, MORE), "More, pooled")
    page.note(
        "ORR is no merit by itself, either way: who never revises has 0, who always does 1. "
        "A correction is one where CSR is above that of redraws."
    )
    if not any(row["policy"] == "random" and row["matches"] for row in summary["policies"]):
        page.note(
            "What rates are by chance is not known: `random` is not among the policies, and plays "
            "beside language models only against opponents that are none."
        )
    redraws = tables.redraw_table(summary)
    if redraws.rows:
        page.table(redraws, "Against first plans in the place of revisions, on the same matches")
        for said in sampled(summary):
            page.text(said)
    differences = tables.difference_table(summary)
    if differences.rows:
        first = code(summary["differences"][0]["policies"][0])
        page.table(differences, f"{first} minus the others, on the same opponents and settings")
    page.table(
        tables.score_table(summary), "Composite scores; the paper names one and has no formula"
    )


def sampled(summary: Summary) -> list[str]:
    """At what temperatures models and their redraws were asked, a sentence for each redraw."""
    at = {one["name"]: one.get("temperature") for one in summary["config"]["policies"]}
    return [
        f"{code(name)} was sampled at temperature {at[name]:g}: its prompt is always the "
        "same, and at 0 so would be its plan."
        for name in summary["config"]["named"]
        if name.startswith(REDRAW) and at.get(name)
    ]


def _process(page: Page, folder: Path, summary: Summary) -> None:
    """The course of matches: what was revised after what, and what that came to."""
    page.heading("Over rounds and updates")
    page.figure(
        figures.draw_updates(folder, summary),
        "Left: rounds won after a policy's updates, in order. Right: slopes of a match's results. "
        "(The paper's figure 3.)",
        "Wins by update",
    )
    with page.details("Wins by update in numbers"):
        page.table(tables.update_table(summary))
    page.figure(
        figures.draw_process(folder, summary),
        "Left: what plans cost of the budget. Right: how alike a revision and the plan before it "
        "are, 1 for the same entries; dotted, two plans at random.",
        "Budget use and similarity",
    )
    with page.details("Budget use in numbers"):
        page.table(tables.use_table(summary))
    weights = next((one["weights"] for one in summary["similarity"].values()), None)
    if weights is not None:
        said = ", ".join(f"{part} {weight:g}" for part, weight in weights.items())
        page.table(
            tables.similarity_table(summary),
            f"How alike revisions and the plans before are, 0 to 1; weights: {said}. S: the same "
            "entries. F: money spent on the same things. M: cosine of the texts' embeddings, by "
            "--embedding-model",
        )
    page.heading("After which feedback")
    page.table(
        tables.feedback_table(summary),
        "How often a policy planned another plan after what it was told, and how often it then won",
    )
    page.heading("Round by round")
    page.text(
        "W, L, D: the round won, lost, drawn; behind it what the policy did before it: * another "
        "plan, = the same one, nothing where it was not asked; ! over budget, x void. Below it, "
        "what became of the plan each time that it became another; changed entries are of another "
        "place, time or tier."
    )
    courses = summary["courses"]
    if any(one["repeat"] >= MOST_REPEATS for one in courses):
        page.text("Revisions are told of the first repeat; `summary.json` has all.")
    for name in summary["config"]["named"]:
        for game in summary["config"]["games"]:
            own = [c for c in courses if (c["policy"], c["game"]) == (name, game)]
            if not own:
                continue
            with page.details(f"{name}{' (chance)' * is_chance(name)}, {spec(game).title}"):
                page.table(tables.course_table(own))
                told = tables.revision_table([c for c in own if c["repeat"] < MOST_REPEATS])
                if told.rows:
                    page.table(told, "Plans that became others")


def _policies(page: Page, folder: Path, summary: Summary) -> None:
    page.heading("Policies beside each other")
    page.figure(
        figures.draw_advantage(folder, summary),
        "First to update minus second, per game and then the mean. (The paper's figure 6.)",
        "FMA",
    )
    with page.details("First to update minus second in numbers"):
        page.table(tables.advantage_table(summary))
    page.figure(
        figures.draw_radar(folder, summary),
        "Axes: WR, CSR, 1 - ORR, 1 - OBR, slope from -.3 to .3. The area depends on their order, "
        "and 1 - ORR is largest for who never revises. A policy without a value for one has none.",
        "Radar",
    )
    page.figure(
        figures.draw_budget(folder, summary),
        "Plans over budget, ascending. (The paper's figure 4, where o3 and o3-mini have 0, "
        "Qwen-Max .45, Qwen-Plus .50, and r(OBR, WR) = -.95, p < .001.)",
        "OBR",
    )
    kind = {"mean": "the mean of its games", "pooled": "its games pooled"}[summary["points"]]
    page.figure(
        figures.draw_orr(folder, summary),
        f"ORR against the rest, a point a policy, {kind}; small points are its games, greys "
        "yardsticks, and neither count. (The paper's figure 5. Its table 1 gives ORR-CSR r = "
        "-.507, p = .093, and ORR-WR -.635, p = .027, n = 12.)",
        "ORR",
    )
    page.table(tables.correlation_table(summary), "Correlations over policies")
    page.figure(
        figures.draw_corrections(folder, summary),
        "Left: rounds won against how often a plan was changed after a lost round. Right: CSR "
        "against that of first plans in the place of revisions; on the line, no correction.",
        "Corrections",
    )
    with page.details("Corrections in numbers"):
        page.table(tables.correction_table(summary))
    page.table(
        tables.published_table(summary),
        "As the released program computes it: rounds right after own updates alone, revisions by "
        "their cost",
    )


def _budgets(page: Page, folder: Path, summary: Summary) -> None:
    page.heading("Other budgets")
    page.figure(
        figures.draw_budgets(folder, summary),
        "Over shares of the policy's budget; the opponent keeps its own. `plan:fill` spends any "
        "budget at random and `plan:reply` searches for an answer: what the budget alone is worth, "
        "against opponents that are no models.",
        "Budget curves",
    )
    page.table(tables.budget_table(summary), "By share of the budget")
    differences = tables.budget_difference_table(summary)
    if differences.rows:
        page.table(differences, "Minus the whole budget, on the same opponents and settings")


def _names(page: Page, summary: Summary) -> None:
    page.heading("Names that there are not")
    page.text(
        "Hallucinated names are of another of the three games (sibling), of a game that models "
        f"know (lexicon, version {LEXICON_VERSION}), true names where the prompt has made-up ones "
        "(leaked), or unknown."
    )
    page.table(tables.names_table(summary), "Replies with a hallucinated name")
    page.table(tables.names_round_table(summary), "Round by round")
    most = tables.most_names_table(summary)
    if most.rows:
        page.table(most, "The most frequent")


def _credit(page: Page, summary: Summary) -> None:
    page.heading("What items were worth")
    by = summary["credit_by"]
    page.text(
        f"What an item adds to those before it, the mean over {by['samples']} random orders "
        "(Shapley values); not of the duel, whose skills cannot be left out."
        if by["kind"] == SHAPLEY
        else "The battle fought again without the item; credits of one plan need not add up to its "
        "result."
    )
    for name, by_game in summary["credit"].items():
        for game in GAMES:
            if by_game.get(game):
                with page.details(f"{name}, {spec(game).title}"):
                    page.table(tables.credit_table(by_game[game]))


WORDS = (
    "**WR**: rounds won of rounds played, draws half; **WR_10**: of the first ten, as the paper's "
    "table. **init-win**: first rounds won.",
    "**ORR**: plans changed right after a lost round, of the lost rounds that a plan could answer. "
    "**revision after success**: the same after won rounds.",
    "**CSR**: of plans changed after a lost round, those that win the next or mend a plan that was "
    "over budget or broke a rule; **CSR won** and **CSR mended** apart.",
    "**slope**: least squares slope of the results after a policy's updates within a match.",
    "**OBR**: plans over budget of plans handed in; a plan that is kept is not handed in. "
    "**stale**: of plans over a budget that was cut, those that fit the whole one.",
    "**RVR**: first plans of a match, as first answered, that break a rule or the budget.",
    "**constructive**: of plans changed after a lost round, those that come nearer to winning "
    "against the same plan of the other.",
    "**process**: mean of planning ((init-win + slope on a scale from 0 to 1) / 2), CSR and 1 - "
    "OBR; **against redraws**, with .5 + (CSR - that of redraws) / 2 for CSR. Who never revises "
    "has no CSR: the score stands for the other parts alone, not compared with those of all "
    "three. Rank: median and range under 1,000 random weights, among policies with the same parts.",
    "**Chance** of a rate is what `random` has, whose plans are new each time, in the same games "
    "and roles against the opponents that are no language models; of CSR and constructive it is "
    "what the policy's own redraws have where they were played; of OBR, RVR and slope 0.",
    "**radar**: mean of WR, CSR, 1 - ORR, 1 - OBR and slope on a scale from 0 to 1, for those who "
    "have all five.",
    "**credit**: the result with an item minus the result without it, the other plan the same; "
    "**value**: the same of how near the plan came. **plans**: that fought with the item. "
    "**idle**: both 0; **harmful**: credit below 0.",
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
