"""``python -m benchmarks.taxonomy``: counts walked again, and the table of the documentation."""

from __future__ import annotations

import json
import math
import re
from functools import partial

import pytest
import scripts
from scripts import ROOT, assert_refused

from stratagym import envs
from stratagym.benchmarks.reporting import marked
from stratagym.benchmarks.taxonomy import kinds as taxonomy

run = partial(scripts.run, "taxonomy")
PAGE = ROOT / "docs" / "benchmarks" / "taxonomy.md"


def measured(game: str, games: int, seed: int) -> taxonomy.Measured:
    return taxonomy.measure(game, taxonomy.player(game, "random"), games, seed)


def test_random_tictactoe_has_the_lengths_and_choices_it_must():
    """A game of tic-tac-toe offers 9, 8, 7, ... squares, whatever is played."""
    found = measured("tictactoe", 300, 5)
    mean = found.decisions["value"]
    assert 7 < mean < 9  # 7.65 in the long run
    trees, sums = [], []
    state = envs.make_state("tictactoe")
    assert state.legal_actions() == list(range(9)) and found.most == 9
    for plies in range(5, 10):
        sums.append(sum(range(9, 9 - plies, -1)))
        trees.append(math.log10(math.factorial(9) / math.factorial(9 - plies)))
    assert sums[0] / 5 >= found.choices["value"] >= sums[-1] / 9
    assert trees[0] <= found.tree["value"] <= trees[-1]


def test_random_reversi_is_as_long_as_known():
    """60.4 decisions of 300,000 games (the fingerprint of the rules)."""
    found = measured("reversi", 200, 0)
    assert found.decisions["low"] - 0.2 < 60.4 < found.decisions["high"] + 0.2
    assert found.actions == 65 and found.seats == 2 and found.forced["value"] > 0


def test_counts_that_can_be_checked():
    assert taxonomy.positions() == "5,478 positions, counted"
    assert "1,225" in taxonomy.holdem()
    assert f"10^{math.log10(3**49):.1f}" in taxonomy.boards(49)()
    assert math.comb(34, 17) == 2_333_606_220 and "10^9" in taxonomy.landlord()


def test_the_page_has_the_tables(tmp_path):
    """What is cited and counted, and rows of two games measured again."""
    text = marked.part(PAGE.read_text(encoding="utf-8"), "taxonomy")
    for game in ("tictactoe", "reversi"):
        kinds = taxonomy.kinds_table([game]).markdown().splitlines()[-1]
        assert kinds in text
        assert taxonomy.measured_table([measured(game, 200, 0)]).markdown().splitlines()[-1] in text


def test_the_command_prints_and_writes(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("\n".join(["a", *marked.marks("taxonomy"), "z"]))
    words = ("--game", "tictactoe,reversi", "--policies", "random", "--games", 20)
    done = run(*words, "--page", page)
    assert done.returncode == 0, done.stderr
    assert "Tic-Tac-Toe" in done.stdout and "Reversi" in done.stdout
    written = marked.part(page.read_text(), "taxonomy")
    assert written.count("\n| Reversi ") == 2
    told = json.loads(run(*words, "--json").stdout)
    assert [(each["game"], each["games"]) for each in told] == [("tictactoe", 20), ("reversi", 20)]
    assert re.search(rf"{told[1]['decisions']['value']:.1f} \[", written)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "goo"], ["--game", "goo", "tictactoe"]),
        (["--game", ""], ["--game", "at least one"]),
        (["--games", "1"], ["--games 1", "from 2"]),
        (["--games", 10**20, "--game", "tictactoe"], ["--games 1000", "to 1000000"]),
        (["--policies", ","], ["--policies", "at least one"]),
        (["--policies", "mcts:5?c=1&c=2", "--game", "tictactoe"], ["'c' is given twice"]),
        (["--policies", "llm:m", "--game", "tictactoe"], ["llm:m", "not asked"]),
        (["--policies", "nobody", "--game", "tictactoe"], ["nobody"]),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, words):
    assert_refused(run(*arguments), words)


def test_a_page_without_marks_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing")
    result = run("--game", "tictactoe", "--policies", "random", "--games", 2, "--page", page)
    assert_refused(result, ["--page", "taxonomy: begin"])
