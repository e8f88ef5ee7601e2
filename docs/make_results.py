"""Plays what docs/results.md reports, and writes that page: ``python docs/make_results.py``.

Takes some minutes on two cores; ``python docs/make_results.py chess`` plays one game's part anew
and leaves the others as they are.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from stratagym import envs

PAGE = Path(__file__).with_name("results.md")
PLAYED = {
    "tictactoe": "tournament --policies random,heuristic,alphabeta:2,mcts:100,perfect --games 100",
    "connect_four": "tournament --policies random,heuristic,alphabeta:4,mcts:100,mcts:400,perfect "
    "--games 60",
    "coin_game": "coin_teams --policies random,rule:any,rule:own,heuristic,mcts:1000 --games 500",
    "breakthrough": "tournament --policies random,heuristic,alphabeta:2,alphabeta:4 --games 40",
    "reversi": "tournament --policies random,heuristic,alphabeta:2,mcts:100 --games 40",
    "gomoku": "tournament --policies "
    "random,rule:one_look,heuristic,alphabeta:2?random=0.05,alphabeta:4?tactic=1 --games 40",
    "ataxx": "tournament --policies random,heuristic,alphabeta:2?random=0.1,alphabeta:3?random=0.1,"
    "mcts:100 --games 40",
    "go": "tournament --policies random,rule:eyes,heuristic,mcts:100 --games 20",
    "battle_card": "tournament --policies "
    "random,plan:fill,plan:level?k=1,plan:level?k=2,plan:level?k=4 --games 200",
    "elemental_duel": "tournament --policies "
    "random,plan:level?k=1,plan:level?k=2,plan:level?k=4,plan:mixture --games 200",
    "stratego": "tournament --policies random,rule:greedy,heuristic,rule:belief --games 200",
    "street_fighter": "tournament --policies random,rule:lv2,rule:lv4,rule:lv6,rule:lv8 "
    "--games 200",
    "starcraft": "tournament --policies random,rule:lv1,rule:lv3,rule:lv5,rule:lv7 --games 100",
    "chess": "tournament --policies random,heuristic,alphabeta:1,alphabeta:2,mcts:50 --games 20",
    "tower_defence": "tournament --policies "
    "random,heuristic,plan:fill,plan:level?k=1,plan:level?k=2,plan:level?k=4 --games 100",
    "civilization": "tournament --policies random,rule:settle,rule:expand,rule:build,rule:defend "
    "--games 20",
    "ludo": "tournament --policies random,heuristic,gt:1,gt:2 --games 1000",
    "texas_holdem": "tournament --policies random,heuristic,rule:strong --games 1000",
    "dou_dizhu": "tournament --policies random,rule:greedy,rule:rlcard,heuristic --games 1000",
    "mcr_mahjong": "tournament --policies random,rule:claim,rule:shanten,rule:pattern,heuristic "
    "--games 200",
    "werewolf": "tournament --policies random,rule:herd,rule:seer,rule:bluff,rule:deductive "
    "--games 400",
    "diplomacy": "table --policies passive,random,greedy,dumbbot --seating mixed --games 56",
    "welfare_diplomacy": "table --policies disarm,passive,random,greedy,dumbbot --seating mixed "
    "--games 56",
    "planning": "planning --task plan "
    "--policies random,planner:0,planner:1,planner:2,planner:3,planner:4,planner:5",
    "hanabi": "hanabi_teams --policies random,rule:simple,rule:iggi,rule:piers,rule:focus "
    "--teammates none --players 2,4 --games 500",
}
HEAD = """# Built-in policies

Results of the built-in policies, as a scale for your own figures.
Intervals are 95%. `python docs/make_results.py` plays all games and writes the page.
"""
RATED = (
    "Rating: Bradley-Terry rating from all games of the table, with the mean of the players at "
    "1000; the intervals are by profile likelihood, with the games of a seed as one case. Score: "
    "points per game, 1 for a win, 0.5 for a draw."
)
SCORED = (
    "Mean points of 25 at the end, 0 once all lives are lost; perfect: the share of games with 25."
)

SEATED = (
    "All policies at tables of seven, moved on by a seat from game to game. Mean return of a seat; "
    "first: the share of first places."
)
RETURNED = (
    "Mean return of a team, from -16 to 32; told: the same starts with all goals known; "
    "neither: the share of the coins taken that were of nobody's goal."
)

SOLVED = (
    "Problems: two of each domain in sizes 1, 3 and 5. Accuracy: the share with a valid plan; a "
    "planner generates 5,000 states at most for each. Length: of valid plans, the geometric mean "
    "of their length over that of the best plan known."
)


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def interval(rate: Mapping[str, Any], digits: int) -> str:
    low, high = rate["low"], rate["high"]
    ends = "" if low is None else f" [{low:.{digits}f}, {high:.{digits}f}]"
    return f"{rate['value']:.{digits}f}{ends}"


def ratings(summary: Mapping[str, Any]) -> list[str]:
    """A tournament's policies, the best first."""
    found = sorted(summary["policies"].items(), key=lambda item: -item[1]["bradley_terry"])
    lines = [row(["Policy", "Rating", "Games", "Score"]), row(["---", "---:", "---:", "---:"])]
    for name, one in found:
        rating = f"{one['bradley_terry']:.0f}"
        if one["low"] is not None:
            rating += f" [{one['low']:.0f}, {one['high']:.0f}]"
        score = f"{one['points'] / one['games']:.2f}"
        lines.append(row([f"`{name}`", rating, f"{one['games']:,}", score]))
    return [*lines, "", RATED]


