"""Scenes from ``--scenario``: DSGBench's own, or one from a file.

A file holds one JSON object::

    {
      "game": "street_fighter",
      "name": "sparring",
      "rules": {"rounds": 1},
      "opponent": "level:2",
      "clock": "tokens:50",
      "prompt": {"persona": "aggressive", "history": 4},
      "metrics": {"WR": [0, 1], "HCR": [-20, 0]},
      "weights": {"WR": 0.5, "HCR": 0.5}
    }

``metrics`` are those of the game, each with its range. Their weighted sum is the score.
"""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

from stratagym.benchmarks.dsgbench.scenes import Scene
from stratagym.benchmarks.dsgbench.scenes import chosen as of_names
from stratagym.benchmarks.dsgbench.score import Metric, Part, Scoring, check_weights
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.protocol import SYNC
from stratagym.benchmarks.harness.text_options import TextArgs
from stratagym.envs import spec

KEYS = ("game", "name", "rules", "opponent", "clock", "prompt", "metrics", "weights")
OWN = "own"
"""The capability of a scene of one's own."""


def chosen(text: str, rules: Scoring) -> tuple[list[Scene], Scoring]:
    """The scenes that ``--scenario`` names, and how they are scored.

    Raises:
        InputError: an unknown scene, or a file that is none.
    """
    if not text.endswith(".json"):
        return of_names(text), rules
    scene = read_scene(Path(text))
    metrics = [
        Metric(name, low, high, scene.weights[name]) for name, (low, high) in scene.metrics.items()
    ]
    version = f"{rules.version}, {scene.name}"
    return [scene], Scoring(version, {OWN: 1.0}, {OWN: (Part((scene.name,), tuple(metrics)),)})


def read_scene(path: Path) -> Scene:
    """A scene from its file.

    Raises:
        InputError: no file, no JSON object, unknown keys, rules that the game does not have,
            ranges that are none, weights that do not sum to 1: one line.
    """
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"--scenario {path}: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"--scenario {path}: no JSON: {error}") from None
    if not isinstance(told, dict):
        raise InputError(f"--scenario {path}: one JSON object is needed")
    if unknown := [key for key in told if key not in KEYS]:
        raise InputError(
            f"--scenario {path}: unknown key {unknown[0]!r}; the keys are: {', '.join(KEYS)}"
        )
    for key in ("game", "opponent", "metrics", "weights"):
        if key not in told:
            raise InputError(f"--scenario {path}: {key!r} is missing")
    return _scene(path, told)


def _scene(path: Path, told: dict[str, Any]) -> Scene:
    where = f"--scenario {path}"
    for key in ("rules", "prompt", "metrics", "weights"):
        if not isinstance(told.get(key, {}), dict):
            raise InputError(f"{where}: {key!r} has to be an object")
    for key in ("game", "name", "opponent", "clock"):
        if not isinstance(told.get(key, ""), str):
            raise InputError(f"{where}: {key!r} has to be text")
    try:
        spec(told["game"]).make_rules(**told.get("rules", {}))
    except (ValueError, TypeError) as error:
        raise InputError(f"{where}: {error}") from None
    name = told.get("name") or path.stem
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,60}", name):
        raise InputError(f"{where}: 'name' has to be letters, digits, dots and dashes, up to 60")
    weights, metrics = told["weights"], told["metrics"]
    if set(weights) != set(metrics) or not metrics:
        raise InputError(f"{where}: 'metrics' and 'weights' have to name the same metrics")
    check_weights(weights, where)
    prompts = {field.name for field in dataclasses.fields(TextArgs)}
    if unknown := [key for key in told.get("prompt", {}) if key not in prompts]:
        known = ", ".join(sorted(prompts))
        raise InputError(f"{where}: unknown prompt option {unknown[0]!r}; they are: {known}")
    return Scene(
        f"{told['game']}/{name}",
        told["opponent"],
        told.get("rules", {}),
        told.get("clock", SYNC),
        prompt=told.get("prompt", {}),
        metrics={metric: _range(where, metric, ends) for metric, ends in metrics.items()},
        weights=weights,
    )


def _range(where: str, metric: str, ends: Any) -> tuple[float, float]:
    good = isinstance(ends, list) and len(ends) == 2
    if not good or not all(isinstance(e, int | float) and e == e for e in ends):
        raise InputError(f"{where}: {metric}: a range of two numbers is needed, such as [0, 1]")
    low, high = map(float, ends)
    if not low < high:
        raise InputError(f"{where}: {metric}: {low:g} is not below {high:g}")
    return low, high
