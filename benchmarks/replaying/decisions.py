"""Decisions that belong to no recorded game, shown one by one as a game is."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from stratagym.benchmarks.harness import spots
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.replays import DECISIONS, Position, Replay, Run
from stratagym.envs import spec
from stratagym.envs.text import OK, legal_list


def replay_decisions(run: Run, decisions: list[dict[str, Any]], config: dict[str, Any]) -> Replay:
    """Decisions that belong to no recorded game, such as those of ``ludo_spots``.

    A decision without a good answer has no move: what its record holds was drawn in its place.
    Positions are those of the spot files that the run's configuration names, where these
    can still be read and hold the same legal moves.
    """
    find_spot = _spots(config)
    positions = []
    for record in decisions:
        try:
            game = spec(record["game"])
        except ValueError as error:
            raise InputError(f"{run.folder / DECISIONS}: {error}") from None
        rules, states = find_spot(record) or (None, None)
        positions.append(
            Position(
                record["ply"], record["seat"], record["policy"], game, rules, states,
                record["legal"] or [], record["action"] if record["kind"] == OK else None,
                answers=[record],
                heading=f"{record['item']}, {record['policy']}"
                + (f" as {record['persona']}" if record["persona"] != "none" else ""),
            )
        )  # fmt: skip
    first = decisions[0]
    facts = [
        ("Game", spec(first["game"]).title),
        ("Decisions", str(len(decisions))),
        ("Policies", ", ".join(dict.fromkeys(record["policy"] for record in decisions))),
        ("Kinds", ", ".join(dict.fromkeys(record["kind"] for record in decisions))),
    ]
    return Replay(
        f"{first['benchmark']}: single decisions",
        facts,
        positions,
        whole=False,
        agrees="Single decisions, of no recorded game: there is no outcome to check.",
    )


def _spots(config: dict[str, Any]) -> Any:
    """A function from a decision record to (rules, states) of its spot, or None."""
    named, options = config.get("spots"), config.get("rules", {})
    source = named.get("source") if isinstance(named, dict) else None
    if not isinstance(source, str):
        return lambda record: None
    try:
        spec("ludo").make_rules(**options)
    except (ValueError, TypeError, ArithmeticError) as error:  # whatever stands there
        raise InputError(f"config.json: rules: {error}") from None
    try:
        known, _ = spots.load_spots(
            spots.SHIPPED if source == "shipped" else source, skip_invalid=True
        )
    except InputError:
        known = []
    by_id = {spot.id: spot for spot in known}
    rules_options = tuple(options.items())

    @cache
    def position(item: str) -> tuple[Any, np.ndarray] | None:
        spot = by_id.get(item)
        if spot is None:
            return None
        rules = spots.rules_for(spot.players, rules_options)
        return rules, spot.states(rules)

    def find_spot(record: dict[str, Any]) -> tuple[Any, np.ndarray] | None:
        found = position(record["item"])
        if found is None or legal_list(*found) != record["legal"]:
            return None
        return found

    return find_spot
