"""Go in SGF, ``GM[1]``."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.go.gtp import score
from stratagym.envs.go.rules import GOING, grid_of
from stratagym.envs.sgf import GO, GameRecord, move_on_square_board, result_of_score, seat_of_black

GAME = GO
_RULES = ("Tromp-Taylor without suicide", "area, situational superko", "area, simple ko")
"""What is said of the rules, by ``rules.ko``."""
_KO = ("positional", "situational", "simple")


def start(rules: Any) -> GameRecord:
    """A record without moves; handicap stones are set up."""
    states, (_, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(0), probs)
    black = [(int(x), int(y)) for y, x in np.argwhere(grid_of(rules, states[0]) == 0)]
    told = _RULES[rules.ko]
    if rules.max_length != _usual_length(rules.size):
        told += f", at most {rules.max_length} moves"
    record = GameRecord(GAME, rules.size, rules.size, komi=rules.komi, rules=told)
    record.stones = (black, [])
    if rules.handicap:
        record.more = {"HA": [str(rules.handicap)], "PL": ["W"]}
    return record


def options(record: GameRecord) -> dict[str, Any]:
    """The options of a record; 7.5 points for White where it does not say, positional superko
    where its rules are not ours."""
    if record.columns != record.rows:
        raise ValueError(f"sgf: no go on a board of {record.columns} x {record.rows}")
    rules, most = record.rules, 0
    if limited := re.fullmatch(r"(.*), at most ([0-9]{1,3}) moves", rules):
        rules, most = limited[1], int(limited[2])
    return {
        "size": record.columns,
        "komi": 7.5 if record.komi is None else record.komi,
        "ko": _KO[_RULES.index(rules)] if rules in _RULES else "positional",
        "handicap": len(record.stones[0]),
        "max_length": most,
    }


def _usual_length(size: int) -> int:
    """Decisions after which a game is stopped where no option says when."""
    return 2 * size * size


move, black = move_on_square_board, seat_of_black


def result(rules: Any, s: Any) -> str:
    """``B+3.5``, ``W+12.5``, ``Draw``, or nothing while the game goes on."""
    return "" if s["over"] == GOING else result_of_score(score(rules, s))
