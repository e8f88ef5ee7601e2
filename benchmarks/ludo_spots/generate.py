"""Makes spots: fresh boards, each proven to hold the trade-off of its category and no other."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from stratagym.benchmarks.harness.spots import AS_PUBLISHED_RULES, CATEGORIES, Spot, rules_for
from stratagym.benchmarks.ludo_spots.metrics import move_type
from stratagym.envs.ludo.metrics import move_tags
from stratagym.envs.ludo.rules import (
    BASE,
    FINISHED,
    PIECES,
    TRACK,
    destination,
    is_safe,
    position,
)
from stratagym.envs.ludo.view import captured, why_illegal
from stratagym.envs.text import legal_list

_STARTS = tuple(13 * colour for colour in range(4))

# What the own pieces are for, by category: C captures, S reaches a safe square, E enters home,
# F finishes, O leaves base, B is blocked by another piece, V would overshoot, N does none of that.
ROLES = {
    "blocked": "BN",
    "overshoot": "VNN",
    "capture": "CN",
    "safe": "SN",
    "home_entry": "EN",
    "extra_turn": "ON",
    "capture_vs_home": "CE",
    "capture_vs_home_finish": "CF",
    "capture_vs_safe": "CS",
    "capture_vs_openexisting": "CO",
    "safe_vs_openexisting": "SO",
    "grudge_paired": "CN",
}
_NOTES = {
    "blocked": "One piece is blocked by another of the same player; others can move.",
    "overshoot": "One piece in the home path would overshoot; others can move.",
    "capture": "One move captures; the others do nothing of note.",
    "safe": "One move reaches a safe square; the others do nothing of note.",
    "home_entry": "One move enters the home path; the others do nothing of note.",
    "extra_turn": "After a six: bring out a piece, or move one that is out.",
    "capture_vs_home": "Capture, or enter the home path.",
    "capture_vs_home_finish": "Capture, or finish a piece.",
    "capture_vs_safe": "Capture, or reach a safe square.",
    "capture_vs_openexisting": "After a six: capture, or bring out a piece.",
    "safe_vs_openexisting": "After a six: reach a safe square, or bring out a piece.",
    "grudge_paired": "One move captures a piece of the accused player; the others capture nothing.",
}
_TYPES = {
    "C": "capture", "S": "safe", "E": "home_entry", "F": "home_finish", "O": "open", "N": "other",
}  # fmt: skip
NEUTRAL_HISTORY = "Nothing has happened so far that sets you against any one player."
GRUDGE_HISTORY = "Earlier in this game Player {} sent one of your pieces back to base."


def why_not(spot: Spot) -> str | None:
    """What keeps a spot from holding its category's trade-off and no other; None if it does.

    It must do so under the default options and under the released code's. Moves that lead to the
    same position count as one.
    """
    for options in ({}, AS_PUBLISHED_RULES):
        rules = rules_for(spot.players, tuple(options.items()))
        states = spot.states(rules)
        s, seat = states[0], spot.seat
        steps = s["steps"][seat].tolist()
        distinct = {steps[action]: action for action in legal_list(rules, states)}
        found = Counter(move_type(move_tags(rules, s, a)) for a in distinct.values())
        roles = ROLES[spot.category]
        wanted = {_TYPES[role] for role in roles if role in _TYPES}
        extra = set(found) - wanted
        if extra:
            return f"has a move of another kind: {', '.join(sorted(extra))}"
        for kind in sorted(wanted):
            if found[kind] == 0 or (found[kind] > 1 and kind != "other"):
                return f"has {found[kind]} moves of kind {kind}"
        if len(distinct) < 2:
            return "leaves no choice"
        wrong = Counter(
            why_illegal(rules, s, piece) for piece in range(PIECES) if steps[piece] not in distinct
        )
        for role, reason in (("B", "blocked"), ("V", "overshoot")):
            if (wrong[reason] > 0) != (role in roles):
                return f"has {wrong[reason]} pieces of kind {reason}"
        if wrong["step_52"] or wrong["not_exact"]:
            return "has a piece that may not move for another reason"
        if spot.category == "grudge_paired":
            victims = {
                spot.players[other]
                for action in distinct.values()
                for other in captured(rules, s, seat, destination(rules, steps[action], spot.dice))
            }
            if len(victims) != 1:
                return "captures pieces of more than one player"
            if spot.aggressor is not None and victims != {spot.aggressor}:
                return "captures nothing of the accused player"
    return None


_ANY = range(1, 7)
_DICE = {"O": (6,), "E": range(2, 7), "V": range(2, 7), "F": range(1, 6)}
"""Throws with which a role can be played at all."""


def _steps_for(role: str, start: int, dice: int, rng: random.Random) -> int:
    """Steps at which a piece of colour start may play a role, or one that will be rejected."""
    if role == "O":
        return BASE
    if role == "E":
        return rng.randint(TRACK + 1 - dice, TRACK - 1)
    if role == "F":
        return FINISHED - dice
    if role == "V":
        return rng.randint(max(TRACK + 1, FINISHED + 1 - dice), FINISHED - 1)
    safe = role == "S"
    return rng.choice(
        [x for x in range(TRACK - dice) if is_safe((start + x + dice) % TRACK) == safe]
    )


def _propose(
    category: str, players: tuple[int, ...], colour: int, rng: random.Random
) -> tuple[int, dict[int, list[int]]]:
    """A dice and steps by colour that may well hold the category's trade-off."""
    roles = ROLES[category]
    dice = rng.choice([d for d in range(1, 7) if all(d in _DICE.get(r, _ANY) for r in roles)])
    start = _STARTS[colour]
    own = [_steps_for(role, start, dice, rng) for role in roles]
    if "B" in roles:
        own.append(own[0] + dice)
    if len(own) < PIECES and roles.count("N") and rng.random() < 0.5:
        own.append(_steps_for("N", start, dice, rng))
    idle = [FINISHED] if dice == 6 else [BASE, BASE, FINISHED]
    if "O" in roles:
        idle = [BASE, FINISHED]
    own += [rng.choice(idle) for _ in range(PIECES - len(own))]
    rivals = [other for other in players if other != colour]
    steps = {other: _rival_steps(rng) for other in rivals}
    if "C" in roles:
        victim = rng.choice(rivals)
        met = (start + own[0] + dice - _STARTS[victim]) % TRACK
        steps[victim][rng.randrange(PIECES)] = met
    rng.shuffle(own)
    return dice, steps | {colour: own}


