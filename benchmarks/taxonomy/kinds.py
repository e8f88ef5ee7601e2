"""What kinds of games the benchmark's are, measured here or cited: the paper's table 1.

Sources: BotzoneBench (Li et al.), table 1; Allis, Searching for Solutions in Games and Artificial
Intelligence (1994), for the size of a game tree; Shannon (1950) and Tromp (2021) for chess.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from stratagym.agents.core import LANGUAGE_MODELS, Policy, PolicyString, decision_for, make_policy
from stratagym.benchmarks.harness.botzone_games import BY_GAME
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.pairings import duel_seating, match_options
from stratagym.benchmarks.reporting.page import NOTHING, Table, mean_text
from stratagym.benchmarks.reporting.stats import COUNT, mean_rate, ratio_rate
from stratagym.envs import spec
from stratagym.envs.state import State


@dataclass(frozen=True)
class Cited:
    """What the paper's table 1 says of a game.

    Attributes:
        size: of the state space, or the number of information sets where some is hidden.
        hidden: the average size of an information set.
        ours: the same, counted or bounded here, or by others; and how.
        challenge: what it asks of a player, in our words.
    """

    size: str
    hidden: str
    ours: Callable[[], str]
    challenge: str


def ten(value: float) -> str:
    """``10^23`` for 23.4."""
    return f"10^{value:.0f}"


def _log10(n: int) -> float:
    return math.log10(n)


def _log_factorial(n: int) -> float:
    return math.lgamma(n + 1) / math.log(10)


def boards(cells: int) -> Callable[[], str]:
    """Every cell empty, black or white."""
    return lambda: f"at most 3^{cells} = 10^{cells * math.log10(3):.1f}, computed"


def positions() -> str:
    """All positions of tic-tac-toe, by walking through them."""
    start = State(spec("tictactoe"), spec("tictactoe").make_rules())
    waiting, seen = [start], {start.states.tobytes()}
    while waiting:
        state = waiting.pop()
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            key = _key(after)
            if key not in seen:
                seen.add(key)
                if not after.is_terminal():
                    waiting.append(after)
    return f"{len(seen):,} positions, counted"


def _key(state: State) -> bytes:
    """A position of tic-tac-toe: the board alone, whatever led to it."""
    return np.ascontiguousarray(state.observation_tensor(0)).tobytes()


def holdem() -> str:
    """The opponent's cards before the flop."""
    return f"{math.comb(50, 2):,} before the flop (C(50, 2)), computed"


def landlord() -> str:
    """As the landlord sees it: 34 cards, 17 to each peasant."""
    return f"C(34, 17) = {ten(_log10(math.comb(34, 17)))} at the landlord's first play, computed"


def mahjong() -> str:
    """Three hands of 13 among 123 tiles, told apart."""
    deals = _log_factorial(123) - 3 * _log_factorial(13) - _log_factorial(84)
    return f"at most {ten(deals)} for the three hands after the deal, walls aside, computed"


CITED = {
    "tictactoe": Cited("10^4", "", positions, "following rules; looking everything through"),
    "gomoku": Cited("10^107", "", boards(225), "seeing threats; combining them some moves ahead"),
    "ataxx": Cited("10^23", "", boards(49), "regions that change hands; mobility"),
    "reversi": Cited("10^30", "", boards(64), "moves whose worth shows late"),
    "chess": Cited(
        "10^43", "", lambda: "4.8 x 10^44, estimated (Tromp 2021)", "pieces that work together"
    ),
    "texas_holdem": Cited("10^162", "10^3", holdem, "odds, bluffs, an opponent's habits"),
    "dou_dizhu": Cited("10^83", "10^23", landlord, "one against two that cannot speak"),
    "mcr_mahjong": Cited("10^121", "10^48", mahjong, "81 fans; three opponents, hidden hands"),
}
"""The paper's figures of hidden information are those that RLCard (Zha et al. 2019) prints."""


@dataclass(frozen=True)
class Measured:
    """How a policy's games with itself go, over ``games`` of them.

    Attributes:
        decisions: a game. choices: legal actions a decision. most: of them in any. forced: the
            share of decisions with one legal action.
        tree: the size of the game tree as the power of ten: the product of the choices along a
            game, its logarithm's mean (Allis).
        actions: of the action space. All are rates as in ``summary.json``.
    """

    game: str
    policy: str
    games: int
    actions: int
    seats: int
    decisions: dict[str, Any]
    choices: dict[str, Any]
    forced: dict[str, Any]
    most: int
    tree: dict[str, Any]


