"""Packages are found, not listed: a new game's folder is in the wheel without an edit here.

The tests are not in it, but for what authors of games need of them.
"""

import re
import sys
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).resolve().parent
FLOORS = ["envs", "wrappers", "agents", "benchmarks"]
PLUGIN = "wrappers.verifiers_plugin"
FOLDERS = {
    "stratagym": "package",
    **{f"stratagym.{floor}": floor for floor in FLOORS},
    "stratagym.testing": "tests/testing",
    "stratagym_game": "wrappers/verifiers_plugin",
}
"""Where each package's files are in the repository."""


def linked() -> dict[str, str]:
    """The folders for an editable installation: one tree of links, which goes on the path.

    Otherwise setuptools would install an import hook, which type checkers and editors do not run.
    Where links cannot be made, the hook it is.
    """
    tree = ROOT / ".editable"
    try:
        for package, folder in FOLDERS.items():
            path = tree.joinpath(*package.split("."))
            path.parent.mkdir(parents=True, exist_ok=True)
            if package == "stratagym":
                path.mkdir(exist_ok=True)
                links = {path / file.name: file for file in sorted((ROOT / folder).glob("*.*"))}
            else:
                links = {path: ROOT / folder}
            for link, target in links.items():
                if link.is_symlink():
                    link.unlink()
                link.symlink_to(target)
    except OSError:
        return FOLDERS
    return {"": tree.name}


def page() -> str:
    """README.md for the package index, where links into the repository need its address."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    config = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    address = re.search(r'^Repository = "(.+)"$', config, re.MULTILINE)[1]
    text = re.sub(r"(!\[[^]]*\]\()(?![a-z]+:|#)", rf"\1{address}/raw/main/", text)
    return re.sub(r"(?<!!)(\[[^]]*\]\()(?![a-z]+:|#)", rf"\1{address}/blob/main/", text)


setup(
    package_dir=linked() if "editable_wheel" in sys.argv else FOLDERS,
    packages=[
        "stratagym",
        *(
            f"stratagym.{package}"
            for package in find_packages(include=[p for f in FLOORS for p in (f, f"{f}.*")])
            if package != PLUGIN
        ),
        "stratagym.testing",
        "stratagym_game",
    ],
    long_description=page(),
    long_description_content_type="text/markdown",
)
