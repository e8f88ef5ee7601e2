"""Gomoku and m,n,k games.

Two players place stones on a board in turn, Black first; stones never move. The first with five
in a line, across, up or diagonally, wins. The board may have other sizes and the line another
length: (5, 5, 4) is SPIN-Bench's m,n,k game, (3, 3, 3) is tic-tac-toe.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Board | 15 columns, 15 rows | `columns`, `rows`: 3 to 19 |
| Goal | five in a line | `connect`: 3 to 8 |
| Longer lines | win as well (freestyle: Botzone, OpenSpiel) | `line="exact"`: are no win for \
either (standard gomoku, Gomocup) |
| Forbidden moves | none | `line="renju"`, on 15 x 15 with five: Black wins with exactly five and \
may not make a longer line, two fours or two threes at once; White wins with five or more |
| Opening | free | `opening="centre"`: the first stone goes to the centre of a board of odd sizes; \
`opening="swap2"`, see below |
| Full board without a line | a draw | |
| Renju: Black has no legal cell | a draw | |

In renju a stone that makes five is legal whatever else it makes. Two fours in one line count as
two. A three counts only if one more stone, itself legal for Black and making no five, makes a
straight four: four with two cells that each complete exactly five.

**Swap2** (lines of five or more): seat 0 places black, white and black. Seat 1 takes Black, takes
White, or places white and black and lets seat 0 take a colour. White moves next.

## Action space

`Discrete(rows * columns)`: place a stone on a cell, row by row from the top left, as OpenSpiel's
`gomoku` and `mnk`. Under `opening="swap2"` three more, for nobody else and at no other time: take
Black, take White, place two more stones.

## Observation space

`observation`: `Box(0, 1, (rows, columns, 2), int8)`, row 0 the top.

| Plane | Content |
| --- | --- |
| 0 | the observer's own stones |
| 1 | the opponent's stones |

Under swap2 seat 0 is Black until somebody has taken a colour. `action_mask`: the legal cells.

## Starting state

An empty board; seat 0 is Black and begins.

## Rewards

0 until the game ends; then +1 for the winner and -1 for the loser, 0 for both in a draw.

## Episode end

Termination when a line is made, the board is full or, in renju, Black has no legal cell; after at
most `rows * columns` moves, under swap2 two more.

In words columns are letters from the left and rows numbers from the bottom, `h8` being the centre
of 15 x 15; `numbering="top"` numbers the rows from the top, as BotzoneBench's prompts do.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="gomoku",
    title="Gomoku",
    version=0,
    max_game_length=225,
    options={
        "columns": Option(15, integer(3, 19), "columns of the board"),
        "rows": Option(15, integer(3, 19), "rows of the board"),
        "connect": Option(5, integer(3, 8), "stones in a line that win"),
        "line": Option(
            "at_least",
            ("at_least", "exact", "renju"),
            "whether longer lines win; renju forbids Black some moves",
        ),
        "opening": Option("free", ("free", "centre", "swap2"), "how the game begins"),
        "numbering": Option("bottom", ("bottom", "top"), "where words count rows from"),
    },
    sources=(
        "Renju International Federation, The International Rules of Renju, 2.3 and 9 (1996, 2008)",
        "Gomocup, rules of freestyle, standard and renju (https://gomocup.org)",
        "OpenSpiel gomoku and mnk (actions)",
        "L. V. Allis, Searching for Solutions in Games and Artificial Intelligence, 1994",
    ),
)
