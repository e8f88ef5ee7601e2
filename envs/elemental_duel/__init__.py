"""Elemental duel.

Invaders and defenders each put three fighters in order and give every one three skills, within a budget.
Neither side sees the other's plan. Then the fighters use their skills in turn, without chance.

This is the turn-based combat game of AdvGameBench, played by the rules of its paper. The program released
with it plays another game: a chain of duels of one against one in which no status ever ticks or ends; that
is not offered. After a duel a side may plan anew, so that a game can have rounds.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Seats | 0 the invaders (attacker): Fire, Water, Dark; 1 the defenders: Wood, Earth, Light | |
| A plan | each element once, in any order; three different skills of its element each, used in that order and around | |
| Budget | 20 for the nine skills of a side; the cheapest plan costs 12 | `attacker_budget`, `defender_budget`: 12 to 27, 0 for 20 |
| HP | 100 for invaders, 135 for defenders: the paper gives none | `setting="released"`: 100 for all |
| Target of all that is hostile | the first living enemy | `target="weakest"`: the one with the least HP, the first of equals |
| fear_whisper | "reduces the target's damage taken" would help the enemy: it lessens what the target deals | `fear="self"`: what the user takes |
| Numbers | the paper's | `setting="released"`: those of the released prompts, below |
| Over budget | not legal | `over_budget="loses"`, as in the paper: it can be planned, and loses the round; the default in words |
| Rounds | 1; a game's return is the mean of its rounds' results | `rounds`: 1 to 20 |
| Who plans after a round | one seat: the first updater after odd rounds, the other after even ones; the other's plan stands | `updates="both"`: both, sealed |
| First updater | the invaders | `first="defender"` |
| Keep | from round 2 on a seat may leave its plan as it is | |
| What a prompt lists | both sides' skills | `catalogue="own"`: the own ones, as the released program |

A plan that breaks a rule is `void`, which can be played first under `over_budget="loses"`. A side that is
void or over budget loses the round without a duel. If both are, void loses to over budget, and of two
plans over budget the one with the smaller excess for its budget wins; else the round is a draw.

### A duel

A round is a turn of invaders 1 to 3, then of defenders 1 to 3; the dead pass. In its turn a living fighter
takes burning (5 a layer), then a vine's damage, then a bud's healing, then it uses its skill. Turns are
counted through, six a round: what lasts n rounds and was set at T works while now is at most T + 6 n, so that
after "1 round" its user's own next turn still profits. Set again it is refreshed; only burning layers add, all
to the new end, and timed shields, into one that ends with the latest of them.

Direct damage is the skill's, with divine_sword's bonus; times the element (Fire on Wood and Earth on Water
1.2, Wood on Fire and Water on Earth 0.8, Light and Dark on each other 1.5); times 1.3 warmth, 0.85 dispel,
0.9 fear, 0.8 quicksand of the attacker; times 1.5 brand, 1.2 ambush, 0.6 granite of the target: one product
of integers, rounded down once; less 30 under sanctuary; at least 1. Then

- under divine_link the attacker takes it instead;
- else under faith_emblem 20% of it, rounded down, is taken off and healed after the rest has hit, and the attacker takes 10;
- else the attacker takes 5 if the target's rock_armor held before the hit;
- hell_curtain's charge costs the attacker 30, quicksand 10, a seed 5.

All that takes HP goes through the timed shield, then the permanent one, except void_assimilation. Returned
and periodic damage is a fixed amount: no factor, no reduction, never returned. HP lost from any cause is
stored damage. Healing stops at the HP of the start; life_totem makes it 10% more.

Both sides dead at once: the invaders win. After 50 rounds more HP in all wins, the defenders if it is equal.

### Skills

| Skill (cost) | Effect | Skill (cost) | Effect |
| --- | --- | --- | --- |
| **Fire** | | **Wood** | |
| flame_splash 1 | 12; burning +1, 2 rounds | bud_healing 1 | bud, 3 rounds: 6 HP at each own turn |
| residual_warmth 1 | next damaging skill x1.3, 1 round | parasitic_seed 1 | 10; target takes 5 at each damaging skill, 3 rounds |
| burst_flame_bomb 2 | 25 + 3 a burning layer | life_totem 2 | heals 25, then healing +10%, 3 rounds |
| flame_whirlwind 2 | burning +4, 2 rounds | natural_purification 2 | own negative statuses off; 30 |
| magma_eruption 3 | 40 + 5 a layer; burning off | forest_reincarnation 3 | heals 60, half the excess (if > 1) is a shield for 3 rounds; 20 |
| hell_curtain 3 | 35; 1 charge, 2 rounds: next hit on the user returns 30 | poison_vine 3 | vine, 3 rounds: 25 at each turn of the target |
| **Water** | | **Earth** | |
| stream_pierce 1 | 10; then tide +1, for good | rock_armor 1 | shield 12, 3 rounds; returns 5 a hit while it is > 0 |
| water_barrier 1 | shield 5, 3 rounds; tide +1 | earth_shock 1 | 20 |
| whirlpool_strangle 2 | 20 + 4 a tide layer | granite_barrier 2 | takes 60%, 3 rounds |
| ice_branded 2 | 15; then target takes x1.5, 1 round | quicksand_trap 2 | target's next 3 hits within 3 rounds x0.8, each costs it 10 |
| tsunami_ending 3 | 30 + 5 a layer; tide 0 | earth_pulse 3 | permanent shield +8 per full 10% of HP lost |
| abyss_resonance 3 | 3 a layer; shield 6 a layer, 3 rounds; nothing at 0 | core_rebound 3 | 80% of stored damage, stored 0; nothing at 0 |
| **Dark** | | **Light** | |
| shadow_claw 1 | 14; heals 30% of HP taken | holy_glimmer 1 | one negative status off; heals 8; 8 |
| fear_whisper 1 | target deals x0.9, 3 rounds | faith_emblem 1 | next hit as above, 1 round |
| soul_siphon 2 | 25, +15 if target below half HP | divine_link 2 | next hit as above, 1 round |
| night_ambush 2 | 20; then target takes x1.2, 1 round | luminous_dispel 2 | one buff of the target off; it deals x0.85, 2 rounds |
| final_announcement 3 | 45 + 5 per full 10% of HP the target lacks | angelic_sanctuary 3 | each hit -30, 3 rounds |
| void_assimilation 3 | loses 20% of own HP, target loses twice that, past everything | divine_sword 3 | 20; next damaging skill +20, 1 round |

holy_glimmer removes the first there of burning, brand, ambush, fear, seed, vine, quicksand, dispel;
luminous_dispel of timed shield, curtain, warmth, one tide layer. The paper's spelling `final_announcment` is
read too.

`setting="released"`: costs 1, 1, 2, 3, 4, 5 by line; burst 4 a layer; whirlwind 5 layers, 3 rounds; magma 50 + 8;
curtain 45, returns 50, 3 rounds; whirlpool 6; brand 20, x1.6; tsunami 40 + 8; abyss 5 and 10 a layer, 4 rounds;
siphon 30 + 25; ambush 25, x1.25; final 55 + 8; void 25%, times 2.5; bud 7; totem 30, 15%; purification 40; forest
80, 60%, 30; vine 35, 4 rounds; armor returns 8; granite x0.55; quicksand 4 hits, x0.75, 15; pulse 10 and 10 damage a
step; rebound 120%; glimmer 9 and 9; dispel x0.8; sanctuary 40; sword 35, next x1.3.

80% of 1 is 0 rounded down, and the paper does not say whether core_rebound then hits. Here it does, for 1 as the least of
every hit; with `rebound="nothing"` it does nothing. Another side wins by that in 14 of 500,000 pairs of random plans (.00003, interval .00002 to .00005); the defenders win .393 under both readings.

### Balance

By `python -m benchmarks.advgame balance --game elemental_duel`, intervals 95%:

| What | Seed 1 | Seed 2 |
| --- | --- | --- |
| uniform random micro-actions, 10,000 pairs: the defenders win | .386 [.377, .396] | .399 [.389, .409] |
| plans that fill the budget, 10,000 pairs | .394 [.384, .403] | .396 [.386, .405] |
| double oracle with hill climbing, 40 replies a role: its value for the defenders, at the end and in the mean of the second half | .56, .68 | .40, .37 |
| the 20 late plans of each role, against each other: the defenders win | .67 | .39 |
| the best late plan of the invaders, of the defenders, against the other's | .85, .85 | .85, .65 |
| winning replies found to late plans of the invaders, of the defenders (1,200 simulations each) | 19, 17 of 20 | 17, 17 of 20 |

No plan dominates: both roles need to read the other's plan. The frozen mixture is worth .64 for the invaders; of its plans and those of
level 4, replies were found to 26 of 36 defenders' and 17 of 30 invaders'. With the released numbers and HP random micro-actions
win .18 for the defenders (20,000 games).

## Action space

`Discrete(11)`, micro-actions of which a seat's plan is made; the twelfth completes it:

| Action | Meaning | Text |
| --- | --- | --- |
| 0-2 | the next fighter's element: of the own three, in the order above | `element Fire` |
| 3-8 | the next skill of that fighter, in the order of its element's list | `skill flame_splash` |
| 9 | the old plan stands; first in a plan, from round 2 on | `keep` |
| 10 | a plan that breaks a rule; first, under `over_budget="loses"` | `void` |

A skill is legal if it is new to the fighter and the cheapest completion of the plan still fits.

Language models answer with a plan as one JSON object: `{"invaders": [{"element": "Fire", "skills":
["flame_splash", "residual_warmth", "burst_flame_bomb"]}, ...]}`, the other side's with `defenders`;
`{"keep": true}` keeps.

## Observation space

`observation`: `Box(-1, 1, (137,), float32)`.

| Numbers | Content |
| --- | --- |
| 0-62 | the own plan: for each fighter its element of three, then a one at 3 x skill + place for each of six skills and three places |
| 63-125 | the other's plan of the round before, the same; zeros in round 1 |
| 126 | own budget left / budget, at least -1 |
| 127-129 | the fighter that is to be planned |
| 130-133 | what of it: its element, or its first, second or third skill |
| 134 | round / rounds |
| 135 | result of the last round for the observer: 1, 0, -1 |
| 136 | seat |

The own plan is the one that stands until the first micro-action of a commit, then the one being made.
127-133 are zeros for a seat that has nothing to plan.

`action_mask`: `Box(0, 1, (11,), int8)`.

## Starting state

No plans. The invaders commit first into the record, then the defenders, who see nothing of it.

## Rewards

After each round 1 / `rounds` for the winner and as much less for the loser, 0 for both in a draw.

## Episode end

Termination after the last round. A plan has at most 12 micro-actions, a game 24 x `rounds`.
"""

from stratagym.envs import sealed
from stratagym.envs.core import GameSpec, Option

SPEC = GameSpec(
    name="elemental_duel",
    title="Elemental duel",
    version=0,
    dynamics="simultaneous",
    information="imperfect",
    max_game_length=24,
    options={
        **sealed.options(sealed.budget(12, 27), sealed.budget(12, 27)),
        "target": Option("first", ("first", "weakest"), "whom hostile skills aim at"),
        "fear": Option("target", ("target", "self"), "what fear_whisper lessens"),
        "rebound": Option(
            "one", ("one", "nothing"), "damage of core_rebound at 1 stored", came_later=True
        ),
    },
    sources=(
        "AdvGameBench, appendix A.3 (elements, skills, costs, numbers)",
        "The prompts of the program released with it (setting released)",
    ),
)
