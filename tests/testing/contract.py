"""What every game promises, as checks that know no game.

A game's check is a method of ``Contract`` named after it. All checks of a game share one compiled
set of kernels, kept for later processes, and one further process.
"""

from __future__ import annotations

import copy
import importlib.util
import inspect
import json
import os
import pickle
import subprocess
import sys
import unittest
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.envs import core, make, make_batch, spec
from stratagym.testing.hiding import Hiding
from stratagym.testing.kernels import chance_events, mask_at

UTILITIES = ("zero_sum", "constant_sum", "identical", "general")

EXPECTED_WARNINGS = (
    "Observation is not a NumPy array",
    "Observation numpy array is all zeros",
    "Observation space for each agent probably should be gymnasium.spaces.box",
    "Action mask numpy array is all zeros",
    "The observation contains negative numbers and is in the shape of a graphical observation",
)
"""What api_test says of PettingZoo's own board games too, unless it exempts them by name: it wants
no Dict, no empty board, and takes no notice of whether the agent it looks at is to move. And planes
of an observation may have numbers below 0."""

_ENDINGS = (core.TERMINAL, core.TRUNCATED)
MOST_LISTED = 600
"""Positions of a game whose legal actions are compared one by one."""
MOST_SECONDS = 2.0
"""Processor time in which a fresh process has to play."""
_missing: set[str] = set()
"""What one check found not to be installed, so that the next game's need not look."""
_HEAVY = ("matplotlib", "openai", "pygame", "PIL", "torch")
_FIRST_STEP = f"""
import json, sys, time
from stratagym.envs import make, registry
env = make(registry.unpickled(*sys.argv[1:]).name)
env.reset(seed=0)
env.step(int(env.last()[4]["action_mask"].argmax()))
print(json.dumps([time.process_time(), sorted({set(_HEAVY)!r} & set(sys.modules))]))
"""


