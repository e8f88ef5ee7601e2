"""How a request to a language model travels: a JSON body out, an HTTP answer back.

Two clients have the same interface: ``AiohttpClient``, which takes little of the processor, and
``OpenAIClient``, the openai package. Both belong to the event loop they are first used in, follow
redirects (to another server without the key), take proxies and certificates from the environment
(``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY``, ``NO_PROXY``; ``SSL_CERT_FILE``, ``SSL_CERT_DIR``)
and read no body beyond ``LONGEST_BODY``.
"""

from __future__ import annotations

import asyncio
import base64
import importlib
import importlib.util
import ipaddress
import json
import math
import os
import ssl
import zlib
from collections.abc import AsyncIterator, Container, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, NamedTuple, Protocol
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from stratagym.envs.echo import shown

LONGEST_BODY = 8 * 2**20
"""Bytes of a body, unpacked: several times what a million tokens of reasoning take."""
MOST_CONNECTIONS = 1000
"""Open at once; further requests wait for one of them, within their time-out."""
PATH = "/chat/completions"
SOCKS = ("socks5", "socks5h")
_ENCODER = json.JSONEncoder(separators=(",", ":"), check_circular=False)


class HTTPAnswer(NamedTuple):
    """An HTTP answer of any status; ``headers`` are found in any case, ``body`` is unpacked.

    ``latency_s`` is how long the answer took, where that is not how long it was waited for.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    latency_s: float | None = None


class Broken(Exception):
    """No answer: there was no connection, or it broke.

    Attributes:
        unreachable: whether there was none to begin with, so that others will fare no better.
    """

    def __init__(self, message: str, unreachable: bool = False):
        super().__init__(message)
        self.unreachable = unreachable


class BadBody(ValueError):
    """An answer whose body is too long or cannot be unpacked.

    Attributes:
        again: whether another attempt might bring a good one.
    """

    def __init__(self, message: str, again: bool = True):
        super().__init__(message)
        self.again = again


class Client(Protocol):
    """What carries requests to one endpoint, in one event loop.

    Attributes:
        secrets: what no message may show.
    """

    secrets: tuple[str, ...]

    async def post(self, body: Mapping[str, Any], timeout_s: float) -> HTTPAnswer:
        """The answer to ``body``.

        Raises:
            asyncio.TimeoutError: no whole answer in ``timeout_s`` seconds. Broken. BadBody.
        """

    async def close(self) -> None:
        """Close all connections."""

    def abandon(self) -> None:
        """Forget the connections of an event loop that is closed."""


class Unpacking:
    """Unpacks a body piece by piece, and never holds much more than ``LONGEST_BODY`` of it."""

    def __init__(self, encoding: str):
        encoding = encoding.strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise BadBody(f"a body packed as {encoding[:40]!r}, which was not asked for", False)
        self._gzip = zlib.decompressobj(16 + zlib.MAX_WBITS) if "gzip" in encoding else None
        self._came = self._made = 0

    def feed(self, piece: bytes) -> bytes:
        """The piece unpacked.

        Raises:
            BadBody: all together is too long, or it is not gzip.
        """
        self._came += len(piece)
        if self._gzip is not None:
            try:
                piece = self._gzip.decompress(piece, LONGEST_BODY + 1 - self._made)
            except zlib.error as error:
                raise BadBody(f"a body that is not gzip ({error})") from None
        self._made += len(piece)
        # What follows the end of the gzip makes nothing and takes memory all the same.
        if max(self._made, self._came) > LONGEST_BODY:
            raise _too_long()
        return piece


def _too_long() -> BadBody:
    return BadBody(f"a body of more than {LONGEST_BODY // 2**20} MiB", again=False)


class AiohttpClient:
    """Requests by aiohttp.

    Args:
        url: the endpoint, up to and with ``/v1``; a user and a password in it are sent in the
            place of the key, its query with every request.

    Raises:
        Broken: the environment names a proxy of a kind that aiohttp does not speak to.
        ModuleNotFoundError: aiohttp is missing.
    """

    def __init__(self, url: str, key: str):
        aiohttp = self._aiohttp = import_client("aiohttp")
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        self._url = parts._replace(
            netloc=host, path=parts.path.rstrip("/") + PATH, fragment=""
        ).geturl()
        self._proxy = proxy_for(parts.scheme, host, ("http", "https"))
        self.secrets = key, unquote(urlsplit(self._proxy or "").password or "")
        headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": "stratagym",
        }
        if parts.username or parts.password:
            login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
            headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
        organization = os.environ.get("OPENAI_ORG_ID")
        project = os.environ.get("OPENAI_PROJECT_ID")
        if (parts.hostname or "").endswith("openai.com"):
            headers |= {"OpenAI-Organization": organization} if organization else {}
            headers |= {"OpenAI-Project": project} if project else {}
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=MOST_CONNECTIONS, ssl=_tls() if parts.scheme == "https" else True
            ),
            headers=headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )
        self._loop = asyncio.get_running_loop()

    async def post(self, body: Mapping[str, Any], timeout_s: float) -> HTTPAnswer:
        aiohttp = self._aiohttp
        try:
            response = await self._session.post(
                self._url,
                data=_ENCODER.encode(body).encode(),
                proxy=self._proxy,
                timeout=_timeout(timeout_s),
            )
            try:
                return HTTPAnswer(response.status, response.headers, await _read(response))
            finally:
                if not response.closed:  # it is, with the connection given back, at its end
                    response.close()
        except asyncio.TimeoutError:
            raise
        except aiohttp.ClientHttpProxyError as error:
            raise Broken(f"the proxy says HTTP {error.status}: {error.message}", True) from None
        except aiohttp.ClientConnectorError as error:
            cause = error.os_error
            raise Broken(f"{type(cause).__name__}: {cause}", unreachable=True) from None
        except BadBody:
            raise
        # A ValueError comes of a redirect that leads nowhere.
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise Broken(f"{type(error).__name__}: {error}") from None

    async def close(self) -> None:
        await self._session.close()

    def abandon(self) -> None:
        with suppress(StopIteration):  # nothing is waited for where the loop is closed
            self._session.close().send(None)

    def __del__(self) -> None:
        session = self.__dict__.get("_session")
        if session is not None and not session.closed and self._loop.is_closed():
            self.abandon()


@lru_cache(maxsize=16)
def _timeout(timeout_s: float) -> Any:
    # Without the threshold, 5 s and more are rounded up to whole seconds of the clock.
    return import_client("aiohttp").ClientTimeout(total=timeout_s, ceil_threshold=math.inf)


async def _read(response: Any) -> bytes:
    """The body of aiohttp's response."""
    length, encoding = response.content_length, response.headers.get("Content-Encoding", "")
    if length is not None and not encoding:
        if length > LONGEST_BODY:
            raise _too_long()
        return await response.read()
    unpacking = Unpacking(encoding)
    return b"".join([unpacking.feed(piece) async for piece in response.content.iter_any()])


