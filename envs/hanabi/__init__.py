"""Hanabi.

Two to five players build five fireworks together, one in each colour, from 1 to 5. Players see the
others' cards but not their own; they learn about their own cards from hints, and hints cost tokens.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Cards | red, yellow, green, white, blue; of each 1 1 1 2 2 3 3 4 4 5 | `variant="small"`: two colours, hands of 2, 3 tokens, 1 life; `"very_small"`: the same with one colour |
| Hands | 5 cards for two and three players, 4 for more | `score="spin"`: 5 for four players too |
| Hints | a colour or a rank that occurs in the hand; all cards of that colour or rank are pointed out; costs one of 8 tokens | |
| Discarding | gives a token back; forbidden while all 8 are there | |
| Playing | a card that continues its firework scores a point; any other card is lost and costs one of 3 lives | |
| A 5 played | gives a token back, if one is missing | |
| Order of a hand | oldest card first, at index 0; the new card comes last | |
| End | the third life lost, 25 points, or one more turn for each player after the last card is drawn | |
| Score | points, 0 once all lives are lost | `score="keep"`: points in any case; `score="spin"`: points before the game's last move |

With `score="spin"` scores are computed like those that SPIN-Bench published: logged before the last
action, and with hands of five for four players.

## Action space

The move ids of the Hanabi Learning Environment, `Discrete(2h + 10(n - 1))` for n players and hands
of h: 20 for two players.

| Action | Move |
| --- | --- |
| 0 .. h-1 | discard own card 0 .. h-1 |
| h .. 2h-1 | play own card 0 .. h-1 |
| 2h + 5(o-1) + k | tell the o-th player to the left which cards have colour k |
| 2h + 5(n-1) + 5(o-1) + k | tell the o-th player to the left which cards have rank k + 1 |

## Observation space

`Box(0, 1, (size,), int8)`, the canonical encoding of the Hanabi Learning Environment bit by bit:
658 numbers for two players, 956, 1041 and 1280 for three to five. Players are counted from the
observer, cards as 5 * colour + rank, one-hot unless the table says otherwise.

| Part | Size |
| --- | --- |
| the other players' hands | (n-1) h 25 |
| players whose hand lacks a card | n |
| cards left in the deck, that many ones | 50 - nh |
| height of each firework (0: none) | 25 |
| information tokens, life tokens, that many ones each | 8 + 3 |
| discarded cards, by card, that many ones | 50 |
| the last move: player; play, discard, colour or rank; receiver; colour; rank; cards touched; index; card; whether it scored, whether it gave a token | 2n + 4 + 10 + 2h + 25 + 2 |
| for every card in every hand, the observer's first: possible cards after the hints, hinted colour, hinted rank | nh (25 + 5 + 5) |

`action_mask`: `Box(0, 1, (A,), int8)`.

## Starting state

A shuffled deck, hands dealt, 8 information tokens, 3 lives; player 0 begins. The deck is in the
state from the start: there are no chance events.

## Rewards

The change of the score, the same for every player.

## Episode end

Termination as the table says.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="hanabi",
    title="Hanabi",
    version=0,
    min_players=2,
    max_players=5,
    chance="sampled",
    information="imperfect",
    utility="identical",
    max_game_length=89,
    sources=(
        "Bard et al. 2020, The Hanabi challenge, Artificial Intelligence 280 (rules, variants)",
        "The Hanabi Learning Environment (move ids, canonical observation)",
        "SPIN-Bench, arXiv:2503.12349 (prompt, scoring)",
    ),
    options={
        "players": Option(2, integer(2, 5), "2 to 5"),
        "score": Option("strict", ("strict", "keep", "spin"), "what counts at the end"),
        "variant": Option("full", ("full", "small", "very_small"), "deck, hands and tokens"),
    },
)
