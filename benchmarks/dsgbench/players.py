"""Who plays a run's scenes, and by which rules models are asked there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from stratagym.agents.core import Policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.dsgbench.scenes import LEVEL, Scene, resolved
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.options import MatchArgs
from stratagym.benchmarks.harness.policies import make_policies
from stratagym.benchmarks.harness.protocol import DEFAULT, SYNC, AnswerProtocol, consequences
from stratagym.envs import core, spec
from stratagym.wrappers.dialogue import RANDOM

CHANCE = "chance"
"""The label of games in which every seat is played at random."""
IDLE = "idle"


@dataclass(frozen=True)
class Player:
    """A policy of a run, in each game that it can play.

    Attributes:
        label: as the run names it. policies: by game.
    """

    label: str
    policies: Mapping[str, Policy]


def make_players(words: str, games: Sequence[str], args: MatchArgs, option: str) -> list[Player]:
    """The players that ``words`` name, separated by commas, in the games that they can play.

    Raises:
        InputError: none, one twice, or one that can play none of the games.
    """
    found: dict[str, Player] = {}
    for word in cli.words(words):
        policies: dict[str, Policy] = {}
        errors = []
        for game in games:
            made = _made(word, game, args, option)
            if isinstance(made, Policy):
                policies[game] = made
            else:
                errors.append(made)
        if not policies:
            raise errors[0]
        label = word if word.startswith(LEVEL) else next(iter(policies.values())).name
        if label in found or label == CHANCE:
            raise cli.InputError(f"{option}: {label} is named twice")
        found[label] = Player(label, policies)
    if not found:
        raise cli.InputError(f"{option}: name at least one policy")
    return list(found.values())


def _made(word: str, game: str, args: MatchArgs, option: str) -> Policy | cli.InputError:
    """A policy in a game, or why the game has none of that name."""
    try:
        (policy,) = make_policies(spec(game), resolved(spec(game), word), args, option=option)
    except cli.InputError as error:
        return error
    except ValueError as error:
        return cli.InputError(f"{option}: {error}")
    return policy


def opponents_of(scenes: Sequence[Scene], args: MatchArgs, other: str | None) -> dict[str, Policy]:
    """The opponent of each scene, by the scene's name; ``other`` where it is given.

    Raises:
        InputError: it cannot be made.
    """
    found = {}
    for scene in scenes:
        try:
            name = resolved(spec(scene.game), other or scene.opponent)
        except ValueError as error:
            raise cli.InputError(f"--opponent: {error}") from None
        (found[scene.name],) = make_policies(spec(scene.game), name, args, option="--opponent")
    return found


def by_name(policies: Sequence[Policy]) -> dict[str, Policy]:
    """Policies by their names, the first of each."""
    found: dict[str, Policy] = {}
    for policy in policies:
        found.setdefault(policy.name, policy)
    return found


def models_of(policies: Mapping[str, Policy]) -> list[LanguageModel]:
    """The language models among them; others are made again by their names, each game its own."""
    return [policy for policy in policies.values() if isinstance(policy, LanguageModel)]


def protocol_of(scene: Scene, args: MatchArgs) -> AnswerProtocol:
    """How a scene's models are asked: its clock and prompt where the command names no others.

    Raises:
        InputError: an option that its game does not have.
    """
    game, rules = spec(scene.game), scene.rules
    clock = scene.clock if args.clock == SYNC else args.clock
    if game.decision_seconds_of(rules) is None:
        clock = SYNC
    own = replace(args, clock=clock, invalid=invalid_of(game, args.invalid), **scene.prompt)
    return own.answer_protocol(game, rules)


def invalid_of(game: core.GameSpec, wanted: str) -> str:
    """What follows a bad answer; ``idle`` where a game has it, else what is nearest to it."""
    if wanted != IDLE or IDLE in consequences(game):
        return wanted
    return DEFAULT if hasattr(game.module("view"), "default_actions") else RANDOM
