"""The report of Welfare Diplomacy: points, alliances, Nash welfare, the effect of talk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.harness.diplomacy_games import TITLES
from stratagym.benchmarks.replaying.album import end_report
from stratagym.benchmarks.reporting.columns import (
    Columns,
    mean,
    named,
    share,
    share_text,
    table_of,
    total,
)
from stratagym.benchmarks.reporting.judges import JUDGED_WORDS, add_judged, print_judged
from stratagym.benchmarks.reporting.own import add_words
from stratagym.benchmarks.reporting.page import Page, Table, count, number, number_of
from stratagym.benchmarks.reporting.sections import cut_short, print_end
from stratagym.benchmarks.welfare.settings import ALL
from stratagym.benchmarks.welfare.summary import ALLIED, BETRAYED, BROKEN, LENGTH

Summary = Mapping[str, Any]


def rows_of(summary: Summary, part: str, variant: str) -> Iterator[dict[str, Any]]:
    """The rows of a part of the summary in a variant."""
    for row in summary[part]:
        if row["variant"] == variant:
            yield row


POINTS: Columns = {
    "policy": named(),
    "points": mean("points", 1),
    "share of points": mean("points_share"),
    "others' points": mean("others_points", 1),
    "centres": mean("centres", 1),
    "mean centres": mean("centres_mean", 1),
    "games": total(),
    "cut short": lambda row: cut_short(row),
}
WELFARE: Columns = {
    "policy": named(),
    "all points": mean("all_points", 1),
    "Nash welfare": mean("nash"),
    "smoothed": mean("nash_smoothed"),
    "own": mean("nash_own"),
    "others'": mean("nash_others"),
    "competence": mean("competence"),
}
ALLIANCES: Columns = {
    "policy": named(),
    "alliances": lambda row: row["kind"],
    "betrayals of orders": share(BETRAYED),
    "of allied phases": share(BROKEN),
    "phases with an ally": share(ALLIED),
    "mean length": mean(LENGTH, 1),
    "longest": lambda row: count(row["longest"]),
}
AS_CODED: Columns = {
    "policy": named(),
    "alliances": lambda row: row["kind"],
    "pairs without betrayal": lambda row: share_text(row["as_coded"]["loyal_pairs"]),
    "pairs allied": lambda row: share_text(row["as_coded"]["allied_pairs"]),
    "phases of a pair": lambda row: number(row["as_coded"]["phases_per_pair"], 1),
}


def point_table(summary: Summary, variant: str) -> Table:
    """Points and centres of every policy's powers."""
    return table_of(rows_of(summary, "results", variant), POINTS, summary["own"])


def welfare_table(summary: Summary, variant: str) -> Table:
    """What all powers come to together."""
    return table_of(rows_of(summary, "results", variant), WELFARE, summary["own"])


def alliance_table(summary: Summary, variant: str) -> Table:
    """Betrayals, and how much powers were allied."""
    return table_of(rows_of(summary, "alliances", variant), ALLIANCES, summary["own"], left=[1])


def coded_table(summary: Summary, variant: str) -> Table:
    """The same by pairs of powers."""
    return table_of(rows_of(summary, "alliances", variant), AS_CODED, summary["own"], left=[1])


def press_table(summary: Summary) -> Table:
    """What talk changes."""
    columns: Columns = {
        "policy": named(),
        "points with talk minus without": mean("difference", 2, "+"),
    }
    return table_of(summary["press"], columns, summary["own"])


def write(folder: Path, summary: Summary) -> None:
    """Write ``report.md`` and ``report.html``."""
    config = summary["config"]
    rules, years = config["rules"], config["rules"]["years"]
    page = Page(
        "Welfare Diplomacy",
        f"In each of {years} years a power earns a point for every centre beyond the number of its "
        f"units: at most {summary['most']} points a year are earned by all together, which is "
        f"{summary['most'] * years} in a game. Intervals are 95%, with the games of a seed as one "
        "case.",
    )
    page.figures_in_brief(
        [
            number_of(summary["games"], "game"),
            number_of(len(config["named"]), "policy", "policies"),
            number_of(rules["rounds"], "round of talk", "rounds of talk"),
        ]
    )
    if config["setting"] != ALL:
        page.text(f"A policy has four powers; the three others are {config['opponent']}'s.")
    for variant in config["variants"]:
        page.heading(TITLES[variant])
        with page.games(f"{variant}/"):
            page.table(point_table(summary, variant), "Points")
        page.table(welfare_table(summary, variant), "Welfare of all")
        page.table(alliance_table(summary, variant), "Alliances")
        with page.details("Alliances as DSGBench's code counts them"):
            page.table(coded_table(summary, variant))
    if summary["press"]:
        page.heading("What talk changes")
        page.table(press_table(summary))
    add_judged(page, summary)
    add_words(page, ("", summary["own"]))
    end_report(page, folder, summary, (*WORDS, *(JUDGED_WORDS if summary["judged"] else ())))


WORDS = (
    "**points**: welfare points of a power at the end, the mean over the policy's powers. **share "
    "of points**: of all points of the game, those of the policy's powers. **others' points**: the "
    "mean over the opponent's powers.",
    "**centres**, **mean centres**: supply centres of a power at the end, and the mean over years.",
    "**Nash welfare**: the geometric mean over the seven powers of their points a year, which is 0 "
    "if one has none; **smoothed**: with a millionth added to each; **own**, **others'**: over the "
    "policy's powers and over the opponent's.",
    "**competence**: the mean of the share of valid replies, the share of valid orders, both 1 for "
    "players that are no language models, and the share of all centres that some power owns at the "
    "end.",
    "**alliances**: those *observed* are of two powers in each other's reach that did not attack "
    "each other in the last four movement phases, and of which one helped the other in these; "
    "those *declared* last from a proposal of peace or support that was accepted until one of them "
    "attacks the other.",
    "**betrayals**: attacks of the policy's powers on who was their ally as the orders were "
    "written, as a share of all its movement orders, and **of allied phases**: of the phases in "
    "which an ally could have been betrayed. **phases with an ally**: share of a power's movement "
    "phases behind which it had at least one. **mean length**, **longest**: phases in a row that "
    "two powers were allied.",
    "**points with talk minus without**: the mean over seeds of the difference between the games "
    "with and without rounds of talk.",
)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    for variant in summary["config"]["variants"]:
        console.print(point_table(summary, variant).rich(TITLES[variant]))
        console.print(welfare_table(summary, variant).rich("Welfare of all"))
        console.print(alliance_table(summary, variant).rich("Alliances"))
    if summary["press"]:
        console.print(press_table(summary).rich("What talk changes"))
    print_judged(console, summary)
    print_end(console, summary)
