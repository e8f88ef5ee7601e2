"""Unknown names in plans: misspelt names, names of another game, names of no game at all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

LEXICON_VERSION = 1
LEXICON: Mapping[str, str] = {
    "plants vs. zombies": """
        peashooter sunflower cherrybomb wallnut potatomine snowpea chomper repeater puffshroom
        sunshroom fumeshroom gravebuster hypnoshroom scaredyshroom iceshroom doomshroom lilypad
        squash threepeater tanglekelp jalapeno spikeweed torchwood tallnut seashroom plantern cactus
        blover splitpea starfruit pumpkin magnetshroom cabbagepult flowerpot kernelpult coffeebean
        garlic umbrellaleaf marigold melonpult gatlingpea twinsunflower gloomshroom cattail
        wintermelon goldmagnet spikerock cobcannon imitater
        zombie flagzombie conehead polevaulting buckethead newspaperzombie screendoor footballzombie
        dancingzombie backupdancer duckytube snorkelzombie zomboni bobsled dolphinrider jackinthebox
        balloonzombie digger pogo yeti bungee ladderzombie catapultzombie gargantuar imp zomboss
    """,
    "hearthstone battlegrounds": """
        alleycat murloc tidehunter tidecaller direwolfalpha kaboombot micromachine mecharoo
        selflesshero wrathweaver vulgarhomunculus harvestgolem metaltoothleaper oldmurkeye
        coldlightseer ratpack scavenginghyena spawnofnzoth cavehydra ironsensei securityrover
        mechanoegg cobaltguardian defenderofargus baronrivendare brannbronzebeard lightfangenforcer
        malganis mamabear foereaper ghastcoiler kangorsapprentice maexxna zappslywick
        gentlemegasaur nadinathered kalecgos amalgadon
    """,
    "pokemon moves": """
        ember flamethrower fireblast flamewheel willowisp watergun bubblebeam hydropump surf
        whirlpool vinewhip razorleaf solarbeam leechseed synthesis earthquake mudslap rockslide
        stealthrock shadowball darkpulse nightshade moonblast dazzlinggleam lightscreen reflect
        protect recover thunderbolt icebeam
    """,
    "towers": """
        dartmonkey tackshooter superninja bombtower inferntower infernotower tesla archertower
        wizardtower mortar hogrider musketeer minipekka valkyrie skeletonarmy creep minion
    """,
}
"""Names of units and moves of games that models know, by game."""
OWN, OTHER_SIDE, NEAR, SIBLING, KNOWN, UNKNOWN, LEAKED = (
    "own", "other_side", "near", "sibling", "lexicon", "unknown", "leaked",
)  # fmt: skip
CLASSES = (OWN, OTHER_SIDE, NEAR, SIBLING, KNOWN, UNKNOWN, LEAKED)
HALLUCINATED = (SIBLING, KNOWN, UNKNOWN, LEAKED)
"""Classes of names that the game does not have."""
LONG = 6
"""Letters of a name that is long enough to be found misspelled, or within another."""
MISSPELLED = 2
"""Letters wrong, missing, too many or swapped, at most."""


def key(name: str) -> str:
    """A name as names are compared."""
    return re.sub(r"[\s_\-'’.]+", "", name).lower().removesuffix("s")


@lru_cache(maxsize=1)
def lexicon() -> dict[str, tuple[str, int]]:
    """By key: the game that a name is of, and its letters."""
    return {
        key(name): (game, len(name)) for game, names in LEXICON.items() for name in names.split()
    }


def distance(a: str, b: str, most: int = MISSPELLED) -> int:
    """Letters to change, add, drop, or swap with their neighbour (Damerau; optimal alignment).

    More than ``most`` are told as ``most + 1``.
    """
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def classify(
    name: str,
    own: Sequence[str],
    other: Sequence[str],
    siblings: Mapping[str, Sequence[str]],
    true: Sequence[str] = (),
) -> tuple[str, str]:
    """(class, source game or empty) of a name in a readable reply.

    Args:
        own, other: the side's names and the other side's, as the prompt has them.
        siblings: those of the other two games, by game.
        true: under made-up names, the game's real ones.
    """
    wanted = key(name)
    if wanted in map(key, own):
        return OWN, ""
    if wanted in map(key, other):
        return OTHER_SIDE, ""
    if wanted in map(key, true):
        return LEAKED, ""
    long = [one for one in (*own, *other) if len(one) >= LONG]
    if any(distance(wanted, key(one)) <= MISSPELLED for one in long):
        return NEAR, ""
    for game, names in siblings.items():
        if wanted in map(key, names):
            return SIBLING, game
    found = lexicon()
    if wanted in found:
        return KNOWN, found[wanted][0]
    for one, (game, letters) in found.items():
        if letters >= LONG and one in wanted:
            return KNOWN, game
    return UNKNOWN, ""
