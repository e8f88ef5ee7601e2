"""Teams of Hanabi: who sits together, and the games they play."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.pairings import Contest


@dataclass(frozen=True)
class Team:
    """One seat of ``one`` among ``rest``; of one policy where they are the same.

    ``score`` is the scoring rule in force: ``spin`` also deals five cards to four players.
    """

    players: int
    one: str
    rest: str
    score: str

    @property
    def name(self) -> str:
        return f"{self.players}p-{self.score}/{self.one}/{self.rest}"

    @property
    def is_of_one(self) -> bool:
        """Whether all seats are the same policy's."""
        return self.one == self.rest

    def matches(self, contest: Contest, mixed_games: int) -> list[Match]:
        """All games of the team, deal by deal; a mixed team plays as many as ``mixed_games``."""
        options = {"players": self.players, "score": self.score}
        games = contest.games if self.is_of_one else mixed_games
        own = replace(contest, options=options, games=games)
        return own.copies(self.name, self.players, (self.one, self.rest))


def all_teams(
    players: list[int], policies: list[str], teammates: list[str], score: str
) -> list[Team]:
    """The teams to play, each once.

    SPIN-Bench dealt five cards to four players: unless its rules are in force anyway, teams of one
    policy play four-player games under both.
    """
    everyone = list(dict.fromkeys([*policies, *teammates]))
    teams = {Team(n, name, name, score): None for n in players for name in everyone}
    if 4 in players:
        teams |= {Team(4, name, name, "spin"): None for name in policies}
    for n in players:
        for name in policies:
            for mate in teammates:
                # With two players either of them is the other's teammate.
                if name != mate and not (n == 2 and Team(n, mate, name, score) in teams):
                    teams[Team(n, name, mate, score)] = None
    return list(teams)
