"""Rules that hold arrays: data that are rules, such as a map, a graph or a problem to be planned.

numba compiles kernels for types: of an array these are its dtype, its number of dimensions, and
whether it is contiguous, aligned and writable. So arrays in rules are all of that, whatever they
were made from and wherever they come from: another map compiles nothing. And rules are compared and
hashed wherever something is kept for each: of arrays their contents count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

_PLAIN: Any = ["C_CONTIGUOUS", "ALIGNED", "WRITEABLE", "OWNDATA", "ENSUREARRAY"]


def hold_arrays(rules_class: Any, dtypes: Mapping[str, Any]) -> None:
    """Let a ``Rules``, a NamedTuple, have fields that are arrays.

    Whatever is given for such a field becomes an array of its dtype, in native byte order,
    C-contiguous, aligned and writable, which the rules own; so do those that come out of a pickle
    or, read-only, out of Ray's store. Rules are equal, and have the same hash, where ``key`` says
    so: the class's own, if it defines one (as where a field already numbers the data), or
    ``contents``. Nobody may write to the arrays once the rules are made.

    Args:
        dtypes: of each array, by the field's name.

    Raises:
        TypeError: the class has no such field.
    """
    plain = {name: np.dtype(dtype).newbyteorder("=") for name, dtype in dtypes.items()}
    fields: tuple[str, ...] = rules_class._fields
    for name in plain:
        if name not in fields:
            raise TypeError(f"{rules_class.__module__}: Rules has no field {name!r}")
    wanted = [plain.get(name) for name in fields]
    made: Callable[..., Any] = rules_class.__new__

    def of_values(cls: Any, values: Iterable[Any]) -> Any:
        """Make new rules from a sequence of their fields."""
        return tuple.__new__(
            cls,
            [
                value if dtype is None else np.require(value, dtype, _PLAIN)
                for value, dtype in zip(values, wanted, strict=True)
            ],
        )

    def new(cls: Any, *values: Any, **named: Any) -> Any:
        return of_values(cls, made(cls, *values, **named))

    new.__doc__, new.__wrapped__ = made.__doc__, made  # type: ignore[attr-defined]
    rules_class.__new__, rules_class._make = new, classmethod(of_values)
    if "key" not in fields and not hasattr(rules_class, "key"):
        rules_class.key = property(contents)
    rules_class.__eq__, rules_class.__ne__, rules_class.__hash__ = _equal, _differ, _hash


def contents(rules: Any) -> tuple[Any, ...]:
    """The fields of rules, of an array its shape and a hash of its numbers."""
    return tuple(
        (value.shape, hashlib.blake2b(value.tobytes(), digest_size=16).digest())
        if isinstance(value, np.ndarray)
        else value
        for value in rules
    )


def rules_key(rules: Any) -> Any:
    """What rules are told apart by, whatever their game: to be hashed and compared, and kept
    without keeping their arrays.
    """
    kind = type(rules)
    return (kind, rules.key) if kind.__hash__ is _hash else (kind, rules)


def undeclared(rules: Any) -> str:
    """What is wrong with rules that cannot be hashed: an array that ``sizes`` was not told of."""
    for name, value in zip(rules._fields, rules, strict=True):
        if isinstance(value, np.ndarray):
            return (
                f"{type(rules).__module__}: the field {name!r} of Rules is an array: name it and "
                f"its dtype in sizes(arrays={{{name!r}: np.{value.dtype}}})"
            )
    return f"{type(rules).__module__}: Rules cannot be hashed: {rules!r}"


def _hash(rules: Any) -> int:
    return hash(rules.key)


def _equal(rules: Any, other: object) -> bool:
    if rules is other:
        return True
    return type(rules) is type(other) and rules.key == other.key  # type: ignore[attr-defined]


def _differ(rules: Any, other: object) -> bool:
    return not _equal(rules, other)
