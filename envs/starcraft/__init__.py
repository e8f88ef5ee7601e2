"""StarCraft, Protoss against Protoss.

Both players mine minerals and gas, build a base, choose technologies, train an army and fight, in
real time and without seeing what the other does. The first player without a base, and without the means to
build one, has lost.

This is a simulation of StarCraft II's economy, technology and armies on nine regions, not the game
itself. It exists because DSGBench's worlds need Windows and accounts, and so that a
policy can be trained in them. Costs, times, hit points and weapons are the game's; squads, regions and
the way in which fights are decided are a simplification. Results here say nothing about results there. Its
players play [the real game](../starcraft2.md) too.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Time | ticks, 22.4 a second | |
| Decisions | every 45 ticks (2.01 s) one action of each player, both at once | `decision_ticks`: 8 to 224 |
| Start | Nexus with 50 energy, 12 Probes, 50 minerals, supply 12 of 15 | |
| A player loses | without a structure, or without a Nexus (in building counts) and without a Probe or 400 minerals for one; both at once: a draw | `win="bases"`: without a Nexus; `win="structures"`: without a structure |
| Length | 30 minutes, then a draw | `minutes`: 1 to 120; `timeout="value"`: who has more minerals and gas in army and structures wins |
| Reward | +1 for the winner, -1 for the loser | `army_reward="value"`: also 0.001 for each mineral and gas that the own army is worth more than the other; for training |
| Defence | squads at home go where fighters attack a base | `defend="none"` |
| Moves of a reply | one at each next decision | `plan="spread"`: an EMPTY ACTION after each, as in DSGBench's released configuration |
| Chance | none, but for what scripted players draw | |

### Map

Nine regions: own main, natural, third and fourth (0 to 3), the centre (4), and the enemy's fourth, third,
natural and main (5 to 8). Each seat numbers them from its own side. Ways on the ground, in map units:
0-1 30, 1-2 35, 1-4 55, 2-4 45, 2-3 40, 3-4 40, and the same on the other side. From main to main it is 170:
a Zealot takes 54 s. Flyers alone fly straight; the regions lie at (20, 20), (44, 30), (30, 62),
(62, 24) and (60, 60). A way takes `ceil(length / (speed / 16))` ticks.

### Economy

- Stores count in 1/1344 of a mineral, so that all sums are whole. In a tick a Probe brings 58 of them as one of the
  first two on a patch, 20 as the third; in an Assimilator the first two bring 61 each and the third 41.
- A base has 8 patches until 7,200 of its 10,800 minerals are mined, then 4; two geysers hold 2,250 gas each.
- Probes place themselves: three in every Assimilator of a standing base, as long as eight stay on minerals; two on
  every patch, base by base; then a third; the rest is idle.
- Supply: 15 a Nexus, 8 a Pylon, at most 200. Cost and supply are taken with the order. Nothing can be cancelled.
- For a structure a Probe is away for 134 ticks, and the building begins after 67 (a Nexus beyond the natural: after the way from
  the nearest base). Nexus go to main, natural, third, fourth; Assimilators to the first free geyser; Cannons and
  Batteries to the outermost base; all else to the main. At most 24 are in building.
- Without a Pylon everything but Nexus, Pylon and Assimilator stands still. A building does one thing at a time.
- Chrono Boost takes 50 of a Nexus's energy (9/256 more in a tick, at most 200): 1.5 times the speed for 448 ticks.
- After WARPGATERESEARCH idle Gateways become Warp Gates (160 ticks). Their unit stands after 90 ticks, at the rally point or with
  a Warp Prism; the gate is ready after the time in brackets below.
- Caps: Nexus 4, Assimilator 8, Pylon 24, Gateways and Warp Gates 12, Robotics Facility and Stargate 4, Forge 2, Photon Cannon 12,
  Shield Battery 8, all others 1.

### Squads, scouts, sight

- Units gather at the rally point, the outermost own base. A seat has at most six squads; a unit without room waits in its building.
- MULTI-ATTACK sends all squads at home to the nearest region with an enemy structure that the seat remembers; if it knows none, to the one of
  the enemy's main, natural, third and fourth that it has not seen for longest. A squad stops wherever it can hit something.
- MULTI-RETREAT: squads turn round on their way; those that stand wait 32 ticks, are hit and do not hit.
- A scout visits the centre, the enemy's third, natural, main, natural, the centre, and comes home. It looks round for
  90 ticks at each of the enemy's, and dies after 67 ticks beside something that can hit it.
- A seat sees the regions where it has something, and remembers what it last saw of the others, with the time. Dark
  Templar and Observers are seen and hit only by a side that has an Observer, a working Cannon or an Oracle there (Oracle: ours).

### Fights

Every 8 ticks in each region with both sides, at the same time for both. Damage is added up by type: `number x share x 8 /
cooldown x strikes x splash x damage of a hit`, shared among the targets of the first tier that a weapon can hit: armed
units, Cannons and fighting Probes; then other Probes, unarmed units and Batteries; then structures, one at a time. A hit
does `f max(.5, damage - shield level) + (1 - f) max(.5, damage - armour - armour level)`, f being the shield's share of the toughness.

- Melee units strike 45 ticks after a fight begins if they came, 22 if they stood; at most three a target (a structure counts as four: ours). In
  the first step only the longest range class fires (9 and more, then 4 and more).
- Charge halves the delay, and adds 8 damage for 45 ticks. Splash: `1 + s min(1, (targets - 1) / 8)`. Blink: 15% less damage (ours).
- Disruptor: every 480 ticks 145 damage, 55 more on shields, to four targets. Storm: 75 energy, 80 damage to at most six. Sentry: 75 energy, 2 less a ranged hit for
  246 ticks. Battery: 6 energy give 18 toughness in a step to the type with the largest loss.
- Probes fight only where no fighter and no Cannon of theirs stands. Ten seconds without a fight heal everything.

## Action space

`Discrete(72)`, with the numbers of DSGBench's appendix B.5. Costs are minerals/gas, times are ticks.

| Id | Action | Cost | Supply | Ticks (Warp Gate) | At | Needs |
| --- | --- | --- | --- | --- | --- | --- |
| 0 | TRAIN PROBE | 50/0 | 1 | 272 | NEXUS |  |
| 1 | TRAIN ZEALOT | 100/0 | 2 | 608 (448) | GATEWAY |  |
| 2 | TRAIN ADEPT | 100/25 | 2 | 672 (448) | GATEWAY | CYBERNETICSCORE |
| 3 | TRAIN STALKER | 125/50 | 2 | 672 (515) | GATEWAY | CYBERNETICSCORE |
| 4 | TRAIN SENTRY | 50/100 | 2 | 592 (515) | GATEWAY | CYBERNETICSCORE |
| 5 | TRAIN HIGHTEMPLAR | 50/150 | 2 | 880 (717) | GATEWAY | TEMPLARARCHIVE |
| 6 | TRAIN DARKTEMPLAR | 125/125 | 2 | 880 (717) | GATEWAY | DARKSHRINE |
| 7 | TRAIN VOIDRAY | 200/150 | 4 | 832 | STARGATE |  |
| 8 | TRAIN CARRIER | 350/250 | 6 | 1440 | STARGATE | FLEETBEACON |
| 9 | TRAIN TEMPEST | 250/175 | 5 | 960 | STARGATE | FLEETBEACON |
| 10 | TRAIN ORACLE | 150/150 | 3 | 832 | STARGATE |  |
| 11 | TRAIN PHOENIX | 150/100 | 2 | 560 | STARGATE |  |
| 12 | TRAIN MOTHERSHIP | 400/400 | 8 | 2560 | NEXUS | FLEETBEACON, one at a time |
| 13 | TRAIN OBSERVER | 25/75 | 1 | 480 | ROBOTICSFACILITY |  |
| 14 | TRAIN IMMORTAL | 275/100 | 4 | 880 | ROBOTICSFACILITY |  |
| 15 | TRAIN WARPPRISM | 250/0 | 2 | 800 | ROBOTICSFACILITY |  |
| 16 | TRAIN COLOSSUS | 300/200 | 6 | 1200 | ROBOTICSFACILITY | ROBOTICSBAY |
| 17 | TRAIN DISRUPTOR | 150/150 | 3 | 800 | ROBOTICSFACILITY | ROBOTICSBAY |
| 18 | MORPH ARCHON | two Templar | 4 in all | 192 | | two at the rally point |
| 19 | BUILD PYLON | 100/0 | | 400 | |  |
| 20 | BUILD ASSIMILATOR | 75/0 | | 480 | |  |
| 21 | BUILD NEXUS | 400/0 | | 1600 | |  |
| 22 | BUILD GATEWAY | 150/0 | | 1040 | | PYLON |
| 23 | BUILD CYBERNETICSCORE | 150/0 | | 800 | | GATEWAY |
| 24 | BUILD FORGE | 150/0 | | 720 | | PYLON |
| 25 | BUILD TWILIGHTCOUNCIL | 150/100 | | 800 | | CYBERNETICSCORE |
| 26 | BUILD ROBOTICSFACILITY | 150/100 | | 1040 | | CYBERNETICSCORE |
| 27 | BUILD STARGATE | 150/150 | | 960 | | CYBERNETICSCORE |
| 28 | BUILD TEMPLARARCHIVE | 150/200 | | 800 | | TWILIGHTCOUNCIL |
| 29 | BUILD DARKSHRINE | 150/150 | | 1600 | | TWILIGHTCOUNCIL |
| 30 | BUILD ROBOTICSBAY | 150/150 | | 1040 | | ROBOTICSFACILITY |
| 31 | BUILD FLEETBEACON | 300/200 | | 960 | | STARGATE |
| 32 | BUILD PHOTONCANNON | 150/0 | | 640 | | FORGE |
| 33 | BUILD SHIELDBATTERY | 100/0 | | 640 | | CYBERNETICSCORE |
| 34 | RESEARCH WARPGATERESEARCH | 50/50 | | 2240 | CYBERNETICSCORE |  |
| 35 | RESEARCH PROTOSSAIRWEAPONSLEVEL1 | 100/100 | | 2880 | CYBERNETICSCORE |  |
| 36 | RESEARCH PROTOSSAIRWEAPONSLEVEL2 | 175/175 | | 3440 | CYBERNETICSCORE | PROTOSSAIRWEAPONSLEVEL1, FLEETBEACON |
| 37 | RESEARCH PROTOSSAIRWEAPONSLEVEL3 | 250/250 | | 4000 | CYBERNETICSCORE | PROTOSSAIRWEAPONSLEVEL2, FLEETBEACON |
| 38 | RESEARCH PROTOSSAIRARMORSLEVEL1 | 150/150 | | 2880 | CYBERNETICSCORE |  |
| 39 | RESEARCH PROTOSSAIRARMORSLEVEL2 | 225/225 | | 3440 | CYBERNETICSCORE | PROTOSSAIRARMORSLEVEL1, FLEETBEACON |
| 40 | RESEARCH PROTOSSAIRARMORSLEVEL3 | 300/300 | | 4000 | CYBERNETICSCORE | PROTOSSAIRARMORSLEVEL2, FLEETBEACON |
| 41 | RESEARCH ADEPTPIERCINGATTACK | 100/100 | | 2240 | TWILIGHTCOUNCIL |  |
| 42 | RESEARCH BLINKTECH | 150/150 | | 2720 | TWILIGHTCOUNCIL |  |
| 43 | RESEARCH CHARGE | 100/100 | | 2240 | TWILIGHTCOUNCIL |  |
| 44 | RESEARCH PROTOSSGROUNDWEAPONSLEVEL1 | 100/100 | | 2880 | FORGE |  |
| 45 | RESEARCH PROTOSSGROUNDWEAPONSLEVEL2 | 150/150 | | 3440 | FORGE | PROTOSSGROUNDWEAPONSLEVEL1, TWILIGHTCOUNCIL |
| 46 | RESEARCH PROTOSSGROUNDWEAPONSLEVEL3 | 200/200 | | 4000 | FORGE | PROTOSSGROUNDWEAPONSLEVEL2, TWILIGHTCOUNCIL |
| 47 | RESEARCH PROTOSSGROUNDARMORSLEVEL1 | 100/100 | | 2880 | FORGE |  |
| 48 | RESEARCH PROTOSSGROUNDARMORSLEVEL2 | 150/150 | | 3440 | FORGE | PROTOSSGROUNDARMORSLEVEL1, TWILIGHTCOUNCIL |
| 49 | RESEARCH PROTOSSGROUNDARMORSLEVEL3 | 200/200 | | 4000 | FORGE | PROTOSSGROUNDARMORSLEVEL2, TWILIGHTCOUNCIL |
| 50 | RESEARCH PROTOSSSHIELDSLEVEL1 | 150/150 | | 2880 | FORGE |  |
| 51 | RESEARCH PROTOSSSHIELDSLEVEL2 | 225/225 | | 3440 | FORGE | PROTOSSSHIELDSLEVEL1, TWILIGHTCOUNCIL |
| 52 | RESEARCH PROTOSSSHIELDSLEVEL3 | 300/300 | | 4000 | FORGE | PROTOSSSHIELDSLEVEL2, TWILIGHTCOUNCIL |
| 53 | RESEARCH EXTENDEDTHERMALLANCE | 150/150 | | 2240 | ROBOTICSBAY |  |
| 54 | RESEARCH GRAVITICDRIVE | 100/100 | | 1280 | ROBOTICSBAY |  |
| 55 | RESEARCH OBSERVERGRAVITICBOOSTER | 100/100 | | 1280 | ROBOTICSBAY |  |
| 56 | RESEARCH PSISTORMTECH | 200/200 | | 1760 | TEMPLARARCHIVE |  |
| 57 | RESEARCH VOIDRAYSPEEDUPGRADE | 100/100 | | 1280 | FLEETBEACON |  |
| 58 | RESEARCH PHOENIXRANGEUPGRADE | 150/150 | | 1440 | FLEETBEACON |  |
| 59 | RESEARCH TEMPESTGROUNDATTACKUPGRADE | 150/150 | | 2240 | FLEETBEACON |  |
| 60 | SCOUTING PROBE | | | | | one at home; one scout of each kind |
| 61 | SCOUTING OBSERVER | | | | | the same |
| 62 | SCOUTING ZEALOT | | | | | the same |
| 63 | SCOUTING PHOENIX | | | | | the same |
| 64 | MULTI-ATTACK | | | | | fighters at home |
| 65 | MULTI-RETREAT | | | | | fighters that attack |
| 66 | CHRONOBOOST NEXUS | 50 energy | | 448 | | one that works unboosted |
| 67 | CHRONOBOOST CYBERNETICSCORE | 50 energy | | 448 | | one that works unboosted |
| 68 | CHRONOBOOST TWILIGHTCOUNCIL | 50 energy | | 448 | | one that works unboosted |
| 69 | CHRONOBOOST STARGATE | 50 energy | | 448 | | one that works unboosted |
| 70 | CHRONOBOOST FORGE | 50 energy | | 448 | | one that works unboosted |
| 71 | EMPTY ACTION | | | | | |

DSGBench writes of 18 units and lists 19. Names in its examples that are not in its list, such as BUILD WARGATE, are no actions.
Why an action is not legal is told by one word: `resources`, `supply`, `requirement`, `busy`, `limit`, `energy`, `no_unit`, `no_place`.

## Units

L light, A armoured, B biological, M mechanical, P psionic, X massive, S structure; speed in 16 ticks; cooldown in ticks; G ground, A air. The last
column is what a level of weapons adds. The weapons of Sentry, Void Ray, Oracle, Carrier and Disruptor are not in the tech tree: ours.

| Unit | HP, shield, armour | Is | Speed | Range, hits | Damage (bonus) x strikes | Cooldown | Level |
| --- | --- | --- | --- | --- | --- | --- | --- |
| PROBE | 20/20/0 | LM | 2.8125 | 0.1 G | 5 | 24 | 0 |
| ZEALOT | 100/50/1 | LB | 2.25 | 0.1 G | 8 x 2 | 19.2 | 1 |
| ADEPT | 70/70/1 | LB | 2.5 | 4 G | 10 (L +12) | 36 | 1 (L +1) |
| STALKER | 80/80/1 | AM | 2.95312 | 6 GA | 13 (A +5) | 29.9 | 1 (A +1) |
| SENTRY | 40/40/1 | LMP | 2.25 | 5 GA | 6 | 16 | 1 |
| HIGHTEMPLAR | 40/40/0 | LBP | 1.875 | 6 G | 4 | 28.1 | 1 |
| DARKTEMPLAR | 40/80/1 | LBP | 2.8125 | 0.1 G | 45 | 27.1 | 5 |
| VOIDRAY | 150/100/0 | AM flies | 2.75 | 6 GA | 6 (A +4) | 8 | 1 |
| CARRIER | 300/150/2 | AMX flies | 1.875 | 8 GA | 5 x 16 | 48 | 1 |
| TEMPEST | 200/100/2 | AMX flies | 2.25 | 10 G, 14 A | 40 G (structures +40 with the upgrade), 30 A (X +22) | 52.8 | 4 |
| ORACLE | 100/60/0 | AMP flies | 4 | 4 G | 15 (L +7) | 13.8 | 0 |
| PHOENIX | 120/60/0 | LM flies | 4.25 | 5 A | 5 (L +5) x 2 | 17.6 | 1 |
| MOTHERSHIP | 350/350/2 | AMPX flies | 1.875 | 7 GA | 6 x 6 | 35.4 | 1 |
| OBSERVER | 40/20/0 | LM flies | 1.875 |  | unarmed |  |  |
| IMMORTAL | 200/100/1, barrier 100 | AM | 2.25 | 6 G | 20 (A +30) | 23.2 | 2 (A +3) |
| WARPPRISM | 80/100/0 | AMP flies | 2.95312 |  | unarmed |  |  |
| COLOSSUS | 200/150/1 | AMX | 2.25 | 7 G | 10 (L +5) x 2, splash 1.2 | 24 | 1 (L +1) |
| DISRUPTOR | 100/100/1 | AM | 2.25 | 9 G | 145, +55 on shields, to 4 targets | 480 |  |
| ARCHON | 10/350/0 | PX | 2.8125 | 3 GA | 25 (B +10), splash 0.8 | 28.1 | 3 (B +1) |
| PHOTONCANNON | 150/150/1 | AS | | 7 GA | 20 | 20 | |

| Structure | HP, shield | | Structure | HP, shield |
| --- | --- | --- | --- | --- |
| PYLON | 200, 200 | | STARGATE | 600, 600 |
| ASSIMILATOR | 300, 300 | | TEMPLARARCHIVE | 500, 500 |
| NEXUS | 1000, 1000 | | DARKSHRINE | 500, 500 |
| GATEWAY | 500, 500 | | ROBOTICSBAY | 500, 500 |
| CYBERNETICSCORE | 550, 550 | | FLEETBEACON | 500, 500 |
| FORGE | 400, 400 | | PHOTONCANNON | 150, 150 |
| TWILIGHTCOUNCIL | 500, 500 | | SHIELDBATTERY | 150, 150 |
| ROBOTICSFACILITY | 450, 450 | | WARPGATE | 500, 500 |

All structures have armour 1. Charge gives Zealots speed 3.37, GRAVITICDRIVE Warp Prisms 3.84, the booster Observers 2.82, VOIDRAYSPEEDUPGRADE
Void Rays 3.32; ADEPTPIERCINGATTACK a cooldown of 24.8, EXTENDEDTHERMALLANCE range 9, PHOENIXRANGEUPGRADE range 7.

## Observation space

`observation`: `Box(-1, 100, (196,), float32)`, from the seat's own side.

| Place | Content |
| --- | --- |
| 0-7 | time of the game, minerals / 2000, gas / 2000, supply used and cap / 200, Probes / 80, Probes on gas / 24, army supply / 200 |
| 8-26 | own units / 50 |
| 27-42 | own structures / 12, Warp Gates last |
| 43-58 | structures in building |
| 59-77 | units in training |
| 78-103 | research: 0, progress, 1 |
| 104-123 | bases: has Nexus, energy / 200, boosted, minerals left, gas left; four times |
| 124-132 | own army by region, supply / 50 |
| 133-141 | whether a squad attacks, by the region where it is or was |
| 142-160 | enemy units: most seen at a time, less those seen to die, / 50 |
| 161-176 | enemy structures last seen / 12 |
| 177-185 | enemy army last seen by region, supply / 50 |
| 186-194 | age of that sight, of ten minutes |
| 195 | whether the last action was another than EMPTY ACTION |

`action_mask`: `Box(0, 1, (72,), int8)`.

## Starting state

Always the same. The seed decides only what scripted players draw. Player 0 commits first, Player 1 is not shown what.

## Rewards

0 until the game ends, then +1 and -1, or 0 for both.

## Episode end

Termination when a player has lost; truncation after the last minute (termination under `timeout="value"`).

## Prompts

The position has the fields of DSGBench's prompts: resources, buildings, units, what is planned, research, the enemy as seen, the
last five decisions. A reply may think about six points, and ends with `Decisions:` and five lines such as `0: <TRAIN PROBE>`,
which are played at the next five decisions; a sixth line is not read. Case, brackets, hyphens, underscores
and numbers of lines do not matter; a name must be exact (`no_such_action`). An action that is not legal when its time comes is an EMPTY
ACTION, and is listed in the game's record with its reason. Under `--clock tokens:50` or `--clock wall` decisions pass as EMPTY ACTIONs
while a model thinks.

## Players

`rule:lv1` to `rule:lv7` play seven levels, named like StarCraft II's built-in players, without a claim that they are as strong. They differ in how often
they act, how many Probes, bases and Gateways they want, and in what they train. `rule:lv3-rush`, `-timing`, `-air` and `-randombuild` play
other builds than the level's own, `macro`: four Gateways on one base; an attack with the first level of weapons on one base; Stargates; one of
the four by seed. All play by what their seat knows.

## Balance of builds

By `python -m stratagym.agents.games.starcraft.balance`: Lv5 with each build, attacking with so much supply, 20 games (10 seeds, both seats) of
each of 36 plans against each; mean shares of wins against the nine plans of a build, draws as half, and the plan of another
build that beats it most. No plan beats all others, and no build does: rush wins most, but each of its plans wins at most .25 against some plan of
timing, and each of those at most .30 against some plan of rush.

| Build | Attacks at | against macro | against rush | against timing | against air | loses most to |
| --- | --- | --- | --- | --- | --- | --- |
| macro | 4 | 0.16 | 0.00 | 0.04 | 0.08 | rush at 4: wins 0.00 |
| macro | 8 | 0.24 | 0.01 | 0.04 | 0.17 | rush at 8: wins 0.00 |
| macro | 12 | 0.38 | 0.05 | 0.08 | 0.34 | rush at 16: wins 0.00 |
| macro | 16 | 0.43 | 0.07 | 0.17 | 0.54 | rush at 20: wins 0.00 |
| macro | 20 | 0.51 | 0.09 | 0.22 | 0.59 | rush at 20: wins 0.00 |
| macro | 24 | 0.63 | 0.11 | 0.25 | 0.71 | rush at 20: wins 0.00 |
| macro | 28 | 0.67 | 0.12 | 0.28 | 0.80 | rush at 20: wins 0.00 |
| macro | 34 | 0.72 | 0.12 | 0.28 | 0.86 | rush at 20: wins 0.00 |
| macro | 40 | 0.76 | 0.12 | 0.29 | 0.91 | rush at 20: wins 0.00 |
| rush | 4 | 0.63 | 0.20 | 0.34 | 0.66 | timing at 28: wins 0.15 |
| rush | 8 | 0.93 | 0.31 | 0.41 | 0.81 | timing at 16: wins 0.15 |
| rush | 12 | 0.90 | 0.41 | 0.57 | 0.99 | timing at 34: wins 0.05 |
| rush | 16 | 0.94 | 0.54 | 0.64 | 1.00 | timing at 24: wins 0.25 |
| rush | 20 | 1.00 | 0.64 | 0.70 | 1.00 | timing at 28: wins 0.25 |
| rush | 24 | 1.00 | 0.64 | 0.70 | 1.00 | timing at 34: wins 0.15 |
| rush | 28 | 0.97 | 0.63 | 0.68 | 1.00 | timing at 34: wins 0.10 |
| rush | 34 | 0.98 | 0.59 | 0.62 | 1.00 | timing at 40: wins 0.10 |
| rush | 40 | 0.96 | 0.54 | 0.60 | 1.00 | timing at 20: wins 0.25 |
| timing | 4 | 0.62 | 0.11 | 0.27 | 0.57 | rush at 20: wins 0.00 |
| timing | 8 | 0.70 | 0.15 | 0.36 | 0.65 | rush at 28: wins 0.00 |
| timing | 12 | 0.80 | 0.29 | 0.54 | 0.88 | rush at 16: wins 0.05 |
| timing | 16 | 0.88 | 0.45 | 0.55 | 0.93 | rush at 16: wins 0.07 |
| timing | 20 | 0.92 | 0.45 | 0.53 | 0.94 | rush at 20: wins 0.05 |
| timing | 24 | 0.95 | 0.47 | 0.46 | 0.93 | rush at 24: wins 0.03 |
| timing | 28 | 0.93 | 0.52 | 0.53 | 0.93 | rush at 28: wins 0.15 |
| timing | 34 | 0.80 | 0.67 | 0.71 | 0.85 | rush at 40: wins 0.10 |
| timing | 40 | 0.73 | 0.64 | 0.56 | 0.86 | rush at 20: wins 0.30 |
| air | 4 | 0.28 | 0.00 | 0.07 | 0.12 | rush at 4: wins 0.00 |
| air | 8 | 0.38 | 0.01 | 0.06 | 0.36 | rush at 8: wins 0.00 |
| air | 12 | 0.42 | 0.04 | 0.12 | 0.41 | rush at 16: wins 0.00 |
| air | 16 | 0.44 | 0.07 | 0.13 | 0.50 | rush at 12: wins 0.00 |
| air | 20 | 0.48 | 0.06 | 0.16 | 0.50 | rush at 12: wins 0.00 |
| air | 24 | 0.48 | 0.08 | 0.19 | 0.55 | rush at 12: wins 0.00 |
| air | 28 | 0.44 | 0.08 | 0.21 | 0.62 | rush at 12: wins 0.00 |
| air | 34 | 0.51 | 0.10 | 0.23 | 0.69 | rush at 12: wins 0.00 |
| air | 40 | 0.58 | 0.10 | 0.30 | 0.74 | rush at 12: wins 0.00 |

Two players with the same build and the same draws mirror each other and draw.

## Learning

`python -m benchmarks.train_ppo --game starcraft` trains against `rule:lv1` and `random`, in games of 12 minutes after which who has more
minerals and gas in army and structures wins. Seed 0, of 40 games each under these options (1.00 is [.91, 1.00]):

| Decisions | CPU-seconds | wins against `rule:lv1` | `rule:lv2` | `random` |
| --- | --- | --- | --- | --- |
| 0 | 0 | .45 | .55 | .50 |
| 90,112 | 16 | .78 | .78 | .98 |
| 180,224 | 27 | 1.00 | 1.00 | .98 |
| 270,336 | 37 | 1.00 | 1.00 | 1.00 |
| 360,448 | 47 | 1.00 | 1.00 | 1.00 |
| 450,560 (200 games each) | 56 | 1.00 [.96, 1.00] | 1.00 [.96, 1.00] | .99 [.96, 1.00] |

All games but a few go to the last minute and are won by value. With `--opponent rule:lv1` alone 450,560 decisions (50 CPU-seconds) win 1.00 [.98, 1.00] of 400 games
against `rule:lv1` and `rule:lv2` each, and .01 [.00, .04] against `random`, which builds without end. Where nobody wins by value (games of
15 minutes, 600,000 decisions against `rule:lv1` and `random`) no agent has learned to attack yet: it drew 92% of 40 games against `rule:lv1` after 204,800
decisions and lost 98% in the end.

## Speed

On one core of a busy two-core Intel Xeon: 400,000 to 414,000 decisions per CPU-second of random play in `core.random_games`, without observations; 188,000 to
255,000 through `make_batch("starcraft", 64)` with observations, masks and a random choice among the legal actions in numpy (three runs each). The kernel goes from event to event; tick by
tick it comes to the same records, which the tests compare.

## What is not here

Other races, terrain, single units, air control of regions, cancelling, queues in buildings, and the levels of StarCraft II that cheat. Nothing here was compared with StarCraft II itself.
"""

