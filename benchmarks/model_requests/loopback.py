"""A server of chat completions on this machine and in its own process; it says the same always."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

END = b"\r\n\r\n"


class _Exchange(asyncio.Protocol):
    """A connection: every request gets the same bytes, ``delay_s`` after it is whole."""

    def __init__(self, response: bytes, delay_s: float):
        self.response, self.delay_s = response, delay_s
        self.received = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.loop = asyncio.get_running_loop()

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, end, body = self.received.partition(END)
        if end and len(body) >= _length(head):
            self.received = b""
            self.loop.call_later(self.delay_s, self.transport.write, self.response)


def _length(head: bytes) -> int:
    return int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])


def _response(text: str) -> bytes:
    completion = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "loopback",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 500, "completion_tokens": 20, "total_tokens": 520},
    }
    body = json.dumps(completion).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return head.encode() + END + body


def _serve(ready: Connection, text: str, delay_s: float) -> None:
    async def serve() -> None:
        response = _response(text)
        server = await asyncio.get_running_loop().create_server(
            lambda: _Exchange(response, delay_s), "127.0.0.1", 0, backlog=1024
        )
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


@contextmanager
def loopback(text: str, delay_s: float) -> Iterator[str]:
    """The server's address up to ``/v1``; it answers ``text`` after ``delay_s`` seconds."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, text, delay_s), daemon=True)
    process.start()
    theirs.close()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/v1"
    finally:
        process.kill()
        process.join()
