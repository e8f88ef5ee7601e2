"""What a learner is told of its answers, and many dialogues stepped together."""

from __future__ import annotations

import random

import pytest

from stratagym.agents.core import make_policy
from stratagym.envs import spec
from stratagym.envs.text import TextOptions
from stratagym.wrappers.dialogue import Dialogue, Generated, pairings
from stratagym.wrappers.dialogues import Dialogues, all_seats
from stratagym.wrappers.rewards import Rewards, regret_of


def chatter(seed: int):
    """A model that now and then makes a legal move; the same for the same seed."""
    draws = random.Random(seed)

    def reply(prompt: list[dict[str, str]]) -> str:
        if draws.random() < 0.1:
            return "I do not know."
        return f"Move: {draws.randint(1, 3)},{draws.randint(1, 3)}"

    return reply


@pytest.mark.parametrize("seat", [0, 1])
def test_by_default_rewards_add_up_to_the_return(seed, seat):
    reply = chatter(seed)
    dialogue = Dialogue("tictactoe", "random", seed=seed, seat=seat)
    while not dialogue.over:
        dialogue.answer(reply(dialogue.messages))
    assert dialogue.reward == dialogue.returns()[seat]
    assert [answer.reward for answer in dialogue.answers[:-1]] == [0] * (len(dialogue.answers) - 1)
    assert not dialogue.rewards.shaped
    assert len(dialogue.answers) == dialogue.scores()["answers"]


def test_every_reward_by_hand():
    """X at a corner; O, a perfect player, in the middle: whatever X does is a draw or a loss."""
    rewards = Rewards(
        result=10, forfeit=-3, illegal=-0.5, unparseable=-0.7, readable=0.01, turn=0.2, regret=-1
    )
    dialogue = Dialogue("tictactoe", "perfect", seed=1, seat=0, tries=3, rewards=rewards)
    dialogue.answer("Move: 1,1")
    assert dialogue.game.actions[1] == 4  # nothing else draws
    dialogue.answer("Move: 9,9")
    dialogue.answer("Move: 1,1")
    dialogue.answer("a corner, I think")
    assert dialogue.over and dialogue.forfeited
    # Unreadable, as no such square is a move; illegal, as it is taken.
    kinds = [answer.kind for answer in dialogue.answers]
    assert kinds[0] == "ok" and kinds[3] == "unparseable"
    parts = {"ok": 0.01 + 0.2, "illegal": 0.01 - 0.5, "unparseable": -0.7}
    expected = [parts[kind] for kind in kinds]
    expected[-1] += 10 * -3
    assert [answer.reward for answer in dialogue.answers] == pytest.approx(expected)
    assert dialogue.reward == pytest.approx(sum(expected))
    # What the game came to is what it was.
    assert dialogue.returns() == [-1, 1] and dialogue.scores()["return"] == -1


def test_the_same_answers_play_the_same_game_whatever_they_earn(seed):
    games = []
    for rewards in (Rewards(), Rewards(result=0, forfeit=-9, illegal=-1, turn=1, regret=-2)):
        reply = chatter(seed)
        dialogue = Dialogue("tictactoe", "random", seed=seed, seat=0, rewards=rewards)
        while not dialogue.over:
            dialogue.answer(reply(dialogue.messages))
        games.append((dialogue.record(), dialogue.scores()))
    assert games[0] == games[1]


def test_regret_is_the_result_that_is_given_away():
    """After X at a corner, O holds the draw in the middle and loses with every other answer."""
    game = spec("tictactoe")
    dialogue = Dialogue("tictactoe", make_policy(game, "random"), seed=3, seat=1)
    while dialogue.game.actions[0] not in (0, 2, 6, 8):
        dialogue = Dialogue("tictactoe", "random", seed=dialogue.seed + 1, seat=1)
    rules, states = dialogue.game.rules, dialogue.game.states
    found = {action: regret_of(game, rules, states, action) for action in dialogue.legal}
    assert found == {action: float(action != 4) for action in dialogue.legal}
    # A win that is given away costs 1 for a draw and 2 for a loss; the slower of two wins nothing.
    for actions, regrets in (([0, 1, 4, 2], {8: 0}), ([0, 1, 2, 4, 3], {6: 1, 7: 0})):
        dialogue = Dialogue("tictactoe", "random", seed=1, seat=0)
        dialogue.game.reset(1)
        for action in actions:
            dialogue.game.play(action)
        states = dialogue.game.states
        for action, regret in regrets.items():
            assert regret_of(game, rules, states, action) == regret


