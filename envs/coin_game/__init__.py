"""The coin game.

Players walk on a grid and take coins by walking onto them. Each player has a goal, a colour that is
told to this player only. Coins of the players' goals count for all players, coins of nobody's goal
against all players. A player can help the others by inferring their goals from the coins that they
take.

This is the game of Raileanu et al. (2018), as in OpenSpiel; the coin game of LOLA, with two colours
and prisoner's dilemmas, is another game.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Board | 8 rows and 8 columns | `rows`, `columns`: 3 to 10 |
| Players | 2 | `players`: 2 to 4 |
| Colours | one more than players; goals are distinct and uniform among them | `extra_colours`: 0 to 3 |
| Coins | 4 of each colour; players and coins start on cells of their own, uniformly | `coins`: 1 to 6 |
| Moves | 20 in all, the seats in turn | `length`: 1 to 120 |
| A move | one cell up, down, left or right, or stand; always legal; a move off the board or onto a player counts, but has no effect | |
| Coins taken | are removed; they count no matter who took them | |
| What a seat knows | everything except the others' goals | `goals="all"`: everything |

Players and coins have to fit on the board. `goals="all"` is not meant for ratings: it shows what a
policy reaches if it has nothing to infer.

## Action space

`Discrete(5)`, as OpenSpiel's: 0 `up`, 1 `down`, 2 `left`, 3 `right`, 4 `stand`. All are always legal.

## Observation space

`observation`: `Box(0, 20, (8, 8, 12), int8)`, row 0 the top.

| Plane | Content |
| --- | --- |
| 0 | where the observer is |
| 1 | where the other player is |
| 2-4 | coins: those of the observer's goal, then the other colours in order |
| 5-7 | how many of each the observer has taken, in the same order, on all cells |
| 8-10 | how many of each the other player has taken |
| 11 | how many moves are left, of all players together |

With n players and c colours there are n + c + nc + 1 planes; the other players come in turn order
after the observer. If all goals are told, the coins of their goals come in that order after those
of the observer's goal.

`action_mask`: `Box(0, 1, (5,), int8)`.

## Starting state

Drawn at the start: there are no chance events in play. Player 0 moves first.

## Rewards

0 until the game ends. Then, with n coins taken of a player's goal, m of the other players' goals
together and k of nobody's goal, `n * n + m * m - k * k`. With two players both have the same
reward, from -16 to 32; with more players rewards differ. The fact block describes the game for two.

A forfeited game counts 0 for all players, the same as standing still.

## Episode end

Termination after the last move.

## Errors in SPIN-Bench's coin game

SPIN-Bench plays this game through OpenSpiel. Its results are not comparable, here or among themselves:

- The history that a player is shown contains the other player's observation as text, whose first
  line is that player's goal: the goal that has to be inferred can simply be read.
- `np.random.seed(42)` is called once in a process, so that every run plays the same boards in order.
- The moves it counts for its limit never get past 1 (`cnt =+ 1`).
- After four bad replies the code for a forfeit is computed but ignored: an illegal action crashes
  the run, so its results contain no losses by bad replies.

Here a bad reply is counted, a forfeit recorded, a game has its own seed, and no prompt tells another's goal.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="coin_game",
    title="Coin game",
    version=0,
    max_players=4,
    chance="sampled",
    information="imperfect",
    utility="identical",
    max_game_length=20,
    options={
        "players": Option(2, integer(2, 4), "2 to 4"),
        "rows": Option(8, integer(3, 10), "rows of the board"),
        "columns": Option(8, integer(3, 10), "columns of the board"),
        "extra_colours": Option(1, integer(0, 3), "colours that are nobody's goal"),
        "coins": Option(4, integer(1, 6), "coins of each colour"),
        "length": Option(20, integer(1, 120), "moves of all players together"),
        "goals": Option("own", ("own", "all"), "which goals a player is told"),
    },
    sources=(
        "R. Raileanu, E. Denton, A. Szlam, R. Fergus: Modeling others using oneself in multi-agent "
        "reinforcement learning (2018)",
        "OpenSpiel coin_game (rules, actions)",
        "SPIN-Bench, arXiv:2503.12349 (what its prompt tells)",
    ),
)
