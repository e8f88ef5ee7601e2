"""Tower defence.

A defender puts soldiers, walls and explosives on a field of five rows; an attacker sends demons into
the rows, at times of its choice. Both plan without knowing the other's plan, each within a budget, then
the battle runs by itself. One demon past the last column wins for the attacker.

This is the first of the three games of AdvGameBench (2025), from the tables of its paper. Its
program was published too, and plays another game: by the clock of the machine, so that its
results cannot be repeated.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Field | 5 rows y 0 to 4, 11 columns x 0 to 10; demons come in at the right and go left | |
| Time | ticks of 50 ms; speed 2 takes 280 ticks (14 s) for a whole row | |
| Plans | attacker: up to 64 demons (unit, row, time); defender: up to 55 units (unit, cell, time), one a cell; times 0 to 60 s in steps of 250 ms | |
| Budgets | attacker 1000, defender 4000 | `attacker_budget`, `defender_budget`: 25 to 16,000 in steps of 25; 0 is the setting's |
| Rounds | one | `rounds`: 1 to 20; the return is the mean of their results |
| Who plans after a round | one seat, after odd rounds the attacker; the other's plan stands | `updates="both"`, `first="defender"` |
| A plan over budget | is not legal | `over_budget="loses"`: legal up to four times the budget, and loses; prompts play so |
| A broken plan | there is none | `over_budget="loses"`: `void`, which loses to any plan |
| An explosive | goes off 500 ms after a demon on the ground has reached its cell | `fuse="placed"`: 500 ms after it was placed, as the released program's LinearExplosion |
| AntiAirSoldier | reaches flyers right of it in any row | `anti_air="row"`: in its own |
| A shot | flies past demons that it cannot hurt | `shots="block"`: the nearest demon takes it, hurt or not |
| Numbers | the paper's | `setting="released"`: those of the released prompts |
| Units in prompts | both sides' | `catalogue="own"`, as the released program |

Of two plans in a round that are no good, void is worse than over budget; of two over budget the one with the
smaller excess for its budget wins; two alike draw.

## The defender's units

| | Cost | HP | Every (ms) | Damage | |
| --- | --- | --- | --- | --- | --- |
| HandgunSoldier | 100 | 3 | 1000 | 1 | |
| RifleSoldier | 200 | 3 | 500 | 1 | |
| MachineGunSoldier | 400 | 3 | 250 | 1 | |
| ShieldSoldier | 50 | 15 | | | |
| EnhancedShieldSoldier | 100 | 30 | | | cannot be jumped over |
| FlamethrowerSoldier | 200 | 2 | 1000 | 1 fire | burns: 1 fire damage each 1000 ms, until 3000 ms after the last hit; another hit prolongs it and leaves the rhythm |
| IceSoldier | 200 | 2 | 1000 | 1 ice | half speed for 2000 ms from the last hit |
| AntiAirSoldier | 175 | 2 | 1000 | 1 air | flyers in any row right of it, nearest first; without one, demons on the ground of its row |
| Bomb | 200 | 50 | | 30 explosion | rows y-1 to y+1, columns x-1 to x+1; gone after it |
| LinearExplosion | 200 | 50 | | 30 explosion | every demon on the ground of its row; gone after it |
| MagneticSoldier | 100 | 2 | 2000 | | ShieldDemons and MachineDemons of its row lose their armour for good |
| LightMage | 150 | 2 | | | while it lives every shot fired from its row is of type light |
| RocketLauncherSoldier | 600 | 2 | 1000 | 2 explosion | and all demons on the ground within one row and one column of the target |

## The attacker's units

| | Cost | HP | Speed | Bite | |
| --- | --- | --- | --- | --- | --- |
| NormalDemon | 100 | 10 | 2 | 1 | |
| GreatDemon | 175 | 20 | 2 | 1 | |
| DemonKing | 800 | 100 | 2 | 5 | |
| SpeedyDemon | 150 | 10 | 4 | 1 | |
| ShieldDemon | 175 | 10 | 2 | 1 | takes 30% of normal and air damage while it has its armour |
| MachineDemon | 250 | 20 | 2 | 3 | takes 50% of normal and air damage while it has its armour; speed 3 from the first shot or explosion that hurts it |
| BouncingDemon | 150 | 10 | 2 | 1 | jumps a column forward at the first unit that it meets, once; not over an EnhancedShieldSoldier |
| ShieldBreakerDemon | 150 | 10 | 2 | 1 | bites a ShieldSoldier or EnhancedShieldSoldier for 5 |
| FireDemon | 150 | 10 | 2 | 1 | immune to fire, never burns |
| FrostDemon | 150 | 10 | 2 | 1 | immune to ice, never slowed |
| FlyingDemon | 200 | 10 | 2 | | only AntiAirSoldiers hurt it; never stops, never bites |
| ShadowDemon | 300 | 10 | 2 | 1 | while it lives, demons of its row in front of it take only light and explosion damage |
| SummoningDemon | 300 | 10 | 1 | 1 | every 5000 ms a NormalDemon one column in front of it |

`setting="released"`: AntiAirSoldier 100; GreatDemon 200, ShieldDemon 200, MachineDemon 300, SummoningDemon 400;
DemonKing HP 80; no Bomb, LightMage, RocketLauncherSoldier, ShadowDemon; budgets 1500 and 2000.

## A tick

1. Units come whose time it is: the defender's, then the attacker's, in the order of their plans.
2. Burning demons whose second has come lose 1. A shadow protects as in the tick before.
3. Summoners summon, in the order in which they came. There is room for 128 demons in all; those of the plan
   come before summoned ones.
4. Who is in a shadow is settled for the tick.
5. The defender's units act, row by row from row 0, each row from column 0. A gun shoots at the nearest
   demon of its row that is not left of its cell and that it can hurt; hits and deaths count at once. Light
   damage is never reduced; shadows stop all but light and explosions.
6. Demons act in the order in which they came: with a unit in the cell of its front a demon jumps, or bites
   every second, else it moves. Past column 0 the attacker has won.
7. Without a demon alive or to come the defender has won; so it has after 3600 ticks (180 s).

All intervals begin when a unit comes. An act whose time has come waits for a target, and the next is due an
interval after it.

## Action space

`Discrete(786)`.

| Actions | |
| --- | --- |
| 0 to 714 | `place RifleSoldier 3 2`: unit `u` to column x, row y, `55 * u + 11 * y + x` (the defender) |
| 715 to 779 | `send NormalDemon 1`: unit `u` into row y, `715 + 5 * u + y` (the attacker) |
| 780 to 782 | `wait 250`, `wait 1000`, `wait 5000`: the plan's clock goes on so many ms |
| 783 | `keep`: the plan of the round before stands; from round 2 on, as the first action |
| 784 | `done`, with at least one unit |
| 785 | `void`: a plan that breaks a rule |

Units come at the time that the clock shows. In words a plan is one JSON object.

## Observation space

`observation`: `Box(-1, 64, (32, 5, 11), float32)`, row y, column x.

| Plane | Content |
| --- | --- |
| 0-12 | the defender's units |
| 13 | when they come, of 60 s |
| 14-26 | the attacker's units by row and time: how many come from 6x to 6x + 6 s |
| 27 | what is left of the observer's budget, at least -1 |
| 28 | the clock of its plan, of 60 s |
| 29 | rounds played, of all |
| 30 | the last round for the observer: 1, 0, -1 |
| 31 | the observer's seat |

Own planes show the plan that stands until a new one is begun; the other side's its plan of the round
before.

`action_mask`: `Box(0, 1, (786,), int8)`.

## Starting state

No plans. The attacker (player 0) commits first; the defender is not shown what.

## Rewards

A round is +1 for its winner and -1 for the other; the return of a game is the mean of its rounds.

## Episode end

Termination after the last round. A plan has at most 305 actions.

## Balance

By `python -m benchmarks.advgame balance --game tower_defence`, with budgets of 1000 and 4000, intervals 95%:

| What | Seed 1 | Seed 2 |
| --- | --- | --- |
| uniform random micro-actions, 10,000 pairs: the defender wins | .422 [.412, .432] | .415 [.406, .425] |
| plans that fill the budget, 10,000 pairs | .415 [.405, .424] | .409 [.399, .419] |
| double oracle with hill climbing, 40 replies a role: its value for the defender, at the end and in the mean of the second half | .36, .28 | .35, .36 |
| the 20 late plans of each role, against each other: the defender wins | .28 | .33 |
| the best late plan of the attacker, of the defender, against the other's | .85, .70 | .85, .50 |
| winning replies found to late plans of the attacker, of the defender (1,200 simulations each) | 18, 20 of 20 | 20, 20 of 20 |

No plan dominates. The oracle of the frozen plans (`python -m stratagym.agents.plan_pools tower_defence`, in
`agents/data/plans`) began with climbed plans and archetypes and ends at .39 for the defender; a winning reply was found to all 43 of
the defender's plans of level 4 and the mixture, and to 46 of 47 of the attacker's. A prototype of these rules that
was written apart from this program, which gives the same winner and tick in 250 battles, came to .49. It gives the
defender .03 with the released budgets of 1500 and 2000, and .002 to .15 between climbed plans: no game for the defender
in a sealed round.

Plans that people would make, and the share of their rounds against 3,000 random legal plans:

| Defender | Cost | Wins | Attacker | Cost | Wins |
| --- | --- | --- | --- | --- | --- |
| guns | 3950 | .98 | king | 975 | .94 |
| mines | 3725 | .92 | air | 1000 | 1.00 |
| mixed | 3850 | .98 | shadow | 975 | .68 |
| | | | speed | 1000 | .52 |
| | | | spread | 1000 | .45 |
| | | | breakers | 900 | .39 |

`king` beats all three defenders, `air` beats guns and mixed and loses to mines, the others lose to all three.
`heuristic` plays guns, or king.
"""

from stratagym.envs import sealed
from stratagym.envs.core import GameSpec, Option

_BUDGET = sealed.budget(25, 16_000, 25)

SPEC = GameSpec(
    name="tower_defence",
    title="Tower defence",
    version=0,
    dynamics="simultaneous",
    information="imperfect",
    max_game_length=610,
    options={
        **sealed.options(_BUDGET, _BUDGET),
        "fuse": Option("contact", ("contact", "placed"), "what lights an explosive"),
        "anti_air": Option("any", ("any", "row"), "rows in which flyers are reached"),
        "shots": Option("past", ("past", "block"), "what becomes of a shot that cannot hurt"),
    },
    sources=(
        "Tracing LLM reasoning processes with strategic games: a framework for planning, revision, and "
        "resource-constrained decision making (2025), appendix A.1 (units, numbers)",
        "the program released with it, AdvGameBench (variants)",
    ),
)
