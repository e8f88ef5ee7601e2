"""Breakthrough against OpenSpiel, pyffish, known counts and values, and a plain search."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numba import njit

from stratagym.agents.core import PolicyFault, decision_for, make_policy
from stratagym.agents.games.breakthrough import (
    action_cells,
    evaluate,
    position_hash,
    symmetries,
)
from stratagym.agents.games.breakthrough.solver import Solver
from stratagym.agents.kernel_policies import play_many
from stratagym.envs import core, spec
from stratagym.envs.breakthrough import notation, render, replay, view
from stratagym.envs.breakthrough import rules as kernel
from stratagym.envs.breakthrough.metrics import COUNTS, game_counts, rates
from stratagym.envs.prompts import TextOptions, messages
from stratagym.testing import check_replies, position, random_positions, same_as_openspiel

GAME = spec("breakthrough")
RULES = GAME.make_rules()
SIZES = ((8, 8), (3, 2), (4, 4), (5, 5), (6, 5), (7, 3), (8, 2))
MEAN_LENGTH, FIRST_WINS = 64.0, 0.509  # of random games, 300,000 by another program


def placed(rules, black, white, player=0):
    """A position (1,) by the names of cells."""
    states = position(rules)
    for side, cells in (("black", black), ("white", white)):
        bits = 0
        for cell in cells.split():
            row, column = rules.rows - int(cell[1]), "abcdefgh".index(cell[0])
            bits |= 1 << 8 * row + column
        states[side] = bits
    states["player"] = player
    return states


# --- the rules -----------------------------------------------------------------------------------


@pytest.mark.oracle
@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_games_are_openspiels(rows, columns, rng):
    """With the actions' ids and names, and the planes."""
    rules = GAME.make_rules(rows=rows, columns=columns)
    planes = np.zeros(rules.observation_shape, np.int8)

    def same_words(states, state):
        if state.is_terminal():
            return
        for action in state.legal_actions():
            told = state.action_to_string(action)
            assert view.action_to_string(rules, states[0], action) == told
            assert view.string_to_action(rules, states[0], told) == action
        theirs = np.array(state.observation_tensor()).reshape(3, rows, columns)
        for seat in range(2):
            core.observe_at(rules, states, 0, seat, planes)
            assert (planes[..., 0] == theirs[seat]).all()
            assert (planes[..., 1] == theirs[1 - seat]).all()
            assert (planes[..., 2] == seat).all()

    theirs = f"breakthrough(rows={rows},columns={columns})"
    same_as_openspiel(rules, theirs, 200 if rows * columns == 64 else 40, rng)
    same_as_openspiel(rules, theirs, 5, rng, compare=same_words)


def uci(action):
    """Our action as Fairy-Stockfish's move: its White, at the bottom, moves first."""
    start, end = kernel.squares_of(RULES, action)
    return "".join(f"{'abcdefgh'[at & 7]}{(at >> 3) + 1}" for at in (start, end))


@pytest.mark.oracle
@pytest.mark.parametrize("games", [15, pytest.param(200, marks=pytest.mark.slow)])
def test_games_are_fairy_stockfishs(games, rng):
    """Legal moves and ends of random games; theirs is ours upside down."""
    sf = pytest.importorskip("pyffish", reason="pip install pyffish")
    states, (legal, probs) = core.new_states(RULES), core.new_scratch(RULES)
    start = sf.start_fen("breakthrough")
    for _ in range(games):
        told = []
        player = core.start_at(RULES, states, 0, np.uint64(0), probs)
        while player >= 0:
            n = core.legal_actions_at(RULES, states, 0, legal)
            names = {uci(action): action for action in legal[:n].tolist()}
            assert sorted(names) == sorted(sf.legal_moves("breakthrough", start, told)), told
            told.append(str(rng.choice(sorted(names))))
            player, _ = core.play_at(RULES, states, 0, names[told[-1]], legal, probs)
        assert sf.is_immediate_game_end("breakthrough", start, told)[0], told


