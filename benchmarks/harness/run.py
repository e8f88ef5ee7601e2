"""A run of a benchmark of whole games, from its folder to its last table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console

from stratagym.agents import loops
from stratagym.agents.core import Policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import locks, records, stand_ins
from stratagym.benchmarks.harness.begun import BEGUN, begun
from stratagym.benchmarks.harness.decisions import Question, ask_all, read_answered
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.options import ExecutorArgs, MatchArgs, ModelArgs, RunArgs
from stratagym.benchmarks.harness.own_play import OwnPlay
from stratagym.benchmarks.harness.policies import begun_players, usage
from stratagym.benchmarks.harness.progress import lines, progress_bar, stage
from stratagym.benchmarks.harness.records import DecisionRecord, GameRecord, JsonlWriter
from stratagym.benchmarks.harness.schedules import Schedule, play_out
from stratagym.benchmarks.harness.watching import check_answered
from stratagym.benchmarks.harness.workers import MatchRunner
from stratagym.benchmarks.reporting.terminal import output_console

T = TypeVar("T")
Summary = Mapping[str, Any]


class Run:
    """One run: its folder, its matches, its summary and its report.

    From here to ``finish``, or to the end of the command line, no other process writes there.

    A run that is resumed has its recorded matches played already; what follows from the records is
    made anew each time.

    Attributes:
        folder: of the run. config: all that decides its results, as ``config.json`` has it.

    Args:
        benchmark: the script's name. args: its options.
        policies: those that no policy string makes as they are wanted, as ``MatchRunner`` has it.
        replays: how often a match that a transport failure breaks off is gone on with.
        called: the words of the command line before its options, by default the script's name.

    Raises:
        InputError: options that make no sense, or a folder that cannot be used.
    """

    def __init__(
        self,
        benchmark: str,
        args: RunArgs,
        config: dict[str, Any],
        policies: Iterable[Policy] = (),
        *,
        replays: int = 2,
        called: str = "",
    ):
        self._json = args.json
        self._options: dict[str, Any] = {"replays": replays}
        if isinstance(args, ExecutorArgs):
            self._options |= args.executor_options()
        if isinstance(args, ModelArgs):
            self._options["concurrency"] = args.concurrency
        self.policies = {policy.name: policy for policy in policies}
        config[BEGUN] = begun(called or benchmark, args)
        self.config = config
        if isinstance(args, MatchArgs):
            config |= stand_ins.version_of(args.forfeit)
        if args.resume:
            old = records.begun_config(benchmark, args.output)
            self._options["players"] = begun_players(config, old)
            if isinstance(args, MatchArgs):
                self._options["forfeit"] = stand_ins.begun_forfeit(args.forfeit, config, old)
        self.folder = records.open_run(benchmark, args.output, config, args.resume)

    def play(
        self,
        schedule: Schedule[T],
        line: Callable[[Match], str] = lambda match: match.place.pairing,
    ) -> T:
        """Play a schedule to its end; returns what it returns.

        Args:
            line: the line of the progress bar that a match counts in.
        """
        runner = MatchRunner(self.folder, policies=self.policies, **self._options)
        with runner, lines() as progress:

            def play(matches: list[Match]) -> dict[str, GameRecord]:
                names = {match.name: line(match) for match in matches}
                progress.add(names.values())
                return runner.play(matches, lambda game: progress.advance(names[game["match"]]))

            return play_out(schedule, play)

    def ask(self, questions: Mapping[str, Sequence[Question]]) -> None:
        """Ask language models what is no move; what has been answered is not asked again.

        Args:
            questions: inquiries by the names of policies.

        Raises:
            InputError: a recorded answer is read as something else now.
            Unavailable: a model cannot be asked.
        """
        answered = read_answered(self.folder)
        writer = JsonlWriter(self.folder / "decisions.jsonl")
        try:
            with progress_bar() as bar:
                for name, asked in questions.items():
                    model = self.policies[name]
                    assert isinstance(model, LanguageModel)
                    done = partial(bar.advance, bar.add_task(f"{name}, asked", total=len(asked)))
                    concurrency = self._options["concurrency"]
                    loops.run(
                        ask_all(
                            model, asked, writer, concurrency=concurrency, done=done,
                            answered=answered,
                        )
                    )  # fmt: skip
        finally:
            writer.close()

    def games(self) -> Iterator[GameRecord]:
        """All records of games on disk, including games that were broken off and continued."""
        return records.read_games(self.folder)

    def decisions(self) -> Iterator[DecisionRecord]:
        """All records of answers on disk."""
        return records.read_decisions(self.folder)

    def own_play(self) -> OwnPlay:
        """Which of the policies' decisions were their own, in all games on disk."""
        return OwnPlay(self.decisions(), self.games())

    def usage(self) -> dict[str, Any]:
        """``models`` of a summary: the answers of the run's language models."""
        return usage(self.decisions(), self.policies.values())

    def finish(
        self,
        summary: Summary,
        write: Callable[[Path, Summary], None],
        screen: Callable[[Console, Summary], None],
    ) -> None:
        """Write ``summary.json`` and the report, and print the tables or the summary.

        Args:
            write: writes the report into a folder. screen: prints the final tables.

        Raises:
            Unavailable: language models were asked, and no request came to an answer.
        """
        records.write_json(self.folder / "summary.json", summary)
        with stage("writing the report"):
            write(self.folder, summary)
        locks.release(self.folder)
        if self._json:
            print(json.dumps(summary))
        else:
            console = output_console()
            screen(console, summary)
            console.print(f"Report: {self.folder / 'report.html'}", soft_wrap=True)
        check_answered(self.usage())
