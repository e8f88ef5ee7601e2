"""Chinese Standard Mahjong (MCR).

Four players draw and discard tiles, each to make four sets and a pair, or one of a few special
hands, that is worth at least 8 fans. Sets are chows (three tiles of a suit in sequence), pungs
(three alike) and kongs (four alike); most can be made with a tile that another has just discarded.
There are 81 fans, patterns with a value of 1 to 88; the skill is in choosing which of them to play
for.

## Tiles

34 kinds, four of each. The numbers 0-33 are those of actions, observations and `tiles.py`.

| Number | Text | Tiles |
| --- | --- | --- |
| 0-8 | `W1`-`W9` | characters |
| 9-17 | `T1`-`T9` | bamboo |
| 18-26 | `B1`-`B9` | dots |
| 27-30 | `F1`-`F4` | winds: east, south, west, north |
| 31-33 | `J1`-`J3` | dragons: red, green, white |

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Walls | each player has a wall of 34 tiles, 13 of them dealt, and draws from no other, after a kong too (duplicate format, as on Botzone) | `wall="one"`: one wall of 136; draws from its front, replacements for kongs from its back |
| Flowers | none | `flowers=True` (with `wall="one"`): eight flowers, exposed at once and replaced from the back; a point each, which does not count toward the minimum. They are not in the observation |
| Prevailing wind | drawn from the seed | `prevailing="east"`, `"south"`, `"west"`, `"north"` |
| Hands in a game | 1; player 0 is East | `hands=4`: player k is East in hand k; `hands=16`: four rounds of that, East to North the prevailing winds. Points add up. The tiles of hand k depend on the seed and k only |
| Minimum | 8 fans, flowers aside | `minimum=1` to 8, for learners |
| Teams | 0 and 2 against 1 and 3: they win together, as in BotzoneBench; the rules are the same | `teams="none"`: everybody for himself |
| Winning | a player is asked and may decline | `hu="forced"`: a win is taken without asking |
| One concealed and one melded kong | 5 fans together, as Botzone's judge counts | `fans="wmo"`: 6, as in the Green Book |

1. The player to move draws a tile, East first. The player may win, declare a concealed kong (four
   in hand), add the fourth tile to an open pung of its own, or discard any tile. After a kong the
   player draws another tile.
2. Each other player that could claim the discard is asked, in turn order after the discarder: to
   win, to take the tile for a pung or kong, or (only the next player) for a chow. A win has
   priority over pung and kong, and these over a chow; if two players want to win, the first in turn
   order after the discarder does. No player is shown the others' answers, and claims that lose are
   never shown.
3. After a chow or pung the claimer discards; after a kong the claimer draws a replacement tile and
   continues as in 1. The turn then passes to the next player after the claimer.
4. A tile added to a pung may be robbed by a player who wins with it. Concealed kongs cannot be
   robbed; they lie face down, and only their owner knows the tiles.
5. A turn is the last one if the next player could not draw (the next player's wall, or the common
   wall, is empty). In the last turn there are no kongs, chows and pungs, and a discard that nobody
   wins on ends the hand without a winner. A kong also needs a tile to draw.
6. A player who wins with f fans on a discard, or by robbing, gets 8 + f points from the player who
   gave the tile and 8 points from each other player; a player who wins on a drawn tile gets 8 + f
   points from every other player.

Environments do not allow invalid moves. A text game that ends by an invalid move is a foul: -30
points, and 10 for each other player.

## Fans

The fans of a hand are added up, except those that another fan contains, for the division of the
tiles that gives the most points. `fans.py` counts them and can be used without the environment.
Where calculators differ, it follows PyMahjongGB, the judge of Botzone's games.

@FANS@

## Action space

`Discrete(235)`, the usual scheme of programs for Botzone's game; t is a tile's number.

| Action | Move | Text |
| --- | --- | --- |
| 0 | pass | `Pass` |
| 1 | win | `Hu` |
| 2 + t | discard t | `Play W5` |
| 36 + 21 suit + 3 (m - 2) + c | chow of the suit (0 characters, 1 bamboo, 2 dots) with middle rank m, 2 to 8; c tells which is claimed: 0 the lowest, 1 the middle, 2 the highest | `Chi W2` (the middle tile) |
| 99 + t | pung with the discard | `Peng T5` |
| 133 + t | kong with the discard | `Gang B3` |
| 167 + t | concealed kong | `AnGang F1` |
| 201 + t | fourth tile added to an own pung | `BuGang B7` |

## Observation space

`Box(0, 1, (150, 4, 9), int8)`: planes of 4 rows (characters, bamboo, dots, honours: winds, then dragons, in
columns 0-6) and 9 columns (ranks). Players are counted from the observer: 0 oneself, 1 next, 2
opposite, 3 previous.

| Plane | Content |
| --- | --- |
| 0, 1 | prevailing wind, own wind |
| 2-5 | own tiles in hand: one, two, three, four of them or more |
| 6-9 | tiles that the observer does not see, likewise: in other hands, walls and others' concealed kongs |
| 10 | the tile just drawn, in the own turn |
| 11 | the tile offered: a discard, or one added to a kong |
| 12 | row r: tiles left to player r, column c set if more than 0, 1, 2, 3, 5, 8, 12, 16, 20; with one wall a quarter of its tiles, rounded up, in all rows |
| 13, row 0 | what is asked: own turn, claim a discard, rob a kong, discard after a claim |
| 13, row 1 | the turn is the last one; the tile drawn replaces that of a kong |
| 13, row 2 | the tile offered is the next, the opposite, the previous player's |
| 13, row 3 | column 2 k + j: player k + 1 has more than j concealed kongs, j 0 or 1 |
| 14 + 34 r + 0..3 | melds of player r, oldest first; a concealed kong of another's is left empty |
| 14 + 34 r + 4 | which of them are kongs |
| 14 + 34 r + 5..33 | the last 29 discards of player r, oldest first, with those that were claimed |

Planes 10 and 11 and rows 0 to 2 of plane 13 are empty for players who are not to move, so that
nobody sees that others are being asked. `action_mask`: `Box(0, 1, (235,), int8)`.

## Starting state

Walls are shuffled and dealt when a hand begins, and East has drawn a tile. From then on the walls
are in the state: there are no chance events.

## Rewards

Points won and lost (6. above), after each hand. They add up to 0.

## Episode end

Termination after the last hand. A hand has at most 84 draws.

Pictures and texts of the true state show all hands and are for spectators. Prompts and observations
hold only what their player may know.
"""