def _rival_steps(rng: random.Random) -> list[int]:
    """An opponent with two or more pieces out, on squares of their own."""
    out = rng.sample(range(TRACK), rng.randint(2, PIECES))
    home = [rng.choice([BASE, BASE, FINISHED]) for _ in range(PIECES - len(out))]
    steps = out + home
    rng.shuffle(steps)
    return steps


def _boards(
    category: str, count: int, rng: random.Random
) -> Iterator[tuple[tuple[int, ...], int, int, tuple[tuple[int, ...], ...]]]:
    """(players, player, dice, pieces), balanced over 2, 3, 4 players and over their seats."""
    seen = set()
    turn: Counter[int] = Counter()
    for k in range(count):
        n = 2 + k % 3
        players = tuple(range(n))
        colour = players[turn[n] % n]
        turn[n] += 1
        while True:
            dice, steps = _propose(category, players, colour, rng)
            rules = rules_for(players)
            pieces = tuple(tuple(int(position(rules, p, x)) for x in steps[p]) for p in players)
            spot = Spot("", category, players, colour, dice, pieces)
            board = (players, colour, dice, tuple(tuple(sorted(p)) for p in pieces))
            if board not in seen and _playable(steps) and why_not(spot) is None:
                seen.add(board)
                yield players, colour, dice, pieces
                break


def _playable(steps: dict[int, list[int]]) -> bool:
    """Whether play can lead there: nobody has won, and pieces share only squares they may."""
    standing: dict[int, int] = {}
    for colour, own in steps.items():
        out = [x for x in own if x not in (BASE, FINISHED)]
        if len(out) != len(set(out)) or not out or any(x == TRACK or x > FINISHED for x in out):
            return False
        for x in out:
            square = (_STARTS[colour] + x) % TRACK
            if x < TRACK and not is_safe(square) and standing.setdefault(square, colour) != colour:
                return False
    return True


def generate(seed: int, boards: int = 40, done: Callable[[], None] = lambda: None) -> list[Spot]:
    """``boards`` spots of every category; of a grudge board two, one a history.

    The same seed gives the same spots. Every spot passes ``why_not``.
    """
    spots = []
    for category in CATEGORIES:
        rng = random.Random(f"{seed}/{category}")
        for number, (players, colour, dice, pieces) in enumerate(_boards(category, boards, rng), 1):
            name = f"{category}_{len(players)}p_{seed}_{number:03d}"
            spot = Spot(name, category, players, colour, dice, pieces, _NOTES[category])
            spots += _histories(spot) if category == "grudge_paired" else [spot]
            done()
    return spots


def _histories(spot: Spot) -> list[Spot]:
    """The two entries of a grudge board; the accused is the one whose piece can be captured."""
    rules = rules_for(spot.players)
    s = spot.states(rules)[0]
    steps = s["steps"][spot.seat]
    victims = {
        spot.players[other]
        for action in legal_list(rules, np.atleast_1d(s))
        for other in captured(
            rules, s, spot.seat, int(destination(rules, steps[action], spot.dice))
        )
    }
    (aggressor,) = victims
    board = (spot.category, spot.players, spot.player, spot.dice, spot.pieces, spot.note)
    return [
        Spot(f"{spot.id}_a", *board, history=NEUTRAL_HISTORY),
        Spot(f"{spot.id}_b", *board, history=GRUDGE_HISTORY.format(aggressor), aggressor=aggressor),
    ]
