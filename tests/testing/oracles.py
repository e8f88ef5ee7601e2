"""Random games played in our kernels and in somebody else's, compared at every ply."""

from __future__ import annotations

import importlib
import unittest
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from stratagym.envs import core, make
from stratagym.testing.positions import rules_of

Choose = Callable[[np.random.Generator, np.ndarray, np.ndarray], int]
"""(generator, states (1,), legal actions (n,)) to one of these."""


def any_legal(rng: np.random.Generator, states: np.ndarray, legal: np.ndarray) -> int:
    """Uniform over the legal actions."""
    return int(rng.choice(legal))


def same_as_openspiel(
    game: Any,
    theirs: Any,
    games: int,
    seed: int | np.random.Generator,
    *,
    to_theirs: Callable[[np.ndarray, int], int] = lambda states, action: action,
    begin: Callable[[np.ndarray, Any], None] = lambda states, state: None,
    follow: Callable[[np.ndarray, Any], None] = lambda states, state: None,
    compare: Callable[[np.ndarray, Any], None] = lambda states, state: None,
    choose: Choose = any_legal,
) -> None:
    """Play random games in the kernel and in OpenSpiel: seats, legal actions, returns, endings.

    Args:
        game: its name, ``GameSpec`` or ``Rules``.
        theirs: the game for ``pyspiel.load_game``, as text, or a loaded one.
        to_theirs: (states (1,), our action) to OpenSpiel's action.
        begin, follow: (our states, their state): play OpenSpiel's chance events, at the start and
            whenever its state is a chance node, as our record says they fell.
        compare: (our states, their state) at every ply: what else has to agree.
        choose: the action to play.

    Raises:
        AssertionError: at the first ply at which the two differ.
        unittest.SkipTest: OpenSpiel is not installed.
    """
    try:
        import pyspiel
    except ModuleNotFoundError:
        raise unittest.SkipTest("OpenSpiel is not installed: pip install open_spiel") from None
    rules, rng = rules_of(game), np.random.default_rng(seed)
    loaded = pyspiel.load_game(theirs) if isinstance(theirs, str) else theirs
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    returns = np.zeros(rules.num_players)
    for _ in range(games):
        told: list[int] = []
        state = loaded.new_initial_state()
        player = core.start_at(rules, states, 0, np.uint64(rng.integers(2**63)), probs)
        begin(states, state)
        while True:
            where = f"after {told}"
            assert state.is_terminal() == (player < 0), where
            core.returns_at(rules, states, 0, returns)
            assert returns.tolist() == list(state.returns()), where
            compare(states, state)
            if player < 0:
                break
            assert player == state.current_player(), where
            ours = legal[: core.legal_actions_at(rules, states, 0, legal)].copy()
            mapped = {to_theirs(states, action): action for action in ours.tolist()}
            assert sorted(mapped) == sorted(state.legal_actions()), where
            action = choose(rng, states, ours)
            told.append(action)
            state.apply_action(to_theirs(states, action))
            player, _ = core.play_at(rules, states, 0, action, legal, probs)
            while state.is_chance_node():
                follow(states, state)


def same_as_pettingzoo(
    game: str,
    theirs: Any,
    games: int,
    seed: int | np.random.Generator,
    *,
    planes: int | None = None,
    options: dict[str, Any] | None = None,
    choose: Choose = any_legal,
    finish: Callable[[Any, Any], None] | None = None,
) -> None:
    """Play random games in our environment and in PettingZoo's: all that both show, at every ply.

    Observations of all seats in dtype and value, action masks, rewards, terminations and whose
    turn it is; spaces too where they are meant to be the same.

    Args:
        game: our name of it. theirs: a module of ``pettingzoo.classic``, or an environment.
        planes: compare only so many of the observation's last axis; by default the whole.
        options: our game's options. choose: the action to play.
        finish: (ours, theirs) when theirs has ended and ours need not have; without it both end
            at the same ply with the same rewards.

    Raises:
        AssertionError: at the first ply at which the two differ.
        unittest.SkipTest: what their game needs is not installed.
    """
    if isinstance(theirs, str):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                theirs = importlib.import_module(f"pettingzoo.classic.{theirs}").env()
            except ModuleNotFoundError as error:
                raise unittest.SkipTest(str(error)) from None
    ours = make(game, illegal="raise", **(options or {}))
    rng = np.random.default_rng(seed)
    for _ in range(games):
        ours.reset(seed=int(rng.integers(2**63)))
        theirs.reset(seed=1)
        _one_game(ours, theirs, rng, planes, choose, finish)


def _one_game(
    ours: Any,
    theirs: Any,
    rng: np.random.Generator,
    planes: int | None,
    choose: Choose,
    finish: Callable[[Any, Any], None] | None,
) -> None:
    agents = dict(zip(ours.possible_agents, theirs.possible_agents, strict=True))
    told: list[int] = []
    while True:
        where = f"after {told}"
        over = [theirs.terminations[their] for their in agents.values()]
        for our, their in agents.items():
            seen, expected = ours.observe(our), theirs.observe(their)
            one, other = seen["observation"], expected["observation"]
            assert one.dtype == other.dtype, f"{one.dtype} and not {other.dtype}"
            same = one[..., :planes] == other[..., :planes]
            assert same.all(), f"{where}, {our}: at {np.argwhere(~same)[:5].tolist()}"
            if not any(over):  # PettingZoo's mask goes on after the end
                assert np.array_equal(seen["action_mask"], expected["action_mask"]), where
        if any(over) and finish is not None:
            finish(ours, theirs)
            return
        assert [ours.rewards[our] for our in agents] == [
            theirs.rewards[their] for their in agents.values()
        ], where
        assert [ours.terminations[our] for our in agents] == over, where
        if any(over):
            return
        assert agents[ours.agent_selection] == theirs.agent_selection, where
        legal = np.flatnonzero(ours.infos[ours.agent_selection]["action_mask"])
        told.append(choose(rng, ours.states, legal))
        ours.step(told[-1])
        theirs.step(told[-1])
