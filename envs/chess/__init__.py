"""Chess.

The usual game on 8 x 8. Draws need not be claimed.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Repetition | the third time a position stands: a draw | `draws="fide"`: the fifth time (article 9.6.1) |
| Moves without progress | 100 plies without a capture or a pawn move: a draw | `draws="fide"`: 150 plies (article 9.6.2) |
| Same position | same pieces, side to move, castling rights, and the same capture en passant being legal (article 9.2.3) | |
| Dead position | drawn when neither side has the material to mate by any moves: bare kings, a lone minor piece, bishops all on one colour; other dead positions play on | |
| Checkmate on the last ply of a count | wins | |
| Castling | the king's move of two squares | |
| Start | the usual one | `notation.set_fen(rules, states, fen)` puts any position into a state |

`judge="botzone"` is the referee of Botzone, for games recorded there: seat 1 plays White and moves
first; a draw is stalemate or more than 50 *plies* without a capture or a pawn move (the recorded
games end on the 51st); no repetition, no dead positions. `draws` then has no effect.

PettingZoo's chess_v6 ends a game earlier: as soon as a draw *could* be claimed, also by announcing
a move that would bring the repetition or the hundredth ply about.

## Action space

`Discrete(4672)`, numbered as PettingZoo's chess_v6 (and AlphaZero's 8 x 8 x 73): `(8 * file + rank)
* 73 + plane`, square and plane seen from the side of the player who moves. Planes: 0-55 queen moves,
`8 * (distance - 1) + direction`, directions by file then rank step from (-1, -1) to (1, 1); 56-63
knight moves, in the same order; 64-72 promotions to knight, bishop, rook, to the left, straight on,
to the right. A pawn that reaches the last rank by a queen plane becomes a queen.

## Observation space

`observation`: `Box(0, 1, (8, 8, 111), bool)`, equal to PettingZoo's chess_v6 plane by plane at
every ply, from the observer's side (row 0 is the observer's far rank; columns are files a to h for
both players).

| Planes | Content |
| --- | --- |
| 0-3 | castling rights: own king side, own queen side, the opponent's king side and queen side |
| 4 | ones for Black |
| 5 | one square, number `halfmove_clock // 2` |
| 6 | ones |
| 7-18 | own pawns, knights, bishops, rooks, queens, king, then the opponent's |
| 19 | ones if the position has stood before |
| 20-110 | the same 13 planes for the seven positions before it |

Some of this is surprising, but equal to PettingZoo's observation: a pawn that has just made two
steps is shown on its own first rank instead of its square, as Leela marks en passant (PettingZoo's
issue 1237 reports this as a bug; PettingZoo's documentation explains it); planes 0-3 are not in the
order its documentation gives; in plane 5, squares are numbered a1, b1, ... from the near left for
White and from the far left for Black; the starting position never is in the history, so the first
observation shows no pieces. A position put by `set_fen` *is* in the history. PettingZoo has no
games beyond 100 such plies; plane 5 stays at its last square from 126 on.

`action_mask`: `Box(0, 1, (4672,), int8)`.

## Starting state

The usual position; player 0 is White and moves first.

## Rewards

+1 and -1 at checkmate, 0 for a draw.

## Episode end

Checkmate or a draw. No game is longer than 118 x 100 plies: only pawn moves (16 pawns, 6 each) and
captures (30) restart the count of 100. For two pawns of a file to get past each other, one of them
must capture (a move counted twice above) or be captured or both be blocked, at least one pawn move
short; so there are at most 96 + 30 - 8 = 118 restarts, and if all 118 happen, the last is the
thirtieth capture, which leaves bare kings.
"""

from stratagym.envs.core import GameSpec, Option

SPEC = GameSpec(
    name="chess",
    title="Chess",
    version=0,
    max_game_length=11_800,
    sources=(
        "FIDE Laws of Chess, 2023",
        "PettingZoo classic/chess_v6 (actions and observations)",
        "BotzoneBench's recorded games (judge='botzone')",
    ),
    options={
        "draws": Option(
            "automatic",
            ("automatic", "fide"),
            "automatic: threefold repetition and 100 plies; fide: fivefold and 150",
        ),
        "judge": Option(
            "standard",
            ("standard", "botzone"),
            "botzone: seat 1 is White; only stalemate and 51 plies draw",
        ),
    },
)
