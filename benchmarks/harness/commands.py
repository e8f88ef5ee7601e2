"""The list of commands, the folders in ``benchmarks/`` with a script, and how one is run."""

from __future__ import annotations

import ast
import os
import runpy
import sys
from importlib.metadata import version
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
GROUPS = {
    "Play and look": ("play", "replay", "audit", "export"),
    "Evaluate": (
        "ludo_spots", "ludo_arena", "board_solvers", "hanabi_teams", "coin_teams",
        "diplomacy", "welfare", "werewolf", "dsgbench", "advgame", "planning", "anchored_levels",
        "botzone", "tournament", "table", "duel",
    ),
    "Train and measure": (
        "train_ppo", "tune", "compile", "throughput", "search", "model_requests", "taxonomy",
    ),
}  # fmt: skip
OTHERS = "More"
"""The heading of commands that are in no group."""


def commands() -> dict[str, str]:
    """The first sentence of every script's docstring, by the script's name; nothing is imported."""
    found = {}
    for path in sorted(FOLDER.glob("*/__main__.py")):
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        found[path.parent.name] = said.partition("\n")[0].rstrip(".")
    return found


def overview(program: str, each: str) -> str:
    """What ``program`` prints without arguments; ``each`` followed by a name runs a command."""
    about = commands()
    named = [name for names in GROUPS.values() for name in names]
    groups = {title: [n for n in names if n in about] for title, names in GROUPS.items()}
    groups[OTHERS] = [name for name in about if name not in named]
    width = max(map(len, about))
    lines = [f"stratagym {version('stratagym')}: games for learners and language models", ""]
    lines += [f"Usage: {each}COMMAND [OPTIONS]", ""]
    for title, names in groups.items():
        if names:
            lines += [title, *(f"  {name:<{width}}  {about[name]}" for name in names), ""]
    lines += [
        f"{each}COMMAND --help shows the options of a command, {program} --version the version.",
        f"For a first look, in seconds and without a model: {each}ludo_spots",
    ]
    return "\n".join(lines)


def main(program: str, each: str, arguments: list[str] | None = None) -> None:
    """Print the list of commands, or run the command that the arguments name."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("--help", "-h", "help"):
        try:
            print(overview(program, each), flush=True)
        except BrokenPipeError:  # whoever reads, such as ``head``, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    elif name == "--version":
        print(f"stratagym {version('stratagym')}")
    elif name in commands():
        sys.argv = [name, *rest]
        runpy.run_module(f"stratagym.benchmarks.{name}", run_name="__main__", alter_sys=True)
    else:
        known = ", ".join(commands())
        print(f"{program}: unknown command {name!r}; choose from: {known}", file=sys.stderr)
        sys.exit(2)
