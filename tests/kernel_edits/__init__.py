"""Edits that change what a kernel computes, one of each kind that numba can compile in.

``KINDS`` holds small packages: a module ``main`` whose function ``result`` calls a kernel, and
what else the kernel is made of. ``{{before|after}}`` in a source is the edit. ``write`` writes
packages before or after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

HEAD = """
import enum, functools, json, math, operator, pathlib, statistics
from typing import NamedTuple
import numba, numpy as np
from numba import cfunc, float32, float64, guvectorize, int8, int16, int32, int64, njit, stencil
from numba import types, vectorize
from numba.experimental import jitclass
from numba.extending import (
    intrinsic, lower_builtin, overload, overload_attribute, overload_method, register_jitable,
    type_callable,
)
HERE = pathlib.Path(__file__).parent
"""


@dataclass(frozen=True)
class Kind:
    """One edit.

    Attributes:
        kept: whether the kernel is found again by another process.
        same: whether the edit changes nothing, so that the kernel is found after it too.
        alone: whether it needs a process of its own, for what it tells numba.
    """

    files: dict[str, str]
    kept: bool = True
    same: bool = False
    alone: bool = False


KINDS: dict[str, Kind] = {}


def kind(name: str, main: str, /, *, kept=True, same=False, alone=False, **others: str) -> None:
    """Add an edit; ``result`` is ``f()`` unless ``main`` defines it.

    ``others`` are the other files: ``name=`` for ``name.py``, ``name_txt=`` for ``name.txt``.
    """
    assert name not in KINDS, name
    main = dedent(main)
    if "def result" not in main:
        main += "\n\ndef result():\n    return f()\n"
    files = {"main.py": main}
    for file, text in others.items():
        stem, _, end = file.rpartition("_")
        files[f"{stem}.{end}" if end in ("txt", "json") else f"{file}.py"] = dedent(text)
    KINDS[name] = Kind(files, kept, same, alone)


def write(folder: Path, names: Iterable[str], after: bool) -> None:
    """Write the package ``edited`` of these kinds, as they are before or after their edits."""
    package = folder / "edited"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").touch()
    for name in names:
        home = package / name
        home.mkdir(exist_ok=True)
        for file, text in {"__init__.py": "", **KINDS[name].files}.items():
            text = re.sub(r"\{\{(.*?)\|(.*?)\}\}", r"\2" if after else r"\1", text, flags=re.S)
            (home / file).write_text((HEAD if file.endswith(".py") and text else "") + text)


from kernel_edits import callees, functions, overloads, tuples_and_options, values  # noqa: E402, F401
