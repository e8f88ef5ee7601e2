"""Other implementations that ``benchmarks.throughput`` measures beside ours.

``PEERS`` has one entry for each pair of a peer and a call shape of a game; adding a peer, or a
game of a peer, is adding an entry. ``make`` turns the peer's name of the game into an episode: a
function that plays at least one whole game with random legal actions and returns the number of
player decisions in it. It imports the peer, so that only what is measured has to be installed.

A peer is measured at its best: by its quickest documented calls, C and C++ libraries from C, and
batches at the size that is quickest on this machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from stratagym.benchmarks.harness.measuring import Episode
from stratagym.benchmarks.throughput import loops, mahjong, native, pgx_batch


@dataclass(frozen=True)
class Peer:
    """One call shape of one game of another implementation.

    Attributes:
        name: as people write it. package: what ``pip install`` takes.
        game: the peer's name of the game. ours: the game of ours it is compared with.
        shape: a key of ``shapes.SHAPES``.
        make: makes the episode from ``game``.
        same_game: False for a reference, a game that is not ours but the nearest the peer has.
        notes: what a reader of the comparison should know.
        alone: it runs in a process of its own, because it starts threads or must be held to one
            processor; in shapes of one thread it is.
        version: of what is measured, if that is not the installed package.
    """

    name: str
    package: str
    game: str
    ours: str
    shape: str
    make: Callable[[str], Episode]
    same_game: bool = True
    notes: tuple[str, ...] = ()
    alone: bool = False
    version: str = ""


_ROLLOUTS = "a rollout in C++ counts as a random game's mean length (sampled, standard error 1%)"
_MAEDN = (
    "its nearest game to Ludo; it asks for a pass when no piece can move (15% of its decisions), "
    "where ours does not ask"
)
_FCPA = "fold, call, pot and all-in only; one hand a game, where ours are matches of 20"
_RLCARD_HOLDEM = (
    "fold, call, half pot, pot and all-in, 50 big blinds deep; one hand a game, ours are 20"
)
_DRAWN = "its rollouts begin behind the draw of the start, which our games make anew each time"
_PASSES = "its games end by two passes where ours are over"
_SUPERKO_DRAWS = "a position that comes back draws the game, where ours has no such move"
_SUPERKO_LOSES = "who brings a position back loses, where ours has no such move"
_SIMPLE_KO = "it knows the simple rule of repetition alone and has no limit of moves"
_NO_LIST = "it lists no legal moves: the caller keeps the empty cells"
_BIDDING = "games begin with bids, and four with two is no play"
_RLCARD_LANDLORD = "it picks the landlord itself; a pair may serve as two singles"
_PGX = "jitted; a new game's start is computed at every step"
_ONE_CORE = "held to one processor, XLA's threads counted"
_ALL_CORES = "XLA's own threads on all processors"
_RLCARD_MAHJONG = "sets and a pair win, without fans, payments or one's own wall"
_BUILT = "its library built by this machine's compiler and called from a loop in C"
_EXTENSION = "C++ behind its Python functions, called hand by hand as ours are"
_RIICHI = "of riichi: the regular form alone, without the tiles that lower it"
_SETS_UP = "every call sets the variant up anew, which is most of its time; one call a decision"
_RAW = "by raw_env(), without the wrappers of env() that check order and legality, as ours does"


def _openspiel(ours: str, game: str, *notes: str, chance: bool = False) -> tuple[Peer, ...]:
    """OpenSpiel in all the shapes it has; children may be chance nodes in games of ``chance``."""
    whose = ("OpenSpiel", "open_spiel", game, ours)
    return (
        Peer(*whose, "bulk", loops.openspiel_rollouts, notes=(_ROLLOUTS, *notes)),
        Peer(*whose, "step", loops.openspiel_states, notes=notes),
        Peer(*whose, "core", loops.openspiel_states, notes=notes),
        Peer(*whose, "observe", loops.openspiel_observations, notes=notes),
        Peer(*whose, "copy", loops.openspiel_copies),
        *([] if chance else [Peer(*whose, "child", loops.openspiel_children)]),
    )


def _whole_plays(ours: str, game: str) -> tuple[Peer, ...]:
    """OpenSpiel where its actions are whole plays, and ours are by an option."""
    whose = ("OpenSpiel", "open_spiel", game, ours)
    return (
        Peer(*whose, "bulk_whole", loops.openspiel_rollouts, notes=(_ROLLOUTS, _BIDDING)),
        Peer(*whose, "step_whole", loops.openspiel_states, notes=(_BIDDING,)),
        Peer(*whose, "observe_whole", loops.openspiel_observations, notes=(_BIDDING,)),
    )


def _pettingzoo(ours: str, game: str, *notes: str) -> tuple[Peer, ...]:
    """PettingZoo's environment, with and without the wrappers it comes in."""
    name, package, make = "PettingZoo", "pettingzoo[classic]", loops.pettingzoo_classic
    return (
        Peer(name, package, game, ours, "aec", make, notes=notes),
        Peer(name, package, f"{game}, raw_env", ours, "aec", make, notes=(_RAW, *notes)),
    )


