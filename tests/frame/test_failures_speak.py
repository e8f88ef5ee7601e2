"""What went wrong with requests is said in records, in reports, on the screen and by exit codes."""

import json

import pytest
import scripts
from openai_server import OpenAIServer, answer, error, once
from rich.progress import Progress

from stratagym.benchmarks.harness import progress, watching

OVERFLOW = "request (1831 tokens) exceeds the available context size (1024 tokens)"
GAMES = ("--game", "tictactoe", "--policies", "random,llm:m", "--games", 2)


def tournament(server, folder, *options):
    where = ("--base-url", server.base_url, "--output", folder)
    return scripts.run("tournament", *GAMES, *where, "--no-preflight", *options)


def decisions(folder):
    return [json.loads(line) for line in (folder / "decisions.jsonl").read_text().splitlines()]


def test_a_run_without_an_answer_says_why_and_ends_with_3(tmp_path):
    said = f"{OVERFLOW}, key {scripts.KEY}"
    with OpenAIServer(lambda body, nth: error(400, said)) as server:
        done = tournament(server, tmp_path, "--api-key-env", "STRATAGYM_TEST_KEY")
    assert done.returncode == 3
    assert "requests came to an answer: rejected: HTTP 400: " + OVERFLOW in done.stderr
    assert done.stderr.count("llm:m: no answer: rejected") == 1  # of six requests
    failures = {record["failure"] for record in decisions(tmp_path)}
    assert failures == {f"HTTP 400: {OVERFLOW}, key [key]"}
    report = (tmp_path / "report.md").read_text() + (tmp_path / "report.html").read_text()
    assert report.count(OVERFLOW) >= 2
    everything = done.stdout + done.stderr + report + (tmp_path / "config.json").read_text()
    assert scripts.KEY not in everything


def test_spots_without_an_answer_end_with_3(tmp_path):
    with OpenAIServer(lambda body, nth: error(400, OVERFLOW)) as server:
        done = scripts.run(
            "ludo_spots", "--policies", "llm:m", "--base-url", server.base_url, "--no-preflight",
            "--categories", "capture", "--output", tmp_path,
        )  # fmt: skip
    assert done.returncode == 3 and OVERFLOW in done.stderr


def test_a_run_with_some_answers_is_a_run(tmp_path):
    with OpenAIServer(once(error(400, OVERFLOW))) as server:
        done = tournament(server, tmp_path, "--concurrency", 1)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(OVERFLOW) == 1


def test_repeats_are_told_while_they_happen(tmp_path):
    with OpenAIServer(once(error(503, "still loading"))) as server:
        done = tournament(server, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("llm:m: server_error: HTTP 503: still loading; asked again in") == 1


def test_answers_that_are_waited_for_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(watching, "EVERY_S", 0.05)
    with OpenAIServer(lambda body, nth: answer("Move: 1,1", delay_s=1.0)) as server:
        done = tournament(server, tmp_path, "--tries", 1)
    assert done.returncode == 0, done.stderr
    assert "llm:m: waiting for 2 answers, for up to" in done.stderr


def test_the_first_answer_that_is_too_late_says_how_many_were_in_flight(tmp_path):
    with OpenAIServer(lambda body, nth: answer("Move: 1,1", delay_s=20.0)) as server:
        done = tournament(server, tmp_path, "--time-limit", 0.2, "--concurrency", 2)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("requests in flight; --concurrency should be") == 1


@pytest.mark.parametrize(("done", "left"), [(0, None), (2, 30.0), (8, 0.0)])
def test_the_time_that_is_left_goes_by_the_overall_rate(done, left):
    now = [0.0]
    bar = Progress(get_time=lambda: now[0], disable=True)
    task = bar.add_task("games", total=8)
    now[0] = 9.9
    bar.update(task, advance=done)  # both at once, as games that end together
    now[0] = 10.0
    assert progress.time_left(bar.tasks[0]) == left
