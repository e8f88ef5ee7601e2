"""The main results of a run of BotzoneBench, in sentences computed from its summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stratagym.benchmarks.botzone.tables import is_few, names
from stratagym.benchmarks.harness.botzone_games import BY_GAME
from stratagym.benchmarks.reporting.page import against, code, count, number, rate_text

Summary = Mapping[str, Any]


def in_brief(summary: Summary) -> list[str]:
    """Sentences on the shares of ladders climbed, on marked levels, moving first and mistakes."""
    return [
        *_furthest(summary),
        *_few(summary),
        *_first_movers(summary),
        *_mistakes(summary),
        *_broken_off(summary),
    ]


def listed(words: list[str]) -> str:
    """``a, b and c``."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _furthest(summary: Summary) -> list[str]:
    means = {name: summary["progress"][name]["mean"] for name in names(summary)}
    whole = {name: mean for name, mean in means.items() if mean["n"] == mean["of"]}
    if not whole:
        return []
    best = max(whole, key=lambda name: whole[name]["value"])
    said = [
        f"{code(best)} climbs furthest: on average {rate_text(whole[best])} of a ladder over "
        f"{whole[best]['of']} games."
    ]
    others = [name for name in whole if name != best]
    if others:
        near = max(others, key=lambda name: whole[name]["value"])
        apart = _apart(whole[best], whole[near])
        verdict = "and the intervals do not overlap" if apart else "but the intervals overlap"
        said.append(f"Next is {code(near)} with {rate_text(whole[near])}, {verdict}.")
    topped = [
        f"{code(name)} {listed(games)}"
        for name in means
        if (
            games := [
                BY_GAME[game].title
                for game, own in summary["games"].items()
                if name in own and own[name]["topped"]
            ]
        )
    ]
    if topped:
        said.append(f"Ladders topped: {'; '.join(topped)}.")
    return said


def _apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if one["low"] is None or other["low"] is None:
        return False
    return bool(one["low"] > other["high"] or other["low"] > one["high"])


def _few(summary: Summary) -> list[str]:
    found = [
        f"{code(name)} in {BY_GAME[game].title}"
        for game, own in summary["games"].items()
        for name, row in own.items()
        if is_few(row)
    ]
    if not found:
        return []
    return [f"Levels were passed on few decided games by {listed(found)}: read them with care."]


def _first_movers(summary: Summary) -> list[str]:
    ahead: list[str] = []
    behind: list[str] = []
    open_: list[str] = []
    for game, found in summary["movers"].items():
        rate, title = found["all"], BY_GAME[game].title
        if rate["value"] is None:
            continue
        side = against(rate, 0.0)
        if side:
            (ahead if side > 0 else behind).append(f"{title} ({number(rate['value'])})")
        else:
            open_.append(title)
    said = []
    if ahead:
        said.append(f"It pays to move first in {listed(ahead)}.")
    if behind:
        said.append(f"It pays to move second in {listed(behind)}.")
    if open_:
        said.append(f"Moving first or second makes no clear difference in {listed(open_)}.")
    return said


def _mistakes(summary: Summary) -> list[str]:
    said = []
    for name, own in summary["answers"].items():
        answers = sum(found["errors"]["answers"] for found in own.values())
        bad = {
            game: sum(n for kind, n in found["errors"]["kinds"].items() if kind != "ok")
            for game, found in own.items()
        }
        if not answers:
            continue
        whole = f"{code(name)}: {count(sum(bad.values()))} of {count(answers)} answers were bad"
        lost = sum(found["errors"]["games_lost"] for found in own.values())
        shares = {
            game: bad[game] / own[game]["errors"]["answers"]
            for game in bad
            if own[game]["errors"]["answers"]
        }
        worst = max(shares, key=lambda game: shares[game])
        where = (
            f", most in {BY_GAME[worst].title} ({100 * shares[worst]:.0f}%)" if bad[worst] else ""
        )
        said.append(f"{whole}{where}; {count(lost)} games were lost by bad answers.")
    return said


def _broken_off(summary: Summary) -> list[str]:
    found = [
        f"{code(name)} in {BY_GAME[game].title}"
        for game, own in summary["games"].items()
        for name, row in own.items()
        if row["broken_off"]
    ]
    if not found:
        return []
    return [
        f"Broken off because a model could not be reached: {listed(found)}; `--resume` continues."
    ]
