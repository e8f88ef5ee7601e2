"""Gomoku's players: threats, continuous fours, small boards solved; its metrics, words, picture."""

from __future__ import annotations

import numpy as np
import pytest
from gomoku_positions import GAME, RENJU, RULES, cells, in_turn, legal_cells, mnk, play_all
from numba import njit

from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.games.gomoku import opening, position_hash, symmetries
from stratagym.agents.games.gomoku.solver import DRAWN, LOST, WON, Solver
from stratagym.agents.games.gomoku.threes import win_by_threats
from stratagym.agents.kernel_policies import play_many
from stratagym.agents.ladders import ladder_of
from stratagym.benchmarks.anchored_levels import calibration
from stratagym.benchmarks.harness.climb import duels
from stratagym.benchmarks.harness.openings import opening_moves
from stratagym.envs import core
from stratagym.envs.gomoku import view
from stratagym.envs.gomoku.fours import win_by_fours
from stratagym.envs.gomoku.metrics import COUNTS, game_counts, rates
from stratagym.envs.gomoku.windows import gain_cells
from stratagym.envs.text import TextOptions
from stratagym.testing import check_replies, position, random_positions

LINES = ((0, 1), (1, 0), (1, 1), (-1, 1))
NINE = " ".join(f"{column}{row}" for column in "defghijkl" for row in range(4, 13))


# --- a second, plain implementation ---------------------------------------------------------------


class Plain:
    """A board as a dict of cells, and the rules by looking in every direction."""

    def __init__(self, rules, states):
        self.rules = rules
        self.stones = {}
        for colour in range(2):
            for row in range(rules.rows):
                for column in range(rules.columns):
                    if int(states["lines"][0, colour, 0, row]) >> column & 1:
                        self.stones[row, column] = colour

    def length(self, cell, colour, down, right):
        row, column = cell[0] + down, cell[1] + right
        n = 0
        while self.stones.get((row, column)) == colour:
            n, row, column = n + 1, row + down, column + right
        return n

    def wins(self, cell, colour):
        """Whether a stone of a colour on a cell completes a line."""
        exact = self.rules.line == 1 or (self.rules.line == 2 and colour == 0)
        for down, right in LINES:
            n = (
                1
                + self.length(cell, colour, down, right)
                + self.length(cell, colour, -down, -right)
            )
            if n == self.rules.connect or (n > self.rules.connect and not exact):
                return True
        return False

    def winning(self, colour):
        every = [(r, c) for r in range(self.rules.rows) for c in range(self.rules.columns)]
        return {k for k in every if k not in self.stones and self.wins(k, colour)}


def middle_games(rules, n, rng):
    """Positions (n,) of random games in a small part of the board, where threats abound."""
    found, (legal, probs) = core.new_states(rules, n), core.new_scratch(rules)
    i = 0
    while i < n:
        player = core.start_at(rules, found, i, np.uint64(0), probs)
        low, size = rng.integers(0, 7), rng.integers(6, 9)
        for _ in range(rng.integers(8, 34)):
            if player < 0:
                break
            allowed = legal[: core.legal_actions_at(rules, found, i, legal)]
            row, column = allowed // rules.columns - low, allowed % rules.columns - low
            near = allowed[(row >= 0) & (row < size) & (column >= 0) & (column < size)]
            action = rng.choice(near if len(near) else allowed)
            player, _ = core.play_at(rules, found, i, int(action), legal, probs)
        i += player >= 0
    return found


@pytest.mark.parametrize("line", ["at_least", "exact", "renju"])
def test_winning_cells_are_those_of_a_plain_look(line, rng):
    rules = GAME.make_rules(line=line)
    for s in middle_games(rules, 150, rng):
        plain = Plain(rules, np.array([s]))
        for colour in range(2):
            wins = {r * 15 + c for r, c in plain.winning(colour)}
            one, two = gain_cells(rules, s, colour)
            assert (one >= 0) == bool(wins) and (two >= 0) == (len(wins) > 1)
            assert {one, two} - {-1} <= wins and (one != two or one < 0)


# --- continuous fours -----------------------------------------------------------------------------


def test_a_win_by_fours_is_found():
    states, _ = play_all(RULES, in_turn("h8 i9 h9 h7", "a1 k11 c1 e1"))
    won = win_by_fours(RULES, states)
    assert won and len(won) % 2 == 1
    assert win_by_fours(RULES, position(RULES)) == []


