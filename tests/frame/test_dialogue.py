"""One seat's conversation with a game against policies."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stratagym.agents.core import decision_for, make_policy
from stratagym.envs import spec
from stratagym.envs.text import TextGame, TextOptions
from stratagym.wrappers.dialogue import Dialogue, pairings


def play(dialogue: Dialogue, say: Callable[[int], str]) -> None:
    """Answer the n-th question with ``say(n)`` until nothing is asked any more."""
    n = 0
    while not dialogue.over:
        assert dialogue.messages[-1]["role"] == "user"
        dialogue.answer(say(n))
        n += 1
    assert dialogue.messages == []


def squares(n: int) -> str:
    return f"Move: {n // 3 % 3 + 1},{n % 3 + 1}"


def replayed(dialogue: Dialogue) -> TextGame:
    """The recorded game, played again."""
    game = TextGame(dialogue.game.spec.name, rules=dialogue.game.rules)
    game.reset(dialogue.seed)
    for action in dialogue.record()["actions"]:
        game.play(action)
    return game


@pytest.mark.parametrize("seat", [0, 1])
def test_a_game_scores_what_its_rules_say(seed, seat):
    dialogue = Dialogue("tictactoe", "random", seed=seed, seat=seat, tries=9)
    play(dialogue, squares)
    game = replayed(dialogue)
    assert game.over
    assert dialogue.returns() == game.returns()
    scores = dialogue.scores()
    assert scores["return"] == game.returns()[seat]
    assert scores["win"] - scores["loss"] == game.returns()[seat]
    assert scores["win"] + scores["draw"] + scores["loss"] == 1
    own = sum(k % 2 == seat for k in range(len(game.actions)))
    assert scores["answers"] == own + scores["illegal"]
    assert scores["unparseable"] == scores["forfeit"] == 0


@pytest.mark.parametrize("seat", [0, 1])
def test_a_drawn_game_is_neither_won_nor_lost(seed, seat):
    dialogue = Dialogue("tictactoe", "perfect", seed=seed, seat=seat)
    game, perfect = dialogue.game, make_policy(spec("tictactoe"), "perfect")
    while not dialogue.over:
        action = perfect.act(decision_for(game.spec, game.rules, game.states, seed))
        view = game.spec.module("view")
        move = view.action_to_string(game.rules, game.states[0], action)
        assert dialogue.answer(f"Move: {move}").kind == "ok"
    scores = dialogue.scores()
    assert (scores["win"], scores["draw"], scores["loss"]) == (0, 1, 0)


def test_the_same_seed_gives_the_same_game(seed):
    games = []
    for _ in range(2):
        dialogue = Dialogue("connect_four", "random", seed=seed, seat=1, invalid="random", tries=1)
        play(dialogue, lambda n: "no idea")
        games.append(dialogue.record())
    assert games[0] == games[1]
    assert games[0]["ended_by"] == "terminal"


def test_a_bad_answer_is_quoted_back_and_then_forfeits(seed):
    dialogue = Dialogue("tictactoe", "random", seed=seed, seat=0, tries=3)
    first = dialogue.messages
    assert dialogue.answer("Move: 4,4").kind == "illegal"
    assert dialogue.messages[: len(first)] == first
    assert dialogue.messages[-2] == {"role": "assistant", "content": "Move: 4,4"}
    assert dialogue.news == dialogue.messages[-1]["content"]
    assert "no_such_square" in dialogue.news
    dialogue.answer("the middle, please")
    assert not dialogue.over
    dialogue.answer("")
    assert dialogue.over and dialogue.forfeited
    scores = dialogue.scores()
    assert (scores["return"], scores["loss"], scores["forfeit"]) == (-1, 1, 1)
    assert (scores["illegal"], scores["unparseable"], scores["answers"]) == (1, 2, 3)
    assert dialogue.record()["ended_by"] == "forfeit" and not dialogue.record()["actions"]
    with pytest.raises(ValueError, match="over"):
        dialogue.answer("Move: 1,1")


def test_a_good_answer_gives_back_all_tries(seed):
    dialogue = Dialogue("connect_four", "random", seed=seed, seat=0, tries=2)
    for column in (1, 2):
        dialogue.answer("hm")
        assert dialogue.answer(f"Move: {column}").kind == "ok"
    assert not dialogue.forfeited


def test_a_random_move_stands_in(seed):
    dialogue = Dialogue("tictactoe", "random", seed=seed, seat=0, tries=2, invalid="random")
    play(dialogue, lambda n: "pass")
    assert dialogue.scores()["answers"] == 2 * dialogue.scores()["replaced"] > 0
    assert dialogue.scores()["return"] == replayed(dialogue).returns()[0]


def test_a_forfeit_in_a_cooperative_game_scores_nothing(seed):
    dialogue = Dialogue("hanabi", "random", seed=seed, seat=1, tries=1)
    dialogue.answer("?")
    assert dialogue.returns() == [0.0] * dialogue.players
    assert "win" not in dialogue.scores()


def test_a_forfeit_is_shared_by_the_others(seed):
    dialogue = Dialogue("ludo", "random", seed=seed, seat=2, tries=1, options={"players": 4})
    dialogue.answer("?")
    third = pytest.approx(1 / 3)
    assert dialogue.returns() == [third, third, -1.0, third]


def test_every_seed_is_played_from_every_seat(seed):
    pairs = pairings(3, 12, seed)
    assert len(set(pairs)) == 12
    assert len({k for k, _ in pairs}) == 4
    assert [seat for _, seat in pairs] == [0, 1, 2] * 4
    assert pairs != pairings(3, 12, seed + 1)
    assert len(pairings(2, None, 0)) == 20


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: pairings(2, 3, 0), "multiple of 2"),
        (lambda: pairings(2, 0, 0), "multiple of 2"),
        (lambda: pairings(2, 2, -1), "seed -1"),
        (lambda: Dialogue("tictactoe", seed=0, seat=2), "seats 0 to 1"),
        (lambda: Dialogue("tictactoe", seed=0, seat=0, tries=0), "at least 1"),
        (lambda: Dialogue("tictactoe", seed=0, seat=0, invalid="no"), "choose forfeit or random"),
        (lambda: Dialogue("tictactoe", "nobody", seed=0, seat=0), "unknown policy"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(call, said):
    with pytest.raises(ValueError, match=said) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_running_conversation_is_told_once_what_stays_the_same(seed):
    dialogue = Dialogue("tictactoe", "random", seed=seed, seat=0)
    system, asked = dialogue.messages
    assert dialogue.news == f"{system['content']}\n\n{asked['content']}"
    dialogue.answer("Move: 2,2")
    assert dialogue.messages[0] == system
    assert dialogue.news == dialogue.messages[1]["content"]


def test_options_of_prompts_are_known_by_name():
    assert TextOptions().with_more({"system": "merge"}) == TextOptions(system="merge")
    assert TextOptions().with_more(None) == TextOptions()
    with pytest.raises(ValueError, match="unknown option of prompts 'sytem'; the options are: "):
        TextOptions().with_more({"sytem": "merge"})
