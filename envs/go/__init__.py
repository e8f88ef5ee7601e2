"""Go.

Two players put stones on the points of a board of 9 x 9 lines. A chain of stones without an
adjacent empty point is captured and removed. The player with more stones and surrounded points at
the end, including White's compensation, wins.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Board | 9 x 9 | `size=2` .. `19` |
| Compensation | 7.5 points for White | `komi`, in quarters of a point, -999 to 999 |
| Suicide | illegal, for one stone and for several | |
| Repetition | positional superko: a move that recreates any earlier position of the board, including the empty board, is illegal; a pass is always legal | `ko="positional"` |
| | the same, but only if the same player is to move | `ko="situational"` |
| | only the immediate recapture of a single stone that captured a single stone is illegal | `ko="simple"` |
| End | two passes in a row; otherwise after twice as many moves as there are points, and the board is scored as it stands | `max_length` |
| Score | area: stones on the board and empty regions that touch one colour alone; no stone is removed as dead | |
| Result | Black wins with a lead of more than the compensation; a lead equal to the compensation is a draw | |
| Handicap | none; 2 to 9 stones of Black on the usual points of 9 x 9, 13 x 13 and 19 x 19, then White moves first | `handicap=2` .. `9` |

Stones that cannot live must be captured before passing, because the board is scored as it stands.

In OpenSpiel a move that repeats a position is legal and draws the game, in Pgx its player loses,
and PettingZoo has the simple rule only. New Zealand rules and Tromp and Taylor's allow the suicide
of several stones.

## Action space

`Discrete(82)`: `9 * row + column` puts a stone there, row 0 at the top and column 0 at the left, and 81
passes; the numbers of PettingZoo and Pgx (OpenSpiel counts rows from the bottom). On other boards
`size * row + column` and `size * size`. Points are named as players and engines do: columns A to J without
I, rows 1 to 9 from the bottom, so that action 0 is `A9`.

## Observation space

`observation`: `Box(0, 1, (9, 9, 17), int8)`, row 0 the top, as Pgx's `go_9x9`.

| Plane | Content |
| --- | --- |
| 2i | the observer's stones i plies ago, i from 0 to 7; nothing before the start |
| 2i + 1 | the opponent's |
| 16 | 1 everywhere if the observer is White |

With `observation="pettingzoo"` observations are those of PettingZoo's `go_v5`, with dtype bool:
plane 2i has the stones of whoever moved i plies ago, just after that move, and 2i + 1 the other's.

`action_mask`: `Box(0, 1, (82,), int8)`.

## Starting state

An empty board. Perfect play from there is worth 1 point to Black on 2 x 2, 9 on 3 x 3, 2 on 4 x 4, 25 on
5 x 5 and 4 on 6 x 6 (van der Werf 2003); on 2 x 2 nothing with the 8 decisions that a game has there.

## Rewards

0 until the game ends; then +1 for the winner and -1 for the loser, 0 for both in a draw.

## Episode end

Termination after two passes in a row or 162 decisions, passes included.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.envs.core import GameSpec, Option, integer


def _komi(value: Any) -> float:
    number = float(value)
    if (
        isinstance(value, bool | np.bool_)
        or not -999 <= number <= 999
        or not (4 * number).is_integer()
    ):
        raise ValueError("a number of quarters from -999 to 999 is needed, such as 6.5")
    return number


SPEC = GameSpec(
    name="go",
    title="Go",
    version=0,
    max_game_length=162,
    options={
        "size": Option(9, integer(2, 19), "lines of the board, 2 to 19"),
        "komi": Option(7.5, _komi, "points for White, in quarters"),
        "ko": Option(
            "positional", ("positional", "situational", "simple"), "which repetitions are illegal"
        ),
        "handicap": Option(
            0, (0, 2, 3, 4, 5, 6, 7, 8, 9), "stones that Black has at the start (size 9, 13, 19)"
        ),
        "max_length": Option(
            0, integer(0, 722), "decisions until the game is stopped; 0: twice the points"
        ),
        "observation": Option("pgx", ("pgx", "pettingzoo"), "whose planes the observation has"),
    },
    sources=(
        "J. Tromp: The game of Go, the Tromp-Taylor rules (area, superko)",
        "GTP 2, the Go Text Protocol (names of points, places of handicap stones)",
        "OpenSpiel go, Pgx go_9x9 and PettingZoo go_v5 (actions, observations)",
    ),
)
