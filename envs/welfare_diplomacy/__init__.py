"""Welfare Diplomacy.

Diplomacy in which nobody wins: each Winter a power earns a welfare point for every supply centre
beyond the number of its units, and keeps its points for ever. Powers that trust each other disband
and prosper; a power that disbands alone is easy to rob. The variant is due to Mukobi et al. (2023).

## The board

The board and the seven powers of [Diplomacy](diplomacy.md), in the same seats.

## Rules and variants

Talk, movement, retreats and the capture of centres are those of [Diplomacy](diplomacy.md); the
adjudicator is the same code.

| Topic | Here | Option |
| --- | --- | --- |
| Length | 10 years, 1901 to 1910 | `years=20` |
| Talk | none | `rounds=3`: so many rounds of messages before each movement phase; `winter_press="yes"`: and before Winter |
| Convoys of armies that could also walk | as ordered | `convoy="fallback"` |
| Paradoxes of convoys | Szykman's rule | `paradox="2000"` |
| Order in which units are asked | by area | `unit_order="mila"` |

1. There is no solo and no draw: the game is played to its last year, whoever is left.
2. In each Winter a power either removes any of its units, one at a time, or builds in its empty home
   centres while it has fewer units than centres; not both: its first order says which. It must
   remove units until it has no more than centres. `WAIVE` ends its Winter.
3. After the Winter a power earns its number of centres less its number of units in welfare points.
4. A power for which only `WAIVE` is left is not asked.

At most 34 points are earned in a year, one for each centre; one power earns at most as many as it
has centres.

## Action space

`Discrete(18584)`: the actions of Diplomacy with the same numbers.

## Observation space

`Box(0, 18584, (81, 109), int16)`: that of Diplomacy. Columns 102-108 are the welfare points of the
powers. In Winter column 12 marks every unit, and column 92 all areas where the seat may build or
remove a unit.

## Starting state

The board of 1901 with 22 units. Nothing in the game is random.

## Rewards

Nothing until the end; then each power's welfare points. The sum is not constant.

## Episode end

Terminated after the Winter of the last year. An eliminated power is asked nothing more.

## Players

Those of Diplomacy. `disarm` holds and removes all its units in every Winter, so that seven of it
earn what the board gives: 22 points a year. `dumbbot`, `sbr` and `rm` play for centres, and waive
or build in Winter as `dumbbot` does; `negotiator` talks in games with at least two `rounds`.

## Prompts

A reply holds all orders of one power in one phase, under `orders`, as a list; beside it stands
`reasoning`. What is wrong with an order is told by the words of Diplomacy, and the good orders
stand. A removal that is not ordered and has to be is made by civil disorder. With `rounds` a
reply to a round of talk holds `messages`. Orders are asked for once, after the last round of talk,
while DSGBench asks for them in each round and takes the last.
"""

from dataclasses import replace

from stratagym.envs.core import GameSpec
from stratagym.envs.diplomacy.options import OPTIONS, sides

SHARED = ("rounds", "winter_press", "convoy", "paradox", "unit_order")
"""Options that are Diplomacy's."""

SPEC = GameSpec(
    name="welfare_diplomacy",
    title="Welfare Diplomacy",
    version=0,
    min_players=7,
    max_players=7,
    dynamics="simultaneous",
    information="imperfect",
    utility="general",
    max_game_length=1700,
    options={
        "years": replace(OPTIONS["years"], default=10),
        **{name: OPTIONS[name] for name in SHARED},
    },
    sides=sides,
    sources=(
        "G. Mukobi et al.: Welfare Diplomacy, arXiv:2310.08901 (2023)",
        "The Rules of Diplomacy, Renegade Game Studios (2023)",
        "DSGBench, arXiv:2503.06047 (the fields of the prompt)",
    ),
)
