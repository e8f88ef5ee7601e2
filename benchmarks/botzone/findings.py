"""Which of the paper's figures contradict each other, computed from what it prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from stratagym.benchmarks.botzone import published
from stratagym.benchmarks.botzone.published import (
    GAMES,
    HOLDEM_ACTIONS,
    MODELS,
    RESULTS,
    REVERSI,
    SKILL,
    TOPPED,
)
from stratagym.benchmarks.botzone.summary import FEW_DECIDED, FEW_SHARE
from stratagym.benchmarks.harness.botzone_games import BY_GAME

HALF_DIGIT = 0.051
"""How far a figure with one decimal may be from what it was rounded from, in percent."""
DRAWS_COUNT = ("tictactoe",)
"""Games whose progress is the share of draws."""


@dataclass(frozen=True)
class Cell:
    """A progress of table 2 beside the games of the appendix that it should follow from.

    Attributes:
        result: wins, draws, losses and games of the appendix; None where it prints none.
        computed: the progress that they give, in percent; None without decided games.
        guess: what gives the printed figure, where we found it.
    """

    model: str
    game: str
    level: int
    printed: float
    result: published.Result | None
    computed: float | None
    guess: str = ""

    @property
    def agrees(self) -> bool:
        return self.computed is not None and abs(self.computed - self.printed) < HALF_DIGIT


def progress(game: str, result: published.Result) -> float | None:
    """Progress in percent as the paper defines it: twice the wins of the decided, or the draws."""
    if game in DRAWS_COUNT:
        return 100 * result.draws / result.finished
    return 200 * result.wins / result.decided if result.decided else None


def _guess(printed: float, result: published.Result) -> str:
    """What of the same games would give the printed figure."""
    w, d, of, games = result.wins, result.draws, result.finished, result.games
    tries = (
        (w, result.losses, f"{w}/{result.losses}: wins by losses"),
        (2 * w, of, f"2 x {w}/{of}: draws among the games"),
        (2 * w, games, f"2 x {w}/{games}: of all games begun"),
        (2 * w + d, of, "draws as half a win"),
        (w, result.decided, f"{w}/{result.decided}: the win rate, not doubled"),
    )
    for top, bottom, words in tries:
        if bottom and abs(100 * top / bottom - printed) < HALF_DIGIT:
            return words
    for bottom in range(max(1, w), 2 * games):
        if abs(200 * w / bottom - printed) < HALF_DIGIT:
            return f"2 x {w}/{bottom}"
    return ""


def cells() -> Iterator[Cell]:
    """Every progress of table 2 that is a number."""
    for model in MODELS:
        for game, (level, printed) in zip(GAMES, SKILL[model], strict=True):
            if isinstance(printed, str):
                continue
            result = RESULTS[model][game].get(level)
            computed = None if result is None else progress(game, result)
            guess = "" if result is None else _guess(printed, result)
            yield Cell(model, game, level, printed, result, computed, guess)


def disagreeing() -> list[Cell]:
    """Those that do not follow from the appendix."""
    return [cell for cell in cells() if not cell.agrees]


def action_sums() -> dict[str, float]:
    """The sums of table 3's shares, in percent; actions exclude each other, so 100 at the most."""
    return {model: round(sum(shares), 2) for model, shares in HOLDEM_ACTIONS.items()}


def equal_rows() -> list[tuple[str, str]]:
    """Models whose fold and check shares are the same to the hundredth."""
    return [
        (a, b)
        for a, b in combinations(HOLDEM_ACTIONS, 2)
        if HOLDEM_ACTIONS[a][:2] == HOLDEM_ACTIONS[b][:2]
    ]


def passed_on_few() -> list[tuple[str, str, int, published.Result]]:
    """Levels that count as passed on few decided games: model, game, level, games."""
    found = []
    for model in MODELS:
        for game in GAMES:
            for level, result in RESULTS[model][game].items():
                decided = result.decided
                few = decided < FEW_DECIDED or decided < FEW_SHARE * result.games
                if decided and 2 * result.wins >= decided and few:
                    found.append((model, game, level, result))
    return found


def missing_games() -> tuple[int, int]:
    """Cells of the appendix with fewer results than games, and how many games they lack."""
    lacking = [r.games - r.finished for r in _all_results() if r.finished < r.games]
    return len(lacking), sum(lacking)


def games_in_tables() -> tuple[int, int]:
    """Games begun and finished in tables A1 to A6."""
    found = _all_results()
    return sum(r.games for r in found), sum(r.finished for r in found)


def unprinted() -> list[tuple[str, str, int]]:
    """Levels below the one that table 2 names whose games the appendix does not have."""
    found = []
    for model in MODELS:
        for game, (level, printed) in zip(GAMES, SKILL[model], strict=True):
            last = level - 1 if printed == TOPPED else level
            known = RESULTS[model][game]
            found += [(model, game, below) for below in range(last + 1) if below not in known]
    return found


