"""Games recorded on Botzone (ChineseStandardMahjong), played again with the walls as recorded.

A recording holds what happened: draws, discards and claims that won. Who was asked besides passed,
or claimed what lost: which of the two cannot be seen, and makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.mcr_mahjong.rules import deal_walls
from stratagym.envs.mcr_mahjong.table import (
    AN_GANG,
    BU_GANG,
    CLAIM,
    GANG,
    HU,
    PASS,
    PENG,
    PLAY,
    ROB,
    chow_action,
)
from stratagym.envs.mcr_mahjong.tiles import NUMBERS


def set_walls(rules: Any, states: np.ndarray, walls: Any, wind: int) -> None:
    """Begin hand 0 in ``states[0]`` with these walls, each seat's in the order it is drawn.

    Args:
        rules: with ``wall="duplicate"``. walls: (4, 34) tiles, 0-33. wind: the prevailing one, 0-3.
    """
    deal_walls(rules, states, 0, np.asarray(walls, np.int8).ravel(), wind)


def tiles_of(walls: Sequence[Sequence[str]]) -> list[list[int]]:
    """Walls of words as walls of numbers."""
    return [[NUMBERS[tile] for tile in wall] for wall in walls]


def action_of(move: dict[str, Any]) -> int:
    """The action of a recorded claim, kong or win, or the discard of a recorded ``PLAY``."""
    kind = move["action"]
    if kind == "HU":
        return HU
    tile = NUMBERS[move["tile"]]
    if kind == "CHI":
        return int(chow_action(NUMBERS[move["claimed"]], tile))
    if kind == "GANG" and move.get("concealed"):
        return AN_GANG + tile
    return {"PLAY": PLAY, "PENG": PENG, "GANG": GANG, "BUGANG": BU_GANG}[kind] + tile


def replay(
    rules: Any, walls: Any, wind: int, moves: Sequence[dict[str, Any]]
) -> Iterator[tuple[np.ndarray, int]]:
    """Play a recorded hand from its walls.

    Yields:
        The states (1,), changed in place, before each action, with the action's id, and once more
        at the end with -1.

    Raises:
        ValueError: a recorded move is not legal, not that of the seat to move, or a tile drawn is
            another one.
    """
    states = core.new_states(rules)
    scratch = core.new_scratch(rules)
    legal, s = scratch[0], states[0]
    set_walls(rules, states, walls, wind)

    def play(action: int, move: Any) -> None:
        n = core.legal_actions_at(rules, states, 0, legal)
        if core.current_player_at(rules, states, 0) < 0 or action not in legal[:n]:
            raise ValueError(f"{move} does not fit")
        core.play_at(rules, states, 0, action, *scratch)

    for move in moves:
        kind, seat = move["action"], move["player"]
        claims = kind in ("CHI", "PENG") or (s["phase"] in (CLAIM, ROB) and kind in ("GANG", "HU"))
        while s["phase"] in (CLAIM, ROB) and not (claims and s["player"] == seat):
            yield states, PASS
            play(PASS, move)
        if s["player"] != seat:
            raise ValueError(f"{move}: seat {int(s['player'])} is to move")
        if kind == "DRAW":
            if s["drawn_tile"] != NUMBERS[move["tile"]]:
                raise ValueError(f"{move}: tile {int(s['drawn_tile'])} was drawn")
            continue
        action = action_of(move)
        yield states, action
        play(action, move)
        if claims and kind != "HU":
            while s["phase"] in (CLAIM, ROB):
                yield states, PASS
                play(PASS, move)
        if "discard" in move:
            action = PLAY + NUMBERS[move["discard"]]
            yield states, action
            play(action, move)
    while s["phase"] in (CLAIM, ROB):
        yield states, PASS
        play(PASS, "the end")
    yield states, -1
