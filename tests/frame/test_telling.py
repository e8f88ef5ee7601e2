"""Whether prompts tell all that counts: many positions of every game, and what was mended by it.

The contract looks at some positions of each game; ``python -m stratagym.testing.telling`` at many.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from ours import our_games

from stratagym.envs import core, prompts, spec
from stratagym.envs.chess import notation
from stratagym.envs.chess.past import moves_since
from stratagym.envs.text import TextGame, TextOptions
from stratagym.testing import RandomGame, position, telling
from stratagym.testing import prompts as side_by_side

ALONE = ("breakthrough", "gomoku", "reversi")
"""Games whose records have nothing that counts but what prompts tell: no two have one prompt."""
PLANS = ("battle_card", "elemental_duel", "tower_defence")
"""Games whose prompts tell nearly all: of a thousand positions one to six are of a pair."""


@pytest.mark.slow
@pytest.mark.parametrize("name", our_games())
def test_many_prompts_tell_all_that_counts(name, seed):
    # To 200 pairs Ludo needs 200,000 positions.
    states = 60_000 if name in ALONE else 6_000 if name in PLANS else 10_000_000
    told = telling.look(spec(name), seed % 2**60, pairs=200, states=states, mixtures=12)
    print(f"{name}: {told}")
    assert not told.faults, str(told.faults[0])
    assert told.pairs >= 200 or name in (*ALONE, *PLANS), told


def asked(game, *actions, seed=0, text=TextOptions(), **options):  # noqa: B008 - frozen
    """The prompt after these actions from the start."""
    rules = spec(game).make_rules(**options)
    told = prompts.messages(spec(game), rules, position(rules, *actions, seed=seed), text)
    return "\n\n".join(message["content"] for message in told)


def test_chess_tells_the_moves_by_which_positions_repeat(seed):
    """The moves that are found from hashes are those that were played; castling among them."""
    rng, castled, most = np.random.default_rng(seed), 0, 0
    rules = spec("chess").make_rules(draws="fide")
    for k in range(4):
        states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
        core.start_at(rules, states, 0, np.uint64(0), probs)
        if k % 2:  # where both may castle on both sides at once
            notation.set_fen(rules, states, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
        played: list[str] = []
        for _ in range(120):
            if core.current_player_at(rules, states, 0) < 0:
                break
            choice = legal[: core.legal_actions_at(rules, states, 0, legal)].tolist()
            before = notation.piece_map(states[0])
            quiet = [a for a in choice if is_quiet(states[0], a, before)]
            castling = [a for a in quiet if "O-O" in notation.san(states[0], a)]
            action = int(rng.choice(castling or (quiet if rng.random() < 0.95 else []) or choice))
            castled += bool(castling)
            played.append(notation.uci(states[0], action))
            core.play_at(rules, states, 0, action, legal, probs)
            if states["halfmove_clock"][0] == 0:
                played = []
            assert moves_since(states[0]) == played
            most = max(most, len(played))
    assert castled > 1 and most > 1  # both castle at once in the second game


def is_quiet(s, action, pieces):
    """Whether a move is neither a capture nor a pawn's."""
    move = notation.uci(s, action)
    here, there = (notation.parse_square(part) for part in (move[:2], move[2:4]))
    return there not in pieces and pieces[here][1] != 0


def test_chess_prompts_of_one_position_differ_by_its_past():
    knights, others = ("g1f3", "g8f6", "f3g1", "f6g8"), ("b1c3", "b8c6", "c3b1", "c6b8")
    told = [chess_after(*moves) for moves in (knights, others, knights + knights[:3])]
    assert "the oldest first: g1f3 g8f6 f3g1 f6g8\n" in told[0] and told[0] != told[1]
    assert "now included: 2 times" in told[0] and "now included: 2 times" in told[2]
    assert "the oldest first: none\n" in chess_after() and "1 time\n" in chess_after() + "\n"
    assert "oldest first" not in chess_after(judge="botzone")


def chess_after(*moves, **options):
    game = TextGame("chess", **options)
    game.reset(0)
    for move in moves:
        game.submit(f"{move} | so")
    return game.observe().messages[-1]["content"]


def test_prompts_of_0_1_are_what_they_were():
    for name in ("chess", "ludo"):
        merged = asked(name, seed=3, text=TextOptions(system="merge"))
        assert "oldest first" not in merged and "throws of all players" not in merged
        assert merged != asked(name, seed=3)


