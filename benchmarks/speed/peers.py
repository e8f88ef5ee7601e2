"""Other implementations that ``benchmarks.throughput`` measures beside ours.

``PEERS`` has one entry for each pair of a peer and a call shape of a game; adding a peer, or a
game of a peer, is adding an entry. ``make`` turns the peer's name of the game into an episode: a
function that plays at least one whole game with random legal actions and returns the number of
player decisions in it. It imports the peer, so that only what is measured has to be installed.
"""

from __future__ import annotations

import importlib
import itertools
import math
import os
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from stratagym.benchmarks.speed.measuring import Episode


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
    """

    name: str
    package: str
    game: str
    ours: str
    shape: str
    make: Callable[[str], Episode]
    same_game: bool = True
    notes: tuple[str, ...] = ()


def aec_loop(env: Any) -> Episode:
    """reset / last / step of a PettingZoo environment, actions drawn from the mask."""
    random, seeds = Random(1).random, itertools.count()

    def episode() -> int:
        decisions = 0
        env.reset(seed=next(seeds))
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(legal[int(random() * len(legal))])
            decisions += 1
        return decisions

    return episode


def pettingzoo_classic(name: str) -> Episode:
    """The AEC loop of an environment of PettingZoo's, with the wrappers its ``env()`` adds."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return aec_loop(importlib.import_module(f"pettingzoo.classic.{name}").env())


def openspiel_states(name: str, observe: bool = False) -> Episode:
    """OpenSpiel's states from Python: legal_actions and apply_action."""
    import pyspiel

    game, rng = pyspiel.load_game(name), Random(1)
    random = rng.random

    def episode() -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(_draw(state, rng))
                continue
            if observe:
                state.observation_tensor()
            legal = state.legal_actions()
            state.apply_action(legal[int(random() * len(legal))])
            decisions += 1
        return decisions

    return episode


def openspiel_observations(name: str) -> Episode:
    """The same with the observation tensor of the seat to move before every decision."""
    return openspiel_states(name, observe=True)


def openspiel_rollouts(name: str) -> Episode:
    """Random games inside OpenSpiel's C++, as far as Python can start them.

    MCTSBot with exactly one simulation evaluates its root by ``games`` random rollouts and does
    nothing else. (With more simulations it stops early at roots with one child, and its terminal
    leaves run no rollouts.) Rollouts are not counted in decisions there, so a rollout counts as
    the mean length of a random game, sampled from Python beforehand.
    """
    import pyspiel

    game, rng, seeds = pyspiel.load_game(name), Random(1), itertools.count()
    mean = _mean_length(openspiel_states(name))
    games = max(2, int(6000 / mean))
    roots = []
    for _ in range(16):
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(_draw(state, rng))
        roots.append(state)

    def search(root: Any, rollouts: int, seed: int) -> Any:
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, seed)
        return pyspiel.MCTSBot(game, evaluator, 1.4, 1, 100, False, seed, False).mcts_search(root)

    tried = search(roots[0], 1, 1)
    if tried.explore_count != 1 or tried.children:
        raise RuntimeError("MCTSBot did not run exactly one simulation")

    def episode() -> float:
        seed = next(seeds)
        search(roots[seed % len(roots)], games, seed)
        return games * mean

    return episode


def pgx_batch(name: str, size: int = 1024, steps: int = 200) -> Episode:
    """Games stepped together inside one jitted loop, with observations, masks and new starts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jax
        import pgx
        from pgx.experimental import auto_reset

    env = pgx.make(name)
    advance = jax.vmap(auto_reset(env.step, env.init))

    def turn(_: Any, carry: Any) -> Any:
        states, key = carry
        key, choosing, stepping = jax.random.split(key, 3)
        chances = jax.numpy.where(states.legal_action_mask, 0.0, -1e9)
        actions = jax.random.categorical(choosing, chances, axis=-1)
        return advance(states, actions, jax.random.split(stepping, size)), key

    run = jax.jit(lambda *carry: jax.lax.fori_loop(0, steps, turn, carry))
    carry = (
        jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), size)),
        jax.random.PRNGKey(1),
    )

    def episode() -> int:
        nonlocal carry
        carry = jax.block_until_ready(run(*carry))
        return size * steps

    return episode


def pgx_batch_slow(name: str) -> Episode:
    """The same, few steps at a time, for a game that takes seconds for them."""
    return pgx_batch(name, steps=4)


def python_chess(name: str) -> Episode:
    """python-chess's board: legal_moves and push, ended as ours by its own rules."""
    import chess

    random = Random(1).random

    def episode() -> int:
        board, decisions = chess.Board(), 0
        while True:
            legal = list(board.legal_moves)
            if not legal or board.is_insufficient_material() or board.is_fifty_moves():
                return decisions
            if board.is_repetition(3):
                return decisions
            board.push(legal[int(random() * len(legal))])
            decisions += 1

    return episode


