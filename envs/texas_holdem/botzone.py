"""Matches recorded on Botzone (TexasHoldem2p), played again with the cards as recorded.

In a recording an action is -1 (fold), -2 (all-in), 0 (check or call) or the chips that the player
adds, and ``dealer`` is the seat with the button. Hands that ended early hold only the cards dealt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.texas_holdem.rules import ALL_IN, CALL, FOLD, begin_hand, highest


def set_hand(rules: Any, s: Any, button: int, hole: Any, board: Any) -> None:
    """Begin the hand that has just begun anew, with this button and these cards.

    Args:
        s: one record. hole: two cards of each seat. board: up to five cards; the rest of it is
            filled with other cards.
    """
    given = [*np.ravel(hole).tolist(), *board]
    rest = [card for card in range(52) if card not in given]
    s["stack"] += s["paid"]
    s["button"] = button
    s["hole"] = hole
    s["board"] = [*board, *rest][:5]
    begin_hand(rules, s)


def action_of(rules: Any, s: Any, recorded: int) -> int:
    """The action id of a recorded action of the seat to move."""
    if recorded == -1:
        return FOLD
    if recorded == 0:
        return CALL
    if recorded == -2:
        return int(highest(s)) + 1 if rules.chips else ALL_IN
    return int(s["bet"][s["player"]]) + recorded + 1


def replay(rules: Any, hands: list[dict[str, Any]]) -> Iterator[tuple[np.ndarray, int]]:
    """Play recorded hands from the first on, under ``judge="botzone", raises="chips"``.

    Yields:
        The states (1,), changed in place, before each recorded action, with the action's id, and
        once more at the end with -1.

    Raises:
        ValueError: a recorded action is not legal or not that of the seat to move, or a hand is
            longer or shorter than recorded.
    """
    states = core.new_states(rules)
    legal, probs = core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(0), probs)
    s = states[0]
    for k, hand in enumerate(hands):
        if s["over"] or s["hand"] != k:
            raise ValueError(f"hand {k} of the recording: {int(s['hand'])} hands are over here")
        set_hand(rules, s, hand["dealer"], hand["hole"], hand["board"])
        for recorded in hand["actions"]:
            action = action_of(rules, s, recorded["action"])
            n = core.legal_actions_at(rules, states, 0, legal)
            if s["hand"] != k or s["player"] != recorded["player"] or action not in legal[:n]:
                raise ValueError(f"hand {k} of the recording: {recorded} does not fit")
            yield states, action
            core.play_at(rules, states, 0, action, legal, probs)
    yield states, -1
