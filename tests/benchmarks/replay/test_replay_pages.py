"""The page with a run's games: what it shows of each game, its limits, and reports that link it."""

from __future__ import annotations

import json
import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from ours import all_games
from recorded_runs import model, record_game, reply, run_script
from tiny_games import wide

from stratagym import envs
from stratagym.benchmarks.board_solvers import __main__ as board_solvers
from stratagym.benchmarks.hanabi_teams import __main__ as hanabi_teams
from stratagym.benchmarks.harness import replays
from stratagym.benchmarks.ludo_arena import __main__ as ludo_arena
from stratagym.benchmarks.replay import __main__ as replay
from stratagym.benchmarks.replaying import album, listing, scenes, steps
from stratagym.benchmarks.replaying.evaluator import evaluator
from stratagym.benchmarks.reporting.page import Page
from stratagym.envs.talk import player_names

PLANS = ("battle_card", "elemental_duel", "tower_defence")
envs.register(wide.SPEC)
GAMES = sorted([*all_games(), wide.SPEC.name])


def data_of(page: Path) -> dict[str, Any]:
    html = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL).group(1))


def replay_of(folder: Path) -> replays.Replay:
    run = replays.find(folder)
    return replays.replay(run.games[0], run.answers)


def scene_of(folder: Path, judge: str | None = "none") -> dict[str, Any]:
    run = replays.find(folder)
    played = replays.replay(run.games[0], run.answers)
    evaluate = evaluator(played.positions[0].spec, None) if judge is None else lambda _: None
    judged = [evaluate(position) for position in played.positions]
    return scenes.scene(played, judged, scenes.Shared(), None)