@pytest.mark.oracle
def test_positions_and_moves_are_fairy_stockfishs(rng):
    """What engines are told of a position and answer; and theirs after the same moves."""
    sf = pytest.importorskip("pyffish", reason="pip install pyffish")
    start = sf.start_fen("breakthrough")
    legal = np.zeros(RULES.num_actions, np.int64)
    for s in random_positions(RULES, 20, rng):
        states = np.array([s])
        told = notation.fen(s)
        n = core.legal_actions_at(RULES, states, 0, legal)
        moves = sf.legal_moves("breakthrough", told, [])
        assert sorted(notation.parse_uci(s, move) for move in moves) == legal[:n].tolist()
        again = sf.get_fen("breakthrough", told, [])
        assert again.split()[:2] == told.split()[:2]
    assert notation.fen(position(RULES)[0]).split()[:2] == start.split()[:2]
    for wrong in ("a1", "e7e8q", "0000", "(none)"):
        with pytest.raises(ValueError, match="no_such_move"):
            notation.parse_uci(position(RULES)[0], wrong)


ENGINE = """#!{python}
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name Sham", "uciok", sep="\\n", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "d":
        print("Fen:", {shown}, flush=True)
    elif words[0] == "position":
        given = " ".join(words[2:])
    elif words[0] == "go":
        print("bestmove a2a3", flush=True)
"""


def sham(folder, shown):
    """An engine that always plays the same, and shows a position."""
    path = folder / "sham"
    path.write_text(ENGINE.format(python=sys.executable, shown=shown))
    path.chmod(0o755)
    return str(path)


def test_an_engine_that_does_not_know_the_game_is_found_out(tmp_path):
    decision = decision_for(GAME, RULES, position(RULES), 1)
    (tmp_path / "knows").mkdir()
    policy = make_policy(GAME, f"uci:{sham(tmp_path / 'knows', 'given')}?nodes=10")
    assert view.action_to_string(RULES, decision.states[0], policy.act(decision)) == "a7a6"
    chess = "'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'"
    policy = make_policy(GAME, f"uci:{sham(tmp_path, chess)}?nodes=10")
    with pytest.raises(PolicyFault, match="does not show the position: it may not know breakthro"):
        policy.act(decision)
    small = GAME.make_rules(rows=6)
    with pytest.raises(PolicyFault, match="cannot play: the board is 6 x 8, not 8 x 8"):
        policy.act(decision_for(GAME, small, position(small), 1))


def test_fairy_stockfish_plays(seed):
    """With few nodes it wins nearly all games against random play."""
    try:
        engine = make_policy(GAME, "uci:fairy-stockfish?nodes=200")
    except ValueError as error:
        pytest.skip(str(error))
    assert "Fairy-Stockfish" in engine.identity()
    states, (legal, probs) = core.new_states(RULES), core.new_scratch(RULES)
    players, won = [engine, make_policy(GAME, "random")], 0
    for game in range(6):
        player = core.start_at(RULES, states, 0, np.uint64(game), probs)
        while player >= 0:
            decision = decision_for(GAME, RULES, states, (seed + game) % 2**62)
            action = players[(player + game) % 2].act(decision)
            player, _ = core.play_at(RULES, states, 0, action, legal, probs)
            seed += 1
        won += int(states["winner"][0]) == game % 2
    assert won >= 4
    assert len(engine.scores(decision_for(GAME, RULES, position(RULES), 1))[0]) == 22
    engine.close()


@njit
def leaves(rules, states, legal, depth, level):
    """Move sequences of ``depth`` from ``states[level]``; a game that is over adds none."""
    if core.current_player(rules, states[level]) < 0:
        return 0
    n = core.legal_actions(rules, states[level], legal[level])
    if depth == 1:
        return n
    count = 0
    for k in range(n):
        states[level + 1] = states[level]
        core.step(rules, states[level + 1], legal[level, k])
        count += leaves(rules, states, legal, depth - 1, level + 1)
    return count


