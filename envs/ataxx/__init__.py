"""Ataxx.

Two players put stones on a board of 7 x 7 cells. A stone clones itself onto a cell beside it or
jumps two cells far, and turns all enemy stones that it then stands next to. The player with more
stones at the end wins.

## Rules and variants

| Topic | Default | `judge="botzone"` |
| --- | --- | --- |
| Start | Black (player 0) has a7 and g1, White g7 and a1; Black moves first | the same |
| Clone | a new stone on an empty cell next to an own stone, also diagonally | the same |
| Jump | an own stone moves to an empty cell two columns or rows away, no more in either | the same |
| Turning | all enemy stones next to the cell moved to | the same |
| No move | a pass, which is an action of its own and then the only legal one | the game ends |
| End | the board is full or a side has no stone left; until then one side can move | the side to move cannot move, or after 401 moves |
| Result | more stones win | empty cells go to the player who moved last, then more stones win; after 401 moves, a tie is a win for the player who moved last |
| Quiet play | a draw after `max_quiet` moves in a row without a clone, 100 by default | no such rule |

| Option | Values | |
| --- | --- | --- |
| `blocks` | `"none"`, `"corners"`, `"sides"` | four blocked cells: c3, c5, e3 and e5, or c4, d3, d5 and e4 |
| `max_quiet` | 0 to 100 | passes count; 0: no such rule, but a game is stopped as a draw after 4,500 moves |
| `judge` | `"uai"`, `"botzone"` | the columns of the table above |
| `numbering` | `"bottom"`, `"top"` | the side from which texts and pictures count rows |

The default is the game of UAI, the protocol of ataxx engines, as in python-ataxx. Botzone's judge
allows a stone to be put onto another stone, which is impossible here. BotzoneBench's prompt says
that the turn of a stuck side is skipped, although its judge ends the game.

## Action space

`Discrete(834)`, as kZero's: a cell is `7 * row + column`, row 0 at the top and column 0 at the left
(`a7`).

| Actions | |
| --- | --- |
| 0 to 48 | a clone onto that cell; which stone it comes from makes no difference |
| 49 to 832 | `49 * (1 + k) + cell`: a jump to that cell from the cell at the k-th of sixteen offsets |
| 833 | pass |

An offset is the position of the starting cell of a jump relative to its target, in columns to the
right and rows down. Offset 0 is two columns to the left and two rows up; the others follow row by
row, without the cells next to the target. (kZero counts rows from the bottom.)

In words a clone is its cell, `b2`, and a jump the cells from and to, `a1c3`: columns `a` to `g` from
the left and rows 1 to 7 from the bottom.

## Observation space

`observation`: `Box(0, 100, (7, 7, 4), int8)`, row 0 the top, for both seats alike.

| Plane | Content |
| --- | --- |
| 0 | the observer's own stones |
| 1 | the opponent's stones |
| 2 | blocked cells |
| 3 | in every cell the moves since the last clone, at most 100 |

`action_mask`: `Box(0, 1, (834,), int8)`.

## Starting state

Two stones of each side in opposite corners. The result of perfect play is unknown.

## Rewards

0 until the game ends; then +1 for the winner and -1 for the loser, 0 for both in a draw.

## Episode end

Termination as in the table; after at most 4,500 decisions, passes included. Random games take about
184.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="ataxx",
    title="Ataxx",
    version=0,
    max_game_length=4500,
    options={
        "blocks": Option("none", ("none", "corners", "sides"), "where four cells are blocked"),
        "max_quiet": Option(
            100, integer(0, 100), "moves in a row without a clone that are a draw; 0 for no limit"
        ),
        "judge": Option("uai", ("uai", "botzone"), "whose rules of passing and ending"),
        "numbering": Option("bottom", ("bottom", "top"), "where words count rows from"),
    },
    sources=(
        "Universal Ataxx Interface (UAI) and python-ataxx: rules, notation, blocked cells",
        "kZero (actions)",
        "Botzone and BotzoneBench (its judge)",
    ),
)
