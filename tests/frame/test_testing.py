"""``stratagym.testing``: that its checks find what is wrong, and its helpers do what they say."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import TESTS
from tiny_games import night

from stratagym import envs, testing
from stratagym.envs import core, spec
from stratagym.testing import (
    CHECKS,
    RandomGame,
    check_replies,
    contract_checks,
    position,
    random_positions,
    same_as_openspiel,
)
from stratagym.testing import golden as golden_files

NIM, BIDS, ROLES = (
    TESTS / "outside" / "stratagym_nim",
    TESTS / "tiny_games" / "bids",
    TESTS / "tiny_games" / "roles",
)

SHOWS = 'def seat_text(rules, s, player):\n    return str(s["{}"].tolist())\n\n\n'
BROKEN = [
    (NIM, "rules.py", "out[n] = 5 * heap + stones", "out[n] = 5 * heap", "legal_actions"),
    (NIM, "rules.py", "out[1] = 0.0 - out[0]", "out[1] = 0.0", "returns_obey_the_utility_class"),
    (NIM, "rules.py", "out[heap] = s.heaps[heap]", "out[heap] = 9", "observations_are_in"),
    (NIM, "__init__.py", "package=", "sides=((0,), (0, 1)), package=", "sides_part_the_seats"),
    (NIM, "__init__.py", 'chance="deterministic"', 'chance="explicit"', "chance_outcomes_are"),
    (NIM, "view.py", "{action // 5 + 1}:", "1:", "actions_and_strings"),
    (NIM, "rules.py", "import numpy", "import PIL, numpy", "environments_import_nothing_heavy"),
    (NIM, "view.py", "'o' * n", "'o' * min(n, 4)", "prompts_tell_all"),
    (NIM, "view.py", "if rules.last_wins", "if True", "prompts_tell_all"),
    (BIDS, "view.py", "gained {gained:g}, ", "", "prompts_tell_all"),
    (BIDS, "view.py", "Your bids so far: {bids}", "So far: {len(bids)}", "prompts_tell_all"),
    (BIDS, "rules.py", "= s.bids[player, item]", "= s.bids[0, item]", "commits_of_the_running"),
    (BIDS, "view.py", "def role_text", f"{SHOWS.format('bids')}def role_text", "commits_of_the_"),
    (ROLES, "view.py", "def role_text", f"{SHOWS.format('spy')}def role_text", "hidden_things_do"),
    (ROLES, "view.py", 'return "not_now"', 'return str(s["spy"])', "hidden_things_do_not_show"),
    (ROLES, "view.py", 'return f"Player', 'return f"{s[\'spy\']} Player', "told_moves_tell"),
]  # fmt: skip
"""Of a package, in a file, this text changed to that: and the check that has to find it."""

AUTHORS_TEST = """
from dataclasses import replace
from stratagym.envs import spec
from stratagym.testing import contract_checks

def test_contract():
    wrong = replace(spec("tictactoe"), max_game_length=10)
    dict(contract_checks(wrong))["random_games_end_in_time"]()
"""

FIND = """
import importlib, sys
from stratagym import envs
from stratagym.testing import contract_checks
game = importlib.import_module(sys.argv[1]).SPEC
envs.register(game)
(check,) = [check for name, check in contract_checks(game, seed=1) if name.startswith(sys.argv[2])]
try:
    check()
except AssertionError:
    print("found")
