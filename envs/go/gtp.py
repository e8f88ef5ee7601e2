"""Go over GTP, the Go Text Protocol, as GNU Go and others speak it."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from operator import and_
from typing import Any

from stratagym.envs.go.rules import GOING, HISTORY, POSITIONAL
from stratagym.envs.go.view import COLUMNS, area
from stratagym.envs.words import COLOURS


def why_not(rules: Any) -> str:
    """Why engines cannot play under these rules, or nothing."""
    return "" if rules.ko == POSITIONAL else "positions may come back, which engines do not take"


def setup(rules: Any, s: Any) -> list[str]:
    """Commands that give an engine the position.

    The stones of the oldest board that the record holds, then the moves since: so an engine knows
    what repeats one of these boards, but nothing of those before. Engines take the stones, too,
    for moves; those that still stand come last, so that no board before then is like a later one.
    """
    size = rules.size
    boards = _boards(rules, s)
    commands = [f"boardsize {size}", "clear_board", f"komi {rules.komi:g}"]
    for stands in (0, 1):
        for seat, colour in enumerate(COLOURS):
            always = reduce(and_, [stones[seat] for stones in boards])
            commands += [
                f"play {colour} {vertex(rules, action)}"
                for action in range(size * size)
                if boards[0][seat] >> action & 1 and always >> action & 1 == stands
            ]
    seat = int(s["player"]) ^ (len(boards) - 1) & 1
    for before, after in pairwise(boards):
        new = after[seat] & ~before[seat]
        action = new.bit_length() - 1 if new else size * size
        commands.append(f"play {COLOURS[seat]} {vertex(rules, action)}")
        seat = 1 - seat
    return commands


def _boards(rules: Any, s: Any) -> list[list[int]]:
    """The boards that the record holds, the oldest first: each seat's stones, an action a bit."""
    size, found = rules.size, []
    plies = int(s["plies"])
    for back in range(min(plies, HISTORY - 1), -1, -1):
        seats = []
        for words in s["boards"][(plies - back) % HISTORY].tolist():
            bits = sum(word << 64 * k for k, word in enumerate(words))
            rows = [bits >> row * (size + 1) & (1 << size) - 1 for row in range(size)]
            seats.append(sum(bits << row * size for row, bits in enumerate(rows)))
        found.append(seats)
    return found


def vertex(rules: Any, action: int) -> str:
    """What the protocol calls an action: ``D4``, or ``pass``."""
    row, column = divmod(action, rules.size)
    return "pass" if action == rules.size**2 else f"{COLUMNS[column]}{rules.size - row}"


def score(rules: Any, s: Any) -> str:
    """The result as it stands: ``B+3.5``, ``W+12.5`` or ``0``."""
    lead = (int(s["area"]) if s["over"] != GOING else area(rules, s)) - rules.komi
    return f"{'W' if lead < 0 else 'B'}+{abs(lead):g}" if lead else "0"
