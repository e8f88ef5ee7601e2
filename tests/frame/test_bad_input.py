"""What others wrote, in one line: addresses, proxies, values of options, files of weights."""

from __future__ import annotations

import io
import json
import struct
import sys
import zipfile
from dataclasses import fields
from types import SimpleNamespace
from typing import get_type_hints

import numpy as np
import pytest
from asking import ask, client, surroundings  # noqa: F401
from scripts import run

from stratagym.agents import chat as chats
from stratagym.agents import sb3
from stratagym.agents.chat import OpenAIChat, TransportError, Unavailable
from stratagym.benchmarks.advgame.embeddings import FILE, Embeddings
from stratagym.benchmarks.harness.options import ModelArgs
from stratagym.benchmarks.reporting.terminal import say
from stratagym.envs.echo import LONGEST, echoed, masked

SECRET = "secretpw"
NOBODY = "http://127.0.0.1:1/v1"

# --- values in messages --------------------------------------------------------------------------


def test_values_are_cut_wherever_they_stand(capsys):
    long = "ab c" * 1000
    for value in (long.replace(" ", ""), repr(long), f'"{long}"', f"--rules={'x' * 900}"):
        said = echoed(f"it's {value}: choose from the player's own: {'word ' * 100}")
        assert len(said) < 560 + LONGEST + 10 and said.endswith("word ")
        assert said.startswith("it's ") and "player's own" in said
    say(f"unknown {long}", values=[long])
    assert len(capsys.readouterr().err) < LONGEST + 20
    prose = "it's so that others' " + "words and " * 100 + "run's"
    assert echoed(prose) == prose


@pytest.mark.parametrize(
    "address",
    ["http://me:{0}@h:1/v1", "socks5://{0}@h", "http://me:{0}@[::1", "http://me:a@{0}@h:x/v1"],
)
def test_passwords_in_addresses_are_masked(address, capsys):
    text = address.format(SECRET)
    assert SECRET not in masked(f"--base-url {text!r}: no") and masked(text).endswith(text[-2:])
    say(f"no such {text}, and {text}")
    blank = text.replace(SECRET, f"{SECRET} {SECRET}")
    say(f"no such {blank}!", values=[blank])
    said = capsys.readouterr().err
    assert SECRET not in said and said.count("\n") == 2


def test_a_command_line_echoes_no_more_than_the_beginning():
    for words in (
        ("--game", "x" * 5000),
        ("--game", "tictactoe", "--policies", "y z" * 2000),
        ("--game", "tictactoe", "--rules", "size=" + "3 " * 3000),
        ("--" + "w" * 5000, "1"),
        ("--game", f"http://me:{SECRET} {SECRET}@h", "--ray-address", f"ray://me:{SECRET}@h"),
        ("--policies", f"llm:m?base_url=http://me:{SECRET}@h:abc/v1&bad=1"),
        ("--policies", "random,random", "--output", "f" * 5000),
    ):
        result = run("tournament", *words)
        (line,) = result.stderr.splitlines()
        assert result.returncode == 2 and len(line) < 1200 and SECRET not in line, line


# --- proxies and endpoints -----------------------------------------------------------------------

PROXIES = [
    "http://", "://x", "http:///x", "ftp://h:1", "socks4://h:1", "http://[zz]:1",
    f"http://me:{SECRET}@[::1", f"http://me:{SECRET}@h:abc", f"http://me:{SECRET}@h@h:abc",
    "http://127.0.0.1:99999", "http://exa mple:1", "http://a\tb", "http://" + "a" * 300,
    f"http://me:{SECRET} {SECRET}@h:1",
]  # fmt: skip


def asked_once(**options) -> str:
    """What is said where a request cannot even be sent, in one line without a password."""
    (result,) = ask(OpenAIChat("m", base_url="http://model.invalid/v1", retries=0, **options), "a")
    assert isinstance(result, TransportError) and result.lasting, result
    assert (result.reason, SECRET in str(result)) == ("connection", False)
    assert str(result).isprintable() and len(str(result)) < 500
    return str(result)


