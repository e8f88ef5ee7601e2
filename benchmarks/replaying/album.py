"""The page with a run's games, ``replays.html``, and where a report links them.

A page that a browser opens holds some games, not thousands: first those in which a model was
asked, one of each pairing after the other. How much it takes to make is bounded as well.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from stratagym.benchmarks.harness import replays
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.files import write_text
from stratagym.benchmarks.harness.matches import place_of
from stratagym.benchmarks.replaying.listing import listing
from stratagym.benchmarks.replaying.page import document
from stratagym.benchmarks.replaying.scenes import Remarks, Shared, scene
from stratagym.benchmarks.replaying.seats import seen_by
from stratagym.benchmarks.replaying.tiles import MOST, Tiles
from stratagym.benchmarks.reporting.games import GameLinks
from stratagym.benchmarks.reporting.page import Page, code, count, plain_text
from stratagym.benchmarks.reporting.sections import add_models, add_run

NAME = "replays.html"
POSITIONS = 1500
"""The most positions of all games on a page; a single game may have more."""
GAMES = 200
"""The most games on a page."""
MISSES = 10
"""After so many games without room on the page no more are tried, since each is replayed."""
DRAWING_S = 3.0
"""CPU-seconds of drawing after which the boards of further games are text."""
WITH_MODELS = 4
"""Factor of these limits in runs in which a model was asked."""
BYTES = 16_000_000
"""The most bytes of text on a page."""


@dataclass
class Album:
    """Games on one page.

    Attributes:
        run: where they are from. numbers: of the games to choose from.
        seat: whose view they are shown from; None for a spectator's.
        all_text: whether no pictures were wanted.
        scenes: by the game's number in the run. drawn: how many of them have pictures.
        problems: a line for each game that cannot be played again.
    """

    run: replays.Run
    numbers: Sequence[int]
    seat: int | None = None
    all_text: bool = False
    scenes: dict[int, dict[str, Any]] = field(default_factory=dict)
    drawn: int = 0
    problems: list[str] = field(default_factory=list)
    texts: Shared = field(default_factory=Shared)
    tiles: Tiles = field(default_factory=Tiles)

    def left_out(self) -> str:
        """What the page does not hold and how to see it; empty if it holds all."""
        here, drawn, folder = len(self.scenes), self.drawn, self.run.folder
        said = []
        if here < len(self.numbers):
            said.append(f"The page holds {count(here)} of {count(len(self.numbers))} games.")
        if drawn < here and not self.all_text:
            said.append(
                f"{count(drawn)} of {count(here)} games on it have pictures; the others show text."
            )
        command = code(f"python -m benchmarks.replay {folder} --match NUMBER --html game.html")
        return f"{' '.join(said)} {command} draws any game." if said else ""

    def page(self, title: str) -> str:
        """The page; there is at least one scene."""
        return document(
            list(self.scenes.values()),
            self.texts,
            self.tiles,
            title=title,
            note=plain_text(self.left_out()),
            listing=listing(self.run, self.numbers, self.scenes, self.seat),
        )


def album(
    run: replays.Run,
    numbers: Iterable[int] | None = None,
    *,
    pictures: bool = True,
    remarks: Remarks | None = None,
    seat: int | None = None,
) -> Album:
    """Games of a run within the limits above; bad records are named, not shown.

    Args:
        numbers: of the games to choose from, counted from 1; by default all.
        pictures: draw boards, as far as there is time; else they are text.
        seat: whose view the games are shown from; None for a spectator's.
    """
    asked = {
        name for (name, _), records in run.answers.items() if any(r["prompt"] for r in records)
    }
    budget = WITH_MODELS if asked else 1
    chosen = list(range(1, len(run.games) + 1) if numbers is None else numbers)
    found = Album(run, chosen, seat, not pictures)
    positions, size, misses, begin = 0, 0, 0, time.process_time()
    for number in _order(run, chosen, asked):
        if found.scenes and (positions >= budget * POSITIONS or len(found.scenes) >= GAMES):
            break
        # A game has more positions than moves where dice fall in between.
        if found.scenes and positions + len(run.games[number - 1]["actions"]) >= budget * POSITIONS:
            continue
        try:
            played = run.replay(run.games[number - 1])
            played = played if seat is None else seen_by(played, seat)
        except InputError as error:
            found.problems.append(str(error))
            continue
        if found.scenes and positions + len(played.positions) > budget * POSITIONS:
            misses += 1
            if misses == MISSES:
                break
            continue  # a shorter one may have room
        draw = pictures and len(found.tiles) < MOST
        draw = draw and time.process_time() - begin < budget * DRAWING_S
        one = scene(
            played,
            [None] * len(played.positions),
            found.texts,
            found.tiles if draw else None,
            legal=False,
            remarks=remarks,
        )
        size += len(json.dumps(one))
        if found.scenes and size + sum(map(len, found.texts.values)) > BYTES:
            break
        positions += len(played.positions)
        found.drawn += draw
        found.scenes[number] = {**one, "number": number}
    found.scenes = dict(sorted(found.scenes.items()))
    return found


def _order(run: replays.Run, chosen: Iterable[int], asked: set[str]) -> Iterator[int]:
    """Numbers of games: with models first, else one of each pairing after the other."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for number in chosen:
        groups[place_of(run.games[number - 1]).pairing].append(number)
    turns = [n for turn in zip_longest(*groups.values()) for n in turn if n is not None]
    yield from sorted(turns, key=lambda n: run.games[n - 1]["match"] not in asked)


def end_report(
    page: Page,
    folder: Path,
    summary: Mapping[str, Any],
    definitions: Sequence[str] = (),
    remarks: Remarks | None = None,
) -> None:
    """End a report behind its results: cost of models, definitions, replays, the run; write it."""
    add_models(page, summary)
    if definitions:
        page.heading("Definitions")
        page.bullets(definitions)
    add_replays(page, folder, remarks)
    add_run(page, summary["config"])
    page.write(folder)


def add_replays(page: Page, folder: Path, remarks: Remarks | None = None) -> None:
    """Write ``replays.html`` into a run's folder, and link its games in a report, row by row.

    A run without games gets neither.
    """
    if not (folder / replays.GAMES).exists():
        return
    run = replays.find(folder)
    if not run.games:
        return
    found = album(run, remarks=remarks)
    if not found.scenes:
        page.heading("Replays")
        page.bullets(found.problems)
        return
    note = found.left_out()
    html = found.page(f"{page.title}: replays")
    write_text(folder / NAME, html)
    page.heading("Replays")
    page.links(
        "Every position of the games, with prompts and answers, is shown on this page:",
        [(NAME, NAME)],
    )
    if note:
        page.text(note)
    page.bullets(found.problems)
    played: defaultdict[str, set[str]] = defaultdict(set)
    for game in run.games:
        for policy in game["seats"]:
            played[policy].add(game["match"])
    page.link_games(GameLinks(NAME, {name: frozenset(own) for name, own in played.items()}))
    page.text("The names of policies in the tables are links to the games behind their rows.")
    with page.details("Game by game"):
        groups: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for number, one in found.scenes.items():
            label = f"{number}: {one['outcome']}" if one["outcome"] else str(number)
            pairing = place_of(run.games[number - 1]).pairing
            groups[pairing].append((label, f"{NAME}#g{number}"))
        for pairing, targets in groups.items():
            page.links(f"{code(pairing)}:", targets)
