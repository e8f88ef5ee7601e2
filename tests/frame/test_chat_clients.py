"""What carries requests to models: limits on bodies, redirects, proxies and certificates, by each
client alike."""

from __future__ import annotations

import asyncio
import gzip
import ssl
import subprocess
import sys
import tracemalloc
import zlib
from functools import cache

import openai_server
import pytest
from asking import HELLO, KEY, ask, client, failure, reply_to, surroundings  # noqa: F401
from openai_server import OpenAIServer, Response, always, answer, once

from stratagym.agents import chat_clients
from stratagym.agents.chat import OpenAIChat, Reply, TransportError
from stratagym.agents.chat_clients import LONGEST_BODY, BadBody, Unpacking
from stratagym.agents.core import make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.envs import spec

pytestmark = pytest.mark.usefixtures("client")

MB = 10**6
PACKED = {"Content-Encoding": "gzip"}


def packed(body: bytes, level: int = 9) -> Response:
    """A good response whose body is gzip."""
    return Response("packed", gzip.compress(body, level), headers=PACKED)


@cache
def bomb(size: int) -> bytes:
    """Gzip of so many blanks, made without them."""
    packer = zlib.compressobj(9, wbits=31)
    block = b" " * MB
    return b"".join([*(packer.compress(block) for _ in range(size // MB)), packer.flush()])


def peak_of(script, **options):
    """The server after one request, the failure it came to, and the most bytes held meanwhile."""
    tracemalloc.start()
    try:
        with OpenAIServer(script) as server:
            chat = OpenAIChat("model", base_url=server.base_url, **options)
            ask(chat, "hello")  # imports what there is to import
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            (result,) = ask(chat, "again")
            return server, result, tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


# --- bodies ------------------------------------------------------------------------------------


TOO_LONG = {
    "length": Response("bad", b" ", headers={"Content-Length": str(50 * MB)}),
    "error": Response("bad", b" ", 500, {"Content-Length": str(50 * MB)}),
    "flood": Response("bad", b" " * MB, send="flood"),
    "gzip": Response("bad", bomb(100 * MB), headers=PACKED),
    "gzip error": Response("bad", bomb(100 * MB), 500, PACKED),
    "gzip flood": Response("bad", bomb(100 * MB), headers=PACKED, send="flood"),
}


@pytest.mark.parametrize("bad", TOO_LONG.values(), ids=TOO_LONG)
def test_no_body_is_read_beyond_the_limit(bad):
    _, result, peak = peak_of(lambda body, nth: bad if nth == 1 else answer("1"), timeout_s=20)
    assert isinstance(result, TransportError), result
    assert result.reason == "bad_response"
    assert "a body of more than 8 MiB" in str(result)
    assert result.retries == 0  # it would be as long again
    assert peak < 4 * LONGEST_BODY


def test_a_long_body_within_the_limit_is_read():
    text = "1 | " + "x" * (LONGEST_BODY - 2000)
    _, reply = reply_to(always(answer(text)))
    assert reply.text == text


@pytest.mark.parametrize("name", ["gzip", "x-gzip", "GZIP"])
def test_a_packed_body_is_unpacked(name):
    response = packed(answer("1 | packed").body)
    response.headers["Content-Encoding"] = name
    _, reply = reply_to(always(Response("packed", response.body, headers={**response.headers})))
    assert reply.text == "1 | packed"


@pytest.mark.parametrize(
    "body", [b"no gzip at all", gzip.compress(answer("1 | x").body)[:-20], b"\x1f\x8b\x08"]
)
def test_a_body_that_cannot_be_unpacked_is_asked_for_again(body):
    server, reply = reply_to(once(Response("torn", body, headers=PACKED)))
    assert isinstance(reply, Reply), reply
    assert (reply.retries, len(server.requests)) == (1, 2)


def test_a_packing_that_was_not_asked_for_is_refused():
    bad = Response("brotli", b"\x0b\x02\x80", headers={"Content-Encoding": "br"})
    server, result = failure(always(bad))
    assert (result.reason, len(server.requests)) == ("bad_response", 1)
    assert "'br', which was not asked for" in str(result)


def test_what_follows_packed_bytes_counts():
    unpacking = Unpacking("gzip")
    assert unpacking.feed(gzip.compress(b"all")) == b"all"
    with pytest.raises(BadBody, match="more than 8 MiB"):
        for _ in range(20):
            unpacking.feed(b"x" * MB)


# --- what errors say ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "no such model"}}', "HTTP 404: no such model"),
        (b'{"error": "model \'x\' not found"}', "HTTP 404: model 'x' not found"),
        (b'{"object": "error", "message": "no such model"}', "HTTP 404: no such model"),
        (b'{"detail": "Not Found"}', "HTTP 404: Not Found"),
        (b"<h1>Not Found</h1>", "HTTP 404: <h1>Not Found</h1>"),
        (b"", "HTTP 404: no word more"),
        (b"[1, 2]", "HTTP 404: [1, 2]"),
        (b"[" * 10_000, "HTTP 404: ["),
        (b'{"error": {"message": 5, "code": [], "param": {}}}', 'HTTP 404: {"error": {"message"'),
        (b"\xff" * MB, "HTTP 404: \ufffd"),
    ],
)
def test_an_errors_body_is_quoted_in_any_form(body, said):
    _, result = failure(always(Response("404", body, 404)))
    assert result.reason == "rejected" and result.lasting
    assert str(result).startswith(f"rejected: {said}")
    assert len(str(result)) < 400 and "\n" not in str(result)


def test_an_account_without_money_is_not_asked_again():
    bad = openai_server.error(429, "You exceeded your current quota", code="insufficient_quota")
    server, result = failure(always(bad))
    assert (result.reason, result.lasting, len(server.requests)) == ("rate_limit", True, 1)


# --- redirects ---------------------------------------------------------------------------------


def moved(url: str, status: int = 307) -> Response:
    return Response("moved", b"", status, {"Location": f"{url}/chat/completions?moved"})


def test_a_redirect_within_a_server_is_followed_with_the_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with OpenAIServer() as server:
        server.script = once(moved(server.base_url))
        (reply,) = ask(OpenAIChat("model", base_url=server.base_url), "hello")
    assert isinstance(reply, Reply) and reply.retries == 0
    assert [request.body["messages"] for request in server.requests] == [HELLO, HELLO]
    assert server.authorizations == [f"Bearer {KEY}"] * 2


def test_a_redirect_to_another_server_gets_no_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with OpenAIServer() as there, OpenAIServer(always(moved(there.base_url, 308))) as here:
        (reply,) = ask(OpenAIChat("model", base_url=here.base_url), "hello")
    assert isinstance(reply, Reply)
    assert here.authorizations == [f"Bearer {KEY}"]
    assert there.authorizations == [None]
    assert there.requests[0].body["messages"] == HELLO


@pytest.mark.parametrize(
    "location", ["ftp://127.0.0.1/v1", "http://user:pass@127.0.0.1:1/v1", "//", "http://[", None]
)
def test_a_redirect_that_leads_nowhere_is_a_failure(location, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with OpenAIServer() as server:
        bad = Response("moved", b"", 307, {"Location": location} if location else {})
        server.script = always(bad if location else moved(server.base_url))
        chat = OpenAIChat("model", base_url=server.base_url, retries=0)
        (result,) = ask(chat, "hello")
    assert isinstance(result, TransportError), result
    assert result.reason in ("connection", "rejected")
    assert KEY not in str(result)


# --- proxies -----------------------------------------------------------------------------------


def test_a_proxy_from_the_environment_is_used(monkeypatch):
    with OpenAIServer() as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        (reply,) = ask(OpenAIChat("model", base_url="http://model.invalid/v1"), "hello")
    assert isinstance(reply, Reply), reply
    assert proxy.requests[0].path == "http://model.invalid/v1/chat/completions"


def test_hosts_that_need_no_proxy_get_none(monkeypatch):
    with OpenAIServer() as server:
        for name in ("http_proxy", "all_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:1")
        monkeypatch.setenv("no_proxy", "example.com,127.0.0.1")
        (reply,) = ask(OpenAIChat("model", base_url=server.base_url), "hello")
    assert isinstance(reply, Reply), reply


def test_a_proxy_that_is_not_there_is_named_without_its_password(monkeypatch):
    monkeypatch.setenv("all_proxy", "http://me:secretword1@127.0.0.1:1")
    (result,) = ask(OpenAIChat("model", base_url="http://model.invalid/v1", retries=0), "hello")
    assert isinstance(result, TransportError)
    assert (result.reason, result.lasting) == ("connection", True)
    assert "secretword1" not in str(result)


def test_a_proxy_of_another_kind_is_one_clear_line(monkeypatch, client):  # noqa: F811
    if client == "openai":
        pytest.skip("what httpx makes of it depends on what is installed")
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:1")
    (result,) = ask(OpenAIChat("model", base_url="http://model.invalid/v1", retries=0), "hello")
    assert isinstance(result, TransportError) and result.lasting
    assert "a socks5 proxy is set in the environment" in str(result)


# --- certificates ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def authority():
    trustme = pytest.importorskip("trustme", reason="needs trustme: pip install 'stratagym[test]'")
    return trustme.CA()


@pytest.fixture
def encrypted(authority):
    """A server with a certificate of an authority that nobody knows."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with OpenAIServer(tls=context) as server:
        yield server


def test_an_unknown_certificate_is_refused(encrypted):
    (result,) = ask(OpenAIChat("model", base_url=encrypted.base_url, retries=0), "hello")
    assert isinstance(result, TransportError)
    assert (result.reason, result.lasting) == ("connection", True)
    assert "certificate" in str(result).lower()
    assert not encrypted.requests


def test_a_certificate_that_the_environment_names_is_taken(
    encrypted, authority, tmp_path, monkeypatch
):
    file = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(file)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    (reply,) = ask(OpenAIChat("model", base_url=encrypted.base_url), "hello")
    assert isinstance(reply, Reply), reply


# --- the choice --------------------------------------------------------------------------------


def test_both_clients_send_the_same(client):  # noqa: F811
    options = {"top_p": 0.5, "seed": 3, "top_k": 9, "extra_body": {"ü": [1, {"a": 0}]}}
    with OpenAIServer() as server:
        url = server.base_url.replace("/v1", "/v1/?version=2024-1%2F2")
        chat = OpenAIChat("mödel", base_url=url, **options)
        (reply,) = ask(chat, "héllo\n☃")
    assert isinstance(reply, Reply), reply
    (request,) = server.requests
    assert request.path in (
        "/v1/chat/completions?version=2024-1%2F2",
        "/v1/chat/completions?version=2024-1/2",
    )
    assert request.body == {
        "model": "mödel",
        "messages": [{"role": "user", "content": "héllo\n☃"}],
        "temperature": 0.0,
        "max_tokens": 512,
        "top_p": 0.5,
        "seed": 3,
        "top_k": 9,
        "ü": [1, {"a": 0}],
    }


def test_a_policy_string_names_the_client():
    url = "http://127.0.0.1:1/v1"
    policy = make_policy(spec("ludo"), f"llm:m?base_url={url}&client=openai")
    assert isinstance(policy, LanguageModel) and policy.name == "llm:m"
    assert policy.settings()["client"] == "openai"
    assert "client" not in OpenAIChat("m", base_url=url, client="aiohttp").settings()
    with pytest.raises(ValueError, match="client: choose from aiohttp, openai"):
        make_policy(spec("ludo"), f"llm:m?base_url={url}&client=curl")


def test_a_missing_package_is_named_with_its_extra(client, monkeypatch):  # noqa: F811
    monkeypatch.setitem(sys.modules, client, None)
    extra = {"aiohttp": "llm", "openai": "openai"}[client]
    with pytest.raises(ModuleNotFoundError, match=rf'pip install "stratagym\[{extra}\]"'):
        make_policy(spec("ludo"), "llm:m?base_url=http://127.0.0.1:9/v1&client=" + client)
    chat = OpenAIChat("m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(ModuleNotFoundError, match=rf"stratagym\[{extra}\]"):
        asyncio.run(chat.generate(HELLO))


def test_a_chat_that_is_dropped_leaves_no_noise(client):  # noqa: F811
    if client == "openai":
        pytest.skip("its import takes seconds, and it has no such noise")
    code = (
        "import asyncio, sys\n"
        "from stratagym.agents.chat import OpenAIChat\n"
        "async def ask(chat): await chat.generate([{'role': 'user', 'content': 'x'}])\n"
        f"chat = OpenAIChat('m', base_url=sys.argv[1], client='{client}')\n"
        "asyncio.run(ask(chat)); asyncio.run(ask(chat)); del chat\n"
    )
    with OpenAIServer() as server:
        line = [sys.executable, "-c", code, server.base_url]
        run = subprocess.run(line, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_tls_certificates_are_read_once(client):  # noqa: F811
    assert chat_clients._tls() is chat_clients._tls()
    assert chat_clients._tls().verify_mode == ssl.CERT_REQUIRED
