"""Battle card.

Invaders and defenders each buy up to seven units within a budget, put them in a row from left to right,
and name enemies to be attacked first. Neither side sees the other's plan. Then the units fight by
themselves, without chance.

This is the battle card game of AdvGameBench, played by the rules of its paper; see the differences
below. After a battle a side may plan anew, so that a game can have rounds.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Seats | 0 the invaders (attacker), 1 the defenders | |
| Budgets | 20 for the invaders, 16 for the defenders | `attacker_budget`, `defender_budget`: 1 to 80, 0 for the setting's |
| A plan | 1 to 7 units, bronze or gold, from left to right; up to 11 enemy units to attack first, each once | |
| Gold | costs three times as much; attack, health and every number in its ability are doubled | |
| Elements | Fire beats Nature, Nature Water, Water Earth, Earth Fire: an attack or strike-back on the beaten element does a quarter more, rounded up | `elements="off"`: no effect, as the released program |
| Excess of BanditLeader | goes on from target to target | `excess="once"`: to one more, as the released program |
| Numbers | the paper's units, with budgets under which both sides can win | `setting="released"`: units and budgets (20 / 20) of the released prompts |
| Over budget | not legal | `over_budget="loses"`, as in the paper: it can be planned, up to four times the budget, and loses the round; the default in words |
| Rounds | 1; a game's return is the mean of its rounds' results | `rounds`: 1 to 20 |
| Who plans after a round | one seat: the first updater after odd rounds, the other after even ones; the other's plan stands | `updates="both"`: both, sealed |
| First updater | the invaders | `first="defender"` |
| Keep | from round 2 on a seat may leave its plan as it is | |
| What a prompt lists | both sides' units | `catalogue="own"`: the own ones, as the released program |

A plan that breaks a rule is `void`, which can be played first under `over_budget="loses"`. A side that is
void or over budget loses the round without a battle. If both are, void loses to over budget, and of two
plans over budget the one with the smaller excess for its budget wins; else the round is a draw.

### Units

Cost, attack/health of bronze units. The paper names no elements of units: they are the released program's.

| Invaders | Element | Cost | Numbers | Ability |
| --- | --- | --- | --- | --- |
| FireLizard | Fire | 1 | 2/2 | death: 2 damage to the unit whose hit killed it |
| WaterElemental | Water | 1 | 2/2 | attacking: first +1 attack |
| PoisonFrog | Water | 2 | 1/1 | what it damages dies, by its strike-back too |
| MoltenHound | Fire | 2 | 3/1 | death: 1 damage to all enemies |
| BattleFrenzy | - | 2 | 7/4 | after its attack: -4 attack, not below 0 |
| BanditLeader | - | 3 | 8/3 | excess damage goes on to the next target |
| LavaGolem | Fire | 3 | 1/8 | taunt; its attacker burns: loses 3 health before each own attack |
| TideGuardian | Water | 3 | 4/2 | shield; attacks twice |
| TideLord | Water | 5 | 4/9 | damaged and alive: its attack doubles, up to 999 |
| Phoenix | Fire | 5 | 5/5 | hits both neighbours of its target too; comes back once |
| ShadowOverlord | - | 5 | 4/4 | death: summons SlowSkeleton 3/1 |

| Defenders | Element | Cost | Numbers | Ability |
| --- | --- | --- | --- | --- |
| Sapling | Nature | 1 | 2/2 | attacking: first +1 health |
| RockBeetle | Earth | 1 | 1/5 | taunt |
| ForestSeer | Nature | 2 | 2/2 | start: other Nature allies +1/+2 |
| StoneWarrior | Earth | 2 | 2/5 | taunt; death: summons RockBeetle |
| EliteSoldier | - | 2 | 1/1 | start: its neighbours get a shield and +1 attack |
| Paladin | - | 3 | 3/6 | shield; +2 attack when another friend loses a shield |
| BlackRock | Earth | 3 | 5/1 | start: +3 health for each other friend |
| VineProtector | Nature | 3 | 5/4 | death: friends regain 2 health, up to their most |
| King | - | 5 | 3/10 | attacking: summons Soldier 2/2 with a shield |
| MountainGiant | Earth | 5 | 4/9 | taunt; its attacker loses 2 attack |
| AncientTreant | Nature | 5 | 4/4 | start: all other allies +3/+3 |

`setting="released"`: TideLord 4/10 for 4; Phoenix and ShadowOverlord for 4, the latter's skeletons fill all
free places; ForestSeer 1/2, gives +1/+1; BlackRock 2/1; VineProtector 3/4; King 3/12 for 4, its Soldier 1/1;
MountainGiant for 4; AncientTreant 2/3 for 4, gives +2/+2.

### A battle

Start effects: the defenders' from left to right. The side with more units has the initiative, the invaders
if there are as many. In a round of the battle the units that live at its start attack in turn: the first of
the side with the initiative, the first of the other, the second, and so on, each if it is still alive.
Summoned units stand at the right end, only while fewer than seven of the side live, have the summoner's tier
and attack from the next round on. One attack of A:

1. If A burns it loses that much health; dead, it does not attack.
2. The target: living enemies with taunt if there are any, else all; of these the first name in the side's
   priorities that is there, the leftmost of that name, else the leftmost.
3. WaterElemental, Sapling and King do what they do when attacking.
4. A does its damage, a Phoenix also to the nearest living units left and right of the target. The target
   strikes back with the attack it had before; neighbours do not. Zero does nothing. A shield takes one
   hit whole: no poison, no doubling, no excess. When one is lost, every other living Paladin of that side
   gains attack.
5. If A's attack was above 0, shield or not, a LavaGolem that is the target sets A burning, a MountainGiant
   takes of A's attack.
6. A BanditLeader's excess goes on, without element or strike-back, until it is used up or meets a shield.
   A BattleFrenzy loses attack. Then deaths are settled: invaders, then defenders, from left to right, each
   death doing what it does at once, until nothing dies. A TideGuardian does 2 to 6 twice.

After every attack: all defenders dead, the invaders win, also when they are all dead too; all invaders dead,
the defenders win. After 100 rounds more health in all wins, the defenders if it is equal.

The paper does not say whether a shield takes what burning costs (step 1). Here it does not; with `burn="shield"` it does, and
is gone. Another side wins by that in 41 of 500,000 pairs of random plans (.00008, interval .00006 to .00011), and in 47 of
500,000 pairs that fill the budget; the defenders win .351 and .344 of these under both readings.

### Balance

The paper gives no budgets. With 20 on both sides its table is dominated: AncientTreant, BlackRock and
StoneWarrior or EliteSoldier lost to nothing that was found. At 20 to 16 both sides can win. By
`python -m benchmarks.advgame balance --game battle_card`, intervals 95%:

| What | Seed 1 | Seed 2 |
| --- | --- | --- |
| uniform random micro-actions, 10,000 pairs: the defenders win | .348 [.339, .357] | .344 [.335, .353] |
| plans that fill the budget, 10,000 pairs | .340 [.330, .349] | .344 [.334, .353] |
| double oracle with hill climbing, 40 replies a role: its value for the defenders, at the end and in the mean of the second half | 1.00, .79 | .73, .82 |
| the 20 late plans of each role, against each other: the defenders win | .77 | .71 |
| the best late plan of the invaders, of the defenders, against the other's | .65, 1.00 | .75, .95 |
| winning replies found to late plans of the invaders, of the defenders (1,200 simulations each) | 14, 9 of 20 | 19, 14 of 20 |

So there are defenders' plans to which a reply is hard to find, and against climbed plans the defenders are ahead. Of the frozen
mixture and of level 4, replies were found to 6 of 13 defenders' plans and to 22 of 27 invaders'; to the one plan that is the defenders' whole mixture, none.
At 20 to 20 random micro-actions win .55 for the defenders (20,000 games).

## Action space

`Discrete(36)`, micro-actions of which a seat's plan is made:

| Action | Meaning | Text |
| --- | --- | --- |
| 0-10 | buy own unit k, bronze | `buy King` or `buy King bronze` |
| 11-21 | buy own unit k - 11, gold | `buy King gold` |
| 22-32 | append the enemy's unit k - 22 to the priorities | `prefer Phoenix` |
| 33 | the old plan stands; first in a plan, from round 2 on | `keep` |
| 34 | the plan is complete; it has a unit | `done` |
| 35 | a plan that breaks a rule; first, under `over_budget="loses"` | `void` |

Language models answer with a plan as one JSON object: `{"defenders": [{"name": "King", "tier": "Gold"}],
"target_priority_for_defenders": ["Phoenix"]}`, the other side's with `invaders`; `{"keep": true}` keeps.

## Observation space

`observation`: `Box(-1, 1, (336,), float32)`.

| Numbers | Content |
| --- | --- |
| 0-153 | the own plan: 7 places by 22, a one for the unit there, gold ones from 11 on |
| 154-164 | own priorities: (rank + 1) / 11 of each enemy unit, 0 if it is not named |
| 165-329 | the other's plan of the round before, the same; zeros in round 1 |
| 330 | own budget left / budget, at least -1 |
| 331 | entries of the own plan / 7 |
| 332 | round / rounds |
| 333 | result of the last round for the observer: 1, 0, -1 |
| 334 | seat |
| 335 | 1 if a round has been played |

The own plan is the one that stands until the first micro-action of a commit, then the one being made.

`action_mask`: `Box(0, 1, (36,), int8)`.

## Starting state

No plans. The invaders commit first into the record, then the defenders, who see nothing of it.

## Rewards

After each round 1 / `rounds` for the winner and as much less for the loser, 0 for both in a draw.

## Episode end

Termination after the last round. A plan has at most 19 micro-actions, a game 38 x `rounds`.
"""

from stratagym.envs import sealed
from stratagym.envs.core import GameSpec, Option

SPEC = GameSpec(
    name="battle_card",
    title="Battle card",
    version=0,
    dynamics="simultaneous",
    information="imperfect",
    max_game_length=38,
    options={
        **sealed.options(sealed.budget(1, 80), sealed.budget(1, 80)),
        "elements": Option("on", ("on", "off"), "whether elements count"),
        "excess": Option("chain", ("chain", "once"), "how far a bandit leader's excess goes"),
        "burn": Option(
            "through", ("through", "shield"), "whether a shield takes a burn", came_later=True
        ),
    },
    sources=(
        "AdvGameBench, appendix A.2 (units, numbers, battle)",
        "The program released with it (elements of units; setting released)",
    ),
)
