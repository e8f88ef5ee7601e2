"""Connect four.

Two players drop stones into the seven columns of an upright board, six squares high. The first to
have four stones in a row, across, up or diagonally, wins.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Board | 7 columns of 6 squares | |
| Start | player 0 drops the first stone | |
| Winning | four or more in a row; the game stops at once | |
| Full board without four in a row | a draw | |
| Full column | takes no more stones | |

## Action space

`Discrete(7)`: drop a stone into column 0 (left) .. 6 (right), as PettingZoo's `connect_four_v3`.

## Observation space

`observation`: `Box(0, 1, (6, 7, 2), int8)`, row 0 the top, column 0 the left, as PettingZoo's
`connect_four_v3`.

| Plane | Content |
| --- | --- |
| 0 | the observer's own stones |
| 1 | the opponent's stones |

`action_mask`: `Box(0, 1, (7,), int8)`: columns that are not full.

## Starting state

An empty board; player 0 moves first. It can force a win, in the centre column only.

## Rewards

0 until the game ends; then +1 for the winner and -1 for the loser, 0 for both in a draw.

## Episode end

Termination when four stones stand in a row or the board is full, after at most 42 moves.
"""

from stratagym.envs.core import GameSpec

SPEC = GameSpec(
    name="connect_four",
    title="Connect Four",
    version=0,
    max_game_length=42,
    sources=(
        "Connect 4, Milton Bradley 1974 (rules of play)",
        "PettingZoo classic/connect_four_v3 (action and observation)",
    ),
)