def test_rewards_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match=r"unknown reward 'win'; the rewards are: result, forfeit"):
        Rewards.of({"win": 1})
    for value in ("1", True, float("nan"), None):
        with pytest.raises(ValueError, match=r"reward turn=.*: a number is needed"):
            Rewards.of({"turn": value})
    assert Rewards.of({"forfeit": None}) == Rewards.of(None) == Rewards()
    with pytest.raises(ValueError, match="reward regret=-1: ludo has no solver"):
        Dialogue("ludo", seed=1, seat=0, rewards=Rewards(regret=-1))


# --- many at once --------------------------------------------------------------------------------


def test_many_dialogues_are_those_of_one(seed):
    games = pairings(2, 12, seed)
    together = Dialogues("tictactoe", "heuristic", games, tries=2)
    replies: dict[int, list[str]] = {k: [] for k in range(len(games))}
    draws, calls = random.Random(seed), []
    while not together.over:
        asked = together.open
        calls.append(len(asked))
        assert together.prompts == [together.each[k].messages for k in asked]
        said = [f"Move: {draws.randint(1, 3)},{draws.randint(1, 3)}" for _ in asked]
        for k, reply in zip(asked, said, strict=True):
            replies[k].append(reply)
        together.answer(said)
    assert calls == sorted(calls, reverse=True) and calls[0] == 12
    for k, (own, seat) in enumerate(games):
        alone = Dialogue("tictactoe", "heuristic", seed=own, seat=seat, tries=2)
        for reply in replies[k]:
            alone.answer(reply)
        assert alone.record() == together.each[k].record()
        assert alone.scores() == together.each[k].scores()


def test_a_model_is_asked_in_parts_and_what_it_kept_stays(seed):
    sizes = []

    def generate(prompts):
        sizes.append(len(prompts))
        return [Generated("Move: 2,2", [1, 2], [7, 8, 9], [-0.1, -0.2, -0.3]) for _ in prompts]

    played = all_seats("tictactoe", "random", 6, seed, tries=1).play(generate, most=4)
    assert sizes[:2] == [4, 2] and max(sizes) <= 4
    assert len(played) == 6
    for dialogue in played:
        for answer in dialogue.answers:
            assert answer.reply.token_ids == [7, 8, 9] and answer.reply.logprobs[0] == -0.1
            assert answer.prompt[-1]["role"] == "user"
        assert dialogue.over


def test_the_client_is_told_the_legal_moves(seed):
    both = Dialogues("tictactoe", "random", [(seed, 0), (seed, 1)])
    first, second = both.moves
    assert first == [f"{k % 3 + 1},{k // 3 + 1}" for k in range(9)]
    assert len(second) == 8 and set(second) < set(first)
    renamed = Dialogue("texas_holdem", "random", seed=seed, seat=0, text=TextOptions(renamed=True))
    assert renamed.answer(f"{renamed.moves[0]} | why not").kind == "ok"
    while not both.over:
        both.answer([f"Move: {moves[0]}" for moves in both.moves])
    assert both.moves == [] and both.each[0].moves == [] and both.each[0].legal == []
    assert sum(dialogue.counts["ok"] for dialogue in both.each) == sum(
        len(dialogue.answers) for dialogue in both.each
    )


def test_a_wrong_number_of_answers_is_refused():
    both = Dialogues("tictactoe", "random", [(1, 0), (2, 0)])
    with pytest.raises(ValueError, match="1 answers for 2 open questions"):
        both.answer(["Move: 1,1"])
    assert [len(dialogue.answers) for dialogue in both.each] == [0, 0]
    with pytest.raises(ValueError, match="nobody"):
        Dialogues("tictactoe", "nobody", [(1, 0)])
