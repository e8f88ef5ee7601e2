"""Games told under made-up names: nothing of the old ones in prompts, replies read all the same."""

from __future__ import annotations

import json
import re

import pytest
from made_up_names import words_in
from openai_server import OpenAIServer, answer, playing
from ours import NAMELESS, games_of_moves, our_games
from scripts import lines, run

from stratagym.envs import spec
from stratagym.envs.prompts import part
from stratagym.envs.text import (
    ILLEGAL,
    OK,
    UNPARSEABLE,
    TextGame,
    TextOptions,
    ask_again,
    judge,
    messages,
)
from stratagym.envs.words import Renaming

REPLIES = {
    "ataxx": "I thought about it.\nMove: {}",
    "breakthrough": "I thought about it.\nMove: {}",
    "chess": "{} | because",
    "coin_game": "I thought about it.\nMove: {}",
    "connect_four": "I thought about it.\nMove: {}",
    "dou_dizhu": 'Evaluation: level\nReason: none\nAnswer: {{"cards": ["{}"]}}',
    "gomoku": "I thought about it.\nMove: {}",
    "go": "I thought about it.\nMove: {}",
    "hanabi": '{{"reason": "none", "action": "{}"}}',
    "ludo": "{} | because",
    "mcr_mahjong": "Evaluation: fair\nReason: none\nAnswer: {}",
    "reversi": "I thought about it.\nMove: {}",
    "texas_holdem": "{} | because",
    "tictactoe": "I thought about it.\nMove: {}",
}
RENAMED = TextOptions(renamed=True)


PLANS = set(our_games()) - set(games_of_moves())


@pytest.mark.parametrize("game", sorted(NAMELESS))
def test_what_has_no_other_names_is_refused(game):
    with pytest.raises(ValueError, match="no other names"):
        TextGame(game, RENAMED)


@pytest.mark.parametrize("game", [*REPLIES, *sorted(PLANS - NAMELESS)])
def test_prompts_hold_no_word_of_the_game(game, seed, rng):
    """With history, legal moves and personas; and the plain prompts hold no made-up name."""
    view = spec(game).module("view")
    played = TextGame(game, TextOptions(renamed=True, list_legal=True, history=5))
    # Letters are marks where they stand alone; a move may be an X or an O of its own.
    old = [word for word in view.RENAMED if len(word) > 1]
    new = [word for word in view.RENAMED.values() if len(word) > 1]
    seen = 0
    while seen < 40:
        if played.over or not played.actions:
            played.reset(int(rng.integers(2**63)))
        turn = played.observe()
        asked = "\n".join(part["content"] for part in turn.messages)
        assert not words_in(old, asked)
        for persona in part(view, "PERSONAS"):
            options = TextOptions(persona=persona, list_legal=True)
            plain = messages(played.spec, played.rules, played.states, options)
            assert not words_in(new, "\n".join(told["content"] for told in plain))
            changed = messages(
                played.spec, played.rules, played.states, TextOptions(persona, renamed=True)
            )
            assert not words_in(old, "\n".join(told["content"] for told in changed))
        played.play(int(rng.choice(turn.legal)))
        seen += 1


@pytest.mark.parametrize("game", REPLIES)
def test_replies_in_made_up_names_are_moves(game, seed, rng):
    view = spec(game).module("view")
    words = Renaming(view.RENAMED)
    played = TextGame(game, RENAMED)
    played.reset(seed)
    said = set()
    for _ in range(120):
        if played.over:
            played.reset(int(rng.integers(2**63)))
        legal = played.observe().legal
        # Some of hold'em's thousands, with the all-in; a fold, check or call is what is played.
        some = [*rng.choice(legal, 9), legal[-1], *rng.permutation(legal[:2])]
        for action in some:
            move = view.action_to_string(played.rules, played.states[0], int(action))
            reply = words.renamed(REPLIES[game].format(move))
            said.add(re.sub(r"\d+", "N", words.renamed(move)))
            found = judge(played.spec, played.rules, played.states, reply, RENAMED)
            assert (found.kind, found.action) == (OK, action), reply
        assert played.submit(reply).kind == OK
    if game == "texas_holdem":
        assert said == {"yield", "wait", "meet", "lift N", "full-out"}


def test_bad_replies_are_told_in_made_up_names():
    game = TextGame("connect_four", RENAMED)
    game.reset()
    outcome = game.submit("Move: 9")
    assert (outcome.kind, outcome.reason, outcome.told) == (
        ILLEGAL,
        "no_such_column",
        "no_such_shaft",
    )
    again = ask_again(game.observe().messages, "Move: 9", outcome)
    assert "no_such_shaft" in again[-1]["content"] and "column" not in again[-1]["content"]
    assert game.submit("A shaft.").kind == UNPARSEABLE


def first_moves(body, nth):
    """At first what nobody can play, then the first move that is listed."""
    if len(body["messages"]) == 2:
        return answer("pass | because")
    listed = body["messages"][1]["content"].split("## Legal moves\n")[1].splitlines()[0]
    return answer(f"{listed.removeprefix('- ')} | because")


def test_a_model_plays_a_tournament_under_made_up_names(tmp_path):
    with OpenAIServer(playing(first_moves)) as server:
        result = run("tournament", "--game", "texas_holdem", "--policies", "random,llm:scripted",
                     "--games", 2, "--rules", "hands=3", "--list-legal", "--renamed",
                     "--base-url", server.base_url, "--api-key-env", "STRATAGYM_TEST_KEY",
                     "--output", tmp_path)  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert json.loads((tmp_path / "config.json").read_text())["text"]["renamed"] is True
    assert "made-up names" in (tmp_path / "report.md").read_text()
    made = [r for r in lines(tmp_path / "decisions.jsonl") if r["kind"] == OK]
    assert made and {record["move_text"] for record in made} <= {"fold", "check", "call"}
    for record in made:
        assert "Lantern market" in record["prompt"][0]["content"]
        assert record["reply"].split(" |")[0] in ("yield", "wait", "meet")


def test_words_are_found_whole_and_in_every_case():
    words = Renaming({"check": "wait", "checkmate": "downfall", "X": "V", "two pairs": "twins"})
    plain = "Check, CHECKMATE: two pairs; X marks axes, unchecked king_in_check"
    changed = "Wait, DOWNFALL: twins; V marks axes, unchecked king_in_wait"
    assert words.renamed(plain) == changed
    assert words.original(changed) == plain
    assert words.renamed("x Xs") == "x Xs"


def test_a_game_without_other_names_is_named(monkeypatch):
    ludo = spec("ludo")
    monkeypatch.delattr(ludo.module("view"), "RENAMED")
    with pytest.raises(ValueError, match=r"ludo: .*renamed"):
        RENAMED.check(ludo)
