"""Engines as policies, over their own protocols and as processes of their own.

``uci:stockfish?nodes=1000`` is a chess engine that speaks UCI (Universal Chess Interface,
Meyer-Kahlen and Huber 2000), ``uci:fairy-stockfish?nodes=1000`` one that plays breakthrough and, in
versions from 14 on, ataxx too. It is graded by nodes on one thread, which is reproducible. An
engine sees the position only: it does not know which positions came before.
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Any

import numpy as np

from stratagym.agents.core import Decision, Policy, PolicyFault, PolicyString
from stratagym.envs import core

GAMES_DIRECTORY = "/usr/games"
"""Where Debian installs engines; it is often not on PATH."""

PACKAGES = {"gtp-rhino": "grhino"}
"""Debian's packages of engines, where they have other names."""

MATE = 30_000
"""Centipawns that stand for a forced mate; a mate in n moves counts n less."""

TIMEOUT_S = 60.0
"""Seconds that an engine may take for an answer, by default."""
LINE_LIMIT, ANSWER_LIMIT = 64 * 1024, 16 * 1024 * 1024
"""The longest line and the longest answer of an engine, in bytes."""
BYTES_A_NODE = 64
"""Of hash table for a position searched, so that moves are those with a table of ``HASH_MB``: in
Stockfish 15.1 they were with this, at 1 to 50,000 nodes, and no longer with 16."""
HASH_MB = 16
"""The largest hash table. A new game clears it, which takes its time: 1.5 ms for all 16 MB."""


def find_engine(name: str) -> str:
    """The path of an engine's program. Raises ``ValueError`` that names the Debian package."""
    path = shutil.which(name) or shutil.which(name, path=GAMES_DIRECTORY)
    if path is None:
        package = PACKAGES.get(name, os.path.basename(name))
        raise ValueError(f"engine {name!r} is not installed; on Debian: apt-get install {package}")
    return path


class _Lines:
    """The lines of a process's output, each with a limit of time and length.

    A thread reads them, because a pipe cannot be waited for everywhere.
    """

    def __init__(self, stream: IO[bytes]):
        self._stream = stream
        self._lines: queue.Queue[bytes] = queue.Queue(1000)
        self._gone = threading.Event()
        threading.Thread(target=self._read, name="engine", daemon=True).start()

    def _read(self) -> None:
        with suppress(OSError, ValueError):  # closed meanwhile
            while not self._gone.is_set():
                line = self._stream.readline(LINE_LIMIT)
                if not line:
                    break
                self._put(line)
        self._put(b"")
        self._stream.close()

    def _put(self, line: bytes) -> None:
        while not self._gone.is_set():
            with suppress(queue.Full):
                self._lines.put(line, timeout=1)
                return

    def next(self, seconds: float) -> bytes:
        """The next line, longer ones in parts; empty when there are no more.

        Raises:
            queue.Empty: none came in time.
        """
        return self._lines.get(timeout=seconds)

    def stop(self) -> None:
        """Let the thread end, once the process has."""
        self._gone.set()


