"""Werewolf.

A few wolves hide among a village. At night the pack kills, the seer looks at a card and the doctor
protects somebody; by day all debate and exile one of them by vote. The village wins when no wolf
lives, the wolves when they are as many as the others.

What is said by day is a sequence of *acts* (suspect a player, claim a role, tell a result), so that
players without language play the whole game, and language models play with words and declare which
acts these are.

## Rules and variants

| Players | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13-16 | 17-20 |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| Wolves | 1 | 1 | 2 | 2 | 2 | 2 | 3 | 3 | 4 | 5 |

The others are a seer, a doctor and villagers. A hunter, a jester and a killer each take the place of
a villager, an alpha that of a wolf. Their rules are this project's, because DSGBench names these
roles and plays none of them.

| Topic | Here | Option |
| --- | --- | --- |
| Players | 8, in seats that all know, with names drawn from 24 | `players=12`; `names="paper"`: the 17 names of Werewolf Arena |
| Night | all choose, then everything happens at once: who is killed still looks or protects | `first_night="peace"`: nobody is killed in the first night |
| Kill | the wolves name a player one after the other and see the names before; if they differ they name once more, then a lot among the wolves' second names decides | `kill="one"`: a wolf drawn by lot decides alone (DSGBench, Werewolf Arena) |
| Doctor | protects any living player, itself too | `doctor="not_self"`; `"not_twice"`: not the same in two nights running; `"none"`: no doctor |
| Seer | looks at a living player it has not looked at, learns the role | `seer="side"`: a wolf or not; `"none"`: no seer |
| Morning | the victim is told, or that there is none; never the role | `reveal="role"`: roles of the dead are shown (many tables) |
| Debate | each speaks once, clockwise from a seat drawn each day | `speeches=2`; `debate="bid"`: `turns=8` speeches, for each of which players bid 0 to 4 (Werewolf Arena); `debate="none"` |
| Acts of a speech | at most 3 | `acts=5`; `acts_from="say"`: models do not declare acts, these are read from their words |
| Vote | all at once, each for another living player; then all see who voted for whom | `votes="secret"`: the result alone (DSGBench, Werewolf Arena); `abstain=1`: or for nobody |
| Exile | more than half of the living, else nobody | `exile="plurality"`: most votes, nobody in a tie; `"lot"`: a tie is decided by lot (TextArena); `"revote"`: one more vote among the tied (AIWolf) |
| End | looked at in the morning and after the exile; wolves win with as many as all others | |
| Draw | after 30 days | `max_days=10` |
| Hunter | none | `hunter=1`: voted out, it may take a player along before the end is looked at; `hunter_night=1`: when killed at night, too |
| Alpha | none | `alpha=1`: a wolf whom the seer sees as a villager |
| Jester | none | `jester=1`: if it is voted out it alone wins, and the game is over |
| Killer | none | `killer=1`: names a player each night, who dies as the pack's victim does. While it lives nobody else wins; it wins when it lives with at most one other |

The jester and the killer belong to no side: each counts among the others when wolves are compared
with them, and loses with every result but its own. If all are dead, nobody wins.

DSGBench's scene is `kill="one", votes="secret"`, and everything else as here. Its released code
plays with errors that this game does not have: when the doctor is dead nobody dies at night any
more; when the seer is dead the doctor's ward is written down as the seer's check; wolves that win in
the morning have to survive the day's exile; a protected player disappears from the lists of
players; the order of speeches gives the roles away; counters of votes run on from game to game;
there is no bidding; and all wolves are one fixed small model.

## Phases

A day begins with its night: the wolves, the doctor, the seer and the killer choose. In the morning
the dead are told and a killed hunter may shoot. Then come the speeches, each after a round of bids
with `debate="bid"`, the vote, a second one where it is a tie, and an exiled hunter's shot.

The seats decide at the same time where none sees another's choice: a night's doctor, seer and
killer (and the wolf, if it kills alone) are one turn, all bids are one, and so are all votes. Each
speech and each wolf's naming is a turn of its own. Who is to move at night is hidden. With bids the
highest speaks; among equals those about whom the last speech said something, then a lot; all living
but the last speaker bid.

## Action space

`Discrete(10 n + 14)` for n players. A player is counted clockwise from the actor, who is 0.

| Action | Meaning |
| --- | --- |
| 0 .. n-1 | choose that player: kill, protect, look at, vote for, shoot |
| n | vote for nobody, do not shoot |
| n+1 .. n+5 | bid 0 .. 4 |
| n+6 | end the speech |
| n+7 .. n+13 | claim to be villager, seer, doctor, hunter, wolf, jester, killer; once a speech |
| n+14 + k n + t | say about player t: k = 0 suspect, 1 trust, 2 I looked: a wolf, 3 I looked: no wolf, 4 I protected, 5 all should vote for, 6 agree with, 7 disagree with, 8 asked for the role |

Acts are about other living players; 2, 3 and 4 also about the dead, 4 about oneself. No act is said
twice in a speech. A speech without acts is silence.

## Observation space

`Box(0, 127, (20 + 27 n + 13 n^2,), int8)`: 1,068 numbers for eight players. Seats are counted
clockwise from the observer.

| Part | Numbers |
| --- | --- |
| own role one-hot (villager, wolf, seer, doctor, hunter, alpha, jester, killer) | 8 |
| phase one-hot (wolves, doctor, seer, killer, bid, speech, vote, shot); at night one's own only | 8 |
| day; acts of the running speech; the least and the most wolves that may live by what all know | 4 |
| for each seat: alive; day killed or shot; day exiled | 3 |
| its role if known, one-hot; known to be no wolf; known to be a wolf | 8 + 2 |
| the last role claimed, one-hot (in the order of the actions); number of claims | 7 + 1 |
| of a packmate, 1 + whom it named tonight; 1 + its last bid today; protected by oneself last night; 1 + the role that one saw it to have; spoke today; votes received in the last vote | 6 |
| for each speaker about each seat: today suspect, trust, vote, agree, disagree, asked for the role | 6 |
| on earlier days suspect, trust; so far a wolf, no wolf, protected | 5 |
| voted for it in the last vote; how often before | 2 |

Under `votes="secret"` the numbers of votes are 0 but for one's own votes.

## Starting state

Roles are shuffled over the seats, names drawn; the first night begins. All lots are drawn when they
are needed, from the record.

## Rewards

At the end +1 for every seat of the side that has won, dead or not, or for the winning jester or
killer; -1 for all others; 0 in a draw.

## Episode end

Terminated when somebody has won or all are dead, truncated after `max_days`. A player's death ends
nobody's episode: the dead are asked nothing more.

## Players

| Policy | How it plays |
| --- | --- |
| `rule:herd` | suspects and votes for whoever is suspected most today; wolves never a wolf |
| `rule:seer` | the seer tells its checks as soon as one is a wolf; a lone claimant is believed, two are not; the doctor protects a claimant and wolves kill it |
| `rule:bluff` | the same, and a wolf claims to be the seer and calls somebody a wolf, whom the pack votes for |
| `rule:deductive` | weighs all assignments of roles by how likely they make what was said and how it was voted; the `heuristic` |
| `pimc:10?weights=yes&sure=2` | tries every choice in 10 guesses at the roles, played out by `rule:deductive`, and leaves that player's choice only for one that is better for sure; speaks and bids like it |

Players without language say their acts in plain sentences, which models read.

## Prompts

A reply is one JSON object; its members are DSGBench's: `remove`, `protect`, `investigate`, `kill`,
`shoot`, `bid`, `vote`, and `say` with `acts` for a speech. What is wrong is told by one word:

| Word | The reply |
| --- | --- |
| `no_json`, `no_choice`, `no_speech`, `bad_type` | holds no object, no member of the phase, or something else than a name there |
| `unknown_name`, `ambiguous_name` | names nobody, or several |
| `dead_player`, `oneself`, `not_an_option` | names somebody who may not be chosen |
| `no_bid` | bids something else than 0 to 4 |
| `unknown_act`, `unknown_role`, `repeated_act`, `second_claim`, `too_many_acts` | holds an act that is none, or one too many; the speech and its other acts stand |

What wolves `say` at night only the pack hears; what anybody says to `me` is a note to oneself. With
`acts_from="say"`, or if a reply has no `acts`, these are read from the words by simple patterns. As
`--position table`, what a player has declared stands in a row with what became of it.
"""

from stratagym.envs.core import GameSpec
from stratagym.envs.werewolf.options import OPTIONS

SPEC = GameSpec(
    name="werewolf",
    title="Werewolf",
    version=0,
    min_players=5,
    max_players=20,
    dynamics="simultaneous",
    chance="sampled",
    information="imperfect",
    utility="general",
    max_game_length=1800,
    sides=None,
    sources=(
        "DSGBench (arXiv:2503.06047), appendix F and its released code",
        "Werewolf Arena (arXiv:2407.13943; rounds, bids, speeches)",
    ),
    options=OPTIONS,
)
