"""Names and values of the fans, and which of them do not count beside which."""

from __future__ import annotations

import numpy as np

NUM_FANS = 83
"""Length of arrays by fan: 1 to 81, and 82; 0 is not used."""
FLOWERS, MIXED_KONGS = 81, 82

NAMES: tuple[str, ...] = (
    "",
    "Big Four Winds",
    "Big Three Dragons",
    "All Green",
    "Nine Gates",
    "Four Kongs",
    "Seven Shifted Pairs",
    "Thirteen Orphans",
    "All Terminals",
    "Little Four Winds",
    "Little Three Dragons",
    "All Honors",
    "Four Concealed Pungs",
    "Pure Terminal Chows",
    "Quadruple Chow",
    "Four Pure Shifted Pungs",
    "Four Pure Shifted Chows",
    "Three Kongs",
    "All Terminals and Honors",
    "Seven Pairs",
    "Greater Honors and Knitted Tiles",
    "All Even Pungs",
    "Full Flush",
    "Pure Triple Chow",
    "Pure Shifted Pungs",
    "Upper Tiles",
    "Middle Tiles",
    "Lower Tiles",
    "Pure Straight",
    "Three-Suited Terminal Chows",
    "Pure Shifted Chows",
    "All Five",
    "Triple Pung",
    "Three Concealed Pungs",
    "Lesser Honors and Knitted Tiles",
    "Knitted Straight",
    "Upper Four",
    "Lower Four",
    "Big Three Winds",
    "Mixed Straight",
    "Reversible Tiles",
    "Mixed Triple Chow",
    "Mixed Shifted Pungs",
    "Chicken Hand",
    "Last Tile Draw",
    "Last Tile Claim",
    "Out with Replacement Tile",
    "Robbing The Kong",
    "All Pungs",
    "Half Flush",
    "Mixed Shifted Chows",
    "All Types",
    "Melded Hand",
    "Two Concealed Kongs",
    "Two Dragons Pungs",
    "Outside Hand",
    "Fully Concealed Hand",
    "Two Melded Kongs",
    "Last Tile",
    "Dragon Pung",
    "Prevalent Wind",
    "Seat Wind",
    "Concealed Hand",
    "All Chows",
    "Tile Hog",
    "Double Pung",
    "Two Concealed Pungs",
    "Concealed Kong",
    "All Simples",
    "Pure Double Chow",
    "Mixed Double Chow",
    "Short Straight",
    "Two Terminal Chows",
    "Pung of Terminals or Honors",
    "Melded Kong",
    "One Voided Suit",
    "No Honors",
    "Edge Wait",
    "Closed Wait",
    "Single Wait",
    "Self-Drawn",
    "Flower Tiles",
    "Concealed Kong and Melded Kong",
)
"""The names PyMahjongGB gives the fans, by number."""


def _values() -> np.ndarray:
    values = np.zeros(NUM_FANS, np.int64)
    lasts = {88: 7, 64: 13, 48: 15, 32: 18, 24: 27, 16: 33, 12: 38, 8: 47, 6: 54, 4: 58, 2: 68}
    first = 1
    for value, last in {**lasts, 1: 81, 5: 82}.items():
        values[first : last + 1] = value
        first = last + 1
    return values


VALUES = _values()
"""(83,) int64: points by fan; 6 for the last one in the World Mahjong Organization's convention."""

# --- sets of fans as two words (fan_bits) ---------------------------------------------------------

LATE = 64

EXCLUDED: dict[int, tuple[int, ...]] = {
    1: (38, 48, 73),
    2: (54, 59),
    3: (49, 75),
    4: (22, 62, 75, 76),
    5: (17, 48, 53, 57, 67, 74, 79, 82),
    6: (19, 22, 62, 75, 76),
    7: (51, 62, 79),
    8: (18, 48, 55, 65, 73, 76),
    9: (38, 73),
    10: (54, 59),
    11: (18, 48, 55, 73, 75),
    12: (48, 62),
    13: (19, 22, 63, 69, 72, 75, 76),
    14: (24, 64, 69),
    15: (23, 24, 48),
    16: (30, 71, 72),
    17: (53, 57, 67, 74, 82),
    18: (48, 55, 73),
    19: (62, 79),
    20: (51, 62),
    21: (48, 68, 76),
    22: (75, 76),
    23: (24, 69),
    24: (23,),
    25: (36, 76),
    26: (68, 76),
    27: (37, 76),
    29: (63, 70, 72, 76),
    31: (68, 76),
    34: (51, 62),
    36: (76,),
    37: (76,),
    40: (75,),
    44: (80,),
    46: (80,),
    47: (58,),
    49: (75,),
    52: (79,),
    53: (66, 67),
    54: (59,),
    56: (80,),
    57: (74,),
    63: (76,),
    68: (76,),
}
"""What each fan contains, which does not count beside it. Besides: Nine Gates takes one Pung of
Terminals or Honors and Big Three Winds three; Nine Gates and Four Concealed Pungs make a Fully
Concealed Hand a Self-Drawn one; a Prevalent or Seat Wind takes its own Pung of Terminals or
Honors."""


def _masks() -> tuple[np.ndarray, np.ndarray]:
    early, late = np.full(LATE, -1, np.int64), np.full(LATE, -1, np.int64)
    for fan, others in EXCLUDED.items():
        if fan >= LATE:
            continue
        for other in others:
            if other < LATE:
                early[fan] &= ~(1 << other - 1)
            else:
                late[fan] &= ~(7 << 3 * (other - LATE))
    return early, late


KEPT_EARLY, KEPT_LATE = _masks()
"""(64,) int64 each, by fan: of the two words, what may count beside it."""
EXCLUDING = sum(1 << fan - 1 for fan in (*EXCLUDED, 38) if fan < LATE)
"""The fans below 64 that exclude others, as bits. Of the later ones All Simples alone does: No
Honors."""