@pytest.mark.parametrize(("line", "games"), [("at_least", 1000), ("exact", 500), ("renju", 500)])
def test_wins_by_fours_replay(line, games, rng):
    """Every stone of the attacker but the last threatens to win at once; one reply stops that."""
    rules = GAME.make_rules(line=line)
    legal, probs = core.new_scratch(rules)
    found, longest = 0, 0
    for s in middle_games(rules, games, rng):
        states = np.array([s])
        before = states.copy()
        won = win_by_fours(rules, states)
        assert states == before
        found, longest = found + bool(won), max(longest, len(won))
        attacker = int(s["player"])
        colour = int(s["stones"]) % 2
        for k, cell in enumerate(won):
            plain = Plain(rules, states)
            if k % 2:  # the defender cannot win, and has to take one of the attacker's cells
                assert not plain.winning(1 - colour)
                threats = {r * 15 + c for r, c in plain.winning(colour)}
                assert threats
                allowed = legal[: core.legal_actions_at(rules, states, 0, legal)].tolist()
                if cell == -1:
                    assert won[k + 1] in threats and won[k + 1] not in allowed
                    cell = allowed[0]
                else:
                    assert cell in threats
                    assert len(threats) == 1 or k == len(won) - 2
            allowed = legal[: core.legal_actions_at(rules, states, 0, legal)].tolist()
            assert cell in allowed
            player, _ = core.play_at(rules, states, 0, int(cell), legal, probs)
            assert (player < 0) == (k == len(won) - 1)
        assert not won or states["winner"][0] == attacker
    assert found > games / 10 and longest > 5


def test_no_win_by_fours_where_search_finds_none(rng):
    """Soundness on 5 x 5 with four in a line: exact values by alpha-beta."""
    rules = mnk(5, 5, 4)
    exact = make_policy(GAME, "alphabeta:25")
    found = 0
    for s in random_positions(rules, 150, rng, range(8, 13)):
        won = win_by_fours(rules, np.array([s]))
        if won:
            found += 1
            result = exact.search(decision_for(GAME, rules, np.array([s]), 0))
            assert result.value > 0 and result.result <= len(won)
    assert found > 10


# --- continuous threats ---------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "stones"), [((5, 5, 4), (6, 13)), ((6, 6, 4), (9, 17))])
def test_wins_by_threats_are_wins_where_everything_is_searched(size, stones, rng):
    """Of the position, and after the stone that is found; the solver's values."""
    rules = mnk(*size)
    solver, found = Solver(rules), 0
    for s in random_positions(rules, 150, rng, range(*stones)):
        states = np.array([s])
        first, fours = win_by_threats(rules, states), win_by_fours(rules, states)
        assert first >= 0 or not fours
        for cell in {first, *fours[:1]} - {-1}:
            found += 1
            assert solver.values(states).tolist() == [WON]
            after = states.copy()
            core.play_at(rules, after, 0, cell, *core.new_scratch(rules))
            if after["ended"][0]:
                assert after["winner"][0] == s["player"]
            else:
                assert solver.values(after).tolist() == [LOST]
    assert found > 20


def test_two_threes_at_once_win():
    states, _ = play_all(RULES, in_turn("h6 h7 f8 g8", "a1 c15 o1 m15"))
    assert not win_by_fours(RULES, states) and win_by_threats(RULES, states) >= 0
    # One open three wins nothing.
    states, _ = play_all(RULES, in_turn("f8 g8", "a1 c15"))
    assert win_by_threats(RULES, states) == -1 == win_by_threats(RULES, position(RULES))
    # Renju forbids Black two threes.
    states, _ = play_all(RENJU, in_turn("h6 h7 f8 g8", "a1 c15 o1 m15"))
    assert cells("h8")[0] not in legal_cells(RENJU, states)
    assert win_by_threats(RENJU, states) not in cells("h8")


