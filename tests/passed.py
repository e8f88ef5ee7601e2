"""What need not be tested again: tests of frameworks and oracles that passed on the same files.

    python tests/passed.py all oracles
    python tests/passed.py unchanged oracles
    python tests/passed.py changed frameworks rllib torchrl
    python tests/passed.py record oracles go chess

``all`` prints which there are, ``changed`` which of these (by default of all) depend on a file that
has changed after they passed, and ``unchanged`` the others; ``record`` notes, without running
anything, that they pass as the files are. A digest stands beside each name in
``.ci/frameworks-passed`` and ``.ci/oracles-passed``.

An oracle is a game's test, marked ``oracle``, against a program or library that others wrote. It
depends on the game's files, on its own, and on what these import of the project, directly and
through others, names followed to the module that defines them.

This is also a plugin of pytest, which skips the oracles of games that need not be tried again where
the variable STRATAGYM_ORACLES is ``changed``. Outside of that only Python's own library is
imported, since ``.ci`` calls this outside any environment.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
VARIABLE = "STRATAGYM_ORACLES"
MARK = "@pytest.mark.oracle\n"
OF_FRAMEWORKS = (
    *(f"envs/{name}.py" for name in ("__init__", "registry", "facts", "core", "aec", "batch")),
    "envs/spaces.py", "agents/core.py", "agents/learner_games.py", "agents/opponents.py",
    "tests/gymnasium_forms.py",
    *(f"wrappers/{name}.py" for name in ("single_agent", "vector", "tensor")),
)  # fmt: skip
"""What every framework's test depends on, besides what has the framework's name."""
_DIALOGUE = ("wrappers/dialogue.py", "wrappers/dialogues.py", "wrappers/rewards.py")
OF_ONE = {
    "tune": (
        "benchmarks/tune/*.py", "tests/benchmarks/tune/*.py", "benchmarks/harness/experts.py",
        "benchmarks/harness/positions.py", "agents/gguf*.py", *_DIALOGUE,
    ),
    "trl": _DIALOGUE,
    "openenv": _DIALOGUE,
    "diambra": (
        "wrappers/diambra_record.py", "wrappers/real_time.py", "envs/street_fighter/*.py",
        "agents/games/street_fighter.py", "tests/diambra_stand_in.py",
    ),
    "sc2": (
        "wrappers/sc2_*.py", "wrappers/real_time.py", "wrappers/programs.py",
        "envs/starcraft/*.py", "agents/games/starcraft/*.py", "tests/sc2_stand_in.py",
        "tests/sc2_world.py",
    ),
}  # fmt: skip
"""What the test of one framework depends on besides, as patterns."""


def digest(parts: Iterable[bytes]) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def requirements(words: str, root: Path) -> bytes:
    """The lines of pyproject.toml that say what is installed, by how they begin."""
    lines = (root / "pyproject.toml").read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if re.match(words, line)).encode()


def framework_state(name: str, root: Path = ROOT) -> str:
    """What a framework's test depends on, as one digest."""
    own = (f"tests/frameworks/test_{name}.py", f"wrappers/{name}.py", f"docs/tutorials/{name}.md")
    files = [root / path for path in (*OF_FRAMEWORKS, *own)]
    files += sorted(path for pattern in OF_ONE.get(name, ()) for path in root.glob(pattern))
    installed = rf'({name}|dependencies) = |  "(numpy|numba|gymnasium|pettingzoo)'
    return digest(
        [*(path.read_bytes() for path in files if path.exists()), requirements(installed, root)]
    )


def frameworks(root: Path = ROOT) -> list[str]:
    """Those that have an environment of their own, apart from those that share one."""
    shared = {"sb3", "sb3_env", "sb3_look", "inspect_ai", "evaluators_page", "verifiers"}
    names = {path.stem.removeprefix("test_") for path in root.glob("tests/frameworks/test_*.py")}
    names |= {path.parent.name for path in root.glob("tests/benchmarks/tune/test_learner.py")}
    return sorted(names - shared)


# --- oracles -------------------------------------------------------------------------------------


def oracles(root: Path = ROOT) -> list[str]:
    """The games that have any."""
    return sorted({path.parent.name for path in root.glob("tests/games/*/*.py") if _has(path)})


def _has(path: Path) -> bool:
    return MARK in path.read_text(encoding="utf-8")


