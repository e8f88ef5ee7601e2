"""llama.cpp in this process: one engine for each file and its settings, by ``xllamacpp``.

An engine answers several requests side by side, as many as it has slots, in one batch; others wait
for a slot in here, so that what a request waits is known.
"""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import http.client
import importlib
import json
import os
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from stratagym.agents.chat_clients import HTTPAnswer
from stratagym.agents.chat_replies import LOOP
from stratagym.envs.threads import processors

PACKAGE = "xllamacpp"
SILENT = -1
"""llama.cpp's ``verbosity`` at which it writes nothing."""
STOP_LOOPS = "stop_loops"
"""The field of a request that has such an answer stopped."""
PASSAGE, LONGEST_PASSAGE, DIFFERENT = 100, 2000, 8
"""Characters of what is said again, at least and at most, and how many different words it has: the
empty rows of a board are few."""
LOOK = 8
"""Tokens between two looks whether an answer says the same again."""
FAILED = 500
"""The HTTP status of an answer that broke off without one."""
CACHE_MIB = 1024
"""Memory at most for what was computed of conversations whose slot another one took meanwhile, in
MiB. Without it the second try of a game computes the first one's prompt and answer anew."""
SPINS = "5000"
"""How often a thread looks whether the others are done before it sleeps."""
FOLDER = "stratagym-engine-"
"""What the name of an engine's folder begins with."""
SOCKET = "engine.sock"
SMALL = 256 * 2**20
"""Bytes of a model whose layers take some microseconds: threads wait for each other longer than
they compute, and one alone is faster."""
STARTING_S = 60.0
"""A folder that changed since is left alone: its engine may not listen yet."""


class EngineFault(RuntimeError):
    """A model that the engine cannot load; the message is one line."""


@dataclass(frozen=True)
class Settings:
    """What an engine is made of; two policies with equal settings share one.

    Attributes:
        path: of the model. lora: of its adapter, or None.
        context: the most tokens of a prompt and its answer together, in every slot.
        slots: how many requests are answered side by side.
        threads: that compute; None for ``usual_threads``.
        prompt_cache: whether a slot keeps what it computed of a prompt for the next that begins
            with the same words.
    """

    path: Path
    lora: Path | None = None
    context: int = 4096
    slots: int = 4
    threads: int | None = None
    prompt_cache: bool = True


def import_engine() -> Any:
    """The package. Raises ``ModuleNotFoundError`` with what to install."""
    try:
        with _patient_threads():
            return importlib.import_module(PACKAGE)
    except ModuleNotFoundError as error:
        if error.name != PACKAGE:
            raise
        raise ModuleNotFoundError(
            f'models in this process need the {PACKAGE} package: pip install "stratagym[local]"',
            name=PACKAGE,
        ) from None


@contextmanager
def _patient_threads() -> Iterator[None]:
    """Have the threads of OpenMP, which reads this when it is loaded, sleep after a short wait.

    By default they spin for long, which takes most of the time where other processes want the
    processors. If they sleep at once, to wake them takes as long as to compute: a small model's
    layers take some microseconds, and two threads are hardly faster than one.
    """
    given = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": SPINS}
    if any(name in os.environ for name in given):
        yield
        return
    os.environ.update(given)
    try:
        yield
    finally:
        for name in given:
            os.environ.pop(name, None)


def build() -> str:
    """The package and its version, which its sums may differ by."""
    return f"{PACKAGE} {version(PACKAGE)}"


