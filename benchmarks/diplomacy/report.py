"""The report of Diplomacy: results, orders, the effect of talk, promises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.diplomacy.settings import BASIC, FORMS
from stratagym.benchmarks.diplomacy.summary import AS_CODED
from stratagym.benchmarks.harness.diplomacy_games import TITLES
from stratagym.benchmarks.replaying.album import end_report
from stratagym.benchmarks.reporting.columns import (
    Column,
    Columns,
    mean,
    named,
    rate,
    rates,
    share,
    table_of,
    total,
)
from stratagym.benchmarks.reporting.judges import JUDGED_WORDS, add_judged, print_judged
from stratagym.benchmarks.reporting.own import add_words
from stratagym.benchmarks.reporting.page import (
    Page,
    Table,
    count,
    mean_text,
    number,
    number_of,
)
from stratagym.benchmarks.reporting.sections import cut_short, print_end
from stratagym.envs.diplomacy.metrics import ORDER_METRICS
from stratagym.envs.diplomacy.stated import FACTS

Summary = Mapping[str, Any]


FACT_TITLES = {"facts": "Facts that replies state", "asked": "Facts that were asked for"}
AS_CODED_FACTS = ("adjacent_as_coded", "strength_as_coded")


def rows_of(summary: Summary, variant: str) -> Iterator[dict[str, Any]]:
    """The results of a variant."""
    for row in summary["results"]:
        if row["variant"] == variant:
            yield row


PLAYED_OUT = ("terminal", "truncated")
"""How games end that were played to the end, which is a winner or the last year."""
RESULTS: Columns = {
    "policy": named(),
    "score": rate("score"),
    "won": rate("won", strip=False),
    "years to win": lambda row: number(row["years_to_win"], 1),
    "centres": mean("centres", 1),
    "gain": mean("gain", 1, "+"),
    "survived": rate("survived", strip=False),
    "regions": mean("regions", 1),
    "games": total(),
    "cut short": lambda row: cut_short(row, PLAYED_OUT),
}


def result_table(summary: Summary, variant: str) -> Table:
    """Results of every policy."""
    return table_of(rows_of(summary, variant), RESULTS, summary["own"])


def order_table(summary: Summary, variant: str) -> Table:
    """Shares of successful orders as the paper defines them."""
    shares = {name.replace("_", " "): share(name, "orders") for name in ORDER_METRICS}
    columns: Columns = {"policy": named(), **shares}
    return table_of(rows_of(summary, variant), columns, summary["own"])


def coded_table(summary: Summary, variant: str) -> Table:
    """Successes and totals as SPIN-Bench's code counts them."""

    def column(name: str) -> Column:
        return lambda row: "{successes}/{total}".format(**row[AS_CODED][name])

    columns: Columns = {"policy": named()}
    columns = {**columns, **{name.replace("_", " "): column(name) for name in ORDER_METRICS}}
    return table_of(rows_of(summary, variant), columns, summary["own"])


def press_table(summary: Summary) -> Table:
    """What talk changes."""
    columns: Columns = {
        "policy": named(),
        "score with talk minus without": mean("difference", 3, "+"),
    }
    return table_of(summary["press"], columns, summary["own"])


def promise_table(summary: Summary) -> Table:
    """Proposals, and promises checked against orders."""
    columns: Columns = {
        "policy": named(),
        "messages": total("messages"),
        "in known words": total("read"),
        "proposals accepted": share("accepted"),
        "promises kept": share("kept"),
        "of peace": share("kept_peace"),
        "of support": share("kept_support_move"),
    }
    return table_of(summary["promises"], columns, summary["own"])


def fact_table(summary: Summary, part: str, names: Sequence[str] = FACTS) -> Table:
    """F1 of the facts that replies state, or of the answers to questions (``part``)."""
    columns: Columns = {
        "policy": named(),
        "replies": lambda row: count(row["replies"]["total"]),
        **rates(names),
    }
    if part == "facts" and names == FACTS:
        columns = {**columns, "supports": share("supports")}
    return table_of(summary[part], columns, summary["own"])


def ablation_table(summary: Summary, variant: str) -> Table:
    """Results under each form of prompt, and their differences to the first."""
    forms = dict(zip(FORMS, ("steps and facts", "facts", "neither"), strict=True))
    columns: Columns = {
        "policy": named(),
        "asked for": lambda row: forms[row["form"]],
        "score": rate("score", strip=False),
        "centres": mean("centres", 1),
        "years to win": lambda row: number(row["years_to_win"], 1),
        "score less": lambda row: mean_text(row["score_difference"], 3, "+"),
        "centres less": lambda row: mean_text(row["centres_difference"], 1, "+"),
        "games": total(),
    }
    rows = (row for row in summary["ablation"] if row["variant"] == variant)
    return table_of(rows, columns, summary["own"], left=[1])


