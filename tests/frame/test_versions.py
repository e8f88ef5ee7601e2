"""Earlier players: their names and seeds, and that runs go on with those that they began with."""

from __future__ import annotations

import json
import shutil

import pytest
import scripts
from scripts import lines

from stratagym.agents.core import VERSIONS, Policy, PolicyFault, at_version, make_policy
from stratagym.agents.ladders import earlier_ladders, ladder_of, laddered
from stratagym.benchmarks.harness.match_play import AnswerProtocol
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.stand_ins import UNSAID, begun_forfeit, version_of
from stratagym.benchmarks.harness.workers import MatchRunner
from stratagym.envs import spec
from stratagym.envs.text import TextOptions

HELD = [
    (ladder.game.name, name, player)
    for game in laddered()
    for ladder in (ladder_of(game), *earlier_ladders(game))
    for name, player in ladder.players.items()
]


@pytest.mark.parametrize(
    ("text", "earlier"),
    [
        ("mcts:5", "mcts:5?version=1"),
        ("mcts:20?c=0.7&random=0.25", "mcts:20?c=0.7&version=1&random=0.25"),
        ("alphabeta:4?random=0.1", "alphabeta:4?version=1&random=0.1"),
        ("alphabeta:5?tactic=1&random=0.1", "alphabeta:5?version=1&tactic=1&random=0.1"),
        ("gt:3", "gt:3?version=1"),
        ("heuristic?random=0.1", "heuristic?random=0.1"),
    ],
)
def test_an_earlier_player_is_named_by_an_option(text, earlier):
    assert at_version(text, 1) == earlier == at_version(earlier, 1)
    policy, before = (make_policy(spec("gomoku"), name) for name in (text, earlier))
    assert (policy.name, before.name) == (text, earlier)
    assert policy.seed_name == before.seed_name == text
    assert before.version == 1 and (policy.version > 1) == (earlier != text)


def test_where_a_player_has_not_changed_it_has_one_version():
    for game, name in (("ludo", "mcts:5"), ("ludo", "gt:2"), ("hanabi", "rule:iggi")):
        assert make_policy(spec(game), name).version == 1
        assert make_policy(spec(game), at_version(name, 1)).version == 1


@pytest.mark.parametrize("version", ["0", "9", "-1", "one", ""])
def test_a_version_that_there_is_not_is_refused(version):
    for name, newest in VERSIONS.items():
        with pytest.raises(
            ValueError, match=f"^policy {name}: version={version}: .* 1 to {newest}"
        ):
            make_policy(spec("connect_four"), f"{name}:2?version={version}")
    with pytest.raises(ValueError, match="takes no options"):
        make_policy(spec("connect_four"), "heuristic?version=1")


@pytest.mark.parametrize(("game", "name", "player"), HELD)
def test_those_that_ladders_hold_can_be_made(game, name, player):
    policy, before = (make_policy(spec(game), text) for text in (name, player))
    assert before.name == player and before.seed_name == name
    assert before.version < policy.version


ARGUMENTS = (
    "--game", "connect_four", "--policies", "random,mcts:5,gt:3", "--games", 6, "--seed", 5,
    "--workers", 1, "--output",
)  # fmt: skip


def tournament(folder, *more):
    result = scripts.run("tournament", *ARGUMENTS, folder, *more)
    config = json.loads((folder / "config.json").read_text())
    games = {game["match"]: game for game in lines(folder / "games.jsonl")}
    return result, config, games


