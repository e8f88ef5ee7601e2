"""Taxonomy of the games: length, number of choices and size of the game tree, measured or cited.

    python -m benchmarks.taxonomy
    python -m benchmarks.taxonomy --game go,connect_four --policies random,mcts:20 --games 50

The table is BotzoneBench's (Li et al., table 1) for its eight games and any others. It adds the
length of games, the number of choices per decision and the share of forced decisions.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from cyclopts import Parameter

from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.botzone_games import GAMES
from stratagym.benchmarks.harness.progress import progress_bar
from stratagym.benchmarks.reporting.terminal import output_console
from stratagym.benchmarks.taxonomy import kinds as taxonomy
from stratagym.envs import games as registered

NAME = "taxonomy"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    game: str = "botzonebench"
    """Games, separated by commas; "botzonebench" for its eight games, "all" for every game."""
    policies: str = "random,heuristic?random=0.1"
    """Policies whose games against themselves are measured, separated by commas."""
    games: int = 200
    """Games of each policy."""
    seed: int = 0
    """Seed from which the games' seeds are drawn."""
    json: bool = False
    """Print the measurements as JSON instead of tables."""
    page: Path | None = None
    """A page in Markdown, such as docs/benchmarks/taxonomy.md, in which the part between the lines
    `<!-- taxonomy: begin -->` and `<!-- taxonomy: end -->` is replaced."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Say of games how long they are and how many choices they give."""
    names = asked_games(args.game)
    policies = cli.words(args.policies)
    cli.count("--games", args.games, least=2)
    if not policies:
        raise cli.InputError("--policies: at least one policy is needed")
    players = [(name, taxonomy.player(name, policy)) for name in names for policy in policies]
    if args.page is not None:
        cli.put_into(args.page, NAME)
    found = []
    with progress_bar() as bar:
        task = bar.add_task("", total=len(players))
        for name, player in players:
            bar.update(task, description=f"{name} {player.name}")
            found.append(taxonomy.measure(name, player, args.games, args.seed))
            bar.advance(task)
    kinds, measured = taxonomy.kinds_table(names), taxonomy.measured_table(found)
    if args.page is not None:
        cli.put_into(args.page, NAME, taxonomy.markdown(kinds, measured))
    if args.json:
        print(json.dumps(taxonomy.record(found), indent=2))
        return
    console = output_console()
    console.print(kinds.rich("Kinds of games"))
    console.print(measured.rich(f"Measured over {args.games} games each"))


def asked_games(text: str) -> list[str]:
    """The games that ``--game`` names. Raises ``InputError``."""
    if text.strip() == "all":
        return registered()
    known = set(registered())
    names = cli.words(text)
    if text.strip() == "botzonebench":
        names = [entry.game for entry in GAMES if entry.game in known]
    for name in names:
        if name not in known:
            raise cli.InputError(f"--game {name!r}: choose from: {', '.join(registered())}")
    if not names:
        raise cli.InputError("--game: name at least one game")
    return names


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
