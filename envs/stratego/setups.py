"""How people set up their pieces: counts of kinds by cell, and two setups of DSGBench's scenes.

The counts are of 47,108 different setups of classic Stratego and 3,646 of barrage, of games that
people played on gravon.de, as github.com/JBLanier/stratego_env (commit d634472, MIT) has them. Each
setup was counted with its mirror image, so that half of a row tells all of it.
"""

from __future__ import annotations

import numpy as np

from stratagym.envs.stratego.boards import BOARDS, KINDS, LETTERS, MOST_HOME

_CLASSIC = """
87 68 2143 3728 77    459 717 5896 10263 1698
1118 1927 4945 7336 4061    410 449 469 569 688
30434 28474 18016 18142 28051    21742 24809 16305 17028 25261
17736 20246 11096 10943 17837    18159 15446 11281 11005 14853
1979 1544 8981 7563 1415    5756 5401 10523 9911 4777
13013 13215 14530 14225 13082    24541 21761 20946 21345 21032
15500 14297 6604 6498 13798    11673 7665 5698 5418 6541
10984 8950 7117 6695 7092    14442 10704 10762 8814 9180
16767 19660 8920 8579 20083    10635 10076 7485 7710 9982
7734 8716 7638 7056 7513    5629 6671 6314 5650 5614
12351 14854 10926 10721 16040    12812 11957 7974 7702 12338
7162 8863 9200 8519 9110    4497 5263 6149 5694 6300
4553 5340 10766 9612 6146    8736 8868 7692 7005 9656
5359 7460 10191 10499 9716    2712 3497 4234 4350 4932
1459 1581 8411 6980 1518    5553 6436 11071 8345 6109
3400 6839 8018 6182 6623    918 1306 1051 1053 1363
649 878 5462 8105 767    2614 3623 5840 6338 5613
958 1258 1136 1098 1847    229 217 155 136 185
534 678 6652 8233 789    2486 3080 5841 6690 4076
1095 1697 1286 1082 1830    310 223 154 149 223
201 55 481 322 51    286 46 241 361 59
467 237 1196 2045 326    9938 2474 7967 13493 6862
9702 6787 6854 5733 5481    11464 11538 9650 7445 8106
25190 14808 17863 18536 15179    12431 26205 24734 21958 22984
"""
"""For each kind that there is, spy to bomb, the left five cells of four rows, the front row first.
"""
_BARRAGE = """
286 306 163 230 579    226 192 108 114 101
264 242 122 79 76    132 173 103 90 60
710 632 237 279 629    417 362 145 145 177
675 530 210 122 145    339 733 305 225 275
341 323 128 115 413    180 156 101 77 88
303 284 99 67 63    126 366 168 129 119
381 422 116 148 614    272 162 92 75 83
206 278 85 74 59    45 197 112 145 80
423 656 116 177 607    176 215 88 77 82
171 228 103 44 68    52 135 79 88 61
69 50 90 125 52    93 39 63 104 51
350 63 72 104 63    1327 240 129 434 128
148 194 68 104 182    130 64 52 86 83
554 98 78 98 74    487 489 149 396 112
"""


def _counts(table: str, pieces: tuple[int, ...]) -> np.ndarray:
    halves = iter(np.array(table.split(), int).reshape(-1, 4, 5))
    counts = np.zeros((KINDS + 1, 4, 10))
    for kind, number in enumerate(pieces, 1):
        if number:
            half = next(halves)
            counts[kind] = np.concatenate([half, half[:, ::-1]], 1)
    return counts[:, ::-1].reshape(KINDS + 1, MOST_HOME)  # a seat counts its rows from the back


HUMAN_COUNTS = np.stack(
    [
        _counts(_CLASSIC, BOARDS["classic"].pieces),
        _counts(_BARRAGE, BOARDS["barrage"].pieces),
    ]
)
"""(board, kind, home cell) float64, home cells from the back row's left on, as the seat sees them.
"""


def kinds_of(rows: str) -> np.ndarray:
    """A setup's kinds by home cell, of its rows as prompts show them: the front row first."""
    letters = [*LETTERS[:10], "T", *LETTERS[11:]]
    return np.array(
        [letters.index(letter) for row in reversed(rows.split()) for letter in row], np.int64
    )


SCENE = np.stack(
    [
        kinds_of("B25424222B 64T8592745 363FS36B22 7B837B63B5"),
        kinds_of("2479452T45 256S267326 BB38278B3B 562323BFB4"),
    ]
)
"""(seat, home cell): DSGBench's setup of the model, who is seat 0, and of its fixed opponent."""
