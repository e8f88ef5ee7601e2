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
from stratagym.benchmarks.throughput import (
    diplomacy,
    loops,
    mahjong,
    microrts,
    native,
    pgx_batch,
    planning,
)


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


_ROLLOUTS = (
    "A rollout in C++ is counted with the mean length of a random game (sampled, standard "
    "error 1%)."
)
_MAEDN = (
    "This is OpenSpiel's nearest game to Ludo. It asks the player to pass when no piece can "
    "move (15% of its decisions); our game skips the player."
)
_FCPA = (
    "The actions are fold, call, pot and all-in only. A game is one hand; ours is a match of "
    "20 hands."
)
_RLCARD_HOLDEM = (
    "The actions are fold, call, half pot, pot and all-in, with stacks of 50 big blinds. A "
    "game is one hand; ours is a match of 20 hands."
)
_DRAWN = (
    "Its rollouts begin after the draw of the starting position; our games draw the starting "
    "position every time."
)
_PASSES = "Its games end with two passes; ours end as soon as neither player can move."
_SUPERKO_DRAWS = "A repeated position draws the game; in our game such a move is illegal."
_SUPERKO_LOSES = "The player who repeats a position loses; in our game such a move is illegal."
_SIMPLE_KO = (
    "It forbids only immediate repetition (simple ko) and does not limit the number of moves."
)
_NO_LIST = "It does not list the legal moves; the caller keeps track of the empty cells."
_BIDDING = "Games begin with bidding, and four of a kind with two cards is not a legal play."
_RLCARD_LANDLORD = "It chooses the landlord itself, and a pair may count as two single cards."
_PGX = "The step is compiled by jax.jit, and it computes the start of a new game every time."
_ONE_CORE = "The process runs on one processor; the CPU time of all its threads is included."
_ALL_CORES = "XLA's threads run on all processors."
_RLCARD_MAHJONG = (
    "A hand of sets and a pair wins; there are no fans, no payments and no separate walls."
)
_BUILT = "Its library was built with this machine's compiler and is called from a loop in C."
_EXTENSION = "Its Python functions call C++; they are called once for each hand, as ours are."
_RIICHI = (
    "It is for riichi mahjong: only the regular form of a hand is computed, without the list "
    "of tiles that improve it."
)
_SETS_UP = (
    "Every call sets up the variant again, which takes most of the time; there is one call "
    "per decision."
)
_UNIFIED = ("unified-planning", "unified-planning")
_PYPERPLAN = ("pyperplan", "pyperplan")
_ALL_ORDERS = (
    "It lists all possible orders, takes one of each unit at random, and processes the phase."
)
_MICRORTS = (
    "A game without technologies, in which every unit is ordered; counted are the frames in which "
    "a player had a unit to order. It is called through JPype."
)
_REPETITION = (
    "Its rule on repeated moves is its own, the option two_square='stratego_env' of ours; a game "
    "ends after 2,000 moves."
)
_STRATEGO_ENV = ("stratego_env", "stratego_env", "standard", "stratego")
_EXPANDS = "It lists actions with the states that they lead to, all of them."
_RAW = (
    "Made by raw_env(), so without the wrappers of env() that check the order of calls and "
    "the legality of actions; our environment makes both checks."
)


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
    *_pettingzoo("chess", "chess_v6", "It ends a game as soon as a player could claim a draw."),
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
    _hands(
        "eval7", native.eval7_hands, "The C function in its package is called from a loop in C."
    ),
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
    _hanabi("step", loops.hanabi_states, "It is called through its Python bindings."),
    _hanabi(
        "observe",
        loops.hanabi_observations,
        "It is called through its Python bindings and encodes observation vectors.",
    ),
    *_pettingzoo(
        "hanabi", "hanabi_v5", "Its Hanabi is OpenSpiel's and also needs the package shimmy."
    ),
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
    Peer(
        "diplomacy",
        "diplomacy",
        "standard",
        "diplomacy",
        "movements",
        diplomacy.package_phases,
        notes=(_ALL_ORDERS,),
    ),
    *(
        Peer(*_STRATEGO_ENV, shape, make, notes=(_REPETITION,))
        for shape, make in (
            ("step_drawn", loops.stratego_env_games),
            ("observe_drawn", loops.stratego_env_observations),
        )
    ),
    Peer(
        "MicroRTS",
        "gym-microrts",
        "16 x 16, two RandomAI",
        "starcraft",
        "step",
        microrts.random_games,
        same_game=False,
        notes=(_MICRORTS, _ONE_CORE),
        alone=True,
    ),
    *(
        Peer(name, package, planning.DOMAIN, "planning", shape, make, notes=notes)
        for name, package, shape, make, notes in (
            ("Kairos", "kairos-planner", "plan_calls", planning.kairos_checks, ()),
            (*_UNIFIED, "plan_calls", planning.unified_checks, ()),
            (*_UNIFIED, "walks", planning.unified_steps, ()),
            (*_UNIFIED, "grounding", planning.unified_grounding, ()),
            (*_PYPERPLAN, "walks", planning.pyperplan_steps, (_EXPANDS,)),
            (*_PYPERPLAN, "grounding", planning.pyperplan_grounding, ()),
            (*_PYPERPLAN, "h_ff", planning.pyperplan_evaluations, ()),
        )
    ),
)
