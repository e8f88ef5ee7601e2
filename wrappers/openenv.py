"""Whole games as a server of OpenEnv (https://github.com/huggingface/OpenEnv).

    python -m stratagym.wrappers.openenv --game tictactoe --opponent random --port 8000

Written for openenv 0.10. An action is a reply in words, an observation the open question as chat
messages; a client is ``openenv.core.GenericEnvClient``, or ``EnvClient`` with ``Reply`` and
``Question``. Each session has its own game.
"""

from __future__ import annotations

import argparse
import random
import sys
from typing import Any

from stratagym.envs.checks import SEED_MASK
from stratagym.envs.prompts import TextOptions
from stratagym.wrappers.dialogue import FORFEIT, RANDOM, Dialogue
from stratagym.wrappers.rewards import Rewards

try:
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "openenv":
        raise
    raise ModuleNotFoundError(
        'this server needs openenv 0.10 or newer: pip install "stratagym[openenv]"',
        name=error.name,
    ) from None

SESSIONS = 64
"""Games at once."""


class Reply(Action):
    """A model's answer to the open question."""

    text: str


class Question(Observation):
    """The open question; ``reward`` is what the last answer earned, ``done`` whether it is over."""

    messages: list[dict[str, str]] = []  # noqa: RUF012 - pydantic copies defaults
    """Complete in itself; empty at the end."""
    news: str = ""
    """What a running conversation has not had yet."""
    legal: list[str] = []  # noqa: RUF012
    """The legal moves, as answers name them."""
    kind: str = ""
    """What the last answer was: ok, unparseable or illegal; empty at the start."""
    reason: str = ""
    """Why it was bad."""
    result: str = ""
    """How the game ended: won, drawn or lost, by forfeit or not."""
    scores: dict[str, float] = {}  # noqa: RUF012
    """The seat's figures at the end, as of ``Dialogue.scores``."""


class GameState(State):
    """A session's game."""

    game: str = ""
    seed: str = ""
    """As text: JavaScript rounds numbers above 2**53."""
    seat: int = 0
    answers: int = 0


class GameEnvironment(Environment[Reply, Question, GameState]):
    """A game in which a client answers for one seat and a policy plays the others.

    Args:
        game: a registered game. opponent: a policy string.
        rewards: as of ``Rewards.of``; by default the seat's return, at the end.
        settings: ``Dialogue``'s other arguments.

    Raises:
        ValueError: a bad argument, in one line.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        game: str,
        opponent: str = "random",
        *,
        rewards: dict[str, Any] | None = None,
        **settings: Any,
    ):
        super().__init__()
        self._settings = {
            "game": game, "opponent": opponent, "rewards": Rewards.of(rewards), **settings,
        }  # fmt: skip
        self._dialogue = Dialogue(seed=0, seat=0, **self._settings)
        self._episode: str | None = None

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, seat: int = 0, **kwargs: Any
    ) -> Question:
        """Begin a game.

        Args:
            seed: of the game; None for any. seat: the one that the client answers for.

        Raises:
            ValueError: no such seat.
        """
        seed = random.SystemRandom().getrandbits(63) if seed is None else seed & SEED_MASK
        self._dialogue = Dialogue(seed=seed, seat=seat, **self._settings)
        self._episode = episode_id
        return self._question(None)

    def step(self, action: Reply, timeout_s: float | None = None, **kwargs: Any) -> Question:
        """Take an answer. Raises ``ValueError`` when the game is over."""
        self._dialogue.answer(action.text)
        return self._question(self._dialogue.answers[-1].reward)

    @property
    def state(self) -> GameState:
        """Which game it is, and how many answers it had."""
        dialogue = self._dialogue
        return GameState(
            episode_id=self._episode,
            step_count=len(dialogue.answers),
            game=dialogue.game.spec.name,
            seed=str(dialogue.seed),
            seat=dialogue.seat,
            answers=len(dialogue.answers),
        )

    def _question(self, reward: float | None) -> Question:
        dialogue = self._dialogue
        last = dialogue.answers[-1] if dialogue.answers else None
        at_end = {"result": dialogue.result(), "scores": dialogue.scores()}
        return Question(
            done=dialogue.over,
            reward=reward,
            messages=dialogue.messages,
            news=dialogue.news,
            legal=dialogue.moves,
            kind="" if last is None else last.kind,
            reason="" if last is None else last.reason,
            **(at_end if dialogue.over else {}),
        )


def app(game: str, opponent: str = "random", sessions: int = SESSIONS, **settings: Any) -> Any:
    """The server as an ASGI application, for uvicorn.

    Args:
        sessions: games at once. settings: ``GameEnvironment``'s other arguments.

    Raises:
        ValueError: a bad argument, in one line.
    """

    def environment() -> GameEnvironment:
        return GameEnvironment(game, opponent, **settings)

    environment()  # says now what is wrong
    return create_fastapi_app(
        environment, Reply, Question, max_concurrent_envs=sessions, state_cls=GameState
    )


def main(arguments: list[str] | None = None) -> None:
    """Serve a game until it is interrupted."""
    parser = argparse.ArgumentParser(
        "python -m stratagym.wrappers.openenv", description=main.__doc__
    )
    parser.add_argument("--game", default="tictactoe", help="a registered game")
    parser.add_argument("--opponent", default="random", help="a policy string of all other seats")
    parser.add_argument("--tries", type=int, default=3, help="answers for one move")
    parser.add_argument("--invalid", choices=(FORFEIT, RANDOM), default=FORFEIT,
                        help="what follows the last bad answer")  # fmt: skip
    parser.add_argument("--list-legal", action="store_true", help="name the legal moves in prompts")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    args = parser.parse_args(arguments)
    try:
        served = app(
            args.game, args.opponent, tries=args.tries, invalid=args.invalid,
            text=TextOptions(list_legal=args.list_legal),
        )  # fmt: skip
    except (ValueError, ModuleNotFoundError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        sys.exit(2)
    import uvicorn

    uvicorn.run(served, host=args.host, port=args.port)


if __name__ == "__main__":
    main()
