"""Plays the agents that are shipped, and writes their part of docs/results.md.

    python docs/make_agents.py 400

Needs ``pip install 'stratagym[rl]'``. Every agent plays its most probable moves, by the options
that it was trained with, against random play with seats rotated; in Hanabi with itself. Where the
game is small enough to follow every line, the result against a perfect opponent is computed.
"""

from __future__ import annotations

import re
import sys
from datetime import date
from pathlib import Path

import numpy as np

from stratagym import envs
from stratagym.agents.core import BatchPolicy, make_policy
from stratagym.agents.sb3 import SHIPPED, load
from stratagym.benchmarks.harness.batched import play_batched
from stratagym.benchmarks.train_ppo.evaluation import Evaluation
from stratagym.envs.state import State

PAGE = Path(__file__).with_name("results.md")
TITLE = "## Agents that come with it"
EXACT = ("tictactoe",)
"""Games whose every line is followed."""


def best_response(game: str, policy: BatchPolicy, seat: int) -> float:
    """What a perfect opponent leaves a policy in a seat of a small game of two without chance.

    The policy has one move in every position; what it returns is computed by trying all lines.
    """

    def value(state: State) -> float:
        if state.is_terminal():
            return float(state.returns()[seat])
        if state.current_player() == seat:
            seeds = np.zeros(1, np.uint64)
            return value(state.child(int(policy.act_each(state.rules, state.states, seeds)[0])))
        return min(value(state.child(move)) for move in state.legal_actions())

    return value(envs.make_state(game, seed=0))


def interval(rate: dict) -> str:
    return f"{rate['value']:.3f} [{rate['low']:.3f}, {rate['high']:.3f}]"


def main(games: int) -> None:
    lines = [
        "| Game | Options | Agent | Against | Games | Won | Drawn | Lost | Mean return | "
        "Best response |",
        "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for path in sorted(SHIPPED.glob("*.zip")):
        game, options = envs.spec(path.stem), load(path)[1]["options"]
        name = "sb3?deterministic=1"
        agent = make_policy(game, name)
        shown = ", ".join(
            f"{key}={value}"
            for key, value in options.items()
            if value != game.options_in_force()[key]
        )
        team = game.utility == "identical"
        rivals = {} if team else {"random": make_policy(game, "random")}
        evaluation = Evaluation(game, options, agent, rivals, 0, None)
        found = evaluation.results(play_batched(evaluation.matches(games, "final")))
        for rival, one in found.items():
            rates = [interval(one[k]) if k in one else "" for k in ("wins", "draws", "losses")]
            exact = ""
            if path.stem in EXACT:
                ends = {1.0: "win", 0.0: "draw", -1.0: "loss"}
                each = [ends[best_response(path.stem, agent, seat)] for seat in range(2)]
                exact = f"{each[0]} as first, {each[1]} as second"
            against = "itself" if team else f"`{rival}`"
            cells = [game.title, shown, f"`{name}`", against, f"{one['games']:,}", *rates,
                     interval(one["mean_return"]), exact]  # fmt: skip
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    part = "\n".join(
        [
            TITLE, "", "```bash", f"python docs/make_agents.py {games}", "```", "", *lines, "",
            "The most probable moves of the "
            "[agents](tutorials/train_ppo.md#agents-that-come-with-it) by the options that they "
            "were trained with. Best response: the agent's result against an opponent that knows "
            "its moves, from all lines of the game, where they can be followed.",
            "", f"Seed 0, {date.today():%Y-%m-%d}.",
        ]
    )  # fmt: skip
    page = PAGE.read_text(encoding="utf-8")
    page = re.sub(rf"\n{TITLE}\n.*?(?=\n## |\Z)", "", page, flags=re.DOTALL).rstrip()
    PAGE.write_text(f"{page}\n\n{part}\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
