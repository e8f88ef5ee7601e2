"""Contests take any game that they can be held in, and name the command that takes the others."""

from __future__ import annotations

import contextlib
import io

import pytest
import scripts
import tiny_games
from tiny_games import duo, night, wide

from stratagym import envs
from stratagym.agents.ladders import laddered
from stratagym.benchmarks.anchored_levels import __main__ as anchored_levels
from stratagym.benchmarks.duel import __main__ as duel
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness import climb_setup as setup
from stratagym.benchmarks.harness.options import ModelArgs
from stratagym.benchmarks.table import __main__ as table
from stratagym.benchmarks.tournament import __main__ as tournament

tiny_games.register()
for package in (duo, night, wide):
    envs.register(package.SPEC)
TINY = ("bids", "catch", "duo", "geography", "heap", "night", "powers", "roles", "village", "wide")
TOURNAMENT, TABLE = "python -m benchmarks.tournament", "python -m benchmarks.table"
REFUSED = {
    "tournament": dict.fromkeys(("night", "powers", "roles"), TABLE),
    "duel": {
        **dict.fromkeys(("bids", "catch", "heap"), TOURNAMENT),
        **dict.fromkeys(("night", "powers", "roles", "village"), TABLE),
    },
    "anchored_levels": dict.fromkeys(TINY, TABLE),
    "table": {},
}
"""By command, the games that it refuses, and which command its refusal names."""


class Begun(Exception):
    """A run would begin."""


def begin(*arguments: object, **options: object) -> None:
    raise Begun


@pytest.mark.parametrize("game", TINY)
@pytest.mark.parametrize("script", [tournament, duel, anchored_levels, table])
def test_a_command_takes_a_game_or_says_which_does(script, game, monkeypatch, tmp_path):
    monkeypatch.setattr(script, "Run", begin)
    arguments = ["--game", game, "--output", str(tmp_path / "run")]
    if script is table:
        arguments += ["--seating", "mixed,one,teams", "--policies", "random,mcts:2"]
    elif script is tournament:
        arguments += ["--policies", "random,mcts:2"]
    err = io.StringIO()
    with contextlib.redirect_stderr(err), pytest.raises((Begun, SystemExit)) as ended:
        cli.run(script.APP, arguments)
    expected = REFUSED[script.NAME].get(game)
    if expected is None:
        assert ended.type is Begun, err.getvalue()
        return
    assert ended.value.code == 2
    (line,) = err.getvalue().splitlines()
    assert game in line and expected in line
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("game", laddered())
def test_every_ladder_has_policies_that_climb_it_if_none_are_named(game, capsys):
    """Those that the game has; what it lacks is said on the screen, in one line."""
    words = anchored_levels.usual_policies([game])
    found = setup.find_policies([game], words, ModelArgs())[game]
    assert ",".join(found) == words and {"random", "mcts:200"} <= set(found)
    lacking = [name for name in anchored_levels.USUAL if name not in found]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == bool(lacking)
    for name in lacking:
        assert f"no {name}" in said[0] and words in said[0] and game in said[0]
        with pytest.raises(cli.InputError):
            setup.find_policies([game], name, ModelArgs())


def test_a_policy_of_one_ladder_climbs_it_beside_others(capsys):
    assert anchored_levels.usual_policies(["ludo", "connect_four"]) == ",".join(
        anchored_levels.USUAL
    )
    assert not capsys.readouterr().err


def test_the_game_of_a_contest_is_read_in_one_way(tmp_path):
    """A game or an option that there is not is one line with the option that it came from."""
    for script in ("tournament", "duel", "table"):
        for arguments, words in (
            (["--game", "chequers"], ["--game", "unknown game 'chequers'"]),
            (["--game", "ludo", "--rules", "players=9"], ["--rules", "players"]),
            (["--game", "ludo", "--rules", "players"], ["--rules", "name=value"]),
        ):
            result = scripts.run(script, *arguments, "--output", tmp_path / "run")
            scripts.assert_refused(result, words)
