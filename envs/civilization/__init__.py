"""Civilization, a game of exploring, settling, building and war after Freeciv's classic rules.

Two to four nations begin with a few units on an unknown map. Settlers found cities, citizens work
tiles for food, shields and trade, trade becomes gold, luxury and science, and techs bring units,
buildings, wonders and governments. The last nation alive wins, or the highest score after the last
turn. The figures of terrain, units, buildings, techs and governments are those of Freeciv 3.0.6's
classic ruleset; what this game leaves out of it are ships, aircraft, spies, pollution, disease,
specialists, migration, culture, huts, rivers, railroads, 47 techs and the spaceship.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Seats | 2, each for itself | `players=2` to `4` |
| Map | 24 x 16 tiles with eight neighbours, east and west meet | `size="16x12"`, `"32x24"`; `wrap="both"` |
| Land | one large continent, 55% of the tiles; with two seats the western half, turned by 180 degrees, is the eastern half | `map="continents"` |
| Start | 2 Settlers, 2 Workers, 1 Explorer, 2 Warriors on one tile, 50 gold, Despotism, rates 40/0/60 | `start="ccwwxdd"`: letters as Freeciv's `startunits`, c Settlers, w Workers, x Explorer, d Warriors, D Phalanx, a Horsemen, A Catapult |
| Relations | war, no embassies | `initial="peace"` |
| Turns | seats play one after the other, seat 0 first; then the turn changes. (Freeciv: all at once.) | |
| End | after 100 turns, or when one seat is alive; without cities and Settlers a seat is out | `turns=20` to `400` |
| Winner | the last alive, else the highest score; equal scores share | `victory="conquest"`: else nobody |
| Research | a choice stands until the tech is found; free in the turn of a discovery | `research="any"`: another choice at any time, which loses the bulbs |
| Techs' costs | 20 (1 + n) sqrt(1 + n) / 2 bulbs, n the techs it takes with itself | `bulbs=30` to `100` percent |
| Revolution | 2 turns of Anarchy (Freeciv: 1 to 5 at random) | `revolution=1` to `5` |
| Caps | 12 cities, 40 units a seat; 160 decisions a seat and turn | |

### Terrain

Food/shields/trade of a tile, moves to enter it, percent more in defence, turns of work for a road,
irrigation (+1 food) and a mine, and what its resources add.

| Terrain | Output | Moves | Defence | Road | Irrigation | Mine | Resources |
| --- | --- | --- | --- | --- | --- | --- | --- |
| Ocean | 1/0/2 | - | | | | | Fish 2/0/0, Whales 1/1/0 |
| Grassland | 2/0/0 | 1 | | 2, +1 trade | 5 | | Resources 0/1/0 |
| Plains | 1/1/0 | 1 | | 2, +1 trade | 5 | | Buffalo 0/2/0, Wheat 2/0/0 |
| Desert | 0/1/0 | 1 | | 2, +1 trade | 5 | 5, +1 | Oasis 3/0/0 |
| Tundra | 1/0/0 | 1 | | 2 | 5 | | Game 2/1/0, Furs 1/0/3 |
| Hills | 1/0/0 | 2 | +100% | 4 | 10 | 10, +3 | Coal 0/2/0, Wine 0/0/4 |
| Forest | 1/2/0 | 2 | +50% | 4 | | | Pheasant 2/0/0, Silk 0/0/3 |
| Swamp | 1/0/0 | 2 | +50% | 4 | | | Peat 0/4/0, Spice 2/0/4 |
| Jungle | 1/0/0 | 2 | +50% | 4 | | | Gems 0/0/4, Fruit 3/0/1 |
| Mountains | 0/1/0 | 3 | +200% | 6 | | 10, +1 | Gold 0/0/6, Iron 0/3/0 |

Irrigation needs the sea, irrigated land or a city to the north, east, south or west, in sight of the
seat; it and a mine exclude each other. Several units on a tile add up. Terrain is not changed.

### Units

| Unit | Attack/defence/moves | Hit points | Shields | Tech | Until |
| --- | --- | --- | --- | --- | --- |
| Settlers (a citizen; size 2) | 0/1/1 | 20 | 40 | | |
| Workers | 0/1/1 | 10 | 30 | Pottery | |
| Explorer (a step is a third of a move) | 0/1/1 | 10 | 30 | Seafaring | |
| Warriors | 1/1/1 | 10 | 10 | | Feudalism |
| Phalanx | 1/2/1 | 10 | 20 | Bronze Working | Feudalism |
| Archers | 3/2/1 | 10 | 30 | Warrior Code | Gunpowder |
| Legion | 4/2/1 | 10 | 40 | Iron Working | Gunpowder |
| Pikemen (defence x 2 against horses) | 1/2/1 | 10 | 20 | Feudalism | Gunpowder |
| Musketeers | 3/3/1 | 20 | 30 | Gunpowder | |
| Horsemen | 2/1/2 | 10 | 20 | Horseback Riding | Chivalry |
| Chariot | 3/1/2 | 10 | 30 | The Wheel | Chivalry |
| Knights | 4/2/2 | 10 | 40 | Chivalry | |
| Catapult | 6/1/1 | 10 | 40 | Mathematics | Metallurgy |
| Cannon | 8/1/1 | 20 | 40 | Metallurgy | |
| Caravan (adds 50 shields to a wonder) | 0/1/1 | 10 | 50 | Trade | |

- A step takes the terrain's moves, from road to road a third of one; with any moves left a unit may
  always make one. Nothing enters the sea. A fighter (a unit with an attack) at war keeps others from
  stepping between two tiles next to it, except into their own cities. At peace fighters may not enter
  the other's borders. Units see one tile far, cities two (without the corners).
- A unit's home is the city that made it; if the city is lost, so is the unit. A home pays 1 shield
  for each unit beyond 3 (Republic and Democracy: for each), and 1 food for Settlers (2). A city that
  cannot pay disbands its newest unit.
- Units that neither moved nor fought heal 10% of their hit points, in a city 33%, with Barracks all.

### Combat

The attacker wins a round with A / (A + D); the loser of a round loses one hit point, until one side
has none. A = attack x level x what is left of a move if less than one is. D = defence x level x (1 +
terrain) x 1.5 if fortified or in a city x 3 with City Walls x 2 for Pikemen against horses. Levels are
100, 150, 175, 200%; Barracks make veterans, and a winner rises with 50, 33, 20%. The unit with the
highest D x hit points defends. If it falls on open ground, all on its tile die, in a city only it. The
attacker stays and pays a move. A fighter that moves into an enemy city without units takes it: one
citizen dies (of size 1 the city), its stock of shields is lost, the captor gets a share of the loser's gold and
the first tech that it could research, and a Palace is lost.

### Cities

- A city is founded on land, not next to another and not inside foreign borders. It works and owns
  the tiles within a squared radius of 5, owns those within 10 from size 8 on; the older city keeps a tile. Its
  centre counts as road and irrigation and gives at least 1 food and 1 shield.
- Citizens choose by themselves: one after the other the free tile with the most 2 food + 2 shields +
  trade (6 food while the surplus is below 1), the nearer, the lower number.
- Each eats 2 food. A city of size n grows at 20 + 10 (n - 1) food, up to size 8, with Aqueduct 12,
  with Sewer 30. Food below 0 costs a citizen, at size 1 its Settlers.
- Trade loses waste: Despotism 37% + 4% for each tile to the capital, Monarchy and Republic 15 + 2,
  Anarchy 25 + 2, Democracy none; halved by Courthouse and Palace; without a capital as at 16 tiles.
  The rest is shared by the rates. Anarchy and Despotism lose 1 of each output of a tile above 2;
  Republic and Democracy add 1 trade where there is some. The Palace adds 75% of the shields in
  Despotism, 50% in Monarchy.
- Four citizens are content, one less for each started step of cities above the government's base
  (base, step: Anarchy 9, 6; Despotism 10, 10; Monarchy 11, 12; Republic 13, 14; Democracy 14, 16). Then come luxury
  (2 make one happy, or an unhappy one content), buildings, martial law (a citizen for each fighter in the city:
  Despotism any number, Monarchy 3), fighters outside the borders (Republic 1, Democracy 2 unhappy
  each), wonders. More unhappy than happy: no shields, tax and science; two turns of it bring Anarchy
  upon a Democracy.
- A change between unit, building and wonder loses half of the shields, but for the first change after
  founding, taking or finishing a building. r missing shields cost 2 r + r^2 / 20 gold, twice that with nothing in
  stock, not in the turn of founding. Units repeat; after a building comes Coinage. Without gold the dearest building of the first city is sold.

| Building | Shields, gold a turn | Tech | Effect |
| --- | --- | --- | --- |
| Barracks | 30, 1 | | veterans, full healing |
| Granary | 40, 1 | Pottery | half of the food stays at growth |
| Temple | 30, 1 | Ceremonial Burial | 1 content, 2 with Mysticism |
| Library | 60, 1 | Writing | science +100% |
| Marketplace | 60, 0 | Currency | tax, luxury +50% |
| City Walls | 60, 0 | Masonry | defence x 3 |
| Courthouse | 60, 1 | Code of Laws | half the waste |
| Colosseum | 70, 4 | Construction | 3 content |
| Aqueduct | 60, 2 | Construction | size 12 |
| Harbor (beside the sea) | 40, 1 | Seafaring | +1 food on Ocean |
| Bank (Marketplace) | 80, 2 | Banking | tax, luxury +50% |
| University (Library) | 120, 3 | University | science +150% |
| Cathedral (Temple) | 80, 3 | Monotheism | 3 content, 4 with Theology |
| Sewer (Aqueduct) | 80, 2 | Sanitation | size 30 |
| Palace | 70, 0 | Masonry | the capital; free in the first city |
| Pyramids | 200 | Masonry | a quarter of the food stays at growth, in all cities |
| Colossus | 100 | Bronze Working | +1 trade on the city's tiles with trade |
| Hanging Gardens | 200 | Pottery | 1 happy in all cities, 4 in its own |
| Oracle | 100 | Mysticism | Temples 2 more |
| Great Library | 300 | Literacy | techs that two with embassies know; of two seats: the other |
| Great Wall | 300 | Masonry | City Walls in all cities |
| Copernicus | 200 | Astronomy | science of its city +100% |
| Marco Polo | 200 | Trade | embassies with all |
| Sun Tzu | 300 | Feudalism | veterans everywhere |
| King Richard | 150 | Engineering | +1 shield on its city's tiles with shields |
| Michelangelo | 400 | Monotheism | a Cathedral in all cities |
| Shakespeare | 200 | Medicine | nobody unhappy in its city |
| Newton | 300 | Theory of Gravity | science of its city +100% with a University |
| Bach | 400 | Theology | 2 content in all cities |
| Leonardo | 400 | Invention | one unit a turn becomes a newer one |
| Coinage | | | shields to gold |

A wonder is built once in the world; finished by two in one turn, it is the lower seat's.

### Techs and governments

In the order of their numbers, with what they need, and their bulbs: Alphabet 28; Bronze Working 28;
Ceremonial Burial 28; Horseback Riding 28; Masonry 28; Pottery 28; Warrior Code 28; Code of Laws
(Alphabet) 51; Writing (Alphabet) 51; Map Making (Alphabet) 51; Mathematics (Alphabet, Masonry) 80;
Currency (Bronze Working) 51; Mysticism (Ceremonial Burial) 51; Iron Working (Bronze Working,
Warrior Code) 80; The Wheel (Horseback Riding) 51; Polytheism (Ceremonial Burial, Horseback Riding)
80; Construction (Masonry, Currency) 111; Monarchy (Ceremonial Burial, Code of Laws) 111; Literacy
(Code of Laws, Writing) 111; Trade (Code of Laws, Currency) 146; Seafaring (Pottery, Map Making)
111; Astronomy (Mathematics, Mysticism) 185; Philosophy (Mysticism, Literacy) 226; The Republic
(Code of Laws, Literacy) 146; Bridge Building (Iron Working, Construction) 226; Engineering (The
Wheel, Construction) 226; Feudalism (Warrior Code, Monarchy) 185; Chivalry (Horseback Riding,
Feudalism) 270; Monotheism (Polytheism, Philosophy) 364; University (Mathematics, Philosophy) 364;
Banking (Trade, The Republic) 316; Medicine (Trade, Philosophy) 415; Invention (Literacy,
Engineering) 468; Gunpowder (Iron Working, Invention) 640; Sanitation (Engineering, Medicine) 763;
Economics (University, Banking) 700; Democracy (Banking, Invention) 700; Metallurgy (University,
Gunpowder) 1031; Theology (Feudalism, Monotheism) 580; Theory of Gravity (Astronomy, University)
468.

Monarchy, The Republic and Democracy bring the governments of their names. Rates are at most 60% in
Despotism, 70, 80, 100%, in Anarchy 100. Nothing chosen: the cheapest tech. The first with Philosophy
gets another tech.

### Treaties

One proposal a turn to each seat with which there is contact or an embassy, answered as the first
decision of its next turn. What gives or takes techs or takes gold needs an embassy. A treaty that
cannot be kept when it is accepted comes to nothing. Peace that is cancelled ends with the turn.

| Template | Treaty | Template | Treaty |
| --- | --- | --- | --- |
| 0 | peace | 5 | the other's best tech for gold |
| 1 | embassies | 6 | a gift of 25 gold |
| 2 | peace and embassies | 7 | a gift of 50 gold |
| 3 | the best tech of each | 8 | 50 gold paid for peace |
| 4 | the own best tech for gold | 9 | 50 gold received for peace |

The best tech is the dearest that the other could research; its price is half its bulbs.

### Score

Citizens + 2 for each tech + 5 for each wonder + a tenth of the units built + a third of those killed
(rounded down), as in Freeciv without culture and spaceship.

## Who is asked

In a seat's turn first the treaties on the table are answered. Then the player is asked until it is
done, eight times at most, then cities that were founded or taken, have finished something or, every
tenth turn, all (what it makes; then, if it can pay, whether it buys), then every unit with moves and no standing
order, until its moves are used up. A sentry wakes for a foreign unit next to it; a unit that works,
explores or is an auto worker for an enemy fighter in sight within two tiles.

## Action space

`Discrete(192)`, each for one kind of actor.

| Action | Meaning | Actor |
| --- | --- | --- |
| 0 | done, or keep the activity | all |
| 1-8 | move N NE E SE S SW W NW; attack or take what is there | unit |
| 9-20 | fortify, sentry, build city, join city, build road, irrigate, mine, pillage, disband, help wonder, explore, auto worker | unit |
| 24-38 | produce a unit, in the order of the table | city |
| 40-54, 55-69, 70 | produce a building, a wonder, Coinage | city |
| 72 | buy | city |
| 80-119 | research a tech | player |
| 120-124 | set a government | player |
| 125-135 | rates: tax 100, 90, .. 0, no luxury, the rest science | player |
| 136-138 | luxury 10, 20, 30, taken from tax | player |
| 139, 140 | accept, reject the treaty | player |
| 141-170 | propose template 0-9 to the next, second, third seat | player |
| 171-173 | cancel the peace with it | player |
| 174, 175 | ask all units, all cities this turn | player |

21-23, 39, 71, 73-79 and 176-191 are never legal.

## Observation space

`Box(-1, 8, (34 H W + 212,), float32)`: 34 planes of H x W tiles, then numbers. Seats are counted from
the observer. What is out of sight is as it was last seen.

| Planes | Content |
| --- | --- |
| 0-9 | terrain |
| 10-13 | resource (1 or 2), road, irrigation, mine |
| 14, 15 | known, in sight |
| 16-19 | owner |
| 20, 21 | size of own and of others' cities / 8 |
| 22-24 | own Settlers, Workers, Explorers / 8 |
| 25-27 | own attack / 40, defence / 16, hit points / 128 |
| 28, 29 | others' attack / 8, defence / 8 |
| 30 | worked by a citizen |
| 31-33 | the actor, distance from it / 8, where it may step |

| Numbers | Content |
| --- | --- |
| 0 | turn / turns |
| 1-4 | scores / 100, others' with an embassy |
| 5, 6-8 | gold / 200, rates |
| 9-13 | government |
| 14-53, 54-93, 94 | techs, research, share of its bulbs |
| 95-136 | for each other seat: war, peace, embassy, contact, the template that it offers |
| 137-139 | actor: player, city, unit |
| 140-158 | unit: type, moves, share of hit points, level, fortified |
| 159-165 | city: size / 8, share of the granary, shields / 50, surplus of food, shields, trade / 8, disorder |
| 166-211 | what it makes |

`action_mask`: `Box(0, 1, (192,), int8)`.

## Starting state

The map follows from the seed alone. Chance (combat, promotion) is drawn from the record.

## Rewards

0 until the game ends, then 1 for the winner and -1 / (n - 1) for each other; winners of equal score
share.

## Episode end

Termination as above, after at most turns x players x 160 decisions; random games of two take about
1,600.

## Players

`rule:settle`, `rule:expand`, `rule:build` and `rule:defend` each use only what their seat knows. `rule:expand`
keeps to five cities: with six it won 95% of 20 games against `rule:settle`, and `rule:build` 60 to 70% against it. Between
`rule:settle` and random play (12 of 12 games) the [ladder](../benchmarks/anchored_levels.md) has three levels with random moves.

## Learning

`python -m benchmarks.train_ppo --game civilization` learns on the map of 16 x 12 tiles in games of 40 turns, against random play and
the ladder's Lv1, with the lead in score as shaping. One run of 600,000 decisions took 18 minutes (8 of them processor time, beside
other jobs on two cores). Games won by evaluations of 60 games, at first and after each 100,000 decisions: against random play .35,
.72, .90, .87, .90, .92, .87; against Lv1 .17, .58, .68, .62, .82, .75, .87. Afterwards it won .80 [.73, .85] of 200 games against
Lv1 and lost .09.
"""

