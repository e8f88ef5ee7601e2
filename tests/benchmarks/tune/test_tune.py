"""What the command needs before anything learns: its input, its figures, its examples."""

import numpy as np
import pytest
from scripts import run

from stratagym.agents.gguf_file import GGUF
from stratagym.benchmarks.harness import cli, experts
from stratagym.benchmarks.tune import setup
from stratagym.benchmarks.tune.measures import Answer, shares
from stratagym.envs import spec


def wanted(positions=80, seed=1, **prompt):
    return experts.Wanted("perfect", positions, 0.5, 0.25, "messages", seed, prompt, {})


@pytest.fixture(scope="module")
def lessons():
    given, _ = experts.lessons(wanted(), "tictactoe")
    return list(given)


def test_the_sides_and_replies_of_lessons(lessons):
    assert len(lessons) == 80
    held_out = [lesson for lesson in lessons if lesson.is_held_out]
    assert 0 < len(held_out) < 60
    for lesson in lessons:
        best = lesson.line["optimal"]
        assert lesson.replies == tuple(f"Move: {move}" for move in best)
        assert lesson.line["messages"][-1]["content"] == f"Move: {lesson.line['move']}"
        assert lesson.line["move"] in best


def test_shares_of_answers(lessons):
    """An illegal answer is no optimal one; positions where all moves are best are left out."""
    found, chances, right = [], [], []
    for number, lesson in enumerate(lessons):
        line = lesson.line
        worse = sorted(set(line["legal"]) - set(line["optimal"]))
        kind = number % 4
        if kind == 0:
            found.append(Answer.of(lesson, f"Move: {line['optimal'][0]}"))
        elif kind == 1:
            found.append(Answer.of(lesson, f"Move: {(worse or line['legal'])[0]}"))
        else:
            found.append(Answer.of(lesson, "Move: 7,7" if kind == 2 else "I pass."))
        if worse:
            chances.append(len(line["optimal"]) / len(line["legal"]))
            right.append(kind == 0)
    told = shares(found)
    assert told["readable"]["value"] == 0.75 and told["legal"]["value"] == 0.5
    assert told["optimal"]["n"] == len(chances)
    assert told["optimal"]["value"] == pytest.approx(np.mean(right))
    assert told["optimal"]["chance"] == pytest.approx(np.mean(chances))


def test_without_a_solver_nothing_is_optimal():
    given, there_are = experts.lessons(
        experts.Wanted("random", 6, 0.5, 0.0, "messages", 1, {}, {}), "breakthrough"
    )
    found = [Answer.of(lesson, lesson.replies[0]) for lesson in given]
    assert there_are is None and len(found) == 6
    told = shares(found)
    assert told["optimal"] is None and told["legal"]["value"] == 1.0


def test_who_is_learned_from_where_nobody_is_named():
    assert setup.usual_expert(spec("tictactoe")) == "perfect"
    assert setup.usual_expert(spec("chess")) == "heuristic"
    assert setup.usual_prompt(spec("tictactoe")) == "position=lines,rules=brief,reasoning=answer"
    assert setup.usual_prompt(spec("go")) == "position=list,rules=brief,reasoning=answer"
    assert setup.usual_prompt(spec("chess")) == "rules=brief,reasoning=answer"
    with pytest.raises(cli.InputError, match="name one"):
        setup.usual_expert(spec("battle_card"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--game", "nothing"], "--game: unknown game"),
        (["--updates", "0"], "--updates 0"),
        (["--rate", "0"], "--rate 0.0"),
        (["--prompt", "position=map"], "--prompt: "),
        (["--expert", "nobody"], "--expert: unknown policy"),
        (["--model", "missing.gguf"], "--model: missing.gguf"),
        (["--positions", "0"], "--positions 0"),
        (["reinforce", "no_such_run"], "no_such_run"),
    ],
)
def test_bad_input_is_one_line(options, words, tmp_path):
    done = run("tune", *options, "--output", tmp_path / "run")
    assert done.returncode == 2 and not done.stdout
    assert words in done.stderr and len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_model_of_another_kind_is_refused(tmp_path, monkeypatch):
    other = GGUF(tmp_path / "m.gguf", {"general.architecture": "mamba"}, {"w": (1,)})
    monkeypatch.setattr(setup.gguf_file, "read_model", lambda path: other)
    with pytest.raises(cli.InputError, match="of the kind mamba; llama can be tuned"):
        setup.file_of("m.gguf")
