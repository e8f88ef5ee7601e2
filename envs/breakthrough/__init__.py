"""Breakthrough.

Two players have two rows of pawns each. A pawn moves one step forward, straight or diagonally, and
captures diagonally only. The first pawn on the row farthest from its start wins.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Board | 8 rows and 8 columns | `rows=3` to `8`, `columns=2` to `8` |
| Start | two rows of pawns each; one row each on boards of fewer than 6 rows | |
| First | Black (player 0), at the top, moves down; White (player 1) moves up | |
| Steps | one cell straight or diagonally forward, onto an empty cell | |
| Captures | diagonally forward only, never obliged | |
| Winning | a pawn on the farthest row, or no enemy pawn left | |
| Draws | none: the player to move always has a move | |

A pawn on the row before its goal can always move, so the player to move is never stuck, on any of
these boards.

## Action space

`Discrete(768)`, as OpenSpiel's `breakthrough`: `((8 * row + column) * 6 + direction) * 2 + capture` moves
the pawn that stands there, row 0 at the top and column 0 at the left (`a8`). On other boards
`columns` stands for the 8, and there are `12 * rows * columns` actions.

| Direction | 0 | 1 | 2 | 3 | 4 | 5 |
| --- | --- | --- | --- | --- | --- | --- |
| Step | down-left | down | down-right | up-left | up | up-right |

In words a move is its two cells, columns `a` to `h` from the left and rows 1 to 8 from the bottom:
`a7a6`, and `a7b6*` for a capture.

## Observation space

`observation`: `Box(0, 1, (8, 8, 3), int8)`, row 0 the top, for both seats alike.

| Plane | Content |
| --- | --- |
| 0 | the observer's own pawns |
| 1 | the opponent's pawns |
| 2 | all 1 if the observer is player 1, who moves up |

`action_mask`: `Box(0, 1, (768,), int8)`.

## Starting state

Black's pawns fill the top rows, White's the bottom rows. The result of perfect play is unknown on 8
x 8. By exhaustive search here, the first player wins on 4 x 3, 4 x 4, 4 x 5, 4 x 6, 5 x 2, 5 x 3, 5
x 4, 5 x 5, 6 x 2 and 6 x 3 (rows x columns), the second on 4 x 2.

## Rewards

0 until the game ends; then +1 for the winner and -1 for the loser.

## Episode end

Termination when a pawn reaches its farthest row or a side has no pawn left. Every move brings a pawn
nearer to its goal, so that a game has at most 177 decisions; of random games most have about 64.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="breakthrough",
    title="Breakthrough",
    version=0,
    max_game_length=177,
    options={
        "rows": Option(8, integer(3, 8), "rows of the board"),
        "columns": Option(8, integer(2, 8), "columns of the board"),
    },
    sources=(
        "D. Troyka: Breakthrough, winner of the 8x8 game design competition (2001)",
        "OpenSpiel breakthrough (actions)",
        "A. Saffidine, N. Jouandeau, T. Cazenave: Solving Breakthrough with race patterns and "
        "job-level proof number search (2011)",
    ),
)
