"""Players that look one move ahead: greedy, evaluator, and evaluator with beliefs.

Without progress a game is drawn, so that all of them attack unknown pieces and go forward the more
eagerly, the longer nobody has attacked.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.stratego.knowledge import (
    VALUES,
    by_homes,
    by_numbers,
    chance,
    key_of,
    known_at,
    list_known,
    size,
)
from stratagym.envs.core import mix64
from stratagym.envs.stratego.boards import FLAG, KINDS, MOST_PIECES, SCOUT
from stratagym.envs.stratego.dealing import count_of, total_of
from stratagym.envs.stratego.moves import cell_of, moves_from
from stratagym.envs.stratego.repetition import beside
from stratagym.envs.stratego.rules import PLACING, beats, first_placing
from stratagym.envs.stratego.setups import HUMAN_COUNTS

GREEDY, EVALUATOR, BELIEF = 0, 1, 2
(
    SHOWING, DANGER, UNKNOWN_DANGER, LONG_MOVE, BACK, PREY, FORWARD, IMPATIENCE, EAGER, FLAG_WORTH,
    RISK,
) = range(11)  # fmt: skip
"""What a style weighs: shares of a piece's value for being known, for standing next to a stronger
piece, and next to an unknown one that moves; a scout's long move, a move back, nearness to prey, a
row forward; what an attack on the unknown and a row forward gain with each ply without an attack;
the flag in attacks on the unknown, and the weight of what is lost in them."""
STYLES = np.array(
    [
        [0.15, 0.8, 0.1, 8.0, 15.0, 3.0, 1.5, 0.6, 0.03, 3000.0, 1.0],
        [0.15, 0.8, 0.1, 8.0, 15.0, 3.0, 1.5, 0.6, 0.03, 3000.0, 1.0],
        [0.25, 0.8, 0.0, 8.0, 20.0, 3.0, 3.0, 0.45, 0.1, 1000.0, 0.6],
    ]
)
"""The weights of greedy, evaluator and belief; the last by climbing against the evaluator."""
_UNKNOWN = 5.0
_WIN = 1e6


@njit(cache=True)
def noise(key, k):
    """A number from 0 to 1 for number ``k`` of a choice."""
    return float(mix64(key + np.uint64(k)) >> np.uint64(40)) / float(1 << 24)


@njit(cache=True)
def choose(rules, s, legal, n, which):
    """The action of a player; the end of ``legal`` is its memory."""
    return decide(rules, s, legal, n, which, which == BELIEF)


@njit(cache=True)
def decide(rules, s, legal, n, which, homes):
    """The same with beliefs by ``homes`` or, which is quicker, by numbers alone."""
    seat = np.int64(s.player)
    key = key_of(s)
    if s.phase == PLACING:
        return place(rules, s, legal, n, key)
    memory = legal[legal.shape[0] - size(rules) :]
    if which != GREEDY:
        list_known(rules, s, 1 - seat, memory)
        if homes:
            by_homes(rules, s, 1 - seat, memory)
        else:
            by_numbers(s, 1 - seat, memory)
    return best_move(rules, s, seat, legal, n, which == GREEDY, STYLES[which], memory, key)


@njit(cache=True)
def best_move(rules, s, seat, legal, n, greedy, style, memory, key):
    """The move of highest worth to a style, ties by ``key``."""
    best, chosen = -1e18, np.int64(legal[0])
    for k in range(n):
        action = np.int64(legal[k])
        if greedy:
            score = _greedy(rules, s, seat, action, style)
        else:
            score = worth(rules, s, seat, action, style, memory)
        score += noise(key, k)
        if score > best:
            best, chosen = score, action
    return chosen


@njit(cache=True)
def exchange(kind, enemy):
    """What an attack is worth to the attacker, both kinds known."""
    if enemy == FLAG:
        return _WIN
    result = beats(kind, enemy)
    gained = VALUES[enemy] if result >= 0 else 0.0
    return gained - (VALUES[kind] if result <= 0 else 0.0)


@njit(cache=True)
def _advance(rules, s, source, target, style):
    """What rows nearer to the enemy are worth, more if nobody has attacked for long."""
    rows = target // rules.columns - source // rules.columns
    return (style[FORWARD] + style[EAGER] * s.since) * rows


@njit(cache=True)
def _greedy(rules, s, seat, action, style):
    """A move's worth to the greedy player: what it takes for sure, else forward."""
    source, target = moves_from(rules, action)
    piece = np.int64(s.board[cell_of(rules, seat, source)]) - 1
    other = np.int64(s.board[cell_of(rules, seat, target)]) - 1
    score = _advance(rules, s, source, target, style)
    if other < 0:
        return score
    if s.shown[other]:
        return score + exchange(np.int64(s.kind[piece]), np.int64(s.kind[other]))
    return score + _UNKNOWN + style[IMPATIENCE] * s.since


