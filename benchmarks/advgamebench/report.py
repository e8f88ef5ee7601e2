"""The report of AdvGameBench: how policies plan, revise, and keep to budgets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.advgamebench import figures
from stratagym.benchmarks.advgamebench.games import GAMES
from stratagym.benchmarks.replaying.album import add_replays
from stratagym.benchmarks.reporting.correlation import FEWEST
from stratagym.benchmarks.reporting.page import (
    NOTHING,
    Page,
    RateCell,
    Table,
    code,
    count,
    mean_text,
    number,
    rate_text,
)
from stratagym.benchmarks.reporting.sections import (
    add_models,
    add_options,
    model_table,
    rules_text,
)
from stratagym.envs import spec

Summary = Mapping[str, Any]
MAIN = ("WR", "WR_10", "init-win", "ORR", "CSR", "slope", "OBR")
MORE = (
    "revision after success", "CSR won", "CSR mended", "constructive", "RVR", "RVR over budget",
    "RVR other",
)  # fmt: skip


def metric_table(summary: Summary, names: tuple[str, ...], kind: str = "pooled") -> Table:
    """Metrics of every policy, with intervals."""
    table = Table(["policy", *names])
    for row in summary["policies"]:
        cells = [
            mean_text(row[kind][name], sign="+")
            if name == "slope"
            else RateCell(row[kind][name], strip=False)
            for name in names
        ]
        table.rows.append([code(row["policy"]), *cells])
    return table


def game_table(summary: Summary, game: str) -> Table:
    """The main metrics of every policy in one game."""
    table = Table(["policy", *MAIN])
    for row in summary["policies"]:
        own = row["by_game"].get(game)
        if own is not None:
            cells = [
                mean_text(own[name], sign="+") if name == "slope" else rate_text(own[name])
                for name in MAIN
            ]
            table.rows.append([code(row["policy"]), *cells])
    return table


def published_table(summary: Summary) -> Table:
    """The metrics as the released program computes them, beside the paper's definitions."""
    names = ("WR", "OBR", "ORR", "CSR", "slope")
    table = Table(["policy", *(f"{name}, here / as published" for name in names)])
    for row in summary["policies"]:
        cells = [
            f"{number(row['pooled'][n]['value'])} / {number(row['as_published'][n])}" for n in names
        ]
        table.rows.append([code(row["policy"]), *cells])
    return table


def advantage_table(summary: Summary) -> Table:
    """Metrics when first to update minus when second."""
    names = list(summary["policies"][0]["FMA"]) if summary["policies"] else []
    table = Table(["policy", *names])
    for row in summary["policies"]:
        table.rows.append(
            [code(row["policy"]), *(mean_text(row["FMA"][n], sign="+") for n in names)]
        )
    return table


def score_table(summary: Summary) -> Table:
    """Composite scores, and how far the ranks depend on weights."""
    against = {row["policy"]: row["CSR minus redraw"] for row in summary["policies"]}
    table = Table(
        ["policy", "process", "parts", "rank (range)", "CSR - redraw's", "radar", "radar area"]
    )
    for name, one in summary["scores"].items():
        ranks = one["ranks"]
        rank = f"{ranks['median']:g} ({ranks['low']}-{ranks['high']})"
        table.rows.append(
            [
                code(name), rate_text(one["process"]), f"{one['parts']} of 3", rank,
                mean_text(against[name], sign="+"),
                rate_text(one["radar"]), rate_text(one["radar_area"]),
            ]
        )  # fmt: skip
    return table


def process_table(summary: Summary) -> Table:
    """What revisions are like: how far from the plan before, against independent plans."""
    names = ("revisions S", "revisions F", "revisions", "independent")
    table = Table(["policy", *names])
    for name, one in summary["similarity"].items():
        table.rows.append([code(name), *(rate_text(one.get(n)) for n in names)])
    return table


def course_table(summary: Summary, policy: str) -> Table:
    """A policy's matches round by round."""
    own = [one for one in summary["courses"] if one["policy"] == policy]
    rounds = max((len(one["marks"]) for one in own), default=0)
    table = Table(
        ["game", "opponent", "role", "updates", *map(str, range(1, rounds + 1))], left=[1, 2, 3]
    )
    for one in own:
        order = "first" if one["first"] else "second"
        marks = [*one["marks"], *[NOTHING] * (rounds - len(one["marks"]))]
        table.rows.append(
            [spec(one["game"]).title, code(one["opponent"]), one["role"], order, *marks]
        )
    return table


