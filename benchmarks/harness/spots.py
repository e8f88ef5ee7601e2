"""Spots: single Ludo decisions, in the JSON schema of LudoBench (arXiv:2604.05681, table 17)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.decisions import Question
from stratagym.benchmarks.harness.errors import InputError
from stratagym.benchmarks.harness.files import brief, parse
from stratagym.benchmarks.reporting.terminal import one_line
from stratagym.envs import core, spec
from stratagym.envs.ludo import rules as ludo
from stratagym.envs.text import TextOptions

NAME = "ludo_spots"
"""The benchmark that asks for them, as in records."""
GAME = spec("ludo")
AS_PUBLISHED_RULES = {"stacking": "safe", "home": "exact"}
"""Ludo's options under which the authors' released code plays."""
CATEGORIES = (
    "blocked",
    "overshoot",
    "capture",
    "safe",
    "home_entry",
    "extra_turn",
    "capture_vs_home",
    "capture_vs_home_finish",
    "capture_vs_safe",
    "capture_vs_openexisting",
    "safe_vs_openexisting",
    "grudge_paired",
)
NEUTRAL, GRUDGE = "neutral", "grudge"
SHIPPED = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Spot:
    """One decision.

    Attributes:
        id, category: as in the file; ``grudge`` is read as ``grudge_paired``.
        players: colours of the seats in turn order. player: the colour to move.
        dice: 1 .. 6. pieces: each player's four positions, in the paper's numbers.
        history: text for the prompt. aggressor: the colour the history accuses, or None.
        pair: id shared by the two histories of a grudge board; ``condition`` tells them apart.
    """

    id: str
    category: str
    players: tuple[int, ...]
    player: int
    dice: int
    pieces: tuple[tuple[int, ...], ...]
    note: str = ""
    history: str = ""
    aggressor: int | None = None

    @property
    def seat(self) -> int:
        return self.players.index(self.player)

    @property
    def pair(self) -> str:
        return self.id[:-2] if self.category == "grudge_paired" else self.id

    @property
    def condition(self) -> str:
        return GRUDGE if self.aggressor is not None else NEUTRAL

    @property
    def board(self) -> tuple[Any, ...]:
        return self.players, self.player, self.dice, self.pieces

    def states(self, rules: Any) -> np.ndarray:
        """The position as (1,) record of ``rules`` for these players."""
        states = core.new_states(rules)
        states["dice"], states["player"], states["winner"] = self.dice, self.seat, ludo.NO_WINNER
        for seat, pieces in enumerate(self.pieces):
            states["steps"][0, seat] = [ludo.steps_at(rules, seat, p) for p in pieces]
        return states

    def record(self) -> dict[str, Any]:
        """The JSON object of the spot."""
        entry = {
            "id": self.id,
            "scenario": self.category,
            "players": list(self.players),
            "llm_player_id": self.player,
            "current_player": self.player,
            "dice": self.dice,
            "tokens": {str(c): list(p) for c, p in zip(self.players, self.pieces, strict=True)},
            "note": self.note,
        }
        if self.category == "grudge_paired":
            entry["history_text"] = self.history
            entry["aggressor"] = self.aggressor
        return entry


@lru_cache
def rules_for(players: tuple[int, ...], options: tuple[tuple[str, Any], ...] = ()) -> Any:
    """Ludo's rules for these colours under the given options, as (name, value) pairs."""
    return GAME.make_rules(players=len(players), seats=players, **dict(options))


def _need(condition: Any, reason: str) -> None:
    if not condition:
        raise ValueError(reason)


def _is_int(value: Any) -> bool:
    """Whether it is a whole number of the size of dice, ids and squares; ``true`` is none."""
    return type(value) is int and -1000 < value < 1000


