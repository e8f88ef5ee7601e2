"""What the BotzoneBench paper prints, typed in: its tables 2 to 6 and A1 to A6.

Source: Li et al., BotzoneBench. Figures stand as printed, mistakes included; ``findings`` compares
them. A game's results are (wins, draws, losses, games); levels not played are left out.
"""

from __future__ import annotations

from typing import NamedTuple

GAMES = (
    "tictactoe", "gomoku", "ataxx", "reversi", "chess", "texas_holdem", "dou_dizhu", "mcr_mahjong",
)  # fmt: skip
"""In the order of the columns of its tables."""
DEEPSEEK, CLAUDE, GPT, GEMINI = "DeepSeek-3.2", "Claude-Sonnet-4.5", "GPT-5.2", "Gemini3-Pro"
QWEN_235B, QWEN_8B, QWEN_14B, QWEN_32B = "Qwen3-235B", "Qwen3-8B", "Qwen3-14B", "Qwen3-32B"
MODELS = (DEEPSEEK, CLAUDE, GPT, GEMINI, QWEN_235B, QWEN_8B, QWEN_14B, QWEN_32B)
"""Qwen3-8B is Qwen3-7B in table 2 and in section 5."""

TOPPED = "topped"
SKILL: dict[str, tuple[tuple[int, float | str], ...]] = {
    DEEPSEEK: (
        (1, 50.0), (3, 32.3), (3, 64.5), (2, 21.4), (1, 0.0), (2, 93.8), (1, 84.4), (2, 63.6),
    ),
    CLAUDE: (
        (1, 59.4), (3, 62.5), (3, 75.0), (2, 46.7), (1, 0.0), (2, 71.9), (2, 77.4), (2, 39.2),
    ),
    GPT: (
        (1, 46.9), (3, 87.5), (3, 93.8), (1, 73.3), (2, 0.0), (1, 96.8), (2, 64.5), (2, 41.9),
    ),
    GEMINI: (
        (2, TOPPED), (5, 25.0), (5, 68.8), (4, 75.0), (1, 0.0), (4, TOPPED), (4, 50.8), (3, 89.3),
    ),
    QWEN_235B: (
        (1, 96.9), (3, 75.0), (3, 45.2), (2, 18.8), (1, 0.0), (1, 96.9), (2, 73.0), (1, 77.8),
    ),
    QWEN_8B: (
        (1, 9.4), (2, 35.7), (0, 87.5), (0, 62.5), (0, 57.1), (0, 87.5), (1, 71.9), (0, 50.0),
    ),
    QWEN_14B: (
        (1, 3.1), (2, 77.4), (1, 83.9), (1, 18.8), (0, 50.0), (0, 37.5), (1, 41.3), (1, 34.8),
    ),
    QWEN_32B: (
        (1, 21.9), (3, 45.2), (3, 58.1), (1, 32.3), (1, 0.0), (1, 63.5), (1, 88.9), (1, 42.9),
    ),
}  # fmt: skip
"""Table 2: level and progress in percent."""

_SHORT = dict(zip(["DS", "CL", "GP", "GE", "Q235", "Q8", "Q14", "Q32"], MODELS, strict=True))
_RESULTS = """
0 DS 13-0-3/16 16-0-0/16 16-0-0/16 11-0-5/16 16-0-0/16 8-0-8/16 21-0-11/32 11-21-0/32
0 CL 15-0-1/16 16-0-0/16 16-0-0/16 11-0-5/16 16-0-0/16 9-0-7/16 24-0-8/32 15-17-0/32
0 GP 10-2-2/16 16-0-0/16 15-0-1/16 12-0-4/16 15-1-0/16 10-0-6/16 23-0-9/32 14-17-1/32
0 GE 15-1-0/16 16-0-0/16 16-0-0/16 16-0-0/16 16-0-0/16 13-0-3/16 32-0-0/32 22-10-0/32
0 Q235 12-2-2/16 16-0-0/16 15-0-1/16 10-0-6/16 16-0-0/16 12-0-4/16 23-0-9/32 12-20-0/32
0 Q8 9-4-3/16 14-0-2/16 7-0-9/16 5-0-11/16 2-9-5/16 7-0-9/16 16-0-16/32 1-25-2/32
0 Q14 8-2-6/16 16-0-0/16 13-0-3/16 9-0-7/16 1-12-2/16 3-0-12/16 18-0-14/32 1-31-0/32
0 Q32 16-0-0/16 16-0-0/16 16-0-0/16 10-0-6/16 5-11-0/16 9-0-7/16 17-0-15/32 3-27-0/32
1 DS 0-16-16/32 32-0-0/32 24-0-7/32 15-1-15/32 0-0-32/32 34-0-30/64 27-0-37/64 21-26-15/64
1 CL 0-19-13/32 32-0-0/32 22-0-10/32 20-1-11/32 0-0-32/32 34-3-27/64 43-0-21/64 17-34-13/64
1 GP 0-15-17/32 31-0-1/32 24-0-7/32 11-2-19/32 3-28-1/32 30-2-32/64 36-0-27/64 24-27-13/64
1 GE 0-32-0/32 32-0-0/32 32-0-0/32 25-2-4/32 0-0-32/32 32-4-28/64 56-0-8/64 30-17-12/64
1 Q235 0-31-1/32 32-0-0/32 20-0-12/32 18-0-14/32 0-0-32/32 31-0-33/64 43-0-21/64 14-28-22/64
1 Q8 0-3-29/32 21-0-11/32 - - - - 23-0-40/64 -
1 Q14 0-1-31/32 24-0-8/32 13-0-19/32 3-1-28/32 - - 13-0-50/64 4-39-19/64
1 Q32 0-7-25/32 31-0-1/32 17-0-15/32 5-0-26/32 0-0-32/32 20-1-43/64 28-0-35/64 6-32-22/64
2 DS - 25-0-7/32 28-0-4/32 3-1-28/32 - 30-0-34/64 - 14-15-30/64
2 CL - 30-0-2/32 20-0-12/32 7-2-23/32 - 23-0-41/64 24-0-38/64 10-19-31/64
2 GP - 24-0-8/32 23-0-9/32 - 0-0-32/32 - 20-0-42/64 9-20-34/64
2 GE - 32-0-0/32 32-0-0/32 23-0-9/32 - 32-0-32/64 44-0-20/64 38-4-22/64
2 Q235 - 26-0-6/32 24-0-8/32 3-0-29/32 - - 23-0-40/64 -
2 Q8 - 5-0-23/32 - - - - - -
2 Q14 - 12-0-19/31 - - - - - -
2 Q32 - 25-0-6/32 17-0-15/32 - - - - -
3 DS - 5-0-27/32 10-0-21/32 - - - - -
3 CL - 10-0-22/32 12-0-20/32 - - - - -
3 GP - 14-0-18/32 15-0-17/32 - - - - -
3 GE - 28-0-3/32 28-0-2/32 - - 32-2-30/64 32-0-32/64 25-6-31/64
3 Q235 - 12-0-20/32 7-0-24/32 - - - - -
3 Q32 - 7-0-25/32 9-0-23/32 - - - - -
4 GE - 19-0-13/32 17-0-14/32 12-0-20/32 - - 16-0-47/64 -
5 GE - 4-0-28/32 11-0-21/32 - - - - -
"""
"""Tables A1 to A6, a row for each level and model. Table A4 (Lv3) prints gomoku twice and no
reversi; its second copy is left out here. How many games Qwen3-14B began at gomoku's Lv2 is not
printed; here they are those it finished."""

