"""What a GGUF file says of itself, read before a loader is given it, which may crash on a bad one.

The layout is the one of ggml's ``docs/gguf.md``: a header, pairs of names and values, the names,
shapes, types and places of tensors, then their data.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_ENTRIES = 1_000_000
"""Of values and of tensors; real files have some hundreds."""
ADAPTER, SIDES = "adapter", (".lora_a", ".lora_b")

_SIMPLE = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip
"""Kinds of values that are one number, as ``struct`` has them."""
_STRING, _ARRAY, _UINT64 = 8, 9, 10

_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110),
    22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8),
    29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip
"""Of each type of ggml's tensors: how many numbers a block has, and how many bytes."""


class BadFile(ValueError):
    """A file that is no whole GGUF file; the message is one line that begins with its path."""


@dataclass(frozen=True)
class GGUF:
    """A GGUF file.

    Attributes:
        values: its single values and texts by name; of an array, how many entries it has.
        tensors: the shape of each tensor by its name, the fastest dimension first.
    """

    path: Path
    values: Mapping[str, Any]
    tensors: Mapping[str, tuple[int, ...]]

    @property
    def architecture(self) -> str:
        """The kind of model, such as ``llama``."""
        return str(self.values.get("general.architecture", ""))

    @property
    def context_length(self) -> int | None:
        """How many tokens the model was trained to look back on; None where it does not say."""
        found = self.values.get(f"{self.architecture}.context_length")
        return found if isinstance(found, int) else None

    @property
    def is_adapter(self) -> bool:
        """Whether it holds an adapter of a model, and no model."""
        return self.values.get("general.type") == ADAPTER


class _Reader:
    """Reads numbers and texts one after another; ``BadFile`` at the end of the file."""

    def __init__(self, path: Path, data: mmap.mmap):
        self.path, self.data, self.at = path, data, 0

    def bad(self, why: str) -> BadFile:
        return BadFile(f"{self.path}: {why}; it is damaged, or was not copied whole")

    def number(self, form: str) -> Any:
        end = self.at + struct.calcsize(form)
        if end > len(self.data):
            raise self.bad(f"the header ends after {len(self.data):,} bytes")
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at = end
        return value

    def skip(self, length: int) -> int:
        """Pass over bytes; returns where they began."""
        begin, self.at = self.at, self.at + length
        if self.at > len(self.data):
            raise self.bad(f"the header ends after {len(self.data):,} bytes")
        return begin

    def text(self) -> str:
        length = self.number("<Q")
        begin = self.skip(length)
        return self.data[begin : begin + length].decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        """A value; of an array only how many entries it has."""
        if kind in _SIMPLE:
            return self.number(_SIMPLE[kind])
        if kind == _STRING:
            return self.text()
        if kind != _ARRAY:
            raise self.bad(f"the header has a value of the unknown kind {kind}")
        inner, count = self.number("<I"), self.number("<Q")
        if inner in _SIMPLE:
            self.skip(count * struct.calcsize(_SIMPLE[inner]))
        elif inner == _STRING:
            for _ in range(count):
                self.skip(self.number("<Q"))
        else:
            raise self.bad(f"the header has an array of the unknown kind {inner}")
        return count


def read(path: str | os.PathLike[str]) -> GGUF:
    """Read a GGUF file's header, and see that the file is as long as the header says.

    Raises:
        BadFile: there is no such file, it is none, or it is damaged.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            begin = file.read(4)
            if begin != MAGIC:
                raise BadFile(f"{path}: no GGUF file, whose first four bytes are GGUF")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _read(_Reader(path, data))
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror or error}") from None


def _read(reader: _Reader) -> GGUF:
    reader.skip(len(MAGIC))
    version = reader.number("<I")
    if version not in VERSIONS:
        raise BadFile(
            f"{reader.path}: GGUF of version {version}; versions {VERSIONS[0]} and {VERSIONS[1]} "
            "can be read"
        )
    tensor_count, value_count = reader.number("<Q"), reader.number("<Q")
    if max(tensor_count, value_count) > MOST_ENTRIES:
        raise reader.bad(f"the header counts {max(tensor_count, value_count):,} entries")
    values = {}
    for _ in range(value_count):
        name = reader.text()
        values[name] = reader.value(reader.number("<I"))
    places = []
    for _ in range(tensor_count):
        name, dimensions = reader.text(), reader.number("<I")
        if dimensions > 4:
            raise reader.bad(f"the tensor {name[:60]!r} has {dimensions} dimensions")
        shape = tuple(reader.number("<Q") for _ in range(dimensions))
        places.append((name, shape, reader.number("<I"), reader.number("<Q")))
    _check_size(reader, values, places)
    return GGUF(reader.path, values, {name: shape for name, shape, _, _ in places})


def _check_size(reader: _Reader, values: Mapping[str, Any], places: list[Any]) -> None:
    alignment = values.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1:
        raise reader.bad(f"the header has the alignment {alignment!r}")
    begin = -(-reader.at // alignment) * alignment
    end = begin
    for name, shape, kind, offset in places:
        numbers = 1
        for length in shape:
            numbers *= length
        per_block, size = _BLOCKS.get(kind, (1, 0))  # of a kind yet to come, its place alone
        if shape and shape[0] % per_block:
            raise reader.bad(f"the tensor {name[:60]!r} has rows of {shape[0]}")
        end = max(end, begin + offset + numbers // per_block * size)
    if end > len(reader.data):
        raise reader.bad(f"{len(reader.data):,} bytes, and its tensors take {end:,}")


def read_model(path: str | os.PathLike[str]) -> GGUF:
    """Read the header of a file that is to be a language model. Raises ``BadFile``."""
    found = read(path)
    if found.is_adapter:
        raise BadFile(f"{path}: an adapter; it goes behind its model, as gguf:MODEL?lora={path}")
    if found.values.get("split.count", 1) > 1:
        raise BadFile(
            f"{path}: one of {found.values['split.count']} parts of a model; make one file of "
            "them, as llama-gguf-split --merge does"
        )
    if not found.architecture or not found.tensors:
        raise BadFile(f"{path}: a GGUF file without a model")
    return found


def read_adapter(path: str | os.PathLike[str], model: GGUF) -> GGUF:
    """Read the header of a file that is to be a LoRA adapter of ``model``. Raises ``BadFile``."""
    found = read(path)
    if not found.is_adapter or found.values.get("adapter.type") != "lora":
        raise BadFile(f"{path}: no LoRA adapter")
    other = f"{path}: an adapter of another model than {model.path.name}"
    if found.architecture != model.architecture:
        raise BadFile(f"{other}: of {found.architecture or 'none'}, not {model.architecture}")
    for name, shape in found.tensors.items():
        weight, dot, side = name.rpartition(".")
        if dot + side not in SIDES:
            raise BadFile(f"{path}: {name[:60]!r} is no part of a LoRA adapter")
        whole = model.tensors.get(weight)
        # In is the first dimension of a, out the last of b; embeddings stand the other way round.
        if whole is None or not set(shape) & set(whole):
            raise BadFile(f"{other}: {weight[:60]!r} is not in it, or of another shape")
    return found


def sha256(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file; of one that has not changed since it was last asked for, at once."""
    found = os.stat(path)
    return _sha256(os.fspath(path), found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=64)
def _sha256(path: str, size: int, changed: int) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(2**20):
            digest.update(piece)
    return digest.hexdigest()