def _is_text(value: Any) -> bool:
    """Whether it is a text that can be sent and written, without halves of surrogate pairs."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def parse_spot(entry: Any) -> Spot:
    """A spot from its JSON object.

    Raises:
        ValueError: why the entry is not a spot that can be asked.
    """
    _need(isinstance(entry, dict), "not a JSON object")
    for name in ("id", "scenario", "players", "llm_player_id", "dice", "tokens"):
        _need(name in entry, f"field {name!r} is missing")
    _need(_is_text(entry["id"]) and entry["id"], "id is not a text")
    category = "grudge_paired" if entry["scenario"] == "grudge" else entry["scenario"]
    _need(category in CATEGORIES, f"unknown scenario {brief(entry['scenario'])}")
    players = entry["players"]
    _need(
        isinstance(players, list)
        and 2 <= len(players) <= 4
        and all(_is_int(p) and 0 <= p <= 3 for p in players)
        and players == sorted(set(players)),
        f"players {brief(players)} are not 2 to 4 different ids from 0 to 3 in ascending order",
    )
    player, dice = entry["llm_player_id"], entry["dice"]
    _need(_is_int(player) and player in players, f"llm_player_id {brief(player)} is not a player")
    mover = entry.get("current_player", player)
    _need(mover == player, f"current_player {brief(mover)} is not llm_player_id {brief(player)}")
    _need(_is_int(dice) and 1 <= dice <= 6, f"dice {brief(dice)} is not 1 to 6")
    tokens = entry["tokens"]
    _need(
        isinstance(tokens, dict) and set(tokens) == set(map(str, players)),
        "tokens does not hold exactly the players' ids",
    )
    rules = rules_for(tuple(players))
    pieces = []
    for seat, colour in enumerate(players):
        own = tokens[str(colour)]
        _need(
            isinstance(own, list) and len(own) == 4 and all(map(_is_int, own)),
            f"tokens of player {colour} are not four whole numbers",
        )
        for p in own:
            _need(
                ludo.steps_at(rules, seat, p) != ludo.FORBIDDEN,
                f"{p} is no position of player {colour}",
            )
        home = 57 + 6 * colour
        _need(own.count(home) < 4, f"player {colour} has won already")
        pieces.append(tuple(own))
    history, aggressor = entry.get("history_text", ""), entry.get("aggressor")
    note = str(entry.get("note", ""))
    _need(_is_text(history), "history_text is not a text")
    _need(_is_text(note), "note is not a text")
    if category == "grudge_paired":
        _need(entry["id"][-2:] in ("_a", "_b"), "the id of a grudge entry ends in _a or _b")
        accused = re.search(r"\bPlayer ([0-9]+)\b", history)
        if aggressor is None and accused:
            aggressor = int(accused.group(1)[:9])
        _need(
            aggressor is None
            or (_is_int(aggressor) and aggressor in players and aggressor != player),
            f"aggressor {brief(aggressor)} is not an opponent",
        )
        _need(
            (aggressor is not None) == (entry["id"][-1] == "b"),
            "entry _b accuses an opponent ('Player N ...'), entry _a accuses none",
        )
    spot = Spot(
        entry["id"],
        category,
        tuple(players),
        player,
        dice,
        tuple(pieces),
        note,
        history,
        aggressor,
    )
    legal, _ = core.new_scratch(rules)
    _need(core.legal_actions_at(rules, spot.states(rules), 0, legal) > 0, "there is no legal move")
    return spot


@dataclass(frozen=True)
class Invalid:
    """An entry that was left out: file, id and reason. Without an id it is a whole file."""

    file: str
    id: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}{self.id and f', entry {self.id}'}: {self.reason}"


def load_spots(
    source: Path | str = SHIPPED, *, skip_invalid: bool = False
) -> tuple[list[Spot], list[Invalid]]:
    """Spots of a JSON file, or of every ``spots_*.json`` of a folder, and what was left out.

    Raises:
        InputError: nothing to read, or (without ``skip_invalid``) the first bad file or entry.
    """
    source = Path(source)
    files = sorted(source.glob("spots_*.json")) if source.is_dir() else [source]
    if not files:
        raise InputError(f"--spots {source}: the folder holds no spots_*.json")
    spots: dict[str, Spot] = {}
    invalid: list[Invalid] = []
    for path in files:
        try:
            entries = _entries(path)
        except ValueError as error:
            if not skip_invalid:
                raise InputError(f"--spots {path}: {error}") from None
            invalid.append(Invalid(path.name, "", str(error)))
            continue
        for number, entry in enumerate(entries):
            name = entry.get("id") if isinstance(entry, dict) else None
            try:
                spot = parse_spot(entry)
                _need(spot.id not in spots, "the id occurs twice")
                spots[spot.id] = spot
            except ValueError as error:
                shown = one_line(name, 60) if isinstance(name, str) and name else ""
                invalid.append(Invalid(path.name, shown or f"number {number}", str(error)))
    pairs = [spot for spot in spots.values() if spot.category == "grudge_paired"]
    for spot in pairs:
        other = spots.get(spot.pair + ("_b" if spot.id[-1] == "a" else "_a"))
        if other is None or other.board != spot.board:
            invalid.append(Invalid(source.name, spot.id, "no partner with the same board"))
            del spots[spot.id]
    if invalid and not skip_invalid:
        more = f" (and {len(invalid) - 1} more)" if len(invalid) > 1 else ""
        raise InputError(f"--spots {invalid[0]}{more}; --skip-invalid leaves bad entries out")
    if not spots:
        raise InputError(f"--spots {source}: no valid spot in it")
    return list(spots.values()), invalid


def _entries(path: Path) -> list[Any]:
    """The entries of a file. Raises ``ValueError``."""
    try:
        entries = parse(path.read_bytes())
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror})") from None
    _need(isinstance(entries, list), "not a JSON list of spots")
    return entries


def save_spots(spots: Iterable[Spot], folder: Path) -> list[Path]:
    """Write one ``spots_<category>.json`` a category; returns the files."""
    by_category: dict[str, list[dict[str, Any]]] = {}
    for spot in spots:
        by_category.setdefault(spot.category, []).append(spot.record())
    paths = []
    for category, entries in by_category.items():
        path = folder / f"spots_{category}.json"
        lines = ",\n".join(json.dumps(entry) for entry in entries)
        path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        paths.append(path)
    return paths


def questions(
    chosen: Iterable[Spot], rules_options: dict[str, str], options: TextOptions, seed: int
) -> list[Question]:
    """A question for each spot; ``options`` name the persona."""
    return [
        Question(
            NAME,
            spot.id,
            GAME,
            rules := rules_for(spot.players, tuple(rules_options.items())),
            spot.states(rules),
            seed,
            spot.seat,
            options,
            spot.history,
            {"category": spot.category},
        )
        for spot in chosen
    ]
