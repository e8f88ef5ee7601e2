"""The eight games of BotzoneBench: their names there, and the paper's protocol for each.

Source: BotzoneBench (Li et al.), sections 3 and 4, tables A1 to A6 and appendix C; the judges'
rules as its recorded games have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from stratagym.agents.ladders import Ladder
from stratagym.benchmarks.harness.climb import Plan
from stratagym.benchmarks.harness.match_play import FORFEIT, AnswerProtocol
from stratagym.envs import spec, text
from stratagym.envs.reading import FIRST


@dataclass(frozen=True)
class Entry:
    """A game of the benchmark.

    Attributes:
        game: its name here. theirs: its name on Botzone and in the paper's data set.
        title: as the paper's table 2 has it.
        level_games: the paper's games at level 0 and at every level above, over all opponents.
        rules: options of the game that make it what Botzone's judge plays.
        words: options of its prompts that make them hold what the paper's hold.
        invalid: what the paper's code does after the third bad answer.
        ask_forced: whether an only legal move is asked for.
        play: measures of how a policy played that the paper prints a table of.
        play_title: what that table is.
    """

    game: str
    theirs: str
    title: str
    level_games: tuple[int, int]
    rules: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)
    invalid: str = FORFEIT
    ask_forced: bool = True
    play: tuple[str, ...] = ()
    play_title: str = ""

    def published_ladder(self, ladder: Ladder) -> Ladder:
        """The ladder under the judge's rules; the ladder itself if these are its own."""
        changed = ladder.under(**self.rules)
        same = changed.facts()["rules"] == ladder.facts()["rules"]
        return ladder if same else changed

    def published_protocol(self, begun: Mapping[str, Any] | None = None) -> AnswerProtocol:
        """Three answers per move and no time limit here: a request that takes too long has failed.

        Args:
            begun: the game's protocol in the configuration of the run that is gone on with. Earlier
                versions asked for forced moves in all games.
        """
        words = text.TextOptions(lenient=True, rules="full", answer="evaluation", reader=FIRST)
        protocol = AnswerProtocol(
            replace(words, **self.words),
            TRIES,
            self.invalid,
            None,
            ask_forced=self.ask_forced if begun is None else begun.get("ask_forced", True),
        )
        protocol.check(spec(self.game))
        return protocol

    def published_plan(self, plan: Plan) -> Plan:
        """A plan with the paper's numbers of games, no early stop, failed games left out."""
        return replace(
            plan,
            games=max(self.level_games),
            early_stop=False,
            level_games=self.level_games,
            discards=True,
        )


TRIES = 3
REPLAYS = 1
"""How often the paper repeats a game that failed."""
BOARD, CARDS, TEAMS = (16, 32), (16, 64), (32, 64)
LISTED = {"list_legal": True}
GAMES = (
    Entry("tictactoe", "TicTacToe", "Tic-Tac-Toe", BOARD, words=LISTED),
    Entry(
        "gomoku", "Gomoku", "Gomoku", BOARD,
        rules={"numbering": "top"}, words={"list_legal": False, "hints": True},
    ),
    Entry(
        "ataxx", "Ataxx", "Ataxx", BOARD,
        rules={"judge": "botzone", "numbering": "top"}, words=LISTED,
    ),
    # Botzone's judge lets a player pass who could move, which its players never do: with that rule
    # random play would pass, and Lv0 be another one.
    Entry("reversi", "Reversi", "Reversi", BOARD, words=LISTED),
    Entry("chess", "Chess", "Chess", BOARD, rules={"judge": "botzone"}, words=LISTED),
    Entry(
        "texas_holdem", "TexasHoldem2p", "Texas hold'em", CARDS,
        rules={"judge": "botzone", "hands": 20}, words={**LISTED, "history": 20}, invalid="fold",
        play=("fold", "check", "call", "raise", "all_in", "calls_made", "all_ins_made"),
        play_title="Shares of all decisions in hold'em by what was chosen (the paper's table 3); "
        "calls and all-ins made: an all-in that comes to a call is a call",
    ),
    Entry(
        "dou_dizhu", "FightTheLandlord", "Landlord", TEAMS,
        rules={"judge": "botzone"}, words={**LISTED, "history": 30}, invalid="pass",
        ask_forced=False,
        play=("pass_rate", "pass_rate_chance", "of_choices", "of_choices_chance"),
        play_title="Deliberate passes in Fight the Landlord: pass rate, of decisions with several "
        "legal moves (the paper's table 5); of choices, of those between a pass and a play",
    ),
    Entry(
        "mcr_mahjong", "ChineseStandardMahjong", "Mahjong", TEAMS,
        words={**LISTED, "history": 60}, invalid="pass",
        play=("won", "self_drawn", "dealt_in", "drawn", "mean_fan"),
        play_title="Mahjong: shares of hands won, by an own draw, dealt into, drawn; fans of a win",
    ),
)  # fmt: skip
"""The games, in the order of the paper's table 2."""
BY_GAME = {entry.game: entry for entry in GAMES}


def first_side(game: str, options: Mapping[str, Any]) -> int:
    """The number of the side that makes the first decision of a game."""
    from stratagym.envs.state import State

    about = spec(game)
    rules = about.make_rules(**options)
    first = State(about, rules).current_player()
    sides = about.sides_of(rules) or tuple((seat,) for seat in range(rules.num_players))
    return next(k for k, side in enumerate(sides) if first in side)
