"""``replay --seat``: a game as one of its seats saw it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from ours import all_games
from recorded_runs import model, record_game, reply, run_script

from stratagym.benchmarks.harness import replays
from stratagym.benchmarks.harness.replays import Position
from stratagym.benchmarks.replay import __main__ as replay
from stratagym.benchmarks.replaying.scenes import Shared, scene
from stratagym.benchmarks.replaying.seats import seen_by
from stratagym.benchmarks.replaying.steps import steps
from stratagym.envs import core, spec

HIDING = [name for name in all_games() if spec(name).information == "imperfect"]
PLANS = ("battle_card", "elemental_duel", "tower_defence")


def replay_of(folder: Path) -> replays.Replay:
    found = replays.find(folder)
    return replays.replay(found.games[0], found.answers)


def redrawn(position: Position, seat: int, seed: int) -> Position:
    """The position with other hidden things that the seat could not tell from the real ones."""
    states = position.states.copy()
    core.determinize_at(position.rules, states, 0, seat, np.uint64(seed))
    return Position(**{**vars(position), "states": states})


@pytest.mark.parametrize("game", HIDING)
def test_a_seat_sees_nothing_hidden(game, tmp_path, seed):
    options = {"rounds": 2} if game in PLANS else {}
    players = spec(game).make_rules(**options).num_players
    record_game(tmp_path, game, ["random"] * players, seed, **options)
    whole = replay_of(tmp_path)
    for seat in range(players):
        seen = seen_by(whole, seat)
        own = [p.action for p in whole.positions if p.seat == seat]
        assert [p.action for p in seen.positions if p.seat == seat] == own
        assert seen.positions[-1].ply == whole.positions[-1].ply
        assert "Seed" not in dict(seen.facts)
        texts = Shared()
        made = scene(seen, [None] * len(seen.positions), texts, None)
        shown = json.dumps([made, texts.values])
        for position in seen.positions:
            if position.seat not in (None, seat):
                assert position.told()
            assert texts(position.board()) == texts(redrawn(position, seat, seed).board())
        for data in made["positions"]:
            if data["seat"] not in (None, seat):
                assert data["action"] is data["move"] is None and not data["legal"]
        # What was dealt is told to spectators alone.
        hidden = [words for p in whole.positions for words in p.chance if "was dealt" in words]
        assert not any(words in shown for words in hidden)


@pytest.mark.parametrize("game", PLANS)
def test_a_sealed_plan_is_told_when_its_round_is_over(game, tmp_path, seed):
    record_game(tmp_path, game, ["random"] * 2, seed, rounds=2, updates="both")
    whole = replay_of(tmp_path)
    rounds = {p.ply: int(p.states["round"][0]) for p in whole.positions}
    for seat in range(2):
        seen = seen_by(whole, seat)
        told = [(p.ply, words) for p in seen.positions for words in p.chance]
        others = [p for p in whole.positions if p.seat == 1 - seat]
        assert [words for _, words in told] == [p.told() for p in others]
        for (at, _), position in zip(told, others, strict=True):
            assert rounds[at] == rounds[position.ply] + 1
        # Once, and with the move that ended the planning: before the battle is shown.
        steps_with = [step for step in steps(seen) if step.news]
        assert [words for step in steps_with for words in step.news] == [words for _, words in told]
        assert all(step.decided is not None for step in steps_with)


def test_answers_of_others_are_left_out(tmp_path, seed):
    def first_legal(messages):
        words = messages[-1]["content"].partition("Legal moves: ")[2].split(",")[0]
        return reply(f"Move: {words.strip()}", "secret thoughts")

    record_game(tmp_path, "connect_four", [model(first_legal), "random"], seed)
    for seat, known in ((0, True), (1, False)):
        out, _ = run_script(replay, tmp_path, "--seat", seat, "--all")
        assert ("secret thoughts" in out) == known
        page = tmp_path / "game.html"
        run_script(replay, tmp_path, "--seat", seat, "--html", page)
        assert ("secret thoughts" in page.read_text(encoding="utf-8")) == known


def test_bad_seats_are_one_line(tmp_path, seed):
    for game in ("hanabi", "tictactoe"):
        record_game(tmp_path, game, ["random"] * 2, seed, name=game)
    for arguments in (("--match", "hanabi"), ("--html", tmp_path / "games.html")):
        _, error = run_script(replay, tmp_path, *arguments, "--seat", 2, code=2)
        assert error.count("\n") == 1 and "--seat 2: the seats are 0 to 1" in error
    (tmp_path / "games.jsonl").unlink()
    (tmp_path / "decisions.jsonl").write_text("")
    _, error = run_script(replay, tmp_path, "--seat", 0, code=2)
    assert error.count("\n") == 1 and "--seat" in error
