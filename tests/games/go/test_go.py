"""Go against OpenSpiel, GNU Go, sgfmill, PettingZoo, Pgx, counts and the plain definition."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from numba import njit
from perft import perft
from plain_go import Plain, choices_after, points

from stratagym.agents.engines import find_engine
from stratagym.agents.games.go import symmetries
from stratagym.envs import core, spec
from stratagym.envs.batch import BatchEnv
from stratagym.envs.go import gtp, view
from stratagym.envs.go.rules import FREE, MOVE_LIMIT, PASSES, grid_of
from stratagym.testing import RandomGame, position, same_as_pettingzoo

GAME = spec("go")
RULES = GAME.make_rules()
PERFT = {
    2: (5, 21, 68, 156, 316, 604, 1088, 2184),
    3: (10, 91, 738, 5281, 33384, 179712),
    5: (26, 651, 15650, 361041),
    9: (82, 6643, 531522),
    19: (362, 130683),
}


# --- the rules -----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", PERFT)
def test_numbers_of_games(size):
    rules = GAME.make_rules(size=size)
    for depth, expected in enumerate(PERFT[size], 1):
        assert perft(rules, position(rules), depth) == expected


def flipped(size, action):
    """OpenSpiel's action: its rows count from the bottom."""
    row, column = divmod(action, size)
    return action if row == size else (size - 1 - row) * size + column


def repeats(state, action):
    """Whether OpenSpiel draws the game after an action, because a position comes back."""
    child = state.child(action)
    return child.is_terminal() and list(child.returns()) == [0, 0]


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("size", "games"),
    [(2, 50), (3, 100), (5, 100), (9, 40), pytest.param(9, 200, marks=pytest.mark.slow)],
)
def test_games_are_openspiels_without_repetitions(size, games, rng):
    """Where a position would come back, theirs draws and ours has no such move."""
    pyspiel = pytest.importorskip("pyspiel", reason="pip install open_spiel")
    rules = GAME.make_rules(size=size)
    loaded = pyspiel.load_game(f"go(board_size={size},komi={rules.komi})")
    for _ in range(games):
        game, state = RandomGame(rules, int(rng.integers(2**63))), loaded.new_initial_state()
        for seat, legal, action in zip(game.players, game.choices, game.actions, strict=True):
            assert not state.is_terminal() and state.current_player() == seat
            ours = {flipped(size, choice) for choice in legal.tolist()}
            theirs = set(state.legal_actions())
            assert ours <= theirs, state.history()
            assert all(repeats(state, more) for more in theirs - ours), state.history()
            if size <= 5:
                again = {move for move in ours if repeats(state, move)}
                assert again <= {size * size}, state.history()
            state.apply_action(flipped(size, action))
        assert state.is_terminal()
        assert game.returns(game.end).tolist() == list(state.returns()), state.history()


@pytest.mark.parametrize("ko", ["positional", "situational", "simple"])
@pytest.mark.parametrize(("size", "games"), [(2, 30), (3, 15), (4, 5), (6, 1)])
def test_moves_follow_the_definition(size, games, ko, rng):
    cap = int(rng.integers(1, 2 * size * size + 1))
    komi = int(rng.integers(-8, 9)) / 4
    for rules in (
        GAME.make_rules(size=size, ko=ko),
        GAME.make_rules(size=size, ko=ko, max_length=cap, komi=komi),
    ):
        for _ in range(games):
            game, plain = RandomGame(rules, int(rng.integers(2**63))), Plain(rules)
            for states, legal, action in zip(game.states, game.choices, game.actions, strict=True):
                shown = {
                    point: int(there)
                    for point, there in np.ndenumerate(grid_of(rules, states[0]))
                    if there != FREE
                }
                assert shown == plain.stones
                assert legal.tolist() == plain.legal(), game.actions
                assert view.area(rules, states[0]) == plain.area()
                plain.play(action)
            passed = game.actions[-2:] == [size * size] * 2
            assert game.end["over"][0] == (PASSES if passed else MOVE_LIMIT)
            assert passed or len(game.actions) == rules.max_game_length
            lead = plain.area() - rules.komi
            assert game.end["area"][0] == plain.area()
            sign = (lead > 0) - (lead < 0)
            assert game.returns(game.end).tolist() == [sign, -sign]


def test_a_move_is_legal_at_once_as_in_the_list(rng):
    for rules in (RULES, GAME.make_rules(size=3, ko="situational")):
        game = RandomGame(rules, int(rng.integers(2**63)))
        legal, _ = core.new_scratch(rules)
        for states, choices in zip(game.states, game.choices, strict=True):
            told = [
                action
                for action in range(-2, rules.num_actions + 2)
                if core.is_legal_action_at(rules, states, 0, action, legal)
            ]
            assert told == choices.tolist()


