"""How much of a prompt stands in the one before it, so that servers can cache it.

The games are the same in every run, since nothing says how short a random game may be.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stratagym.testing import prefixes

LEAST = {
    ("chess", "random"): 0.80,
    ("chess", "heuristic"): 0.57,  # 11 prompts a seat: the board and the FEN are 40% of each
    ("texas_holdem", "random"): 0.80,
    ("texas_holdem", "heuristic"): 0.80,
    ("hanabi", "random"): 0.65,
    ("hanabi", "heuristic"): 0.65,
    ("dou_dizhu", "random"): 0.70,
    ("dou_dizhu", "heuristic"): 0.70,
}


@pytest.mark.parametrize(("game", "policy"), LEAST)
def test_consecutive_prompts_share_their_beginnings(game, policy):
    found = prefixes.shares(game, policy, 10, 1)
    assert found.mean > LEAST[game, policy] and found.last > LEAST[game, policy], found


def test_earlier_prompts_shared_less(capsys):
    assert prefixes.main(["hanabi", "--number", "5", "--prompt-version", "hanabi-2"]) == 0
    (share,) = re.findall(r"^hanabi: (0\.\d+),", capsys.readouterr().out)
    assert float(share) < 0.5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess", "--policy", "nobody"], "unknown policy"),
        (["chess", "--number", "0"], "--number 0"),
        (["chess", "--prompt-version", "chess-9"], "the versions are"),
        (["goo"], "unknown game"),
    ],
)
def test_bad_arguments_are_told_in_one_line(arguments, said, capsys):
    assert prefixes.main(arguments) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_the_page_has_every_row():
    page = (Path(__file__).parents[2] / "docs" / "language_models.md").read_text("utf-8")
    rows = {name for name, _ in LEAST}
    assert all(f"| `{name}` |" in page for name in rows)