@pytest.mark.parametrize("proxy", PROXIES)
@pytest.mark.parametrize("variable", ["http_proxy", "all_proxy"])
def test_a_bad_proxy_is_one_line(proxy, variable, monkeypatch, client):  # noqa: F811
    monkeypatch.setenv(variable, proxy)
    said = asked_once()
    assert "that is set in the environment is no address" in said and "http://HOST:PORT" in said


def test_a_proxy_of_a_kind_that_needs_a_package_is_one_line(monkeypatch, client):  # noqa: F811
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for kind in ("socks5", "socks5h"):
        monkeypatch.setenv("all_proxy", f"{kind}://me:{SECRET}@127.0.0.1:1")
        assert "proxy is set in the environment" in asked_once() and "pip install socksio"


def test_what_else_stands_in_the_environment_is_one_line(monkeypatch, client):  # noqa: F811
    """Proxies for other schemes, which the openai package reads as well; certificates."""
    if client == "openai":
        monkeypatch.setenv("https_proxy", f"http://me:{SECRET}@h:abc")
        assert "openai cannot be used: " in asked_once()
        monkeypatch.delenv("https_proxy")
        monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file")
        asked_once()
    monkeypatch.setattr(chats, "DEFAULT_URL", "http://model.invalid.openai.com/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    monkeypatch.setenv("OPENAI_ORG_ID", "two\nlines")
    (result,) = ask(OpenAIChat("m", retries=0), "a")
    assert isinstance(result, TransportError) and "\n" not in str(result)


WORDS = ["", "x" * 3000, "nan", "1e999", "-1", "9" * 40, "\x1b[31m"]
TEXTS = [
    *WORDS, "\ud800", "{", "[]", "=", "--json", f"http://me:{SECRET}@h:abc/v1",
    f"ftp://me:{SECRET}@h/v1", "http://h:99999/v1", f"http://me:{SECRET}@{'a' * 300}/v1",
    "http://[::1/v1", "http:///v1",
]  # fmt: skip


@pytest.mark.parametrize("name", [one.name for one in fields(ModelArgs) if one.name != "preflight"])
def test_no_value_of_an_endpoints_option_is_more_than_a_line(name, tmp_path, monkeypatch):
    """Nobody answers there, so that no run begins whatever the value is."""
    monkeypatch.setattr(chats, "PREFLIGHT_PAUSES_S", ())
    option, is_text = f"--{name.replace('_', '-')}", "str" in str(get_type_hints(ModelArgs)[name])
    for n, value in enumerate(TEXTS if is_text else WORDS):
        words = {"--model": "m", "--base-url": NOBODY, "--retries": "0", option: value}
        line = [word for pair in words.items() for word in pair]
        result = run("tournament", "--game", "tictactoe", "--policies", "llm,random", "--games", 1,
                     "--output", tmp_path / str(n), *line)  # fmt: skip
        assert result.returncode in (2, 3), (value, result.stderr)
        *above, said = result.stderr.splitlines()
        assert not above and said.isprintable() and len(said) < 1200, (value, result.stderr)
        assert SECRET not in said


def test_embeddings_cannot_be_asked_for_in_one_line(tmp_path, monkeypatch):
    pytest.importorskip("openai", reason="pip install 'stratagym[openai]'")
    for url in (f"http://me:{SECRET}@h:abc/v1", "ftp://h/v1", "h", "http://[::1/v1"):
        with pytest.raises(ValueError, match="base_url: an http") as refused:
            Embeddings(tmp_path, "e", url, "NO_SUCH_KEY")
        assert SECRET not in str(refused.value)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for proxy in (*PROXIES, f"socks5://me:{SECRET}@h"):
        monkeypatch.setenv("all_proxy", proxy)
        with pytest.raises(Unavailable, match="proxy") as refused:
            Embeddings(tmp_path, "e", "http://model.invalid/v1", "NO_SUCH_KEY")
        assert SECRET not in str(refused.value) and str(refused.value).isprintable()


def test_embeddings_that_were_kept_and_changed_are_asked_for_again(tmp_path):
    pytest.importorskip("openai", reason="pip install 'stratagym[openai]'")
    for vectors in ([[1.0, np.nan]], [1.0], [[[1.0]]], [["a"]], np.zeros((0, 2))):
        np.savez(tmp_path / FILE, model="e", texts=["one"], vectors=vectors)
        assert Embeddings(tmp_path, "e", NOBODY, "NO_SUCH_KEY")._vectors == {}
    np.savez(tmp_path / FILE, model="e", texts=["one"], vectors=[[1.0, 2.0]])
    assert set(Embeddings(tmp_path, "e", NOBODY, "NO_SUCH_KEY")._vectors) == {"one"}


# --- files of weights ----------------------------------------------------------------------------

DEEP = "[" * 100_000 + "]" * 100_000
FACTS = {"schema": 1, "game": "tictactoe", "activation": "Tanh"}


def agent_file(facts: str | bytes, *, compression: int = zipfile.ZIP_DEFLATED) -> bytearray:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as archive:
        archive.writestr(sb3.FACTS, facts)
        archive.writestr(sb3.WEIGHTS, bytes(100))
    return bytearray(content.getvalue())


def with_fields(content: bytearray, at: int, value: int) -> bytearray:
    """A zip whose headers all say ``value``, in the field so many bytes behind the versions."""
    for mark, before in ((b"PK\x03\x04", 4), (b"PK\x01\x02", 6)):
        found = -1
        while (found := content.find(mark, found + 1)) >= 0:
            struct.pack_into("<H", content, found + before + at, value)
    return content


FILES = {
    "deep JSON": agent_file(DEEP),
    "half of a surrogate pair": agent_file(b'{"schema": 1, "a": "\xff\xfe"}'),
    "digits": agent_file('{"schema": ' + "9" * 10_000 + "}"),
    "encrypted": with_fields(agent_file(json.dumps(FACTS)), 2, 1),
    "packed in a way of the future": with_fields(agent_file(json.dumps(FACTS)), 4, 97),
    "bzip2 that is none": with_fields(agent_file(json.dumps(FACTS)), 4, zipfile.ZIP_BZIP2),
    "LZMA that is none": with_fields(agent_file(json.dumps(FACTS)), 4, zipfile.ZIP_LZMA),
    "a version of the future": with_fields(agent_file(json.dumps(FACTS)), 0, 99),
    "an empty zip": bytearray(b"PK\x05\x06" + bytes(18)),
    "the end of a zip": agent_file(json.dumps(FACTS))[-60:],
    "a list": agent_file("[1]"),
    "a schema of text": agent_file('{"schema": "1"}'),
    "a schema of many digits": agent_file(json.dumps({"schema": 10**4000})),
    "activation of a kind": agent_file(json.dumps(FACTS | {"activation": {}})),
    "a long activation": agent_file(json.dumps(FACTS | {"activation": "a\nb " * 10_000})),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_an_odd_file_of_weights_is_one_line(kind, tmp_path, monkeypatch):
    def load(content, **options):
        return {}

    torch = SimpleNamespace(__version__="2.10.0+cpu", load=load)
    monkeypatch.setitem(sys.modules, "torch", torch)
    path = tmp_path / "agent.zip"
    path.write_bytes(FILES[kind])
    with pytest.raises(ValueError, match=r"agent\.zip") as refused:
        sb3.load(path)
    assert str(refused.value).isprintable() and len(str(refused.value)) < 400 + len(str(path))
    result = run("duel", "--game", "tictactoe", "--policies", f"random,sb3:{path}")
    (line,) = result.stderr.splitlines()
    assert result.returncode == 2 and "agent.zip" in line
