"""What is told of a training run: its summary, learning curve, report and tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from rich.console import Console

from stratagym import envs
from stratagym.agents.ladders import find_ladder
from stratagym.benchmarks.harness import records
from stratagym.benchmarks.harness.files import Shape
from stratagym.benchmarks.replaying.album import add_replays
from stratagym.benchmarks.reporting import levels
from stratagym.benchmarks.reporting.page import Page, RateCell, Table, code, count
from stratagym.benchmarks.reporting.plots import COLOURS, MARKERS, SOFT, Look, drawing, looks
from stratagym.benchmarks.reporting.sections import add_run
from stratagym.benchmarks.train_ppo import ppo
from stratagym.benchmarks.train_ppo.evaluation import SEATS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def counts_wins(rates: Iterable[dict[str, Any]]) -> bool:
    """Whether wins say all of some rates; where returns are points or money, their mean does."""
    return all("wins" in found and _is_result(found["mean_return"]) for found in rates)


def _is_result(mean: dict[str, Any]) -> bool:
    return bool(abs(mean["value"] if mean["high"] is None else mean["high"]) <= 1)


def figures(found: dict[str, Any], met_level: int | None) -> dict[str, float]:
    """What TensorBoard is told of an evaluation."""
    figure = "wins" if counts_wins(found["against"].values()) else "mean_return"
    told: dict[str, float | None] = {
        f"eval/{name}": rates[figure]["value"] for name, rates in found["against"].items()
    }
    if found["ladder"] is not None:
        told["eval/level"] = found["ladder"]["level_progress"]
        if found["ladder"]["rating"] is not None:
            told["eval/rating"] = found["ladder"]["rating"]["value"]
    told["train/met_level"] = met_level
    return {name: value for name, value in told.items() if value is not None}


def brief(found: dict[str, Any]) -> str:
    """An evaluation in a few words, for the progress bar."""
    if found["ladder"] is not None:
        return str(found["ladder"]["result"])
    name, rates = next(iter(found["against"].items()))
    if "wins" in rates:
        return f"{name}: won {rates['wins']['value']:.2f}, lost {rates['losses']['value']:.2f}"
    return f"{name}: {rates['mean_return']['value']:.2f}"


class _Evaluation(TypedDict):
    """What must be in a line of ``evaluations.jsonl``."""

    steps: int
    against: dict[str, Any]


def summarise(
    folder: Path, found: dict[str, Any], trainer: ppo.Trainer, config: dict[str, Any]
) -> dict[str, Any]:
    """The content of ``summary.json``; ``found`` is the final rating."""
    lines = records.read_jsonl(folder / "evaluations.jsonl", Shape(_Evaluation))
    curve = {line["steps"]: line for line in lines}
    spent, steps = trainer.spent, trainer.model.num_timesteps
    return {
        "config": config,
        "agent": str(folder / "agent.zip"),
        "steps": steps,
        **asdict(spent),
        "steps_per_wall_s": steps / spent.wall_s,
        "steps_per_cpu_s": steps / spent.cpu_s,
        "rules_share": spent.rules_s / spent.wall_s,
        "opponents_share": spent.opponents_s / spent.wall_s,
        **found,
        "curve": [curve[at] for at in sorted(curve)],
    }


def result_table(summary: dict[str, Any]) -> Table:
    """The final rating: games won, drawn and lost, or where it is not all or nothing, the mean."""
    against = summary["against"]
    rated = all("wins" in found for found in against.values())
    means = not counts_wins(against.values())
    columns = ["against", "won", "drawn", "lost"] if rated else ["team"]
    table = Table([*columns, *(["mean return"] if means else []), "games"])
    for name, found in against.items():
        kinds = ("wins", "draws", "losses") if rated else ()
        row: list[Any] = [code(name), *(RateCell(found[kind]) for kind in kinds)]
        if means:
            row.append(RateCell(found["mean_return"], strip=False))
        table.rows.append([*row, count(found["games"])])
    return table


def seat_table(summary: dict[str, Any]) -> Table:
    """The share of games won in each seat."""
    against = summary["against"]
    seats = len(next(iter(against.values()))[SEATS])
    table = Table(["against", *(f"won in seat {seat}" for seat in range(seats))])
    for name, found in against.items():
        table.rows.append([code(name), *map(RateCell, found[SEATS])])
    return table


def ladder_rows(summary: dict[str, Any]) -> dict[str, Any]:
    """The climb in the shape of an ``anchored_levels`` summary."""
    game = summary["config"]["game"]
    return {"games": {game: {"agent": summary["ladder"]}}, "own": {game: {}}}


def cost_line(summary: dict[str, Any]) -> str:
    return (
        f"{count(summary['steps'])} decisions in {summary['wall_s']:.0f} s of training, "
        f"{summary['cpu_s']:.0f} CPU-seconds ({count(round(summary['steps_per_cpu_s']))} a "
        f"CPU-second); of the time, {summary['rules_share']:.1%} went into the games and "
        f"{summary['opponents_share']:.1%} into opponents."
    )


def draw_curve(folder: Path, summary: dict[str, Any]) -> None:
    """``learning_curve.png``: the evaluations in training, with their intervals."""
    curve, config = summary["curve"], summary["config"]
    rated = [line for line in curve if line.get("ladder") and line["ladder"]["rating"]]
    has_rates = bool(curve[0]["against"])
    panels = has_rates + bool(rated)
    with drawing(folder, "learning_curve", 7.2, 0.6 + 3.2 * panels) as figure:
        axes = figure.subplots(panels, sharex=True, squeeze=False)[:, 0]
        if has_rates:
            draw_rates(axes[0], curve)
        if rated:
            draw_ratings(axes[-1], rated, summary["anchors"])
        axes[-1].set_xlabel("decisions learned from")
        axes[-1].xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        axes[0].set_title(
            f"{config['game']}, opponent {config['settings']['opponent']}, seed {config['seed']}"
        )


def draw_rates(axes: Axes, curve: list[dict[str, Any]]) -> None:
    """Games won against every rival, or what the agent gained on average."""
    names = list(curve[0]["against"])
    team = "wins" not in curve[0]["against"][names[0]]
    wins = counts_wins(found for line in curve for found in line["against"].values())
    look = looks(names, names)
    for name in names:
        points = [
            (line["steps"], line["against"][name]["wins" if wins else "mean_return"])
            for line in curve
            if name in line["against"]
        ]
        draw_line(axes, points, look[name])
    axes.set_ylabel("games won" if wins else "mean score" if team else "mean return")
    if wins:
        axes.set_ylim(0, 1.02)
    axes.legend(title="with" if team else "against")


def draw_ratings(axes: Axes, curve: list[dict[str, Any]], anchors: dict[str, Any]) -> None:
    """Ratings on the ladder's scale, with its levels as lines up to the first above them all."""
    draw_line(
        axes,
        [(line["steps"], line["ladder"]["rating"]) for line in curve],
        Look("agent", COLOURS[0], MARKERS[0]),
    )
    highest = max(line["ladder"]["rating"]["high"] for line in curve)
    for level, names in enumerate(anchors["levels"]):
        at = sum(anchors["ratings"][name] for name in names) / len(names)
        axes.axhline(at, color=SOFT, linewidth=0.8, linestyle=":")
        axes.annotate(
            f"Lv{level}", (1, at), (4, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="center", fontsize=8, color=SOFT,
        )  # fmt: skip
        if at > highest:
            break
    axes.set_ylabel("rating on the ladder")


def draw_line(axes: Axes, points: list[tuple[int, dict[str, Any]]], look: Look) -> None:
    """Rates over steps as a line, their intervals as a band around it."""
    at, found = [steps for steps, _ in points], [rate for _, rate in points]
    axes.plot(at, [rate["value"] for rate in found], color=look.colour, marker=look.marker,
              markersize=4, label=look.label)  # fmt: skip
    low, high = (np.array([rate[end] for rate in found], float) for end in ("low", "high"))
    axes.fill_between(at, low, high, color=look.colour, alpha=0.15, linewidth=0)
    axes.grid(axis="y")


def write(folder: Path, summary: dict[str, Any]) -> None:
    """Write ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        f"PPO on {envs.spec(config['game']).title}",
        f"Trained against {code(config['settings']['opponent'])}, seed {config['seed']}.",
    )
    page.heading("Rating after training")
    greedy = config["settings"]["greedy"]
    page.text(
        ("It plays its likeliest move. " if greedy else "It draws its moves. ")
        + "Every seed is played once in each seat. Intervals are 95%, over seeds; "
        "games that are alike move by move count as one case."
    )
    if summary["against"]:
        page.table(result_table(summary))
        if all(SEATS in found for found in summary["against"].values()):
            page.table(seat_table(summary), "The same by seat")
    page.text(cost_line(summary))
    if summary["ladder"]:
        write_climb(page, summary)
    page.heading("Learning curve")
    page.figure(folder / "learning_curve.png", "Evaluations in training with 95% intervals.",
                "Learning curve")  # fmt: skip
    add_replays(page, folder)
    add_run(page, config)
    page.write(folder)


def write_climb(page: Page, summary: dict[str, Any]) -> None:
    """The climb up the ladder, as ``anchored_levels`` reports it."""
    game, rows = summary["config"]["game"], ladder_rows(summary)
    facts = summary["config"]["ladder"]
    page.heading("Level on the ladder")
    highest, top = facts["highest"], len(facts["levels"]) - 1
    ends = "" if highest == top else f", of which levels up to {highest} can be played here"
    page.text(f"{code(facts['ladder'])}, levels 0 to {top}{ends}. The climb is that of "
              "`anchored_levels`: a level is passed with half of the decided games, on a ladder of "
              "scores with its mean score.")  # fmt: skip
    page.table(levels.level_table(rows, game))
    if facts["measure"] == "score":
        page.table(
            levels.score_table(rows, game), "Teams of the levels' policies on the same seeds"
        )
    else:
        page.table(levels.opponent_table(rows, game), "Results by opponent")


def screen(console: Console, folder: Path, summary: dict[str, Any]) -> None:
    """Print the final tables."""
    policy, game = f"sb3:{folder / 'agent.zip'}", summary["config"]["game"]
    if summary["against"]:
        console.print(result_table(summary).rich(f"{game}: rating"))
        if all(SEATS in found for found in summary["against"].values()):
            console.print(seat_table(summary).rich("by seat"))
    if summary["ladder"]:
        ladder = summary["config"]["ladder"]["ladder"]
        console.print(levels.level_table(ladder_rows(summary), game).rich(ladder))
    console.print(cost_line(summary), soft_wrap=True, highlight=False)
    console.print(f"Policy: {policy}", soft_wrap=True, highlight=False)
    if not summary["ladder"] and find_ladder(game):
        console.print(
            f"Its level: python -m benchmarks.anchored_levels --game {game} --policies {policy}",
            soft_wrap=True,
            highlight=False,
        )
    console.print(f"Report: {folder / 'report.html'}", soft_wrap=True, highlight=False)