def names_table(summary: Summary) -> Table:
    """Names that there are not, in replies that could be read."""
    table = Table(["policy", "replies", "hallucinated", "classes", "most frequent"], left=[3, 4])
    for name, one in summary["names"].items():
        classes = ", ".join(f"{kind} {n}" for kind, n in one["classes"].items() if n)
        most = ", ".join(
            f"{row['name']} ({row['source'] or row['class']}, {row['times']})"
            for row in one["most"]
        )
        table.rows.append(
            [code(name), count(one["replies"]), rate_text(one["hallucinated"]), classes,
             most or NOTHING]
        )  # fmt: skip
    return table


def credit_table(rows: list[dict[str, Any]]) -> Table:
    """What items were worth."""
    table = Table(["role", "item", "copies", "credit", "value", "idle", "harmful"], left=[1])
    for row in rows:
        table.rows.append(
            [
                row["role"], code(row["item"]), count(row["copies"]),
                mean_text(row["credit"], sign="+"), mean_text(row["value"], sign="+"),
                number(row["idle"]), number(row["harmful"]),
            ]
        )  # fmt: skip
    return table


def budget_table(summary: Summary) -> Table:
    """Metrics by share of the budget."""
    names = ("OBR", "stale", "RVR", "WR", "init-win", "spent")
    table = Table(["policy", "budget", *names, "WR against x1"])
    for name, by_factor in summary["budgets"].items():
        for factor, one in by_factor.items():
            cells = [rate_text(one[n]) for n in names]
            difference = one["WR difference"]
            table.rows.append([code(name), f"x{factor}", *cells, mean_text(difference, sign="+")])
    return table


def answer_table(summary: Summary) -> Table:
    """What models answered at first, and what stood."""
    names = ("over budget, first", "over budget, last", "broken, first", "broken, last")
    table = Table(["policy", "questions", *names, "asked again", "ignored members"])
    for name, one in summary["answers"].items():
        shares = [rate_text(one[n]) for n in names]
        row = [code(name), count(one["questions"]), *shares, count(one["asked again"])]
        table.rows.append(
            [*row, f"{count(one['ignored'])} in {count(one['with ignored'])} answers"]
        )
    return table


def correlation_table(summary: Summary) -> Table:
    """Figures 4 and 5 in numbers."""
    table = Table(
        ["over policies", "n", "Pearson", "p", "p after Holm", "p by shuffles", "Spearman",
         "one left out"]
    )  # fmt: skip
    shown = [("OBR, WR", summary["figure_4"])]
    shown += [(f"ORR, {one['metric']}", one) for one in summary["figure_5"]]
    for title, one in shown:
        found = one["correlation"]
        if found is None:
            said = "too few" if len(one["x"]) < FEWEST else "no spread"
            cells = [str(len(one["x"])), said, *[NOTHING] * 5]
        else:
            cells = [
                str(found["n"]), number(found["pearson"]), number(found["p"], 3),
                number(found.get("p_holm"), 3), number(found["p_shuffled"], 3),
                number(found["spearman"]),
                f"{number(found['low'])} to {number(found['high'])}",
            ]  # fmt: skip
        table.rows.append([title, *cells])
    return table


