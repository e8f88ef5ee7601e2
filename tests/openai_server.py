"""A server on this machine that speaks OpenAI's chat completions, well or badly, as a script says.

What it answers depends on the prompt and on how often that prompt has come, so a run repeated
against it gets the same replies. In a test:

    with OpenAIServer(lambda body, nth: answer("2 | nearest to home")) as server:
        chat = OpenAIChat("model", base_url=server.base_url)

From a shell, printing the port it listens on and then serving until it is killed:

    python tests/openai_server.py --port 0 --log requests.jsonl --script mixed
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import importlib
import json
import re
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import ascii_letters
from typing import Any, TextIO
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Response:
    """What a request gets.

    Attributes:
        kind: a word for the log.
        status, headers, body: the HTTP response; ``Content-Length`` is the body's.
        delay_s: how long it takes to come, in seconds.
        send: ``all`` of it; ``none``: the connection is closed without a word; ``half``: closed
            within the body, short of its ``Content-Length``; ``never``: nothing is sent until the
            client leaves; ``drip``: the headers, then a blank every 0.05 s, for ever; ``flood``:
            the headers without a length, then the body again and again.
    """

    kind: str
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    send: str = "all"


Script = Callable[[dict[str, Any], int], Response]
"""From a request's JSON and how often its prompt has come (1, 2, ...) to a response."""

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


def answer(
    text: str | list[Any] | None,
    *,
    kind: str = "answer",
    finish_reason: str = "stop",
    delay_s: float = 0.0,
    usage: Any = USAGE,
    **message: Any,
) -> Response:
    """A good answer; ``message`` adds fields such as ``reasoning_content``."""
    completion = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
                "finish_reason": finish_reason,
            }
        ],
        "usage": usage,
    }
    return Response(kind, json.dumps(completion).encode(), delay_s=delay_s)