def _pgx(ours: str, game: str, *notes: str) -> tuple[Peer, ...]:
    """Pgx on one processor and on all."""
    whose = ("Pgx", "pgx", game, ours)
    return (
        Peer(*whose, "batch", pgx_batch.by_cpu, notes=(_PGX, _ONE_CORE, *notes), alone=True),
        Peer(
            *whose, "batch_cores", pgx_batch.by_wall, notes=(_PGX, _ALL_CORES, *notes), alone=True
        ),
    )


def _pyffish(ours: str, variant: str, *notes: str) -> Peer:
    """The rules of Fairy-Stockfish, as Python has them."""
    return Peer(
        "pyffish", "pyffish", variant, ours, "step", loops.pyffish_games, notes=(_SETS_UP, *notes)
    )


def _go_19() -> tuple[Peer, ...]:
    """Go on 19 x 19 lines, in the shapes that are of these."""
    openspiel = ("OpenSpiel", "open_spiel", "go(board_size=19)", "go")
    pgx = ("Pgx", "pgx", "go_19x19", "go")
    notes = _PGX, _ONE_CORE, _SUPERKO_LOSES
    return (
        Peer(*openspiel, "bulk_19", loops.openspiel_rollouts, notes=(_ROLLOUTS, _SUPERKO_DRAWS)),
        Peer(*pgx, "batch_19", pgx_batch.by_cpu, notes=notes, alone=True),
    )


def _hanabi(shape: str, make: Callable[[str], Episode], *notes: str, version: str = "") -> Peer:
    """The Hanabi Learning Environment."""
    whose = ("Hanabi Learning Environment", "hanabi-learning-environment", "2 players", "hanabi")
    return Peer(*whose, shape, make, notes=notes, version=version)


def _hands(name: str, make: Callable[[str], Episode], *notes: str, version: str = "") -> Peer:
    """An evaluator of hands."""
    return Peer(name, name, "C", "texas_holdem", "hands", make, notes=notes, version=version)


def _calculator(
    name: str, package: str, shape: str, make: Callable[[str], Episode], **other: Any
) -> Peer:
    """A calculator of mahjong hands, called from Python."""
    return Peer(name, package, "Python", "mcr_mahjong", shape, make, **other)


def _judge(shape: str, make: Callable[[str], Episode]) -> Peer:
    """The C++ library within PyMahjongGB, which judges on Botzone."""
    whose = "PyMahjongGB", "PyMahjongGB", "C++", "mcr_mahjong"
    return Peer(*whose, shape, make, notes=(_BUILT,), version=mahjong.PYMAHJONGGB.version)