def oracle_files(game: str, root: Path = ROOT) -> list[Path]:
    """The files that the results of a game's oracles depend on."""
    own = [path for path in root.glob(f"tests/games/{game}/*.py") if _has(path)]
    for folder in (f"envs/{game}", f"agents/games/{game}"):
        own += [p for p in (root / folder).rglob("*") if p.is_file() and p.parent.name[0] != "_"]
    own += [path for path in [root / f"agents/games/{game}.py"] if path.exists()]
    found: set[Path] = set()
    left = [path for path in own if path.suffix == ".py"]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += _imported(path, root)
    # A package is executed before what is in it, whatever it brings along.
    packages = {path.parent / "__init__.py" for path in found}
    return sorted(found.union(own, (path for path in packages if path.exists())))


def oracle_state(game: str, root: Path = ROOT) -> str:
    """What a game's oracles depend on, as one digest."""
    parts = []
    for path in oracle_files(game, root):
        parts += [path.relative_to(root).as_posix().encode(), path.read_bytes()]
    return digest([*parts, requirements(r"(oracles|dependencies) = |  \"(numpy|numba)", root)])


@cache
def _module(name: str, root: Path) -> Path | None:
    """The file of a module of the project, or of a helper of its tests."""
    if name == "stratagym" or name.startswith("stratagym."):
        parts = name.split(".")[1:]
        base = root.joinpath(*(["tests", *parts] if parts[:1] == ["testing"] else parts))
    else:
        base = root.joinpath("tests", *name.split("."))
    found = [
        path for path in (base / "__init__.py", base.with_name(f"{base.name}.py")) if path.exists()
    ]
    return found[0] if found and base != root else None


@cache
def _imports(path: Path, root: Path) -> list[tuple[str, str, str]]:
    """(module, name in it or nothing, name here) of a file's imports, those in functions too."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, "", alias.asname or alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                folders = path.relative_to(root).parts[: -node.level]
                folders = folders[1:] if folders[:1] == ("tests",) else ("stratagym", *folders)
                module = ".".join([*folders, *filter(None, [module])])
            found += [(module, alias.name, alias.asname or alias.name) for alias in node.names]
    return found


def _imported(path: Path, root: Path) -> list[Path]:
    """The project's files that define what a file imports."""
    found = [_defining(module, name, root) for module, name, _ in _imports(path, root)]
    return [path for path in found if path is not None]


def _defining(module: str, name: str, root: Path) -> Path | None:
    """The file that defines a name of a module: a package may have it from elsewhere."""
    path = _module(f"{module}.{name}", root) if name else None
    if path is None:
        path = _module(module, root)
        if path is not None and path.name == "__init__.py" and name:
            for source, theirs, here in _imports(path, root):
                if here == name and theirs and source != module:
                    return _defining(source, theirs, root)
    return path


# --- what passed ---------------------------------------------------------------------------------

KINDS: dict[str, tuple[Callable[[str, Path], str], Callable[[Path], list[str]]]] = {
    "frameworks": (framework_state, frameworks),
    "oracles": (oracle_state, oracles),
}
"""By the words in the files' names: what their tests depend on, and which there are."""


def changed(kind: str, names: Iterable[str] = (), root: Path = ROOT) -> list[str]:
    """Of these, or of all: whose tests have not passed on the files as they are."""
    state, known = KINDS[kind]
    path = root / ".ci" / f"{kind}-passed"
    passed = set(path.read_text(encoding="utf-8").splitlines()) if path.exists() else set()
    return [name for name in names or known(root) if f"{name} {state(name, root)}" not in passed]


def record(kind: str, names: Iterable[str], root: Path = ROOT) -> None:
    """Note that the tests of these pass with the files as they are."""
    state, known = KINDS[kind]
    path = root / ".ci" / f"{kind}-passed"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    kept = dict(line.split() for line in lines if line.split()[0] in known(root))
    kept |= {name: state(name, root) for name in names}
    text = "".join(f"{name} {passed}\n" for name, passed in sorted(kept.items()))
    path.write_text(text, encoding="utf-8")


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Skip what the variable says."""
    if os.environ.get(VARIABLE) != "changed":
        return
    import pytest

    games = set(oracles()) - set(changed("oracles"))
    for item in items:
        if item.get_closest_marker("oracle") and (game := item.path.parent.name) in games:
            why = f"nothing that the oracles of {game} depend on has changed after they passed"
            item.add_marker(pytest.mark.skip(reason=why))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("all", "changed", "unchanged", "record"))
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    known = KINDS[args.kind][1](ROOT)
    for name in args.names:
        if name not in known:
            parser.error(f"unknown name '{name}'; the {args.kind} are: {' '.join(known)}")
    if args.what == "record":
        record(args.kind, args.names)
        return
    told = list(args.names or known)
    if args.what != "all":
        back = changed(args.kind, told)
        told = [name for name in told if (name in back) == (args.what == "changed")]
    print("".join(f"{name}\n" for name in told), end="")


if __name__ == "__main__":
    main()