"""


def finds(package: Path, file: str, edits: dict[str, str], check: str, tmp_path: Path) -> bool:
    """Whether a check finds anything in a copy of a package with these texts of a file changed."""
    copy = tmp_path / package.name
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.glob("*.py"):  # the tiny games import themselves by their full name
        path.write_text(path.read_text().replace("from tiny_games.", "from "))
    text = (copy / file).read_text()
    for right, wrong in edits.items():
        assert right in text
        text = text.replace(right, wrong)
    (copy / file).write_text(text)
    done = subprocess.run(
        [sys.executable, "-B", "-c", FIND, package.name, check],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().endswith("found")


@pytest.mark.parametrize(("package", "file", "right", "wrong", "check"), BROKEN)
def test_what_is_wrong_is_found(package, file, right, wrong, check, tmp_path):
    assert finds(package, file, {right: wrong}, check, tmp_path)


def test_the_hearer_of_a_message_is_a_seat_that_is_asked(tmp_path):
    """Where the last seat never is, nothing is wrong with that."""
    edits = {"(s.seat + 1) % SEATS": "(s.seat + 1) % 2", "s.seat == SEATS": "s.seat == 2"}
    assert not finds(ROLES, "rules.py", edits, "messages_reach_only", tmp_path)


@pytest.mark.parametrize(
    "check", ["hidden_things_do_not_show", "information_and_seed_decide", "pettingzoo_api"]
)
def test_it_may_be_hidden_who_is_to_move(check, seed):
    """And there may be negative numbers in planes."""
    envs.register(night.SPEC)
    dict(contract_checks("night", seed=seed))[check]()


def test_a_golden_file_that_is_missing_says_what_makes_it(tmp_path):
    check = dict(contract_checks("tictactoe", golden=tmp_path))["golden_playthrough"]
    with pytest.raises(AssertionError, match=r"python -m stratagym\.testing\.golden --folder"):
        check()
    assert golden_files.main(["--folder", str(tmp_path), "tictactoe"]) == 0
    check()
    path = tmp_path / "tictactoe.txt"
    path.write_text(path.read_text().replace("action = ", "action is ", 1))
    with pytest.raises(AssertionError, match=r"tictactoe.txt, line \d+ is '  action is"):
        check()


@pytest.mark.parametrize("path", sorted(Path(testing.__file__).parent.glob("*.py")), ids=str)
def test_every_assertion_says_what_is_wrong(path):
    """Authors of games read no more than its message."""
    bare = [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Assert)
        and not isinstance(
            node.msg, ast.JoinedStr | ast.Constant | ast.Name | ast.Attribute | ast.Call
        )
    ]
    assert not bare, f"{path}, lines {bare}"


def test_compared_values_are_shown_to_authors_with_pytest(tmp_path):
    (tmp_path / "test_them.py").write_text(AUTHORS_TEST)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path],
        capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert "1 failed" in done.stdout, done.stdout + done.stderr
    assert "assert 9 == 10" in done.stdout  # the values of both sides, which a bare assert hides


def test_checks_are_those_that_apply():
    names = [name for name, _ in contract_checks("tictactoe")]
    left_out = set(CHECKS) - set(names)
    assert left_out == {
        "commits_of_the_running_turn_do_not_show", "messages_reach_only_those_they_are_for",
        "information_and_seed_decide", "told_moves_tell_what_is_seen",
        "pictures_for_a_seat_show_nothing_hidden", "what_talk_tells_shows_nothing_hidden",
    }  # fmt: skip
    assert names == [name for name in CHECKS if name not in left_out]


def test_positions(seed):
    assert position("connect_four", 3, 3, 2)["plies"] == 3
    rules = spec("tictactoe").make_rules()
    assert position(rules, 0, 4, 6).dtype == position(spec("tictactoe")).dtype
    with pytest.raises(ValueError, match="action 0 is not legal at ply 1"):
        position(rules, 0, 0)
    states = random_positions(rules, 50, seed, plies=range(2, 5))
    marks = [int(marks).bit_count() for marks in states["crosses"] | states["noughts"]]
    assert set(marks) == {2, 3, 4}
    assert (states == random_positions(rules, 50, seed, plies=range(2, 5))).all()
    states = random_positions("tictactoe", 50, seed)
    assert all(core.current_player_at(rules, states, i) >= 0 for i in range(50))
    with pytest.raises(ValueError, match="were over before range"):
        random_positions(rules, 1, seed, plies=range(12, 13))
    played = RandomGame("tictactoe", seed)
    assert len(played.states) == len(played.players) == len(played.actions) > 4
    assert played.returns(played.end).sum() == 0


def test_replies():
    states = position("tictactoe", 0)
    right = {"Move: 2,3": 7, "nothing": "unparseable", "Move: 1,1": "illegal: taken"}
    check_replies("tictactoe", right, states)
    for reply, wrong in (("Move: 2,3", 6), ("Move: 1,1", "unparseable"), ("Move: 1,1", 0)):
        with pytest.raises(AssertionError, match="Move"):
            check_replies("tictactoe", {reply: wrong}, states)


def test_another_game_is_not_the_same(seed):
    pytest.importorskip("pyspiel")
    with pytest.raises(AssertionError):
        same_as_openspiel("connect_four", "connect_four(rows=5)", 40, seed)