@pytest.mark.parametrize("line", ["at_least", "exact", "renju"])
def test_wins_by_threats_are_won_against_every_defender(line, rng):
    """The attacker plays nothing but the stones it finds."""
    rules = GAME.make_rules(line=line)
    legal, probs = core.new_scratch(rules)
    defenders = [make_policy(GAME, name) for name in ("heuristic", "alphabeta:2", "rule:one_look")]
    won = 0
    for _ in range(9):  # one batch holds too few now and then
        for s in middle_games(rules, 120, rng):
            states = np.array([s])
            if win_by_fours(rules, states) or win_by_threats(rules, states) < 0:
                continue
            won += 1
            attacker, seat = seat_of(states), seat_of(states)
            defender = defenders[won % 3]
            while seat >= 0:
                if seat == attacker:
                    fours = win_by_fours(rules, states)
                    action = fours[0] if fours else win_by_threats(rules, states)
                    assert action >= 0
                else:
                    action = defender.act(decision_for(GAME, rules, states, won))
                seat, _ = core.play_at(rules, states, 0, int(action), legal, probs)
            assert states["winner"][0] == attacker
        if won > 5:
            break
    assert won > 5


def seat_of(states):
    return int(states["player"][0])


def test_tactic_wins_and_defends():
    plain, tactic = make_policy(GAME, "random"), make_policy(GAME, "random?tactic=1")
    attack, _ = play_all(RULES, in_turn("h8 i9 h9 h7", "a1 k11 c1 e1"))
    won = win_by_fours(RULES, attack)
    assert tactic.act(decision_for(GAME, RULES, attack, 1)) == won[0]
    defend, _ = play_all(RULES, in_turn("h8 i9 h9 h7", "a1 k11 c1"))
    threat = win_by_fours(RULES, defend, opponent=True)
    assert threat
    for seed in range(20):
        action = tactic.act(decision_for(GAME, RULES, defend, seed))
        after = defend.copy()
        core.play_at(RULES, after, 0, action, *core.new_scratch(RULES))
        assert not win_by_fours(RULES, after)
    assert plain.name == "random" and tactic.name == "random?tactic=1"
    with pytest.raises(ValueError, match="2 also threes"):
        make_policy(GAME, "random?tactic=3").act(decision_for(GAME, RULES, attack, 1))


# --- other players --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "value", "plies"),
    [((3, 3, 3), 0, None), ((4, 3, 3), 1, 7), ((4, 4, 3), 1, 5)],
)
def test_small_boards_are_solved(size, value, plies):
    rules = mnk(*size)
    found = make_policy(GAME, f"alphabeta:{size[0] * size[1]}").search(
        decision_for(GAME, rules, position(rules), 0)
    )
    assert (np.sign(found.value), found.result) == (value, plies)


@pytest.mark.parametrize("size", [(5, 5, 4), (6, 4, 4), (4, 6, 4)])
def test_searches_to_the_end_find_the_value(size, rng):
    """Values and distances, by a plain search of everything."""
    rules = mnk(*size)
    cells = rules.rows * rules.columns
    search = make_policy(GAME, f"alphabeta:{cells}")
    known = {}

    def value(black, white):
        """(sign, plies to the end) for who is to move, by cells as bits."""
        if (black, white) in known:
            return known[black, white]
        turn = black.bit_count() - white.bit_count()
        own, other = (white, black) if turn else (black, white)
        best = (0, 0) if own | other == full else (-2, 0)
        for cell in range(cells):
            if (own | other) >> cell & 1:
                continue
            after = own | 1 << cell
            if any(line & after == line for line in through[cell]):
                best = (1, 1)
                break
            sign, plies = value(*((black, after) if turn else (after, white)))
            best = max(best, (-sign, plies + 1), key=lambda v: (v[0], -v[0] * v[1]))
        known[black, white] = best
        return best

    full, through = (1 << cells) - 1, [[] for _ in range(cells)]
    for row in range(rules.rows):
        for column in range(rules.columns):
            for down, right in LINES:
                line = [(row + k * down, column + k * right) for k in range(rules.connect)]
                if all(0 <= r < rules.rows and 0 <= c < rules.columns for r, c in line):
                    bits = sum(1 << r * rules.columns + c for r, c in line)
                    for r, c in line:
                        through[r * rules.columns + c].append(bits)
    signs, solver = set(), Solver(rules, 12)
    for _ in range(9):  # one batch may hold no draw, or no loss
        for s in random_positions(rules, 40, rng, range(cells - 9, cells - 2)):
            planes = [
                sum(
                    int(s["lines"][colour, 0, row]) << row * rules.columns
                    for row in range(rules.rows)
                )
                for colour in range(2)
            ]
            sign, plies = value(*planes)
            found = search.search(decision_for(GAME, rules, np.array([s]), 0))
            assert (np.sign(found.value), found.result) == (sign, plies if sign else None)
            assert solver.values(np.array([s])).tolist() == [sign]
            signs.add(sign)
        if len(signs) == 3:
            break
    assert signs == {-1, 0, 1}


