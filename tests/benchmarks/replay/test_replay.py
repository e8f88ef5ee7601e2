"""``python -m benchmarks.replay``: games come back as they were played, and lies are found out."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from recorded_runs import model, record_game, reply, rewrite, run_script
from scripts import ROOT

from stratagym import envs
from stratagym.benchmarks.harness import replays
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.ludo_spots import __main__ as ludo_spots
from stratagym.benchmarks.replay import __main__ as replay
from stratagym.benchmarks.replaying import scenes
from stratagym.benchmarks.replaying.decisions import replay_decisions
from stratagym.benchmarks.replaying.evaluator import evaluator
from stratagym.benchmarks.replaying.steps import steps
from stratagym.benchmarks.replaying.tiles import ACROSS, TILE, Tiles
from stratagym.envs import core

RANDOM_GAMES = {
    "tictactoe": ({}, 2),
    "connect_four": ({}, 2),
    "chess": ({}, 2),
    "texas_holdem": ({"hands": 5}, 2),
    "hanabi": ({"players": 3}, 3),
    "ludo": ({"players": 4}, 4),
}


def run(*arguments: object, code: int = 0) -> tuple[str, str]:
    return run_script(replay, *arguments, code=code)


def replay_of(folder: Path, number: int = 0) -> replays.Replay:
    found = replays.find(folder)
    return replays.replay(found.games[number], found.answers)


def kernel_states(record: dict) -> list[np.ndarray]:
    """Every state of a recorded game, by the calls that benchmarks play with."""
    rules = envs.spec(record["game"]).make_rules(**record["rules"])
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(record["seed"]), probs)
    found = [states.copy()]
    for action in record["actions"]:
        core.play_at(rules, states, 0, action, legal, probs)
        found.append(states.copy())
    return found


@pytest.mark.parametrize("game", RANDOM_GAMES)
def test_every_position_is_the_one_that_was_played(game, tmp_path, seed):
    options, players = RANDOM_GAMES[game]
    record = record_game(tmp_path, game, ["random"] * players, seed, **options)
    played = replay_of(tmp_path)
    assert not played.problems
    states = kernel_states(record)
    assert len(played.positions) == len(states)
    for position, state in zip(played.positions, states, strict=True):
        assert state.dtype == position.states.dtype
        for field in state.dtype.names:
            assert np.array_equal(position.states[field], state[field])
    assert [p.action for p in played.positions] == [*record["actions"], None]
    assert all(p.action in p.legal for p in played.positions[:-1])
    assert [value for *_, value in played.result] == record["returns"]
    assert played.positions[-1].seat is None


def test_dice_are_told_with_those_that_moved_nothing(tmp_path, seed):
    record_game(tmp_path, "ludo", ["random"] * 3, seed, players=3)
    played = replay_of(tmp_path)
    throws = 0
    for position in played.positions[:-1]:
        told = [re.fullmatch(r"Player (\d) threw (\d)(.*)", x) for x in position.chance]
        assert told[-1].group(2) == str(position.states["dice"][0])
        assert told[-1].group(3) == "."
        assert all(throw.group(3) == " and could not move." for throw in told[:-1])
        throws += len(told)
    assert throws == int(played.positions[-2].states["rolls"][0])


def test_cards_are_told_as_they_are_dealt_and_drawn(tmp_path, seed):
    record_game(tmp_path / "hanabi", "hanabi", ["rule:iggi"] * 2, seed, players=2)
    positions = replay_of(tmp_path / "hanabi").positions
    view = envs.spec("hanabi").module("view")
    for before, position in zip([None, *positions], positions, strict=False):
        hands = [list(map(view.card_name, view.hand(position.states[0], k))) for k in range(2)]
        if before is None:
            (told,) = position.chance
            assert all(f"Player {k} was dealt {' '.join(hands[k])}." in told for k in range(2))
        elif position.states["deck_size"][0] < before.states["deck_size"][0]:
            assert position.chance == [f"Player {before.seat} drew a {hands[before.seat][-1]}."]
        else:
            assert not position.chance
    record_game(tmp_path / "poker", "texas_holdem", ["random"] * 2, seed, hands=4)
    told = [x for position in replay_of(tmp_path / "poker").positions for x in position.chance]
    assert [x[:7] for x in told if x.startswith("Hand")] == [f"Hand {k}." for k in range(1, 5)]


CHANGES = {
    "returns": (lambda r: r["returns"].reverse(), r"the returns are .* played again they are"),
    "seed": (lambda r: r.update(seed=r["seed"] ^ 12345), "cannot be played|returns|ended by"),
    "illegal": (lambda r: r["actions"].insert(1, r["actions"][0]), "Move 2 of .* seat 1 may not"),
    "not an action": (lambda r: r["actions"].insert(1, "e4"), "seat 1 may not play 'e4'"),
    "cut": (lambda r: r["actions"].pop(), "ended by terminal, but played again it is not over"),
    "longer": (lambda r: r["actions"].append(0), "cannot be played: the game is over"),
    "forfeit": (lambda r: r.update(ended_by="forfeit"), "ended by forfeit.* ends as terminal"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_record_that_was_tampered_with_is_named(change, tmp_path, seed):
    what, said = CHANGES[change]
    game = "ludo" if change == "seed" else "tictactoe"
    options = {"players": 2} if change == "seed" else {}
    for again in range(20):  # until somebody wins, so that returns tell the seats apart
        seats = ["random", "mcts:200"] if again else ["random", "random"]
        if record_game(tmp_path, game, seats, seed + again, **options)["returns"][0]:
            break
    rewrite(tmp_path / "games.jsonl", what)
    (problem,) = replay_of(tmp_path).problems
    assert re.search(said, problem)


def test_an_answer_that_does_not_fit_its_move_is_named(tmp_path, seed):
    record_game(tmp_path, "tictactoe", [model(["Move: 2,2"] + ["Move: 9,9"] * 99), "random"], seed)
    assert not replay_of(tmp_path).problems
    rewrite(tmp_path / "decisions.jsonl", lambda r: r.update(action=0))
    problems = replay_of(tmp_path).problems
    assert any(
        "Move 1: the answer led to 0, but the record of the game has 4" in p for p in problems
    )


def test_terminal_tells_prompts_replies_and_what_went_wrong(tmp_path, seed):
    nasty = "\x1b[2JI take \x07 the centre"
    said = [nasty, "Move: 1,1", reply("Move: 3,3", "corners are strong")]
    record_game(tmp_path, "tictactoe", [model(said * 9), "perfect"], seed)
    played = replay_of(tmp_path)
    out, _ = run(tmp_path, "--all")
    assert "\x1b" not in out
    assert r"\x1b[2JI take \x07 the centre" in out
    assert "Answer 1: unparseable (no_move)" in out
    assert "Answer 2: ok" in out
    assert played.positions[0].answers[0]["prompt"][0]["content"].splitlines()[0] in out
    for position in played.positions:
        assert position.board() in out
        assert position.told() in out
    assert "perfect: " in out
    for seat, policy, value in played.result:
        assert f"{'XO'[seat]}, {policy}: {value + 0.0:+.3g}" in out
    assert "corners are strong" in out
    assert "the outcome is the recorded one" in out


def test_the_terminal_gives_a_battle_a_line_for_each_of_its_moments(tmp_path, seed):
    record_game(tmp_path, "battle_card", ["plan:fill"] * 2, seed)
    played = replay_of(tmp_path)
    begin, *others = [step for step in steps(played) if step.moment]
    lines = [begin.board(), *(step.heading for step in others), "", played.positions[-1].heading]
    assert "\n".join([*lines, played.positions[-1].board()]) in run(tmp_path, "--all")[0]


def test_the_terminal_shows_a_position_before_the_answers_that_left_it(tmp_path, seed):
    record_game(
        tmp_path, "tictactoe", ["random", model([reply("no")] * 3)], seed, invalid="forfeit"
    )
    asked = replay_of(tmp_path).positions[-1]
    out, _ = run(tmp_path, "--all")
    parts = asked.heading, asked.board(), "Answer 1: unparseable", "Nothing was played."
    places = [out.rindex(part) for part in parts]
    assert places == sorted(places)


def test_keys_step_forth_and_back(tmp_path, seed):
    pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")
    record = record_game(tmp_path, "tictactoe", ["random", "random"], seed)
    plies = record["plies"]
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "benchmarks.replay", str(tmp_path)]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "60"}
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    screen = ""

    def wait_for(heading: str) -> None:
        nonlocal screen
        until = time.monotonic() + 120
        while f"{heading}" not in screen or "q quit" not in screen.rpartition(heading)[2]:
            assert time.monotonic() < until, screen
            if select.select([ours], [], [], 1)[0]:
                screen += os.read(ours, 65536).decode("utf-8", "replace")
        screen = ""

    try:
        wait_for("Start")
        for key, heading in (
            ("\r", f"Move 1 of {plies}: X, random"),
            ("\x1b[C", f"Move 2 of {plies}: O, random"),
            ("\x1b[D", f"Move 1 of {plies}: X, random"),
            ("\x1b[F", f"Move {plies} of {plies}: {'OX'[plies % 2]}, random"),
            ("\x1b[H", "Start"),
        ):
            os.write(ours, key.encode())
            wait_for(heading)
        os.write(ours, b"q")
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        os.close(ours)


def test_a_forfeit_shows_the_answers_that_lost_the_game(tmp_path, seed):
    never = model(lambda messages: "I resign to fate.")
    record_game(tmp_path, "tictactoe", ["random", never], seed, invalid="forfeit")
    played = replay_of(tmp_path)
    assert not played.problems
    assert "ends with forfeit" in played.agrees
    rewrite(tmp_path / "games.jsonl", lambda r: r.update(forfeited_by=0))
    assert replay_of(tmp_path).problems == [
        "The record says that seat 0 forfeited; seat 1 is to move."
    ]
    assert [answer["attempt"] for answer in played.positions[-1].answers] == [1, 2, 3]
    assert played.positions[-1].seat == 1


# --- choosing ------------------------------------------------------------------------------------


@pytest.fixture
def several(tmp_path, seed) -> Path:
    for k in range(3):
        record_game(tmp_path, "tictactoe", ["random", "perfect"], seed + k, name=f"ttt/{k}")
    never = model(lambda messages: "no")
    record_game(tmp_path, "connect_four", [never, "random"], seed, name="c4/0", invalid="forfeit")
    return tmp_path


def test_a_game_is_chosen_by_name_number_or_filter(several):
    listed, error = run(several, code=2)
    assert "4 games fit" in error
    assert all(name in listed for name in ("ttt/0", "ttt/2", "c4/0"))
    assert listed == run(several, "--list")[0]
    assert "Match: ttt/1" in run(several, "--match", "ttt/1")[0]
    assert "Match: ttt/2" in run(several / "games.jsonl", "--match", "3")[0]
    for choice in (("--ended-by", "forfeit"), ("--policy", "llm"), ("--game", "connect_four")):
        assert "Match: c4/0" in run(several, *choice)[0]


def test_bad_input_is_one_line(several, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    for arguments, said in (
        ((tmp_path / "nowhere",), "there is no such run"),
        ((empty,), "holds neither games.jsonl nor decisions.jsonl"),
        ((several, "--match", "17"), "none of its 4 games fits; see them with --list"),
        ((several, "--match", "1", "--boards", "tiles"), "choose from: pictures, text"),
        ((several, "--match", "1", "--evaluate", "oracle"), "--evaluate: unknown policy 'oracle'"),
        ((several, "--match", "1", "--html", empty), "cannot be written"),
    ):
        _, error = run(*arguments, code=2)
        assert said in error
        assert error.strip().splitlines()[-1].startswith("python -m benchmarks.replay: ")
    rewrite(several / "games.jsonl", lambda r: r.update(game="mahjong"))
    assert "mahjong" in run(several, "--match", "1", code=2)[1]
    rewrite(several / "games.jsonl", lambda r: r.pop("seed"))
    with pytest.raises(InputError, match=r"games\.jsonl, line 1: .* it has no 'seed'"):
        replays.find(several)


def test_single_decisions_of_the_spots_have_their_boards(tmp_path):
    run_script(
        ludo_spots, "--policies", "random,gt", "--categories", "capture", "--head-to-head", 0,
        "--output", tmp_path / "spots",
    )  # fmt: skip
    run_ = replays.find(tmp_path / "spots")
    config = json.loads((tmp_path / "spots/config.json").read_text())
    played = replay_decisions(run_, run_.decisions, config)
    assert len(played.positions) == 80
    assert all(position.states is not None for position in played.positions)
    for position in played.positions:
        assert position.states["player"][0] == position.seat
    item = played.positions[5].answers[0]["item"]
    shown, _ = run(tmp_path / "spots", "--match", item, "--policy", "gt")
    assert played.positions[5].board() in shown
    assert f"{item}, gt:2" in shown


def test_a_spot_without_a_good_answer_shows_no_move(tmp_path):
    folder = tmp_path / "spots"
    run_script(
        ludo_spots, "--policies", "random", "--categories", "capture", "--head-to-head", 0,
        "--output", folder,
    )  # fmt: skip
    kinds = iter(
        [("unparseable", "empty", ""), ("illegal", "no_such_piece", "9 |"), ("ok", None, "")]
    )

    def spoil(record):
        record["kind"], record["reason"], record["reply"] = next(kinds, ("ok", None, ""))

    rewrite(folder / "decisions.jsonl", spoil)
    found = replays.find(folder)
    played = replay_decisions(
        found, found.decisions, json.loads((folder / "config.json").read_text())
    )
    made = scenes.scene(played, [None] * len(played.positions), scenes.Shared(), None)
    for position, shown in list(zip(played.positions, made["positions"], strict=True))[:2]:
        assert position.action is shown["action"] is shown["move"] is shown["short"] is None
        assert not shown["told"] and position.told() == ""
    assert all(shown["short"] for shown in made["positions"][2:])
    item = played.positions[0].answers[0]["item"]
    out, _ = run(folder, "--match", item)
    assert "Nothing was played." in out and "Move: " not in out


def test_moves_that_were_not_the_players_own_say_so(tmp_path, seed):
    replies = iter(["no idea", "", "Move: 9"])

    def say(messages):
        words = messages[-1]["content"].partition("not full: ")[2]
        return reply(next(replies, f"Move: {words[:1]}"))

    record = record_game(tmp_path, "connect_four", [model(say), "random"], seed, tries=1)
    positions = [p for p in replay_of(tmp_path).positions if p.action is not None]
    told = [p.instead for p in positions if p.seat == 0 and p.answers]
    kinds = ["unparseable: no_move", "unparseable: empty", "illegal: no_such_column"]
    begin = "This move was not llm:scripted's own: "
    assert told[:3] == [f"{begin}in place of a bad answer ({kind})." for kind in kinds]
    assert not any(told[3:]) and not any(p.instead for p in positions if p.seat == 1)
    out, _ = run(tmp_path, "--all")
    assert out.count(f"{begin}in place of a bad answer") == 3
    rewrite(tmp_path / "games.jsonl", lambda r: r.update(opening=4))
    told = [p.instead for p in replay_of(tmp_path).positions[: record["plies"]]]
    assert [words.endswith("'s own: a random move of the opening.") for words in told] == [
        k < 4 for k in range(record["plies"])
    ]


def test_every_move_of_a_plan_that_stood_in_says_so(tmp_path, seed):
    good = '{"invaders": [{"name": "King"}]}'
    record_game(tmp_path, "battle_card", [model([good] * 9), "random"], seed, tries=1)
    positions = [p for p in replay_of(tmp_path).positions if p.seat == 0]
    assert len(positions) > 1
    (told,) = {p.instead for p in positions}
    assert told.endswith("'s own: in place of a bad answer (illegal: wrong_side).")


# --- evaluation and page -------------------------------------------------------------------------


def evaluations(played, judge: str | None = None) -> list:
    evaluate = evaluator(played.positions[0].spec, judge)
    return [evaluate(position) for position in played.positions]


def test_solvers_score_every_legal_move(tmp_path, seed):
    record_game(tmp_path, "tictactoe", ["random", "perfect"], seed)
    played = replay_of(tmp_path)
    for position, judged in zip(played.positions[:-1], evaluations(played)[:-1], strict=True):
        assert len(judged.scores) == len(judged.ranks) == len(position.legal)
        if position.seat == 1:
            assert judged.ranks[position.legal.index(position.action)] == 1
    asked = evaluations(played, "random")
    assert all(e.choice in p.legal for e, p in zip(asked[:-1], played.positions, strict=False))
    assert asked[-1] is None


def test_connect_four_is_solved_from_the_first_move(tmp_path, seed):
    record_game(tmp_path, "connect_four", ["random"] * 2, seed)
    *judged, last = evaluations(replay_of(tmp_path))
    assert judged[0].scores == [-2, -1, 0, 1, 0, -1, -2]
    assert all(e.scores for e in judged) and last is None


def test_page_is_whole_and_holds_no_markup_from_replies(tmp_path, seed):
    nasty = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
    script = [nasty, "Move: 0,0", "Move: 0,1", "Move: 0,2", *["Move: 1,1"] * 9]
    record_game(tmp_path, "tictactoe", [model(script * 3, name="<b>m</b>"), "random"], seed)
    said, _ = run(tmp_path, "--html", tmp_path / "game.html")
    page = (tmp_path / "game.html").read_text(encoding="utf-8")
    assert "MB" in said
    assert len(re.findall(r"<script", page)) == len(re.findall(r"</script", page)) == 2
    assert "<b>m" not in page
    title = re.search("<title>(.*)</title>", page).group(1)
    assert re.fullmatch("Tic-Tac-Toe: llm:&lt;b&gt;m&lt;/b&gt; – random – (1–0|0–1|½–½)", title)
    own = page.rpartition("<script>")[2].rpartition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|@import|url\(""", page)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))
    (game,) = data["games"]
    assert game["positions"][1]["answers"][0]["reply"] == nasty
    assert page.count("data:image/png") == 1
    run(tmp_path, "--html", tmp_path / "text.html", "--boards", "text")
    assert "data:image" not in (tmp_path / "text.html").read_text(encoding="utf-8")