def python_chess_perft(name: str) -> Episode:
    """Leaves of python-chess's move tree, four plies from the start, counted at the last."""
    import chess

    def leaves(board: Any, left: int) -> int:
        if left == 1:
            return int(board.legal_moves.count())
        total = 0
        for move in board.legal_moves:
            board.push(move)
            total += leaves(board, left - 1)
            board.pop()
        return total

    return lambda: leaves(chess.Board(), 4)


def random_hands(count: int) -> np.ndarray:
    """(count, 7) int64: hands of distinct cards, 4 x rank + suit."""
    decks = np.tile(np.arange(52), (count, 1))
    return np.random.default_rng(1).permuted(decks, axis=1)[:, :7].copy()


def eval7_hands(name: str) -> Episode:
    """eval7's evaluate on hands of its own cards, made beforehand."""
    import eval7

    deck = [eval7.Card(rank + suit) for rank in "23456789TJQKA" for suit in "cdhs"]
    hands = [[deck[card] for card in hand] for hand in random_hands(5000).tolist()]

    def episode() -> int:
        for hand in hands:
            eval7.evaluate(hand)
        return len(hands)

    return episode


def phevaluator_hands(name: str) -> Episode:
    """phevaluator's evaluate_cards on card numbers, which are ours."""
    import phevaluator

    hands = random_hands(5000).tolist()

    def episode() -> int:
        for hand in hands:
            phevaluator.evaluate_cards(*hand)
        return len(hands)

    return episode


def rlcard_steps(name: str) -> Episode:
    """RLCard's env.reset and env.step, which give the observation with every decision."""
    import rlcard

    env, random = rlcard.make(name, config={"seed": 1}), Random(1).random

    def episode() -> int:
        decisions = 0
        state, _ = env.reset()
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(random() * len(legal))])
            decisions += 1
        return decisions

    return episode


def hanabi_states(players: str) -> Episode:
    """The Hanabi Learning Environment's states from Python: legal_moves and apply_move."""
    from hanabi_learning_environment import pyhanabi

    game = pyhanabi.HanabiGame({"players": int(players.split()[0]), "seed": 1})
    random = Random(1).random

    def episode() -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
                state.deal_random_card()
                continue
            legal = state.legal_moves()
            state.apply_move(legal[int(random() * len(legal))])
            decisions += 1
        return decisions

    return episode


def hanabi_rl_env(players: str) -> Episode:
    """Its ``rl_env``, which gives every player's observation at every step."""
    from hanabi_learning_environment import rl_env

    env = rl_env.make("Hanabi-Full", num_players=int(players.split()[0]))
    random = Random(1).random

    def episode() -> int:
        decisions, done, seen = 0, False, env.reset()
        while not done:
            legal = seen["player_observations"][seen["current_player"]]["legal_moves_as_int"]
            seen, _, done, _ = env.step(int(legal[int(random() * len(legal))]))
            decisions += 1
        return decisions

    return episode


def _draw(state: Any, rng: Random) -> int:
    outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
    return rng.choices(outcomes, probabilities)[0]


def _mean_length(episode: Episode, precision: float = 0.01, seconds: float = 3.0) -> float:
    """Mean decisions of an episode, to a standard error of ``precision`` if time allows."""
    lengths: list[float] = []
    end = time.process_time() + seconds
    while len(lengths) < 30 or time.process_time() < end:
        lengths.append(episode())
        if len(lengths) >= 30 and len(lengths) % 10 == 0:
            mean = statistics.fmean(lengths)
            if statistics.stdev(lengths) <= precision * mean * math.sqrt(len(lengths)):
                break
    return statistics.fmean(lengths)


_MAEDN = (
    "its nearest game to Ludo; it asks for a pass when no piece can move (15% of its decisions), "
    "where ours does not ask"
)
_ROLLOUTS = "a rollout in C++ counts as a random game's mean length (sampled, standard error 1%)"
_PGX = "jitted on the CPU; a new game's start is computed at every step"


def _board_game(ours: str, openspiel: str, pettingzoo: str, pgx: str) -> tuple[Peer, ...]:
    """The peers that have a board game of ours under the same rules."""
    spiel, zoo = ("OpenSpiel", "open_spiel", openspiel, ours), "pettingzoo[classic]"
    return (
        Peer(*spiel, "bulk", openspiel_rollouts, notes=(_ROLLOUTS,)),
        Peer(*spiel, "step", openspiel_states),
        Peer(*spiel, "observe", openspiel_observations),
        Peer("PettingZoo", zoo, pettingzoo, ours, "aec", pettingzoo_classic),
        Peer("Pgx", "pgx", pgx, ours, "batch", pgx_batch, notes=(_PGX,)),
    )


_HOLDEM = (
    "universal_poker(betting=nolimit,numPlayers=2,numRounds=4,blind=50 100,firstPlayer=2 1 1 1,"
    "numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack=20000 20000,"
    "bettingAbstraction=fcpa)"
)


def _holdem(loop: Callable[[str], Episode]) -> Callable[[str], Episode]:
    """The loop on OpenSpiel's long name of the game, which is no name for a table."""
    return lambda name: loop(_HOLDEM)


