"""Files of weights that could do harm; PyTorch need not be there."""

from __future__ import annotations

import json
import sys
import zipfile
from types import SimpleNamespace

import pytest

from stratagym.agents import sb3


@pytest.fixture
def agent(tmp_path):
    """A file that would be read, were its weights some."""
    path = tmp_path / "agent.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(sb3.FACTS, json.dumps({"schema": 1}))
        archive.writestr(sb3.WEIGHTS, bytes(5000))
    return path


@pytest.mark.parametrize("version", ["1.13.1", "2.5.1+cu121"])
def test_a_pytorch_that_files_can_make_run_code_is_refused(version, agent, monkeypatch):
    def load(*arguments, **options):
        raise AssertionError("nothing may be loaded")

    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(__version__=version, load=load))
    with pytest.raises(ValueError, match=r"can be made to run code.*pip install 'torch>=2.6'"):
        sb3.load(agent)


def test_weights_are_asked_for_without_code_and_up_to_a_size(agent, monkeypatch):
    asked = []

    def load(content, **options):
        asked.append(options)
        raise RuntimeError("no weights")

    torch = SimpleNamespace(__version__="2.10.0+cpu", load=load)
    monkeypatch.setitem(sys.modules, "torch", torch)
    with pytest.raises(ValueError, match=r"is damaged \(no weights\)"):
        sb3.load(agent)
    assert asked == [{"map_location": "cpu", "weights_only": True}]
    monkeypatch.setattr(sb3, "LARGEST", 4000)
    with pytest.raises(ValueError, match="larger than any agent"):
        sb3.load(agent)
    assert len(asked) == 1