def test_reports_link_every_game_that_the_page_holds(tmp_path, monkeypatch):
    monkeypatch.setattr(album, "DRAWING_S", 60)
    folder = tmp_path / "run"
    run_script(
        board_solvers, "--policies", "random", "--boards", "tictactoe", "--games", "4",
        "--workers", "1", "--output", folder,
    )  # fmt: skip
    data = data_of(folder / "replays.html")
    assert [game["number"] for game in data["games"]] == [1, 2, 3, 4]
    for name in ("report.html", "report.md"):
        text = (folder / name).read_text(encoding="utf-8")
        linked = re.findall(r"replays\.html#g(\d+)", text)
        assert sorted(map(int, linked)) == [1, 2, 3, 4]
        for game in data["games"]:
            assert f"{game['number']}: {game['outcome']}" in text
    html = (folder / "replays.html").read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|@import|url\(""", html)
    assert all(game["size"] for game in data["games"])


def test_rows_of_reports_lead_to_their_games_alone(tmp_path):
    """Every address in a report's tables shows the games that its row is of, and others none."""
    folder = tmp_path / "run"
    run_script(
        ludo_arena, "--policies", "random,gt:1", "--players", "2,3", "--games", "2", "--workers",
        "1", "--output", folder,
    )  # fmt: skip
    listed = data_of(folder / "replays.html")["listing"]
    report = (folder / "report.html").read_text(encoding="utf-8")
    tables = re.findall(r"<table>.*?</table>", report, re.DOTALL)
    found = 0
    for table in tables:
        for row in re.findall(r"<tr[ >].*?</tr>", table, re.DOTALL):
            for address in re.findall(r'href="replays\.html#([^"]*)"', row):
                found += 1
                assert row.count("href") == 1
                said = parse_qs(unescape(address), strict_parsing=True)
                (begin,) = said["match"]
                players, one, rest, _ = begin.split("/")
                assert {f"<code>{name}</code>" in row for name in (one, rest)} == {True}
                games = [g for g in listed["rows"] if g["match"].startswith(begin)]
                assert games
                for game in games:
                    names = [listed["policies"][k] for k in game["seats"]]
                    assert sorted(names) == sorted([one] + [rest] * (int(players[0]) - 1))
    pairings = json.loads((folder / "summary.json").read_text())["pairings"]
    assert found == sum(3 for _ in pairings)  # each pairing's row, and one for each of its sides


def test_the_list_of_games_has_all_of_them_with_results_and_answers(tmp_path, seed, monkeypatch):
    monkeypatch.setattr(album, "GAMES", 1)
    never = model(lambda messages: reply("no"))
    record_game(tmp_path, "tictactoe", ["random", never], seed, name="a/0/0", invalid="forfeit")
    record_game(tmp_path, "tictactoe", ["random"] * 2, seed, name="b/0/0")
    record_game(tmp_path, "hanabi", ["random"] * 2, seed, name="c/0/0", players=2)
    record_game(tmp_path, "ludo", ["random"] * 3, seed, name="d/0/0", players=3)
    run = replays.find(tmp_path)
    run.games[0]["returns"] = [1.0, -1.0]
    found = album.album(run)
    told = listing.listing(run, found.numbers, found.scenes)
    rows = told["rows"]
    assert [row["number"] for row in rows] == [1, 2, 3, 4]
    assert [row["match"] for row in rows] == ["a/0/0", "b/0/0", "c/0/0", "d/0/0"]
    assert rows[0]["results"] == "wl" and rows[0]["ended"] == "forfeit"
    assert rows[0]["outcome"] == "1–0, by forfeit"
    assert rows[0]["answers"] == {1: {"unparseable": len(run.decisions)}}
    letters = {1.0: "w", 0.0: "d", -1.0: "l"}
    assert rows[1]["results"] == "".join(letters[x] for x in run.games[1]["returns"])
    assert rows[1]["answers"] == {}
    assert rows[2]["results"] == "--" and "points" in rows[2]["outcome"]
    assert [row["moves"] for row in rows] == [len(game["actions"]) for game in run.games]
    names = [told["policies"][k] for k in rows[0]["seats"]]
    assert names == run.games[0]["seats"]
    # From a seat, nothing is told of what others answered.
    assert listing.listing(run, [1], {}, seat=0)["rows"][0]["answers"] == {}
    # Whatever stands in a record, its row is there.
    run.games[1].update(game="mahjong", returns=[1.0])
    run.games[3].update(sides=[[0, 7]], rules={"players": "x"})
    edited = listing.listing(run, [2, 4], {})["rows"]
    assert [row["outcome"] for row in edited] == ["", ""]
    monkeypatch.setattr(listing, "MOST", 2)
    few = listing.listing(run, [1, 2, 3], {3: {"outcome": ""}})["rows"]
    assert [row["number"] for row in few] == [1, 3]


def test_what_a_page_leaves_out_is_said(tmp_path, seed, monkeypatch):
    for k in range(5):
        record_game(tmp_path, "tictactoe", ["random"] * 2, seed + k, name=f"p{k % 2}/{k}/0")

    def written() -> tuple[list[int], str, dict[str, Any]]:
        page = Page("Report")
        album.add_replays(page, tmp_path)
        data = data_of(tmp_path / "replays.html")
        return [game["number"] for game in data["games"]], page.markdown(), data

    monkeypatch.setattr(album, "DRAWING_S", 60)
    numbers, text, _ = written()
    assert numbers == [1, 2, 3, 4, 5] and "draws any game" not in text
    monkeypatch.setattr(album, "GAMES", 2)
    numbers, text, data = written()
    assert numbers == [1, 2]  # one of each pairing
    command = f"python -m benchmarks.replay {tmp_path} --match NUMBER --html game.html"
    assert "The page holds 2 of 5 games." in text and command in text
    assert "The page holds 2 of 5 games." in data["note"] and command in data["note"]
    monkeypatch.setattr(album, "GAMES", 200)
    monkeypatch.setattr(album, "POSITIONS", 12)
    numbers, text, data = written()
    assert 1 <= len(numbers) < 3
    assert len(numbers) == 1 or sum(len(g["positions"]) for g in data["games"]) <= 12
    monkeypatch.setattr(album, "POSITIONS", 1500)
    monkeypatch.setattr(album, "BYTES", 12_000)
    numbers, text, _ = written()
    assert 1 <= len(numbers) < 5 and f"The page holds {len(numbers)} of 5 games." in text
    monkeypatch.setattr(album, "BYTES", 10**9)
    monkeypatch.setattr(album, "DRAWING_S", 0)
    numbers, text, data = written()
    assert len(numbers) == 5 and "0 of 5 games on it have pictures" in text
    assert data["sheet"] is None and all(game["size"] is None for game in data["games"])


def test_games_of_models_come_first_and_a_bad_record_is_named(tmp_path, seed, monkeypatch):
    monkeypatch.setattr(album, "GAMES", 1)
    record_game(tmp_path, "tictactoe", ["random"] * 2, seed, name="a/0/0")
    never = model(lambda messages: reply("no"))
    record_game(tmp_path, "tictactoe", ["random", never], seed, name="b/0/0", invalid="forfeit")
    assert list(album.album(replays.find(tmp_path)).scenes) == [2]
    (tmp_path / "games.jsonl").write_text(
        (tmp_path / "games.jsonl").read_text().replace('"tictactoe"', '"mahjong"')
    )
    page = Page("Report")
    album.add_replays(page, tmp_path)
    assert page.markdown().count("unknown game 'mahjong'") == 2
    empty = Page("Report")
    album.add_replays(empty, tmp_path / "nowhere")
    assert "Replays" not in empty.markdown()


def test_a_page_of_the_games_that_fit(tmp_path, seed):
    for k, game in enumerate(("tictactoe", "connect_four", "tictactoe")):
        record_game(tmp_path, game, ["random"] * 2, seed + k, name=f"{game}/{k}/0")
    target = tmp_path / "games.html"
    said, _ = run_script(
        replay, tmp_path, "--game", "tictactoe", "--html", target, "--boards", "text"
    )
    data = data_of(target)
    assert [game["number"] for game in data["games"]] == [1, 3]
    assert "MB" in said and data["sheet"] is None and data["note"] == ""


def outcome(game: str, returns: list[float] | None, ended_by: str = "terminal") -> str:
    record = {"returns": returns, "ended_by": ended_by}
    return replays.outcome(envs.spec(game), record, player_names(len(returns or ())))


def test_outcomes_in_few_words():
    assert outcome("chess", [1.0, -1.0]) == "1–0"
    assert outcome("chess", [-1.0, 1.0], "forfeit") == "0–1, by forfeit"
    assert outcome("chess", [0.0, 0.0], "truncated") == "½–½, by a limit of the rules"
    assert outcome("chess", None, "transport") == "broken off"
    assert outcome("hanabi", [18.0] * 3) == "18 points"
    assert outcome("texas_holdem", [1200.5, -1200.5]) == "+1,200.5 : −1,200.5"
    assert outcome("ludo", [-1 / 3, 1.0, -1 / 3, -1 / 3]) == "Player 1 wins"
    assert outcome("dou_dizhu", [-2.0, 1.0, 1.0]) == "Players 1 and 2 win"
    assert outcome("ludo", [0.0] * 3) == "nobody wins"
    record = {"returns": [-1.0, 1.0, 1.0], "ended_by": "terminal"}
    named = replays.outcome(envs.spec("ludo"), record, ["Austria", "England", "France"])
    assert named == "England and France win"


OPENING = ("e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5e5")


def test_chess_as_players_write_it(tmp_path, seed):
    spec = envs.spec("chess")

    def line(moves: tuple[str, ...]) -> Any:
        left = list(moves)

        def play(messages: list[dict[str, str]]) -> Any:
            return reply(f"{left.pop(0)} | book") if left else reply("none")

        return model(play)

    record_game(
        tmp_path, "chess", [line(OPENING[::2]), line(OPENING[1::2])], seed, invalid="forfeit",
        tries=1,
    )  # fmt: skip
    run = replays.find(tmp_path)
    played = replays.replay(run.games[0], run.answers)
    made = scenes.scene(played, [None] * len(played.positions), scenes.Shared(), scenes.Tiles())
    assert made["columns"] == 2 and made["outcome"] == "0–1, by forfeit"
    shorts = [position["short"] for position in made["positions"]]
    assert shorts == [None, "e4", "d5", "exd5", "Qxd5", "Nc3", "Qe5+", None]
    assert made["positions"][4]["beside"] == ["♟", "♙"]
    assert made["positions"][3]["beside"] == ["♟ +1", ""]
    assert [position["to_move"] for position in made["positions"]] == [0, 1, 0, 1, 0, 1, 0, 0]
    assert made["names"] == ["White", "Black"]
    assert [badge[0] for badge in made["badges"]] == ["W", "B"]
    pixel = spec.module("render").pixel
    assert made["clocks"][0] == [None, None] and made["clocks"][4] == [0.5, 0.5]
    assert made["graph"]["label"].startswith("estimate for ")
    # Cut and put together from the other side, each square is the right way up.
    render, states = spec.module("render"), played.positions[0].states
    picture, cuts = render.picture(played.positions[0].rules, states[0]), made["cuts"]
    assert len(cuts) == 11 and (cuts[0], cuts[-1]) == (0, picture.shape[1])
    parts = [slice(*ends) for ends in pairwise(cuts)]
    other = [0, *range(8, 0, -1), 9]
    turned = np.concatenate(
        [np.concatenate([picture[parts[y], parts[x]] for x in other], 1) for y in other]
    )
    assert turned.shape == picture.shape
    h1, a8 = pixel(7 * 8), pixel(7)
    half = (cuts[2] - cuts[1]) // 2 - 1
    cut = lambda image, x, y: image[y - half : y + half, x - half : x + half]  # noqa: E731
    # Where a8 was stands h1 now: a white rook on a light square, as it was.
    assert np.array_equal(cut(turned, *a8), cut(picture, *h1))


def test_sheets_and_courses_of_games(tmp_path, seed):
    games: dict[str, tuple[dict[str, Any], int, int, str]] = {
        "tictactoe": ({}, 2, 2, "score of random by perfect"),
        "hanabi": ({"players": 3}, 3, 3, "points"),
        "texas_holdem": ({"hands": 20}, 2, 1, "returns so far, random"),
        "ludo": ({"players": 2}, 2, 1, "estimate for random"),
    }
    for game, (options, seats, columns, label) in games.items():
        policy = "rule:iggi" if game == "hanabi" else "random"
        folder = tmp_path / game
        record_game(folder, game, [policy] * seats, seed, **options)
        made = scene_of(folder, judge=None if game == "tictactoe" else "none")
        assert made["columns"] == columns, game
        assert made["graph"]["label"] == label
        for _, values in made["graph"]["lines"]:
            assert len(values) == len(made["positions"])
        assert made["clocks"] is None
        shorts = [position["short"] for position in made["positions"][1:]]
        assert all(shorts) and made["positions"][0]["short"] is None
        if game == "hanabi":
            assert all(re.match("plays|discards|tells", short) for short in shorts)
        if game == "ludo":
            assert all(re.fullmatch(r"[1-6]: piece \d, .*–\d+( x)?", short) for short in shorts)


@pytest.mark.parametrize("game", GAMES)
def test_every_step_shows_the_position_after_its_move(game, tmp_path, seed):
    options = {"rounds": 2} if game in PLANS else {}
    seats = envs.spec(game).make_rules(**options).num_players
    record_game(tmp_path, game, ["random"] * seats, seed, **options)
    played = replay_of(tmp_path)
    made = steps.steps(played)
    assert made[0].decided is None and made[0].shown is played.positions[0]
    moves = [step for step in made if step.decided is not None]
    assert [step.number for step in moves] == list(range(1, len(played.positions)))
    for step, before, after in zip(moves, played.positions, played.positions[1:], strict=False):
        assert step.decided is before and step.shown is after
        assert step.heading.startswith(f"Move {step.number} of {len(moves)}: ")
        assert step.to_move == (None if step.moment else after.seat)
        if not step.moment:  # of a move that begins a battle, the battle's begin
            assert step.board() == after.board()
    last = [step for step in made if step.moment is None][-1]
    assert last is made[-1] and last.board() == played.positions[-1].board()
    shown = any(step.moment for step in made)
    assert shown or game not in (*PLANS, "street_fighter")
    assert not shown or steps.own_part(played.positions[0], "frames") is not None
    # Lists count moves, as the record does, and nothing that comes between.
    data = scenes.scene(played, [None] * len(played.positions), scenes.Shared(), None)
    numbers = [step["number"] for step in data["positions"]]
    assert [n for n in numbers if n is not None] == list(range(1, len(moves) + 1))


@pytest.mark.parametrize("game", GAMES)
def test_sides_are_called_alike_in_text_and_lists(game, tmp_path, seed):
    """A badge is in the name, and the name's mark in the sentences that tell that side's moves."""
    seats = envs.spec(game).make_rules().num_players
    record_game(tmp_path, game, ["random"] * seats, seed)
    played = replay_of(tmp_path)
    data = scenes.scene(played, [None] * len(played.positions), scenes.Shared(), None)
    assert len({badge[0] for badge in data["badges"]}) == seats
    for name, (mark, *_) in zip(data["names"], data["badges"], strict=True):
        assert re.search(rf"\b{mark}|\({mark}\)", name, re.IGNORECASE)
    for step in data["positions"]:
        if step["seat"] is not None and step["told"]:
            name = data["names"][step["seat"]]
            known = {name.lower(), re.sub(r".*\((.*)\)", r"\1", name).lower()}
            words = step["told"].lower()
            assert any(re.search(rf"(^|[^\w]){re.escape(one)}\b", words) for one in known), words
            assert f": {name}, " in step["heading"]


def test_badges_have_the_colours_of_the_picture(tmp_path, seed):
    record_game(tmp_path, "ludo", ["random"] * 2, seed, players=2)
    data = scene_of(tmp_path)
    rules = envs.spec("ludo").make_rules(players=2)
    colours = [envs.spec("ludo").module("render").COLOURS[k] for k in rules.colours]
    assert [badge[1] for badge in data["badges"]] == [
        f"#{r:02x}{g:02x}{b:02x}" for r, g, b in colours
    ]


def test_teams_have_replays(tmp_path):
    run_script(
        hanabi_teams, "--policies", "rule:iggi", "--teammates", "none", "--players", "2",
        "--games", "1", "--workers", "1", "--output", tmp_path / "run",
    )  # fmt: skip
    (game,) = data_of(tmp_path / "run" / "replays.html")["games"]
    assert "points" in game["outcome"]
    report = (tmp_path / "run" / "report.md").read_text()
    assert "replays.html#g1" in report
    assert re.search(r"`rule:iggi` \| [\d.]+ \[–\]", report)  # a single game has no interval
