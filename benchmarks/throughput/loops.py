"""Random play of other implementations from Python, each by the quickest calls it documents.

Every function turns the peer's name of a game into an episode: a function that plays at least one
whole game with random legal actions and returns the number of player decisions in it. It imports
the peer itself, so that only what is measured has to be installed.
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
from random import Random
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.measuring import Episode

HOLDEM = (
    "universal_poker(betting=nolimit,numPlayers=2,numRounds=4,blind=50 100,firstPlayer=2 1 1 1,"
    "numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack=20000 20000,"
    "bettingAbstraction=fcpa)"
)
LONG_NAMES = {"universal_poker, no limit, fcpa": HOLDEM}
"""OpenSpiel's names of games that are too long for a table, by what the table says."""
EVEN_CHANCE = ("maedn", "universal_poker", "coin_game")
"""OpenSpiel's games in which all outcomes of a chance node are equally likely."""
POSITIONS = 32
"""Positions of random games that are copied."""
PERFT_PLIES = 3
CHANCE, TERMINAL = -1, -4
"""Players of OpenSpiel's that are none."""


MANY = 1000
"""Actions from which on masks, of one byte each, are read as booleans: numpy then finds what is
legal in a tenth of the time."""


def aec_loop(env: Any) -> Episode:
    """reset / last / step of a PettingZoo environment, actions drawn from the mask."""
    random, seeds = Random(1).random, itertools.count()
    has_many = env.action_space(env.possible_agents[0]).n >= MANY

    def episode() -> int:
        decisions = 0
        env.reset(seed=next(seeds))
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            mask = observation["action_mask"]
            if has_many and mask.itemsize == 1:
                mask = mask.view(np.bool_)
            legal = np.flatnonzero(mask)
            env.step(legal[int(random() * len(legal))])
            decisions += 1
        return decisions

    return episode


def pettingzoo_classic(name: str) -> Episode:
    """The AEC loop of an environment of PettingZoo's.

    Args:
        name: of the module, then ", raw_env" if it is made without the wrappers that its ``env()``
            adds, and ", 9 lines" for a board of that size.
    """
    module, *words = name.split(", ")
    options = {"board_size": 9} if "9 lines" in words else {}
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        found = importlib.import_module(f"pettingzoo.classic.{module}")
        return aec_loop((found.raw_env if "raw_env" in words else found.env)(**options))


def copies(position: Callable[[Callable[[], float]], Any], method: str, **given: Any) -> Episode:
    """Copies of positions, each by one call.

    Args:
        position: makes a position of a random game from a function that draws numbers in [0, 1).
        method: what copies a position. given: its arguments.
    """
    random = Random(1).random
    calls = [getattr(position(random), method) for _ in range(POSITIONS)] * 16

    def episode() -> int:
        for copy in calls:
            copy(**given)
        return len(calls)

    return episode


def children(position: Callable[[Callable[[], float]], Any]) -> Episode:
    """All children of positions by their ``child``, and the legal actions of each."""
    random = Random(1).random
    parents = [position(random) for _ in range(POSITIONS)]
    listed = [(parent.child, parent.legal_actions()) for parent in parents]

    def episode() -> int:
        decisions = 0
        for child, legal in listed:
            for action in legal:
                child(action).legal_actions()
            decisions += len(legal)
        return decisions

    return episode


def openspiel_game(name: str) -> Any:
    """The game that a table's name of it stands for."""
    import pyspiel

    return pyspiel.load_game(LONG_NAMES.get(name, name))


def openspiel_states(name: str, observe: bool = False) -> Episode:
    """OpenSpiel's states from Python: current_player, legal_actions and apply_action.

    Args:
        observe: also write the observation of the seat to move, by the observer that OpenSpiel
            means for Python (``make_observation``, ``set_from``), before every decision.
    """
    game, random = openspiel_game(name), Random(1).random
    if observe:
        from open_spiel.python.observation import make_observation

        see = make_observation(game).set_from
    draw: Callable[[Any, Callable[[], float]], int] = _draw
    if name.startswith(EVEN_CHANCE):
        draw = _draw_evenly

    def episode() -> int:
        decisions = 0
        state = game.new_initial_state()
        while (player := state.current_player()) != TERMINAL:
            if player == CHANCE:
                state.apply_action(draw(state, random))
                continue
            if observe:
                see(state, player)
            legal = state.legal_actions()
            state.apply_action(legal[int(random() * len(legal))])
            decisions += 1
        return decisions

    return episode


def openspiel_observations(name: str) -> Episode:
    """The same with the observation of the seat to move before every decision."""
    return openspiel_states(name, observe=True)


def openspiel_position(name: str) -> Callable[[Callable[[], float]], Any]:
    """What finds a position of a random game in which somebody is to move."""
    game = openspiel_game(name)

    def position(random: Callable[[], float]) -> Any:
        state, met = game.new_initial_state(), []
        while (player := state.current_player()) != TERMINAL:
            legal = state.legal_actions()
            if player == CHANCE:
                state.apply_action(_draw(state, random))
                continue
            met.append(state.clone())
            state.apply_action(legal[int(random() * len(legal))])
        return met[int(random() * len(met))]

    return position


def openspiel_copies(name: str) -> Episode:
    """Copies of positions by ``clone``."""
    return copies(openspiel_position(name), "clone")


def openspiel_children(name: str) -> Episode:
    """Every position's children by ``child``, and the legal actions of each."""
    return children(openspiel_position(name))