@njit(cache=True)
def danger(rules, s, seat, cell, kind, without, style):
    """What a piece may lose on an absolute cell, by its neighbours; ``without`` one of them."""
    row, column = cell // rules.columns, cell % rules.columns
    worst = 0.0
    for way in range(4):
        at = -1
        if way == 0 and row > 0:
            at = cell - rules.columns
        elif way == 1 and row < rules.rows - 1:
            at = cell + rules.columns
        elif way == 2 and column > 0:
            at = cell - 1
        elif way == 3 and column < rules.columns - 1:
            at = cell + 1
        if at < 0 or at == without:
            continue
        piece = np.int64(s.board[at]) - 1
        if piece < 0 or (piece >= MOST_PIECES) == (seat == 1):
            continue
        if s.shown[piece]:
            enemy = np.int64(s.kind[piece])
            if enemy < FLAG and beats(enemy, kind) > 0:
                worst = max(worst, style[DANGER] * VALUES[kind])
        elif s.moved[piece]:
            worst = max(worst, style[UNKNOWN_DANGER] * VALUES[kind])
    return worst


@njit(cache=True)
def _prey(rules, kind, start, end, memory):
    """How much nearer a move between absolute cells brings a piece to what it can take."""
    best_now, best_then = 0.0, 0.0
    row, column = start // rules.columns, start % rules.columns
    to_row, to_column = end // rules.columns, end % rules.columns
    at = known_at(rules)
    for k in range(memory[at]):
        known = memory[at + 1 + k]
        enemy = known & 255
        if enemy == FLAG or beats(kind, enemy) <= 0:
            continue
        there, across, dear = known >> 16, known >> 8 & 255, 0.3 + VALUES[enemy] / 150.0
        best_now = max(best_now, dear * max(0, 10 - abs(there - row) - abs(across - column)))
        best_then = max(
            best_then, dear * max(0, 10 - abs(there - to_row) - abs(across - to_column))
        )
    return best_then - best_now


@njit(cache=True)
def expected(kind, other, style, memory):
    """What an attack on a hidden piece is worth on average, by the chances in ``memory``."""
    gained, lost = chance(memory, other, FLAG) * style[FLAG_WORTH], 0.0
    for enemy in range(1, KINDS + 1):
        share = chance(memory, other, enemy)
        if share > 0.0 and enemy != FLAG:
            result = beats(kind, enemy)
            gained += share * VALUES[enemy] if result >= 0 else 0.0
            lost += share * VALUES[kind] if result <= 0 else 0.0
    return gained - style[RISK] * lost


@njit(cache=True)
def worth(rules, s, seat, action, style, memory):
    """A move's worth to a player that weighs as ``style`` says."""
    source, target = moves_from(rules, action)
    start, end = cell_of(rules, seat, source), cell_of(rules, seat, target)
    piece = np.int64(s.board[start]) - 1
    other = np.int64(s.board[end]) - 1
    kind, score = np.int64(s.kind[piece]), _advance(rules, s, source, target, style)
    score += danger(rules, s, seat, start, kind, -1, style)
    score -= danger(rules, s, seat, end, kind, end, style)
    if other >= 0:
        if s.shown[other]:
            score += exchange(kind, np.int64(s.kind[other]))
        else:
            score += expected(kind, other, style, memory) + style[IMPATIENCE] * s.since
        return score if s.shown[piece] else score - style[SHOWING] * VALUES[kind]
    if kind == SCOUT and not s.shown[piece] and not beside(rules, start, end):
        score -= style[LONG_MOVE]
    if s.last[seat, 1] == start and s.last[seat, 0] == end:
        score -= style[BACK]
    return score + style[PREY] * _prey(rules, kind, start, end, memory)


@njit(cache=True)
def place(rules, s, legal, n, key):
    """The kind that goes onto the next home cell: drawn as people set up, cell by cell."""
    first, home = first_placing(rules), rules.home_rows * rules.columns
    cell, left = np.int64(s.cell), s.left
    free = home - cell - total_of(left)
    total = 0.0
    for k in range(n):
        total += _weight(rules, left, free, np.int64(legal[k]) - first, cell, home)
    drawn = noise(key, cell) * total
    for k in range(n):
        drawn -= _weight(rules, left, free, np.int64(legal[k]) - first, cell, home)
        if drawn < 0.0:
            return np.int64(legal[k])
    return np.int64(legal[n - 1])


@njit(cache=True)
def _weight(rules, left, free, kind, cell, home):
    """How likely a kind goes onto a home cell, of those from this one on."""
    if kind == 0:
        return float(free) / (home - cell)
    count = count_of(left, kind)
    if rules.humans < 0:
        return float(count) / (home - cell)
    here, rest = HUMAN_COUNTS[rules.humans, kind, cell] + 1e-9, 0.0
    for other in range(cell, home):
        rest += HUMAN_COUNTS[rules.humans, kind, other] + 1e-9
    return min(1.0, count * here / rest)
