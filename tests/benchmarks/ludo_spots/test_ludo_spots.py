"""``python -m benchmarks.ludo_spots`` from the outside, built-in policies and a model's server."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
import scripts
from openai_server import OpenAIServer, answer, error, hang, mixed, prompt_sha256
from scripts import KEY, ROOT, kill_at, lines, told

command = partial(scripts.command, "ludo_spots")
run = partial(scripts.run, "ludo_spots")


def values(summary: dict, policy: str, category: str, persona: str = "none") -> dict:
    metrics = summary["policies"][policy][persona][category]
    return {
        name: round(rate["value"], 4)
        for name, rate in metrics.items()
        if isinstance(rate, dict) and rate.get("value") is not None
    }


GT = {
    "capture": {"capture_rate": 0.875},
    "safe": {"safe_rate": 0.875},
    "home_entry": {"home_entry_rate": 0.125},
    "extra_turn": {"bring_out_rate": 1, "move_existing_rate": 0},
    "capture_vs_home_finish": {"home_finish_rate": 1, "capture_rate": 0},
    "capture_vs_safe": {"capture_rate": 0.975, "safe_rate": 0.025},
    "capture_vs_home": {"capture_rate": 0.975, "home_entry_rate": 0.025},
    "capture_vs_openexisting": {"capture_rate": 0.675, "open_rate": 0.325},
    "safe_vs_openexisting": {"safe_rate": 1, "open_rate": 1},
    "grudge_paired": {
        "change_rate": 0,
        "retaliation_grudge_rate": 0.575,
        "retaliation_noconflict_rate": 0.575,
    },
}
HEURISTIC = {
    "capture": {"capture_rate": 1},
    "safe": {"safe_rate": 0.75},
    "home_entry": {"home_entry_rate": 1},
    "extra_turn": {"bring_out_rate": 1},
    "capture_vs_home_finish": {"home_finish_rate": 0, "capture_rate": 1},
    "capture_vs_safe": {"capture_rate": 1, "safe_rate": 0},
    "capture_vs_home": {"capture_rate": 1, "home_entry_rate": 0},
    "capture_vs_openexisting": {"capture_rate": 1, "open_rate": 0},
    "safe_vs_openexisting": {"safe_rate": 1, "open_rate": 0.475},
    "grudge_paired": {
        "change_rate": 0,
        "retaliation_grudge_rate": 0.675,
        "retaliation_noconflict_rate": 0.675,
    },
}
CHANCE = {
    "capture": {"capture_rate": 0.4375},
    "safe": {"safe_rate": 0.50},
    "home_entry": {"home_entry_rate": 0.50},
    "extra_turn": {"bring_out_rate": 0.75},
    "capture_vs_home_finish": {"home_finish_rate": 0.50, "capture_rate": 0.50},
    "capture_vs_safe": {"capture_rate": 0.456, "safe_rate": 0.544},
    "capture_vs_home": {"capture_rate": 0.50, "home_entry_rate": 0.50},
    "capture_vs_openexisting": {"capture_rate": 0.25, "open_rate": 0.75},
    "safe_vs_openexisting": {"safe_rate": 1, "open_rate": 0.75},
}
SAME_AS_HEURISTIC = {
    "blocked": 0.525, "capture": 0.875, "capture_vs_home": 0.975, "capture_vs_home_finish": 0,
    "capture_vs_openexisting": 0.675, "capture_vs_safe": 0.975, "extra_turn": 1,
    "grudge_paired": 0.40, "home_entry": 0.125, "overshoot": 0.55, "safe": 0.725,
    "safe_vs_openexisting": 0.475,
}  # fmt: skip


def test_authors_spots_give_the_reference_figures(shared_data, tmp_path):
    result = run(
        "--spots", shared_data / "ludobench", "--policies", "gt,heuristic", "--as-published",
        "--output", tmp_path / "run", "--json", "--head-to-head", 0,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    for policy, expected in (("gt:2", GT), ("heuristic", HEURISTIC)):
        for category, rates in expected.items():
            found = values(summary, policy, category)
            assert {name: found[name] for name in rates} == rates, (policy, category)
    for category, expected in CHANCE.items():
        metrics = summary["policies"]["gt:2"]["none"][category]
        for name, chance in expected.items():
            assert metrics[name]["chance"] == pytest.approx(chance, abs=6e-4), (category, name)
    for category, share in SAME_AS_HEURISTIC.items():
        assert values(summary, "heuristic", category)["gt_index_rate"] == share
    overall = summary["policies"]["heuristic"]["none"]["overall"]
    assert overall["gt_index_rate"]["chance"] == pytest.approx(0.433, abs=5e-4)
    assert overall["gt_index_lowest"]["value"] == pytest.approx(0.69, abs=5e-3)
    theirs = json.loads((shared_data / "ludobench" / "gt_moves_d2.json").read_text())
    for record in lines(tmp_path / "run" / "decisions.jsonl"):
        column = 0 if record["policy"] == "gt:2" else 1
        assert record["action"] == theirs[record["item"]][column]


def test_without_arguments_it_reports_the_built_in_policies(tmp_path):
    result = scripts.run_process("ludo_spots", "--output", tmp_path / "run")
    assert result.returncode == 0, result.stderr
    for name in ("random", "heuristic", "gt:2"):
        assert name in result.stdout
    files = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"config.json", "decisions.jsonl", "summary.json", "report.md", "report.html"} <= files
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert sum(summary["categories"].values()) == 520
    assert summary["boards"] == 480
    again = run("--output", tmp_path / "again", "--json")
    same = json.loads(again.stdout)
    assert same["policies"] == summary["policies"]
    assert same["head_to_head"] == summary["head_to_head"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--policies", "chess"], ["chess", "heuristic", "llm"]),
        (["--policies", ""], ["--policies"]),
        (["--policies", "gt:0"], ["gt:0", "1 to 8"]),
        (["--policies", "random:1"], ["random"]),
        (["--policies", "llm"], ["--model"]),
        (["--policies", "llm:m?base_url=http://x/v1&temperature=9"], ["temperature"]),
        (["--categories", "chequers"], ["chequers", "capture_vs_safe"]),
        (["--personas", "angry"], ["angry", "unforgiving"]),
        (["--depth", "0"], ["--depth 0", "1 to 8"]),
        (["--depth", "two"], ["--depth", "two"]),
        (["--no-such-option"], ["--no-such-option"]),
        (["--spots", "no/such/place"], ["no/such/place"]),
        (["--resume"], ["--resume"]),
        (["--output", "/proc/nothing/here"], ["/proc/nothing/here"]),
        (["generate", "--output", "/proc/nothing"], ["/proc/nothing"]),
        (["generate"], ["--output"]),
        (["generate", "--output", "x", "--per-category", "0"], ["--per-category 0"]),
    ],
    ids=" ".join,
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_code_2(arguments, words, tmp_path):
    if arguments == ["--resume"]:
        arguments = ["--resume", "--output", str(tmp_path)]
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    (line,) = told(result.stderr)
    for word in words:
        assert word in line


def test_a_broken_entry_stops_or_is_left_out(tmp_path):
    good = json.loads((ROOT / "benchmarks/harness/data/spots_capture.json").read_text())[:5]
    bad = {**good[0], "id": "bad_one", "dice": 7}
    path = tmp_path / "spots_mine.json"
    path.write_text(json.dumps([*good, bad]))
    result = run("--spots", path, "--output", tmp_path / "a")
    assert result.returncode == 2
    assert all(word in result.stderr for word in ("spots_mine.json", "bad_one", "dice 7"))
    result = run("--spots", path, "--skip-invalid", "--output", tmp_path / "b", "--json")
    assert result.returncode == 0
    summary = json.loads(result.stdout)
    assert summary["categories"] == {"capture": 5}
    assert "bad_one" in summary["invalid_entries"][0]
    path.write_text('[{"id": ')
    result = run("--spots", path, "--output", tmp_path / "c")
    assert result.returncode == 2
    assert "not JSON" in result.stderr


def test_a_folder_with_a_run_is_not_overwritten(tmp_path):
    small = ("--categories", "safe", "--head-to-head", 0, "--output", tmp_path)
    assert run(*small).returncode == 0
    before = (tmp_path / "decisions.jsonl").read_bytes()
    assert run(*small).returncode == 2
    result = run(*small, "--resume", "--seed", 1)
    assert result.returncode == 2
    assert "seed=0" in result.stderr
    assert run(*small, "--resume").returncode == 0
    assert (tmp_path / "decisions.jsonl").read_bytes() == before


def model(server: OpenAIServer, output: Path, *more: object) -> tuple:
    return (
        "--policies", "llm:scripted", "--base-url", server.base_url, "--output", output,
        "--api-key-env", "STRATAGYM_TEST_KEY", "--head-to-head", 0, *more,
    )  # fmt: skip


def test_each_failure_has_its_own_counter(tmp_path):
    """One category, one kind of answer: by the n-th distinct prompt."""
    replies = [
        answer("0 | good", kind="good"), answer("I would rather move the first piece."),
        answer("9 | not a piece"), answer(None), answer("Let me think", finish_reason="length"),
        error(401, f"Incorrect API key provided: {KEY}"), error(500), hang(),
    ]  # fmt: skip
    order: dict[str, int] = {}

    def script(body, nth):
        place = order.setdefault(prompt_sha256(body["messages"]), len(order))
        return replies[place % len(replies)]

    with OpenAIServer(script) as server:
        result = run(
            *model(server, tmp_path, "--categories", "capture", "--timeout", 1, "--retries", 1,
                   "--concurrency", 40, "--json"),
        )  # fmt: skip
        assert set(server.authorizations) == {f"Bearer {KEY}"}
    assert result.returncode == 0, result.stderr
    metrics = json.loads(result.stdout)["policies"]["llm:scripted"]["none"]["capture"]
    records = lines(tmp_path / "decisions.jsonl")
    kinds = Counter(record["kind"] for record in records)
    assert metrics["kinds"] == dict(kinds)
    assert kinds["transport"] == 15
    reasons = metrics["reasons"]
    assert reasons["unparseable: no_move"] == reasons["unparseable: empty"] == 5
    assert reasons["unparseable: truncated"] == reasons["illegal: no_such_piece"] == 5
    assert reasons["transport: rejected"] == reasons["transport: server_error"] == 5
    assert reasons["transport: timeout"] == 5
    assert metrics["llm_invalid_rate"]["n"] == 25
    for record in records:
        if record["kind"] in ("unparseable", "illegal"):
            assert record["action"] in record["legal"]
    for path in tmp_path.iterdir():
        assert KEY.encode() not in path.read_bytes()
    assert KEY not in result.stderr + result.stdout


@pytest.mark.slow
def test_a_killed_run_resumes_to_the_same_totals(tmp_path):
    arguments = ("--personas", "none,greedy", "--retries", 4, "--json")

    def slow_mixed(body, nth):
        return mixed(body, nth)

    with OpenAIServer(slow_mixed) as server:
        whole = run(*model(server, tmp_path / "whole", *arguments))
        assert whole.returncode == 0, whole.stderr
        assert server.most_at_once > 1
    with OpenAIServer(slow_mixed) as server:
        cut = tmp_path / "cut"
        decisions = cut / "decisions.jsonl"
        kill_at(command(*model(server, cut, *arguments)), decisions, 400)
        recorded = {
            json.loads(line)["prompt_sha256"] for line in decisions.read_bytes().split(b"\n")[:-1]
        }
        assert 400 <= len(recorded) < 1040
        with decisions.open("ab") as file:
            file.write(b'{"schema":1,"benchmark":"ludo_sp')  # as a torn write leaves it
        before = len(server.requests)
        resumed = run(*model(server, cut, *arguments, "--resume"))
        assert resumed.returncode == 0, resumed.stderr
        asked = {request.sha256 for request in server.requests[before:]}
        assert not asked & recorded
    one, two = (json.loads(result.stdout) for result in (whole, resumed))
    assert one["policies"] == two["policies"]
    assert one["persona_alignment"] == two["persona_alignment"]
    assert len(lines(decisions)) == len({(r["item"], r["persona"]) for r in lines(decisions)})
    for path in [*cut.iterdir(), *(tmp_path / "whole").iterdir()]:
        assert KEY.encode() not in path.read_bytes()


def test_generated_spots_hold_their_trade_off(tmp_path, seed):
    from stratagym.benchmarks.harness.spots import load_spots
    from stratagym.benchmarks.ludo_spots.generate import why_not

    seed %= 10**6
    assert run("generate", "--seed", seed, "--boards", 12, "--output", tmp_path).returncode == 0
    made, invalid = load_spots(tmp_path)
    assert len(made) == 12 * 13 and not invalid
    assert [why_not(spot) for spot in made] == [None] * len(made)
    sizes = Counter((spot.category, len(spot.players)) for spot in made)
    assert all(count in (4, 8) for count in sizes.values())
    assert run("generate", "--seed", seed, "--boards", 12, "--output", tmp_path).returncode == 2


def test_shipped_spots_are_those_of_their_seed_and_valid():
    from stratagym.benchmarks.harness.spots import load_spots
    from stratagym.benchmarks.ludo_spots.generate import generate, why_not

    shipped, invalid = load_spots()
    assert not invalid
    assert {spot.id: spot for spot in shipped} == {spot.id: spot for spot in generate(2026)}
    assert [why_not(spot) for spot in shipped] == [None] * 520
    for spot in shipped:
        assert sum(p > -1 for p in spot.pieces[spot.seat]) >= 1