REPEATED_IN_A4, MISSING_IN_A4 = "gomoku", "reversi"


class Result(NamedTuple):
    """Of a model's games at a level; ``games`` are those begun."""

    wins: int
    draws: int
    losses: int
    games: int

    @property
    def decided(self) -> int:
        return self.wins + self.losses

    @property
    def finished(self) -> int:
        return self.wins + self.draws + self.losses

    def __str__(self) -> str:
        return f"{self.wins}-{self.draws}-{self.losses} of {self.games}"


def _results() -> dict[str, dict[str, dict[int, Result]]]:
    found: dict[str, dict[str, dict[int, Result]]] = {
        model: {game: {} for game in GAMES} for model in MODELS
    }
    for line in _RESULTS.strip().splitlines():
        level, short, *cells = line.split()
        for game, cell in zip(GAMES, cells, strict=True):
            if cell != "-":
                tally, _, games = cell.partition("/")
                counted = map(int, (*tally.split("-"), games))
                found[_SHORT[short]][game][int(level)] = Result(*counted)
    return found


RESULTS = _results()
"""Wins, draws, losses and games by model, game and level."""

HOLDEM_ACTIONS: dict[str, tuple[float, float, float, float]] = {
    DEEPSEEK: (27.63, 55.36, 1.15, 31.04),
    CLAUDE: (34.95, 63.32, 0.60, 19.92),
    GPT: (23.38, 66.72, 2.50, 18.79),
    GEMINI: (30.98, 74.32, 0.49, 11.64),
    QWEN_235B: (27.63, 55.36, 1.72, 28.62),
}
"""Table 3: fold, check, all-in and raise, said to be percentages of all decisions."""

PATTERNS: dict[str, tuple[int, int, int, int, int]] = {
    DEEPSEEK: (31, 6, 9, 7, 22),
    CLAUDE: (30, 5, 8, 5, 23),
    GPT: (33, 5, 5, 7, 22),
    GEMINI: (38, 8, 13, 9, 19),
    QWEN_235B: (28, 4, 7, 5, 28),
}
"""Table 4: distinct patterns; those worth 8 and more, and their frequency in percent; those worth 4
to 6, and theirs."""

PASSES: dict[str, float] = {
    QWEN_235B: 2.37, DEEPSEEK: 10.35, GEMINI: 23.20, GPT: 22.83, CLAUDE: 28.28,
}  # fmt: skip
"""Table 5: deliberate passes in Fight the Landlord, percent of decisions."""

REVERSI: dict[tuple[str, str], tuple[int, int]] = {
    (DEEPSEEK, GEMINI): (0, 2), (DEEPSEEK, QWEN_235B): (0, 2), (DEEPSEEK, CLAUDE): (1, 1),
    (GEMINI, DEEPSEEK): (2, 0), (GEMINI, QWEN_235B): (2, 0), (GEMINI, CLAUDE): (2, 0),
    (QWEN_235B, DEEPSEEK): (0, 2), (QWEN_235B, GEMINI): (0, 2), (QWEN_235B, CLAUDE): (0, 2),
    (CLAUDE, DEEPSEEK): (1, 1), (CLAUDE, GEMINI): (1, 1), (CLAUDE, QWEN_235B): (2, 0),
}  # fmt: skip
"""Table 6, by row and column: said to be the row's wins as first and as second mover, in four games
of which each began two."""

CLAIMED_GAMES, CLAIMED_PAIRS = 6403, 177_047
"""Games and state-action pairs of the data set (abstract, section 5)."""
MATCHES_IN_CAPTION = 100
"""Matches a pair, by table 2's caption."""
BASELINE_LEVELS = {
    "tictactoe": 1, "gomoku": 6, "ataxx": 6, "reversi": 6, "chess": 4, "texas_holdem": 3,
    "dou_dizhu": 4, "mcr_mahjong": 4,
}  # fmt: skip
"""The highest level of each game (appendix B)."""