class Engine(Policy):
    """A program that is asked over its input and output.

    One that dies, does not answer in time, answers what is not its protocol or plays an illegal
    move raises ``PolicyFault``; its process is ended, and the next question starts another.

    Args:
        command: the program's path and arguments. timeout_s: seconds that it may take for an
            answer.
    """

    _farewell = "quit"
    """What ends the process."""

    def __init__(self, command: list[str], timeout_s: float):
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: _Lines
        self._identity = ""
        self._command, self.timeout_s = command, timeout_s

    def _greet(self) -> None:
        """What is said to a process just started."""
        raise NotImplementedError

    def identity(self) -> str:
        """What the engine calls itself, its version included; empty if it does not say."""
        self._start()
        return self._identity

    @property
    def _timeout_word(self) -> str:
        """What the name says of the time limit: nothing of the usual one."""
        return "" if self.timeout_s == TIMEOUT_S else f"&timeout_s={self.timeout_s:g}"

    def _fault(self, what: str) -> PolicyFault:
        """What to raise; the engine is ended, for it could still answer this question later."""
        self._end()
        return PolicyFault(f"{self.name}: the engine {what}")

    def _send(self, line: str) -> None:
        process = self._process
        assert process is not None and process.stdin is not None
        try:
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise self._fault(f"has ended{self._exit_status()}") from None

    def _exit_status(self) -> str:
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            return f" with exit status {self._process.wait(timeout=1)}"
        return ""

    def _until(self, word: str) -> list[str]:
        """Lines up to and with the first whose first word is ``word``; none for an empty line."""
        said = repr(word) if word else "an empty line"
        return self._read(lambda line: line.split(None, 1)[:1] == word.split(), said)

    def _read(self, is_last: Callable[[str], bool], said: str) -> list[str]:
        """Lines up to and with the first that is the last one; ``said`` is what was waited for."""
        lines: list[str] = []
        length, deadline = 0, time.monotonic() + self.timeout_s
        while not lines or not is_last(lines[-1]):
            left = deadline - time.monotonic()
            try:
                if left <= 0:
                    raise queue.Empty
                line = self._lines.next(left)
            except queue.Empty:
                raise self._fault(f"did not say {said} within {self.timeout_s:g} s") from None
            length += len(line)
            if not line:
                raise self._fault(f"ended before it said {said}{self._exit_status()}")
            if len(line) == LINE_LIMIT and not line.endswith(b"\n"):
                raise self._fault(f"wrote a line of more than {LINE_LIMIT} bytes")
            if length > ANSWER_LIMIT:
                raise self._fault(f"wrote {ANSWER_LIMIT} bytes without saying {said}")
            lines.append(line.decode("utf-8", "replace").strip())
        return lines

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._end()
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # so that it ends with all that it has started
            )
        except OSError as error:  # such as a file that is no program
            raise PolicyFault(f"{self.name}: cannot be started ({error.strerror})") from None
        assert self._process.stdout is not None
        self._lines = _Lines(self._process.stdout)
        self._greet()

    def close(self) -> None:
        """End the engine's process."""
        if self._process is not None and self._process.poll() is None:
            with suppress(PolicyFault, subprocess.TimeoutExpired):
                self._send(self._farewell)
                if self._process is not None:
                    self._process.wait(timeout=5)
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        self._lines.stop()
        with suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()

    def __del__(self) -> None:
        if getattr(self, "_process", None) is not None:
            self._end()