class Contract(Hiding):
    """The checks of one game; each raises ``AssertionError``, or ``SkipTest`` with a reason."""

    def __init__(self, game: str | core.GameSpec, seed: int, golden: Path | None):
        self.spec = spec(game) if isinstance(game, str) else game
        self.name, self.seed, self.golden = self.spec.name, seed, golden
        self.rules = self.spec.make_rules()

    # --- PettingZoo's own tests ------------------------------------------------------------------

    def pettingzoo_api(self) -> None:
        """PettingZoo's API test passes, with the warnings that its own games give."""
        from pettingzoo.test import api_test

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for options in ({}, {"max_cycles": 7}, {"illegal": "raise"}):
                api_test(make(self.name, **options), num_cycles=300)
        told = {str(one.message) for one in caught}
        unexpected = {one for one in told if not one.startswith(EXPECTED_WARNINGS)}
        assert not unexpected, f"warnings of PettingZoo's api_test: {sorted(unexpected)}"

    def pickled_and_copied_environments(self) -> None:
        """A pickled or copied environment is in the same state, of the same game, and plays on."""
        from pettingzoo.test import api_test

        env = make(self.name)
        env.reset(seed=self.seed)
        for twin in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
            assert np.array_equal(twin.states, env.states), (
                f"a pickled or copied environment is in {twin.states}, the original in {env.states}"
            )
            assert twin.spec is env.spec, "a pickled or copied environment has other facts"
            twin.step(int(twin.last()[4]["action_mask"].argmax()))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # told in pettingzoo_api
                api_test(twin, num_cycles=20)

    def pettingzoo_seed(self) -> None:
        """PettingZoo's seed test passes."""
        from pettingzoo.test import seed_test

        seed_test(partial(make, self.name), num_cycles=200)

    def pettingzoo_render(self) -> None:
        """PettingZoo's render test passes, in a window, as picture and as text."""
        from pettingzoo.test import render_test

        for module in ("pygame", f"{self.spec.package}.render", f"{self.spec.package}.view"):
            if importlib.util.find_spec(module) is None:
                raise unittest.SkipTest(f"{module} is not there")

        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # where there is no screen

        def quick_window(**options: Any) -> Any:
            env = make(self.name, **options)
            env.metadata["render_fps"] = 10_000  # waits no human's time between two frames
            return env

        render_test(quick_window)

    def pettingzoo_state(self) -> None:
        """PettingZoo's state test passes."""
        from pettingzoo.test import state_test
        from pettingzoo.utils.conversions import turn_based_aec_to_parallel

        state_test(make(self.name), turn_based_aec_to_parallel(make(self.name)))

    def max_cycles_truncates(self) -> None:
        """``max_cycles`` counts decisions of all seats together, and truncates for all at once.

        PettingZoo's max_cycles_test cannot hold for seats that move in turn: with max_cycles=4 it
        wants 4 parallel steps (one decision each here) and also 4 turns of every agent, and it
        plays without the mask. PettingZoo runs it on its simultaneous games only (``if "classic/"
        not in name`` in its test/all_parameter_combs_test.py); its turn-based games take no such
        argument.
        """
        rng = self.rng()
        for max_cycles in (1, 4, 7):
            env = make(self.name, max_cycles=max_cycles)
            env.reset(seed=int(rng.integers(2**63)))
            decisions = 0
            while not (any(env.terminations.values()) or any(env.truncations.values())):
                mask = env.last()[4]["action_mask"]
                env.step(env.action_space(env.agent_selection).sample(mask))
                decisions += 1
            assert decisions <= max_cycles, f"{decisions} decisions of max_cycles={max_cycles}"
            if decisions == max_cycles and not any(env.terminations.values()):
                assert all(env.truncations.values()), f"not all truncated: {env.truncations}"
            while env.agents:
                assert env.last()[3] or env.last()[2], "an agent plays on after the end"
                env.step(None)

    def registered_with_pettingzoo_and_gymnasium(self) -> None:
        """Both registries make the game by its id."""
        import gymnasium
        import pettingzoo

        title = "".join(part.capitalize() for part in self.name.split("_"))
        name = f"stratagym/{title}-v{self.spec.version}"
        if self.rules.num_players > 1:
            made = gymnasium.make(name).get_wrapper_attr("game").name
            assert made == self.name, f"{name} of Gymnasium is {made}"
        assert gymnasium.spec(name).to_json(), f"Gymnasium cannot tell {name} as JSON"
        if not hasattr(pettingzoo, "make"):
            raise unittest.SkipTest("this PettingZoo has no registry")
        env = pettingzoo.make("aec", f"stratagym/{self.name}-v{self.spec.version}")
        made = env.unwrapped.spec.name
        assert made == self.name, f"stratagym/{self.name} of PettingZoo is {made}"

    # --- the kernel ------------------------------------------------------------------------------

    def random_games_end_in_time(self) -> None:
        """200 random games end, by the rules or their limit, within ``max_game_length``."""
        rules = self.rules
        assert rules.max_game_length == self.spec.max_game_length, (
            f"max_game_length is {self.spec.max_game_length} in SPEC and {rules.max_game_length} "
            "in Rules with default options"
        )
        states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
        for k in range(200):
            one = np.uint64(core.derive_seed(np.uint64(self.seed), np.uint64(k)))
            decisions, finished = core.random_games(rules, states, legal, probs, one, 1)
            assert finished == 1, f"{finished} games ended where one was played, seed {one}"
            assert decisions <= self.spec.max_game_length, f"{decisions} decisions, seed {one}"
            ending = core.current_player_at(rules, states, 0)
            assert ending in _ENDINGS, f"current_player is {ending} after the end, seed {one}"

    def legal_actions(self) -> None:
        """Not empty exactly while a seat is to move, ascending, and what the mask says."""
        for k in range(5):
            played, rules = self.played(k), self.rules
            mask = np.zeros(rules.num_actions, np.int8)
            legal = np.zeros(rules.num_actions, np.int64)
            spread = range(0, rules.num_actions, 1 + rules.num_actions // 101)
            for at in played.some(MOST_LISTED):
                state, player = played.states[at], played.players[at]
                choice = played.choices[at]
                now = core.current_player_at(rules, state, 0)
                assert now == player, f"current_player is {now}, step left it to {player}"
                assert 0 <= player < rules.num_players, f"there is no seat {player}"
                assert len(choice) > 0, f"seat {player} is to move and has no legal action: {state}"
                assert (np.diff(choice) > 0).all(), f"not ascending: {choice.tolist()}"
                assert 0 <= choice[0] <= choice[-1] < rules.num_actions, (
                    f"legal actions {choice.tolist()} of {rules.num_actions} actions"
                )
                n = mask_at(rules, state, legal, mask)
                assert n == len(choice), f"{len(choice)} legal actions, then {n} in one state"
                assert np.flatnonzero(mask).tolist() == choice.tolist(), (
                    "the mask has other actions than legal_actions"
                )
                asked = [-1, *spread, *played.rng.choice(choice, 20).tolist(), rules.num_actions]
                allowed = [core.is_legal_action_at(rules, state, 0, a, legal) for a in asked]
                listed = set(choice.tolist())
                assert allowed == [a in listed for a in asked], (
                    f"is_legal_action says {allowed} of {asked}; legal are {choice.tolist()}"
                )
            assert played.ending in _ENDINGS, f"current_player is {played.ending} after the end"
            n = mask_at(rules, played.end, legal, mask)
            assert n == 0 and not mask.any(), f"{n} legal actions after the end"

    def returns_obey_the_utility_class(self) -> None:
        """Returns are numbers and what ``utility`` says: sums of 0, or constant, or all alike."""
        utility = self.spec.utility
        assert utility in UTILITIES, f"utility={utility!r}: one of {', '.join(UTILITIES)}"
        constant = None
        for k in range(20):
            played = self.played(k)
            for state in (played.states[0], played.states[-1], played.end):
                returns = played.returns(state)
                assert np.isfinite(returns).all(), f"returns {returns}"
                assert not np.signbit(returns[returns == 0]).any(), f"-0.0 among {returns}"
                if utility == "zero_sum":
                    assert abs(returns.sum()) < 1e-9, f"zero_sum, and the returns are {returns}"
                elif utility == "constant_sum" and state is played.end:
                    constant = returns.sum() if constant is None else constant
                    assert abs(returns.sum() - constant) < 1e-9, (
                        f"constant_sum, and the returns {returns} come to other than {constant}"
                    )
                elif utility == "identical":
                    assert len(set(returns)) == 1, f"identical, and the returns are {returns}"

    def sides_part_the_seats(self) -> None:
        """Every seat is in one side; roles that are dealt (``sides=None``) tell none."""
        sides = self.spec.sides_of(self.rules)
        if sides is not None:
            seats = [seat for side in sides for seat in side]
            assert sorted(seats) == list(range(self.rules.num_players)), (
                f"sides {sides} do not have each of {self.rules.num_players} seats once"
            )
            assert all(sides), f"a side without a seat: {sides}"

    def observations_are_in_their_space(self) -> None:
        """Of all seats, at every decision and at the end."""
        env: Any = make(self.name)
        played = self.played()
        for state in [*played.states, played.end]:
            for seat, agent in enumerate(env.possible_agents):
                space = env.observation_space(agent)["observation"]
                seen = played.observation(state, seat)
                assert space.contains(seen), (
                    f"{agent} sees numbers from {seen.min()} to {seen.max()}, beyond {space}, or "
                    f"observe left a number unwritten (77): {state}"
                )

    def a_copy_plays_on_like_the_original(self) -> None:
        """A record is the whole state, its dice and cards to come included."""
        played = self.played()
        for at in range(0, len(played.states), 1 + len(played.states) // 5):
            twin = played.states[at].copy()
            for action in played.actions[at:]:
                played.play(twin, action)
            assert np.array_equal(twin, played.end), f"a copy of ply {at} came to another end"

    def actions_and_strings_are_a_bijection(self) -> None:
        """A legal action's text names it alone, and reads back as it."""
        view = self.part("view")
        if view is None:
            raise unittest.SkipTest("no view yet")
        for k in range(3):
            played = self.played(k)
            for at in played.some(MOST_LISTED):
                state, choice = played.states[at], played.choices[at]
                words = [view.action_to_string(self.rules, state[0], a) for a in choice.tolist()]
                assert len(set(words)) == len(words), f"two moves of one text among {words}"
                back = [view.string_to_action(self.rules, state[0], word) for word in words]
                assert back == choice.tolist(), (
                    f"{words} read back as {back}, and were {choice.tolist()}"
                )

    def chance_outcomes_are_a_distribution(self) -> None:
        """At every chance event of some games; ``chance`` says whether there are any."""
        legal, probs = core.new_scratch(self.rules)
        # A generator of the game's own dtype, as ``core.seed_rng`` wants it.
        states, generators = core.new_states(self.rules), core.new_states(self.rules)
        events, wrong = 0, np.zeros(1, np.int64)
        for k in range(3):
            seed = np.uint64(self.seed + k)
            events += chance_events(self.rules, states, generators, seed, legal, probs, wrong)
        assert wrong[0] == 0, f"{wrong[0]} of {events} chance events have no distribution"
        assert (events > 0) == (self.spec.chance == "explicit"), (
            f"chance={self.spec.chance!r}, with {events} chance events in three games"
        )

    def prompts_tell_all_that_counts(self) -> None:
        """Positions under one prompt have the same legal actions and come to the same returns.

        Some of them, of the default board's size; ``telling.look`` looks at as many as are wanted.
        """
        if self.part("view") is None:
            raise unittest.SkipTest("no view yet")
        from stratagym.testing import telling  # here, so that it runs as a command too

        dtype = core.state_dtype(self.rules)
        told = telling.look(
            self.spec, self.seed, pairs=100, fits=lambda rules: core.state_dtype(rules) == dtype
        )
        assert not told.faults, str(told.faults[0])

    # --- the environments ------------------------------------------------------------------------

    def batch_equals_env(self) -> None:
        """``BatchEnv`` and ``GameEnv``, step by step, over ends and new starts."""
        n, rng, same = 4, self.rng(), f"GameEnv / BatchEnv, seed {self.seed}"
        batch = make_batch(self.name, n, seed=self.seed)
        envs = [make(self.name, illegal="raise") for _ in range(n)]
        episodes = [0] * n
        for i, env in enumerate(envs):
            env.reset(seed=int(core.derive_seed(batch.seeds[i], 0)))
        for _ in range(2 * self.spec.max_game_length):
            for i, env in enumerate(envs):
                observed = env.observe(env.agent_selection)
                agent = env.possible_agents[batch.players[i]]
                assert agent == env.agent_selection, f"{agent} / {env.agent_selection}, {same}"
                assert (batch.observations[i] == observed["observation"]).all(), (
                    f"other observations, {same}"
                )
                assert (batch.action_masks[i] == observed["action_mask"]).all(), (
                    f"other masks, {same}"
                )
                assert batch.states[i] == env.states[0], f"other states, {same}"
            actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_masks])
            batch.step(actions)
            for i, env in enumerate(envs):
                env.step(actions[i])
                rewards = list(env.rewards.values()), batch.rewards[i].tolist()
                assert rewards[0] == rewards[1], f"rewards {rewards}, {same}"
                over = bool(batch.terminations[i]), bool(batch.truncations[i])
                assert set(env.terminations.values()) == {over[0]}, f"terminations, {same}"
                assert set(env.truncations.values()) == {over[1]}, f"truncations, {same}"
                if batch.terminations[i] or batch.truncations[i]:
                    episodes[i] += 1
                    env.reset(seed=int(core.derive_seed(batch.seeds[i], episodes[i])))
            assert batch.episodes.tolist() == episodes, f"{batch.episodes} / {episodes}, {same}"
            if min(episodes) > 1:
                break
        assert min(episodes) > 0, "a game did not end in twice max_game_length decisions"

    def golden_playthrough(self) -> None:
        """The recorded game is played as it was; record anew only what changes on purpose."""
        from stratagym.testing.golden import playthrough  # here: it is a program too

        if self.golden is None:
            raise unittest.SkipTest("no folder with a recorded game is given (golden=...)")
        path = self.golden / f"{self.name}.txt"
        assert path.exists(), (
            f"{path} is not there; it is made by: python -m stratagym.testing.golden "
            f"--folder {self.golden} {self.name}"
        )
        recorded = path.read_text(encoding="utf-8").splitlines()
        played = playthrough(self.name).splitlines()
        for number, (now, then) in enumerate(zip(played, recorded, strict=False), 1):
            assert now == then, f"{path}, line {number} is {then!r}, and now {now!r}"
        assert len(played) == len(recorded), f"{path} has other lines at its end"

    # --- processes -------------------------------------------------------------------------------

    def fresh_process_plays_within_two_seconds(self) -> None:
        """From the interpreter's start to the first step, in processor time, the cache warm."""
        seconds, _ = _first_step(self.name, self.spec.package)
        assert seconds < MOST_SECONDS, f"{seconds:.1f} s"

    def environments_import_nothing_heavy(self) -> None:
        """No plots, windows, pictures, networks or clients before they are asked for."""
        _, heavy = _first_step(self.name, self.spec.package)
        assert heavy == [], f"imported before they are asked for: {heavy}"

    def ptx(self) -> None:
        """Start, play, mask and observation compile to a GPU's assembler; no GPU is needed."""
        from stratagym.testing import ptx  # here: it is a program too

        if importlib.util.find_spec("numba_cuda") is None or ptx.MISSING in _missing:
            raise unittest.SkipTest(ptx.MISSING)
        done = subprocess.run(
            [sys.executable, "-m", ptx.__name__, self.name, self.spec.package],
            capture_output=True, text=True, timeout=600, check=False, env=_environment(),
        )  # fmt: skip
        if done.returncode == 2 and ptx.MISSING in done.stderr:
            _missing.add(ptx.MISSING)
            raise unittest.SkipTest(ptx.MISSING)
        assert done.returncode == 0, done.stderr
        sizes = json.loads(done.stdout)
        assert tuple(sizes) == ptx.FUNCTIONS, f"compiled: {sizes}"
        assert all(sizes.values()), f"characters of PTX: {sizes}"