def check_address(url: str, schemes: Container[str]) -> SplitResult:
    """The parts of an address of one of the schemes. Raises ``ValueError`` if it is none."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    host.encode("idna")  # raises UnicodeError, a ValueError, for what cannot be looked up
    parts.port  # noqa: B018 - raises ValueError if it is none
    if parts.scheme not in schemes or not host or not url.isprintable() or " " in url:
        raise ValueError("no address")
    if parts.netloc.rpartition("@")[2].startswith("["):
        ipaddress.IPv6Address(host.partition("%")[0])
    return parts


def proxy_for(scheme: str, host: str, kinds: Sequence[str]) -> str | None:
    """The proxy that the environment, or the system, has for a host with its port.

    Raises:
        Broken: it is of another kind, or no address.
    """
    # Asked once: aiohttp's own way asks in a thread of its own at every request.
    proxies = getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    if not proxy or proxy_bypass(host):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    kind = proxy.partition("://")[0].lower()
    if kind in SOCKS and kind not in kinds:
        raise Broken(
            f"a {kind} proxy is set in the environment, and aiohttp knows {' and '.join(kinds)}; "
            "client=openai speaks to socks5, with pip install socksio",
            unreachable=True,
        )
    try:
        check_address(proxy, kinds)
    except ValueError:
        raise Broken(
            f"the proxy {shown(proxy)!r} that is set in the environment is no address "
            f"of one, such as http://HOST:PORT, of {', '.join(kinds)}",
            unreachable=True,
        ) from None
    return proxy


def openai_proxy_for(url: str) -> str | None:
    """The proxy that the openai package will use for an endpoint. Raises ``Broken``."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    proxy = proxy_for(parts.scheme, host, ("http", "https", *SOCKS))
    if proxy and proxy.startswith(SOCKS) and importlib.util.find_spec("socksio") is None:
        raise Broken("a socks5 proxy is set in the environment: pip install socksio", True)
    return proxy