def test_boards_are_stored_as_what_changes(tmp_path, seed):
    record_game(tmp_path, "connect_four", ["random"] * 2, seed)
    played = replay_of(tmp_path)
    played.positions = [position for position in played.positions for _ in range(2)]
    texts, tiles = scenes.Shared(), Tiles()
    made = scenes.scene(played, [None] * len(played.positions), texts, tiles)
    width, height = made["size"]
    across, down = -(-width // TILE), -(-height // TILE)
    sheet = Image.open(io.BytesIO(base64.b64decode(tiles.sheet().partition(",")[2])))
    pixels = np.asarray(sheet.convert("RGB"), float)
    shown: dict[int, int] = {}
    for k, (position, one) in enumerate(zip(played.positions, made["positions"], strict=True)):
        assert bool(one["image"]) == (k % 2 == 0)  # the second of each is the first again
        at = -1
        for skipped, tile in zip(one["image"][::2], one["image"][1::2], strict=True):
            at += skipped + 1
            shown[at] = tile
        assert len(shown) == across * down
        picture = np.zeros((down * TILE, across * TILE, 3))
        for at, tile in shown.items():
            (y, x), (top, left) = (
                [TILE * n for n in divmod(number, row)]
                for number, row in ((at, across), (tile, ACROSS))
            )
            picture[y : y + TILE, x : x + TILE] = pixels[top : top + TILE, left : left + TILE]
        drawn = position.spec.module("render").picture(position.rules, position.states[0])
        assert np.abs(picture[:height, :width] - drawn).mean() < 1
    assert len(tiles) < 40 * len(played.positions)