@pytest.mark.parametrize("ko", ["positional", "situational", "simple"])
def test_go_names_the_points_that_repetition_forbids(ko, seed):
    """Free points that are not legal are suicides, or told; in games on small boards."""
    rules, view = spec("go").make_rules(size=4, ko=ko), spec("go").module("view")
    found = 0
    for k in range(150):
        played = RandomGame(rules, (seed + k) % 2**63)
        for states, choice in zip(played.states, played.choices, strict=True):
            told = view.repeating(rules, states[0])
            free = np.flatnonzero(states["colour"][0] == 2)
            free = [int(p - p // 5 - 5) for p in free]  # points lie with walls around them
            found += len(told)
            for action in set(free) - set(choice.tolist()):
                name = view.action_to_string(rules, states[0], action)
                reason = view.why_illegal(rules, states[0], action)
                assert (name in told) == (reason == "repetition")
            line = f"by repetition: {' '.join(told) or 'none'}"
            assert line in view.position_text(rules, states[0], played.players[0], "grid")
    assert found


def test_answers_are_asked_for_that_can_be_given():
    assert "or pass" in asked("ataxx") and "pass" not in asked("ataxx", judge="botzone").lower()
    usual, swap = asked("gomoku"), asked("gomoku", opening="swap2")
    assert "black, white or more" not in usual
    assert "Move: <column letter><row number>, or black, white or more" in swap


def test_gomokus_prompts_tell_who_has_which_colour_under_swap2():
    """A fourth stone is placed in the opening, or behind it by who has White."""
    taken, placed = (asked("gomoku", 0, 1, 2, choice, 3, opening="swap2") for choice in (225, 227))
    assert "You are Black (X).\n\nIt is your turn: place one X." in taken
    assert "Nobody has taken a colour yet.\n\nIt is your turn: place one X." in placed
    assert "You are" not in asked("gomoku", 0).split("The board now")[1]


def test_the_landlords_prompts_tell_what_the_game_is_worth(seed):
    game = TextGame("dou_dizhu", bidding="points")
    game.reset(seed % 1000)
    first = game.rules.num_actions - 4
    assert "The highest bid: none\nPlayers who have bid or passed: 0 of 3" in said(game)
    game.play(first)
    game.play(first + 2)
    by = "The highest bid: 2, by the previous player (left)\nPlayers who have bid or passed: 2 of 3"
    assert by in said(game)
    game.play(first)
    rng, bombs = np.random.default_rng(seed), 0
    while not game.over:
        s, told = game.states[0], said(game)
        bombs = int(s["bombs"])
        assert f"The stake: {2 << bombs}, the bid of 2 doubled for each bomb and rocket" in told
        for seat, name in ((game.seat, "You"), ((game.seat + 1) % 3, "Next player (right)")):
            assert f"{name}: " in told and f"({int(s['moves'][seat])} play" in told
        game.play(int(rng.choice(game.observe().legal)))
    for options, line in (({"score": "botzone"}, "hundredths"), ({"score": "win"}, "(0 plays)")):
        told = asked("dou_dizhu", plays="whole", **options)
        assert line in told and "The stake" not in told
    pairs = asked("dou_dizhu", plays="whole", kickers="loose")
    assert "Pairs may be among the singles, more than one too" in pairs


def said(game):
    return game.observe().messages[-1]["content"]


def test_mahjongs_prompts_tell_when_a_kong_may_be_made():
    told = asked("mcr_mahjong")
    assert "needs a tile left in its player's own wall" in told
    assert "A kong of any kind" not in asked("mcr_mahjong", wall="one")


@pytest.mark.parametrize("name", ["tower_defence", "battle_card", "elemental_duel"])
def test_plan_games_tell_the_rounds_so_far_and_list_no_void(name, seed):
    game = TextGame(name, TextOptions(list_legal=True), rounds=4, updates="both")
    game.reset(1)
    rng = np.random.default_rng(seed)
    while not game.over:
        question, k = game.observe(), int(game.states["round"][0])
        told = question.messages[-1]["content"]
        results = game.states["result"][0][:k] * (1 - 2 * game.seat)
        line = (
            f"Rounds so far: you won {(results > 0).sum()}, lost {(results < 0).sum()}, "
            f"drew {(results == 0).sum()}."
        )
        assert (line in told) == (k > 1)
        words = game.spec.module("view").action_to_string
        named = [words(game.rules, question.states[0], action) for action in question.legal]
        assert not re.search(r"\bvoid\b(?!_)", told)
        breaks = "void" in named and rng.random() < 0.5
        game.play(
            question.legal[named.index("void")] if breaks else int(rng.choice(question.legal))
        )
    sides = {name: ("attacker", "defender")}.get("tower_defence", ("invaders", "defenders"))
    for first, side in zip(("attacker", "defender"), sides, strict=True):
        assert f"in turn, the {side} first" in asked(name, rounds=3, first=first)


def test_prompts_side_by_side_show_what_is_true_for_one_seat_alone(capsys):
    assert side_by_side.main(["tictactoe", "--games", "1"]) == 0
    told = capsys.readouterr().out
    assert "===== phase 1 of 1: " in told and "----- seat 1, where it differs from seat 0" in told
    assert "\n-You play tic-tac-toe with the mark X; your opponent has O.\n" in told
    assert "\n+You play tic-tac-toe with the mark O; your opponent has X.\n" in told
    assert side_by_side.main(["tictactoe", "--option", "sides=3"]) == 2
    assert side_by_side.main(["no_such_game"]) == 2
