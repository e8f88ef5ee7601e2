"""What BotzoneBench's paper printed, and which of its figures contradict each other."""

from __future__ import annotations

import math
import re

import pytest
import scripts
from scripts import ROOT

from stratagym.benchmarks.botzone import findings, published
from stratagym.benchmarks.botzone.published import (
    CLAUDE,
    DEEPSEEK,
    GAMES,
    GEMINI,
    GPT,
    MODELS,
    QWEN_8B,
    QWEN_14B,
    QWEN_32B,
    QWEN_235B,
    RESULTS,
    SKILL,
)
from stratagym.benchmarks.reporting import marked

PAGE = ROOT / "docs" / "benchmarks" / "botzonebench.md"
PRINTED = {GEMINI: "Gemini3-Pro-Pre.", **{m: f"{m}-Instr." for m in MODELS if "Qwen" in m}}


@pytest.fixture
def paper(shared_data) -> list[str]:
    return (shared_data.parent / "papers" / "botzonebench.txt").read_text().splitlines()


def test_typed_tables_are_the_papers(paper):
    for model in MODELS:
        name = "Qwen3-7B-Instr." if model == QWEN_8B else PRINTED.get(model, model)
        (skill,) = (line for line in paper if line.startswith(f"{name} Lv"))
        found = re.findall(r"Lv(\d), (topped|[\d.]+)", skill)
        assert [(int(level), p if p == "topped" else float(p)) for level, p in found] == [
            *SKILL[model]
        ]
    tables = [k for k, line in enumerate(paper) if line.startswith("Models/Games")]
    for level, at in enumerate(tables):
        for line in paper[at + 1 : at + 9]:
            if not re.search(r"\d-\d+-\d+", line):
                break
            model = next(m for m in MODELS if line.startswith(PRINTED.get(m, m)))
            cells = line.removeprefix(PRINTED.get(model, model)).split()
            if level == 3:
                assert cells.pop(1) == cells[1]  # gomoku twice, and no reversi
                cells.insert(3, "N/A")
            for game, cell in zip(GAMES, cells, strict=True):
                typed = RESULTS[model][game].get(level)
                if typed is None:
                    assert cell in ("N/A", "Topped")
                else:
                    said = "-".join(map(str, typed[:3]))
                    assert cell in (f"{said}/{typed[3]}", said), (model, game, level)
    assert len(tables) == 6


def test_progress_of_table_2_that_does_not_follow():
    """Those that were found by hand, and no others."""
    wrong = {(cell.model, cell.game): cell for cell in findings.disagreeing()}
    by_hand = {
        (DEEPSEEK, "gomoku"): 31.2, (DEEPSEEK, "reversi"): 19.4, (QWEN_14B, "ataxx"): 81.2,
        (QWEN_14B, "reversi"): 19.4, (QWEN_32B, "gomoku"): 43.8, (QWEN_32B, "ataxx"): 56.2,
        (QWEN_14B, "chess"): 66.7, (QWEN_14B, "texas_holdem"): 40.0,
        (QWEN_8B, "dou_dizhu"): 73.0, (QWEN_8B, "mcr_mahjong"): 66.7,
        (CLAUDE, "mcr_mahjong"): 48.8,
    }  # fmt: skip
    assert by_hand.keys() <= wrong.keys()
    for key, progress in by_hand.items():
        assert wrong[key].computed == pytest.approx(progress, abs=0.06)
    boards = [c for c in findings.cells() if c.game in ("gomoku", "ataxx", "reversi")]
    assert len(boards) == 24 and sum(cell.agrees for cell in boards) == 18


def test_each_guess_gives_what_is_printed():
    for cell in findings.disagreeing():
        if ratio := re.match(r"(2 x )?(\d+)/(\d+):", cell.guess):
            twice, top, bottom = ratio.groups()
            value = 100 * int(top) / int(bottom) * (2 if twice else 1)
            assert value == pytest.approx(cell.printed, abs=0.051)


def test_other_contradictions():
    sums = findings.action_sums()
    assert {round(x) for x in sums.values()} == {115, 119, 111, 117, 113}
    assert findings.equal_rows() == [(DEEPSEEK, QWEN_235B)]
    few = {(model, game, level): result for model, game, level, result in findings.passed_on_few()}
    assert few[QWEN_14B, "mcr_mahjong", 0] == (1, 31, 0, 32)
    assert (GPT, "chess", 1) in few and (GEMINI, "gomoku", 1) not in few
    assert (GEMINI, "reversi", 3) in findings.unprinted()
    assert (DEEPSEEK, GEMINI) in findings.reversi_by_caption() or (
        GEMINI, DEEPSEEK,
    ) in findings.reversi_by_caption()  # fmt: skip
    games, won = findings.reversi_first_wins()
    assert games == 24 and 0 < won < games
    _, finished = findings.games_in_tables()
    assert finished < published.CLAIMED_GAMES


def test_the_page_has_the_findings():
    text = PAGE.read_text(encoding="utf-8")
    assert marked.part(text, "findings") == findings.markdown().strip()


def test_the_command_writes_them_between_the_marks(tmp_path):
    page = tmp_path / "page.md"
    begin, end = marked.marks("findings")
    page.write_text(f"above\n{begin}\nstale figures\n{end}\nbelow\n")
    done = scripts.run("botzone", "findings", "--page", page)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert "stale" not in text and text.startswith("above\n") and text.endswith("below\n")
    assert marked.part(text, "findings") == findings.markdown().strip()
    assert scripts.run("botzone", "findings").stdout == findings.markdown()
    page.write_text("no marks")
    scripts.assert_refused(
        scripts.run("botzone", "findings", "--page", page), ["--page", "findings: begin"]
    )


def test_no_half_of_a_percent_hides_a_difference():
    """A progress that is off by more than its last digit is found."""
    cell = next(c for c in findings.cells() if c.agrees and c.result and c.game == "gomoku")
    assert math.isclose(cell.computed, cell.printed, abs_tol=0.051)
    moved = findings.Cell(
        cell.model, cell.game, cell.level, cell.printed + 0.2, cell.result, cell.computed
    )
    assert not moved.agrees
