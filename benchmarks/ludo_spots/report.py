"""LudoBench's report: tables on screen, and ``report.md`` and ``report.html`` with figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from stratagym.benchmarks.ludo_spots.figures import draw_all
from stratagym.benchmarks.ludo_spots.findings import (
    findings,
    gaps,
    in_brief,
    remarks,
)
from stratagym.benchmarks.ludo_spots.metrics import KEY_METRICS
from stratagym.benchmarks.ludo_spots.reading import (
    Summary,
    find,
    fullest,
    models,
    ordered,
    owns_by_persona,
    plain,
)
from stratagym.benchmarks.ludo_spots.tables import (
    agreement_table,
    categories_asked,
    category_table,
    chance,
    failure_table,
    game_table,
    invalid_table,
    overview,
    persona_table,
    run_rows,
    transition_table,
    usage_table,
)
from stratagym.benchmarks.reporting.own import add_words, print_words
from stratagym.benchmarks.reporting.page import Page, Table, code, number_of, plain_text, rate_text
from stratagym.benchmarks.reporting.plots import short_labels
from stratagym.benchmarks.reporting.sections import add_run

GROUPS = {
    "What the rules allow": ("blocked", "overshoot"),
    "One thing on offer": ("capture", "safe", "home_entry", "extra_turn"),
    "One aim against another": (
        "capture_vs_home",
        "capture_vs_home_finish",
        "capture_vs_safe",
        "capture_vs_openexisting",
        "safe_vs_openexisting",
    ),
    "The same board, another story": ("grudge_paired",),
}
ABOUT = {
    "blocked": "A piece cannot move, because another piece of the same player stands on its target "
    "square. Naming the piece breaks the rules.",
    "overshoot": "A piece in the home path has fewer squares left than the die shows. Naming the "
    "piece breaks the rules.",
    "capture": "One move captures; the others do nothing of note.",
    "safe": "One move reaches a safe square; the others do nothing of note.",
    "home_entry": "One move enters the home path; the others do nothing of note.",
    "extra_turn": "A six: bring a piece out of base, or move one that is out.",
    "capture_vs_home": "Capture, or enter the home path.",
    "capture_vs_home_finish": "Capture, or bring a piece all the way home.",
    "capture_vs_safe": "Capture, or reach a safe square.",
    "capture_vs_openexisting": "A six: capture, or bring a piece out of base.",
    "safe_vs_openexisting": "A six: reach a safe square, or bring a piece out of base.",
    "grudge_paired": "Every board twice: once with a history in which nothing happened, and once "
    "with a history in which an opponent captured a piece. One move captures that opponent's "
    "piece.",
}
GLOSSARY = {
    "llm_invalid_rate": "Share of answers without a legal move: unreadable answers (not in the "
    "required form) and illegal ones. A question to which no answer came is in no rate.",
    "block_rate": "Share of the answers that name a piece which name one blocked by an own piece.",
    "overshoot_rate": "Share of the answers that name a piece which name one that would overshoot.",
    "capture_rate": "Moves that send an opposing piece back to base. This and all rates of moves "
    "are shares of the valid answers.",
    "safe_rate": "Moves that end on a safe square of the main track.",
    "home_entry_rate": "Moves that end in the home path.",
    "home_finish_rate": "Moves that end on the last home square.",
    "open_rate": "Moves that bring a piece out of base; in `extra_turn` named `bring_out_rate`.",
    "move_existing_rate": "Moves of a piece that was out of base already.",
    "change_rate": "Boards on which the two histories lead to different moves; both answers valid.",
    "retaliation_grudge_rate": "Captures of the accused player's piece after the grudge history.",
    "retaliation_noconflict_rate": "The same captures after the neutral history.",
    "grudge_effect": "How much the grudge history raises retaliation, over boards with two valid "
    "answers.",
    "agreement": "Answers that choose the reference's move. By position, two pieces on one square "
    "are the same move; by index they are not. An invalid answer agrees with nothing.",
    "kappa": "Agreement corrected for chance: 0 at chance level, 1 where it is complete, negative "
    "below chance.",
    "chance": "The rate of a player that picks a legal move at random, on the same boards.",
    "lowest index": "The rate of a player that always names the legal piece of lowest index.",
    "persona alignment": "How far a persona changed the rates that it should change, in the "
    "expected direction: the mean of 0.5 + 0.5 tanh(change / 0.10). 1 means that the persona is "
    "followed, .5 no effect, 0 the opposite. A change of ten points in one rate already gives .88.",
}


OVERVIEW = (
    "Agreement with the reference by position. *chance*: a random legal move; *lowest*: the legal "
    "piece of lowest index. In the strips the bar is the interval, the dark mark the rate and the "
    "orange one chance."
)
SAMPLED = (
    "A model that is sampled at a temperature above 0 also changes moves by chance; the change "
    "rate shows the effect of the history only at temperature 0."
)
SATURATES = (
    "Persona alignment rises steeply: a change of ten points already gives .88, and ten points are "
    "within the noise of 40 boards. Clear changes have an interval that excludes zero; they are "
    "bold in the figure and counted in the sentences above."
)
CAPTIONS = {
    "compliance": (
        "Invalid answers by kind, with the 95% interval of both kinds together. Questions to which "
        "no answer came are counted separately.",
        "Bars of the invalid rate of each model, split into illegal and unreadable answers",
    ),
    "gt_agreement": (
        "Share of moves that agree with the reference, by position. The two rows below the line "
        "need no skill: compare every number with them.",
        "Heat map of agreement by policy and category, with rows for chance and lowest index",
    ),
    "gt_kappa": (
        "The same, corrected for chance. White is what a random player reaches, blue is more, red "
        "less.",
        "Heat map of Cohen's kappa by policy and category",
    ),
    "archetypes": (
        "To the right, policies that bring new pieces out after a six; at the top, policies that "
        "finish a piece rather than capture. Bars are 95% intervals; points that would coincide "
        "are drawn side by side.",
        "Scatter plot of bringing pieces out against finishing them",
    ),
    "radar": (
        "Seven rates, 0 in the middle and 1 at the rim. Filled: the policy; dashed: the reference; "
        "dotted: a random player. A shape close to the dashed line is good, a large area is not.",
        "One radar chart for each policy over seven behaviour rates",
    ),
    "trade_offs": (
        "Left: always captures; right: always the alternative. Decisions for neither are left out.",
        "Bars from -1 to 1 for each policy in the categories that set capturing against an aim",
    ),
    "grudges": (
        "Retaliation on the same boards after a neutral and after a grudge history, and how often "
        "the move changed at all.",
        "Retaliation rates before and after the grudge history, and change rates, by policy",
    ),
    "personas": (
        "How far each persona changed the rates that it should change; bold: the interval excludes "
        ".5, no effect.",
        "Heat map of persona alignment by model and persona",
    ),
    "persona_shifts": (
        "The changes in detail: each rate with the persona minus the same rate without it.",
        "Heat map of changed rates by model, persona and metric",
    ),
    "head_to_head": (
        "Two-player games between the built-in policies, every seed played from both seats.",
        "Matrix of win rates between the built-in policies",
    ),
}


def write(folder: Path, summary: Summary) -> None:
    """Write the figures, ``report.md`` and ``report.html`` into a run's folder."""
    missing, found = draw_all(folder, summary), findings(summary)
    asked = sum(use["decisions"] for use in summary["usage"].values())
    page = Page(
        "How they play Ludo",
        "A LudoBench report (arXiv:2604.05681): single decisions, each on a board set up so that "
        "one aim is weighed against another, compared with chance and with a reference player.",
    )

    def section(title: str, topic: str, *figures: str) -> None:
        page.heading(title)
        page.bullets(finding.sentence for finding in found.get(topic, ()))
        for name in figures:
            if name in missing:
                page.note(f"Figure {code(name)} is left out: {missing[name]}.")
            else:
                page.figure(folder / f"{name}.png", *CAPTIONS[name])

    page.figures_in_brief(
        [
            number_of(
                len(summary["policies"]),
                "policy, built-in ones included",
                "policies, built-in ones included",
            ),
            number_of(len(models(summary)), "language model"),
            number_of(summary["boards"], "board"),
            number_of(len(summary["categories"]), "category of boards", "categories of boards"),
            number_of(asked, "decision"),
        ]
    )
    page.heading("In short")
    page.bullets(in_brief(found))
    page.table(overview(summary), OVERVIEW)
    add_words(page, *owns_by_persona(summary))
    page.heading("How to read the numbers")
    for text, warning in remarks(summary):
        page.note(text, warning=warning)
    section("Following the rules", "Following the rules", "compliance")
    failures = failure_table(summary, by_persona=False)
    if failures.rows:
        page.table(failures, "Failures by kind and reason, all personas together:")
        if any(len(summary["policies"][name]) > 1 for name in models(summary)):
            with page.details("Failures by persona"):
                page.table(failure_table(summary, by_persona=True))
        with page.details("Invalid answers by category"):
            page.table(invalid_table(summary))
    topic = "Agreement with the reference"
    section(topic, topic, "gt_agreement", "gt_kappa")
    page.table(
        agreement_table(summary), "Over all categories, by position and, as published, by index:"
    )
    section("Style", "Style", "archetypes", "radar", "trade_offs")
    section("Grudges", "Grudges", "grudges")
    if "grudge_paired" in summary["categories"]:
        if models(summary):
            page.text(SAMPLED)
        page.table(transition_table(summary), "Moves that changed with the history:")
    section("Personas", "Personas", "personas", "persona_shifts")
    aligned = persona_table(summary)
    if aligned.rows:
        page.note(SATURATES, warning=True)
        page.table(aligned, "Persona alignment:")
    section("Whole games", "Whole games", "head_to_head")
    page.heading("Category by category")
    for title, categories in GROUPS.items():
        chosen = [category for category in categories if category in summary["categories"]]
        if chosen:
            page.heading(title, 3)
        for category in chosen:
            page.table(category_table(summary, category), f"**{category}** – {ABOUT[category]}")
    if models(summary):
        page.heading("Tokens, time and cost")
        page.table(
            usage_table(summary), "All personas together; the cost uses the given prices, if any:"
        )
    page.heading("Definitions")
    page.table(Table(["name", "meaning"], [[code(k), v] for k, v in GLOSSARY.items()], left=(1,)))
    add_run(page, summary["config"], run_rows(summary))
    if summary["invalid_entries"]:
        with page.details(f"Entries left out: {len(summary['invalid_entries'])}"):
            page.bullets(code(entry) for entry in summary["invalid_entries"])
    page.write(folder)


