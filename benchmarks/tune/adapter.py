"""LoRA adapters as GGUF files, which llama.cpp and ``gguf:MODEL?lora=FILE`` read.

The layout is that of llama.cpp's ``convert_lora_to_gguf.py``: two tensors of each weight, and the
rows of queries and keys in the order in which llama.cpp rotates them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

ARCHITECTURE = "llama"
"""Whose names and order of rows these are."""
PARTS = {
    "q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output",
    "gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down",
}  # fmt: skip
"""GGUF's names of a layer's weights by those of transformers."""
HEADS = ("q_proj", "k_proj")
"""Weights whose rows stand in another order."""


def _names(name: str) -> tuple[str, str, str]:
    """Of a weight of peft's its name in GGUF, its part of a layer, and its side, ``a`` or ``b``."""
    words = name.split(".")
    layer, side = words[words.index("layers") + 1], words[-3].removeprefix("lora_").lower()
    part = words[-4]
    return f"blk.{layer}.{PARTS[part]}.weight.lora_{side}", part, side


def rotated(rows: np.ndarray, heads: int) -> np.ndarray:
    """Rows from transformers' order, halves of a head, to llama.cpp's, pairs."""
    shape = rows.shape
    return rows.reshape(heads, 2, shape[0] // heads // 2, -1).swapaxes(1, 2).reshape(shape)


def rotated_back(rows: np.ndarray, heads: int) -> np.ndarray:
    """The reverse of ``rotated``."""
    shape = rows.shape
    return rows.reshape(heads, shape[0] // heads // 2, 2, -1).swapaxes(1, 2).reshape(shape)


def write(
    path: Path, weights: Mapping[str, np.ndarray], heads: Mapping[str, int], alpha: float
) -> None:
    """Write an adapter.

    Args:
        weights: by peft's name. heads: how many, by the parts of ``HEADS``. alpha: of ``Lora``.
    """
    from gguf import GGUFWriter

    writer = GGUFWriter(path, ARCHITECTURE)
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for name, weight in weights.items():
        stored, part, side = _names(name)
        turned = side == "b" and part in HEADS
        rows = rotated(weight, heads[part]) if turned else weight
        writer.add_tensor(stored, np.ascontiguousarray(rows, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read(path: Path, names: list[str], heads: Mapping[str, int]) -> dict[str, np.ndarray]:
    """The weights of an adapter that ``write`` wrote, by peft's names.

    Raises:
        KeyError: it has no such weight.
    """
    from gguf import GGUFReader

    tensors = {tensor.name: tensor.data for tensor in GGUFReader(path).tensors}
    found = {}
    for name in names:
        stored, part, side = _names(name)
        weight = np.array(tensors[stored], np.float32)
        turned = side == "b" and part in HEADS
        found[name] = rotated_back(weight, heads[part]) if turned else weight
    return found