def player(game: str, policy: str) -> Policy:
    """The policy of a name.

    Raises:
        InputError: there is none, or it is a language model.
    """
    try:
        parsed = PolicyString.parse(policy)
        if parsed.name in LANGUAGE_MODELS:
            raise InputError(f"--policies {policy!r}: language models are not asked here")
        return make_policy(spec(game), parsed)
    except (ValueError, ModuleNotFoundError) as error:
        raise InputError(f"--policies: {error}") from None


def measure(game: str, policy: Policy, games: int, seed: int) -> Measured:
    """Play a policy's games with itself under the options of the game's contests, and count."""
    about = spec(game)
    rules = about.make_rules(**match_options(about))
    seeds, _ = duel_seating(1, games, seed)
    lengths, sums, ones, trees, most = [], [], [], [], 0
    for choices in _choices(State(about, rules), policy, seeds.tolist()):
        lengths.append(len(choices))
        sums.append(sum(choices))
        ones.append(choices.count(1))
        trees.append(sum(map(math.log10, choices)))
        most = max(most, *choices)
    each = np.array(lengths)
    return Measured(
        game, policy.name, games, int(rules.num_actions), int(rules.num_players),
        mean_rate(each, bounds=COUNT).record(),
        ratio_rate(np.array(sums), each, bounds=COUNT).record(),
        ratio_rate(np.array(ones), each).record(),
        most,
        mean_rate(np.array(trees), bounds=COUNT).record(),
    )  # fmt: skip


def _choices(state: State, policy: Policy, seeds: Sequence[int]) -> Iterator[list[int]]:
    """Game by game, how many legal actions there were at each decision."""
    for seed in seeds:
        state.reset(seed)
        found: list[int] = []
        while not state.is_terminal():
            found.append(len(state.legal_actions()))
            own = item_seed(seed, policy.seed_name, str(len(found)))
            decision = decision_for(state.spec, state.rules, state.states, own)
            state.apply_action(policy.act(decision))
        yield found


def record(found: Sequence[Measured]) -> list[dict[str, Any]]:
    """As ``--json`` prints it."""
    return [asdict(each) for each in found]


def kinds_table(games: Sequence[str]) -> Table:
    """What the games are by their fact blocks, and the paper's sizes beside ours."""
    columns = ["game", "information", "chance", "seats", "positions or information sets, cited",
               "size of an information set, cited", "counted here", "asks for"]  # fmt: skip
    table = Table(columns, left=[1, 2, 3, 4, 5, 6, 7])
    for game in games:
        about, cited = spec(game), CITED.get(game)
        seats = str(about.make_rules().num_players)
        sides = about.sides_of(about.make_rules())
        if sides and len(sides) != int(seats):
            seats += f", {' v '.join(str(len(side)) for side in sides)}"
        table.rows.append(
            [
                _title(game), about.information, about.chance, seats,
                *(
                    [NOTHING] * 4
                    if cited is None
                    else [cited.size, cited.hidden or NOTHING, cited.ours(), cited.challenge]
                ),
            ]
        )  # fmt: skip
    return table


def measured_table(found: Sequence[Measured]) -> Table:
    """Length, choices and size of the tree, with intervals over games."""
    columns = ["game", "games of", "actions", "decisions a game", "choices a decision", "most",
               "forced", "game tree"]  # fmt: skip
    table = Table(columns, left=[1])
    for each in found:
        tree = each.tree["value"]
        table.rows.append(
            [
                _title(each.game), f"`{each.policy}`", f"{each.actions:,}",
                mean_text(each.decisions, 1), mean_text(each.choices, 1), f"{each.most:,}",
                f"{100 * each.forced['value']:.0f}%", ten(tree),
            ]
        )  # fmt: skip
    return table


def markdown(kinds: Table, measured: Table) -> str:
    """Both tables as the documentation has them."""
    return f"{kinds.markdown()}\n\n{measured.markdown()}"


def _title(game: str) -> str:
    return BY_GAME[game].title if game in BY_GAME else spec(game).title