def mirrored(states, columns):
    """The positions with left and right exchanged."""
    out = states.copy()
    for side in ("black", "white"):
        bits = [int(bits) for bits in states[side]]
        out[side] = [
            sum((b >> 8 * row + column & 1) << 8 * row + columns - 1 - column
                for row in range(8) for column in range(columns))
            for b in bits
        ]  # fmt: skip
    return out


def perft(rules, states, depth):
    levels = np.repeat(states, depth + 1)
    return leaves(rules, levels, np.zeros((depth + 1, rules.num_actions), np.int64), depth, 0)


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        (8, 8, (22, 484, 11132, 256036, 6182818)),
        (6, 5, (13, 169, 2331, 31545, 453608, 6401274)),
        (5, 5, (13, 169, 1911, 21514, 232478, 2467006)),
        (4, 4, (10, 100, 814, 6324, 46350, 303122, 1868262, 9815640)),
    ],
)
def test_numbers_of_move_sequences(rows, columns, expected):
    rules = GAME.make_rules(rows=rows, columns=columns)
    found = [perft(rules, position(rules), depth + 1) for depth in range(len(expected))]
    assert tuple(found) == expected


def test_a_mirrored_position_has_as_many_move_sequences(rng):
    for rows, columns in SIZES:
        rules = GAME.make_rules(rows=rows, columns=columns)
        for state in random_positions(rules, 5, rng):
            twin = mirrored(np.array([state]), columns)
            assert perft(rules, np.array([state]), 3) == perft(rules, twin, 3)


def test_legal_at_once_is_what_the_list_says(rng):
    for rows, columns in SIZES:
        rules = GAME.make_rules(rows=rows, columns=columns)
        legal = np.zeros(rules.num_actions, np.int64)
        scratch = legal.copy()
        for state in random_positions(rules, 10, rng):
            states = np.array([state])
            n = core.legal_actions_at(rules, states, 0, legal)
            assert n > 0
            listed = set(legal[:n].tolist())
            for action in range(-3, rules.num_actions + 3):
                said = core.is_legal_action_at(rules, states, 0, action, scratch)
                assert said == (action in listed)


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_random_games_are_no_longer_than_told(rows, columns, seed):
    rules = GAME.make_rules(rows=rows, columns=columns)
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    for k in range(200):
        one = np.uint64(core.derive_seed(np.uint64(seed), np.uint64(k)))
        assert core.random_games(rules, states, legal, probs, one, 1)[0] <= rules.max_game_length


def test_the_longest_game_is_as_long_as_told():
    """On 3 x 2: both pawns of each side one step on is all there is before somebody must win."""
    rules = GAME.make_rules(rows=3, columns=2)
    legal, probs = core.new_scratch(rules)

    def longest(states):
        n = core.legal_actions_at(rules, states, 0, legal)
        found = 0
        for action in legal[:n].tolist():
            after = states.copy()
            player, _ = core.play_at(rules, after, 0, action, legal.copy(), probs)
            found = max(found, 1 + (longest(after) if player >= 0 else 0))
        return found

    assert longest(position(rules)) <= rules.max_game_length == 5
    assert RULES.max_game_length == 177 == GAME.max_game_length


@njit
def played(rules, states, legal, probs, seed, lengths, winners):
    s = states[0]
    for game in range(lengths.shape[0]):
        player = core.start(rules, s, core.derive_seed(seed, game), probs)
        plies = 0
        while player >= 0:
            n = core.legal_actions(rules, s, legal)
            player = core.play(rules, s, legal[core.random_below(s, n)], probs)
            plies += 1
        lengths[game], winners[game] = plies, s.winner