def not_passed() -> list[tuple[str, str, int]]:
    """Levels below the one of table 2 that were not passed by the appendix's games."""
    found = []
    for model in MODELS:
        for game, (level, _) in zip(GAMES, SKILL[model], strict=True):
            for below, result in RESULTS[model][game].items():
                failed = 2 * result.wins < result.decided
                if below < level and game not in DRAWS_COUNT and failed:
                    found.append((model, game, below))
    return found


def reversi_by_caption() -> list[tuple[str, str]]:
    """Pairs (row, column) of table 6 that cannot be what its caption says.

    The row began two games against the column: its wins as first mover and the column's as second
    are wins of these two, so that more than two are too many.
    """
    return [(a, b) for (a, b), (first, _) in REVERSI.items() if first + REVERSI[b, a][1] > 2]


def reversi_first_wins() -> tuple[int, int] | None:
    """Games of table 6 and those won by who began, if its cells are the row's wins and losses in
    the two games that it began; None where they cannot be that."""
    if any(sum(cell) != 2 for cell in REVERSI.values()):
        return None
    return sum(map(sum, REVERSI.values())), sum(won for won, _ in REVERSI.values())


# --- as a page tells it --------------------------------------------------------------------------


def _title(game: str) -> str:
    return BY_GAME[game].title


def markdown() -> str:
    """The findings as the documentation has them."""
    every = list(cells())
    wrong = disagreeing()
    lines = [
        f"Of the {len(every)} figures of progress in table 2, {len(every) - len(wrong)} follow "
        f"from the games of tables A1 to A6; {len(wrong)} do not:",
        "",
        "| model | game | level | games | progress from the games | printed | possible origin |",
        "| --- | --- | --- | --- | ---: | ---: | --- |",
    ]
    for cell in wrong:
        games = "not printed" if cell.result is None else str(cell.result)
        computed = "–" if cell.computed is None else f"{cell.computed:.1f}"
        lines.append(
            f"| {cell.model} | {_title(cell.game)} | Lv{cell.level} | {games} | {computed} | "
            f"{cell.printed:.1f} | {cell.guess or 'unknown'} |"
        )
    lines += ["", *(f"- {sentence}" for sentence in sentences())]
    return "\n".join(lines) + "\n"


def sentences() -> list[str]:
    """The findings beside that table."""
    sums = action_sums()
    low, high = min(sums.values()), max(sums.values())
    lacking, lost = missing_games()
    begun, finished = games_in_tables()
    most = max(result.games for result in _all_results())
    tournament = sum(map(sum, REVERSI.values()))
    few = passed_on_few()
    told = "; ".join(
        f"{model} {_title(game)} Lv{level}, {result}" for model, game, level, result in few
    )
    unseen = "; ".join(f"{model} {_title(game)} Lv{level}" for model, game, level in unprinted())
    said = [
        f"Table 3's shares of all decisions in hold'em add up to {low:.0f} to {high:.0f}%, "
        "although the actions exclude each other.",
        *(
            f"In table 3, {a} and {b} have the same shares of folds and checks, to two decimals."
            for a, b in equal_rows()
        ),
        f"Levels passed on few decided games (fewer than {FEW_DECIDED}, or less than a quarter): "
        f"{told}.",
        f"{lacking} cells of tables A1 to A6 hold fewer results than games; the {lost} missing "
        "games failed twice and were left out.",
        f"The tables hold {finished:,} finished games of {begun:,}; the abstract claims "
        f"{published.CLAIMED_GAMES:,}, and table 6 adds {tournament}. A level has at most {most} "
        f"games; the caption of table 2 claims {published.MATCHES_IN_CAPTION} for each pair.",
        f"Table A4 prints {_title(published.REPEATED_IN_A4)} twice and no "
        f"{_title(published.MISSING_IN_A4)}. Needed for table 2 but not printed: {unseen}.",
        "Qwen3-7B of table 2 is Qwen3-8B in tables A1 to A3.",
    ]
    for model, game, level in not_passed():
        said.append(
            f"{model} is listed above Lv{level} in {_title(game)}, although it did not pass that "
            f"level: {RESULTS[model][game][level]}."
        )
    impossible = reversi_by_caption()
    if impossible:
        a, b = impossible[0]
        said.append(
            f"Table 6 cannot hold wins as first and as second mover, as its caption says: {a} "
            f"would have won {REVERSI[a, b][0]} of the two games in which it moved first against "
            f"{b}, and {b} {REVERSI[b, a][1]} of the same two; {len(impossible)} of {len(REVERSI)} "
            "cells have this contradiction."
        )
    other = reversi_first_wins()
    if other is not None:
        games, won = other
        said.append(
            "Every cell of table 6 can be the wins and losses of the row's player in the two games "
            f"in which it moved first; then the first mover won {won} of {games} games."
        )
    return said


def _all_results() -> list[published.Result]:
    return [r for own in RESULTS.values() for levels in own.values() for r in levels.values()]
