"""Games of thousands of actions: masks, readers of moves, records. The game is
``tiny_games.wide``.
"""

from __future__ import annotations

import asyncio
import json
import pickle

import numpy as np
import pytest
from tiny_games import wide

from stratagym import envs
from stratagym.agents.chat import ScriptedChat
from stratagym.agents.core import make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import replays
from stratagym.benchmarks.harness.decisions import MOST_LEGAL
from stratagym.benchmarks.harness.match_play import AnswerProtocol, SeatedMatch, play_matches
from stratagym.benchmarks.harness.records import JsonlWriter, read_decisions
from stratagym.envs import aec
from stratagym.envs.text import TextOptions
from stratagym.testing import position

GAME = wide.SPEC
envs.register(GAME)


@pytest.mark.parametrize("actions", [100, aec.CLEARED, aec.CLEARED + 1])
def test_masks_are_those_of_their_step_however_long_they_are_held(actions, rng, seed):
    """Some are dropped at once, some kept, some by a part of them only."""
    env, state = envs.make("wide", actions=actions), envs.make_state("wide", actions=actions)
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    for episode in range(6):
        env.reset(seed=seed % 2**62 + episode)
        state.reset(seed % 2**62 + episode)
        while not state.is_terminal():
            legal = state.legal_actions()
            mask = env.infos[env.agent_selection]["action_mask"]
            assert np.flatnonzero(mask).tolist() == legal
            other = next(agent for agent in env.agents if agent != env.agent_selection)
            assert not env.infos[other]["action_mask"].any()
            how = rng.integers(4)
            if how < 2:
                part = mask if how == 0 else mask[5:]
                kept.append((part, part.copy()))
            if how == 3:
                kept = kept[rng.integers(len(kept) + 1) :]
            action = int(rng.choice(legal))
            if rng.integers(10) == 0:
                env = pickle.loads(pickle.dumps(env))
            del mask
            env.step(action)
            state.apply_action(action)
            assert all(np.array_equal(part, before) for part, before in kept)
        assert not env.infos["player_0"]["action_mask"].any()


def test_masks_that_nobody_holds_are_taken_again():
    env = envs.make("wide", actions=aec.CLEARED + 1)
    env.reset(seed=1)
    met = set()
    for _ in range(15):
        met.add(env.last()[4]["action_mask"].ctypes.data)
        env.step(int(env.last()[4]["action_mask"].argmax()))
    assert len(met) <= aec.BUFFERS


def test_a_move_is_read_without_the_texts_of_all_actions():
    rules, view, states = GAME.make_rules(), GAME.module("view"), position(GAME)
    view.asked.clear()
    legal = list(range(0, 5000 - 166 + 1, 166))[:30]
    assert [view.string_to_action(rules, states[0], f"no. {k}") for k in legal] == legal
    assert sorted(view.asked) == legal
    # What is not legal takes them all, once for a position.
    assert view.string_to_action(rules, states[0], "no. 4999") == 4999
    with pytest.raises(ValueError, match="no_such_move"):
        view.string_to_action(rules, states[0], "no. 5000")
    assert view.string_to_action(rules, states[0], "no. 7") == 7
    assert len(view.asked) == 30 + 5000
    after = position(GAME, 0)
    assert view.string_to_action(rules, after[0], "no. 1") == 1
    assert len(view.asked) == 2 * 30 + 5000


@pytest.mark.parametrize("legal", [MOST_LEGAL, MOST_LEGAL + 1])
def test_records_hold_the_list_of_at_most_a_thousand(legal, tmp_path):
    """They are read again, and a replay finds that they are of the same positions."""
    options = GAME.options_in_force(actions=3 * legal, legal=legal)
    rules = GAME.make_rules(**options)
    model = LanguageModel(ScriptedChat(lambda _: "Move: no. 0"))
    seats = [model, make_policy(GAME, "random")]
    match = SeatedMatch.of("test", "one", GAME, rules, options, 1, seats)
    games = JsonlWriter(tmp_path / "games.jsonl")
    protocol = AnswerProtocol(TextOptions(), 1, "random")
    asyncio.run(play_matches([match], protocol, games, tmp_path / "decisions.jsonl", concurrency=1))
    games.close()
    records = list(read_decisions(tmp_path))
    assert len(records) == 10
    for record in records:
        if legal > MOST_LEGAL:
            assert record["legal"] is None and record["legal_count"] == legal
        else:
            assert len(record["legal"]) == legal and "legal_count" not in record
    found = replays.find(tmp_path)
    assert replays.replay(found.games[0], found.answers).problems == []
    if legal > MOST_LEGAL:
        path = tmp_path / "decisions.jsonl"
        path.write_text(path.read_text().replace(f'"legal_count":{legal}', '"legal_count":7777'))
        assert json.loads(path.read_text().splitlines()[0])["legal_count"] == 7777
        found = replays.find(tmp_path)
        problems = replays.replay(found.games[0], found.answers).problems
        assert len(problems) == 10 and "is to another position" in problems[0]
