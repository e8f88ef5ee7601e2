"""Programs that wrappers start: a port of this machine, and an end for them and for no other."""

from __future__ import annotations

import socket
import subprocess

HOST = "127.0.0.1"
PATIENCE_SECONDS = 10


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def port_for(wanted: int | None) -> int:
    """The wanted port, or for None a free one.

    Raises:
        OSError: it is taken; in one line that says so.
    """
    if wanted is None:
        return free_port()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, wanted))
        except OSError:
            told = f"port {wanted} is taken; give another one, or none for a free one"
            raise OSError(told) from None
    return wanted


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process of ours to end, and make it where it does not within ten seconds."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