@pytest.mark.parametrize(
    ("size", "value"),
    [
        ((3, 3, 3), DRAWN),
        ((4, 3, 3), WON),
        ((4, 4, 3), WON),
        ((4, 4, 4), DRAWN),
        ((5, 4, 4), DRAWN),
        ((5, 5, 4), DRAWN),
        ((6, 5, 4), WON),
    ],
)
def test_values_of_empty_boards(size, value):
    rules = mnk(*size)
    assert Solver(rules).values(position(rules)).tolist() == [value]


def test_what_the_solver_does_not_solve():
    for rules in (RULES, GAME.make_rules(columns=8, rows=8, line="exact")):
        with pytest.raises(ValueError, match="boards of up to 64 cells"):
            Solver(rules)
    rules = mnk(4, 3, 3)
    with pytest.raises(ValueError, match="a stone to place"):
        Solver(rules).values(play_all(rules, [0, 4, 1, 5, 2])[0])


def test_positions_have_hashes_of_their_own(rng):
    """Those of positions and of all that one stone makes of them."""
    for rules in (mnk(5, 5, 4), RULES, GAME.make_rules(opening="swap2")):
        legal, probs = core.new_scratch(rules)
        for s in random_positions(rules, 10, rng, range(6)):
            states = [np.array([s])]
            for action in legal[: core.legal_actions_at(rules, states[0], 0, legal)].copy():
                states.append(states[0].copy())
                core.play_at(rules, states[-1], 0, int(action), legal, probs)
            assert len({_hash(rules, one) for one in states}) == len(states)


@njit
def _hash(rules, states):
    return position_hash(rules, states[0])


@pytest.mark.slow
def test_four_by_four_is_drawn():
    rules = mnk(4, 4, 4)
    found = make_policy(GAME, "alphabeta:16").search(decision_for(GAME, rules, position(rules), 0))
    assert found.value == 0 and found.depth == 16


@pytest.mark.parametrize("line", ["at_least", "exact", "renju"])
def test_the_rule_based_players_beat_weaker_ones(line, seed):
    rules = GAME.make_rules(line=line)
    seeds = np.arange(seed % 2**32, seed % 2**32 + 100, dtype=np.uint64)
    seating = np.array([[0, 1], [1, 0]] * 50)
    for names in (("rule:one_look", "random"), ("heuristic", "rule:one_look")):
        games = play_many(rules, [make_policy(GAME, name) for name in names], seeds, seating)
        first = np.arange(100), seating.argmin(axis=1)
        assert (games.returns[first] > 0).mean() > 0.9
        counts = game_counts(rules, seeds, games.actions, games.plies)
        mine = dict(zip(COUNTS, counts[first].T, strict=True))
        assert (mine["wins_taken"] == mine["wins_offered"]).all()
        if line != "renju":  # there Black may not block everywhere
            assert (mine["blocks_made"] == mine["blocks_needed"]).all()
        assert (counts[..., 0].sum(axis=1) == games.plies).all()
        assert 0 < mine["wins_chance"].sum() < 1000 * mine["wins_offered"].sum() / 4
        shares = rates(counts[first].sum(axis=0))
        assert shares["wins_taken"] == 1 and 0 < shares["wins_chance"] < 0.25