@pytest.mark.parametrize("ko", ["positional", "situational", "simple"])
def test_three_kos_in_a_ring(ko):
    """After six captures in turn all stones would stand as before."""
    rules = GAME.make_rules(ko=ko)
    black = points("A9 B8 F9 G8 A1 B2 C1 E5")
    white = points("B9 D9 C8 G9 J9 H8 D1 C2")
    start = [action for pair in zip(black, white, strict=True) for action in pair]
    ring = points("C9 B1 H9 B9 C1 G9")
    for k in range(1, 6):
        taken = position(rules, *start, *ring[:k])["prisoners"][0]
        assert taken.tolist() == [(k + 1) // 2, k // 2]
        assert ring[k - 1] not in choices_after(rules, *start, *ring[:k])  # it is occupied
        # What has just been taken must not be taken back.
        back = points("B9 C1 G9 C9 B1")[k - 1]
        assert back not in choices_after(rules, *start, *ring[:k])
    assert (ring[5] in choices_after(rules, *start, *ring[:5])) == (ko == "simple")


@pytest.mark.parametrize("ko", ["positional", "situational", "simple"])
def test_two_stones_sent_and_one_returned(ko):
    """Black adds a stone, White takes both, Black takes that stone: all stand as before.

    But now it is White's turn, so that the situation is another.
    """
    rules = GAME.make_rules(size=5, ko=ko)
    sent = points("B1 B2 A2 C2 E5 D1 C1 A1", 5)
    assert position(rules, *sent)["prisoners"][0].tolist() == [0, 2]
    (back,) = points("B1", 5)
    assert (back in choices_after(rules, *sent)) == (ko != "positional")


def test_suicide_is_illegal_of_one_stone_and_of_two():
    rules = GAME.make_rules(size=3)
    sent = points("A2 A1 B2 pass C1", 3)
    (there,) = points("B1", 3)
    assert there not in choices_after(rules, *sent)
    assert view.why_illegal(rules, position(rules, *sent)[0], there) == "suicide"
    # For Black it is no suicide, for it takes.
    taken = position(rules, *sent, 9, there)
    assert taken["prisoners"][0].tolist() == [1, 0]
    assert points("A1", 3)[0] not in choices_after(rules, *sent, 9, there)


@pytest.mark.parametrize(
    ("size", "stones"),
    [
        (19, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        pytest.param(13, "D4 K10 D10 K4 D7 K7 G4 G10 G7", marks=pytest.mark.slow),
        (9, "C3 G7 C7 G3 C5 G5 E3 E7 E5"),
    ],
)
def test_handicap_stones_stand_where_gtp_has_them(size, stones):
    names = stones.split()
    for count in range(2, 10):
        rules = GAME.make_rules(size=size, handicap=count)
        even = names[: count - count % 2] if count > 3 else names[:count]
        expected = {*even, *([names[8]] if count in (5, 7, 9) else [])}
        states = position(rules)
        assert states["player"][0] == 1 and states["plies"][0] == 0
        black = np.flatnonzero(grid_of(rules, states[0]).ravel() == 0).tolist()
        assert {view.action_to_string(rules, states[0], action) for action in black} == expected


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": 20}, "from 2 to 19"),
        ({"komi": 7.3}, "quarters"),
        ({"komi": "nan"}, "quarters"),
        ({"komi": 1000}, "quarters"),
        ({"size": 5, "handicap": 2}, "size 9, 13 or 19"),
        ({"size": 3, "max_length": 19}, "at most 18"),
        ({"ko": "super"}, "choose one of"),
    ],
)
def test_bad_options_are_one_line(options, words):
    with pytest.raises(ValueError, match=words) as raised:
        GAME.make_rules(**options)
    assert "\n" not in str(raised.value)


@njit
def random_results(rules, states, legal, probs, seed, lengths, results):
    total = np.zeros(2)
    for game in range(len(lengths)):
        core.start(rules, states[0], core.derive_seed(seed, game), probs)
        while core.current_player(rules, states[0]) >= 0:
            n = core.legal_actions(rules, states[0], legal)
            core.step(rules, states[0], legal[core.random_below(states[0], n)])
        core.returns(rules, states[0], total)
        lengths[game], results[game] = states[0].plies, total[0]


