"""Stratego.

Two armies whose ranks the other side does not see. A piece that moves onto an enemy attacks it, both
are shown, and the lower one is lost. Whoever takes the enemy's flag wins.

One of the two games with imperfect information in DSGBench (arXiv:2503.06047). Its published figures
cannot be reproduced, because the opponents were a commercial model of the time; its rules and its
two scenes can be played.

## Rules and variants

| `board` | Size | Home rows | Pieces, spy to marshal, flag, bomb | `max_moves` |
| --- | --- | --- | --- | --- |
| `classic` | 10 x 10 | 4 | 1 8 5 4 4 4 3 2 1 1, 1, 6 | 2000 |
| `barrage` | 10 x 10 | 4 | 1 2 1 0 0 0 0 0 1 1, 1, 1 | 1000 |
| `barrage8` | 8 x 8 | 3 | as barrage | 1000 |
| `six` | 6 x 6 | 1 | 0 0 0 1 1 1 1 1 0 0, 1, 0 | 200 |
| `five` | 5 x 5 | 1 | 0 0 0 1 1 1 1 0 0 0, 1, 0 | 60 |

The middle of the two larger sizes has two lakes of four cells (of two cells on 8 x 8), which nobody
enters. Kinds are 1 spy, 2 scout, 3 miner, 4 sergeant, 5 lieutenant, 6 captain, 7 major, 8 colonel,
9 general, 10 marshal, 11 flag, 12 bomb.

| Topic | Here | Option |
| --- | --- | --- |
| Moving | one cell, not diagonally, onto an empty cell or an enemy; flag and bombs never | |
| Scouts | any number of empty cells in a line, and may attack at its end | |
| Attacks | both kinds become public; the higher wins and, if it attacked, takes the cell; equal ones are both lost; a winning defender stays | |
| Spy | wins only when it attacks the marshal | |
| Bomb | every attacker but a miner is lost and the bomb stays; a miner removes it | |
| Flag | whoever attacks it wins the game | |
| What is shown | attacks, and that a piece that goes two cells or more is a scout (stratego_env, Ataraxos; not in OpenSpiel's yorktown) | |
| Two squares | a piece may not cross the same border between two cells with four moves running (International Stratego Federation) | `two_square="five"`: the sixth move running between two cells (Jumbo, Gravon); `"stratego_env"`: as that program and DSGBench, see below; `"none"`: yorktown, TextArena |
| Chasing | no move to a cell next to an enemy may repeat a position of a chase that goes on, unless it takes the last move back | `chase="kinds"`: pieces of one kind count as the same (Ataraxos); `"none"`: DSGBench, yorktown, TextArena |
| No legal move | loses; if the other side would have none either, a draw | `both_stuck="mover_wins"`: the side that moved last wins (stratego_env, DSGBench) |
| No attack | a draw after 200 moves of both sides together (Ataraxos) | `no_attack`, 0 for no such rule (DSGBench) |
| Most moves | the board's, then the game is stopped as a draw | `max_moves`: DSGBench 2000, yorktown 3000, Ataraxos 2000 and 4000 |
| Setting up | seat 0 puts its pieces on its home rows, then seat 1, neither seeing the other's | `setup="random"`: uniform; `"human"` (classic, barrage): drawn as people do; `"fixed"`, `"scene"` (classic): DSGBench's |
| Flag | on any home row (official; of 47,108 setups of people 86% have it at the back, 9% one row before, 5% farther) | `flag_rows="back_two"`: the two rows at the back, as DSGBench's paper says and nobody's program enforces |

The ends are looked for in this order: flag, no legal move, most moves, no attack.

Under `two_square="stratego_env"` a piece that has moved to and fro between two cells three times
may not do it again. It has that program's oddities: attacks are exempt, of a scout's move only the
end cells count, a piece that steps into the cell which another of its side has just left begins with
two, and the count outlives a piece that is captured. `chase="kinds"` compares positions by the kinds
of hidden pieces, so that the legal moves may tell a player that two hidden pieces are alike.

`setup="human"` draws piece by piece, flag and bombs first, by how often each kind stood on each cell
in setups of people, bombs four times as likely beside the flag; both seats draw anew each game.
Uniform setups make a lottery of the game: one in twenty ends within 24 moves, since the flag stands in
front. They are for tests, not for measuring skill. `setup="fixed"` gives both seats the setups of
DSGBench's fixed scene, `"scene"` gives seat 0 the same and draws seat 1's as people do, as its
random scene. Its scenes are played with `two_square="stratego_env", chase="none", no_attack=0,
both_stuck="mover_wins"` and prompts with `list_legal`.

Placing puts a kind, or nothing, on one home cell after another, row by row from the back; a language
model gives its whole setup in one reply.

## Action space

`Discrete(1813)`: a seat counts cells from its own back row, `columns * row + column`, so that the same
number is the same move for both. `rows * columns * q + source` moves the piece on `source`: for q
below `rows - 1` along its column, to row q (q + 1 if q is not below its row), else along its row, to
column c = q - (rows - 1) (c + 1 if c is not below its column). The numbers of moves reshape to
(rows + columns - 2, rows, columns). The last 13 place kinds 0 (nothing) to 12; they are there only
with `setup="place"`. This is the layout of the Ataraxos simulator; DeepNash's two steps, piece and
then cell, are not offered. `notation.py` has the numbers of stratego_env and yorktown.

In words a move is `6 3 5 3`: row and column from where, row and column to where, rows from the top
and the own side at the bottom; a placed piece is its letter: `.` nothing, S, 2 to 10, F, B.

## Observation space

`observation`: `Box(-128, 100, (73, 10, 10), int8)`, the own side first (row 0 is the own back row).

| Planes | Content |
| --- | --- |
| 0-11 | own pieces of kinds 1 to 12 |
| 12-23 | the enemy's pieces whose kind is public, by kind |
| 24, 25 | the enemy's hidden pieces that have moved, and those that never have |
| 26, 27 | own pieces that the enemy knows; own pieces that have moved |
| 28 | lakes |
| 29-40 | all over the plane: how many of the enemy's hidden pieces are of kinds 1 to 12 |
| 41-52 | the same of the own pieces, as the enemy sees them |
| 53-68 | the last 16 moves of both, newest first: to 1, from -1, or -(2 + the attacker's kind) for an attack |
| 69 | the home cell that is filled next, while setting up |
| 70, 71 | all over: 100 x moves made / most moves; 100 x moves since the last attack / `no_attack` |
| 72 | the seat |

`action_mask`: `Box(0, 1, (1813,), int8)`.

## Starting state

An empty board, seat 0 (Red) to place its pieces on the low rows; or both seats set up, seat 0 to move.

## Hidden information

A seat does not know the kinds of the enemy's pieces that were in no attack and made no long move. To
search, they are drawn uniformly over all that agrees with what is public: the kinds that are left, and
which pieces have moved. How people set up is not used there.

## Metrics

`metrics.game_counts(rules, seeds, actions, plies)` counts recorded games, and `metrics.rates` makes of
the counts, for each game and seat:

| Name | What it is | Random play |
| --- | --- | --- |
| `cpr` | DSGBench's critical pieces rate: colonels, general and marshal left, of those at the start | .27 |
| `tpcv`, `tpcv_share`, `tpcv_lead` | its total value of pieces, the sum of the numbers of spy to marshal (148 at the start of classic); of that at the start; minus the enemy's | 31, .21, 0 |
| `alive` | pieces left of those at the start | .31 |
| `known` | enemy pieces left whose kind the seat knows, of those that are left | .29 |
| `attacks_won`, `blind` | of its attacks, those won and those on pieces that it did not know | .34, .55 |

Random play: means of 1,000 games of uniform against uniform moves, classic, `setup="human"`. `as_published=True`
takes the first three at the seat's last own decision, as DSGBench's program does, so that the enemy's
last move does not count (.29, 32, .32). Its table 19 says "at the start of the game", which would make
TPCV a constant. Its win rate is that of any tournament, with draws counted apart; its grounding
accuracy is the share of good replies in reports. Its program asks again without end for replies that
are not seven characters long, and plays at random after ten illegal moves; that is not offered.

## Rewards

0 until the game ends; then +1 for the winner and -1 for the loser, 0 for both of a draw.

## Episode end

Termination when a flag is taken, a side cannot move, or nobody has attacked for too long; truncation
after the most moves.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="stratego",
    title="Stratego",
    version=0,
    chance="sampled",
    information="imperfect",
    max_game_length=2080,
    sources=(
        "International Stratego Federation: game rules (two squares, chasing)",
        "DSGBench, arXiv:2503.06047, appendix G (prompt, metrics, scenes)",
        "github.com/JBLanier/stratego_env (its rules on repetition; setups of people, MIT)",
        "The simulator of Ataraxos, MIT (actions, chasing)",
    ),
    options={
        "board": Option(
            "classic", ("classic", "barrage", "barrage8", "six", "five"), "size and pieces"
        ),
        "setup": Option(
            "place", ("place", "human", "random", "fixed", "scene"), "where setups come from"
        ),
        "flag_rows": Option("any", ("any", "back_two"), "home rows that the flag may stand on"),
        "two_square": Option(
            "three", ("three", "five", "stratego_env", "none"), "the rule on moving to and fro"
        ),
        "chase": Option("pieces", ("pieces", "kinds", "none"), "the rule on endless chases"),
        "no_attack": Option(
            200, integer(0, 10_000), "moves of both without an attack that draw; 0 for no limit"
        ),
        "max_moves": Option(0, integer(0, 10_000), "the most moves of both; 0 for the board's"),
        "both_stuck": Option(
            "draw", ("draw", "mover_wins"), "the result where neither side can move"
        ),
    },
)