class Engine:
    """A loaded model.

    Raises:
        EngineFault: llama.cpp cannot load the file.
        ModuleNotFoundError: the package is missing.
    """

    def __init__(self, settings: Settings):
        self.settings = settings
        package = import_engine()
        # Its own server listens, whatever it is told: in a folder that only this user can enter.
        _clear_folders()
        self._folder = tempfile.mkdtemp(prefix=FOLDER)
        self._socket = os.path.join(self._folder, SOCKET)
        try:
            with _own_signals():
                self._server = package.Server(_parameters(package, settings, self._socket))
        except RuntimeError:
            shutil.rmtree(self._folder, ignore_errors=True)
            lora = f" with {settings.lora}" if settings.lora else ""
            raise EngineFault(
                f"{settings.path}: {build()} cannot load it{lora}: too little memory for a context "
                f"of {settings.context:,} tokens in {settings.slots} slots, or a kind of model "
                "that it does not know"
            ) from None
        # As many threads as slots: what waits here for one waits for the other.
        self._pool = ThreadPoolExecutor(settings.slots, "gguf")
        self._jobs: set[_Job] = set()

    async def complete(self, body: Mapping[str, Any], timeout_s: float) -> HTTPAnswer:
        """The answer to a chat completion's request, its time counted from when a slot took it.

        An answer that comes too late, or is not waited for any more, is stopped.

        Raises:
            asyncio.TimeoutError: no whole answer in ``timeout_s`` seconds.
        """
        job = _Job(asyncio.get_running_loop())
        self._jobs.add(job)
        future = self._pool.submit(self._run, job, dict(body))
        try:
            await job.begun
            return await asyncio.wait_for(asyncio.shield(job.done), timeout_s)
        finally:
            job.stopped.set()
            future.cancel()

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text, as the model's tokenizer cuts it."""
        return list(self._told("/tokenize", {"content": text})["tokens"])

    def text(self, tokens: Sequence[int]) -> str:
        """The text that tokens stand for."""
        return str(self._told("/detokenize", {"tokens": list(tokens)})["content"])

    def prompt_ids(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        """The tokens of a chat for the model, its chat template included."""
        prompt = self._told("/apply-template", {"messages": list(messages)})["prompt"]
        return self.tokens(prompt)

    def prompt_tokens(self, messages: Sequence[Mapping[str, str]]) -> int:
        """How many these are."""
        return len(self.prompt_ids(messages))

    def _told(self, path: str, body: Mapping[str, Any]) -> Any:
        """What the engine's server says without the model."""
        connection = _Local(self._socket)
        try:
            asked = json.dumps(body).encode()
            connection.request("POST", path, asked, {"Content-Type": "application/json"})
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def close(self) -> None:
        """Stop what is being answered and let the model go."""
        for job in list(self._jobs):
            job.stopped.set()
        self._pool.shutdown(cancel_futures=True)
        del self._server
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, job: _Job, body: dict[str, Any]) -> None:
        """Answer a request, in a thread of the pool."""
        try:
            if not job.stopped.is_set():
                job.begin()
                job.end(self._answer(job, body))
        except Exception as error:  # whatever it is, somebody waits for it
            job.end(_failed(f"{type(error).__name__}: {error}"))
        finally:
            self._jobs.discard(job)

    def _answer(self, job: _Job, body: dict[str, Any]) -> HTTPAnswer:
        began, pieces = time.perf_counter(), _Pieces(bool(body.pop(STOP_LOOPS, False)))

        def take(piece: dict[str, Any]) -> bool:
            pieces.take(piece)
            return job.stopped.is_set() or pieces.is_loop

        body = {"stream": True, "cache_prompt": self.settings.prompt_cache, **body}
        body.pop("model", None)
        if body["stream"]:
            # Progress is reported for each batch of a prompt; only at a report can it be stopped.
            body |= {"stream_options": {"include_usage": True}, "return_progress": True}
            # Of an answer that is stopped for a loop no other word of its tokens comes.
            body["timings_per_token"] = True
        self._server.handle_chat_completions(body, take)
        return pieces.answer(time.perf_counter() - began)


