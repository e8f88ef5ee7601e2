"""What was not a policy's own: counted from records, marked in every report, and in nobody else's.

Models answer well, and a part of their answers is then recorded as unreadable, with the same moves
played: so each has exactly the share that its name says.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import golden_runs
import pytest
import scripts
from openai_server import OpenAIServer, answer

from stratagym.benchmarks.harness.own_play import OwnPlay, counting, own_of
from stratagym.benchmarks.reporting import own
from stratagym.benchmarks.reporting.own import NO_RESULT, NOT_MEASURED, Own
from stratagym.benchmarks.reporting.page import Table

SHARES = (0, 8, 12, 49, 51, 100)
"""Percent of decisions that are not a model's own."""
MODELS = [f"m{share}" for share in SHARES]

# --- the rule ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decisions", "replaced", "marked", "result", "text"),
    [
        (100, 0, False, True, "0%"), (100, 8, False, True, "8%"), (100, 10, False, True, "10.0%"),
        (100, 12, True, True, "12% !"), (1000, 101, True, True, "10.1% !"),
        (100, 49, True, True, "49% !"), (100, 50, True, True, "50.0% !"),
        (1000, 501, False, False, "50.1% !"), (100, 51, False, False, "51% !"),
        (100, 100, False, False, "100% !"),
    ],
)  # fmt: skip
def test_the_limits(decisions, replaced, marked, result, text):
    found = Own(decisions, replaced, answers=decisions, readable=max(1, decisions - replaced))
    assert (found.is_marked, found.is_result) == (marked, result)
    assert own.share_text(found.record()) == text


def test_without_a_readable_or_a_good_answer_there_is_no_result():
    assert not Own(0, 0, answers=3, readable=0).is_result  # lost by its first answers
    assert not Own(0, 0, answers=3, readable=3).is_result
    assert Own(1, 0, answers=3, readable=1).is_result
    assert Own().is_result and own.share_text(Own().record()) == "0%"  # never asked
    assert own.share_text(Own(0, 0, 3, 0).record()) == "– !"


def record(ply: int, kind: str, action: int | None, **more: Any) -> dict[str, Any]:
    return {
        "policy": "llm:m", "persona": "none", "item": "a", "seat": 0, "ply": ply, "kind": kind,
        "attempt": 1, "action": action, "prompt": [], **more,
    }  # fmt: skip


def test_decisions_are_counted_by_their_last_answers():
    answers = [
        record(0, "ok", 3),
        record(2, "unparseable", None), record(2, "illegal", None, attempt=2),
        record(2, "ok", 4, attempt=3),  # asked again, and its own in the end
        record(4, "unparseable", None), record(4, "overtime", 5, attempt=2),  # a default move
        record(6, "ok", None), record(6, "ok", 7, attempt=2),  # over budget, asked again
        record(8, "transport", 9),  # no answer; the game is broken off there
        record(0, "ok", 1, prompt=None, policy="gt:2"),  # answers in no words
        record(10, "illegal", None),  # loses the game: nothing was played
    ]  # fmt: skip
    assert own_of(answers) == Own(decisions=4, replaced=1, answers=9, readable=6)
    games = [{"match": "a", "ended_by": "terminal"}, {"match": "b", "ended_by": "transport"}]
    more = [record(0, "unparseable", 1, item="b"), record(0, "unparseable", 1, item="c")]
    play = OwnPlay([*answers, *more], games)  # b was broken off, c never ended
    assert play.of("llm:m") == own_of(answers) and play.void() == set()
    assert OwnPlay(more).void() == {"llm:m"}
    seats = [{"seats": ["llm:m", "x"]}, {"seats": ["x", "y"]}]
    assert counting(seats, {"llm:m"}) == seats[1:] and counting(seats, ()) == seats


def test_rows_are_marked_or_say_that_there_is_no_result():
    owns = {
        "a": Own(100, 12, 100, 90).record(), "b": Own(100, 60, 100, 40).record(),
        "c": Own().record(),
    }  # fmt: skip
    table = Table(
        ["policy", "score", "games"], [["a", "1.0", "3"], ["b", "9.9", "3"], ["c", "2", "3"]]
    )
    found = own.marked(table, [["a"], ["b"], ["c"]], owns)
    assert list(found.columns) == ["policy", "not own", "score", "games"]
    assert found.rows == [
        ["a", "12% !", "1.0", "3"], ["b", "60% !", NO_RESULT, "–"], ["c", "0%", "2", "3"],
    ]  # fmt: skip
    assert '<tr class="marked">' in found.html() and '<tr class="void">' in found.html()
    pair = own.marked(Table(["pair", "score"], [["a v b", ".5"]]), [("a", "b")], owns)
    assert pair.rows == [["a v b", "12% ! / 60% !", NO_RESULT]]
    assert own.marked(table, [["c"]] * 3, owns) is table  # nobody was asked