def test_fours_are_counted_as_they_are_found():
    """In games of two players who do not look for them."""
    rules = mnk(9, 9, 5)
    seeds, seating = np.arange(20, dtype=np.uint64), np.array([[0, 1], [1, 0]] * 10)
    policies = [make_policy(GAME, name) for name in ("rule:one_look", "rule:one_look")]
    games = play_many(rules, policies, seeds, seating)
    counts = game_counts(rules, seeds, games.actions, games.plies)
    legal, probs = core.new_scratch(rules)
    states = core.new_states(rules)
    offered, begun = np.zeros((20, 2), int), np.zeros((20, 2), int)
    for g in range(20):
        seat = core.start_at(rules, states, 0, seeds[g], probs)
        for action in games.actions[g, : games.plies[g]]:
            won = win_by_fours(rules, states)
            if len(won) > 1:
                offered[g, seat] += 1
                after = states.copy()
                core.play_at(rules, after, 0, int(action), legal, probs)
                reply, second = gain_cells(rules, after[0], int(states["stones"][0]) % 2)
                if reply >= 0 and gain_cells(rules, after[0], int(after["stones"][0]) % 2)[0] < 0:
                    core.play_at(rules, after, 0, reply, legal, probs)
                    begun[g, seat] += second >= 0 or bool(win_by_fours(rules, after))
            seat, _ = core.play_at(rules, states, 0, int(action), legal, probs)
    mine = dict(zip(COUNTS, counts.transpose(2, 0, 1), strict=True))
    assert (mine["fours_offered"] == offered).all() and (mine["fours_begun"] == begun).all()
    assert 0 < begun.sum() < offered.sum()
    assert 0 < mine["fours_chance"].sum() < 300 * offered.sum()


def test_searches_take_and_stop_lines():
    win, _ = play_all(RULES, in_turn("h8 i8 j8 k8", "a1 b1 c1 d1"))
    block, _ = play_all(RULES, in_turn("h8 i8 j8 k8", "g8 b2 c1"))
    three, _ = play_all(RULES, in_turn("h8 i8 j8", "a1 c3"))
    for name in ("rule:threat", "heuristic", "alphabeta:2", "alphabeta:4"):
        policy = make_policy(GAME, name)
        act = lambda states, policy=policy: policy.act(decision_for(GAME, RULES, states, 3))  # noqa: E731
        assert act(win) in cells("g8 l8")
        assert act(block) in cells("l8")
        assert act(three) in cells("f8 g8 k8 l8")


def test_symmetric_boards_are_the_same(rng):
    for rules in (RULES, mnk(7, 5, 4)):
        table = symmetries(rules)
        assert len(table) == (8 if rules.rows == rules.columns else 4)
        legal, probs = core.new_scratch(rules)
        for row in table:
            assert sorted(row.tolist()) == list(range(rules.num_actions))
        player = 0
        games = core.new_states(rules, len(table))
        for i in range(len(table)):
            core.start_at(rules, games, i, np.uint64(0), probs)
        while player >= 0:
            n = core.legal_actions_at(rules, games, 0, legal)
            action = int(rng.choice(legal[:n]))
            players = [
                core.play_at(rules, games, i, int(row[action]), legal, probs)[0]
                for i, row in enumerate(table)
            ]
            assert len(set(players)) == 1
            player = players[0]
        assert len(set(games["winner"].tolist())) == 1


# --- words and picture ----------------------------------------------------------------------------


def test_replies():
    states, _ = play_all(RULES, cells("h8 a1"))
    strict = {
        "Move: h9": 97,
        "I see.\n**Move: H9**": 97,
        "Move: h,9": 97,
        'Move: {"col": "H", "row": 9}': 97,
        "Move: h8\nNo.\nMove: h9": 97,
        "h9": "unparseable",
        "Move: 97": "unparseable",
        "Answer: h9": 97,
        "Move: h8": "illegal: occupied",
        "Move: p3": "illegal: off_board",
        "Move: h16": "illegal: off_board",
        "Move: h0": "illegal: off_board",
        "Move: black": "illegal: no_such_move",
        "": "unparseable",
    }
    check_replies(GAME, strict, states, rules=RULES)
    lenient = {
        "h9": 97,
        "Answer: h9": 97,
        '{"reason": "why not", "action": "h9"}': 97,
        '{"reason": "by number", "action": 97}': 97,
        '{"reason": "by number", "action": 112}': "illegal: occupied",
        "perhaps h9 or so": "unparseable",
    }
    check_replies(GAME, lenient, states, rules=RULES, options=TextOptions(lenient=True))
    top = GAME.make_rules(numbering="top")
    check_replies(GAME, {"Move: a1": 0, "Move: h8": 112, "Move: b15": 211}, rules=top)
    states, _ = play_all(RENJU, in_turn("h7 h6 i8 j8", "a1 c1 e1 g1"))
    check_replies(GAME, {"Move: h8": "illegal: forbidden"}, states, rules=RENJU)
    centre = GAME.make_rules(opening="centre")
    check_replies(GAME, {"Move: h9": "illegal: not_the_centre", "Move: h8": 112}, rules=centre)
    swap = GAME.make_rules(opening="swap2")
    check_replies(GAME, {"Move: black": "illegal: not_now"}, rules=swap)
    states, _ = play_all(swap, [112, 0, 1])
    said = {"Move: h9": "illegal: must_choose", "Move: White": 226, "Move: more": 227}
    check_replies(GAME, said, states, rules=swap)