from stratagym.envs.civilization.choices import starting_units
from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="civilization",
    title="Civilization",
    version=0,
    min_players=2,
    max_players=4,
    chance="sampled",
    information="imperfect",
    max_game_length=32_000,
    sources=(
        "Freeciv 3.0.6, classic ruleset (figures, rules)",
        "DSGBench, arXiv:2503.06047 (prompts, metrics); CivRealm, arXiv:2401.10568 (action names)",
    ),
    options={
        "players": Option(2, integer(2, 4), "2 to 4"),
        "size": Option("24x16", ("16x12", "24x16", "32x24"), "columns and rows of the map"),
        "wrap": Option("x", ("x", "both"), "which edges of the map meet"),
        "map": Option("pangaea", ("pangaea", "continents"), "how land lies"),
        "turns": Option(100, integer(20, 400), "turns of a game"),
        "initial": Option("war", ("war", "peace"), "how all stand to each other at the start"),
        "victory": Option("score", ("score", "conquest"), "what wins after the last turn"),
        "revolution": Option(2, integer(1, 5), "turns of Anarchy"),
        "bulbs": Option(100, integer(30, 100), "percent of the techs' costs"),
        "research": Option("kept", ("kept", "any"), "when another tech may be chosen"),
        "start": Option(
            "ccwwxdd", starting_units, "units of each seat, by Freeciv's letters", ("cwd", "ccDa")
        ),
    },
)