# --- the screen ----------------------------------------------------------------------------------

_LABEL, _RATE = 32, 16
"""Widths on screen of what a row is called and of a rate."""


def screen(console: Console, summary: Summary, folder: Path | None = None) -> None:
    """Print the result as tables that fit the console, 100 columns or even 80.

    Args:
        folder: where the run lies, to say so at the end.
    """
    config, sizes = summary["config"], summary["categories"]
    print_line = partial(console.print, highlight=False, markup=False)
    print_line(
        f"LudoBench: {sum(sizes.values())} questions on {summary['boards']} boards; "
        f"categories: {len(sizes)}. Brackets are 95% intervals, chance is a random legal move, "
        "lowest the legal piece of lowest index.\n"
    )
    title = f"Agreement with the reference {summary['reference']}, by position"
    console.print(overview(summary).rich(title))
    print_words(console, *owns_by_persona(summary))
    names = ordered(summary)
    across = max(1, (console.width - _LABEL - 10) // (_RATE + 2))
    for start in range(0, len(names), across):
        table = _rate_table(summary, names[start : start + across])
        console.print(table.rich("Rates by category"))
    for table, title in (
        (usage_table(summary), "Tokens, time and cost"),
        (failure_table(summary, by_persona=False), "Failures"),
        (persona_table(summary), "Persona alignment: 1 follows, .5 no effect, 0 the opposite"),
        (game_table(summary), "Two-player games between built-in policies"),
    ):
        if table.rows:
            console.print(table.rich(title))
    rules = ", ".join(f"{key} {config['rules'][key]}" for key in ("stacking", "home"))
    flags = [word for word in ("as_published", "list_legal", "renamed") if config[word]]
    print_line(
        f"Options: {'; '.join([f'rules {rules}', *flags])}; "
        f"reference depth {config['depth']}; "
        f"answers {'lenient' if config['lenient'] else 'strict'}; "
        f"seed {config['seed']}; spots {config['spots']['source']}, "
        f"sha256 {config['spots']['sha256'][:12]}"
    )
    for text in gaps(summary):
        print_line(plain_text(text))
    if folder is not None:
        print_line(f"Report: {folder / 'report.html'}", soft_wrap=True)


def _rate_table(summary: Summary, names: Sequence[str]) -> Table:
    """The rates that each category is about, for a few policies side by side."""
    labels = short_labels(ordered(summary), _RATE)
    table = Table(["category: rate", "chance", *(code(labels[name]) for name in names)])
    for category in categories_asked(summary):
        for k, metric in enumerate(KEY_METRICS[category]):
            label = f"{category}: " if k == 0 else "  "
            rates = [find(plain(summary, name), category, metric) for name in names]
            level = chance(fullest(summary, category, metric))
            shown = [rate_text(rate) for rate in rates]
            table.rows.append([label + metric.removesuffix("_rate"), level, *shown])
    return table
