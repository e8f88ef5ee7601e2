"""Tic-tac-toe.

Two players mark the squares of a 3 x 3 grid in turn, one with crosses and one with noughts. The
first with three marks in a line wins.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Start | player 0 begins and has the crosses | |
| Winning | three in a row, column or diagonal; the game stops at once | |
| Full board without a line | a draw | |

## Action space

`Discrete(9)`: mark a square, by the numbers of PettingZoo's `tictactoe_v3`, column by column:

    0 3 6
    1 4 7
    2 5 8

## Observation space

`observation`: `Box(0, 1, (3, 3, 2), int8)`; square `k` is at `[k // 3, k % 3]`, that is column
first, as PettingZoo's `tictactoe_v3`.

| Plane | Content |
| --- | --- |
| 0 | the observer's own marks |
| 1 | the opponent's marks |

`action_mask`: `Box(0, 1, (9,), int8)`: squares still empty.

## Starting state

An empty grid; player 0 moves first. Played well by both, the game is a draw.

## Rewards

0 until the game ends; then +1 for the winner and -1 for the loser, 0 for both in a draw.

## Episode end

Termination when a player has a line or the grid is full, after at most 9 moves.
"""

from stratagym.envs.core import GameSpec

SPEC = GameSpec(
    name="tictactoe",
    title="Tic-Tac-Toe",
    version=0,
    max_game_length=9,
    sources=(
        "The game as everybody plays it",
        "PettingZoo classic/tictactoe_v3 (action and observation)",
    ),
)
