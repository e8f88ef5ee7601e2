"""What a seat of Stratego may know: what is drawn anew, and what it sees."""

from __future__ import annotations

import itertools
from collections import Counter
from math import erfc, sqrt

import numpy as np
import pytest

from stratagym.envs import core, prompts, spec
from stratagym.envs.stratego import rules as kernel
from stratagym.envs.stratego.boards import BOMB, FLAG, SCOUT
from stratagym.envs.stratego.notation import action_of, position
from stratagym.testing import RandomGame

GAME = spec("stratego")
RULES = GAME.make_rules(setup="random")


def chi_square_tail(counts, expected):
    """How likely a chi-square this large is at least, by the limit of Wilson and Hilferty."""
    free = len(counts) - 1
    value = ((np.asarray(counts) - expected) ** 2 / expected).sum()
    z = ((value / free) ** (1 / 3) - (1 - 2 / (9 * free))) / sqrt(2 / (9 * free))
    return 0.5 * erfc(z / sqrt(2))


CASES = {
    "one moved": (RULES, {90: FLAG, 91: BOMB, 80: BOMB, 81: 5, 70: 5, 71: SCOUT, 60: 9}, {60}, {}),
    "two moved, one public": (
        RULES, {90: FLAG, 91: BOMB, 92: 3, 93: 4, 84: 7, 85: 8, 86: BOMB}, {84, 85}, {86},
    ),
    "flag on two rows": (
        RULES._replace(back_two=1), {95: FLAG, 85: BOMB, 75: 4, 65: 4, 66: 10, 67: BOMB}, {66}, {},
    ),
}  # fmt: skip
"""(rules, seat 1's kinds by cell, the cells of those that moved, of those that are public)."""


def thoughts(rules, kinds, moved, public):
    """All assignments that seat 0 may think of, as tuples of kinds in the cells' order."""
    cells = sorted(set(kinds) - set(public))
    found = set()
    for order in itertools.permutations([kinds[cell] for cell in cells]):
        fits = True
        for cell, kind in zip(cells, order, strict=True):
            fits &= not (cell in moved and kind >= FLAG)
            fits &= not (rules.back_two and kind == FLAG and cell < 80)
        if fits:
            found.add(order)
    return cells, sorted(found)


@pytest.mark.parametrize("case", CASES)
def test_what_is_hidden_is_drawn_uniformly(case, seed):
    """20,000 draws over all that agrees: chi-square, which fails once in ten million runs."""
    rules, kinds, moved, public = CASES[case]
    pieces = [(1, kind, cell) for cell, kind in kinds.items()]
    states = position(rules, [*pieces, (0, 4, 0), (0, FLAG, 9)])
    numbers = {cell: int(states["board"][0, cell]) - 1 for cell in kinds}
    for cell in moved:
        states["moved"][0, numbers[cell]] = 1
    for cell in public:
        states["shown"][0, numbers[cell]] = 1
    cells, wanted = thoughts(rules, kinds, moved, public)
    hidden = [numbers[cell] for cell in cells]
    drawn = Counter()
    for k in range(20_000):
        twin = states.copy()
        one = core.derive_seed(np.uint64(seed), np.uint64(k))
        core.determinize_at(rules, twin, 0, 0, np.uint64(one))
        drawn[tuple(twin["kind"][0, hidden].tolist())] += 1
        assert all(twin["kind"][0, numbers[cell]] == kinds[cell] for cell in public)
    assert set(drawn) <= set(wanted)
    counts = [drawn[one] for one in wanted]
    assert chi_square_tail(counts, 20_000 / len(wanted)) > 1e-7


def test_a_half_finished_setup_is_drawn_uniformly(seed):
    """Of five kinds the three that are placed already: 60 orders, uniformly."""
    rules = GAME.make_rules(board="five")
    first = int(kernel.first_placing(rules))
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(seed), probs)
    for kind in (FLAG, 5, 4):
        core.play_at(rules, states, 0, first + kind, legal, probs)
    drawn = Counter()
    for k in range(12_000):
        twin = states.copy()
        one = core.derive_seed(np.uint64(seed), np.uint64(k))
        core.determinize_at(rules, twin, 0, 1, np.uint64(one))
        drawn[tuple(twin["kind"][0, :3].tolist())] += 1
        left = core.legal_actions_at(rules, twin, 0, legal)
        kinds = {int(a) - first for a in legal[:left]}
        assert kinds == {4, 5, 6, 7, FLAG} - set(drawn_last := twin["kind"][0, :3].tolist())
        assert len(set(drawn_last)) == 3
    assert len(drawn) == 60 and chi_square_tail(list(drawn.values()), 200) > 1e-7


