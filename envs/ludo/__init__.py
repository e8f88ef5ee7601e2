"""Ludo.

Two to four players race four pieces each around a shared track of 52 squares and up their own
home path. A six brings a piece into play and gives another throw; landing on an opponent sends it
back to base.

## Rules and variants

Sources differ on almost every point; this table says what holds here and which option changes it.

| Topic | Here | Option |
| --- | --- | --- |
| Leaving base | only on a six, to the own start square | |
| Own pieces on one square | forbidden everywhere but on the last home cell; an own piece on the start square keeps others in base | `stacking="safe"`: allowed on safe squares and in the home path |
| Passing over pieces | allowed; only the target square matters | |
| Home path | cell k (1-6) is 52 + k steps from the start; no move may end at exactly 52 steps; cell 6 finishes the piece and needs the exact number | |
| Moving inside the home path | any move that does not overshoot | `home="exact"`: only the move that finishes |
| Capture | on a square that is not safe: every opposing piece there returns to base; no extra throw | |
| Safe squares | 0, 8, 13, 21, 26, 34, 39, 47, for everyone; players may share them | |
| A six | throw again, also when no piece could move; no limit to sixes in a row | |
| No legal move | the turn passes without a decision (after a six: throw again); a single legal move is still a decision | |
| Seats | players take colours 0 .. n-1 in turn order | `seats="0+2"`: any colours |
| End | the first player with four pieces home wins and the game stops | `max_rolls`: stopped without a winner after that many throws |

`stacking="safe", home="exact"` are the rules of the LudoBench authors' released code.

## Action space

`Discrete(4)`: move piece 0, 1, 2 or 3.

## Observation space

`observation`: `Box(0, 4, (4 + n, 59), int8)` for n players, from the observer's side of the board.
Columns: 0 base; 1-52 main track, counted from the *observer's* start square; 53-58 home cells 1-6.

| Rows | Content |
| --- | --- |
| 0-3 | own pieces 0-3, one-hot |
| 4 .. 2 + n | the opponents in turn order after the observer: number of pieces on each square (home cells are those of the opponent) |
| 3 + n | the dice, one-hot in columns 0-5 |

`action_mask`: `Box(0, 1, (4,), int8)`.

## Starting state

All pieces in base; player 0 throws first.

## Rewards

0 until a player wins; then +1 for the winner and -1 / (n - 1) for each other player.

## Episode end

Termination when a player has all pieces home, truncation after `max_rolls` throws.
"""

from typing import Any

from stratagym.envs.core import GameSpec, Option, integer


def _seats(value: Any) -> tuple[int, ...] | None:
    """Colours as a tuple, or as text such as ``0+2``."""
    if value is None or value == "None":
        return None
    colours = value.split("+") if isinstance(value, str) else list(value)
    seats = tuple(integer(0, 3)(colour) for colour in colours)
    if not 2 <= len(seats) <= 4 or list(seats) != sorted(set(seats)):
        raise ValueError("2 to 4 different colours (0-3) in ascending order, such as 0+2")
    return seats


SPEC = GameSpec(
    name="ludo",
    title="Ludo",
    version=0,
    min_players=2,
    max_players=4,
    chance="explicit",
    max_game_length=1000,
    sources=(
        "LudoBench, arXiv:2604.05681, appendix A (board, movement, capture)",
        "The LudoBench authors' released engine (the two options)",
    ),
    options={
        "players": Option(4, integer(2, 4), "2, 3 or 4"),
        "seats": Option(None, _seats, "colours of the players, such as 0+2; default 0 .. n-1"),
        "stacking": Option("never", ("never", "safe"), "where own pieces may share a square"),
        "home": Option("any", ("any", "exact"), "moves allowed inside the home path"),
        "max_rolls": Option(1000, integer(1, 1_000_000), "throws before the game is stopped"),
    },
)