def streamed(response: Response) -> Response:
    """A good answer as it comes to who asked for ``stream``: server-sent events, a word each."""
    try:
        completion = json.loads(response.body)
        (choice,) = completion["choices"]
    except (ValueError, KeyError):
        return response
    message = choice["message"]
    words = re.findall(r"\s*\S+|\s+$", message["content"] or "")
    deltas: list[dict[str, Any]] = [{**message, "content": ""}, *({"content": w} for w in words)]
    events = [
        {"index": 0, "delta": delta, "finish_reason": None, "logprobs": None} for delta in deltas
    ]
    events.append({"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]})
    head = {name: completion[name] for name in ("id", "created", "model")}
    chunks = [
        {**head, "object": "chat.completion.chunk", "choices": [one], "usage": None}
        for one in events
    ]
    chunks.append(
        {**head, "object": "chat.completion.chunk", "choices": [], "usage": completion["usage"]}
    )
    lines = [*(json.dumps(chunk) for chunk in chunks), "[DONE]"]
    body = "".join(f"data: {line}\n\n" for line in lines).encode()
    headers = {**response.headers, "Content-Type": "text/event-stream"}
    return replace(response, body=body, headers=headers)


def prose() -> Response:
    """An answer without a move."""
    return answer("I would bring the hindmost piece forward.", kind="prose")


def illegal_piece() -> Response:
    """A move of a piece that there is not."""
    return answer("9 | the ninth piece", kind="illegal")


def empty() -> Response:
    """An answer whose content is null."""
    return answer(None, kind="empty")


def truncated() -> Response:
    """An answer cut off at the limit of tokens, before its move."""
    return answer("Let me think about each of", kind="truncated", finish_reason="length")


def error(
    status: int,
    message: str = "scripted failure",
    *,
    code: str | None = None,
    param: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """An HTTP error with OpenAI's error body."""
    body = {"error": {"message": message, "type": "error", "param": param, "code": code}}
    return Response(str(status), json.dumps(body).encode(), status, headers or {})


def rate_limit(retry_after: str | float | None = 1) -> Response:
    """HTTP 429; ``retry_after`` is seconds or an HTTP date."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return error(429, "slow down", code="rate_limit_exceeded", headers=headers)


def drop(send: str = "none") -> Response:
    """A connection that is closed, before the response or (``half``) within its body."""
    return replace(answer("0 | never seen"), kind=f"drop_{send}", send=send)


def hang() -> Response:
    """No response, for as long as the client waits."""
    return Response("hang", send="never")


def drip() -> Response:
    """A response that never ends, a byte at a time."""
    return Response("drip", send="drip")


def invalid_json() -> Response:
    """HTTP 200 with a body cut in the middle of its JSON."""
    return Response("invalid_json", answer("0 | cut").body[:-40])


def legal_looking(body: dict[str, Any], nth: int) -> Response:
    """A well-formed answer, piece 0 to 3 by the prompt's hash."""
    return answer(f"{int(prompt_sha256(body['messages'])[:8], 16) % 4} | scripted")


def once(fault: Response) -> Script:
    """A script that fails the first time and then answers."""
    return lambda body, nth: fault if nth == 1 else legal_looking(body, nth)


def first_empty(messages: Any) -> str:
    """A legal move of tic-tac-toe, from the grid in the prompt."""
    asked = next(m["content"] for m in messages if "1 2 3\n" in m["content"])
    rows = asked.split("1 2 3\n")[1].splitlines()[:3]
    return next(
        f"Move: {r},{c}"
        for r, row in enumerate(rows, 1)
        for c, mark in enumerate(row.split()[1:], 1)
        if mark == "."
    )


def tictactoe(body: dict[str, Any], nth: int) -> Response:
    """Tic-tac-toe with every fault, by the prompt's hash, of which most pass with a second try."""
    place = int(prompt_sha256(body["messages"])[:8], 16) % 16
    faults = [rate_limit(0), error(500), error(503), drop(), drop("half"), invalid_json()]
    if place < len(faults) and nth == 1:
        return faults[place]
    bad = {6: prose(), 7: answer("Move: 9,9", kind="illegal"), 8: empty(), 9: truncated()}
    return bad[place] if place in bad else answer(first_empty(body["messages"]))


def always(fault: Response) -> Script:
    """A script of one response."""
    return lambda body, nth: fault


def playing(script: Script) -> Script:
    """A script that knows games alone: what a run asks first, without a position, gets a yes."""
    from stratagym.agents.chat import PREFLIGHT

    return lambda body, nth: answer("yes") if body["messages"] == PREFLIGHT else script(body, nth)


def mixed(body: dict[str, Any], nth: int) -> Response:
    """Everything, by the prompt's hash: of 100 prompts some 84 get an answer at once, 10 one that
    is no move, and 6 a transport failure first."""
    place = int(prompt_sha256(body["messages"])[8:16], 16) % 100
    talk = [prose(), illegal_piece(), empty(), truncated(), answer("1", kind="bare")]
    if place < 10:
        return talk[place % len(talk)]
    faults = [rate_limit(1), error(500), error(503), drop(), drop("half"), invalid_json()]
    if place < 16 and nth == 1:
        return faults[place - 10]
    return legal_looking(body, nth)


SCRIPTS: dict[str, Script] = {
    "answers": legal_looking,
    "mixed": mixed,
    "prose": always(prose()),
    "illegal": always(illegal_piece()),
    "empty": always(empty()),
    "truncated": always(truncated()),
    "rate_limit_once": once(rate_limit()),
    "rate_limit": always(rate_limit()),
    "error_once": once(error(500)),
    "error": always(error(500)),
    "rejected": always(error(401, "Incorrect API key provided")),
    "drop_once": once(drop()),
    "drop": always(drop()),
    "hang": always(hang()),
    "drip": always(drip()),
    "invalid_json": always(invalid_json()),
}
"""The scripts that ``--script`` knows by name; it takes MODULE:FUNCTION too."""


def prompt_sha256(messages: Any) -> str:
    """The hash of chat messages by which requests are logged, as in the records of a run."""
    joined = "\n\n".join(message["content"] or "" for message in messages)
    return hashlib.sha256(joined.encode()).hexdigest()


@dataclass(frozen=True)
class Request:
    """A request as it came: ``time`` in seconds since the epoch, ``nth`` for its prompt."""

    time: float
    sha256: str
    nth: int
    kind: str
    body: dict[str, Any]
    path: str


def letters(texts: list[str]) -> Response:
    """Embeddings of texts: how often each letter stands in them."""
    data = [
        {"object": "embedding", "index": k, "embedding": [text.count(one) for one in ascii_letters]}
        for k, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    body = {"object": "list", "data": data, "model": "letters", "usage": usage}
    return Response("embeddings", json.dumps(body).encode())


class OpenAIServer:
    """Serves ``/v1/chat/completions`` on 127.0.0.1, in a thread, as a context manager.

    And ``/v1/embeddings``, by ``embed``. What the script raises is raised again where the block
    ends: clients take a broken connection for a busy server, and a test would never know.

    Attributes:
        requests: every request so far. embedded: the texts of each request for embeddings.
        authorizations: the Authorization header of each; kept here only, never logged.
        tls: what it proves itself by, where it speaks HTTPS.
        most_at_once: the most requests that were being answered at one time.
        connections, open_now: how many connections have been made, and are open.
    """

    def __init__(
        self,
        script: Script = legal_looking,
        port: int = 0,
        log: Path | None = None,
        tls: ssl.SSLContext | None = None,
    ):
        self.script, self.port, self.log, self.tls = script, port, log, tls
        self.requests: list[Request] = []
        self.embed: Callable[[list[str]], Response] = letters
        self.embedded: list[list[str]] = []
        self.authorizations: list[str | None] = []
        self.most_at_once = self.connections = self.open_now = 0
        self._at_once = 0
        self._seen: Counter[str] = Counter()
        self._log_file: TextIO | None = None
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._failure: BaseException | None = None

    @property
    def base_url(self) -> str:
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(self, raised: type[BaseException] | None, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        if self._failure is not None and raised is None:
            raise self._failure

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._run())
        except BaseException as failure:
            self._failure = failure
        finally:
            self._ready.set()
            self._loop.close()

    async def _run(self) -> None:
        self._stop = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        if self.log is not None:
            self._log_file = self.log.open("a", encoding="utf-8")
        listener = await asyncio.start_server(
            self._connected, "127.0.0.1", self.port, backlog=1024, ssl=self.tls
        )
        self.port = listener.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        listener.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._log_file is not None:
            self._log_file.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The task is our own: asyncio reports the cancelling of those that it starts for a client.
        task = asyncio.ensure_future(self._converse(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open_now += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()
            self.open_now -= 1

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its response; whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        # A proxy is asked for a whole address.
        where = urlsplit(path).path
        if method == "POST" and where == "/v1/embeddings":
            self.embedded.append(json.loads(content)["input"])
            self.authorizations.append(headers.get("authorization"))
            await self._send(writer, self.embed(self.embedded[-1]))
            return True
        if method != "POST" or where != "/v1/chat/completions":
            await self._send(writer, error(404, f"there is no {method} {path}"))
            return True
        body = json.loads(content)
        response = self._respond(body, path, headers.get("authorization"))
        if body.get("stream") and response.status == 200:
            response = streamed(response)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            await asyncio.sleep(response.delay_s)
            if response.send == "never":
                await reader.read(1)
            elif response.send == "drip":
                await self._send(writer, response, length=1_000_000)
                while True:
                    writer.write(b" ")
                    await writer.drain()
                    await asyncio.sleep(0.05)
            elif response.send == "flood":
                headers = "".join(f"{k}: {v}\r\n" for k, v in response.headers.items())
                writer.write(f"HTTP/1.1 200 Scripted\r\n{headers}\r\n".encode())
                while True:
                    writer.write(response.body)
                    await writer.drain()
            elif response.send == "half":
                half = replace(response, body=response.body[: len(response.body) // 2])
                await self._send(writer, half, length=len(response.body))
                writer.close()
            elif response.send == "all":
                await self._send(writer, response)
        finally:
            self._at_once -= 1
        return response.send == "all"

    def _respond(self, body: dict[str, Any], path: str, authorization: str | None) -> Response:
        sha256 = prompt_sha256(body["messages"])
        self._seen[sha256] += 1
        try:
            response = self.script(body, self._seen[sha256])
        except Exception as failure:
            self._failure = failure
            raise ConnectionError("the script failed") from failure
        request = Request(time.time(), sha256, self._seen[sha256], response.kind, body, path)
        self.requests.append(request)
        self.authorizations.append(authorization)
        if self._log_file is not None:
            line = {"time": request.time, "sha256": sha256, "nth": request.nth}
            self._log_file.write(json.dumps({**line, "kind": response.kind}) + "\n")
            self._log_file.flush()
        return response

    async def _send(
        self, writer: asyncio.StreamWriter, response: Response, length: int | None = None
    ) -> None:
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(len(response.body) if length is None else length),
            **response.headers,
        }
        lines = [f"HTTP/1.1 {response.status} Scripted"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + response.body)
        await writer.drain()


def find_script(name: str) -> Script:
    """A script by name or as MODULE:FUNCTION. Raises ``ValueError`` if there is none."""
    if name in SCRIPTS:
        return SCRIPTS[name]
    module, colon, function = name.partition(":")
    if not colon:
        raise ValueError(f"unknown script {name!r}; the scripts are: {', '.join(SCRIPTS)}")
    return getattr(importlib.import_module(module), function)


def main() -> None:
    parser = argparse.ArgumentParser(description="A scripted chat completions server.")
    parser.add_argument("--port", type=int, default=0, help="0 finds a free one")
    parser.add_argument("--log", type=Path, help="append a JSON line for every request")
    parser.add_argument("--script", type=find_script, default=legal_looking)
    arguments = parser.parse_args()
    with OpenAIServer(arguments.script, arguments.port, arguments.log) as server:
        print(server.port, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
