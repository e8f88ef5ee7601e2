"""What DIAMBRA's engine tells of Street Fighter III, as a position of ``street_fighter``.

The engine tells health, rounds won, sides, meter, stun, time and the picture, and not where the
fighters stand or what they do. Between two tellings the record therefore goes on by our own rules
with the inputs that were given, and then everything that was told is written over it. Of an
opponent inside the engine no inputs are known: it counts as giving none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from stratagym.envs import core, spec
from stratagym.envs.street_fighter.metrics import RESULTS, count_end, measures
from stratagym.envs.street_fighter.moves import IS_STRONG
from stratagym.envs.street_fighter.rules import STOCK, play_frames
from stratagym.envs.street_fighter.stage import (
    DIZZY,
    DIZZY_FRAMES,
    HEALTH,
    MOST_METER,
    ROUND_FRAMES,
    STAND,
    STUN_FULL,
    WALLS,
    is_free,
)

GAME = spec("street_fighter")
PLAYERS = "P1", "P2"
COMMON = "stage", "timer"
OWN = (
    "side", "wins", "character", "health", "super_bar", "super_count", "super_max_count",
    "super_type", "stun_bar", "stunned",
)  # fmt: skip
"""What is told of each player."""
Locate = Callable[[np.ndarray], Sequence[float | None]]
"""From a picture, (height, width, 3) uint8, the x of both fighters in pixels of 384, or None."""
_KEPT = (
    "turn", "meter", "lost", "begun", "landed", "strong", "strong_landed", "rounds_health",
    "rounds_frames", "round", "wins", "events",
)  # fmt: skip
"""What a new round keeps of the record."""
_SECOND = 60


def numbers(told: Mapping[str, Any]) -> dict[str, Any]:
    """What is told but the picture, as plain numbers.

    Raises:
        KeyError: something is not told.
    """

    def one(value: Any) -> int:
        return int(np.ravel(value)[0])

    found: dict[str, Any] = {key: one(told[key]) for key in COMMON}
    for player in PLAYERS:
        found[player] = {key: one(told[player][key]) for key in OWN}
    return found


def by_colour(
    colours: Sequence[Sequence[int]], within: float = 1.0, rows: tuple[int, int] = (80, 200)
) -> Locate:
    """A ``locate`` that takes the middle of the pixels of a colour, one for each fighter.

    Args:
        colours: (2, 3), red, green, blue. within: Euclidean distance of colours. rows: looked at.
    """
    wanted = np.asarray(colours, float)

    def locate(frame: np.ndarray) -> list[float | None]:
        seen = frame[slice(*rows)].astype(float)
        found: list[float | None] = []
        for colour in wanted:
            columns = (np.linalg.norm(seen - colour, axis=2) <= within).nonzero()[1]
            found.append(float(columns.mean()) * 384 / frame.shape[1] if len(columns) else None)
        return found

    return locate


class Recorder:
    """Keeps the record of a match.

    Attributes:
        rules: of the record. states: (1,) the position. told: the last numbers told.
    """

    def __init__(self, rules: Any, locate: Locate | None = None):
        self.rules, self.locate = rules, locate
        self.states = core.new_states(rules)
        self.told: dict[str, Any] = {}

    def begin(self, told: Mapping[str, Any], seed: int = 0) -> None:
        """Begin a match with what was told at its start; by ``seed`` scripted players draw."""
        self._seed = np.uint64(seed)
        self._start()
        self._write(told)

    def _start(self) -> None:
        core.start_at(self.rules, self.states, 0, self._seed, core.new_scratch(self.rules)[1])

    def follow(
        self,
        told: Mapping[str, Any],
        inputs: tuple[int, int],
        ahead: float,
        ends: tuple[bool, bool],
    ) -> None:
        """Take a decision with what was told after it.

        Args:
            inputs: of both players. ahead: the reward, how the health of the first less that of
                the second changed. ends: whether the round and the match are over.
        """
        s = self.states[0]
        before = s["health"].astype(int)
        counted = {name: s[name].copy() for name in ("landed", "strong_landed", "lost")}
        play_frames(self.rules, s, *inputs, self.rules.frames)
        s["turn"] += 1
        now = numbers(told)
        health = np.array([max(0, now[player]["health"]) for player in PLAYERS])
        is_round_over = any(ends)
        if is_round_over and (health > before).any():
            health = _at_the_end(before, ahead)  # what was told is the next round's
        lost = np.maximum(0, before - health)
        for name, value in counted.items():
            s[name] = value
        s["lost"] += lost.astype(s["lost"].dtype)
        for i in range(2):
            hit = lost[1 - i] > 0 and not s["events"][1 - i, 1]
            s["events"][1 - i, 0] = hit
            s["landed"][i] += hit
            s["strong_landed"][i] += hit and IS_STRONG[s["did"][i]]
        s["begun"] = np.maximum(s["begun"], s["landed"])
        s["strong"] = np.maximum(s["strong"], s["strong_landed"])
        s["health"] = health
        if is_round_over:
            self._end_round(now, before[0] - before[1] + ahead, ends[1])
        if not s["over"]:
            self._write(told)

    def _end_round(self, now: Mapping[str, Any], ahead: float, is_over: bool) -> None:
        """Give the round to who is told to have won it, else to who has more health."""
        s = self.states[0]
        told = [min(2, now[player]["wins"]) for player in PLAYERS]
        rose = [one > own for one, own in zip(told, s["wins"].tolist(), strict=True)]
        if not any(rose):
            rose = [ahead >= 0, ahead <= 0]
        s["wins"] = np.minimum(2, s["wins"] + rose)
        k = min(2, int(s["round"]))
        s["rounds_health"][k], s["rounds_frames"][k] = s["health"], max(1, int(s["clock"]))
        s["round"] = k + 1
        if is_over or s["wins"].max() >= self.rules.needed == 1:
            s["over"] = 1
            return
        kept = {name: s[name].copy() for name in _KEPT}
        self._start()
        for name, value in kept.items():
            s[name] = value

    def _write(self, told: Mapping[str, Any]) -> None:
        """Write what was told over the record."""
        s, now = self.states[0], numbers(told)
        self.told = now
        gone = 99 - now["timer"]
        if int(s["clock"]) // _SECOND != gone:
            s["clock"] = gone * _SECOND
        s["clock"] = min(int(s["clock"]), ROUND_FRAMES - 1)
        for i, player in enumerate(PLAYERS):
            own = now[player]
            s["health"][i] = min(HEALTH, max(0, own["health"]))
            s["wins"][i] = max(int(s["wins"][i]), min(2, own["wins"]))
            s["stun"][i] = min(STUN_FULL, own["stun_bar"])
            s["meter"][i] = min(
                MOST_METER, own["super_count"] * STOCK + min(STOCK - 1, own["super_bar"])
            )
            if own["stunned"] and s["stance"][i] != DIZZY:
                s["stance"][i], s["left"][i], s["move"][i] = DIZZY, DIZZY_FRAMES, 0
            elif not own["stunned"] and s["stance"][i] == DIZZY:
                s["stance"][i], s["left"][i] = STAND, 0
        self._place(told, 1 if now["P1"]["side"] else -1)

    def _place(self, told: Mapping[str, Any], side: int) -> None:
        """Put the fighters where the picture shows them, at least on the sides that were told.

        Args:
            side: -1 where the first player is on the left, 1 where it is on the right.
        """
        s = self.states[0]
        if self.locate is not None:
            for i, x in enumerate(self.locate(told["frame"])):
                if x is not None:
                    s["x"][i] = int(np.clip(round(2 * x), *WALLS))
        if (int(s["x"][0]) - int(s["x"][1])) * side < 0:
            s["x"] = s["x"][::-1].copy()
        if s["side"] != side:
            s["side"] = side
            for i in range(2):
                if is_free(s, i):
                    s["facing"][i] = -side if i == 0 else side

    def measures(self, seat: int) -> dict[str, Any]:
        """DSGBench's AHR, SMHR and HCR of a player so far."""
        results = np.zeros(len(RESULTS), np.int64)
        count_end(self.rules, self.states[0], results)
        return {name.upper(): value for name, value in measures(results, seat).items()}


def _at_the_end(before: np.ndarray, ahead: float) -> np.ndarray:
    """Both healths at a knock-out, of which only their difference is known."""
    lead = before[0] - before[1] + ahead
    return np.clip([lead, -lead], 0, before).astype(int)