def test_random_play_is_as_long_and_as_often_won_as_known(seed):
    """Within 5.5 standard errors of either figure, the known ones' rounding included."""
    games = 40_000
    lengths, winners = np.zeros(games), np.zeros(games)
    legal, probs = core.new_scratch(RULES)
    played(RULES, core.new_states(RULES), legal, probs, np.uint64(seed), lengths, winners)
    error = lengths.std() * (1 / games + 1 / 300_000) ** 0.5
    assert abs(lengths.mean() - MEAN_LENGTH) < 5.5 * error + 0.05
    error = 0.5 * (1 / games + 1 / 300_000) ** 0.5
    assert abs((winners == 0).mean() - FIRST_WINS) < 5.5 * error + 0.0005


def test_the_game_ends_on_the_far_row_and_with_the_last_pawn():
    states = placed(RULES, "a2 h8", "c5 d5")
    legal, probs = core.new_scratch(RULES)
    action = view.string_to_action(RULES, states[0], "a2b1")
    assert core.play_at(RULES, states, 0, action, legal, probs)[0] == core.TERMINAL
    assert states["winner"] == 0
    states = placed(RULES, "d6", "c5 h2", player=1)
    action = view.string_to_action(RULES, states[0], "c5d6*")
    assert core.play_at(RULES, states, 0, action, legal, probs)[0] == core.TERMINAL
    assert states["winner"] == 1


# --- races, the solver, players ------------------------------------------------------------------


@njit
def plain_win(rules, states, legal, level):
    """Whether the seat to move wins, by looking at everything."""
    n = core.legal_actions(rules, states[level], legal[level])
    seat = states[level].player
    for k in range(n):
        states[level + 1] = states[level]
        core.step(rules, states[level + 1], legal[level, k])
        if states[level + 1].winner == seat:
            return True
        if not plain_win(rules, states, legal, level + 1):
            return True
    return False


@pytest.mark.parametrize(("rows", "columns"), [(4, 3), (5, 3), (4, 4)])
def test_the_solver_and_races_agree_with_a_plain_search(rows, columns, rng):
    rules = GAME.make_rules(rows=rows, columns=columns)
    levels = core.new_states(rules, rules.max_game_length + 1)
    legal = np.zeros((len(levels), rules.num_actions), np.int64)
    solvers = [Solver(rules, 12, races) for races in (True, False)]
    races = 0
    for _ in range(9):  # one batch holds too few now and then
        for state in random_positions(rules, 150, rng, range(5, 9)):
            levels[0] = state
            won = plain_win(rules, levels, legal, 0)
            for solver in solvers:
                assert solver.wins(np.array([state]))[0] == won, state
            winner = kernel.race_winner(rules, state["black"], state["white"], state["player"])
            if winner >= 0:
                races += 1
                assert (winner == state["player"]) == won, state
        if races > 5:
            break
    assert races > 5


FIRST = ((4, 3), (4, 4), (4, 5), (4, 6), (5, 2), (5, 3), (5, 4), (5, 5), (6, 2), (6, 3))


@pytest.mark.parametrize(
    ("rows", "columns", "first"), [(4, 2, False), *((*size, True) for size in FIRST)]
)
def test_values_of_small_boards(rows, columns, first):
    rules = GAME.make_rules(rows=rows, columns=columns)
    assert Solver(rules).wins(position(rules)).tolist() == [first]


def test_who_is_first_in_a_race_wins():
    black, white = "a5 h8", "h4 a1"  # four steps each after a white move; no pawn meets another
    for player in (0, 1):
        states = placed(RULES, black, white, player)[0]
        # Black's a5 has White's a1 before it, White's h4 has Black's h8.
        assert kernel.race_winner(RULES, states["black"], states["white"], player) == -1
    black, white = "a5", "h4"
    for player in (0, 1):
        states = placed(RULES, black, white, player)[0]
        assert kernel.race_winner(RULES, states["black"], states["white"], player) == player
    for player in (0, 1):
        states = placed(RULES, "a4", white, player)[0]
        assert kernel.race_winner(RULES, states["black"], states["white"], player) == 0


