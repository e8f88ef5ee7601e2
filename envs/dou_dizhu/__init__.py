"""Fight the Landlord (Dou Dizhu), the card game of one against two.

Seat 0 is the landlord, seats 1 and 2 are the peasants and win together. All 54 cards are dealt: 17
to each seat, and three more, which are shown to all, to the landlord. The landlord leads. In turn
each seat passes or beats the last play; after two passes in a row the seat that played last leads
any play. The first empty hand wins for its side.

Ranks, the lowest first: 3 4 5 6 7 8 9 10 J Q K A 2, black joker, red joker. Suits never matter.

| Kind of play | Cards | Bodies | |
| --- | --- | --- | --- |
| single, pair, triple | 1, 2, 3 | 15, 13, 13 | |
| triple with a single, with a pair | 4, 5 | 13, 13 | of another rank |
| straight | 5-12 | 36 | single ranks in sequence; sequences are of 3 to A only |
| pair straight | 6-20 | 52 | 3 to 10 pairs in sequence |
| airplane | 6-18 | 45 | 2 to 6 triples in sequence |
| airplane with singles, with pairs | 8-20 | 38, 30 | as many as triples; pairs of different ranks |
| four with two singles, with two pairs | 6, 8 | 13, 13 | no bomb; pairs of different ranks |
| bomb | 4 | 13 | four of a rank: beats everything but a higher bomb and the rocket |
| rocket | 2 | 1 | both jokers: beats everything |

Otherwise a play beats a play of the same kind with the same number of cards and a lower body; the
cards attached to a body never count.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Singles attached to a body (kickers) | of different ranks, both jokers allowed (Botzone) | `kickers="pagat"`: never both jokers; `kickers="loose"`: a pair may serve as two singles (DouZero and most apps) |
| Space shuttle | no kind of play: fours in sequence are bombs, one by one | `shuttle=True`: 2 to 5 fours in sequence, alone, with as many singles of different ranks, or 2 or 3 of them with as many pairs; no bomb (Botzone) |
| Landlord | seat 0 | `bidding="points"`: 17 cards each; seats 0, 1, 2 speak once each, pass or more than the highest bid; 3 ends it; the highest bidder takes the three cards and leads; if all pass, the game is over and nobody wins |
| Score | the landlord's side wins or loses 2 stakes, each peasant 1 | `score="win"`: 1 and 1/2; `score="botzone"`: below |
| Stake | 1, or the bid, doubled for each bomb and rocket that is played, and for a spring | `spring=False` |
| Spring | no peasant ever played, or the landlord played only its first play | |

Three kickers of a rank are never allowed. With `score="botzone"` every seat gets 2 if its side won,
and the points of its plays / 100: single 1, pair 2, triple 4, straight and pair straight 6, airplane
and four with two 8, bomb and space shuttle 10, rocket 16; then each peasant gets the peasants' mean.
These scores do not sum to zero.

`judge="botzone"` stands for `kickers="distinct"`, `shuttle=True`, `bidding="none"`,
`score="botzone"`, the rules of FightTheLandlord on botzone.org.

## Action space

With `plays="parts"` (default) `Discrete(324)`: a pattern, and then one action for each attached
rank, in ascending order. The cards are played, and shown, with the last of these actions.

| Action | Pattern |
| --- | --- |
| 0 | pass |
| 1-15, 16-28, 29-41 | single, pair, triple, from 3 on |
| 42-54, 55-67 | triple with a single, with a pair |
| 68-103, 104-155, 156-200 | straight, pair straight, airplane: by length, then by the lowest rank |
| 201-238, 239-268 | airplane with singles, with pairs |
| 269-281, 282-294 | four with two singles, with two pairs |
| 295-307, 308 | bomb, rocket |
| 309-323 | one rank to attach to the pattern (a single or a pair of it), from 3 to the red joker |
| 324-361, 362-391, 392-412 | space shuttle, with singles, with pairs (with `shuttle` only) |

With `plays="whole"` `Discrete(26065)`, or 33936 with `shuttle`: every play is an action, numbered
by its pattern and then by the attached cards. Text games (`TextGame`), recorded games and
tournaments use these actions. A number means the same cards under all options. With bidding four
more actions follow: pass, 1, 2, 3.

## Observation space

`Box(0, 1, (1489,), int8)`. A set of cards is 54 numbers: 4 x rank + k is 1 if there are more than k
cards of the rank; 52 is the black joker, 53 the red one (as in DouZero and RLCard). Seats are relative
to the observer: itself, the next, the previous.

| Index | Content |
| --- | --- |
| 0-53 | own hand |
| 54-107 | cards of the two other seats together; during the bidding, with the bottom cards |
| 108-161 | bottom cards that are known to be still in the landlord's hand |
| 162-215 | the play to beat |
| 216-269 | own play that is being named (parts) |
| 270-431 | played so far, by each seat |
| 432-593 | the last play of each seat; nothing for a pass |
| 594-1403 | the last 15 plays, the oldest first, passes included, with nothing in front where there were fewer (reshaped to (5, 162), DouZero's z) |
| 1404-1463 | cards left: one of 20 for each seat |
| 1464-1466 | own role: landlord, after the landlord, before it; 0 in the bidding |
| 1467-1469 | the highest bid: 1, 2, 3; 1 without bidding |
| 1470 | the play to beat is the partner's |
| 1471-1485 | bombs and rockets played: one of 0 to 14 |
| 1486-1488 | the seat with the highest bid; 0 without bidding |

`rules.action_cards` writes the 54 numbers of an action, which value networks want beside them.

## Starting state

The cards are dealt by the seed alone, so that a seed gives the same deal for every seating.

## Rewards

0 until the game ends; then the score.

## Episode end

When a hand is empty, after at most 154 decisions and 3 bids. Random games take 61 on average.
"""

from stratagym.envs.core import GameSpec, Option

SPEC = GameSpec(
    name="dou_dizhu",
    title="Fight the Landlord",
    version=0,
    min_players=3,
    max_players=3,
    chance="sampled",
    information="imperfect",
    max_game_length=154,
    # Who will be the landlord is open before the bidding.
    sides=lambda rules: None if rules.bidding else ((0,), (1, 2)),
    sources=(
        "Pagat: Dou Dizhu (rules); Botzone, FightTheLandlord: the game's page and recorded games",
        "OpenSpiel dou_dizhu (bidding, scores); DouZero and RLCard (patterns, observation)",
    ),
    options={
        "kickers": Option(
            "distinct", ("distinct", "pagat", "loose"), "which single cards go with a body"
        ),
        "shuttle": Option(False, (False, True), "whether fours in sequence are a kind of play"),
        "bidding": Option("none", ("none", "points"), "how the landlord is found"),
        "score": Option("stakes", ("stakes", "win", "botzone"), "what a game is worth"),
        "spring": Option(True, (False, True), "whether a spring doubles the stake"),
        "judge": Option("standard", ("standard", "botzone"), "whose rules"),
        "plays": Option("parts", ("parts", "whole"), "what an action is"),
    },
)