class _Job:
    """A request on its way through a thread, and what waits for it in an event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop):
        self._loop = loop
        self.begun: asyncio.Future[None] = loop.create_future()
        self.done: asyncio.Future[HTTPAnswer] = loop.create_future()
        self.stopped = threading.Event()

    def begin(self) -> None:
        self._set(self.begun, None)

    def end(self, answer: HTTPAnswer) -> None:
        self._set(self.begun, None)
        self._set(self.done, answer)

    def _set(self, future: asyncio.Future[Any], value: Any) -> None:
        def put() -> None:
            if not future.done():
                future.set_result(value)

        with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
            self._loop.call_soon_threadsafe(put)


class _Pieces:
    """A streamed chat completion, put together again as one that is not streamed.

    Attributes:
        is_loop: whether it says the same again, if that is looked for.
    """

    def __init__(self, stops_loops: bool = False) -> None:
        self._stops_loops, self.is_loop = stops_loops, False
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._chances: list[Any] = []
        self._finish: str | None = None
        self._usage: Any = None
        self._progress: Any = {}
        self._timings: Any = {}
        self._error: Any = None

    def take(self, piece: dict[str, Any]) -> None:
        if "error" in piece or "choices" not in piece:
            self._error = piece.get("error", piece)
            return
        self._usage = piece.get("usage") or self._usage
        self._progress = piece.get("prompt_progress") or self._progress
        self._timings = piece.get("timings") or self._timings
        for choice in piece["choices"]:
            delta = choice.get("delta") or choice.get("message") or {}
            self._text.append(delta.get("content") or "")
            self._reasoning.append(delta.get("reasoning_content") or "")
            self._finish = choice.get("finish_reason") or self._finish
            self._chances += (choice.get("logprobs") or {}).get("content") or []
        if self._stops_loops and len(self._text) % LOOK == 0 and self._finish is None:
            self.is_loop = says_again("".join(self._text[-LONGEST_PASSAGE * 2 :]))
            if self.is_loop:
                self._finish, self._usage = LOOP, self._counted()

    def _counted(self) -> dict[str, Any]:
        """The tokens so far, as the engine counts them at the end."""
        cached = self._progress.get("cache")
        return {
            "prompt_tokens": self._progress.get("total"),
            "completion_tokens": self._timings.get("predicted_n"),
            "prompt_tokens_details": {"cached_tokens": cached},
        }

    def answer(self, latency_s: float) -> HTTPAnswer:
        if self._error is not None:
            status = self._error.get("code") if isinstance(self._error, dict) else None
            body = json.dumps({"error": self._error}).encode()
            return HTTPAnswer(status if type(status) is int else FAILED, {}, body, latency_s)
        if self._finish is None:
            return _failed("the answer was stopped")
        choice: dict[str, Any] = {
            "message": {
                "role": "assistant",
                "content": "".join(self._text),
                "reasoning_content": "".join(self._reasoning),
            },
            "finish_reason": self._finish,
        }
        if self._chances:
            choice["logprobs"] = {"content": self._chances}
        whole = {"choices": [choice], "usage": self._usage}
        return HTTPAnswer(200, {}, json.dumps(whole).encode(), latency_s)


def says_again(text: str) -> bool:
    """Whether a text ends in a passage that stands there twice in a row.

    It has from ``PASSAGE`` to ``LONGEST_PASSAGE`` characters and ``DIFFERENT`` words or more.
    """
    for length in range(PASSAGE, min(LONGEST_PASSAGE, len(text) // 2) + 1):
        passage = text[-length:]
        if text[-1 - length] == text[-1] and text[-2 * length : -length] == passage:
            return len(set(passage.split())) >= DIFFERENT
    return False


def _failed(message: str) -> HTTPAnswer:
    return HTTPAnswer(FAILED, {}, json.dumps({"error": {"message": message}}).encode())


class _Local(http.client.HTTPConnection):
    """HTTP through a socket in a folder."""

    def __init__(self, path: str):
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)


def _clear_folders() -> None:
    """Remove the folders of engines whose processes were killed: nobody answers at their sockets.

    What processes exist is not asked: those of other containers may share the folder.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime < STARTING_S:
                continue
            with socket.socket(socket.AF_UNIX) as probe:
                probe.settimeout(1.0)
                try:
                    probe.connect(str(folder / SOCKET))
                except (ConnectionRefusedError, FileNotFoundError):
                    shutil.rmtree(folder, ignore_errors=True)


def usual_threads(path: Path) -> int:
    """How many threads compute a model where nothing is asked for."""
    return 1 if path.stat().st_size < SMALL else processors()


def _parameters(package: Any, settings: Settings, address: str) -> Any:
    made = package.CommonParams()
    made.model.path = str(settings.path)
    # llama.cpp shares the context out among its slots.
    made.n_ctx, made.n_parallel, made.kv_unified = (
        settings.context * settings.slots, settings.slots, False,
    )  # fmt: skip
    threads = settings.threads or usual_threads(settings.path)
    made.cpuparams.n_threads = made.cpuparams_batch.n_threads = threads
    made.verbosity, made.warmup, made.fit_params = SILENT, False, False
    made.ctx_shift, made.cache_ram_mib = False, CACHE_MIB if settings.prompt_cache else 0
    made.hostnames, made.n_threads_http, made.ui = [address], 1, False
    if settings.lora is not None:
        made.lora_adapters = [package.CommonAdapterLoraInfo(str(settings.lora), 1.0)]
    return made


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep what an interrupt does in this process: llama.cpp's server would end itself by it."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    system = ctypes.CDLL(None)
    # Python's ``signal`` neither sees handlers of others nor works in threads.
    kept = [ctypes.create_string_buffer(1024) for _ in numbers]
    for number, action in zip(numbers, kept, strict=True):
        system.sigaction(int(number), None, action)
    try:
        yield
    finally:
        for number, action in zip(numbers, kept, strict=True):
            system.sigaction(int(number), action, None)


# --- the engines of this process -----------------------------------------------------------------

_ENGINES: dict[Settings, Engine] = {}
_LOADING = threading.Lock()


def engine(settings: Settings) -> Engine:
    """The engine of these settings in this process, loaded when it is first asked for.

    Raises:
        EngineFault, ModuleNotFoundError: as ``Engine``.
    """
    with _LOADING:
        if settings not in _ENGINES:
            _ENGINES[settings] = Engine(settings)
        return _ENGINES[settings]


@atexit.register
def close_engines() -> None:
    """Close all engines of this process."""
    with _LOADING:
        while _ENGINES:
            _ENGINES.popitem()[1].close()


def _leave_to_the_parent() -> None:
    """Forget the engines that a forked process sees: their threads are its parent's."""
    global _LOADING
    _LOADING = threading.Lock()
    for one in _ENGINES.values():
        # Closing one would wait for ever for a thread that is not there.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(one._server))
    _ENGINES.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_the_parent)
