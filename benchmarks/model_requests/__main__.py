"""How many model requests per CPU-second the harness can drive, by HTTP client.

    python -m benchmarks.model_requests
    python -m benchmarks.model_requests --clients aiohttp --concurrency 256 --requests 20000

Needs its clients, pip install 'stratagym[openai]'; --clients selects some of them.

A server in a separate process on this machine always sends the same reply. The measurement is the
CPU time that this process takes to make prompts, send them, read and judge the replies, and write
the records.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from cyclopts import Parameter

from stratagym.agents.chat_clients import CLIENTS, import_client
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.measuring import machine
from stratagym.benchmarks.harness.options import MOST_AT_ONCE
from stratagym.benchmarks.harness.progress import progress_bar
from stratagym.benchmarks.model_requests import requests
from stratagym.benchmarks.model_requests.loopback import loopback

NAME = "model_requests"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    clients: str = f"{requests.NO_CLIENT},{','.join(CLIENTS)}"
    """Clients, separated by commas: aiohttp, openai, or none (replies come from memory)."""
    concurrency: str = "8,256"
    """Requests in flight at once, separated by commas."""
    requests: int = 4000
    """Requests per repeat."""
    repeats: int = 5
    """Repeats of each measurement, taken in turns; the median is reported."""
    delay: float = 0.02
    """Seconds that the server takes for a reply."""
    json: bool = False
    """Print the result as JSON instead of a table."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Measure how much of the processor a recorded request takes."""
    entries = [
        requests.Entry(client, at_once)
        for client in _clients(args.clients)
        for at_once in _concurrencies(args.concurrency)
    ]
    if args.requests < 1 or args.repeats < 1:
        raise cli.InputError("--requests and --repeats: at least 1 is needed")
    if not 0 <= args.delay <= 10:
        raise cli.InputError(f"--delay {args.delay:g}: seconds from 0 to 10 are needed")
    asked = requests.questions(args.requests)
    with loopback(requests.REPLY, args.delay) as url, progress_bar() as bar:
        task = bar.add_task("requests", total=args.repeats * len(entries))
        for _ in range(args.repeats):
            for entry in entries:
                requests.measure(entry, url, asked)
                bar.advance(task)
    result = {
        "machine": machine(),
        "requests": args.requests,
        "repeats": args.repeats,
        "delay_s": args.delay,
        "entries": [entry.record() for entry in entries],
    }
    if args.json:
        print(json.dumps(result))
    else:
        requests.screen(result)


def _clients(text: str) -> list[str]:
    known = [requests.NO_CLIENT, *CLIENTS]
    names = list(dict.fromkeys(cli.words(text)))
    for name in names:
        if name not in known:
            raise cli.InputError(f"--clients: unknown {name!r}; choose from: {', '.join(known)}")
        if name != requests.NO_CLIENT:
            try:
                import_client(name)
            except ModuleNotFoundError as error:
                raise cli.InputError(f"--clients: {error}") from None
    if not names:
        raise cli.InputError(f"--clients: name at least one of: {', '.join(known)}")
    return names


def _concurrencies(text: str) -> list[int]:
    words = cli.words(text)
    numbers = [int(word) if word.isdecimal() and len(word) < 9 else 0 for word in words]
    if not numbers or not all(1 <= number <= MOST_AT_ONCE for number in numbers):
        raise cli.InputError(f"--concurrency {text}: numbers from 1 to {MOST_AT_ONCE} are needed")
    return list(dict.fromkeys(numbers))


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