@pytest.mark.parametrize("options", [
    {"board": "barrage"}, {"board": "barrage8", "setup": "random", "two_square": "stratego_env"},
    {"board": "six", "two_square": "five", "flag_rows": "back_two"},
    {"setup": "human", "flag_rows": "back_two", "chase": "none"}, {"setup": "scene"},
])  # fmt: skip
def test_nothing_hidden_shows(options, seed):
    """Hidden kinds drawn anew change no tensor, no mask, no prompt and nothing that agrees."""
    rules, view = GAME.make_rules(**options), GAME.module("view")
    played = RandomGame(rules, seed)
    for at in played.some(60):
        state, mover = played.states[at], played.players[at]
        for seat in range(2):
            twin = state.copy()
            core.determinize_at(rules, twin, 0, seat, np.uint64(seed + at))
            one, other = state[0], twin[0]
            seen = [played.observation(s, seat) for s in (state, twin)]
            assert np.array_equal(*seen)
            assert view.seat_text(rules, one, seat) == view.seat_text(rules, other, seat)
            own = slice(40 * seat, 40 * seat + 40)
            assert np.array_equal(one["kind"][own], other["kind"][own])
            if seat == mover:
                legal = [prompts.legal_list(rules, s) for s in (state, twin)]
                assert legal[0] == legal[1]
            if one["phase"] == kernel.PLAYING:
                kinds = [np.bincount(s["kind"], minlength=13).tolist() for s in (one, other)]
                assert kinds[0] == kinds[1] and np.array_equal(one["pos"], other["pos"])
                still = (other["kind"] >= FLAG) & (other["pos"] >= 0)
                assert not other["moved"][still].any()


def test_planes_by_hand():
    """Every plane of a position with attacks, long moves and hidden pieces on both sides."""
    rules = GAME.make_rules(setup="random", max_moves=100, no_attack=50)
    pieces = [(0, SCOUT, 30), (0, 6, 34), (0, FLAG, 5), (0, BOMB, 4), (1, 4, 64), (1, 7, 99),
              (1, FLAG, 90), (1, SCOUT, 68)]  # fmt: skip
    states, (legal, probs) = position(rules, pieces), core.new_scratch(rules)
    for start, end in ((30, 60), (99, 98), (34, 44), (64, 54), (44, 54), (68, 38)):
        seat = int(states["player"][0])
        core.play_at(rules, states, 0, action_of(rules, seat, start, end), legal, probs)
    out = np.full((73, 10, 10), 77, np.int8)

    def cells(plane, value=1):
        return {10 * r + c for r, c in np.argwhere(out[plane] == value).tolist()}

    for seat in range(2):
        core.observe_at(rules, states, 0, seat, out)

        def at(*found, seat=seat):
            return {99 - cell if seat else cell for cell in found}

        own = ({SCOUT: 60, 6: 54, FLAG: 5, BOMB: 4}, {7: 98, FLAG: 90, SCOUT: 38})
        for kind in range(1, 13):
            assert cells(kind - 1) == at(*[own[seat][k] for k in own[seat] if k == kind])
        public = ({SCOUT: 60, 6: 54}, {SCOUT: 38})[1 - seat]
        for kind in range(1, 13):
            assert cells(11 + kind) == at(*[public[k] for k in public if k == kind])
        assert cells(24) == at(*((), (98,))[1 - seat])
        assert cells(25) == at(*((5, 4), (90,))[1 - seat])
        assert cells(26) == at(*((60, 54), (38,))[seat])
        assert cells(27) == at(*((60, 54), (98, 38))[seat])
        assert cells(28) == {42, 43, 46, 47, 52, 53, 56, 57}
        unknown = ({FLAG: 1, BOMB: 1}, {7: 1, FLAG: 1})
        for kind in range(1, 13):
            assert (out[28 + kind] == unknown[1 - seat].get(kind, 0)).all()
            assert (out[40 + kind] == unknown[seat].get(kind, 0)).all()
        moves = [(68, 38, -1), (44, 54, -8), (64, 54, -1), (34, 44, -1), (99, 98, -1), (30, 60, -1)]
        for k, (start, end, gone) in enumerate(moves):
            assert cells(53 + k) == at(end) and cells(53 + k, gone) == at(start)
            assert np.count_nonzero(out[53 + k]) == 2
        assert not out[59:70].any()
        assert (out[70] == 6).all() and (out[71] == 2).all() and (out[72] == seat).all()


def test_what_is_seen_while_setting_up():
    rules = GAME.make_rules(board="barrage")
    first, states = int(kernel.first_placing(rules)), core.new_states(rules)
    legal, probs = core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(1), probs)
    for kind in (0, FLAG, 0, SCOUT):
        core.play_at(rules, states, 0, first + kind, legal, probs)
    out = np.zeros((73, 10, 10), np.int8)
    core.observe_at(rules, states, 0, 0, out)
    assert np.argwhere(out[:69]).tolist() == [
        [SCOUT - 1, 0, 3], [FLAG - 1, 0, 1],
        *[[28, r, c] for r in (4, 5) for c in (2, 3, 6, 7)],
    ]  # fmt: skip
    assert np.argwhere(out[69]).tolist() == [[0, 4]] and not out[70:].any()
    core.observe_at(rules, states, 0, 1, out)
    assert not out[:28].any() and not out[29:72].any() and (out[72] == 1).all()


def test_the_enemy_that_is_to_move_can():
    """Drawn anew for the seat that is not to move, the other has a move if it had one."""
    pieces = [(0, 4, 44), (0, FLAG, 0), (1, 5, 39), (1, BOMB, 99), (1, BOMB, 98), (1, FLAG, 90)]
    pieces += [(0, 5, 49), (0, 6, 38), (0, 7, 29)]  # the lieutenant on 39 is shut in by enemies
    states = position(RULES, pieces, player=1)
    for k in range(300):
        twin = states.copy()
        core.determinize_at(RULES, twin, 0, 0, np.uint64(k))
        legal = np.zeros(RULES.num_actions, np.int64)
        assert core.legal_actions_at(RULES, twin, 0, legal) > 0
