"""DSGBench's metrics of a game on the real Freeciv server, by what the server itself wrote.

The server's score log tells the counters of every player turn by turn, a saved game the map.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from stratagym.envs.civilization.metrics import COUNTS, measures

LOG = "freeciv-score.log"
AREA = 1000
"""The server's areas of a tile."""
SEA = ("Ocean", "Deep Ocean", "Lake", "Inaccessible")
COUNTED = "bnp", "cities", "techs", "munits", "landarea", "settledarea", "unitskilled", "unitslost"
"""The server's counters that the metrics are made of."""
LASTING = "techs", "unitsbuilt", "unitskilled", "unitslost"
"""Those that a player keeps when it has died; of the others it has none."""


def read_scores(text: str) -> tuple[int, dict[int, dict[str, int]]]:
    """(turn, counters by name of each player by its number) of the last turn in a score log.

    A player that died before has what it had last of the counters that last, and 0 of the others.

    Raises:
        ValueError: a line that is none of a score log.
    """
    names: dict[str, str] = {}
    turn = 0
    last: dict[int, int] = {}
    found: dict[int, dict[str, int]] = {}
    for line in text.splitlines():
        kind, *rest = line.split()[:6] or ["#"]
        if kind == "tag" and len(rest) >= 2:
            names[rest[0]] = rest[1]
        elif kind == "data" and len(rest) == 4:
            try:
                at, player, value = int(rest[0]), int(rest[2]), int(rest[3])
            except ValueError:
                raise ValueError(f"the score log has {line!r}") from None
            turn = last[player] = at
            found.setdefault(player, {})[names.get(rest[1], rest[1])] = value
    for player, counters in found.items():
        if last[player] < turn:
            counters.update((name, 0) for name in counters if name not in LASTING)
    return turn, found


def land_of(save: str) -> int:
    """Tiles of the world that are no sea, of a saved game as text.

    Raises:
        ValueError: it has no map.
    """
    letters = dict(re.findall(r'^"([^"]+)","(.)"$', save, re.MULTILINE))
    rows = re.findall(r'^t\d{4}="([^"]*)"$', save, re.MULTILINE)
    if not rows or "Ocean" not in letters:
        raise ValueError("the saved game has no map")
    sea = {letters[name] for name in SEA if name in letters}
    return sum(letter not in sea for row in rows for letter in row)


def dsgbench(
    turn: int, scores: Mapping[str, int], land: int, techs: int, as_published: bool = False
) -> dict[str, Any]:
    """EGR, CER, TRP, LUR and MGR of a player, as ``civilization`` has them.

    Args:
        turn: that was reached. scores: its counters. land: of the world. techs: of the ruleset.

    Raises:
        ValueError: a counter is not there.
    """
    missing = [name for name in COUNTED if name not in scores]
    if missing:
        raise ValueError(f"the score log has no {', '.join(missing)} of the player")
    counts = {name: scores.get(name, 0) for name in COUNTS} | {"turns": turn, "land": land}
    for name in ("landarea", "settledarea"):
        counts[name] //= AREA
    return measures(np.array([counts[name] for name in COUNTS]), as_published, techs)