from typing import Any

from stratagym.envs.core import GameSpec, Option, integer
from stratagym.envs.starcraft.tables import TICKS_A_SECOND


def _seconds(rules: Any) -> float:
    return rules.decision_ticks / TICKS_A_SECOND


SPEC = GameSpec(
    name="starcraft",
    title="StarCraft (Protoss mirror)",
    version=0,
    dynamics="simultaneous",
    information="imperfect",
    max_game_length=1792,
    options={
        "decision_ticks": Option(45, integer(8, 224), "ticks of a decision; 22.4 are a second"),
        "minutes": Option(30, integer(1, 120), "minutes of the game"),
        "win": Option("all", ("all", "bases", "structures"), "what a seat loses without"),
        "timeout": Option("draw", ("draw", "value"), "what decides after the last minute"),
        "army_reward": Option(
            "none", ("none", "value"), "also pays for changes of armies; for training"
        ),
        "defend": Option("auto", ("auto", "none"), "whether squads at home go to an attacked base"),
        "plan": Option("front", ("front", "spread"), "when the moves of a reply are played"),
    },
    decision_seconds=_seconds,
    sources=(
        "DSGBench, arXiv:2503.06047 (actions, prompts, metrics)",
        "github.com/BurnySc2/sc2-techtree, MIT (costs, times, hit points, weapons)",
    ),
)
