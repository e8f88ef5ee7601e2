"""From a command line to climbs: which ladders there are, who climbs them, by which rules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cyclopts import Parameter

from stratagym.agents.core import Policy, make_policy
from stratagym.agents.engines import Engine
from stratagym.agents.ladders import Ladder, is_kept, ladder_of, laddered
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import cli, records
from stratagym.benchmarks.harness.climb import INTERIM_ANALYSES, Plan
from stratagym.benchmarks.harness.options import MatchArgs, ModelArgs, RunArgs
from stratagym.benchmarks.harness.policies import by_name as by_name
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.envs import games, spec


@Parameter(name="*")
@dataclass(kw_only=True)
class ClimbArgs(MatchArgs, RunArgs):
    """Options of scripts whose policies climb ladders."""

    games: int | None = None
    """Games with each opponent, rounded up so that every seed is played from every side; default
    32 with perfect and 64 with hidden information."""
    early_stop: bool = True
    """Leave a level once it is settled: after each quarter of its games, where the 99% interval of
    the win rate leaves out one half."""


FEWEST = 8
"""With fewer games per opponent no level can be settled."""


UNLADDERED = (
    "others are for python -m benchmarks.tournament, with more than two sides for "
    "python -m benchmarks.table"
)
"""What a game without a ladder is for."""


def find_ladders(text: str, every: Sequence[str] | None = None) -> dict[str, Ladder]:
    """The ladders that ``--game`` names, by game, each calibrated.

    Args:
        every: the games that "all" stands for and that can be named; by default all with a ladder.

    Raises:
        InputError: none, an unknown one, or one twice.
    """
    known = laddered() if every is None else list(every)
    names = known if text.strip() == "all" else cli.words(text)
    if not names:
        raise cli.InputError(f"--game: name at least one of: {', '.join(known)}")
    found: dict[str, Ladder] = {}
    for name in names:
        if every is not None and name.partition("/")[0] not in every:
            raise cli.InputError(f"--game {name!r}: choose from: {', '.join(known)}")
        try:
            ladder = ladder_of(name)
            _ = ladder.calibration
        except ValueError as error:
            hint = f"; {UNLADDERED}" if name in games() and name not in laddered() else ""
            raise cli.InputError(f"--game: {error}{hint}") from None
        game = ladder.game.name
        if game in found:
            raise cli.InputError(f"--game: {game} is named twice")
        found[game] = ladder
    return found


def check_games(games: int | None) -> None:
    """Raises ``InputError`` for fewer games with an opponent than settle anything."""
    if games is not None and games < FEWEST:
        raise cli.InputError(
            f"--games {games}: at least {FEWEST} with each opponent are needed, for "
            f"{INTERIM_ANALYSES} looks at every seat; fewer settle nothing"
        )
    if games is not None:
        cli.count("--games", games)


def find_policies(games: list[str], text: str, args: ModelArgs) -> dict[str, dict[str, Policy]]:
    """By game, those of the policies in ``text`` that can play it.

    Raises:
        InputError: a policy that can play none of the games, or is named twice.
    """
    found: dict[str, dict[str, Policy]] = {game: {} for game in games}
    if not cli.words(text):
        make_policies(spec(games[0]), text, args)  # says what is missing
    for word in cli.words(text):
        errors = []
        for game in games:
            try:
                (policy,) = make_policies(spec(game), word, args)
            except cli.InputError as error:
                errors.append(error)
                continue
            if policy.name in found[game]:
                raise cli.InputError(f"--policies: {policy.name} is named twice")
            found[game][policy.name] = policy
        if len(errors) == len(games):
            raise errors[0]
    return found


def models_of(policies: Mapping[str, Policy]) -> list[LanguageModel]:
    """The language models among them; others are made again by their names, each game its own."""
    return [policy for policy in policies.values() if isinstance(policy, LanguageModel)]


def config_of(
    plans: Mapping[str, Plan], policies: Mapping[str, Policy], seed: int
) -> dict[str, Any]:
    """Everything on which the results of climbs depend, for ``config.json``."""
    first = next(iter(plans.values()))
    return {
        **settings(list(policies.values())),
        "ladders": {game: plan.ladder.facts() for game, plan in plans.items()},
        "highest": {game: plan.top for game, plan in plans.items()},
        "games": {game: plan.games for game, plan in plans.items()},
        "early_stop": first.early_stop,
        **first.protocol.record(),
        "seed": seed,
    }


def begun_on(benchmark: str, output: str | None) -> dict[str, Any]:
    """The facts of the ladders of the run that is resumed, by game. Raises ``InputError``."""
    begun = records.begun_config(benchmark, output).get("ladders", {})
    for facts in begun.values() if isinstance(begun, dict) else (begun,):
        _check_facts(facts)
    return begun


def _check_facts(facts: Any) -> None:
    if not isinstance(facts, dict) or not isinstance(facts.get("ladder"), str):
        raise cli.InputError("--resume: config.json does not say which ladders they were")


def begun_protocols(benchmark: str, output: str | None) -> dict[str, Any]:
    """How models were asked in the run that is resumed, by game, as far as its records say."""
    begun = records.begun_config(benchmark, output).get("protocols", {})
    return {
        game: own
        for game, own in (begun.items() if isinstance(begun, dict) else ())
        if isinstance(own, dict)
    }


def same_ladder(ladder: Ladder, facts: dict[str, Any] | None) -> Ladder:
    """The ladder that a run was begun on.

    Args:
        facts: as the run's configuration has them; None where it has none.

    Raises:
        InputError: this version has it no more.
    """
    if facts is None:
        return ladder
    _check_facts(facts)
    facts = {key: value for key, value in facts.items() if key != "highest"}
    if facts == json.loads(json.dumps(ladder.facts())):
        return ladder
    if is_kept(facts):
        return ladder_of(facts["ladder"])
    raise cli.InputError(
        f"--resume: the run was begun on {facts['ladder']}, and this version of stratagym "
        f"has {ladder.name}"
        + (" with other levels" if facts["ladder"] == ladder.name else "")
        + "; start a new run"
    )


def engines(ladder: Ladder) -> dict[str, str]:
    """The names and versions that the installed engines of a ladder report, by policy."""
    found = {}
    for name in (name for level in ladder.levels for name in level):
        if not name.startswith(("uci:", "gtp:", "piskvork:")):
            continue
        try:
            policy = make_policy(ladder.game, name)
        except ValueError:
            continue
        engine = getattr(policy, "policy", policy)
        if isinstance(engine, Engine):
            found[name] = engine.identity()
            engine.close()
    return found
