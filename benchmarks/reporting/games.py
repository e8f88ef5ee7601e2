"""Links from the rows of a report's tables to the games behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode


@dataclass(frozen=True)
class Games:
    """Which of a run's games a row of a table is of.

    Attributes:
        policies: those that all have seats in them. matches: what their names begin with.
    """

    policies: tuple[str, ...] = ()
    matches: str = ""


@dataclass(frozen=True)
class GameLinks:
    """Where the games of a report's rows are shown.

    Attributes:
        address: of the page with the run's games. played: names of matches by policy.
    """

    address: str
    played: Mapping[str, frozenset[str]]

    def to(self, games: Games) -> str:
        """The address of the page that shows these games alone; empty if there are none."""
        names = [name for name in games.policies if name in self.played]
        matches = frozenset.intersection(*(self.played[name] for name in names or self.played))
        if not names and games.matches:
            matches = frozenset().union(*self.played.values())
        if not any(match.startswith(games.matches) for match in matches):
            return ""
        said = [("policy", name) for name in dict.fromkeys(names)]
        said += [("match", games.matches)] if games.matches else []
        return f"{self.address}#{urlencode(said, quote_via=quote)}" if said else ""