@cache
def _first_step(name: str, package: str) -> tuple[float, list[str]]:
    """Least processor time of up to four fresh processes, and what heavy things they import.

    Processor time from the interpreter's start, so that a busy machine does not fail it. The
    first may find the cache cold, so the time is taken again while it is too long.
    """
    times: list[float] = []
    while not times or (len(times) < 4 and min(times) >= MOST_SECONDS):
        done = subprocess.run(
            [sys.executable, "-c", _FIRST_STEP, name, package],
            capture_output=True, text=True, timeout=300, check=False, env=_environment(),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        seconds, heavy = json.loads(done.stdout)
        times.append(seconds)
    return min(times), heavy


def _environment() -> dict[str, str]:
    """This process's, and where it finds modules, for another Python."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


CHECKS = tuple(
    name
    for name, value in {**vars(Contract), **vars(Hiding)}.items()
    if inspect.isfunction(value) and value.__doc__ and name not in ("played", "part")
    and not name.startswith("_")
)  # fmt: skip
"""The names of all checks, in the order in which they are made."""


def contract_checks(
    game: str | core.GameSpec, *, seed: int | None = None, golden: str | Path | None = None
) -> list[tuple[str, Callable[[], None]]]:
    """Every check of a game: (its name, a function that makes it), for ``pytest.mark.parametrize``.

    Args:
        game: an installed or registered game.
        seed: of the random games; by default another every time. golden: the folder of the
            recorded game that ``python -m stratagym.testing.golden`` writes.
    """
    facts = spec(game) if isinstance(game, str) else game
    made: list[Contract] = []

    def check(name: str) -> None:
        if not made:
            drawn = int(np.random.default_rng().integers(2**62)) if seed is None else seed
            made.append(Contract(facts, drawn, Path(golden) if golden is not None else None))
        getattr(made[0], name)()

    applies = {
        Contract.commits_of_the_running_turn_do_not_show.__name__: facts.is_simultaneous,
        Contract.messages_reach_only_those_they_are_for.__name__: _talks(facts),
        Contract.what_talk_tells_shows_nothing_hidden.__name__: _talks(facts),
        Contract.information_and_seed_decide.__name__: facts.information == "imperfect",
        Contract.told_moves_tell_what_is_seen.__name__: facts.information == "imperfect",
        Contract.pictures_for_a_seat_show_nothing_hidden.__name__: facts.information == "imperfect",
    }
    return [(name, partial(check, name)) for name in CHECKS if applies.get(name, True)]


def _talks(facts: core.GameSpec) -> bool:
    if importlib.util.find_spec(f"{facts.package}.view") is None:
        return False
    return hasattr(facts.module("view"), "SPEECH")


def contract(
    game: str | core.GameSpec, *, seed: int | None = None, golden: str | Path | None = None
) -> list[tuple[str, str]]:
    """Check all that a game promises; returns what could not be checked: (check, reason).

    Arguments as for ``contract_checks``.

    Raises:
        AssertionError: a check fails; the message has its name and the seed that repeats it.
    """
    drawn = int(np.random.default_rng().integers(2**62)) if seed is None else seed
    return list(_run(contract_checks(game, seed=drawn, golden=golden), game, drawn))


def _run(
    checks: list[tuple[str, Callable[[], None]]], game: str | core.GameSpec, seed: int
) -> Iterator[tuple[str, str]]:
    for name, check in checks:
        told = inspect.getdoc(getattr(Contract, name)) or ""
        try:
            check()
        except unittest.SkipTest as reason:
            yield name, str(reason)
        except Exception as error:
            title = game if isinstance(game, str) else game.name
            raise AssertionError(
                f"{title} breaks the contract: {name} ({told.splitlines()[0]}) with seed={seed}: "
                f"{type(error).__name__}: {error}"
            ) from error
