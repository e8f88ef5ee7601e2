"""What language models are asked about a run's games, and what the summary is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stratagym.benchmarks.diplomacy import facts
from stratagym.benchmarks.diplomacy.settings import Setting
from stratagym.benchmarks.diplomacy.summary import Found, add_up
from stratagym.benchmarks.harness.diplomacy_judges import Talk
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.whole_games import Played
from stratagym.envs.text import TextOptions


@dataclass
class Asking:
    """Questions behind the games of a run.

    Attributes:
        policies: by name, those that the run is about. models: those asked for facts. talk: what
            was said, and its judges. number: positions that are asked about.
    """

    run: Run
    setting: Setting
    policies: Sequence[str]
    models: Sequence[str]
    talk: Talk
    number: int

    def ask(self, games: Played) -> None:
        """Ask everything that has not been answered."""
        again, name = self.talk.again, self.talk.benchmark
        asked = facts.questions(self._positions(games), self.models, TextOptions(), again, name)
        for judge, about in self.talk.questions(games).items():
            asked[judge] = asked.get(judge, []) + about
        self.run.ask(asked)

    def counted(self, games: Played) -> dict[str, Any]:
        """The benchmark's parts of the summary."""
        decisions = [*map(dict, self.run.decisions())]
        talk, asked = self.talk, self._positions(games)
        setting, policies, messages = self.setting, self.policies, talk.messages()
        labels = talk.labels(games)
        return add_up(
            Found(games, setting, policies, decisions, messages, talk.again, asked, labels)
        )

    def _positions(self, games: Played) -> list[facts.Asked]:
        if not self.models:
            return []
        seed, again = self.talk.seed, self.talk.again
        return facts.positions(games, self.setting, self.policies, self.number, seed, again)