def scores(summary: Mapping[str, Any]) -> list[str]:
    """Teams of one Hanabi player."""
    lines = [
        row(["Policy", "Players", "Games", "Points", "Perfect"]),
        row(["---", "---:", "---:", "---:", "---:"]),
    ]
    for team in sorted(summary["teams"], key=lambda t: (t["players"], -t["strict"]["value"])):
        name, players, games = f"`{team['policy']}`", str(team["players"]), f"{team['games']:,}"
        figures = [interval(team["strict"], 1), interval(team["perfect"], 2)]
        lines.append(row([name, players, games, *figures]))
    return [*lines, "", SCORED]


def returns(summary: Mapping[str, Any]) -> list[str]:
    """Teams of one coin game player."""
    lines = [
        row(["Policy", "Games", "Return", "Told", "Neither"]),
        row(["---", "---:", "---:", "---:", "---:"]),
    ]
    for team in sorted(summary["teams"], key=lambda t: -t["returns"]["value"]):
        figures = [interval(team[name], 1) for name in ("returns", "told")]
        figures.append(interval(team["process"]["neither_share"], 2))
        lines.append(row([f"`{team['policy']}`", f"{team['games']:,}", *figures]))
    return [*lines, "", RETURNED]


def seated(summary: Mapping[str, Any]) -> list[str]:
    """Policies at one table."""
    (table,) = summary["tables"]
    lines = [
        row(["Policy", "Games", "Seats", "Return", "First"]),
        row(["---", "---:", "---:", "---:", "---:"]),
    ]
    for name, one in sorted(table["standings"].items(), key=lambda s: -s[1]["return"]["value"]):
        figures = [interval(one[figure], 2) for figure in ("return", "first")]
        lines.append(row([f"`{name}`", f"{one['games']:,}", f"{one['seats']:,}", *figures]))
    return [*lines, "", SEATED]


def solved(summary: Mapping[str, Any]) -> list[str]:
    """Plans for problems that nobody plays against."""
    lines = [
        row(["Policy", "Problems", "Accuracy", "Length"]),
        row(["---", "---:", "---:", "---:"]),
    ]
    policies = summary["policies"]
    for name in sorted(policies, key=lambda name: -policies[name]["accuracy"]["value"]):
        one = policies[name]
        figures = [interval(one["accuracy"], 2), f"{one['ratio']['mean']:.2f}"]
        lines.append(row([f"`{name}`", f"{one['problems']:,}", *figures]))
    return [*lines, "", SOLVED]


def section(game: str) -> str:
    """A game's part of the page, played now."""
    script, *options = PLAYED[game].split()
    if script in ("tournament", "table"):
        options = ["--game", game, *options]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", f"stratagym.benchmarks.{script}", *options]
        more = ["--json", "--output", f"{folder}/run"]
        done = subprocess.run([*command, *more], stdout=subprocess.PIPE, text=True, check=True)
    summary = json.loads(done.stdout)
    told = {
        "tournament": ratings, "coin_teams": returns, "hanabi_teams": scores, "table": seated,
        "planning": solved,
    }  # fmt: skip
    table = told[script](summary)
    call = f"python -m benchmarks.{script} {' '.join(options)}"
    head = [f"## {envs.spec(game).title}", "", "```bash", call, "```", ""]
    return "\n".join([*head, *table, "", f"Seed 0, {date.today():%Y-%m-%d}."])


def main(games: list[str]) -> None:
    """Play the games' parts and put them in their places."""
    old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    parts = dict(re.findall(r"^(## ([^\n]+)\n.*?)(?=^## |\Z)", old, re.MULTILINE | re.DOTALL))
    kept = {title: text.strip() for text, title in parts.items()}
    for game in games:
        kept[envs.spec(game).title] = section(game)
        titles = [envs.spec(name).title for name in PLAYED]
        titles += [title for title in kept if title not in titles]  # made by other commands
        there = [kept[title] for title in titles if title in kept]
        PAGE.write_text("\n\n".join([HEAD.strip(), *there]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or list(PLAYED))