def openspiel_rollouts(name: str) -> Episode:
    """Random games inside OpenSpiel's C++, as far as Python can start them.

    MCTSBot with exactly one simulation evaluates its root by ``games`` random rollouts and does
    nothing else. (With more simulations it stops early at roots with one child, and its terminal
    leaves run no rollouts.) Rollouts are not counted in decisions there, so a rollout counts as
    the mean length of a random game, sampled from Python beforehand.
    """
    import pyspiel

    game, random, seeds = openspiel_game(name), Random(1).random, itertools.count()
    mean = _mean_length(openspiel_states(name))
    games = max(2, int(6000 / mean))
    roots = []
    for _ in range(16):
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(_draw(state, random))
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
    """Leaves of python-chess's move tree, counted at the last ply."""
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

    return lambda: leaves(chess.Board(), PERFT_PLIES)


def python_chess_copies(name: str) -> Episode:
    """Copies of a board without its moves, the cheapest that it makes."""
    import chess

    def position(random: Callable[[], float]) -> Any:
        board = chess.Board()
        for _ in range(int(random() * 80)):
            if not (legal := list(board.legal_moves)):
                break
            board.push(legal[int(random() * len(legal))])
        return board

    return copies(position, "copy", stack=False)


def python_ataxx(name: str) -> Episode:
    """python-ataxx's board: legal_moves and makemove."""
    import ataxx

    random = Random(1).random

    def episode() -> int:
        board, decisions = ataxx.Board(), 0
        while not board.gameover():
            legal = board.legal_moves()
            board.makemove(legal[int(random() * len(legal))])
            decisions += 1
        return decisions

    return episode


def stratego_env_games(name: str, observe: bool = False) -> Episode:
    """stratego_env's functions of a state: the mask of moves, the next state, whether it is over.

    Args:
        observe: also ask for what the player to move sees, before every decision.

    Raises:
        ImportError: it is not installed; pip alone would leave half of it out.
    """
    try:
        from stratego_env.game.config import STANDARD_STRATEGO_CONFIG
        from stratego_env.game.stratego_procedural_env import StrategoProceduralEnv
        from stratego_env.game.util import get_random_initial_state_fn
    except ModuleNotFoundError as error:
        lines = (
            "git clone https://github.com/JBLanier/stratego_env && pip install -e ./stratego_env"
        )
        raise ImportError(lines) from error

    game, random = StrategoProceduralEnv(10, 10), Random(1).random
    begin = get_random_initial_state_fn(game, STANDARD_STRATEGO_CONFIG)

    def episode() -> int:
        state, player, decisions = begin(), 1, 0
        while not game.get_game_ended(state, player):
            if observe:
                game.get_partially_observable_observation(state, player)
            legal = np.flatnonzero(game.get_valid_moves_as_1d_mask(state, player))
            action = legal[int(random() * len(legal))]
            state, player = game.get_next_state(state, player, action)
            decisions += 1
        return decisions

    return episode


def stratego_env_observations(name: str) -> Episode:
    """The same with observations."""
    return stratego_env_games(name, observe=True)


def renju_board(name: str) -> Episode:
    """renju's freestyle board: the empty cells of its list of stones, and play_move."""
    import renju

    random = Random(1).random

    def episode() -> int:
        board, decisions = renju.RenjuBoard(rule=renju.Rule.FREESTYLE), 0
        # It keeps no list of the cells that are left.
        cells = [(x, y) for x in range(15) for y in range(15)]
        while cells:
            at = int(random() * len(cells))
            cells[at], cells[-1] = cells[-1], cells[at]
            status, _ = board.play_move(*cells.pop())
            decisions += 1
            if status != renju.BoardStatus.ONGOING:
                break
        return decisions

    return episode


def pyffish_games(variant: str) -> Episode:
    """Fairy-Stockfish's rules through pyffish: one call of legal_moves a decision, which plays the
    moves from the start anew.

    A call sets the variant up, for milliseconds, beside which the moves are nothing; none are
    legal when a game is over.
    """
    import pyffish

    random, start = Random(1).random, pyffish.start_fen(variant)

    def episode() -> int:
        moves: list[str] = []
        while legal := pyffish.legal_moves(variant, start, moves):
            moves.append(legal[int(random() * len(legal))])
        return len(moves)

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


def hanabi_states(players: str, observe: bool = False) -> Episode:
    """The Hanabi Learning Environment's states from Python: legal_moves and apply_move.

    Args:
        observe: also encode what the seat to move sees, before every decision.
    """
    from hanabi_learning_environment import pyhanabi

    game = pyhanabi.HanabiGame({"players": int(players.split()[0]), "seed": 1})
    encoder = pyhanabi.ObservationEncoder(game, pyhanabi.ObservationEncoderType.CANONICAL)
    random = Random(1).random

    def episode() -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            player = state.cur_player()
            if player == pyhanabi.CHANCE_PLAYER_ID:
                state.deal_random_card()
                continue
            if observe:
                encoder.encode(state.observation(player))
            legal = state.legal_moves()
            state.apply_move(legal[int(random() * len(legal))])
            decisions += 1
        return decisions

    return episode


def hanabi_observations(players: str) -> Episode:
    """The same with the encoded observation of the seat to move before every decision."""
    return hanabi_states(players, observe=True)


def _draw(state: Any, random: Callable[[], float]) -> int:
    """An outcome of a chance node by its probabilities."""
    left, chosen = random(), 0
    for outcome, probability in state.chance_outcomes():
        chosen = outcome
        left -= probability
        if left < 0:
            break
    return chosen


def _draw_evenly(state: Any, random: Callable[[], float]) -> int:
    """An outcome of a chance node whose outcomes are equally likely."""
    outcomes = state.legal_actions()
    return outcomes[int(random() * len(outcomes))]


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