def test_the_rule_based_player(seed):
    """It wins nearly all games against random play, and takes every win and needed capture."""
    names = ("heuristic", "random")
    policies = [make_policy(GAME, name) for name in names]
    assert make_policy(GAME, "rule:race").name == "rule:race"
    seeds = np.arange(seed % 2**32, seed % 2**32 + 400, dtype=np.uint64)
    seating = np.array([[0, 1], [1, 0]] * 200)
    games = play_many(RULES, policies, seeds, seating)
    seat = seating.argmin(axis=1)
    assert (games.returns[np.arange(400), seat] > 0).mean() > 0.97
    counts = game_counts(RULES, seeds, games.actions, games.plies)
    rule, rand = (
        dict(zip(COUNTS, counts[np.arange(400), one].sum(axis=0), strict=True))
        for one in (seat, 1 - seat)
    )
    assert counts[..., 0].sum() == games.plies.sum()
    assert rule["wins_taken"] == rule["wins_offered"] > 300
    assert rule["captures_made"] == rule["captures_needed"]
    assert rule["races_misjudged"] == 0
    assert rand["wins_offered"] + rand["captures_needed"] > 20


def test_random_players_do_what_chance_does(seed):
    """Within five standard errors: the counts and the chances beside them are of one kind."""
    seeds = np.arange(seed % 2**32, seed % 2**32 + 600, dtype=np.uint64)
    games = play_many(RULES, [make_policy(GAME, "random")] * 2, seeds, np.array([[0, 1]] * 600))
    counts = game_counts(RULES, seeds, games.actions, games.plies).sum(axis=(0, 1))
    told = dict(zip(COUNTS, counts, strict=True))
    for done, of, chance in (
        ("wins_taken", "wins_offered", "wins_chance"),
        ("captures_made", "captures_needed", "captures_chance"),
        ("races_misjudged", "races_won", "races_chance"),
    ):
        assert told[of] > 20, told
        assert abs(told[done] - told[chance]) < 2.5 * told[of] ** 0.5, told
        assert rates(counts)[done] == told[done] / told[of]
        assert rates(counts)[f"{done}_by_chance"] == told[chance] / told[of]
    assert np.isnan(list(rates(np.zeros(len(COUNTS))).values())).all()


def test_alpha_beta_finds_wins_and_the_evaluator_keeps_its_bounds(rng):
    states = placed(RULES, "a3 e6", "d5 h1 g1")  # Black's a3 is two steps away, and free
    policy = make_policy(GAME, "alphabeta:4")
    action = policy.act(decision_for(GAME, RULES, states, 1))
    assert view.action_to_string(RULES, states[0], action)[:2] in ("a3", "e6")
    out = np.zeros(2)
    for s in random_positions(RULES, 50, rng):
        evaluate(RULES, s, out)
        assert -1 < out[0] < 1 and out[1] == -out[0]
        twin = mirrored(np.array([s]), 8)[0]
        value = out[0]
        evaluate(RULES, twin, out)
        assert out[0] == pytest.approx(value)


def test_symmetries_map_legal_actions_to_those_of_the_mirror_image(rng):
    for rows, columns in SIZES:
        rules = GAME.make_rules(rows=rows, columns=columns)
        same, flipped = symmetries(rules)
        assert (same == np.arange(rules.num_actions)).all()
        assert (flipped[flipped] == same).all()
        cells = action_cells(rules)
        assert len(set(cells.tolist())) == rules.num_actions
        legal = np.zeros(rules.num_actions, np.int64)
        for state in random_positions(rules, 5, rng):
            n = core.legal_actions_at(rules, np.array([state]), 0, legal)
            ours = sorted(flipped[legal[:n]].tolist())
            n = core.legal_actions_at(rules, mirrored(np.array([state]), columns), 0, legal)
            assert legal[:n].tolist() == ours


# --- words ---------------------------------------------------------------------------------------