# --- reports of every kind ----------------------------------------------------------------------


def well(body: dict[str, Any], nth: int):
    """A legal answer to any prompt of the runs below, which list the legal moves."""
    prompt = "\n\n".join(message["content"] for message in body["messages"])
    if side := re.search(r"You plan for the (\w+)", prompt):
        unit = re.findall(r"buy (\w+) bronze", prompt)[-1]
        return answer(json.dumps({side[1]: [{"name": unit, "tier": "Bronze"}], "priorities": []}))
    if "in the coin game" in prompt:
        return answer("Move: " + re.findall(r"^- \d+: (\w+)", prompt, re.MULTILINE)[-1])
    if listed := re.findall(r"^Allowed: (.+)", prompt, re.MULTILINE):
        return answer(f"Move: {listed[-1].split()[-1]}")
    return answer(golden_runs.candidates(prompt)[-1])


KINDS: dict[str, str] = {
    "ludo_spots": (
        "--policies {models},heuristic --categories capture,safe --head-to-head 0 --depth 1"),
    "ludo_arena": (
        "--policies {models},random --players 2 --games 2 --rules max_rolls=20"),
    "tournament": (
        "--game tictactoe --policies {models},random --games 4 --invalid random"),
    "board_solvers": ("--game tictactoe --policies {models} --games 4"),
    "hanabi_teams": (
        "--policies {models},rule:iggi --teammates rule:simple --players 2 --games 1 "
        "--mixed-games 2"),
    "coin_teams": ("--policies {models},random --games 2 --invalid random"),
    "anchored_levels": (
        "--game tictactoe --policies {models},random --games 16 --no-early-stop --invalid random"),
    "botzone": (
        "--game gomoku --policies {models},random --games 8 --no-early-stop --invalid random"),
    "advgame": (
        "--game battle_card --policies {models},random --opponents plan:fill --rounds 3 "
        "--repeats 3"),
}  # fmt: skip


def replace_answers(folder: Path) -> dict[str, tuple[int, int]]:
    """Record part of each model's answers as unreadable; (replaced, decisions) by policy."""
    path = folder / "decisions.jsonl"
    records = scripts.lines(path)
    own: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in records:
        if one["prompt"] is not None:
            assert one["kind"] == "ok", (one["kind"], one["reason"], one["reply"])
            own[one["policy"]].append(one)
    found = {}
    for name, answers in own.items():
        share, n = int(re.findall(r"\d+", name)[0]) / 100, len(answers)
        # On the side of the limits that the name says, however few they are.
        replaced = math.ceil(share * n) if share > 0.5 else math.floor(share * n)
        if 0.1 < share < 0.2:
            replaced = math.ceil(share * n)
        for one in answers[:replaced]:
            one |= {"kind": "unparseable", "reason": "no_move", "chosen": None}
        found[name] = replaced, n
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return found


OFTEN = ("ludo_spots", "tournament", "hanabi_teams")
"""Kinds that are tested with the quick tests."""


@pytest.fixture(
    scope="module",
    params=[pytest.param(kind, marks=[pytest.mark.slow] * (kind not in OFTEN)) for kind in KINDS],
)
def run(request, tmp_path_factory) -> tuple[str, Path, dict[str, tuple[int, int]], str]:
    """(script, folder, shares, screen) of a run whose answers were replaced."""
    script = request.param
    options = KINDS[script]
    folder = tmp_path_factory.mktemp(script) / "run"
    models = ",".join(f"llm:{name}" for name in MODELS)
    with OpenAIServer(well) as server:
        words = [
            *options.format(models=models).split(), "--list-legal", "--no-preflight",
            "--api-key-env", "STRATAGYM_TEST_KEY", "--base-url", server.base_url,
            "--output", folder,
        ]  # fmt: skip
        begun = scripts.run(script, *words)
        assert begun.returncode == 0, begun.stderr
        shares = replace_answers(folder)
        before = len(server.requests)
        again = scripts.run(script, *words, "--resume")
        assert again.returncode == 0, again.stderr
        assert len(server.requests) == before
    return script, folder, shares, again.stdout