class UCIEngine(Engine):
    """An engine that speaks UCI, of chess or, as Fairy-Stockfish, of other games.

    A game that such engines play has a module ``notation``: ``fen(s)`` and ``parse_uci(s, text)``,
    and where it is not chess ``VARIANT``, what they call it, and ``why_not(rules)``.

    Args:
        engine: a program's name or path. nodes: positions searched a move.
        skill: the engine's "Skill Level", or None for full strength.
        timeout_s: seconds that it may take for an answer.
        variant: the option ``UCI_Variant``, unless it is chess. An engine that does not know it
            plays chess and says nothing, so it has to show every position that it was given.

    Raises:
        ValueError: the engine is not installed.
        PolicyFault: from ``act``, ``scores`` and ``identity``.
    """

    def __init__(
        self,
        engine: str = "stockfish",
        nodes: int = 10_000,
        skill: int | None = None,
        timeout_s: float = TIMEOUT_S,
        variant: str = "",
    ):
        self.path = find_engine(engine)
        super().__init__([self.path], timeout_s)
        self.variant = variant
        self._hash_mb = 0
        self.nodes, self.skill = nodes, skill
        self.name = f"uci:{engine}?nodes={nodes}"
        if skill is not None:
            self.name += f"&skill={skill}"
        self.name += self._timeout_word

    def _greet(self) -> None:
        self._hash_mb = 0
        self._send("uci")
        for line in self._until("uciok"):
            if line.startswith("id name "):
                self._identity = line.removeprefix("id name ")[:100]
        self._send("setoption name Threads value 1")
        if self.skill is not None:
            self._send(f"setoption name Skill Level value {self.skill}")
        if self.variant:
            self._send(f"setoption name UCI_Variant value {self.variant}")

    def _show(self, fen: str) -> None:
        """Have the engine show the position that it was given; a fault if it is another."""
        self._send("d")
        self._send("isready")
        shown = [line.split()[1:3] for line in self._until("readyok") if line.startswith("Fen:")]
        if shown != [fen.split()[:2]]:
            raise self._fault(f"does not show the position: it may not know {self.variant}")

    def _search(self, decision: Decision, lines: int) -> list[str]:
        """What the engine says about the position, with the ``lines`` best moves."""
        notation = decision.spec.module("notation")
        if self.variant and (why := notation.why_not(decision.rules)):
            raise self._fault(f"cannot play: {why}")
        self._start()
        nodes = self.nodes * lines
        hash_mb = 1
        while hash_mb < HASH_MB and hash_mb << 20 < BYTES_A_NODE * nodes:
            hash_mb *= 2
        if hash_mb != self._hash_mb:
            self._send(f"setoption name Hash value {hash_mb}")
            self._hash_mb = hash_mb
        self._send(f"setoption name MultiPV value {lines}")
        # An empty hash makes a search depend on its position alone.
        self._send("ucinewgame")
        self._send("isready")
        self._until("readyok")
        fen = notation.fen(decision.states[0])
        self._send(f"position fen {fen}")
        if self.variant:
            self._show(fen)
        self._send(f"go nodes {nodes}")
        return self._until("bestmove")

    def _action(self, decision: Decision, words: list[str]) -> int:
        """The action that the first of ``words`` names."""
        move = words[0] if words else ""
        with suppress(ValueError):
            action = int(decision.spec.module("notation").parse_uci(decision.states[0], move))
            if action in decision.legal:
                return action
        raise self._fault(f"plays {move[:20]!r}, which is no legal move")

    def act(self, decision: Decision) -> int:
        return self._action(decision, self._search(decision, 1)[-1].split()[1:])

    def scores(self, decision: Decision) -> tuple[np.ndarray, np.ndarray]:
        """(legal actions, centipawns for the side to move) of all legal moves, in one search.

        ``nodes`` are spent for every move on average.
        """
        found: dict[int, float] = {}
        for line in self._search(decision, len(decision.legal)):
            words = line.split()
            if "multipv" not in words or "pv" not in words:
                continue
            try:
                kind, value = words[words.index("score") + 1 :][:2]
                score = float(int(value))
            except ValueError:
                raise self._fault(f"gives a move no score: {line[:80]!r}") from None
            if kind == "mate":
                score = MATE - score if score > 0 else -MATE - score
            found[self._action(decision, words[words.index("pv") + 1 :])] = score
        actions = np.array(sorted(found), np.int64)
        return actions, np.array([found[action] for action in actions.tolist()])


def timeout_of(options: Mapping[str, str]) -> float:
    """The option ``timeout_s`` of a policy. Raises ``ValueError`` if it is no time."""
    seconds = float(options.get("timeout_s", TIMEOUT_S))
    if not 0 < seconds < 1e6:
        raise ValueError
    return seconds


def uci_policy(spec: core.GameSpec, text: PolicyString) -> UCIEngine:
    """``uci:ENGINE?nodes=N&skill=K&timeout_s=SECONDS``.

    Raises:
        ValueError: not a game that such engines play, a bad option, or an engine that is not
            installed, in one line.
    """
    notation = spec.optional_module("notation")
    if not hasattr(notation, "parse_uci"):
        raise ValueError(
            f"policy uci: UCI engines play chess, breakthrough and ataxx, not {spec.name}"
        )
    options: dict[str, Any] = dict(text.options)
    if set(options) - {"nodes", "skill", "timeout_s"}:
        raise ValueError("policy uci: unknown option; the options are: nodes, skill, timeout_s")
    try:
        nodes = int(options.get("nodes", 10_000))
        skill = int(options["skill"]) if "skill" in options else None
        timeout_s = timeout_of(options)
        if not 1 <= nodes < 1 << 40 or (skill is not None and not 0 <= skill <= 20):
            raise ValueError
    except ValueError:
        raise ValueError(
            "policy uci: nodes at least 1, skill 0 to 20 and seconds of timeout_s are needed"
        ) from None
    variant = getattr(notation, "VARIANT", "")
    engine = text.argument or ("fairy-stockfish" if variant else "stockfish")
    return UCIEngine(engine, nodes, skill, timeout_s, variant)