def write(folder: Path, summary: Summary) -> None:
    """Write ``report.md`` and ``report.html``."""
    config = summary["config"]
    rules, setting = config["rules"], config["setting"]
    title = {"basic": "one power among passive ones", "negotiate": "seven players that talk"}.get(
        setting, f"{config['agents']} agents"
    )
    page = Page(
        f"Diplomacy: {title}",
        f"A player wins with {rules['win']} centres; without a winner a game ends after "
        f"{rules['years']} years. Intervals are 95%, with the games of a seed as one case.",
    )
    page.figures_in_brief(
        [
            number_of(summary["games"], "game"),
            number_of(len(config["named"]), "policy", "policies"),
            number_of(rules["rounds"], "round of talk", "rounds of talk"),
        ]
    )
    if config.get("rotate"):
        page.text("A policy has the powers of every agent in turn, on the same seeds.")
    elif setting == BASIC:
        page.text(f"FRANCE is the policy's; the six other powers are {config['others']}'s.")
    for variant in config["variants"]:
        page.heading(TITLES[variant])
        with page.games(f"{variant}/"):
            page.table(result_table(summary, variant), "Results")
        page.table(order_table(summary, variant), "Successful orders")
        with page.details("Orders as SPIN-Bench's code counts them"):
            page.table(coded_table(summary, variant))
        if summary["ablation"]:
            page.table(ablation_table(summary, variant), "What prompts ask for")
    if summary["press"]:
        page.heading("What talk changes")
        page.table(press_table(summary))
        page.heading("Promises")
        page.table(promise_table(summary))
    add_judged(page, summary)
    for part, title in FACT_TITLES.items():
        if summary[part]:
            page.heading(title)
            page.table(fact_table(summary, part), "F1")
            with page.details("F1 as SPIN-Bench's code compares"):
                page.table(fact_table(summary, part, AS_CODED_FACTS))
    add_words(page, ("", summary["own"]))
    end_report(page, folder, summary, (*WORDS, *(JUDGED_WORDS if summary["judged"] else ())))


WORDS = (
    "**score**: what the game gives the player's powers together: 1 for a win, else their squares "
    "of centres divided by the sum of all squares.",
    "**won**: share of games in which the player reached the centres that win. **years to win**: "
    "mean over those games.",
    "**centres**, **regions**: supply centres of the player's powers at the end; provinces that a "
    "unit of theirs was the last to enter. **gain**: centres minus those of 1901.",
    "**move**: share of moves, by land or by convoy, that succeeded. **attack**: of moves to where "
    "another player's unit stood. **support self**, **support others**: of supports of own and of "
    "other units in such attacks, how many were given: neither void nor cut, the unit not "
    "dislodged.",
    "**influence**, **unit**, **adjacent**, **attackable**: F1 of the provinces that a model "
    "states to be under its power's influence, to hold its units, to be beside them, and to be "
    "under another power's influence within reach; over all replies together. What is not stated "
    "is missed. **pairs**: of a unit's province and one beside it. **strength**, **needed**: of "
    "attackable provinces with what an attack on them needs: 2 where another power's unit stands, "
    "else 1; or one more than the units of other powers that stand there or can move there. "
    "**supports**: of the supports that replies say they give, those that are among their orders.",
    "**survived**: share of games at whose end the player had a centre.",
    "**asked for**: what prompts for movement ask for besides orders. **score less**, **centres "
    "less**: the mean over seeds of the difference to the games with steps and facts.",
    "**score with talk minus without**: the mean over seeds of the difference between the games "
    "with and without rounds of talk.",
    "**in known words**: messages in the words of the policy `negotiator`, from which proposals "
    "and promises are read; others' words are not judged. **proposals accepted**: of those that "
    "the policy made. **promises kept**: of those that it made by agreeing, whose orders are as it "
    "promised. Peace is kept by who attacks no unit and no centre of the other.",
)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    for variant in summary["config"]["variants"]:
        console.print(result_table(summary, variant).rich(TITLES[variant]))
        console.print(order_table(summary, variant).rich("Successful orders"))
        if summary["ablation"]:
            console.print(ablation_table(summary, variant).rich("What prompts ask for"))
    for part, title in FACT_TITLES.items():
        if summary[part]:
            console.print(fact_table(summary, part).rich(f"{title}: F1"))
    if summary["press"]:
        console.print(press_table(summary).rich("What talk changes"))
        console.print(promise_table(summary).rich("Promises"))
    print_judged(console, summary)
    print_end(console, summary)