def test_a_run_goes_on_with_the_players_that_it_began_with(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("stratagym.agents.core.VERSIONS", dict.fromkeys(VERSIONS, 1))
        _, config, before = tournament(tmp_path / "before")
    assert "versions" not in config
    result, config, now = tournament(tmp_path / "now")
    assert result.returncode == 0, result.stderr
    assert config["versions"] == {"mcts:5": 2, "gt:3": 2}
    assert now.keys() == before.keys() and now != before
    # Half of either, gone on with, comes to the same as the whole.
    for name, whole in (("before", before), ("now", now)):
        half = tmp_path / f"half of {name}"
        shutil.copytree(tmp_path / name, half)
        kept = (half / "games.jsonl").read_text().splitlines(keepends=True)
        (half / "games.jsonl").write_text("".join(kept[: len(kept) // 2]))
        result, config, games = tournament(half, "--resume")
        assert result.returncode == 0, result.stderr
        assert config == json.loads((tmp_path / name / "config.json").read_text())
        assert games == whole


@pytest.mark.parametrize("versions", [{"mcts:5": 3}, {"mcts:5": "1"}, {"mcts:5": 0}, [1], "2"])
def test_versions_that_make_no_sense_are_refused(versions, tmp_path):
    _, config, _ = tournament(tmp_path / "run")
    (tmp_path / "run" / "config.json").write_text(json.dumps({**config, "versions": versions}))
    result = scripts.run("tournament", *ARGUMENTS, tmp_path / "run", "--resume")
    assert result.returncode == 2
    (line,) = result.stderr.strip().splitlines()
    assert "mcts:5" in line and "versions 1 to 2" in line


# --- those that stand in -------------------------------------------------------------------------

STANDS_IN = (
    "--players", 2, "--policies", "random,gt:1", "--games", 2, "--rules", "max_rolls=20",
    "--workers", 1, "--forfeit", "stand-in:mcts:2", "--output",
)  # fmt: skip


def test_a_run_says_which_version_stands_in(tmp_path):
    folder = tmp_path / "run"
    path = folder / "config.json"
    result = scripts.run("ludo_arena", *STANDS_IN, folder)
    assert result.returncode == 0, result.stderr
    config = json.loads(path.read_text())
    assert config["forfeit"] == "stand-in:mcts:2"
    assert config["stand_in_version"] == VERSIONS["mcts"]
    # An earlier one is kept, and so is that a run does not say which.
    said = {k: v for k, v in config.items() if k != "stand_in_version"}
    for begun in (config, {**said, "stand_in_version": 1}, said):
        path.write_text(json.dumps(begun))
        result = scripts.run("ludo_arena", *STANDS_IN, folder, "--resume")
        assert result.returncode == 0, result.stderr
        assert json.loads(path.read_text()) == begun
    for version in (0, VERSIONS["mcts"] + 1, "1", None):
        path.write_text(json.dumps({**said, "stand_in_version": version}))
        result = scripts.run("ludo_arena", *STANDS_IN, folder, "--resume")
        words = [f"stand_in_version={json.dumps(version)}", f"1 to {VERSIONS['mcts']}", "mcts:2"]
        scripts.assert_refused(result, words)


@pytest.mark.parametrize(
    ("forfeit", "begun", "now"),
    [
        ("end", {}, None),
        ("stand-in", {}, None),
        ("stand-in:heuristic", {}, None),
        ("stand-in:mcts:2", {"stand_in_version": 2}, None),
        ("stand-in:mcts:2", {"stand_in_version": 1}, "stand-in:mcts:2?version=1"),
        ("stand-in:mcts:2", {}, None),
        ("stand-in:mcts:2?random=0.5", {"stand_in_version": 1},
         "stand-in:mcts:2?version=1&random=0.5"),
        ("stand-in:mcts:2?version=1", {"stand_in_version": 1}, None),
    ],
)  # fmt: skip
def test_who_stood_in_goes_on_to(forfeit, begun, now):
    config: dict = version_of(forfeit)
    assert begun_forfeit(forfeit, config, begun) == now
    assert config == begun


def test_a_later_version_does_not_stand_in_in_a_run_that_does_not_say_which(monkeypatch):
    """A run of the time before versions were said has the players of that time."""
    for name, version in UNSAID.items():
        assert version <= VERSIONS[name]
        monkeypatch.setitem(VERSIONS, name, version + 1)
        config: dict = version_of(f"stand-in:{name}:2")
        assert config == {"stand_in_version": version + 1}
        assert begun_forfeit(f"stand-in:{name}:2", config, {}) == (
            f"stand-in:{name}:2?version={version}"
        )


def test_matches_are_played_with_it(tmp_path):
    """Where a player fails, the earlier version goes on, and the record says so."""
    protocol = AnswerProtocol(TextOptions(), 1, "forfeit", forfeit="stand-in:mcts:2")
    match = Match(
        "test", "m", "ludo", {"players": 3, "max_rolls": 20}, 7, ("random", "broken", "random"),
        protocol,
    )  # fmt: skip
    policies = {"broken": Broken()}
    for forfeit, policy in ((None, "mcts:2"), ("stand-in:mcts:2?version=1", "mcts:2?version=1")):
        folder = tmp_path / policy.replace("?", "_")
        folder.mkdir()
        with MatchRunner(folder, policies=policies, forfeit=forfeit) as runner:
            (record,) = runner.play([match]).values()
        assert [one["policy"] for one in record["stand_ins"]] == [policy]


class Broken(Policy):
    """An engine that is not there."""

    name = "broken"

    def act(self, decision):
        raise PolicyFault("broken: died")