def test_words():
    rules = mnk(5, 4, 4)
    states = position(rules, 0, 7, 12)
    assert view.board_text(rules, states[0]).splitlines() == [
        "   a b c d e",
        " 4 X . . . . 4",
        " 3 . . O . . 3",
        " 2 . . X . . 2",
        " 1 . . . . . 1",
        "   a b c d e",
        "Last stone: X c2",
        "O to move",
    ]
    assert view.move_text(rules, states[0], 1) == "O placed a stone on b4."
    assert "exactly 5" in view.rules_text(RENJU) and "15 columns, a to o" in view.rules_text(RENJU)
    assert "longer line wins nothing" in view.rules_text(GAME.make_rules(line="exact"))
    assert "4 stones next to each other" in view.rules_text(rules)
    assert "centre, h8" in view.rules_text(GAME.make_rules(opening="centre"))
    swap = GAME.make_rules(opening="swap2")
    states, _ = play_all(swap, [112, 0, 1])
    assert view.board_text(swap, states[0]).endswith("Player 1 to move")
    assert view.position_text(swap, states[0], 1, "list").endswith("black, white or more.")
    states, _ = play_all(swap, [112, 0, 1, 225])
    assert view.board_text(swap, states[0]).endswith("Last choice: black\nO to move")


def test_picture_shows_stones_and_the_line_that_won():
    render = GAME.module("render")
    states, _ = play_all(RULES, in_turn("h8 i8 j8 k8 l8", "h9 h10 h11 h7"))
    picture = render.picture(RULES, states[0]).astype(int)

    def at(name, right=0.0):
        x, y = render.crossing_pixel(RULES, cells(name)[0])
        return picture[y, x + round(right * 640 / 16)]

    for name in ("h8", "i8", "j8", "k8"):
        assert np.abs(at(name) - render.COLOURS[0]).max() < 30
        red, green, blue = at(name, 0.44)
        assert green > red and green > blue  # the ring
    assert np.abs(at("h9") - render.COLOURS[1]).max() < 30
    assert np.abs(at("l8") - render._LAST).max() < 60
    assert np.abs(at("a4", 0.3) - at("n2", 0.3)).max() == 0
    # Renju's forbidden cells are crossed out.
    states, _ = play_all(RENJU, in_turn("h7 h6 i8 j8", "a1 c1 e1 g1"))
    picture = render.picture(RENJU, states[0]).astype(int)
    assert np.abs(at("h8") - render._LAST).max() < 60
    for size in (120, 900):
        assert render.picture(RULES, states[0], size).dtype == np.uint8


# --- openings ------------------------------------------------------------------------------------


def test_openings_are_three_stones_a_side_in_the_middle_and_win_nothing(rng):
    middle, seen = set(cells(NINE)), set()
    for _ in range(30):
        moves = opening(RULES, 6, rng)
        assert len(set(moves)) == 6 and set(moves) <= middle
        states = position(RULES, *moves)
        assert states["ended"][0] == 0 and states["stones"][0] == 6
        for other in (False, True):
            assert win_by_fours(RULES, states, opponent=other) == []
        seen.add(tuple(moves))
    assert len(seen) == 30
    # On small boards the middle is the board.
    assert len(opening(mnk(5, 4, 4), 4, rng)) == 4


def test_games_on_the_ladder_begin_with_such_stones():
    ladder = ladder_of("gomoku")
    plan = calibration.plan_of(ladder, 4, 0)
    assert ladder.facts()["opening"] == 6 and "opening" not in ladder_of("gomoku/ladder-v1").facts()
    matches = duels(plan, "it", "random", "heuristic?random=0.5")
    assert [match.opening for match in matches] == [6] * 4
    begun = [tuple(opening_moves(GAME, RULES, 6, match.seed)) for match in matches]
    assert begun[0] == begun[1] != begun[2] == begun[3]