PEERS: tuple[Peer, ...] = (
    Peer("python-ataxx", "ataxx", "Board", "ataxx", "step", loops.python_ataxx),
    _pyffish("ataxx", "ataxx"),
    *_openspiel("breakthrough", "breakthrough"),
    _pyffish("breakthrough", "breakthrough"),
    *(p for p in _openspiel("coin_game", "coin_game", _DRAWN, chance=True) if p.shape != "observe"),
    *(
        replace(peer, same_game=False)
        for peer in _openspiel("ludo", "maedn(players=4)", _MAEDN, chance=True)
    ),
    *_openspiel("tictactoe", "tic_tac_toe"),
    *_pettingzoo("tictactoe", "tictactoe_v3"),
    *_pgx("tictactoe", "tic_tac_toe"),
    *_openspiel("connect_four", "connect_four"),
    *_pettingzoo("connect_four", "connect_four_v3"),
    *_pgx("connect_four", "connect_four"),
    *_openspiel("go", "go(board_size=9)", _SUPERKO_DRAWS),
    *_pettingzoo("go", "go_v5, 9 lines", _SIMPLE_KO),
    *_pgx("go", "go_9x9", _SUPERKO_LOSES),
    *_go_19(),
    *_openspiel("reversi", "othello"),
    *_pgx("reversi", "othello", _PASSES),
    _pyffish("reversi", "flipello"),
    *_openspiel("gomoku", "gomoku"),
    Peer("renju", "renju", "RenjuBoard", "gomoku", "step", loops.renju_board, notes=(_NO_LIST,)),
    *_openspiel("chess", "chess"),
    Peer("python-chess", "chess", "Board", "chess", "step", loops.python_chess),
    Peer("python-chess", "chess", "Board", "chess", "copy", loops.python_chess_copies),
    Peer("python-chess", "chess", "Board", "chess", "perft_calls", loops.python_chess_perft),
    *_pettingzoo("chess", "chess_v6", "it ends a game as soon as a draw could be claimed"),
    *_pgx("chess", "chess"),
    *_openspiel("texas_holdem", "universal_poker, no limit, fcpa", _FCPA, chance=True),
    Peer(
        "RLCard",
        "rlcard",
        "no-limit-holdem",
        "texas_holdem",
        "observe",
        loops.rlcard_steps,
        notes=(_RLCARD_HOLDEM,),
    ),
    *_pettingzoo("texas_holdem", "texas_holdem_no_limit_v6", _RLCARD_HOLDEM),
    *_whole_plays("dou_dizhu", "dou_dizhu"),
    Peer(
        "RLCard",
        "rlcard",
        "doudizhu",
        "dou_dizhu",
        "observe_whole",
        loops.rlcard_steps,
        notes=(_RLCARD_LANDLORD,),
    ),
    _hands(
        "phevaluator",
        native.phevaluator_hands,
        _BUILT,
        version=native.PHEVALUATOR.version,
    ),
    _hands("eval7", native.eval7_hands, "the C function in its package, called from a loop in C"),
    Peer(
        "RLCard",
        "rlcard",
        "mahjong",
        "mcr_mahjong",
        "observe",
        loops.rlcard_steps,
        same_game=False,
        notes=(_RLCARD_MAHJONG,),
    ),
    # Its rollouts in C++ refuse games with rewards before the end.
    *(peer for peer in _openspiel("hanabi", "hanabi", chance=True) if peer.shape != "bulk"),
    _hanabi("bulk", native.hanabi_games, _BUILT, version=native.HANABI.version),
    _hanabi("bulk_observe", native.hanabi_games_observed, _BUILT, version=native.HANABI.version),
    _hanabi("step", loops.hanabi_states, "through its Python bindings"),
    _hanabi("observe", loops.hanabi_observations, "through its Python bindings, encoded vectors"),
    *_pettingzoo("hanabi", "hanabi_v5", "its Hanabi is OpenSpiel's and needs shimmy too"),
    _judge("fans", mahjong.library_fans),
    _judge("shanten", mahjong.library_shantens),
    _judge("useful", mahjong.library_useful),
    _calculator(
        "PyMahjongGB", "PyMahjongGB", "fan_calls", mahjong.pymahjonggb_fans, notes=(_EXTENSION,)
    ),
    _calculator(
        "PyMahjongGB",
        "PyMahjongGB",
        "useful_calls",
        mahjong.pymahjonggb_shantens,
        notes=(_EXTENSION,),
    ),
    _calculator(
        "mahjong",
        "mahjong",
        "useful_calls",
        mahjong.mahjong_shantens,
        same_game=False,
        notes=(_RIICHI,),
    ),
)
