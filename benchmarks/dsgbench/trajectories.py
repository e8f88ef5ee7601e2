"""Decision trajectories of a run, offline: every game is played again beside its answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from cyclopts import Parameter

from stratagym.benchmarks.dsgbench.courses import anomalies, by_match, trajectory
from stratagym.benchmarks.dsgbench.kinds import STAGES
from stratagym.benchmarks.dsgbench.players import CHANCE
from stratagym.benchmarks.harness import cli, replays
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.records import GameRecord
from stratagym.benchmarks.reporting.page import Page, Table, code, count, number_of
from stratagym.benchmarks.reporting.plots import drawing
from stratagym.benchmarks.reporting.terminal import say

LINES, EXPORT = "trajectories.jsonl", "trajectories_dsgbench.json"
OWN, PUBLISHED = "stratagym", "dsgbench"
ROWS = 40
"""Key decisions of a game that the page shows."""
PLOTTED = 8
"""Courses that are plotted."""


@Parameter(name="*")
@dataclass(kw_only=True)
class TrajectoryArgs:
    policies: str | None = None
    """Only courses of these policies, separated by commas; the beginning of a name is enough."""
    format: str = OWN
    """What is written beside the page: "stratagym" (trajectories.jsonl), or "dsgbench", the form of
    the authors' records of prompts, answers and rewards."""
    output: str | None = None
    """Folder for what is written; default the run's."""


def trajectories(run: str, /, args: TrajectoryArgs = TrajectoryArgs()) -> None:  # noqa: B008
    """Stages, types of actions, key decisions and anomalies in the games of a run.

    Parameters
    ----------
    run
        Folder of a run.
    """
    cli.choice("--format", args.format, (OWN, PUBLISHED))
    found = replays.find(Path(run))
    if not found.games:
        raise cli.InputError(f"{run}: no games to tell of")
    folder = Path(args.output or found.folder)
    folder.mkdir(parents=True, exist_ok=True)
    games = [cast(GameRecord, game) for game in found.games if game["ended_by"] != TRANSPORT]
    answers = by_match(found.decisions)
    if args.format == PUBLISHED:
        path = folder / EXPORT
        path.write_text(json.dumps(published(games, answers), indent=1), encoding="utf-8")
        say(f"dsgbench: {len(games)} games in {path}")
        return
    wanted = cli.words(args.policies or "")
    courses = []
    for game in games:
        for seat, policy in enumerate(game["seats"]):
            if is_told(game, seat, policy, wanted):
                course = trajectory(game, seat, answers.get((game["match"], seat), ()))
                if course:
                    courses.append(course)
    with (folder / LINES).open("w", encoding="utf-8") as file:
        for course in courses:
            file.writelines(json.dumps(one) + "\n" for one in course)
    page = page_of(folder, courses)
    (folder / "trajectories.html").write_text(page.html(), encoding="utf-8")
    say(f"dsgbench: {len(courses)} courses in {folder / LINES} and trajectories.html")


def is_told(game: Mapping[str, Any], seat: int, policy: str, wanted: Sequence[str]) -> bool:
    """Whether a seat's course is told: of the policy that the game is about, or as wanted."""
    if wanted:
        return policy.startswith(tuple(wanted))
    pairing = str(game.get("pairing", ""))
    if pairing.rpartition("/")[2] == CHANCE:
        return False
    return game.get("seat") in (None, seat)


# --- the page ------------------------------------------------------------------------------------


def page_of(folder: Path, courses: Sequence[Sequence[Mapping[str, Any]]]) -> Page:
    """Counts by type and stage, the courses' evaluations, key decisions, anomalies."""
    page = Page(
        "Decision trajectories",
        "Every game played again beside its answers: what was decided when, and what came of it.",
    )
    decisions = sum(map(len, courses))
    page.figures_in_brief([number_of(len(courses), "course"), number_of(decisions, "decision")])
    for game in dict.fromkeys(course[0]["game"] for course in courses):
        own = [course for course in courses if course[0]["game"] == game]
        page.heading(game)
        page.table(types_table(own))
        page.figure(
            draw(folder, game, own),
            "Above the evaluation of the positions, below the share of valid names so far.",
            f"Courses of games of {game}",
        )
        for course in own[:PLOTTED]:
            with page.details(f"{course[0]['match']}, seat {course[0]['seat']}"):
                page.table(key_table(course))
                page.bullets(anomaly_lines(course))
    return page