def _tls() -> ssl.SSLContext:
    return _tls_context(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@lru_cache(maxsize=2)
def _tls_context(file: str | None, folder: str | None) -> ssl.SSLContext:
    """The system's certificates and certifi's, or those alone that the environment names."""
    context = ssl.create_default_context()  # reads both variables
    if not file and not folder:
        # Some Pythons come without any.
        context.load_verify_locations(import_client("certifi").where())
    context.set_alpn_protocols(["http/1.1"])
    return context


class OpenAIClient:
    """Requests by the openai package, with the same arguments and errors as ``AiohttpClient``."""

    def __init__(self, url: str, key: str):
        openai = self._openai = import_client("openai")
        parts = urlsplit(url)
        proxy = openai_proxy_for(url)
        self.secrets = key, unquote(urlsplit(proxy or "").password or "")
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=parts._replace(query="", fragment="").geturl(),
            default_query=dict(parse_qsl(parts.query)) or None,
            timeout=None,
            max_retries=0,
            # Unlike the client's own one, this closes nothing when it is collected, where its
            # event loop may be gone.
            http_client=openai.DefaultAsyncHttpxClient(
                timeout=None,
                headers={"Accept-Encoding": "gzip"},
                event_hooks={"response": [_unpack]},
            ),
        )

    async def post(self, body: Mapping[str, Any], timeout_s: float) -> HTTPAnswer:
        openai = self._openai
        more = {name: value for name, value in body.items() if name not in ("model", "messages")}
        try:
            # The client's own time-out is for each read, which a trickle of bytes never exceeds.
            response = await asyncio.wait_for(
                self._client.chat.completions.with_raw_response.create(
                    model=body["model"], messages=body["messages"], extra_body=more
                ),
                timeout_s,
            )
        except openai.APIStatusError as error:
            response = error.response
        except openai.APITimeoutError:
            raise asyncio.TimeoutError from None
        except asyncio.TimeoutError:
            raise
        # A ValueError comes of a header or an address that cannot be sent.
        except (openai.APIConnectionError, OSError, ValueError) as error:
            cause = error.__cause__ or error
            if isinstance(cause, BadBody):
                raise cause from None
            name = type(cause).__name__
            unreachable = name in ("ConnectError", "ProxyError")
            raise Broken(f"{name}: {cause}", unreachable) from None
        return HTTPAnswer(response.status_code, response.headers, response.content)

    async def close(self) -> None:
        await self._client.close()

    def abandon(self) -> None:
        """There is nothing to do."""


async def _unpack(response: Any) -> None:
    """Have an httpx response unpacked here, where its length is watched."""
    length = response.headers.get("content-length", "")
    if length.isdecimal() and len(length) < 20 and int(length) > LONGEST_BODY:
        raise _too_long()
    encoding = response.headers.pop("content-encoding", "")
    (base,) = (kind for kind in type(response.stream).__mro__ if kind.__name__ == "AsyncByteStream")
    response.stream = _unpacked(base)(response.stream, Unpacking(encoding))


@cache
def _unpacked(base: type) -> type:
    """A stream of httpx, which has two names by its version, that is unpacked as it is read."""

    class Unpacked(base):
        def __init__(self, stream: Any, unpacking: Unpacking):
            self._stream, self._unpacking = stream, unpacking

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self._stream:
                yield self._unpacking.feed(piece)

        async def aclose(self) -> None:
            await self._stream.aclose()

    return Unpacked


CLIENTS: dict[str, type] = {"aiohttp": AiohttpClient, "openai": OpenAIClient}
"""By the words of the option ``client``, the default first."""
EXTRAS = {"openai": "openai"}


def import_client(package: str) -> Any:
    """A package that carries requests. Raises ``ModuleNotFoundError`` with what to install."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        extra = EXTRAS.get(package, "llm")
        raise ModuleNotFoundError(
            f'language models need the {package} package: pip install "stratagym[{extra}]"',
            name=package,
        ) from None
