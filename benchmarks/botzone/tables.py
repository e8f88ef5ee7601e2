"""The tables of BotzoneBench's report, each from the summary alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stratagym.benchmarks.harness.botzone_games import BY_GAME
from stratagym.benchmarks.reporting.own import (
    COLUMN,
    NO_RESULT,
    NOT_MEASURED,
    is_result,
    share_text,
)
from stratagym.benchmarks.reporting.page import (
    NOTHING,
    Cell,
    RateCell,
    Table,
    code,
    count,
    mean_text,
    number,
)

Summary = Mapping[str, Any]
FEW = "†"
"""Marks what rests on few decided games."""
KINDS = {"illegal": "illegal", "unparseable": "unreadable", "overtime": "too late"}


def names(summary: Summary) -> list[str]:
    """All policies, in the order of the command line."""
    return [policy["name"] for policy in summary["config"]["policies"]]


def titles(summary: Summary) -> list[str]:
    """The games, as the paper has them."""
    return [BY_GAME[game].title for game in summary["games"]]


# --- skill ---------------------------------------------------------------------------------------


def is_few(row: Mapping[str, Any]) -> bool:
    """Whether a level was passed on few decided games."""
    return any(level["few"] for level in row["levels"])


def any_few(summary: Summary) -> bool:
    """Whether any was."""
    return any(is_few(row) for own in summary["games"].values() for row in own.values())


def skill_cell(row: Mapping[str, Any] | None, own: Mapping[str, Any] | None) -> str:
    """``Lv3, 45% [30, 62]``, and a mark where a level below was passed on few decided games.

    Behind it how much of the play was not the policy's own, if it was asked.
    """
    if row is None:
        return NOTHING
    asked = own is not None and own["answers"]
    return _level_cell(row) + (f"; {share_text(own)} {COLUMN}" if asked else "")


def _level_cell(row: Mapping[str, Any]) -> str:
    progress, mark = row["progress"], f" {FEW}" if is_few(row) else ""
    if row["topped"] or row["broken_off"] or progress is None or progress["low"] is None:
        return row["result"] + mark
    ends = f"[{100 * progress['low']:.0f}, {100 * progress['high']:.0f}]"
    return f"{row['result']} {ends}{mark}"


def skill_table(summary: Summary) -> Table:
    """Policies by games, as the paper's table 2, and the mean share of a ladder climbed."""
    table = Table(["policy", *titles(summary), "mean share"])
    for name in _by_mean(summary):
        cells: list[Cell] = [
            skill_cell(own.get(name), summary["own"][game].get(name))
            for game, own in summary["games"].items()
        ]
        table.rows.append([code(name), *cells, _mean_cell(summary["progress"][name]["mean"])])
    return table


def _by_mean(summary: Summary) -> list[str]:
    """Policies, the one that climbed furthest first."""
    means = {name: summary["progress"][name]["mean"]["value"] for name in names(summary)}
    return sorted(
        means, key=lambda name: -1.0 if means[name] is None else means[name], reverse=True
    )


def _mean_cell(mean: Mapping[str, Any]) -> str:
    shown = number(mean["value"])
    return shown if mean["n"] == mean["of"] else f"{shown} ({mean['n']} of {mean['of']} games)"


def progress_table(summary: Summary) -> Table:
    """The share of each ladder that was climbed, with its interval."""
    policies = _by_mean(summary)
    table = Table(["game", "levels", *(code(name) for name in policies)])
    for game in summary["games"]:
        shares = [summary["progress"][name]["by_game"][game] for name in policies]
        levels = str(summary["config"]["highest"][game] + 1)
        cells = [
            RateCell(rate) if is_result(summary["own"][game].get(name)) else NOT_MEASURED
            for name, rate in zip(policies, shares, strict=True)
        ]
        table.rows.append([BY_GAME[game].title, levels, *cells])
    means = [summary["progress"][name]["mean"] for name in policies]
    table.rows.append(["mean", "", *map(RateCell, means)])
    table.aside = [len(table.rows) - 1]
    return table


def level_tables(summary: Summary) -> Iterator[tuple[int, Table]]:
    """Per level, wins-draws-losses/games of every policy in every game (tables A1 to A6)."""
    highest = max(summary["config"]["highest"].values())
    for level in range(highest + 1):
        table = Table(["policy", *titles(summary)])
        for name in names(summary):
            cells = [
                _tally_cell(own.get(name), level, summary["config"]["highest"][game])
                if is_result(summary["own"][game].get(name))
                else NO_RESULT
                for game, own in summary["games"].items()
            ]
            if any(cell not in (NOTHING, "topped", NO_RESULT) for cell in cells):
                table.rows.append([code(name), *cells])
        if table.rows:
            yield level, table


def _tally_cell(row: Mapping[str, Any] | None, level: int, top: int) -> str:
    if row is None:
        return NOTHING
    if row["topped"] and level > top:
        return "topped"
    for found in row["levels"]:
        if found["level"] == level and found["opponents"]:
            tally = found["opponents"].values()
            counted = [str(sum(t[word] for t in tally)) for word in ("wins", "draws", "losses")]
            return f"{'-'.join(counted)}/{found['games']}" + (f" {FEW}" if found["few"] else "")
    return NOTHING


# --- answers -------------------------------------------------------------------------------------


def _answered(summary: Summary) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(policy, title of the game, its answers), a policy's name with the first of its games."""
    for name, own in summary["answers"].items():
        listed = [game for game in summary["games"] if game in own]
        for at, game in enumerate(listed):
            yield code(name) if at == 0 else "", BY_GAME[game].title, own[game]