def types_table(courses: Sequence[Sequence[Mapping[str, Any]]]) -> Table:
    """Decisions by type of action and stage."""
    counts = Counter((one["action_type"], one["stage"]) for course in courses for one in course)
    table = Table(["type", *STAGES])
    for kind in dict.fromkeys(kind for kind, _ in counts):
        table.rows.append([kind, *(count(counts[kind, stage]) for stage in STAGES)])
    return table


def key_table(course: Sequence[Mapping[str, Any]]) -> Table:
    """Table 7 of the paper: stage, decisions, strategy, what came of it, step, why it counts."""
    table = Table(["step", "stage", "decisions", "strategy", "change", "why"], left=[2, 3, 5])
    for one in [one for one in course if one["key"]][:ROWS]:
        table.rows.append(
            [
                count(one["ply"]),
                one["stage"],
                ", ".join(map(code, one["plan"]["names"][:5])),
                one["context"]["strategy"][:160] or "–",
                f"{one['outcome']['change']:+.2f}",
                ", ".join(one["key"]),
            ]
        )
    return table


def anomaly_lines(course: Sequence[Mapping[str, Any]]) -> list[str]:
    """Anomalies in words."""
    found = [
        f"{one['kind']} at step {one['ply']}" + (f" ({one['of']})" if "of" in one else "")
        for one in anomalies(course)
    ]
    return found or ["No anomalies."]


def draw(folder: Path, game: str, courses: Sequence[Sequence[Mapping[str, Any]]]) -> Path:
    """Evaluation and grounding accuracy over the steps of some games."""
    name = f"trajectories_{game}"
    with drawing(folder, name, 7.0, 4.2) as figure:
        above, below = figure.subplots(2, 1, sharex=True)
        for course in courses[:PLOTTED]:
            steps = [one["ply"] for one in course]
            above.plot(steps, [one["context"]["evaluation"] for one in course], linewidth=1)
            below.plot(steps, [one["context"]["ga"] for one in course], linewidth=1)
        above.set_ylabel("evaluation")
        below.set_ylabel("GA")
        below.set_xlabel("step")
        below.set_ylim(-0.05, 1.05)
    return folder / f"{name}.png"


# --- the authors' form ---------------------------------------------------------------------------


def published(
    games: Sequence[Mapping[str, Any]], answers: Mapping[tuple[str, int], Sequence[Any]]
) -> list[dict[str, Any]]:
    """By match and role a conversation of states and actions, and the rewards at its end.

    Roles without answers have rewards only.
    """
    found = []
    for game in games:
        for seat, policy in enumerate(game["seats"]):
            role = f"{policy}/{seat}"
            found.append(
                {
                    "item_id": f"{game['match']}/{seat}",
                    "conversation": [
                        part
                        for one in answers.get((game["match"], seat), ())
                        for part in _exchange(one, role)
                    ],
                    "rewards": [{"from_": "env", "role": role, "score": game["returns"][seat]}],
                }
            )
    return found


def _exchange(answer: Mapping[str, Any], role: str) -> list[dict[str, Any]]:
    """A question and its answer."""
    prompt = answer["prompt"] or []
    of = {one["role"]: one["content"] for one in prompt}
    step = answer["ply"]
    return [
        {
            "from_": "env",
            "role": role,
            "step": step,
            "content": of.get("user", ""),
            "system_content": of.get("system", ""),
            "user_content": of.get("user", ""),
        },
        {
            "from_": role,
            "role": role,
            "step": step,
            "content": answer["reply"] or "",
            "other_content": {"kind": answer["kind"], "moves": answer["move_text"]},
        },
    ]