def test_replies():
    """Every kind of failure, and the forms a move may have."""
    states = placed(RULES, "a7 b7 c6 h8", "b6 c5 h2 a1")
    check_replies(
        GAME,
        {
            "Move: a7a6": 12 * 8 + 2,
            "I think.\n**Move: a7xb6**": 12 * 8 + 5,
            "Move: a7b6": 12 * 8 + 5,
            "Move: a7b6*": 12 * 8 + 5,
            "Move: A7-A6": 12 * 8 + 2,
            "Move: b7b6": "illegal: blocked",
            "Move: b7b6*": "illegal: blocked",
            "Move: c6c5": "illegal: blocked",
            "Move: b7c6": "illegal: occupied",
            "Move: h8g7*": "illegal: no_capture",
            "Move: a7a5": "illegal: too_far",
            "Move: a7a8": "illegal: too_far",
            "Move: h2h3": "illegal: not_your_piece",
            "Move: d4d3": "illegal: not_your_piece",
            "Move: h8i7": "illegal: off_board",
            "Move: a7a9": "illegal: off_board",
            "a7a6": "unparseable",
            "Move: resign": "unparseable",
            "": "unparseable",
        },
        states,
    )
    check_replies(
        GAME,
        {
            "a7a6": 98,
            "Answer: a7xb6": 101,
            '{"reason": "I like it", "action": "a7a6"}': 98,
            '{"reason": "no"} {"reason": "x", "action": 98}': 98,
            "no move": "unparseable",
        },
        states,
        options=TextOptions(lenient=True),
    )


def test_words():
    states = placed(RULES, "a7 h8", "b6 h1")
    assert view.board_text(RULES, states[0]).splitlines() == [
        "  a b c d e f g h",
        "8 . . . . . . . b 8",
        "7 b . . . . . . . 7",
        "6 . w . . . . . . 6",
        *(f"{row} . . . . . . . . {row}" for row in (5, 4, 3, 2)),
        "1 . . . . . . . w 1",
        "  a b c d e f g h",
        "b to move",
    ]
    assert view.move_text(RULES, states[0], 101) == "b on a7 captured on b6."
    system, user = messages(GAME, RULES, states, TextOptions(list_legal=True))
    assert (
        "You play breakthrough with the black pawns, shown as b, which move down"
        in (system["content"])
    )
    assert "two rows of pawns at the top" in system["content"]
    assert "Legal moves: h8g7, h8h7, a7a6, a7b6*" in user["content"]
    listed = messages(GAME, RULES, states, TextOptions(position="list"))[1]["content"]
    assert "b: h8 a7\nw: b6 h1\nAll other cells are empty." in listed
    small = GAME.make_rules(rows=5, columns=4)
    told = messages(GAME, small, position(small))[0]["content"]
    assert "4 columns, a to d" in told and "one row of pawns" in told and "a4b3" in told


@njit
def hash_of(rules, states):
    return position_hash(rules, states[0])


def test_a_seat_does_not_stand_for_a_pawn():
    one, other = position(RULES), position(RULES)
    one["black"], one["player"] = other["black"] - 1, 1
    assert other["player"][0] == 0 and hash_of(RULES, one) != hash_of(RULES, other)


def test_pictures_show_the_last_move_and_who_moves():
    states = position(RULES, 12 * 8 + 2)
    before, after = (render.picture(RULES, s, 400) for s in (position(RULES)[0], states[0]))
    assert before.shape == after.shape
    for square, changed in ((8, True), (16, True), (63, False)):
        x, y = render.pixel(RULES, square, 400)
        patch = (slice(y - 16, y + 16), slice(x - 16, x + 16))
        assert (before[patch] != after[patch]).any() == changed
    assert (before[:50] != after[:50]).any()
    small = GAME.make_rules(rows=3, columns=2)
    assert render.picture(small, position(small)[0], 200).ndim == 3
    assert [replay.badge(RULES, states[0], k)[0] for k in range(2)] == ["b", "w"]
