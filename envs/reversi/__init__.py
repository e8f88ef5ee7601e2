"""Reversi (Othello).

Two players put discs on a board of 8 x 8 squares. A disc must enclose at least one straight row of
the other side's discs between itself and another own disc, and every row so enclosed turns over.
The player with more discs at the end wins.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Board | 8 x 8; 6 x 6 and 4 x 4 have the same four discs in the middle | `size=4`, `6`, `8` |
| Start | Black (player 0) has d5 and e4, White d4 and e5; Black moves first | |
| A disc | must turn over at least one; all enclosed rows turn, in every direction | |
| No legal square for a disc | a pass, which is an action of its own and then the only legal one | `passing="forced"` |
| Voluntary passing, as under Botzone's judge | a pass is always legal | `passing="voluntary"` |
| End | at once when neither side can put a disc, as in OpenSpiel | |
| Result | more discs win; an equal number is a draw | |

Pgx ends a game by two explicit passes, so that its games may have two more actions at the end. With
voluntary passes nothing ends by passing itself; a game is stopped and counted as it stands after
`2 * (size * size - 4)` decisions.

## Action space

`Discrete(65)`: `8 * row + column` puts a disc there, row 0 at the top and column 0 at the left (`a1`), 64
passes; the numbers of OpenSpiel and Pgx. On smaller boards `size * row + column` and `size * size`.

## Observation space

`observation`: `Box(0, 1, (8, 8, 2), int8)`, row 0 the top, as Pgx's `othello`.

| Plane | Content |
| --- | --- |
| 0 | the observer's own discs |
| 1 | the opponent's discs |

`action_mask`: `Box(0, 1, (65,), int8)`.

## Starting state

Two discs of each side crosswise in the middle. On 8 x 8 perfect play is claimed to be a draw (Takizawa 2023); the second
player wins by 4 discs on 6 x 6 (Feinstein 1993) and by 10 on 4 x 4, empty squares counted for the winner.

## Rewards

0 until the game ends; then +1 for the winner and -1 for the loser, 0 for both in a draw.

## Episode end

Termination when neither side can put a disc, after at most 120 decisions, passes included; most
games take 60.
"""

from stratagym.envs.core import GameSpec, Option

SPEC = GameSpec(
    name="reversi",
    title="Reversi",
    version=0,
    max_game_length=120,
    options={
        "size": Option(8, (4, 6, 8), "rows and columns of the board"),
        "passing": Option(
            "forced", ("forced", "voluntary"), "whether one may pass who can put a disc"
        ),
    },
    sources=(
        "World Othello Federation: Official rules for the game of Othello",
        "OpenSpiel othello and Pgx othello (actions)",
        "Pgx othello (observation)",
    ),
)