from typing import Any

from stratagym.envs.core import GameSpec, Option, Sides, alone, integer
from stratagym.envs.mcr_mahjong.fan_words import fan_table

__doc__ = (__doc__ or "").replace("@FANS@", fan_table())


def _sides(rules: Any) -> Sides:
    return ((0, 2), (1, 3)) if rules.pairs else alone(4)


SPEC = GameSpec(
    name="mcr_mahjong",
    title="Chinese Standard Mahjong",
    version=0,
    min_players=4,
    max_players=4,
    chance="sampled",
    information="imperfect",
    max_game_length=500,
    sides=_sides,
    sources=(
        "World Mahjong Organization: Mahjong Competition Rules (the Green Book)",
        "Botzone, ChineseStandardMahjong: the game's page and recorded games (walls, order, fouls)",
        "PyMahjongGB 1.4.0 (how fans are counted)",
        "BotzoneBench (the fields of the prompt, teams)",
    ),
    options={
        "wall": Option("duplicate", ("duplicate", "one"), "each player's own wall, or one"),
        "flowers": Option(False, (False, True), "play with the eight flowers"),
        "prevailing": Option(
            "drawn", ("drawn", "east", "south", "west", "north"), "the prevailing wind"
        ),
        "hands": Option(1, (1, 4, 16), "hands in a game"),
        "minimum": Option(8, integer(1, 8), "fans that a win needs"),
        "teams": Option("pairs", ("pairs", "none"), "who wins together"),
        "hu": Option("choice", ("choice", "forced"), "whether a win may be declined"),
        "fans": Option("botzone", ("botzone", "wmo"), "how mixed kongs are counted"),
    },
)
