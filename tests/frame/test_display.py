"""How environments, batches and states show themselves in the interpreter and in notebooks."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
import tiny_games
import tug
from ours import our_games

from stratagym.envs import make, make_batch, make_state
from stratagym.envs.aec import GameEnv
from stratagym.wrappers.parallel import parallel_env
from stratagym.wrappers.single_agent import SingleAgentEnv
from stratagym.wrappers.vector import VectorEnv

tiny_games.register()


def began(env: Any) -> Any:
    env.reset(seed=1)
    return env


def test_a_state_says_game_options_ply_and_board():
    state = make_state("ludo", players=2, max_rolls="50")
    head, board = repr(state).split("\n", 1)
    assert head == "State('ludo', players=2, max_rolls=50): ply 0, player 0 to move" or (
        head == "State('ludo', players=2, max_rolls=50): ply 0, player 1 to move"
    )
    assert board == str(state)
    small = make_state("tictactoe")
    for action in (0, 3, 1, 4, 2):
        small.apply_action(action)
    assert repr(small).startswith("State('tictactoe'): ply 5, over\n")


def test_an_environment_tells_where_it_stands():
    env = make("tictactoe")
    assert repr(env) == "GameEnv('tictactoe'): not begun; call reset()"
    env.reset(seed=1)
    env.step(4)
    assert repr(env).startswith("GameEnv('tictactoe'): ply 1, player 1 to move\n")
    assert repr(env).endswith(make_state_after(4))
    env.step(4)
    assert repr(env).startswith("GameEnv('tictactoe'): ply 1, stopped\n")
    while env.agents:
        env.step(None)
    assert ", stopped\n" in repr(env)
    assert str(env) == env.metadata["name"]


def make_state_after(*actions: int) -> str:
    state = make_state("tictactoe")
    for action in actions:
        state.apply_action(action)
    return str(state)


def test_batches_and_learners():
    assert repr(make_batch("tictactoe", 5)).startswith(
        "BatchEnv('tictactoe'): 5 games, 0 finished; game 0: player 0 to move\n"
    )
    assert repr(VectorEnv("ludo", 3)) == "VectorEnv('ludo'): 3 games"
    assert repr(began(VectorEnv("ludo", 3, players=2))).startswith(
        "VectorEnv('ludo', players=2): 3 games\n"
    )
    assert repr(SingleAgentEnv("ludo")) == "SingleAgentEnv('ludo'): not begun; call reset()"
    assert repr(began(SingleAgentEnv("tictactoe"))).startswith(
        "SingleAgentEnv('tictactoe'): ply 0, player 0 to move\n"
    )
    assert repr(began(parallel_env("bids"))).startswith("ParallelGame('bids'): ply 0, player 0")


def test_rules_that_nobody_made_by_options_are_told_by_their_fields():
    """Tug has no package with a view and a picture."""
    env = began(GameEnv(tug.SPEC, tug.Rules(11)))
    fields = ", ".join(f"{name}={value!r}" for name, value in tug.Rules(11)._asdict().items())
    assert repr(env) == f"GameEnv('tug', {fields}): ply 0, player 0 to move"
    assert env._repr_png_() is None and env._repr_html_() is None


@pytest.mark.parametrize("game", our_games())
def test_pictures_for_notebooks(game):
    image = pytest.importorskip("PIL.Image", reason="pillow is not installed")
    state, env = make_state(game, seed=1), make(game, render_mode="rgb_array")
    assert env._repr_png_() is None  # not begun
    assert env.render().ndim == 3  # nor is that a fault
    env.reset(seed=1)
    for shown in (state, env):
        png = shown._repr_png_()
        assert png is not None
        assert np.array_equal(np.asarray(image.open(io.BytesIO(png))), env.render())
        html = shown._repr_html_()
        assert html is not None and html.count("<img ") == 1
        assert f"<figcaption>{env.spec.title}: ply 0, player " in html
    batch = make_batch(game, 6, seed=1)
    several = batch._repr_html_()
    assert several is not None and several.count("<img ") == 4


def test_notebooks_find_them():
    """IPython asks an object for these by name, and shows HTML before PNG before text."""
    ipython = pytest.importorskip("IPython.core.formatters", reason="IPython is not installed")
    made = ipython.DisplayFormatter()
    made.active_types = ["text/plain", "text/html", "image/png"]
    data, _ = made.format(make_state("tictactoe"))
    assert set(data) == {"text/plain", "text/html", "image/png"}
