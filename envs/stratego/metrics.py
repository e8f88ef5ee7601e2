"""What players of Stratego kept, lost and found out in recorded games.

CPR and TPCV are DSGBench's (arXiv:2503.06047, table 19): the share of critical pieces (colonels,
general, marshal) that a seat still has, and the sum of the numbers of its pieces from spy to
marshal, 148 at the start of classic. Here both are taken when the game is over; its released code
takes them at the seat's last own decision, so that the other side's last move is not counted. Both
readings are counted. Its table's words, "at the start of the game", would make TPCV a constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.counting import replay as replay
from stratagym.envs.stratego.boards import COLONEL, FLAG, KINDS, MARSHAL, MOST_PIECES, SCOUT
from stratagym.envs.stratego.dealing import count_of
from stratagym.envs.stratego.moves import cell_of, count_barred, moves_from
from stratagym.envs.stratego.repetition import CHASE, TWO_SQUARE
from stratagym.envs.stratego.rules import PLAYING, beats

COUNTS = (
    "decisions",
    "pieces",
    "critical",
    "value",
    "pieces_before",
    "critical_before",
    "value_before",
    "known",
    "attacks",
    "attacks_won",
    "attacks_lost",
    "attacks_on_unknown",
    "scouts_lost",
    "two_square_refused",
    "chase_refused",
    "flag_found",
)
"""What ``game_counts`` counts, by seat.

decisions: moves made, setting up apart. pieces, critical, value: of the seat's pieces on the board
at the end, how many, how many critical ones, and the sum of their numbers; ``..._before``: at the
seat's last own decision. known: enemy pieces on the board at the end whose kind it knows. attacks:
made; won, lost (the rest: both lost); on pieces whose kind it did not know. two_square_refused,
chase_refused: decisions in which the rule forbade a move that is legal otherwise. flag_found: the
move of both seats with which it took the flag, 0 if it did not.
"""


@njit(cache=True)
def _stock(s, seat, own, at):
    """Write how many pieces and critical pieces a seat has and their value to ``own[at:at+3]``."""
    pieces = critical = value = 0
    for k in range(MOST_PIECES):
        piece = MOST_PIECES * seat + k
        if s.pos[piece] < 0:
            continue
        kind = s.kind[piece]
        pieces += 1
        critical += COLONEL <= kind <= MARSHAL
        value += kind if kind < FLAG else 0
    own[at] = pieces
    own[at + 1] = critical
    own[at + 2] = value


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    if s.phase != PLAYING:
        return
    own = counts[seat]
    own[0] += 1
    _stock(s, seat, own, 4)
    own[13] += count_barred(rules, s, seat, TWO_SQUARE, 1)
    own[14] += s.chase[seat] >= 2 and count_barred(rules, s, seat, CHASE, 1) > 0
    source, target = moves_from(rules, action)
    piece = s.board[cell_of(rules, seat, source)] - 1
    other = s.board[cell_of(rules, seat, target)] - 1
    if other < 0:
        return
    result = beats(np.int64(s.kind[piece]), np.int64(s.kind[other]))
    own[8] += 1
    own[9] += result > 0
    own[10] += result < 0
    own[11] += s.shown[other] == 0
    own[12] += result <= 0 and s.kind[piece] == SCOUT
    counts[1 - seat, 12] += result >= 0 and s.kind[other] == SCOUT
    if s.kind[other] == FLAG:
        own[15] = s.ply + 1


@njit(cache=True)
def count_after(rules, s, seat, action, counts):
    for each in range(2):
        _stock(s, each, counts[each], 1)
        known = 0
        for k in range(MOST_PIECES):
            piece = MOST_PIECES * (1 - each) + k
            known += s.pos[piece] >= 0 and s.shown[piece] == 1
        counts[each, 7] = known


VALUE_OF = np.array([*range(FLAG), 0, 0])
"""What each kind adds to TPCV."""


def rates(rules: Any, counts: Any, as_published: bool = False) -> dict[str, np.ndarray]:
    """DSGBench's metrics and other rates of each game and seat.

    Args:
        counts: (..., len(COUNTS)), of games that are over. as_published: CPR, TPCV and the share
            of pieces at the seat's last own decision, as the released code takes them.

    Returns:
        Arrays (...,) float64 by name: ``cpr``, ``tpcv`` and ``tpcv_share`` (of the value at the
        start), ``tpcv_lead`` (minus the enemy's; the last but one axis has seats), ``alive``,
        ``known`` (of the enemy's pieces that are left), ``attacks_won`` and ``blind`` (of its
        attacks), nan without a case.
    """
    of = {name: np.asarray(counts, float)[..., k] for k, name in enumerate(COUNTS)}
    start = np.array([0, *(int(count_of.py_func(rules.pieces, k)) for k in range(1, KINDS + 1))])
    critical, value = start[COLONEL : MARSHAL + 1].sum(), (start * VALUE_OF).sum()
    when = "_before" if as_published else ""
    told = {
        "tpcv": of[f"value{when}"],
        "tpcv_share": of[f"value{when}"] / value,
        "tpcv_lead": of[f"value{when}"] - of[f"value{when}"][..., ::-1],
        "alive": of[f"pieces{when}"] / start.sum(),
    }
    with np.errstate(invalid="ignore", divide="ignore"):
        told["cpr"] = of[f"critical{when}"] / critical
        told["known"] = of["known"] / of["pieces"][..., ::-1]
        told["attacks_won"] = of["attacks_won"] / of["attacks"]
        told["blind"] = of["attacks_on_unknown"] / of["attacks"]
    return told
