"""Diplomacy.

Seven powers of 1901 move armies and fleets over a map of Europe. All write their orders at the same
time, and there are no dice: an attack succeeds if it is stronger than what it meets, which it only
is with the support of other units, of the same or of another power. The first power that owns
18 of the 34 supply centres wins alone. Powers may negotiate before they order, and nothing that they
promise binds them.

## The board

75 provinces: 14 inland, 19 seas and 42 coasts; 34 of them are supply centres. Bulgaria, Spain and
St Petersburg have two coasts each, so that there are 81 *areas* where a unit can stand. The numbers
of provinces (0-74) and areas (0-80) are those of DeepMind's public environment; `geography.py` has
the board.

| Seat | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
| --- | --- | --- | --- | --- | --- | --- | --- |
| Power | AUSTRIA | ENGLAND | FRANCE | GERMANY | ITALY | RUSSIA | TURKEY |

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Map | seven powers, 22 units | `map="france_austria"`: two powers on the same board, AUSTRIA in seat 0 and FRANCE in seat 1; the other 28 centres belong to nobody |
| Solo | alone in the lead with 18 centres after a Fall | `win=20` |
| Length | 20 years, 1901 to 1920 | `years=10` |
| Worth of a game | a solo is 1; without one, the square of a power's centres divided by the sum of all squares | `scoring="draw"`: equal shares for all who are left; `scoring="centres"`: centres divided by 34 |
| Teams | every power for itself | `teams="AEFG-IRT"`: powers by their initials; their centres are added up, and a win is shared |
| Talk | none | `rounds=3`: so many rounds of messages before each movement phase; `winter_press="yes"`: and before Winter |
| Convoys of armies that could also walk | as ordered: `VIA` goes by convoy or not at all | `convoy="fallback"`: by land where the convoy is not complete (DATC 2, the PyPI package `diplomacy`) |
| Paradoxes of convoys | Szykman's rule | `paradox="2000"`: the rule book of 2000 and 2023 word for word |
| Order in which units are asked | by area | `unit_order="mila"`: as DeepMind's networks were trained |

1. A year has Spring moves, Spring retreats, Fall moves, Fall retreats, and Winter adjustments. A
   phase without a decision is passed over.
2. In the moves each unit holds, moves to an area beside it, supports another unit in holding or
   moving, or, as a fleet at sea, convoys an army. An order is legal if it could be valid whatever
   the others order: a support needs a unit that could do what it is supported in, and a convoy
   needs a route of fleets that are at sea now. [How orders are decided](../diplomacy_adjudication.md)
   has the conditions and where readings of the rule book differ.
3. A dislodged unit retreats to an area beside it that is empty, that was not contested, and that
   its attacker did not come from (unless it came by convoy), or disbands. A unit that cannot
   retreat disbands at once. If two units retreat to one province, both disband.
4. After the Fall retreats a unit that stands in a supply centre takes it for its power.
5. In Winter a power with more centres than units builds in home centres that it still owns and that
   are empty, or waives; a power with more units than centres removes the difference.
6. A power without centres and units is eliminated: it is asked nothing more, and gets no messages.

Powers decide at the same time. In the AEC form they commit in seat order, unit by unit; orders
wait, hidden from the other seats, until the last power has given its last one. In the parallel form
all powers that owe an order act in each step; the others have `waiting` in their infos. No agreement
on a draw is taken.

## Action space

`Discrete(18584)`: DeepMind's list of orders. An order is `kind | p1 << 8 | p2 << 16 | p3 << 24`; the
unit p1, the target p2 and the supported or convoyed unit p3 are twice a province, plus 1 for a south
coast. The list is sorted by that number, and an action is a place in it (`tables.ORDERS`).

| Kind | Order | Actions | Text |
| --- | --- | --- | --- |
| 1 | move by convoy | 1,194 | `A YOR - NWY VIA` |
| 2 | convoy | 9,022 | `F NTH C A YOR - NWY` |
| 3 | hold | 75 | `A PAR H` |
| 4 | move | 419 | `A PAR - BUR`, `F MAO - SPA/NC` |
| 5 | support in holding | 412 | `A MAR S A PAR` |
| 6 | support in moving | 6,853 | `A MAR S A PAR - BUR` |
| 8 | disband, of a dislodged unit | 75 | `A BUR D` |
| 9 | retreat | 419 | `A BUR R PIC` |
| 10, 11 | build an army, a fleet | 22, 17 | `A PAR B`, `F STP/NC B` |
| 12 | remove | 75 | `A PAR D` |
| 13 | waive; pass in talk | 1 | `WAIVE` |

At most some 180 of them are legal at once.

## Observation space

`Box(0, 18584, (81, 109), int16)`: a row for each area. The first 35 columns are DeepMind's vector of an
area, and the next 35 the same as the last movement phase began (the board of now before there was
one), so that networks made for that vector can be fed with them.

| Columns | Content |
| --- | --- |
| 0-2 | an army, a fleet, no unit |
| 3-10 | its power, or none |
| 11, 12 | a unit can be built here; be removed |
| 13-15 | a dislodged army, fleet, none |
| 16-23 | its power, or none |
| 24-26 | land or coast; sea; one of two coasts |
| 27-34 | owner of the supply centre, or nobody; all 0 where there is no centre |
| 35-69 | columns 0-34 as the last movement phase began |
| 70-72 | actions + 1 of the orders given since then, by the area of the unit, those of the last phase in 72; `WAIVE` is left out |
| 73-77 | Spring moves, Spring retreats, Fall moves, Fall retreats, Winter |
| 78-84, 85-91 | builds and removals that each power was due as this Winter began |
| 92 | the area of the unit that is asked; in Winter all where the seat can build or remove |
| 93 | the seat's own orders of this phase that wait, as actions + 1 |
| 94-100 | the seat's power |
| 101 | the year less 1900 |
| 102-108 | 0; the kernel's place for welfare points, which this game does not have |

Columns 73-91 and 94-108 are the same in all rows. A fleet on a named coast is set in that coast and
in the province's main area.

## Starting state

The board of 1901, or with `map="france_austria"` the units and home centres of the two powers alone.
Nothing in the game is random.

## Rewards

Nothing until the end; then what `scoring` says, which adds up to 1 (with `scoring="centres"` to the
share of the centres that are owned).

## Episode end

Terminated by a solo, or when one power or team is left; truncated after `years`, and then scored as
it stands. One power's elimination ends nobody's episode.

## Players

| Policy | How it plays |
| --- | --- |
| `hold`, `passive` | holds, builds nothing, disbands what is dislodged, removes as civil disorder does |
| `passive-spin` | SPIN-Bench's neutral power: holds, and takes the first legal order outside movement |
| `disarm` | holds, and removes every unit that it may |
| `greedy` | every unit walks to the nearest centre that is not its own; no supports |
| `dumbbot` | David Norman's DumbBot, which values provinces by what can be won and lost there; the `heuristic` |
| `sbr:24?profiles=8` | sampled best response: the best of 24 own plans, DumbBot's with a third of the orders changed, against 8 samples of the other powers' DumbBot plans |
| `rm:16?iterations=128` | regret matching: 16 plans of each power, 128 rounds in which all of them learn; a plan drawn from the average strategy |
| `negotiator:0.8?accept=0.5` | DumbBot that talks, in games with at least two `rounds`: offers peace to neighbours, asks for supports, accepts with probability 0.5 what is proposed to it, and keeps a promise with probability 0.8 (both are 1 by default) |

`rule:NAME` names the first five, too. `sbr` and `rm` look at the board after the next moves: seven tenths for centres, as
if the game ended, and three tenths for the places of units. In retreats and in Winter they are DumbBot.

## Prompts

A reply holds all orders of one power in one phase. What is wrong with an order is told by one word, and
the good orders stand; a unit without an order holds, disbands or is removed by civil disorder, and
missing builds are waived.

| Word | The order |
| --- | --- |
| `no_such_unit`, `not_yours` | is for a unit that is not there, or another power's |
| `not_adjacent`, `no_route` | leads where the unit cannot come; or no fleets are where a convoy needs them |
| `wrong_coast`, `void_coast` | names a coast that cannot be reached, or none of two; supports a move to another coast |
| `wrong_phase` | is of another phase |
| `occupied`, `too_many` | builds where a unit stands; is more than is due |
| `twice` | is the second for the same unit |
| `no_such_order` | cannot be read |

With `rounds` a reply to a round of talk holds `messages` to other powers or to `all`. All powers speak
at the same time, and read in the next round what was said in this one.
"""

from stratagym.envs.core import GameSpec
from stratagym.envs.diplomacy.options import OPTIONS, sides

SPEC = GameSpec(
    name="diplomacy",
    title="Diplomacy",
    version=0,
    min_players=2,
    max_players=7,
    dynamics="simultaneous",
    information="imperfect",
    utility="constant_sum",
    max_game_length=3400,
    options=OPTIONS,
    seats_option="map",
    sides=sides,
    sources=(
        "The Rules of Diplomacy, Renegade Game Studios (2023)",
        "L. B. Kruijswijk: Diplomacy Adjudicator Test Cases (DATC) 3.1",
        "google-deepmind/diplomacy (numbers of provinces and actions, the vector of an area)",
        "SPIN-Bench (the fields of the prompt for movement)",
    ),
)
