"""How alike plans are in words: embeddings, asked for once, and errors in one line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from openai_server import OpenAIServer, Response, error
from scripts import run as run_script

from stratagym.agents.chat import Unavailable
from stratagym.benchmarks.advgame.embeddings import BATCH, Embeddings
from stratagym.benchmarks.advgame.similarity import Likeness

pytest.importorskip("openai", reason="pip install 'stratagym[openai]'")
KEY = "sk-a-secret-of-somebody"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("SOME_KEY", KEY)
    with OpenAIServer() as one:
        yield one


def embeddings(folder, server, model="letters"):
    return Embeddings(folder, model, server.base_url, "SOME_KEY")


def test_cosines(tmp_path, server):
    found = embeddings(tmp_path, server)
    assert found.cosine("aab", "aab") == pytest.approx(1)
    assert found.cosine("aab", "ccc") == 0
    assert found.cosine("ab", "a") == pytest.approx(2**-0.5)
    assert found.cosine("ab", "?") == 0  # a vector of zeros
    assert set(server.authorizations) == {f"Bearer {KEY}"}


def test_each_text_is_asked_for_once_and_kept(tmp_path, server):
    texts = [f"{k} {'a' * k}" for k in range(BATCH + 3)]
    embeddings(tmp_path, server).learn([*texts, *texts])
    assert [len(part) for part in server.embedded] == [BATCH, 3]
    again = embeddings(tmp_path, server)
    again.learn(texts)
    assert again.cosine(texts[1], texts[2]) == pytest.approx(1) and len(server.embedded) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["embeddings.npz"]
    # Those of another model, and a torn file, are none.
    embeddings(tmp_path, server, "other").learn(texts[:1])
    assert len(server.embedded) == 3
    (tmp_path / "embeddings.npz").write_bytes(b"PK torn")
    embeddings(tmp_path, server).learn(texts[:1])
    assert len(server.embedded) == 4


def test_weights_are_thirds_with_them_and_halves_without(tmp_path, server):
    assert Likeness({}).weights == {"S": 0.5, "F": 0.5, "M": 0}
    whole = Likeness({}, embeddings(tmp_path, server))
    assert whole.weights == dict.fromkeys(("S", "F", "M"), pytest.approx(1 / 3))
    s, f, m = whole.chance("battle_card", 0)
    assert 0 < s < 0.2 < f < m < 1  # the same letters, whoever is bought
    asked = len(server.embedded)
    assert whole.chance("battle_card", 0) == (s, f, m) and len(server.embedded) == asked


@pytest.mark.parametrize(
    "answer",
    [
        error(401, f"Incorrect API key provided: {KEY}"),
        Response("fewer", json.dumps({"object": "list", "data": [], "model": "m"}).encode()),
        Response("words", b"no JSON"),
        Response("ragged", json.dumps({"data": [{"embedding": ["a"]}]}).encode()),
    ],
    ids=lambda one: one.kind,
)
def test_what_an_endpoint_does_wrong_is_one_line_without_the_key(tmp_path, server, answer):
    server.embed = lambda texts: answer
    with pytest.raises(Unavailable) as raised:
        embeddings(tmp_path, server).learn(["a"])
    said = str(raised.value)
    assert said.startswith("embeddings by letters: ") and KEY not in said and "\n" not in said


def test_a_run_with_embeddings(tmp_path, server):
    options = (
        "--policies", "plan:reply?evals=20", "--opponents", "plan:level?k=1", "--rounds", "3",
        "--game", "battle_card", "--output", str(tmp_path), "--embedding-model", "letters",
        "--embedding-url", server.base_url, "--api-key-env", "SOME_KEY",
    )  # fmt: skip
    assert run_script("advgame", *options).returncode == 0
    found = json.loads((tmp_path / "summary.json").read_text())["similarity"]["plan:reply?evals=20"]
    parts = [found[part]["value"] for part in ("S", "F", "M")]
    assert found["weighed"]["value"] == pytest.approx(np.mean(parts)) and parts[2] > parts[0]
    assert "embeddings" in (tmp_path / "report.md").read_text()
    server.embed = lambda texts: error(404, "no such model")
    other = run_script(
        "advgame", *options[:-6], "--embedding-model", "none", *options[-4:], "--resume"
    )
    assert other.returncode == 3 and "embeddings by none: " in other.stderr
