"""Street fighter.

Two fighters with the same moves, those of Ken in Street Fighter III 3rd Strike, on a stage of 384
pixels. The frames of his moves, what they do on hit and on block, damage, stun and meter are the
published ones; how far they reach is ours. There are no pictures and no ROM in it: a match is a record
of numbers that trains and plays anywhere.

It stands in for the fighter of DSGBench (2025), which runs the arcade game in DIAMBRA's arena; inputs have
DIAMBRA's numbers, and language models name the moves that the benchmark's paper names. It is another
game than the arcade's, so figures do not compare. Its players play the arcade game too, in [DIAMBRA's arena](../diambra.md).

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Decision | one input of each fighter, held for 6 frames of a sixtieth of a second | `frames`: 1 to 6 |
| Round | 160 health, 99 seconds; more health wins, equal health and a double knock-out give it to both | |
| Match | two rounds won; who both has them draws | `rounds=1`: as the paper's code plays |
| Chance, information | none; both see everything but the other's input of the same decision | |
| Rewards | 1, -1 for the match, 0 for a draw | `rewards="health"`: health the other lost less own, of 160, as it happens |
| Named moves in replies | as below | `macros="as_coded"`: as the released code reads them |

Middles of bodies start at x 112 and 272 and stay within 16 and 368. A body is 40 wide, 96 high standing and
64 crouching. Bodies on the ground never overlap: both are pushed apart evenly, at a wall the other one.
A fighter turns round when it is free. Positions are whole half pixels.

| Movement | Frames | Pixels |
| --- | --- | --- |
| walk forward, back | | 3, 2 a frame |
| dash forward, back: two taps with a No-Move between | 17, 16 | 60, 40 |
| jump up, forward, back | 4 + 34 + 2, 4 + 35 + 2, 4 + 36 + 2 | 0, 4, 3 a frame in the air; height in air frame f of n is 96 * 4 f (n - f) / n<sup>2</sup> |

Nothing comes out before a fighter is free. A button acts in the first frame of its decision in which its
fighter is free, and is lost if there is none.

## Moves

Frames are startup, active, recovery; the frame of the contact is the first of a stun. *Hit*, *crouching* and
*block* are the frames by which the attacker is free before the victim, if the first active frame touches.
*Down* knocks down. Reach is in pixels from the middle of the body to where the victim's body begins, for
throws between the bodies. Meter is for a whiff, a hit and a block.

| Id | Move | Frames | Damage, stun | Hit | Crouching | Block | Guard | Reach | Meter |
| ---: | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | close LP | 4/3/5 | 3, 3 | +3 | +3 | +3 | any | 52 | 0/2/1 |
| 2 | far LP | 6/3/4 | 3, 3 | +4 | +4 | +4 | any | 60 | 0/2/1 |
| 3 | close MP | 5/4/10 | 17, 7 | +2 | +3 | +1 | high | 54 | 2/11/6 |
| 4 | far MP | 7/3/10 | 16, 11 | +4 | +5 | +3 | high | 68 | 2/11/6 |
| 5 | close HP | 7/3/15 | 23, 15 | 0 | +2 | -2 | high | 54 | 3/19/10 |
| 6 | far HP | 10/3/15 | 23, 13 | +2 | +4 | 0 | high | 76 | 3/19/10 |
| 7 | LK | 5/4/7 | 7, 3 | +2 | +2 | +2 | any | 66 | 0/2/1 |
| 8 | MK | 9/7/16 | 19, 15 | -2 | 0 | -6 | high | 76 | 2/11/6 |
| 9 | HK | 12/6/19 | 26, 11 | -2 | 0 | -4 | high | 82 | 3/19/10 |
| 10 | crouch LP | 5/3/5 | 3, 3 | +3 | +3 | +3 | any | 56 | 0/2/1 |
| 11 | crouch MP | 6/4/7 | 16, 7 | +4 | +5 | +3 | any | 64 | 2/11/6 |
| 12 | crouch HP | 8/5/17 | 23, 13 | -4 | -2 | -6 | any | 52 | 3/19/10 |
| 13 | crouch LK | 6/3/7 | 3, 3 | +1 | +1 | +1 | low | 62 | 0/2/1 |
| 14 | crouch MK | 7/5/17 | 15, 3 | -3 | -2 | -4 | low | 76 | 2/11/6 |
| 15 | crouch HK | 7/5/26 | 23, 3 | down | down | -14 | low | 80 | 3/19/10 |
| 16 | jump LP | 5/to landing/- | 8, 7 | stun 14 | stun 14 | stun 12 | overhead | 56 | 0/2/1 |
| 17 | jump MP | 6/5/- | 17, 11 | stun 14 | stun 14 | stun 12 | overhead | 60 | 2/11/6 |
| 18 | jump HP | 7/4/- | 23, 15 | stun 14 | stun 14 | stun 12 | overhead | 64 | 3/19/10 |
| 19 | jump LK | 5/10/- | 8, 5 | stun 14 | stun 14 | stun 12 | overhead | 60 | 0/2/1 |
| 20 | jump MK | 6/6/- | 16, 9 | stun 14 | stun 14 | stun 12 | overhead | 64 | 2/11/6 |
| 21 | jump HK | 7/4/- | 22, 13 | stun 14 | stun 14 | stun 12 | overhead | 68 | 3/19/10 |
| 22 | throw | 3/1/21 | 27, 12 | down | down | - | none | 24 | 0/7/0 |
| 23 | forward throw | 3/1/21 | 21, 8 | down | down | - | none | 24 | 0/8/0 |
| 24 | back throw | 3/1/21 | 19, 14 | down | down | - | none | 24 | 0/8/0 |
| 25 | overhead | 16/8/7 | 7, 3 | 0 | +1 | -5 | overhead | 64 | 0/2/1 |
| 26 | taunt | 16/2/27 | 2, 6 | -18 | -18 | -18 | any | 40 | 4/8/6 |
| 27 | Hadouken | 12/ball/38 | 10, 3 | -18 | -18 | -11 | high | ball | 0/2/1 |
| 28 | EX Hadouken | 12/ball/38 | 20, 5 | down | down | -6 | high | ball | -40 |
| 29 | LP Shoryuken | 3/8/26 | 26, 11 | down | down | -17 | any | 54 | 3/21/15 |
| 30 | MP Shoryuken | 4/14/28 | 28, 15 | down | down | -24 | any | 54 | 3/22/16 |
| 31 | HP Shoryuken | 4/21/32 | 32, 15 | down | down | -31 | any | 54 | 3/23/17 |
| 32 | EX Shoryuken | 2/20/38 | 34, 17 | down | down | -36 | any | 54 | -40 |
| 33 | LK Tatsumaki | 7/7/14 | 19, 9 | down | down | -5 | high | 60 | 3/19/13 |
| 34 | MK Tatsumaki | 7/14/15 | 23, 13 | down | down | -6 | high | 60 | 3/21/15 |
| 35 | HK Tatsumaki | 7/17/15 | 27, 15 | down | down | -7 | high | 60 | 3/22/16 |
| 36 | Shoryureppa | 1/34/45 | 69, 6 | down | down | -38 | any | 60 | -80 |
| 37 | Shippu Jinraikyaku | 2/9/27 | 51, 16 | down | down | -11 | high | 66 | -80 |

Close normals come out while the middles are at most 50 apart. Crouch normals need a direction with Down in
the decision before the button; a throw's kind is the direction before it. Hadoukens start 30 before the
body, fly 5 (EX: 8) pixels a frame between heights 40 and 64, one of each fighter at a time, and two that meet
are both gone. Tatsumakis move 2 pixels a frame while they are active. Nothing touches a Shoryuken up to its
third active frame.

## Contacts

- A move touches in its first active frame in which the other is ahead within reach. Who jumps is touched
  below 32 by any move, below 96 by crouch HP and Shoryukens; by jump moves if the feet are within 48 of
  each other. A jump move touches who stands from feet at most 64 high, who crouches at most 40; one
  move a jump.
- Holding back blocks standing, down and back crouching: guard *high* and *overhead* standing, *low* crouching,
  *any* both. Nobody blocks in the air. Specials and supers do an eighth of their damage, rounded up, to who
  blocks.
- A parry is a tap of forward (*low*: down) that was not given before. It is open for 10 frames, for 6 if the
  direction is held on, in the air for 7; then there is no new one for 23 frames, in the air 20. Both stand
  still for 16 frames, then the parrier is free, and the attacker's move goes on.
- A throw is escaped by LP+LK in the six frames before it touches; it does not touch who is in stun, in
  the air or lying. A strike in the same frame beats it; two throws escape each other.
- A hit in the air knocks down. Who is knocked down is free after 75 frames, 48 with Down in the first
  decision, and nothing touches it until then. Moves that touch each other in one frame both count.
- A hit pushes the victim 12 pixels, a block 16; what the wall takes of it moves the attacker back. Balls push
  the victim only.
- The k-th hit of a combo, while the last one's stun lasts, does 100, 90, 80, ... percent, at least 30. The first
  hit after a finished taunt does 131 percent.
- A normal that has touched gives way to a special or super, from the contact to 6 frames after its active
  ones.
- Stun falls by 1 in 22 frames. At 64 a fighter is dizzy for 120 frames after it has stood up, 6 fewer for
  each changed input, and gains none meanwhile.
- Meter goes to 240 and stays between rounds; the victim gains 1 for 8 damage, who parries 2.

## Action space

`Discrete(18)`, DIAMBRA's: 0 No-Move, 1 Left, 2 Left+Up, 3 Up, 4 Up+Right, 5 Right, 6 Right+Down, 7 Down, 8 Down+Left, 9
Low Punch, 10 Medium Punch, 11 High Punch, 12 Low Kick, 13 Medium Kick, 14 High Kick, 15 LP+LK (throw), 16 MP+MK
(overhead), 17 HP+HK (taunt). All are always legal.

Motions are read from the directions of the last 8 decisions, as if the fighter looked right; others may lie
between, but the motion's last direction must be the latest before the button. A special or super that comes
out empties this memory.

| Motion | Button | Brings |
| --- | --- | --- |
| 5 7 6 5 7 6, or 7 6 5 7 6 5 | punch, kick | Shoryureppa, Shippu Jinraikyaku, with 80 meter |
| 5 7 6 | punch | Shoryuken |
| 7 6 5 | punch | Hadouken |
| 7 8 1 | kick | Tatsumaki |
| Hadouken or Shoryuken | the same button in the next decision | its EX form from frame 0, with 40 meter, if it has not touched |

A reply of a language model lists named moves, `- Fireball`; each is played as these inputs, for who looks right, and a
No-Move.

| Name | Inputs |
| --- | --- |
| Move Closer, Move Away | 5 5 5 5, 1 1 1 1 |
| Jump Closer, Jump Away | 4 4 4 4, 2 2 2 2 |
| Fireball | 7 6 5 10 |
| Megapunch | 5 7 6 11 |
| Hurricane | 7 8 1 12 |
| Megafireball | 7 6 5 10 10 |
| Super attack 2, 3, 4 | 5 7 6 11 11, 5 7 6 5 7 6 11, 5 7 6 5 7 6 12 |
| Low Punch to High Kick, and the three pairs | the button |

Directions of named moves are those of the time when they are played, so that a macro is not reversed by a
fighter that has jumped over. Up to ten moves of a reply are taken. In the released code the right-hand Super attack 4 has a
stray 11 before 12, and its pattern of names stops at `+`, so that no pair can be chosen.

## Observation space

`observation`: `Box(-1, 1, (146,), float32)`, as if the observer looked right.

| Numbers | Content |
| --- | --- |
| 0-11 | own x, height, speed, health, stun, meter of the stock, stocks, frame of the move or jump, frames of stun left, whether nothing touches it, parry window, its rest |
| 12-21 | own stance: stands, crouches, forward, back, dash, jump, hit, block, down, dizzy |
| 22-59 | own move, by its id |
| 60-62 | own ball: x, speed, 0.5 a Hadouken, 1 an EX Hadouken; 0 without |
| 63-125 | the same of the other |
| 126-128 | time left, rounds won, rounds lost |
| 129 | distance, negative while the observer looks left: inputs are not mirrored |
| 130-131 | how far each is from the wall behind it, own first |
| 132-139 | own last 8 inputs as if looking right, of 17 |
| 140-145 | in the last decision, own and the other's: hit, blocked, parried |

`action_mask`: `Box(0, 1, (18,), int8)`.

## Starting state

Always the same. Both decide at the same time, Player 0 on the left at first.

## Rewards

At the end, or with every loss of health under `rewards="health"`.

## Episode end

Termination after the last round; a match has at most 5,940 decisions of both.

## Speed

`python -m benchmarks.throughput --game street_fighter`: in random play 4.3 million player decisions per CPU-second in
the bulk loop, 2.9 million with observations, 1.5 million by Python calls, 207,000 in the AEC loop (one core of an AMD EPYC,
2026-11-24). A decision is six frames; a state has 168 bytes.

## What is ours, and why

- Reaches, the stage, lengths of dashes, walking and jumping speeds, the push-backs, both supers at once, the EX by a
  second press (in the arcade: two punches, one super art chosen before).
- The state does not know when a model was last asked. The prompt tells the score of the round, where the paper's code tells
  that since the last question. Below the paper's fields it tells the whole position exactly.
- A macro that is hit goes on: what does not come out is lost.
- Hit by a Hadouken, the victim has 20 frames of stun: it is worse for the attacker, from near by, than a block.
- An escaped throw leaves both in block stun for 20 frames, 24 pixels farther apart.
- One move alone does not win. Matches won of 100 by scripts that walk up and repeat one thing
  (`PYTHONPATH=tests python tests/games/street_fighter/test_street_fighter_play.py`):

| Script | Lv1 | Lv2 | Lv3 | Lv4 | Lv5 | Lv6 | Lv7 | Lv8 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| Low Punch | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |
| Medium Punch | 85 | 67 | 30 | 18 | 2 | 3 | 0 | 0 |
| High Kick | 96 | 77 | 35 | 6 | 0 | 0 | 0 | 0 |
| Medium Kick | 92 | 60 | 33 | 8 | 4 | 2 | 0 | 0 |
| crouch HK | 100 | 99 | 90 | 52 | 21 | 4 | 0 | 0 |
| crouch MK | 90 | 46 | 21 | 4 | 3 | 0 | 0 | 0 |
| throw | 81 | 74 | 45 | 32 | 26 | 28 | 25 | 31 |
| Megapunch | 100 | 99 | 92 | 65 | 33 | 22 | 22 | 15 |
| jump and kick | 17 | 5 | 1 | 0 | 0 | 0 | 0 | 0 |
| Fireball | 6 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |
| block | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |
| block low, throw | 57 | 35 | 28 | 23 | 16 | 23 | 17 | 28 |
| Hurricane | 5 | 0 | 1 | 0 | 0 | 0 | 0 | 0 |
| overhead | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |

"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="street_fighter",
    title="Street fighter",
    version=1,
    dynamics="simultaneous",
    information="imperfect",
    max_game_length=5940,
    options={
        "frames": Option(6, integer(1, 6), "frames of a decision, of a sixtieth of a second"),
        "rounds": Option(3, (1, 3), "the most rounds of a match"),
        "macros": Option("mended", ("mended", "as_coded"), "how the named moves are read"),
        "rewards": Option("match", ("match", "health"), "what returns are: who wins, or health"),
    },
    sources=(
        "Street Fighter III 3rd Strike, Ken's frames as collected in the Frame Assistant Tool "
        "(github.com/D4RKONION/FAT)",
        "DIAMBRA Arena (actions), LLM Colosseum (named moves)",
        "DSGBench, arXiv:2503.06047 (prompt, metrics)",
    ),
    decision_seconds=lambda rules: rules.frames / 60,
)
