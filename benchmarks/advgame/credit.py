"""What the items of a policy's plans were worth, over all rounds that were fought."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stratagym.benchmarks.advgame.metrics import Game
from stratagym.benchmarks.harness import sealed_games as games
from stratagym.benchmarks.replaying.credit import IDLE, credits
from stratagym.benchmarks.reporting.stats import RESULT, mean_rate
from stratagym.envs import sealed_words

WITHOUT, SHAPLEY = "without", "shapley"
KINDS = (WITHOUT, SHAPLEY)
"""How credit is given: by leaving one item out, or as the mean over orders in which items come."""
SAMPLES = 200


def credits_of(
    of: Mapping[str, Sequence[Game]],
    config: Mapping[str, Any],
    kind: str = WITHOUT,
    samples: int = SAMPLES,
) -> dict[str, Any]:
    """By policy and game a table of items; see ``_table``.

    With ``shapley`` the duel has none: its skills cannot be left out.
    """
    options = tuple(sorted(config["rules"].items()))
    return {
        name: {
            game: _table(game, own, options, samples if kind == SHAPLEY else 0)
            for game in games.GAMES
            if (own := [one for one in played if one.game == game])
            and (kind, game) != (SHAPLEY, games.DUEL)
        }
        for name, played in of.items()
    }


def _table(game: str, played: Sequence[Game], options: Any, samples: int) -> list[dict[str, Any]]:
    """By item: plans, copies, mean credits with intervals over opponents and roles, idle, harmful.

    Plans are counted as often as they fought.
    """
    found: defaultdict[tuple[int, str], list[tuple[int, float, float, int]]] = defaultdict(list)
    plans: defaultdict[tuple[int, str], int] = defaultdict(int)
    clusters: dict[Any, int] = {}
    for one in played:
        cluster = clusters.setdefault(one.cluster, len(clusters))
        for this in one.rounds:
            if not this.fought:
                continue
            texts = [sealed_words.json_text(plan.data) for plan in this.plans]
            given = credits(game, options, one.role, *texts, samples)
            for credit in given:
                key = one.role, credit.item
                found[key].append((cluster, credit.result, credit.value, credit.cost))
            for item in {credit.item for credit in given}:
                plans[one.role, item] += 1
    rows = []
    for (role, item), copies in sorted(found.items()):
        index, results, values, costs = (np.array(x) for x in zip(*copies, strict=True))
        rows.append(
            {
                "role": games.ROLES[role],
                "item": item,
                "plans": plans[role, item],
                "copies": len(copies),
                "credit": mean_rate(results, index, bounds=RESULT).record(),
                "value": mean_rate(values, index, bounds=RESULT).record(),
                "per_cost": float((results / costs).mean()) if costs.all() else None,
                "idle": float(((results == 0) & (np.abs(values) < IDLE)).mean()),
                "harmful": float((results < 0).mean()),
            }
        )
    return rows
