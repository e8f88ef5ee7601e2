"""Positions of gomoku, set up by the names of cells."""

from __future__ import annotations

import numpy as np

from stratagym.envs import core, spec

GAME = spec("gomoku")
RULES = GAME.make_rules()
RENJU = GAME.make_rules(line="renju")


def mnk(columns, rows, connect, **options):
    return GAME.make_rules(columns=columns, rows=rows, connect=connect, **options)


def cells(text, rules=RULES):
    """Actions of cells such as ``h8``, rows from the bottom."""
    return [
        (rules.rows - int(name[1:])) * rules.columns + "abcdefghijklmnopqrs".index(name[0])
        for name in text.split()
    ]


def in_turn(black, white, rules=RULES):
    """Actions that set up stones, black and white in turn; far away ones fill up."""
    black, white = cells(black, rules), cells(white, rules)
    assert len(black) - len(white) in (0, 1)
    moves = [cell for pair in zip(black, white, strict=False) for cell in pair]
    return moves + black[len(white) :]


def play_all(rules, moves):
    """The state after moves, and the seat to move."""
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    player = core.start_at(rules, states, 0, np.uint64(0), probs)
    for action in moves:
        n = core.legal_actions_at(rules, states, 0, legal)
        assert player >= 0 and action in legal[:n]
        player, _ = core.play_at(rules, states, 0, action, legal, probs)
    return states, player


def legal_cells(rules, states):
    legal, _ = core.new_scratch(rules)
    return legal[: core.legal_actions_at(rules, states, 0, legal)].tolist()
