"""What a game's agents say themselves, so that nothing outside its folders is edited for it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from ours import our_games

from stratagym import envs
from stratagym.agents import hooks, plan_pools
from stratagym.agents.core import FACTORIES, Policy, PolicyString, decision_for, make_policy
from stratagym.agents.games import tictactoe
from stratagym.agents.ladders import find_ladder
from stratagym.benchmarks.throughput.shapes import SHAPES
from stratagym.benchmarks.train_ppo import ppo
from stratagym.envs import core
from stratagym.testing import position

GAME = envs.spec("tictactoe")


class Corner(Policy):
    """Plays the legal cell nearest to a corner, 1 to 4."""

    def __init__(self, name: str, corner: int):
        self.name, self.corner = name, (0, 2, 6, 8)[corner - 1]

    def act(self, decision) -> int:
        return int(min(decision.legal, key=lambda cell: abs(cell - self.corner)))


def corner(spec: core.GameSpec, text: PolicyString) -> Policy:
    if text.options or text.argument not in ("1", "2", "3", "4"):
        raise ValueError(f"policy corner:{text.argument}: the corners are 1 to 4")
    return Corner(f"corner:{text.argument}", int(text.argument))


@pytest.fixture
def own(monkeypatch):
    monkeypatch.setattr(tictactoe, "POLICIES", {"corner": corner}, raising=False)


def test_a_player_of_one_game_has_a_name_of_its_own(own):
    policy = make_policy(GAME, "corner:3")
    assert policy.name == "corner:3"
    at = position(GAME, 4)
    assert policy.act(decision_for(GAME, GAME.make_rules(), at, 1)) == 6
    weak = make_policy(GAME, "corner:3?random=0.5")
    assert weak.name == "corner:3?random=0.5"
    assert {weak.act(decision_for(GAME, GAME.make_rules(), at, seed)) for seed in range(99)} > {6}
    with pytest.raises(ValueError, match="the corners are 1 to 4"):
        make_policy(GAME, "corner:5")


def test_other_games_do_not_know_it(own):
    with pytest.raises(ValueError, match="unknown policy 'corner'") as error:
        make_policy(envs.spec("connect_four"), "corner:3")
    assert str(error.value).endswith(", ".join(FACTORIES))
    with pytest.raises(ValueError, match=r"unknown policy 'no'.*, corner$"):
        make_policy(GAME, "no")


def test_it_may_not_be_called_as_a_player_of_any_game(monkeypatch):
    monkeypatch.setattr(tictactoe, "POLICIES", {"mcts": corner}, raising=False)
    with pytest.raises(ValueError, match="POLICIES of tictactoe: mcts"):
        make_policy(GAME, "random")


def test_a_game_says_how_it_is_learned(monkeypatch):
    told = {"steps": 1234, "gamma": 0.5}
    monkeypatch.setattr(tictactoe, "TRAINING", told, raising=False)
    assert ppo.settings_of(GAME) == ppo.Settings(**told)
    assert ppo.settings_of(envs.spec("ludo")) == ppo.SETTINGS["ludo"]
    assert ppo.settings_of(envs.spec("go")) == ppo.OTHERS


# --- sealed plans --------------------------------------------------------------------------------

SEALED = ("battle_card", "elemental_duel", "tower_defence")


def test_games_of_sealed_plans_are_told_by_their_players():
    assert tuple(filter(SHAPES["resolve"].has, our_games())) == SEALED
    for game in map(envs.spec, SEALED):
        assert ppo.settings_of(game) == ppo.Settings(200_000, **ppo.PLANS)
        made = plan_pools.frozen(game)["constants"]
        steps = hooks.found(game, "PLAN_STEPS") or plan_pools.STEPS
        assert made["steps"] == [list(pair) for pair in steps]
        assert tuple(made["oracle_steps"]) == plan_pools.oracle_steps(game)


@pytest.fixture
def fourth(tmp_path, monkeypatch) -> core.GameSpec:
    """A fourth game of sealed plans, in a package of its own: elemental duel under another name."""
    package = tmp_path / "other_duel"
    shutil.copytree(Path(envs.__file__).parent / "elemental_duel", package)
    players = Path(hooks.__file__).parent / "games" / "elemental_duel.py"
    shutil.copy(players, package / "agents.py")
    for path in package.glob("*.py"):
        text = path.read_text().replace("stratagym.envs.elemental_duel", "other_duel")
        path.write_text(text.replace("elemental_duel/ladder", "other_duel/ladder"))
    facts = package / "__init__.py"
    text = facts.read_text().replace(
        'name="elemental_duel",', 'name="other_duel", package=__name__,'
    )
    facts.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    import other_duel

    envs.register(other_duel.SPEC)
    yield other_duel.SPEC
    envs.registry._registered.pop("other_duel", None)
    envs.registry._loaded.pop("other_duel", None)
    for name in [name for name in sys.modules if name.partition(".")[0] == "other_duel"]:
        del sys.modules[name]


def test_a_fourth_one_of_another_package_needs_no_edit(fourth):
    folder = Path(sys.modules["other_duel"].__file__).parent / "data"
    assert plan_pools.path_of(fourth) == folder / "plans" / "other_duel-v1.json"
    assert find_ladder("other_duel").path == folder / "ladders" / "other_duel-v1.json"
    with pytest.raises(
        ValueError, match=r"run: python -m stratagym\.agents\.plan_pools other_duel"
    ):
        plan_pools.frozen(fourth)
    assert SHAPES["resolve"].has("other_duel")
    assert ppo.settings_of(fourth) == ppo.Settings(200_000, **ppo.PLANS)
    assert hooks.found(fourth, "PLAN_STEPS") == ((150, 150), (80, 80), (250, 200))
    shipped = plan_pools.path_of(envs.spec("elemental_duel"))
    (folder / "plans").mkdir(parents=True)
    shutil.copy(shipped, plan_pools.path_of(fourth))
    assert len(plan_pools.level(fourth, fourth.make_rules(), 1, 0)) == plan_pools.PLANS
    assert make_policy(fourth, "plan:level?k=1").name == "plan:level?k=1"