def test_random_games_are_as_long_and_won_as_often_as_they_should_be(seed):
    """By 600 random games of OpenSpiel: 119 plies, White wins .60."""
    n, theirs = 4000, 600
    lengths, results = np.empty(n), np.empty(n)
    random_results(RULES, core.new_states(RULES), *core.new_scratch(RULES), seed, lengths, results)
    for sample, mean in ((lengths, 119), (results < 0, 0.60)):
        error = sample.std() * (1 / n + 1 / theirs) ** 0.5
        assert abs(sample.mean() - mean) < 5.5 * error


@pytest.mark.oracle
@pytest.mark.parametrize("size", [9, pytest.param(13, marks=pytest.mark.slow)])
def test_areas_are_sgfmills(size, rng):
    """Of random positions and of ends."""
    boards = pytest.importorskip("sgfmill.boards", reason="pip install sgfmill")
    rules = GAME.make_rules(size=size)
    for _ in range(6):
        game = RandomGame(rules, int(rng.integers(2**63)))
        for states in [*game.states[::20], game.end]:
            board = boards.Board(size)
            for (row, column), there in np.ndenumerate(grid_of(rules, states[0])):
                if there != FREE:
                    board.play(size - 1 - row, column, "bw"[there])
            assert board.area_score() == view.area(rules, states[0])
        assert game.end["area"][0] == view.area(rules, game.end[0])


