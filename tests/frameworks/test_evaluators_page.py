"""The commands of the page on Inspect and verifiers, run as they are printed, with a server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from openai_server import OpenAIServer, answer, first_empty
from scripts import ROOT

PAGE = (ROOT / "docs" / "evaluators.md").read_text(encoding="utf-8")


def at_least(package: str, *wanted: int) -> bool:
    """Whether a package is installed in this version or a later one."""
    try:
        return tuple(map(int, re.findall(r"\d+", version(package))))[: len(wanted)] >= wanted
    except PackageNotFoundError:
        return False


def printed(word: str) -> str:
    """The page's block of commands with this word in it, installation left out."""
    (block,) = (b for b in re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL) if word in b)
    return "\n".join(line for line in block.splitlines() if not line.startswith("pip "))


def run(commands: str, base_url: str, home: Path) -> str:
    """What a block prints, its server's address and its model's name apart as it stands."""
    said = commands.replace("http://127.0.0.1:8000/v1", base_url).replace("NAME", "scripted")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", said], cwd=home, capture_output=True, text=True, timeout=600, check=False,
        env={**os.environ, "HOME": str(home), "PATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_inspect_asks_a_server_of_ones_own(tmp_path):
    pytest.importorskip("inspect_ai", reason="needs Inspect: pip install 'stratagym[inspect]'")
    if not at_least("openai", 3, 4):
        pytest.skip("Inspect's provider needs openai 3.4: an environment without verifiers")
    with OpenAIServer(lambda body, nth: answer(first_empty(body["messages"]))) as server:
        run(printed("--model-base-url"), server.base_url, tmp_path)
        assert len(server.requests) >= 4 * 3
    from inspect_ai.log import read_eval_log

    log = read_eval_log(str(next((tmp_path / "logs").glob("*.eval"))))
    assert log.status == "success" and len(log.samples) == 4
    assert {s.scores["outcome"].value["illegal"] for s in log.samples} == {0}


def test_a_script_streams_what_it_answers():
    openai = pytest.importorskip("openai", reason="needs openai: pip install 'stratagym[openai]'")
    with OpenAIServer(lambda body, nth: answer("I think.\nMove: 2,2")) as server:
        client = openai.OpenAI(base_url=server.base_url, api_key="none")
        chunks = list(
            client.chat.completions.create(
                model="scripted", messages=[{"role": "user", "content": "?"}], stream=True
            )
        )
    told = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert len(told) > 3 and "".join(told) == "I think.\nMove: 2,2"
    assert chunks[-1].usage.total_tokens > 0


@pytest.mark.slow
def test_verifiers_asks_a_server_of_ones_own(tmp_path):
    pytest.importorskip(
        "verifiers.v1", reason="needs verifiers: pip install 'stratagym[verifiers]'"
    )
    if shutil.which("uv", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("the harness of verifiers is run by uv, which is not installed here")
    commands = printed("vf-eval stratagym-game").replace("games 20", "games 2")
    commands = commands.replace("connect_four", "tictactoe").replace("mcts:100", "random")
    with OpenAIServer(lambda body, nth: answer(first_empty(body["messages"]))) as server:
        said = run(commands.replace("MODEL", "scripted"), server.base_url, tmp_path)
        assert len(server.requests) >= 2 * 3, said
    assert "ProviderError" not in said