def rows_of(page: str, name: str) -> list[list[str]]:
    """The cells of all Markdown table rows whose heading names a policy, alone or with another."""
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("|")
    ]
    return [row for row in cells if f"`{name}`" in row[0]]


def test_every_report_marks_what_was_not_own(run):
    _, folder, shares, screen = run
    page = (folder / "report.md").read_text()
    markup = (folder / "report.html").read_text()
    assert own.WORDS in page and "not own" in markup
    plain = " ".join(screen.split())
    assert "not own: share of a language model's decisions that were not its own" in plain
    for share, name in zip(SHARES, MODELS, strict=True):
        replaced, n = shares[f"llm:{name}"]
        said = own.share_text(Own(n, replaced, n, n - replaced).record())
        rows = rows_of(page, f"llm:{name}")
        told = [
            (row, at)
            for row in rows
            for at, cell in enumerate(row)
            if said in cell.split(" / ") or cell.endswith(f"; {said} not own")
        ]
        assert told, (share, rows)
        for row, at in told if share > 50 else ():
            # No score of it in any table that has the column.
            nothing = [NO_RESULT in cell or NOT_MEASURED in cell for cell in row]
            assert any(nothing), row
            behind = list(zip(row, nothing, strict=True))[at + 1 :]
            assert all(none or cell[0] == "–" for cell, none in behind), row
        assert (" !" in said) == (share > 10)
        assert (f"**Mind:** `llm:{name}`" in page) == (share > 10)
        assert re.search(rf"llm:{name}\b.*{re.escape(said)}", screen, re.DOTALL)
    assert 'class="marked"' in markup and 'class="void"' in markup


def test_nobody_has_points_from_those_without_a_result(run):
    """The summary of what remains is that of the games in which none of them sits."""
    script, folder, shares, *_ = run
    summary = json.loads((folder / "summary.json").read_text())
    void = {name for name, (replaced, n) in shares.items() if replaced > n / 2}
    assert void == {"llm:m51", "llm:m100"}
    if script == "ludo_spots":
        for name, own_by_persona in summary["own"].items():
            overall = summary["policies"][name]["none"]["overall"]
            assert (overall["gt_position_rate"]["value"] is None) == (name in void)
            assert own_by_persona["none"]["result"] == (name not in void)
        return
    games = [one for one in scripts.lines(folder / "games.jsonl") if one["ended_by"] != "transport"]
    left = [game for game in games if not void & set(game["seats"])]
    assert 0 < len(left) < len(games)
    if script == "tournament":
        counted = {name: row["games"] for name, row in summary["policies"].items()}
        assert counted == {
            name: sum(name in game["seats"] for game in left) for name in summary["policies"]
        }
        assert all(summary["policies"][name]["bradley_terry"] is None for name in void)
        assert sum(row["score"]["n"] for row in summary["pairings"]) == len(left)
    elif script == "ludo_arena":
        assert sum(row["win_rate"]["n"] for row in summary["pairings"]) == len(left)
        for row in summary["pairings"]:
            is_void = bool(void & {row["one"], row["rest"]})
            assert (row["win_rate"]["value"] is None) == is_void
    elif script == "board_solvers":
        (board,) = summary["boards"].values()
        assert not void & board["ratings"].keys() and len(board["ratings"]) == len(MODELS) - 1
        assert all(board["policies"][name]["wins"]["value"] is None for name in void)
    elif script in ("hanabi_teams", "coin_teams"):
        score = "strict" if script == "hanabi_teams" else "returns"
        for row in summary["teams"]:
            assert ((row[score] or {}).get("value") is None) == (row["policy"] in void)
        assert summary["games"] == len(left)
    elif script == "advgame":
        assert summary["games"] == len(left)
        for row in summary["policies"]:
            assert (row["pooled"]["WR"]["value"] is None) == (row["policy"] in void)
        assert not void & summary["scores"].keys()
    else:
        (rows,) = summary["games"].values()
        for name, row in rows.items():
            assert (row["result"] == NOT_MEASURED) == (name in void)
            assert (row["level"] is None) == (name in void)
            if name in void:
                assert row["rating"] is None and row["behaviour"] == {}