def error_table(summary: Summary) -> Table:
    """What was wrong with answers, by model and game."""
    columns = ["model", "game", "decisions", "good at first try", *KINDS.values()]
    columns += ["games lost by bad answers", "failed requests"]
    table = Table(columns, left=[1])
    for name, title, found in _answered(summary):
        errors = found["errors"]
        shares = [_share(errors["kinds"].get(kind, 0), errors["answers"]) for kind in KINDS]
        unreached = count(errors["unreached"])
        if errors["unreached_in_time"]:
            unreached += f", {count(errors['unreached_in_time'])} by timeout"
        decisions, lost = count(errors["decisions"]), count(errors["games_lost"])
        well = RateCell(errors["well_at_first"])
        table.rows.append([name, title, decisions, well, *shares, lost, unreached])
    return table


def _share(n: int, of: int) -> str:
    return NOTHING if not of else "0" if not n else f"{100 * n / of:.1f}% ({count(n)})"


def reasons(summary: Summary) -> list[str]:
    """The commonest reasons for which answers were not played, a sentence for each model."""
    said = []
    for name, own in summary["answers"].items():
        parts = []
        for game, found in own.items():
            most = list(found["errors"]["reasons"].items())[:3]
            if most:
                listed = ", ".join(f"{reason} {count(n)}" for reason, n in most)
                parts.append(f"{BY_GAME[game].title}: {listed}")
        if parts:
            said.append(f"{code(name)}, why answers were not played: {'; '.join(parts)}.")
    return said


def token_table(summary: Summary) -> Table:
    """Tokens and seconds for a decision, by model and game."""
    columns = ["model", "game", "decisions", "prompt", "reply", "reasoning", "median seconds"]
    table = Table(columns, left=[1])
    for name, title, found in _answered(summary):
        tokens = found["tokens"]
        cells = [
            NOTHING if tokens[kind] is None else mean_text(tokens[kind], 0)
            for kind in ("tokens_in", "tokens_out", "tokens_reasoning")
        ]
        wait = tokens["median_latency_s"]
        seconds = NOTHING if wait is None else f"{wait:.1f}"
        table.rows.append([name, title, count(tokens["decisions"]), *cells, seconds])
    return table


# --- who moves first, and how --------------------------------------------------------------------


def _wdl(tally: Mapping[str, int]) -> str:
    return f"{tally['wins']}-{tally['draws']}-{tally['losses']}"


def mover_table(summary: Summary, pooled: bool = False) -> Table:
    """Results as first and as second mover, by game and policy.

    Args:
        pooled: only the advantage of moving first over all policies.
    """
    table = Table(["game", "policy", "first: W-D-L", "second: W-D-L", "advantage"], left=[1])
    if pooled:
        table = Table(["game", "advantage", "pairs"])
    for game, found in summary["movers"].items():
        title = BY_GAME[game].title
        if pooled:
            pairs = count(found["all"]["n"])
            table.rows.append([title, mean_text(found["all"], sign="+"), pairs])
            continue
        rows: list[Sequence[Cell]] = [
            [
                title if at == 0 else "", code(name), _wdl(own["first"]), _wdl(own["second"]),
                RateCell(own["advantage"], -1.0, 1.0),
            ]
            for at, (name, own) in enumerate(found["policies"].items())
        ]  # fmt: skip
        rows.append(["", "all", "", "", RateCell(found["all"], -1.0, 1.0)])
        table.rows += rows
        table.aside = [*table.aside, len(table.rows) - 1]
    return table


def play_tables(summary: Summary) -> Iterator[tuple[str, Table]]:
    """How policies played the games that the paper has a table of, a row for each policy."""
    for game, own in summary["games"].items():
        entry = BY_GAME[game]
        found = {name: row["behaviour"] for name, row in own.items() if row["behaviour"]}
        shown = [word for word in entry.play if any(word in seen for seen in found.values())]
        if not shown:
            continue
        words = (word.replace("_chance", "_by_chance").replace("_", " ") for word in shown)
        table = Table(["policy", *words])
        table.rows = [
            [code(name), *(mean_text(seen.get(word)) for word in shown)]
            for name, seen in found.items()
        ]
        yield game, table


def pattern_tables(summary: Summary) -> Iterator[Table]:
    """How many different patterns winning hands were made of (the paper's table 4), by policy."""
    for own in summary["patterns"].values():
        groups = [key for key, value in _first(own).items() if isinstance(value, Mapping)]
        columns = ["policy", "games of", "wins", "patterns", "in 20 wins"]
        for group in groups:
            columns += [group, "frequency"]
        table = Table(columns, left=[1])
        for name, parts in own.items():
            for at, (part, found) in enumerate(parts.items()):
                rarefied = found["rarefied"]
                row = [
                    code(name) if at == 0 else "",
                    "Lv0 and Lv1" if part == "lowest" else "all levels",
                    count(found["wins"]),
                    str(found["fans"]),
                    NOTHING if rarefied is None else f"{rarefied:.1f}",
                ]
                for group in groups:
                    row += [str(found[group]["fans"]), _share_of(found[group]["frequency"])]
                table.rows.append(row)
        if table.rows:
            yield table


def _first(own: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((found for parts in own.values() for found in parts.values()), {})


def _share_of(value: float | None) -> str:
    return NOTHING if value is None else f"{100 * value:.0f}%"
