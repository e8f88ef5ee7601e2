"""The report of Werewolf: results by side, votes, exiles, statements, speech."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.replaying.album import end_report
from stratagym.benchmarks.reporting.columns import (
    Column,
    Columns,
    mean,
    named,
    rate,
    share,
    table_of,
    total,
)
from stratagym.benchmarks.reporting.own import add_words
from stratagym.benchmarks.reporting.page import Page, Table, number, number_of
from stratagym.benchmarks.reporting.sections import cut_short, print_end
from stratagym.benchmarks.werewolf.settings import ONE, SELF, SIDES

Summary = Mapping[str, Any]
TITLES = {
    SIDES: "on either side against {other}",
    ONE: "one seat among {other}",
    SELF: "alone in all seats",
}
_WHO: Columns = {
    "policy": named(),
    "setting": lambda row: TITLES[row["setting"]].format(other=row["other"]),
}


def _plain(name: str) -> Column:
    return lambda row: number(row[name], 3)


RESULTS: Columns = {
    **_WHO,
    "won as village": rate("village"),
    "won as wolves": rate("wolves"),
    "mean of both": lambda row: number(row["two_sided"], 3),
    "days": lambda row: number(row["days"], 1),
    "games": total(),
    "cut short": lambda row: cut_short(row, ("terminal", "truncated")),
}
PAIRS: Columns = {
    **_WHO,
    "pairs": total("pairs"),
    "won on both sides": total("both"),
    "lost on both": total("neither"),
    "won of decided": rate("won"),
}
LIFT: Columns = {**_WHO, "as": lambda row: row["side"], "lift": mean("lift", 3, "+")}
VILLAGE: Columns = {
    **_WHO,
    "IRP": share("irp"),
    "IRP by chance": lambda row: number(row["irp_by_chance"], 3),
    "VSS": share("vss"),
    "KSR": share("ksr"),
    "seer lives": share("ksr_seer"),
    "doctor lives": share("ksr_doctor"),
    "followed a seer": share("followed"),
}
WOLVES: Columns = {
    **_WHO,
    "votes off wolves": share("off_wolves"),
    "seer killed first": share("seer_first"),
    "village's IRP": lambda row: number(row["village_irp"], 3),
    "by chance": lambda row: number(row["village_irp_by_chance"], 3),
}
PUBLISHED: Columns = {
    **_WHO,
    **{name.upper(): _plain(name) for name in ("irp", "ksr", "vss", "wr")},
    "games": total("village_games"),
}
STATEMENTS: Columns = {
    **_WHO,
    "as": lambda row: row["side"],
    "false claims": share("claims"),
    "false claims to be the seer": share("seer_claims"),
    "claims of another role than before": share("changed"),
    "wrong results": share("results"),
    "false protections": share("protections"),
}
SPEECH: Columns = {
    **_WHO,
    "speeches": total("speeches"),
    "words a message": lambda row: number(row["words_a_speech"], 1),
    "mean bid": lambda row: number(row["bid"], 2),
    "replies": total("replies"),
    "acts": total("acts"),
    "refused acts": total("rejected"),
    "acts read from words": lambda row: number(row["parsed_share"], 2),
    "declared against said": lambda row: number(row["mismatch"], 2),
}
IDENTIFY: Columns = {
    "policy": named(),
    "questions": total("questions"),
    "Brier": share("brier"),
    "of one half": lambda row: number(row["brier_of_a_half"], 2),
    "AUC": share("auc"),
}
TABLES = (
    ("results", "Results", RESULTS),
    ("pairs", "Seeds played from both sides", PAIRS),
    ("lift", "One among others: gain on the frozen player in the same seats", LIFT),
    ("village", "As village", VILLAGE),
    ("wolves", "As wolves", WOLVES),
    ("statements", "Statements against the truth", STATEMENTS),
    ("speech", "Speech", SPEECH),
    ("identify", "Identification", IDENTIFY),
)


def table(summary: Summary, part: str, columns: Columns) -> Table:
    """The table of a part of the summary; of speech, of those who have words or bids."""
    rows = summary[part]
    if part == "speech":
        rows = [row for row in rows if row["messages"] or row["bid"] is not None]
    return table_of(rows, columns, summary["own"])


def write(folder: Path, summary: Summary) -> None:
    """Write ``report.md`` and ``report.html``."""
    config = summary["config"]
    rules = config["rules"]
    page = Page(
        "Werewolf",
        f"{rules['players']} players, debate: {rules['debate']}, votes: {rules['votes']}, exile: "
        f"{rules['exile']}. Intervals are 95%, with the games of a seed as one case.",
    )
    page.figures_in_brief(
        [
            number_of(summary["games"], "game"),
            number_of(len(config["named"]), "policy", "policies"),
        ]
    )
    for part, title, columns in TABLES:
        if summary.get(part) and (found := table(summary, part, columns)).rows:
            page.heading(title)
            page.table(found)
    with page.details("As DSGBench's code counts"):
        page.table(table(summary, "as_published", PUBLISHED))
    add_words(page, ("", summary["own"]))
    end_report(page, folder, summary, WORDS)


WORDS = (
    "**won**: a draw is half a win. **mean of both**: of the rates as village and as wolves.",
    "**won of decided**: of the seeds that were won on both sides or lost on both, those won.",
    "**lift**: the mean return of the policy's seat less that of the frozen player in the same "
    "seat under the same seed; a win is 1, a loss -1.",
    "**IRP**: votes of the policy's village players for a living wolf, of all their votes for "
    "somebody. **by chance**: the share of wolves among those who could be voted for.",
    "**VSS**: exiles of a wolf, of all exiles. **KSR**: seer and doctor who live at the end.",
    "**followed a seer**: of votes while somebody who claims to be the seer calls a living player "
    "a wolf, those for such a player.",
    "**votes off wolves**: of the wolves' votes, those for somebody else than a wolf. "
    "**village's IRP**: of the village against these wolves.",
    "**false claims**: claims of a role that the speaker does not have. **wrong results**: told "
    "results of checks that are not true of the player, whoever tells them. **false "
    "protections**: by who did not protect that player.",
    "**acts read from words**: the share of speeches whose reply declared no acts, or was not to. "
    "**declared against said**: of the acts that a speech declares or that simple patterns read "
    "in its words, the share that is in one of both only; there is no penalty.",
    "**Brier**: mean squared error of the stated probability that a player is a wolf. **AUC**: how "
    "often a wolf gets a higher probability than another in the same answer, ties as one half.",
)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    for part, title, columns in TABLES:
        if summary.get(part) and (found := table(summary, part, columns)).rows:
            console.print(found.rich(title))
    print_end(console, summary)