def write(folder: Path, summary: Summary) -> None:
    """Write figures, ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        "AdvGameBench",
        f"{count(len(config['games']))} games of sealed plans under a budget, {config['rounds']} "
        "rounds a match, after each of which one side plans anew. Intervals are 95%, over "
        "opponents and roles.",
    )
    page.figures_in_brief(
        [
            (count(summary["games"]), "matches"),
            (str(len(config["named"])), "policies"),
            (str(len(config["opponents"])), "opponents"),
            (str(config["seed"]), "seed"),
        ]
    )
    page.heading("All games")
    page.table(metric_table(summary, MAIN), "Pooled over the games")
    page.table(metric_table(summary, MAIN, "mean"), "The mean of the games")
    page.table(metric_table(summary, MORE), "More, pooled")
    page.note("ORR is no merit by itself, either way: who never revises has 0.")
    page.table(score_table(summary), "Composite scores; the paper names one and has no formula")
    page.heading("Game by game")
    for game in config["games"]:
        page.table(game_table(summary, game), spec(game).title)
    page.heading("Over updates")
    page.figure(
        figures.draw_updates(folder, summary),
        "Left: rounds won after a policy's updates, in order. Right: slopes of a match's results.",
        "Wins by update",
    )
    page.figure(
        figures.draw_use(folder, summary), "What plans cost of the budget, by round.", "Budget use"
    )
    page.table(process_table(summary), "How alike a revision and the plan before are, 0 to 1")
    page.table(advantage_table(summary), "First to update minus second")
    page.heading("Round by round")
    page.text(
        "W, L, D: the round; behind it what the policy did before it: * another plan, = the same "
        "one, nothing where it was not asked; ! over budget, x void."
    )
    for name in config["named"]:
        with page.details(name):
            page.table(course_table(summary, name))
    page.heading("Policies beside each other")
    page.figure(
        figures.draw_radar(folder, summary),
        "Axes: WR, CSR, 1 - ORR, 1 - OBR, slope from -.3 to .3. The area depends on their order.",
        "Radar",
    )
    page.figure(figures.draw_budget(folder, summary), "Plans over budget, ascending.", "OBR")
    page.figure(
        figures.draw_orr(folder, summary), "Revisions after a lost round against the rest.", "ORR"
    )
    page.table(correlation_table(summary), "Correlations over policies")
    page.table(published_table(summary), "As the released program computes it")
    if summary["budgets"]:
        page.heading("Other budgets")
        page.table(budget_table(summary))
    if summary["answers"]:
        page.heading("Plans as they were answered")
        page.table(answer_table(summary))
    if summary["names"]:
        page.heading("Names that there are not")
        page.table(names_table(summary))
    page.heading("What items were worth")
    for name, by_game in summary["credit"].items():
        for game in GAMES:
            if by_game.get(game):
                with page.details(f"{name}, {spec(game).title}"):
                    page.table(credit_table(by_game[game]))
    add_models(page, summary)
    page.heading("Words")
    page.bullets(WORDS)
    listed = (
        "opponents", "rounds", "repeats", "budget", "feedback", "tries", "invalid", "text", "seed",
    )  # fmt: skip
    listed += tuple(name for name in ("shared_start", "tries_on_violation") if name in config)
    add_options(page, {"rules": rules_text(config["rules"]) or "default"}, config, listed)
    add_replays(page, folder)
    page.write(folder)


WORDS = (
    "**WR**: rounds won of rounds played, draws half; **WR_10**: of the first ten, as the paper's "
    "table. **init-win**: first rounds won.",
    "**ORR**: plans changed right after a lost round, of the lost rounds that a plan could answer. "
    "**revision after success**: the same after won rounds.",
    "**CSR**: of plans changed after a lost round, those that win the next or mend a plan that was "
    "over budget or broke a rule; **CSR won** and **CSR mended** apart.",
    "**slope**: least squares slope of the results after a policy's updates within a match.",
    "**OBR**: plans over budget of plans handed in; a plan that is kept is not handed in.",
    "**RVR**: first plans of a match, as first answered, that break a rule or the budget.",
    "**constructive**: of plans changed after a lost round, those that come nearer to winning "
    "against the same plan of the other.",
    "**process**: mean of planning ((init-win + slope on a scale from 0 to 1) / 2), CSR and 1 - "
    "OBR. Rank: median and range under 1,000 random weights of the three.",
    "**credit**: the result with an item minus the result without it, the other plan the same; "
    "**value**: the same of how near the plan came. **idle**: both 0; **harmful**: credit below 0.",
)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    table = Table(["policy", *MAIN, "process"])
    for row in summary["policies"]:
        pooled = [number(row["pooled"][name]["value"]) for name in MAIN]
        score = summary["scores"].get(row["policy"])
        process = NOTHING if score is None else number(score["process"]["value"])
        table.rows.append([code(row["policy"]), *pooled, process])
    console.print(table.rich("AdvGameBench, all games pooled"))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))
