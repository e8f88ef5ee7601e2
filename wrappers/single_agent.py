"""Any game as a Gymnasium environment: the learner in one seat, or in every seat.

``gymnasium.make("stratagym/Ludo-v0", opponent="heuristic")`` makes a ``SingleAgentEnv``.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from stratagym import envs
from stratagym.agents.learner_games import seat_rule
from stratagym.agents.opponents import Opponent, make_games, make_opponents
from stratagym.envs import checks, core
from stratagym.envs.checks import SEED_MASK
from stratagym.envs.display import Display, about
from stratagym.envs.spaces import Discrete
from stratagym.envs.window import RENDER_MODES, Rendered


def observation_space_of(rules: Any, dict_observation: bool) -> spaces.Space:
    """The space of what one seat sees, with its mask of legal actions or without."""
    bounds = core.observation_bounds(rules)
    box = spaces.Box(*bounds, rules.observation_shape, rules.observation_dtype)
    if not dict_observation:
        return box
    mask = spaces.Box(0, 1, (rules.num_actions,), np.int8)
    return spaces.Dict({"observation": box, "action_mask": mask})


class SingleAgentEnv(Display, Rendered, gymnasium.Env[Any, Any]):
    """A game for one learner; the other seats are played inside ``reset`` and ``step``.

    Observation: the tensor of the seat that decides, a ``Box``. Legal actions: ``action_masks()``
    (bool, for sb3-contrib's MaskablePPO) and ``info["action_mask"]`` (int8, for
    ``action_space.sample``), all zeros after the end. ``info["seat"]`` is that seat. Where an
    illegal action has ended the episode, ``info["illegal"]`` has the ``"agent"``, its ``"action"``
    and the ``"action_mask"`` then.

    Against opponents the reward is what the learner's seat has gained since its last decision,
    the opponents' moves and the dice between included; over an episode that sums to the seat's
    return. An episode in which the seat would have no decision at all is skipped.

    With ``opponent="self"`` the learner decides for every seat in turn. The reward is what the
    seat that just moved gained by the move (and the dice after it), so a winning move earns the
    winner's +1 and the losers' side of it appears only in ``info["rewards"]`` ((P,) float64, all
    seats). The next observation may be another seat's: to bootstrap across a step in a game of
    two with opposite values, negate the next value when ``info["seat"]`` has changed. After the
    end the observation is that of the seat that moved last. To train against past selves with an
    ordinary algorithm, give a ``Policy`` or a function of a ``Decision`` as ``opponent`` instead.

    Episode k after ``reset(seed=s)`` is the same in every respect, opponents included, whenever
    it is played; each ``reset()`` without a seed starts the next episode.

    Args:
        game: one of ``envs.games()``.
        opponent: a policy string (``"random"``, ``"heuristic"``, ``"gt:2"``, ...), a ``Policy``
            or a function of a ``Decision``, for all other seats; a mapping of these to weights,
            of which every episode draws one for each seat; a list of these, one for each other
            seat in turn order after the learner's; or ``"self"``.
        seat: the learner's seat; ``"rotate"`` for seat (s + k) modulo the seats in episode k
            after ``reset(seed=s)``; ``"random"`` for one drawn in every episode.
        render_mode: ``"human"`` (a window), ``"ansi"``, ``"rgb_array"`` or None.
        dict_observation: observe ``{"observation", "action_mask"}`` instead, as in the AEC form.
        illegal: ``"terminate"`` ends the episode with reward -1, ``"raise"`` raises
            ``ValueError`` and leaves the game as it was.
        **options: the game's own options.

    Attributes:
        game: the game's facts (``GameSpec``). rules: the options in force.
        states: (1,) record, the game now; copy it before changing it.
        seat: the seat that decides.

    Raises:
        ValueError: a wrong argument, in one line that names the choices.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        opponent: Opponent | Sequence[Opponent] = "random",
        seat: int | str = 0,
        *,
        render_mode: str | None = None,
        dict_observation: bool = False,
        illegal: str = "terminate",
        **options: Any,
    ):
        self.game = envs.spec(game)
        self.rules = self.game.make_rules(**options)
        checks.check_words(render_mode, RENDER_MODES, illegal)
        self.render_mode, self.illegal = render_mode, illegal
        self.dict_observation = dict_observation
        self.opponents = make_opponents(self.game, self.rules, opponent)
        self._self_play = not self.opponents
        rule = seat_rule(self.game, self.rules, seat, self._self_play)
        self._games = make_games(self.game, self.rules, 1, rule, self.opponents)
        self.states = self._games.states
        self.observation_space = observation_space_of(self.rules, dict_observation)
        self.action_space = Discrete(self.rules.num_actions)
        self._all = np.ones(1, np.bool_)
        self._begun = self._over = False

    @property
    def seat(self) -> int:
        return int(self._games.games["seat"][0])

    def action_masks(self) -> np.ndarray:
        """(A,) bool, the legal actions; all False when the episode is over."""
        self._check_begun()
        return self._games.masks[0] == 1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; the learner is to move.

        Args:
            seed: 0 to 2**64 - 1. options: there are none.

        Raises:
            ValueError: options.
            gymnasium.error.Error: a negative seed.
            RuntimeError: the learner's seat gets no decision in a thousand episodes in a row.
        """
        checks.no_options(self.game.name, options)
        super().reset(seed=None if seed is None else int(seed))
        games = self._games.games
        if seed is not None or not self._begun:
            games["seed"] = (secrets.randbits(63) if seed is None else int(seed)) & SEED_MASK
            games["episode"] = 0
        else:
            games["episode"] += 1
        self._games.reset(self._all)
        self._begun, self._over = True, False
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play ``action`` and the opponents' answers.

        Returns:
            (observation, reward, terminated, truncated, info); truncated when a limit of the
            game's rules ended it.

        Raises:
            ResetNeeded: before ``reset`` or after the end.
            TypeError: ``action`` is no whole number.
            ValueError: an illegal action under ``illegal="raise"``; the game is as before.
        """
        self._check_begun()
        if self._over:
            raise ResetNeeded("the episode is over: call reset() before step()")
        games, mover = self._games, self.seat
        number = checks.action_number(self.game.name, f"player_{mover}", action)
        mask = games.masks[0]
        known = 0 <= number < len(mask)
        actions = np.array([number if known else -1], np.int64)
        if games.step(actions, strict=self.illegal == "raise") >= 0:
            raise ValueError(
                f"{self.game.name}: player_{mover} may not play {action!r}; "
                f"legal: {checks.some_of(np.flatnonzero(games.masks[0]))}"
            )
        terminated, truncated = bool(games.terminations[0]), bool(games.truncations[0])
        self._over = terminated or truncated
        info = self._info()
        if not (known and mask[number]):
            info["illegal"] = checks.illegal_info(f"player_{mover}", number, mask)
            checks.warn_of_illegal(self.game.name)
        if self._self_play:
            info["rewards"] = games.rewards[0]
        if self.render_mode == "human":
            self.render()
        return self._observation(), float(games.rewards[0, mover]), terminated, truncated, info

    def _shown(self) -> tuple[core.GameSpec, Any, np.ndarray, str]:
        if not self._begun:
            return self.game, self.rules, self.states[:0], "not begun; call reset()"
        game = self._games.games[0]
        return self.game, self.rules, self.states, about(int(game["player"]), int(game["ply"]))

    def _check_begun(self) -> None:
        if not self._begun:
            raise ResetNeeded("call reset() first")

    def _observation(self) -> Any:
        observation = self._games.observations[0]
        if self.dict_observation:
            return {"observation": observation, "action_mask": self._games.masks[0].copy()}
        return observation

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._games.masks[0].copy(), "seat": self.seat}

    def render(self) -> Any:
        """A text (``ansi``), an RGB array of (height, width, 3) uint8, or a window's next frame."""
        if self.render_mode is not None:
            self._check_begun()
        return self._rendered(self.game)