_CALLED = "called from Python hand by hand, as it offers; ours takes an array of hands"
_FCPA = "fold, call, pot and all-in only; one hand a game, where ours are matches of 20"
_RLCARD_HOLDEM = (
    "fold, call, half pot, pot and all-in, 50 big blinds deep; one hand a game, ours are 20"
)

PEERS: tuple[Peer, ...] = (
    Peer(
        "OpenSpiel",
        "open_spiel",
        "maedn(players=4)",
        "ludo",
        "bulk",
        openspiel_rollouts,
        notes=(_ROLLOUTS, _MAEDN),
    ),
    Peer(
        "OpenSpiel",
        "open_spiel",
        "maedn(players=4)",
        "ludo",
        "step",
        openspiel_states,
        notes=(_MAEDN,),
    ),
    Peer(
        "OpenSpiel",
        "open_spiel",
        "maedn(players=4)",
        "ludo",
        "observe",
        openspiel_observations,
        notes=(_MAEDN,),
    ),
    Peer(
        "PettingZoo",
        "pettingzoo[classic]",
        "connect_four_v3",
        "ludo",
        "aec",
        pettingzoo_classic,
        same_game=False,
    ),
    Peer(
        "PettingZoo",
        "pettingzoo[classic]",
        "tictactoe_v3",
        "ludo",
        "aec",
        pettingzoo_classic,
        same_game=False,
    ),
    *_board_game("tictactoe", "tic_tac_toe", "tictactoe_v3", "tic_tac_toe"),
    *_board_game("connect_four", "connect_four", "connect_four_v3", "connect_four"),
    Peer(
        "OpenSpiel", "open_spiel", "chess", "chess", "bulk", openspiel_rollouts, notes=(_ROLLOUTS,)
    ),
    Peer("OpenSpiel", "open_spiel", "chess", "chess", "step", openspiel_states),
    Peer("python-chess", "chess", "Board", "chess", "step", python_chess),
    Peer("python-chess", "chess", "legal_moves.count()", "chess", "perft", python_chess_perft),
    Peer("Pgx", "pgx", "chess", "chess", "batch", pgx_batch_slow, notes=(_PGX,)),
    Peer("OpenSpiel", "open_spiel", "chess", "chess", "observe", openspiel_observations),
    Peer(
        "PettingZoo",
        "pettingzoo[classic]",
        "chess_v6",
        "chess",
        "aec",
        pettingzoo_classic,
        notes=("it ends a game as soon as a draw could be claimed",),
    ),
    Peer(
        "OpenSpiel",
        "open_spiel",
        "universal_poker, no limit, fcpa",
        "texas_holdem",
        "bulk",
        _holdem(openspiel_rollouts),
        notes=(_ROLLOUTS, _FCPA),
    ),
    Peer(
        "OpenSpiel",
        "open_spiel",
        "universal_poker, no limit, fcpa",
        "texas_holdem",
        "step",
        _holdem(openspiel_states),
        notes=(_FCPA,),
    ),
    Peer(
        "OpenSpiel",
        "open_spiel",
        "universal_poker, no limit, fcpa",
        "texas_holdem",
        "observe",
        _holdem(openspiel_observations),
        notes=(_FCPA,),
    ),
    Peer(
        "RLCard",
        "rlcard",
        "no-limit-holdem",
        "texas_holdem",
        "observe",
        rlcard_steps,
        notes=(_RLCARD_HOLDEM,),
    ),
    Peer(
        "PettingZoo",
        "pettingzoo[classic]",
        "texas_holdem_no_limit_v6",
        "texas_holdem",
        "aec",
        pettingzoo_classic,
        notes=(_RLCARD_HOLDEM,),
    ),
    Peer("eval7", "eval7", "evaluate", "texas_holdem", "hands", eval7_hands, notes=(_CALLED,)),
    Peer(
        "phevaluator",
        "phevaluator",
        "evaluate_cards",
        "texas_holdem",
        "hands",
        phevaluator_hands,
        notes=(_CALLED,),
    ),
    Peer("OpenSpiel", "open_spiel", "hanabi", "hanabi", "step", openspiel_states),
    Peer("OpenSpiel", "open_spiel", "hanabi", "hanabi", "observe", openspiel_observations),
    Peer(
        "Hanabi Learning Environment",
        "hanabi-learning-environment",
        "2 players",
        "hanabi",
        "step",
        hanabi_states,
    ),
    Peer(
        "Hanabi Learning Environment",
        "hanabi-learning-environment",
        "2 players",
        "hanabi",
        "observe",
        hanabi_rl_env,
        notes=("its rl_env gives all players' observations, as vectors and dicts",),
    ),
    Peer(
        "PettingZoo",
        "pettingzoo[classic]",
        "hanabi_v5",
        "hanabi",
        "aec",
        pettingzoo_classic,
        notes=("its Hanabi is OpenSpiel's and needs shimmy too",),
    ),
)
