"""Any game as a Gymnasium vector environment, all of it stepped in one numba call.

``gymnasium.make_vec("stratagym/Ludo-v0", num_envs=64, opponent="heuristic")`` makes a
``VectorEnv``.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from stratagym import envs
from stratagym.agents import learner_games as learner
from stratagym.agents import opponents
from stratagym.envs import checks, core
from stratagym.envs.batch import observe_seats
from stratagym.envs.display import Display
from stratagym.envs.spaces import Discrete
from stratagym.envs.window import picture_of
from stratagym.wrappers.single_agent import observation_space_of

RENDER_MODES = ["ansi", "rgb_array"]
_AFTER = {
    AutoresetMode.NEXT_STEP: learner.NEXT_STEP,
    AutoresetMode.SAME_STEP: learner.SAME_STEP,
    AutoresetMode.DISABLED: learner.DISABLED,
}


class VectorEnv(Display, gymnasium.vector.VectorEnv[Any, Any, Any]):
    """``num_envs`` games of one learner against policies; no Python work for each game.

    Game i, given seed s, is the game of ``SingleAgentEnv`` after ``reset(seed=s)``: the same
    observations, rewards (self-play's included), seats and opponents' moves in every episode. A
    whole-number seed gives game i ``derive_seed(seed, i)``, so that batches of different seeds
    have nothing in common; a sequence of N seeds gives each game its own.

    ``action_masks()`` is (N, A) bool and ``infos["action_mask"]`` the same as int8;
    ``infos["seat"]`` (N,) int64 is the seat that decides and, in self-play, ``infos["rewards"]``
    (N, P) float64 what every seat has gained. In a game that is over and about to start anew all
    actions are marked legal, as any is ignored. Arrays are new in every step.

    Where illegal actions have ended games, ``infos["illegal"]`` holds what ``SingleAgentEnv`` says
    of them, as arrays over games, and ``infos["_illegal"]`` (N,) bool which games they are; with
    autoreset in the same step they stand in ``infos["final_info"]``.

    With autoreset in the same step, games that end have their last observation in
    ``infos["final_obs"]`` ((N,) objects, None elsewhere) and their last info in
    ``infos["final_info"]``, with ``infos["_final_obs"]`` and ``infos["_final_info"]`` (N,) bool.

    Args:
        game: one of ``envs.games()``.
        num_envs: N.
        opponent: as in ``SingleAgentEnv``. Where all are compiled (``"random"``,
            ``"heuristic"``, ``"gt:DEPTH"``), games and opponents are stepped in one call; others
            are asked for the actions of all their games at once.
        seat, dict_observation, illegal, **options: as in ``SingleAgentEnv``; ``"raise"`` on an
            illegal action leaves every game as it was.
        autoreset_mode: Gymnasium's; its default, the next step, resets a game that is over in
            the step after (that action is ignored, the reward 0). With ``"Disabled"``, reset
            games by ``reset(options={"reset_mask": ...})``, (N,) bool.
        render_mode: ``"ansi"`` or ``"rgb_array"``: ``render()`` gives a tuple of N; or None.

    Attributes:
        game: the game's facts (``GameSpec``). rules: the options in force.
        states: (N,) records, the games now. seeds: (N,) uint64.

    Raises:
        ValueError: a wrong argument, in one line that names the choices.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponent: opponents.Opponent | Sequence[opponents.Opponent] = "random",
        seat: int | str = 0,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        dict_observation: bool = False,
        illegal: str = "terminate",
        **options: Any,
    ):
        self.game = envs.spec(game)
        self.rules = self.game.make_rules(**options)
        checks.check_words(render_mode, RENDER_MODES, illegal)
        modes = [mode.value for mode in AutoresetMode]
        if autoreset_mode not in (*AutoresetMode, *modes):
            raise ValueError(
                f"autoreset_mode={autoreset_mode!r}; choose one of: {', '.join(modes)}"
            )
        num_envs = checks.count("num_envs", num_envs)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {
            "render_modes": RENDER_MODES,
            "render_fps": 2,
            "autoreset_mode": self.autoreset_mode,
        }
        self.num_envs, self.render_mode = num_envs, render_mode
        self.illegal, self.dict_observation = illegal, dict_observation
        policies = opponents.make_opponents(self.game, self.rules, opponent)
        self._self_play = not policies
        rule = learner.seat_rule(self.game, self.rules, seat, self._self_play)
        self._games = opponents.make_games(self.game, self.rules, num_envs, rule, policies)
        self.states = self._games.states
        self.single_observation_space = observation_space_of(self.rules, dict_observation)
        self.single_action_space = Discrete(self.rules.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._everyone = np.ones(num_envs, np.bool_)
        self._begun = False

    @property
    def seeds(self) -> np.ndarray:
        return self._games.games["seed"].copy()

    def action_masks(self) -> np.ndarray:
        """(N, A) bool, the legal actions of every game."""
        return self._masks == 1

    def views(self, out: np.ndarray | None = None) -> np.ndarray:
        """What every seat sees now, (N, P, *shape): a new array, or ``out``, written anew.

        Raises:
            ValueError: ``out`` has another shape or dtype, or is not C-contiguous.
        """
        return observe_seats(self.rules, self.states, out)

    def state(self) -> np.ndarray:
        """Every seat's observation, flat: (N, P, size), for centralised critics."""
        return self.views().reshape(self.num_envs, self.rules.num_players, -1)

    def reset(
        self,
        *,
        seed: int | Sequence[int] | np.ndarray | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every game, the next one where no seed is given.

        Args:
            seed: one whole number, or N of them.
            options: ``{"reset_mask": (N,) bool}`` leaves the games that are False as they are.

        Raises:
            ValueError: seeds that are none, seeds or a mask of another shape, other options.
            RuntimeError: the learner's seat gets no decision in a thousand episodes in a row.
        """
        checks.no_options(self.game.name, options, ("reset_mask",))
        chosen = self._everyone
        if options is not None and "reset_mask" in options:
            chosen = np.asarray(options["reset_mask"])
            if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_:
                raise ValueError(f"reset_mask: a bool array of shape ({self.num_envs},) is needed")
            if not self._begun and not chosen.all():
                raise ValueError("reset_mask: the first reset has to start every game")
        games = self._games.games
        if seed is not None or not self._begun:
            games["seed"] = np.where(chosen, self._seeds_from(seed), games["seed"])
            games["episode"][chosen] = 0
        else:
            games["episode"][chosen] += 1
        self._games.reset(chosen)
        self._begun = True
        return self._observations(), self._infos(chosen)

    def _seeds_from(self, seed: Any) -> np.ndarray:
        if seed is None:
            seed = secrets.randbits(63)
        if np.ndim(seed) == 0:
            base = np.uint64(checks.seed_number(seed))
            super().reset(seed=int(seed))
            return np.array(
                [core.derive_seed(base, np.uint64(i)) for i in range(self.num_envs)], np.uint64
            )
        return checks.seed_array(self.num_envs, seed)

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one action in every game, and the opponents' answers.

        Args:
            actions: (N,) integers.

        Returns:
            (observations, rewards (N,) float64, terminations (N,) bool, truncations (N,) bool,
            infos).

        Raises:
            ResetNeeded: before ``reset``, or a game is over and autoreset is disabled.
            ValueError: actions of another shape or type, or an illegal one under
                ``illegal="raise"``; no game has been stepped.
        """
        if not self._begun:
            raise gymnasium.error.ResetNeeded("call reset() first")
        actions = checks.action_array(self.game.name, self.num_envs, actions)
        games = self._games
        illegal = self._illegal(actions)
        told = self._about(actions, illegal) if illegal.any() else {}
        if self.autoreset_mode is AutoresetMode.DISABLED:
            over = np.flatnonzero(games.games["player"] < 0)
            if over.size:
                raise gymnasium.error.ResetNeeded(
                    f"game {over[0]} is over: reset it with options={{'reset_mask': ...}}"
                )
        bad = games.step(actions, _AFTER[self.autoreset_mode], self.illegal == "raise")
        if bad >= 0:
            legal = checks.some_of(np.flatnonzero(games.masks[bad]))
            raise ValueError(
                f"{self.game.name}: game {bad} may not play {actions[bad]}; legal: {legal}"
            )
        rewards = games.rewards[np.arange(self.num_envs), games.movers]
        observations, infos = self._observations(), self._infos(self._everyone)
        if self._self_play:
            infos["rewards"], infos["_rewards"] = games.rewards, self._everyone.copy()
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            ended = games.terminations | games.truncations
            if ended.any():
                self._add_final(infos, ended)
        if told:
            same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
            (infos["final_info"] if same_step else infos).update(illegal=told, _illegal=illegal)
            checks.warn_of_illegal(self.game.name)
        return observations, rewards, games.terminations, games.truncations, infos

    def _illegal(self, actions: np.ndarray) -> np.ndarray:
        """(N,) bool: the games that these actions end, because they are illegal."""
        masks = self._games.masks
        inside = (actions >= 0) & (actions < masks.shape[1])
        legal = masks[np.arange(self.num_envs), np.where(inside, actions, 0)] == 1
        return (self._games.games["player"] >= 0) & ~(inside & legal)

    def _about(self, actions: np.ndarray, illegal: np.ndarray) -> dict[str, np.ndarray]:
        """What info says of illegal actions, before they are played."""
        seats = self._games.games["seat"]
        agents = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(illegal):
            agents[i] = f"player_{seats[i]}"
        told = {
            "agent": agents,
            "action": np.where(illegal, actions, 0),
            "action_mask": np.where(illegal[:, None], self._games.masks, 0).astype(np.int8),
        }
        return told | {f"_{name}": illegal.copy() for name in told}

    def _observations(self) -> Any:
        """The observations for the caller; brings the masks to date."""
        games = self._games
        self._masks = games.masks
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            over = games.games["player"] < 0
            if over.any():
                self._masks = games.masks.copy()
                self._masks[over] = 1
        if self.dict_observation:
            return {"observation": games.observations, "action_mask": self._masks.copy()}
        return games.observations

    def _infos(self, chosen: np.ndarray) -> dict[str, Any]:
        return {
            "action_mask": self._masks.copy(),
            "_action_mask": chosen.copy(),
            "seat": self._games.games["seat"].copy(),
            "_seat": chosen.copy(),
        }

    def _add_final(self, infos: dict[str, Any], ended: np.ndarray) -> None:
        """Put what the games that ``ended`` came to into ``infos``, as Gymnasium lays it out."""
        games = self._games
        last = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(ended):
            last[i] = games.last_observations[i].copy()
            if self.dict_observation:
                mask = np.zeros(self.rules.num_actions, np.int8)
                last[i] = {"observation": last[i], "action_mask": mask}
        final = {
            "action_mask": np.zeros_like(games.masks),
            "_action_mask": ended.copy(),
            "seat": np.where(ended, games.movers, 0),
            "_seat": ended.copy(),
        }
        if self._self_play:
            rewards, none = infos["rewards"], np.zeros_like(infos["rewards"])
            final["rewards"] = np.where(ended[:, None], rewards, none)
            final["_rewards"] = ended.copy()
        infos["final_obs"], infos["_final_obs"] = last, ended.copy()
        infos["final_info"], infos["_final_info"] = final, ended.copy()

    def _shown(self) -> tuple[core.GameSpec, Any, np.ndarray, str]:
        states = self.states if self._begun else self.states[:0]
        return self.game, self.rules, states, f"{self.num_envs} games"

    def render(self) -> tuple[Any, ...] | None:
        """A text (``ansi``) or an RGB array of (height, width, 3) uint8 of every game."""
        if self.render_mode is None:
            raise ValueError(
                'nothing to render: make the environment with render_mode="ansi" or "rgb_array"'
            )
        return tuple(picture_of(self.game, self.rules, s, self.render_mode) for s in self.states)
