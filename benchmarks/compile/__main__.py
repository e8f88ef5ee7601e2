"""Compile games ahead of time, or measure the cost of a game's first use.

    python -m benchmarks.compile
    python -m benchmarks.compile chess go
    python -m benchmarks.compile tictactoe --measure

Compiled code is kept on disk for all processes of this user.
"""

from __future__ import annotations

from pathlib import Path

from stratagym import envs
from stratagym.benchmarks.compile import first_use
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.measuring import machine, machine_line
from stratagym.benchmarks.harness.progress import progress_bar
from stratagym.benchmarks.reporting.terminal import output_console


def main(*games: str, measure: bool = False, page: Path | None = None) -> None:
    """Compile all that games need: environments, batches, states, searches and built-in players.

    What is compiled already is found and not compiled again. Options of a game that change its
    state, such as the size of a board, have code of their own, which is compiled when it is used.

    Parameters
    ----------
    games
        Games; every game if none is named.
    measure
        Measure what each game's first use takes instead, in a process of its own and without
        anything that was compiled before.
    page
        With `--measure`: a page in Markdown, such as docs/performance.md, whose part between the
        lines `<!-- first use: begin -->` and `<!-- first use: end -->` is made anew.
    """
    names = _checked(games)
    if page is not None:
        if not measure:
            raise cli.InputError("--page: it takes what --measure measures; give both")
        cli.put_into(page, first_use.PART)
    found: list[first_use.Used] = []
    with progress_bar() as bar:
        task = bar.add_task("", total=len(names))
        for name in names:
            bar.update(task, description=name)
            found.append(first_use.measured(name) if measure else first_use.compiled(name))
            bar.advance(task)
    table = first_use.table(found, measure)
    if page is not None:
        taken = f"{machine_line(machine())}\n\n{first_use.METHOD}"
        cli.put_into(page, first_use.PART, f"{taken}\n\n{table.markdown()}")
    output_console().print(table.rich())


def _checked(games: tuple[str, ...]) -> list[str]:
    """The games that are named, or all. Raises ``InputError``."""
    names = list(dict.fromkeys(cli.words(",".join(games)))) or envs.games()
    try:
        return [envs.spec(name).name for name in names]
    except ValueError as error:
        raise cli.InputError(str(error)) from None


APP = cli.app("compile", main)

if __name__ == "__main__":
    cli.run(APP)
