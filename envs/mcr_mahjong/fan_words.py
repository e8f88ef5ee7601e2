"""The fans in words: what a hand must have for each, and a hand that has it.

An example names the winning tile last, behind ``+``; exposed melds stand in brackets, concealed
kongs in parentheses. What it does not show, such as that the winner drew the tile, stands in the
condition.
"""

from __future__ import annotations

from functools import cache

from stratagym.envs.mcr_mahjong.fan_tables import NAMES, VALUES

WORDS: tuple[tuple[str, str], ...] = (
    ("pungs of all four winds", "[F1 F1 F1] F2 F2 F2 F3 F3 F3 F4 F4 F4 B3 + B3"),
    ("pungs of all three dragons", "[J1 J1 J1] J2 J2 J2 J3 J3 J3 W1 W2 W3 T5 + T5"),
    ("only T2, T3, T4, T6, T8 and J2", "[T2 T3 T4] T2 T3 T4 T6 T6 T6 J2 J2 J2 T8 + T8"),
    (
        "1112345678999 of a suit in hand and any other tile of it",
        "W1 W1 W1 W2 W3 W4 W5 W6 W7 W8 W9 W9 W9 + W5",
    ),
    ("four kongs", "[W2 W2 W2 W2] [T5 T5 T5 T5] [B7 B7 B7 B7] (F1 F1 F1 F1) J1 + J1"),
    ("seven pairs of a suit in sequence", "B2 B2 B3 B3 B4 B4 B5 B5 B6 B6 B7 B7 B8 + B8"),
    (
        "one of every 1, 9, wind and dragon, and another of these",
        "W1 W9 T1 T9 B1 B9 F1 F2 F3 F4 J1 J2 J3 + J3",
    ),
    ("pungs and a pair of 1 and 9 only", "[W1 W1 W1] W9 W9 W9 T1 T1 T1 B9 B9 B9 T9 + T9"),
    ("pungs of three winds and a pair of the fourth",
     "[F1 F1 F1] F2 F2 F2 F3 F3 F3 W4 W5 W6 F4 + F4"),
    ("pungs of two dragons and a pair of the third",
     "[J1 J1 J1] J2 J2 J2 T3 T4 T5 B7 B7 B7 J3 + J3"),
    ("winds and dragons only", "[F1 F1 F1] F2 F2 F2 J1 J1 J1 J3 J3 J3 F4 + F4"),
    ("four pungs, all made in hand", "W2 W2 W2 W6 W6 W6 T4 T4 T4 B8 B8 B8 F1 + F1"),
    ("123 123 789 789 55 of a suit", "W1 W2 W3 W1 W2 W3 W7 W8 W9 W7 W8 W9 W5 + W5"),
    ("four equal chows", "[T3 T4 T5] [T3 T4 T5] T3 T4 T5 T3 T4 T5 F2 + F2"),
    ("four pungs of a suit in sequence", "[B2 B2 B2] B3 B3 B3 B4 B4 B4 B5 B5 B5 J1 + J1"),
    ("four chows of a suit, each 1 or each 2 above the last",
     "[W1 W2 W3] W2 W3 W4 W3 W4 W5 W4 W5 W6 F1 + F1"),
    ("three kongs", "[W2 W2 W2 W2] [T5 T5 T5 T5] (B7 B7 B7 B7) W4 W5 W6 F3 + F3"),
    ("only 1, 9, winds and dragons, both kinds among them",
     "[W1 W1 W1] T9 T9 T9 F1 F1 F1 J2 J2 J2 B9 + B9"),
    ("seven pairs in hand; four alike are two pairs",
     "W1 W1 W4 W4 T3 T3 T8 T8 B5 B5 F2 F2 J3 + J3"),
    ("all seven honors and seven of the tiles of a Knitted Straight, no two alike",
     "W1 W4 W7 T2 T5 B3 F1 F2 F3 F4 J1 J2 J3 + B9"),
    ("pungs and a pair of 2, 4, 6 and 8 only", "[W2 W2 W2] W4 W4 W4 T6 T6 T6 B8 B8 B8 T2 + T2"),
    ("one suit only", "[T1 T2 T3] T2 T3 T4 T5 T5 T5 T7 T8 T9 T6 + T6"),
    ("three equal chows", "[B4 B5 B6] B4 B4 B5 B5 B6 B6 W7 W8 W9 F4 + F4"),
    ("three pungs of a suit in sequence", "[W3 W3 W3] [W5 W5 W5] W4 W4 W4 T7 T8 T9 F1 + F1"),
    ("only 7, 8 and 9", "[W7 W8 W9] T7 T8 T9 B8 B8 B8 T7 T8 T9 W9 + W9"),
    ("only 4, 5 and 6", "[W4 W5 W6] T4 T5 T6 B5 B5 B5 W4 W5 W6 T4 + T4"),
    ("only 1, 2 and 3", "[W1 W2 W3] T1 T2 T3 B2 B2 B2 W1 W2 W3 B3 + B3"),
    ("123, 456 and 789 of a suit", "[T5 T5 T5] W1 W2 W3 W4 W5 W6 W7 W8 W9 F2 + F2"),
    ("123 and 789 of each of two suits, a pair of 5 of the third",
     "W1 W2 W3 W7 W8 W9 T1 T2 T3 T7 T8 T9 B5 + B5"),
    ("three chows of a suit, each 1 or each 2 above the last",
     "[T1 T2 T3] T2 T3 T4 T3 T4 T5 B7 B7 B7 F1 + F1"),
    ("a 5 in every set and in the pair", "[W3 W4 W5] T4 T5 T6 B5 B5 B5 T5 T6 T7 W5 + W5"),
    ("pungs of one rank in all three suits", "[W7 W7 W7] [B7 B7 B7] T7 T7 T7 W1 W2 W3 F1 + F1"),
    ("three pungs made in hand", "[W5 W6 W7] W2 W2 W2 T6 T6 T6 B9 B9 B9 F3 + F3"),
    ("14 different tiles: five or six honors, the rest of a Knitted Straight",
     "W1 W4 W7 T2 T5 T8 B3 F1 F2 F3 F4 J1 J2 + B6"),
    ("147 of a suit, 258 of another and 369 of the third, with a set and a pair",
     "[F2 F2 F2] W1 W4 W7 T2 T5 T8 B3 B6 B9 W5 + W5"),
    ("only 6, 7, 8 and 9", "[W6 W7 W8] T7 T8 T9 B6 B6 B6 W9 W9 W9 T8 + T8"),
    ("only 1, 2, 3 and 4", "[W1 W2 W3] T2 T3 T4 B4 B4 B4 W1 W1 W1 T3 + T3"),
    ("pungs of three winds", "[F1 F1 F1] [F4 F4 F4] F2 F2 F2 W4 W5 W6 T8 + T8"),
    ("123, 456 and 789, each in another suit", "[W1 W2 W3] T4 T5 T6 B7 B8 B9 W8 W8 W8 F1 + F1"),
    ("only T2, T4, T5, T6, T8, T9, B1, B2, B3, B4, B5, B8, B9 and J3",
     "[B1 B2 B3] B3 B4 B5 T4 T5 T6 T8 T8 T8 J3 + J3"),
    ("one chow in all three suits", "[W3 W4 W5] T3 T4 T5 B3 B4 B5 W8 W8 W8 F1 + F1"),
    ("pungs of three ranks in sequence, each in another suit",
     "[W3 W3 W3] [B5 B5 B5] T4 T4 T4 W7 W8 W9 F1 + F1"),
    ("no other fan, Flower Tiles aside", "[W2 W3 W4] [T5 T6 T7] B6 B6 B6 F1 F1 W7 W8 + W6"),
    ("won by drawing when nobody can draw after it",
     "[W2 W3 W4] [T5 T6 T7] B6 B6 B6 F1 F1 W7 W8 + W6"),
    ("won on a discard when nobody can draw after it",
     "[W2 W3 W4] [T5 T6 T7] B6 B6 B6 F1 F1 W7 W8 + W6"),
    ("won by the tile drawn for a kong", "[T5 T5 T5 T5] W2 W3 W4 B6 B6 B6 F1 F1 W7 W8 + W6"),
    ("won on the tile that another adds to a pung",
     "[W2 W3 W4] [T5 T6 T7] B6 B6 B6 F1 F1 W7 W8 + W6"),
    ("four pungs or kongs", "[W2 W2 W2] [B9 B9 B9] T6 T6 T6 F1 F1 F1 J2 + J2"),
    ("one suit with honors", "[T1 T2 T3] T5 T5 T5 T7 T8 T9 F2 F2 F2 J1 + J1"),
    ("three chows in all three suits, each 1 above the last",
     "[W2 W3 W4] T3 T4 T5 B4 B5 B6 W8 W8 W8 F1 + F1"),
    ("tiles of all three suits, of winds and of dragons",
     "[W2 W3 W4] T6 T6 T6 B7 B8 B9 F1 F1 F1 J3 + J3"),
    ("four exposed melds, won on a discard",
     "[W2 W3 W4] [T6 T6 T6] [B7 B8 B9] [W5 W6 W7] J3 + J3"),
    ("two concealed kongs", "(W2 W2 W2 W2) (T6 T6 T6 T6) B7 B8 B9 W5 W6 W7 J3 + J3"),
    ("pungs of two dragons", "[J1 J1 J1] J2 J2 J2 W2 W3 W4 T6 T7 T8 B5 + B5"),
    ("a 1, a 9 or an honor in every set and in the pair",
     "[W1 W2 W3] T7 T8 T9 B9 B9 B9 F1 F1 F1 J2 + J2"),
    ("no exposed meld, won by drawing", "W2 W3 W4 T6 T6 T6 B7 B8 B9 W6 W7 W8 F1 + F1"),
    ("two melded kongs", "[W2 W2 W2 W2] [T6 T6 T6 T6] B7 B8 B9 W5 W6 W7 J3 + J3"),
    ("won on the fourth tile of a kind, the other three having been discarded or exposed",
     "[W2 W3 W4] [T5 T6 T7] B6 B6 B6 F1 F1 W7 W8 + W6"),
    ("a pung of a dragon; for each", "[J1 J1 J1] W2 W3 W4 T6 T7 T8 B5 B6 B7 F2 + F2"),
    ("a pung of the prevailing wind", "[F1 F1 F1] W2 W3 W4 T6 T7 T8 B5 B6 B7 F3 + F3"),
    ("a pung of the own wind", "[F2 F2 F2] W2 W3 W4 T6 T7 T8 B5 B6 B7 F3 + F3"),
    ("no exposed meld, won on a discard", "W2 W3 W4 T6 T6 T6 B7 B8 B9 W6 W7 W8 F1 + F1"),
    ("four chows and a pair of a suit", "[W2 W3 W4] T6 T7 T8 B1 B2 B3 W6 W7 W8 T4 + T4"),
    ("four alike that are no kong; for each",
     "[W5 W6 W7] W7 W7 W7 T2 T3 T4 B6 B7 B8 F1 + F1"),
    ("pungs of one rank in two suits; for each",
     "[W4 W4 W4] T4 T4 T4 B5 B6 B7 W7 W8 W9 F1 + F1"),
    ("two pungs made in hand", "[B7 B8 B9] W2 W2 W2 T6 T6 T6 W5 W6 W7 J3 + J3"),
    ("a concealed kong", "(W2 W2 W2 W2) T6 T7 T8 B7 B8 B9 W5 W6 W7 J3 + J3"),
    ("no 1, no 9 and no honor", "[W2 W3 W4] T6 T7 T8 B5 B5 B5 W6 W7 W8 T4 + T4"),
    ("two equal chows; for each such pair",
     "[W2 W3 W4] W2 W3 W4 T6 T7 T8 B5 B5 B5 F1 + F1"),
    ("one chow in two suits; for each such pair",
     "[W2 W3 W4] T2 T3 T4 B6 B7 B8 W8 W8 W8 F1 + F1"),
    ("two chows of a suit that make six in sequence; for each such pair",
     "[W2 W3 W4] W5 W6 W7 T6 T7 T8 B5 B5 B5 F1 + F1"),
    ("123 and 789 of a suit; for each such pair",
     "[W1 W2 W3] W7 W8 W9 T4 T5 T6 B5 B5 B5 F1 + F1"),
    ("a pung of 1, 9 or a wind; for each", "[W9 W9 W9] W2 W3 W4 T6 T7 T8 B5 B6 B7 F1 + F1"),
    ("a melded kong", "[T6 T6 T6 T6] W2 W3 W4 B7 B8 B9 W5 W6 W7 J3 + J3"),
    ("two suits only, with or without honors", "[W2 W3 W4] T6 T7 T8 W6 W6 W6 T4 T4 T4 J3 + J3"),
    ("no winds and no dragons", "[W1 W2 W3] T6 T7 T8 B5 B5 B5 W6 W7 W8 T4 + T4"),
    ("won on the 3 of 123 or the 7 of 789, and on nothing else",
     "[W2 W3 W4] T6 T7 T8 B5 B5 B5 J3 J3 W1 W2 + W3"),
    ("won on the middle tile of a chow, and on nothing else",
     "[W2 W3 W4] T6 T7 T8 B5 B5 B5 J3 J3 W4 W6 + W5"),
    ("won on the second tile of the pair, and on nothing else",
     "[W2 W3 W4] T6 T7 T8 B5 B5 B5 W7 W8 W9 J3 + J3"),
    ("won by drawing", "[W2 W3 W4] [T5 T6 T7] B6 B6 B6 F1 F1 W7 W8 + W6"),
    ("a flower; for each; not toward the minimum",
     "[W2 W3 W4] [T5 T6 T7] B6 B6 B6 F1 F1 W7 W8 + W6"),
)  # fmt: skip
"""(condition, example) of fans 1 to 81, in their order."""


@cache
def fan_lines() -> tuple[str, ...]:
    """The fans by value: a line for each value, then one for each fan."""
    lines, value = [], 0
    for fan, (condition, example) in enumerate(WORDS, 1):
        if VALUES[fan] != value:
            value = int(VALUES[fan])
            lines.append(f"Worth {value} {'fan' if value == 1 else 'fans'}:")
        lines.append(f"- {NAMES[fan]}: {condition}. Example: {example}")
    return tuple(lines)


def fan_table() -> str:
    """The fans as a table in Markdown."""
    rows = ["| Fan | Value | Condition | Example |", "| --- | ---: | --- | --- |"]
    for fan, (condition, example) in enumerate(WORDS, 1):
        rows.append(f"| {NAMES[fan]} | {VALUES[fan]} | {condition} | `{example}` |")
    return "\n".join(rows)
