"""Packages are found, not listed: a new game's folder is in the wheel without an edit here.

The tests are not in it, but for what authors of games need of them (pyproject.toml maps it).
"""

from setuptools import find_packages, setup

FOLDERS = ["envs", "wrappers", "agents", "benchmarks"]
PLUGIN = "wrappers.verifiers_plugin"  # installed as stratagym_game, see pyproject.toml

setup(
    packages=[
        f"stratagym.{package}"
        for package in find_packages(include=[p for f in FOLDERS for p in (f, f"{f}.*")])
        if package != PLUGIN
    ]
    + ["stratagym.testing", "stratagym_game"]
)
