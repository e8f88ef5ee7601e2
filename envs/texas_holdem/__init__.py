"""Texas hold'em for two, no limit.

Each player holds two cards of its own; five more are laid open between them, three (flop), one
(turn), one (river), with a round of betting before the flop and after each of the three. A player
who folds loses its bets; otherwise the best five of seven cards win the pot. A match is a number of
hands with the button changing seats.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Match | 20 hands; the cards of hand k depend on the seed and k only, so that a match with the seats changed has the same cards | `hands` |
| Stacks | 20,000 chips each, reset before every hand | `stack`; `stacks="carry"`: stacks carry over from hand to hand, and the match ends when a player has no chips |
| Blinds | 50 and 100; the button posts the small one, acts first before the flop and last after it; player 0 has the first button | |
| Raises | to at least the bet faced plus the last raise (a big blind to begin with); all-in for less is allowed and does not change this minimum | |
| Stacks of different size | a bet goes up to what the shorter stack can match; the rest would come back anyway | |
| Fold | only if there is a bet to call | |
| Showdown | both hands are shown; the ace also ends the straight A-2-3-4-5 | |
| Split pots | even, always: both players have paid the same when there is a showdown, so that no odd chip is ever left for the player out of position | |

`judge="botzone"` plays by the judge of botzone.org: the player *without* the button posts the
small blind and acts first on every street; folding is always allowed; a raise needs the player's
bet on the street to become at least twice the largest single addition of the street so far (which
counts as 100 before the flop and 50 at the start of each later street) and more than the bet it
faces; all-in is always allowed, and the only answer to it is all-in or fold; A-2-3-4-5 is not a
straight.

## Action space

With `raises="pot"` (default) `Discrete(8)`: 0 fold, 1 check or call, 2-6 raise by 1/3, 1/2, 2/3, 1 or
2 times the pot as it is after calling (rounded down), 7 all-in. A raise that is too small, or not
less than all-in, or the same as a smaller fraction's, is masked.

With `raises="chips"` `Discrete(stack + 2)`: 0 fold, 1 check or call, a + 1: raise to a chips, which
makes the player's bet on this street a; the largest is all-in. Text games (`TextGame`) use these
actions by default, so that a player can name any legal amount.

## Observation space

`Box(0, 1, (268,), float32)`; amounts are divided by both stacks together (2 x `stack`). Cards are
4 x rank + suit, rank 0 the deuce.

| Index | Content |
| --- | --- |
| 0-51 | own cards |
| 52-103 | the board |
| 104-155 | the opponent's cards of the last hand, if they were shown |
| 156-159 | street: preflop, flop, turn, river |
| 160-162 | has the button; is to move; share of the hands that are over |
| 163-169 | pot with all bets; own and the opponent's stack; own and the opponent's bet on this street; to call; least raise |
| 170-171 | 1/2 + score / (2 x `stack` x `hands`); 1/2 + won in the last hand / (2 x `stack`) |
| 172-267 | for each street the first six actions (the sixth place holds the latest, if there are more): by the observer, by the opponent, is a raise, the player's bet after it |

`action_mask`: `Box(0, 1, (8,), int8)`.

## Starting state

Player 0 has the button in the first hand.

## Rewards

After each hand, big blinds won or lost (chips / 100). With `judge="botzone"`, the change of its score,
which counts whole halves of a big blind: 2,560 chips are 25.5.

## Episode end

After the last hand; with `stacks="carry"` also when a player has no chips.

Pictures and texts of the true state show both players' cards and are for spectators. Prompts and
observations hold only what their player may know.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="texas_holdem",
    title="Texas hold'em",
    version=0,
    chance="sampled",
    information="imperfect",
    max_game_length=400,
    sources=(
        "Poker TDA rules (2024), heads-up and no-limit betting",
        "Botzone, TexasHoldem2p: the game's page and recorded matches (the judge option)",
    ),
    options={
        "hands": Option(20, integer(1, 10_000), "hands in a match"),
        "stack": Option(20_000, integer(200, 30_000), "chips of each player at the start"),
        "stacks": Option("reset", ("reset", "carry"), "what happens to stacks between hands"),
        "judge": Option("standard", ("standard", "botzone"), "whose rules"),
        "raises": Option("pot", ("pot", "chips"), "what can be raised to"),
    },
)