class GnuGo:
    """GNU Go as an oracle of the rules."""

    def __init__(self):
        self.process = subprocess.Popen(
            [find_engine("gnugo"), "--mode", "gtp", "--chinese-rules", "--positional-superko"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, command):
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        answer = ""
        while not answer.endswith("\n\n"):
            answer += self.process.stdout.readline()
        assert answer.startswith("="), (command, answer)
        return answer[1:].split()


@pytest.fixture(scope="module")
def gnugo():
    try:
        engine = GnuGo()
    except ValueError as error:
        pytest.skip(str(error))
    yield engine
    engine.process.kill()
    engine.process.wait()


@pytest.mark.oracle
@pytest.mark.parametrize("games", [3, pytest.param(40, marks=pytest.mark.slow)])
def test_moves_are_gnu_gos(gnugo, games, rng):
    """All legal moves of 9 x 9 games, but those that repeat a position: it allows some of these."""
    for _ in range(games):
        game = RandomGame(RULES, int(rng.integers(2**63)))
        gnugo.ask("boardsize 9")
        gnugo.ask("clear_board")
        for states, seat, legal, action in zip(
            game.states, game.players, game.choices, game.actions, strict=True
        ):
            colour = gtp.COLOURS[seat]
            ours = {gtp.vertex(RULES, choice) for choice in legal[:-1].tolist()}
            theirs = set(gnugo.ask(f"all_legal {colour}"))
            assert ours <= theirs, game.actions
            for name in theirs - ours:
                there = view.string_to_action(RULES, states[0], name)
                assert view.why_illegal(RULES, states[0], there) == "repetition"
            gnugo.ask(f"play {colour} {gtp.vertex(RULES, action)}")


def test_gnu_go_has_its_handicap_stones_there_too(gnugo):
    for size, most in ((9, 4), (19, 9)):
        gnugo.ask(f"boardsize {size}")
        for count in range(2, most + 1):
            rules = GAME.make_rules(size=size, handicap=count)
            gnugo.ask("clear_board")
            told = gnugo.ask(f"fixed_handicap {count}")
            black = np.flatnonzero(grid_of(rules, position(rules)[0]).ravel() == 0)
            assert {gtp.vertex(rules, int(action)) for action in black} == set(told)


def test_gnu_go_is_shown_the_position_as_it_is(gnugo, rng):
    """The stones, the prisoners aside, and what may not be taken back at once."""
    for size in (9, 5):
        rules = GAME.make_rules(size=size)
        game = RandomGame(rules, int(rng.integers(2**63)))
        for states, seat, legal in zip(game.states, game.players, game.choices, strict=True):
            for command in gtp.setup(rules, states[0]):
                gnugo.ask(command)
            for owner, colour in enumerate(gtp.COLOURS):
                ours = np.flatnonzero(grid_of(rules, states[0]).ravel() == owner).tolist()
                told = set(gnugo.ask(f"list_stones {colour}"))
                assert told == {gtp.vertex(rules, action) for action in ours}
            if states["ko"][0]:
                theirs = set(gnugo.ask(f"all_legal {gtp.COLOURS[seat]}"))
                assert theirs >= {gtp.vertex(rules, action) for action in legal[:-1].tolist()}


# --- encodings -----------------------------------------------------------------------------------


@pytest.mark.oracle
@pytest.mark.parametrize(("size", "games"), [(9, 2), (5, 10)])
def test_observations_and_masks_are_pettingzoos(size, games, rng):
    """Under the simple rule; theirs have no limit of moves, so that games end by passes in time."""
    go_v5 = pytest.importorskip("pettingzoo.classic.go_v5")

    def choose(rng, states, legal):
        if states["plies"][0] > 2 * size * size - 12:
            return int(legal[-1])
        return int(rng.choice(legal))

    options = {"size": size, "ko": "simple", "observation": "pettingzoo"}
    same_as_pettingzoo("go", go_v5.env(board_size=size), games, rng, options=options, choose=choose)


@pytest.mark.oracle
def test_planes_and_masks_are_pgxs(rng):
    """Where a position would come back, its mover loses in Pgx."""
    pgx = pytest.importorskip("pgx")
    jax = pytest.importorskip("jax")
    env = pgx.make("go_9x9")
    init, forward = jax.jit(env.init), jax.jit(env.step)
    for k in range(20):
        theirs = init(jax.random.PRNGKey(k))
        game = RandomGame(RULES, int(rng.integers(2**63)))
        for states, player, legal, action in zip(
            game.states, game.players, game.choices, game.actions, strict=True
        ):
            assert not theirs.terminated
            allowed = set(np.flatnonzero(np.asarray(theirs.legal_action_mask)).tolist())
            assert set(legal.tolist()) <= allowed
            for more in allowed - set(legal.tolist()):
                assert forward(theirs, more).terminated
            assert (game.observation(states, player) == np.asarray(theirs.observation)).all()
            theirs = forward(theirs, action)
        assert theirs.terminated


def test_boards_of_the_past_are_shown_from_both_sides(rng):
    """Planes by the grids of the game's last eight states."""
    for handicap in (0, 4):
        rules = GAME.make_rules(handicap=handicap)
        game = RandomGame(rules, int(rng.integers(2**63)))
        for ply in (*range(12), len(game.states) - 1):
            for seat in range(2):
                planes = game.observation(game.states[ply], seat)
                assert (planes[..., 16] == seat).all()
                for back in range(8):
                    shown = np.full((9, 9), FREE)
                    if ply >= back:
                        shown = grid_of(rules, game.states[ply - back][0])
                    assert (planes[..., 2 * back] == (shown == seat)).all()
                    assert (planes[..., 2 * back + 1] == (shown == 1 - seat)).all()


@pytest.mark.parametrize("size", [2, 5, 8, 9, pytest.param(19, marks=pytest.mark.slow)])
def test_masks_of_a_batch_are_the_legal_actions(size, rng):
    """Eight points are written at a time, and neither the next row nor the next game is touched."""
    rules = GAME.make_rules(size=size)
    games = 7 if size > 9 else 23
    batch = BatchEnv(GAME, rules, games, seed=int(rng.integers(2**63)), autoreset=False)
    legal, _ = core.new_scratch(rules)
    while (batch.players >= 0).any():
        actions = np.zeros(games, np.int64)
        for i, mask in enumerate(batch.action_masks):
            over = batch.players[i] < 0
            n = 0 if over else core.legal_actions_at(rules, batch.states, i, legal)
            assert np.flatnonzero(mask).tolist() == legal[:n].tolist() and mask.max() < 2
            actions[i] = 0 if over else rng.choice(legal[:n])
        batch.step(actions)
    assert not batch.action_masks.any()


def test_planes_are_the_same_one_by_one_and_eight_at_a_time(rng):
    """Into bytes they are written eight at a time, into other numbers one by one."""
    for size in (2, 5, 9):
        rules = GAME.make_rules(size=size)
        game = RandomGame(rules, int(rng.integers(2**63)))
        one_by_one = np.zeros(rules.observation_shape, np.int16)
        for states in game.states[::3]:
            for seat in range(2):
                core.observe_at(rules, states, 0, seat, one_by_one)
                assert (game.observation(states, seat) == one_by_one).all()


def test_a_transformed_game_has_the_transformed_moves(rng):
    rules = GAME.make_rules(size=4)
    table = symmetries(rules)
    assert table.shape == (8, 17) and (table[:, 16] == 16).all()
    assert len({tuple(row) for row in table.tolist()}) == 8
    game = RandomGame(rules, int(rng.integers(2**63)))
    for permutation in table:
        actions = [int(permutation[action]) for action in game.actions]
        for ply in range(0, len(actions), 3):
            image = set(permutation[game.choices[ply]].tolist())
            assert choices_after(rules, *actions[:ply]) == image
        end = position(rules, *actions)
        assert end["area"][0] == game.end["area"][0]
