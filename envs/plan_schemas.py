"""Plans as JSON schemas: what a seat's plan may be, and what of it a language model is held to.

A view whose answers are plans may have ``plan_schema(rules, s) -> dict``: the JSON schema of a plan
of the seat to move, made by the functions here. It holds the names, shapes and lengths of this
turn; what depends on other entries or on a budget it cannot hold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.prompts import Renaming, TextOptions

LONGEST_NAME = 40
"""Characters of a name that may be any."""
LARGEST = 99_999
"""Of numbers that may be any."""
_ANY_NAME = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
_ANY_NUMBER = {"type": "integer", "minimum": 0, "maximum": LARGEST}


def members(**schemas: Mapping[str, Any]) -> dict[str, Any]:
    """An object with all of these members, in their order, and no others."""
    return {
        "type": "object",
        "properties": schemas,
        "required": list(schemas),
        "additionalProperties": False,
    }


def entries(one: Mapping[str, Any], least: int, most: int) -> dict[str, Any]:
    """A list of ``least`` to ``most`` entries."""
    return {"type": "array", "items": one, "minItems": least, "maxItems": most}


def among(values: Sequence[str] | Sequence[int]) -> dict[str, Any]:
    """One of some names or numbers."""
    kind = "string" if isinstance(values[0], str) else "integer"
    return {"type": kind, "enum": list(values)}


def has_schema(game: core.GameSpec) -> bool:
    """Whether a game's view has ``plan_schema``."""
    return "plan_schema" in vars(game.module("view"))


def plan_schema(
    game: core.GameSpec, rules: Any, states: np.ndarray, options: TextOptions, named: bool
) -> dict[str, Any]:
    """The JSON schema of a plan of the seat to move in ``states[0]``.

    Args:
        named: with the names and numbers that there are; or with any, its shape alone.
    """
    view = game.module("view")
    schema: dict[str, Any] = view.plan_schema(rules, states[0])
    if not named:
        schema = _shape(schema)
    return _renamed(schema, Renaming(view.RENAMED)) if options.renamed else schema


def _shape(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with any name and number in the place of those that there are."""
    if "enum" in schema:
        return dict(_ANY_NAME if schema["type"] == "string" else _ANY_NUMBER)
    if "anyOf" in schema:
        inner = [_shape(one) for one in schema["anyOf"]]
        found = [one for k, one in enumerate(inner) if one not in inner[:k]]
        return found[0] if len(found) == 1 else {"anyOf": found}
    if schema["type"] == "array":
        return {**schema, "items": _shape(schema["items"])}
    properties = {name: _shape(one) for name, one in schema["properties"].items()}
    return {**schema, "properties": properties}


def _renamed(schema: Any, words: Renaming) -> dict[str, Any]:
    """A schema in a renamed game's words."""
    if "enum" in schema and schema["type"] == "string":
        return among([words.renamed(one) for one in schema["enum"]])
    if "anyOf" in schema:
        return {"anyOf": [_renamed(one, words) for one in schema["anyOf"]]}
    if schema["type"] == "array":
        return {**schema, "items": _renamed(schema["items"], words)}
    if schema["type"] != "object":
        return dict(schema)
    return members(
        **{words.renamed(name): _renamed(one, words) for name, one in schema["properties"].items()}
    )


def gbnf(schema: Mapping[str, Any]) -> str:
    """A schema of the forms above as the right side of a rule in llama.cpp's grammar."""
    if "enum" in schema:
        values = (json.dumps(one, ensure_ascii=False) for one in schema["enum"])
        return f"({' | '.join(map(quoted, values))})"
    if "anyOf" in schema:
        return f"({' | '.join(map(gbnf, schema['anyOf']))})"
    if schema["type"] == "string":
        return rf'"\"" [^"\\\n]{{{schema["minLength"]},{schema["maxLength"]}}} "\""'
    if schema["type"] == "integer":
        return f'("0" | [1-9] [0-9]{{0,{len(str(schema["maximum"])) - 1}}})'
    if schema["type"] == "array":
        one, least, most = gbnf(schema["items"]), schema["minItems"], schema["maxItems"]
        rest = f'(", " ({one})){{{max(least - 1, 0)},{most - 1}}}'
        return f'"[" (({one}) {rest}){"" if least else "?"} "]"'
    parts = []
    for k, (name, one) in enumerate(schema["properties"].items()):
        before = "{" if k == 0 else ", "
        parts += [quoted(f"{before}{json.dumps(name, ensure_ascii=False)}: "), gbnf(one)]
    return " ".join([*parts, '"}"'])


def quoted(text: str) -> str:
    """A literal of llama.cpp's grammar."""
    return json.dumps(text, ensure_ascii=False)
