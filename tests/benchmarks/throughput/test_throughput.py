"""The throughput benchmark: what it reports and refuses, not how fast anything is."""

import ctypes
import importlib.util
import json
import math
import os
import shutil
from contextlib import ExitStack
from itertools import combinations
from random import Random

import numpy as np
import pytest
from made_up_peers import broken, dying, missing_java, missing_module, on_processors, steady
from ours import our_games
from scripts import ROOT

from stratagym import envs
from stratagym.benchmarks.harness import cli, measuring
from stratagym.benchmarks.harness.cli import run
from stratagym.benchmarks.harness.measuring import (
    Sample,
    best_batch,
    median_interval,
    short,
)
from stratagym.benchmarks.search import __main__ as search
from stratagym.benchmarks.throughput import __main__ as throughput
from stratagym.benchmarks.throughput import loops, mahjong, native, report, shapes
from stratagym.benchmarks.throughput.alone import Alone
from stratagym.benchmarks.throughput.entries import Entry, prepare
from stratagym.benchmarks.throughput.peers import PEERS, Peer
from stratagym.benchmarks.throughput.shapes import SHAPES
from stratagym.envs import core

QUICK = ["--games", "ludo", "--seconds", "0.001", "--repeats", "2"]


@pytest.fixture(autouse=True)
def short_trials(monkeypatch):
    monkeypatch.setattr(measuring, "TRIAL", 0.001)


@pytest.fixture
def fake_peers(monkeypatch):
    """One peer that is there, one that is not installed and one that fails."""
    peers = (
        Peer("Steady", "numpy", "ludo9", "ludo", "step", steady, notes=("counts to ten",)),
        Peer("Absent", "absent[all]", "ludo9", "ludo", "step", missing_module),
        Peer("Broken", "numpy", "ludo9", "ludo", "aec", broken, same_game=False),
    )
    monkeypatch.setattr(throughput, "PEERS", peers)


def run_quickly(*arguments):
    with pytest.raises(SystemExit) as stopped:
        run(throughput.APP, [*QUICK, *arguments])
    assert not stopped.value.code


def measured(capsys, *arguments):
    run_quickly("--json", *arguments)
    return json.loads(capsys.readouterr().out)


def test_every_shape_has_a_rate(capsys):
    result = measured(capsys, "--no-peers")
    assert result["schema"] == 1
    assert result["machine"]["cores"] >= 1
    assert result["record_bytes"] == {"ludo": envs.spec("ludo").module("rules").STATE.itemsize}
    every = [key for key, shape in SHAPES.items() if not shape.games]
    assert [entry["shape"] for entry in result["entries"]] == every
    for entry in result["entries"]:
        assert (entry["game"], entry["name"], entry["missing"]) == ("ludo", "stratagym", None)
        assert (entry["batch"] is not None) == entry["shape"].startswith("batch")
        assert (
            entry["rate"] == entry["per_second" if entry["clock"] == "wall" else "per_cpu_second"]
        )
        assert 0 < entry["rate"]["min"] <= entry["rate"]["median"] <= entry["rate"]["max"]


def test_shapes_can_be_picked(capsys):
    result = measured(capsys, "--no-peers", "--shape", "step,child", "--shape", "perft")
    assert [entry["shape"] for entry in result["entries"]] == ["step", "child"]
    assert set(result["empty_calls_ns"]) == {"direct", "looked_up"}


def test_peers_stand_below_ours(capsys, fake_peers):
    entries = measured(capsys)["entries"]
    names = [(entry["shape"], entry["name"]) for entry in entries]
    at = names.index(("step", "stratagym"))
    assert names[at + 1 : at + 3] == [("step", "Steady"), ("step", "Absent")]
    ours, steady, absent = entries[at : at + 3]
    assert ours["ours_over_peer"] is None
    assert steady["interval"] is None and steady["faster"] is None  # of two repeats
    assert steady["ours_over_peer"]["min"] > 0
    assert steady["same_game"] and steady["notes"] == ["counts to ten"]
    assert absent["rate"] is None
    assert absent["missing"] == "not installed (pip install absent[all])"
    broken = next(entry for entry in entries if entry["name"] == "Broken")
    assert broken["missing"] == "failed: no game named ludo9"
    assert not broken["same_game"]


def test_table_and_files(capsys, fake_peers, tmp_path):
    run_quickly("--output", str(tmp_path / "new" / "folder"))
    table = capsys.readouterr().out
    report = (tmp_path / "new" / "folder" / "throughput.md").read_text()
    for text in (table, report):
        words = " ".join(text.split())
        assert "per CPU-second, one thread" in words
        assert "pip install absent[all]" in words
        assert "Size of a state of stratagym in bytes: ludo " in words
        for shape in SHAPES.values():
            assert (shape.title.split(",")[0] in words) == (not shape.games)
    picture = (tmp_path / "new" / "folder" / "throughput.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert json.loads((tmp_path / "new" / "folder" / "throughput.json").read_text())["entries"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--games", "ludo", "nonesuch"], "unknown game 'nonesuch'; the games are: "),
        (["--games"], "the games are: "),
        (["--shape", "step,nonesuch"], "unknown 'nonesuch'; the shapes are: bulk, "),
        (["--shape"], "the shapes are: "),
        (["--seconds", "0"], "--seconds 0: a number above 0 is needed"),
        (["--seconds", "-1"], "--seconds -1: "),
        (["--seconds", "nan"], "--seconds nan: "),
        (["--seconds", "soon"], "--seconds"),
        (["--repeats", "0"], "--repeats 0: "),
        (["--output", __file__], "name a directory that can be written"),
        (["--output", f"{__file__}/below"], "name a directory that can be written"),
        (["--page", "no such page"], "--page no such page: "),
        (["--fast"], "--fast"),
    ],
)
def test_bad_arguments_are_one_line(capsys, arguments, said):
    with pytest.raises(SystemExit) as stopped:
        run(throughput.APP, arguments)
    captured = capsys.readouterr()
    assert stopped.value.code == 2
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert said in captured.err


@pytest.mark.parametrize(
    ("game", "shape", "counted"), [("chess", "perft", 4_865_609), ("texas_holdem", "hands", 20_000)]
)
def test_shapes_of_single_games(game, shape, counted):
    """The fifth ply of chess has 4,865,609 leaves."""
    assert SHAPES[shape].games == (game,)
    assert SHAPES[shape].make(game)() == counted


@pytest.mark.parametrize("game", [*filter(SHAPES["resolve"].has, our_games())])
def test_pairs_of_plans_are_fought_out(game):
    assert SHAPES["resolve"].make(game)() == 1000


def test_perft_by_python_calls():
    assert SHAPES["perft_calls"].make("chess")() == 8_902
    pytest.importorskip("chess", reason="pip install chess")
    assert loops.python_chess_perft("")() == 8_902


@pytest.mark.parametrize("kind", ["clone", "child"])
def test_copies_and_children_are_made_of_positions_of_random_games(monkeypatch, kind):
    """As many copies as positions, as many children as these have legal actions; both sides."""
    monkeypatch.setattr(loops, "POSITIONS", 3)
    makers = {"tictactoe": SHAPES["copy" if kind == "clone" else "child"].make}
    if importlib.util.find_spec("pyspiel"):
        makers["tic_tac_toe"] = (
            loops.openspiel_copies if kind == "clone" else loops.openspiel_children
        )
    for game, make in makers.items():
        position = (
            shapes._position(game) if game in envs.games() else loops.openspiel_position(game)
        )
        random = Random(1).random
        met = [position(random) for _ in range(3)]
        legal = sum(len(state.legal_actions()) for state in met)
        assert all(state.current_player() >= 0 for state in met)
        assert make(game)() == (48 if kind == "clone" else legal)
    if kind == "clone" and importlib.util.find_spec("chess"):
        assert loops.python_chess_copies("Board")() == 48


@pytest.mark.parametrize("name", ["tictactoe_v3", "tictactoe_v3, raw_env"])
def test_pettingzoo_with_and_without_its_wrappers(name, monkeypatch):
    pytest.importorskip("pettingzoo.classic.tictactoe_v3", reason="pip install pettingzoo[classic]")
    made = []
    monkeypatch.setattr(loops, "aec_loop", made.append)
    loops.pettingzoo_classic(name)
    assert (type(made[0]) is type(made[0].unwrapped)) == name.endswith("raw_env")


def test_hands_are_counted_the_same_by_python_calls():
    """What both sides are asked is the same, and ours answers as in the compiled loop."""
    points = np.zeros(mahjong.HANDS, np.int64)
    mahjong.fans.points_each(
        *mahjong.mahjong_hands.arrays(mahjong.winning_hands(mahjong.HANDS)), points
    )
    assert SHAPES["fan_calls"].make("mcr_mahjong")() == mahjong.CALLED_HANDS
    for arguments, expected in zip(mahjong.called_hands(), points, strict=False):
        assert mahjong.fans.fan_count(*arguments[0], **arguments[1]).points == expected


# --- pages ---------------------------------------------------------------------------------------


def test_the_page_is_made_anew_between_its_marks(fake_peers, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(f"# Speed\n{report.BEGIN}\nof before\n{report.END}\nbelow\n")
    for _ in range(2):
        run_quickly("--page", str(page))
        text = page.read_text()
        assert text.startswith(f"# Speed\n{report.BEGIN}\n") and text.endswith("\nbelow\n")
        assert "of before" not in text and text.count("**ludo: bulk loop, no observation**") == 1
    assert "not measured: ludo: Python step, no observation: Absent" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", report.BEGIN, report.END + report.BEGIN, 2 * report.BEGIN])
def test_a_page_without_marks_is_refused(text, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(SystemExit) as stopped:
        run(throughput.APP, [*QUICK, "--page", str(page)])
    assert stopped.value.code == 2
    assert "it needs the lines" in capsys.readouterr().err
    assert page.read_text() == text


@pytest.mark.parametrize("mark", [report.MARK, search.NAME])
def test_the_documented_page_has_the_marks(mark):
    cli.put_into(ROOT / "docs" / "performance.md", mark)


def test_documented_shapes_are_those_that_exist():
    page = ROOT / "docs" / "benchmarks" / "throughput.md"
    table = page.read_text(encoding="utf-8").partition("| Shape |")[2].partition("\n\n")[0]
    listed = [row.split("|")[1].strip() for row in table.splitlines()[2:]]
    assert listed == [shape.title for shape in SHAPES.values()]


# --- who is faster -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(6, 26))
def test_interval_covers_the_median_as_said(n):
    """By counting on which side of the median values fall; one value less would be too few."""
    low, high = median_interval(range(n))
    cut = int(low)
    assert high == n - 1 - cut
    missed = [2 * sum(math.comb(n, k) for k in range(c + 1)) / 2**n for c in (cut, cut + 1)]
    assert missed[0] <= 0.05 < missed[1]


def test_few_repeats_have_no_interval():
    assert median_interval([1.0] * 5) is None
    assert median_interval([3, 1, 2, 6, 5, 4]) == (1, 6)


def compared(ratios, same_game=True):
    entry = Entry(Peer("Peer", "numpy", "it", "ludo", "step", steady, same_game))
    entry.ratios, entry.samples = ratios, [Sample(10, 1, 2)] * len(ratios)
    return entry


@pytest.mark.parametrize(
    ("ratios", "faster"),
    [([2.0] * 6, "stratagym"), ([0.5] * 6, "Peer"), ([0.9, 1.1] * 3, "neither"), ([2.0] * 5, "")],
)
def test_who_is_faster(ratios, faster):
    assert compared(ratios).faster == faster
    assert compared(ratios, same_game=False).faster == ""


def test_losses_are_told():
    method = report.Method({"cpu": "C", "cores": 1, "python": "3", "numba": "0", "numpy": "0",
                            "date": "today"}, 1, 6, {"direct": 25.4, "looked_up": 90})  # fmt: skip
    text = report.body([compared([2.0] * 6), compared([0.5] * 6)], method)
    assert "stratagym is faster in 1, the peer in 1, and neither in 0" in text
    assert "| **Peer** |" in text and "| stratagym |" in text
    assert "0.500x [0.500, 0.500]" in text
    assert "takes 25 ns through core.direct and 90 ns without it" in text


# --- peers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 65])
def test_random_actions_are_legal_and_all_are_drawn(size):
    masks = np.zeros((2000, size), np.int8)
    masks[:, [1, 2, size - 1]] = 1
    actions = np.full(2000, -1)
    generators = core.new_states(envs.spec("ludo").make_rules())
    measuring.choose_random(masks, generators, actions)
    drawn, times = np.unique(actions, return_counts=True)
    assert drawn.tolist() == [1, 2, size - 1]
    assert times.min() > 500  # 667 expected; less than this has a chance of 1e-15


@pytest.mark.parametrize(("clock", "best"), [("cpu", 16), ("wall", 32)])
def test_the_best_batch_is_taken(clock, best, monkeypatch):
    """By the clock that is asked for. The seconds are given here, so that no load decides."""
    decisions = {8: 1.0, 16: 5.0, 32: 2.0}
    taken = {1.0: (1.0, 1.0), 5.0: (2.0, 4.0), 2.0: (1.0, 0.5)}

    def sample(episode, seconds):
        assert seconds == measuring.TRIAL
        return measuring.Sample(episode(), *taken[episode()])

    monkeypatch.setattr(measuring, "sample", sample)
    found = best_batch(lambda size: lambda: decisions[size], decisions, clock)
    assert (found.batch, found()) == (best, decisions[best])


def test_a_peer_of_its_own_process_is_held_to_one_processor():
    before = os.sched_getaffinity(0)
    peer = Alone(on_processors, "ludo", one_core=True)
    sample = peer.sample(0.01)
    peer.close()
    assert peer.batch == 1
    assert sample.cpu > 0 and sample.wall >= 0.01
    free = Alone(on_processors, "ludo", one_core=False)
    free.close()
    assert free.batch == len(before)
    assert os.sched_getaffinity(0) == before  # ours is untouched


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (missing_module, ModuleNotFoundError, "no_such_peer"),
        (missing_java, ImportError, "Java is needed"),
        (broken, RuntimeError, "named ludo"),
        (dying, RuntimeError, "its process ended with code 5"),
    ],
)
def test_a_process_of_its_own_that_fails_says_how(make, error, said):
    with pytest.raises(error, match=said):
        Alone(make, "ludo", one_core=True)


needs_compiler = pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler, cc")


@needs_compiler
def test_a_library_is_built_of_sources_and_driver(tmp_path):
    """On a library in phevaluator's place, whose value is the sum of places times cards."""
    (tmp_path / "deep" / "include" / "phevaluator").mkdir(parents=True)
    header = tmp_path / "deep" / "include" / "phevaluator" / "phevaluator.h"
    header.write_text("int evaluate_7cards(int a, int b, int c, int d, int e, int f, int g);\n")
    (tmp_path / "deep" / "one.c").write_text(
        "int evaluate_7cards(int a, int b, int c, int d, int e, int f, int g) {\n"
        "  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g; }\n"
    )
    library = native.Library("phevaluator.c", "", "", ("one.c",), ("phevaluator.h",))
    native.build(library, tmp_path, tmp_path / "it.so")
    hands = native.random_hands(50)
    evaluate = ctypes.CDLL(str(tmp_path / "it.so")).evaluate_hands
    values = native._Hands(hands, evaluate).values()
    assert (values == hands @ np.arange(1, 8)).all()
    (tmp_path / "deep" / "one.c").write_text("no C\n")
    with pytest.raises(RuntimeError, match=r"phevaluator.c could not be built: "):
        native.build(library, tmp_path, tmp_path / "it.so")
    lacking = native.Library("phevaluator.c", "", "", ("two.c",))
    with pytest.raises(RuntimeError, match=r"its sources hold no two.c"):
        native.build(lacking, tmp_path, tmp_path / "it.so")


@needs_compiler
def test_eval7_in_c_orders_hands_as_ours_does(tmp_path, monkeypatch):
    pytest.importorskip("eval7", reason="pip install eval7")
    from stratagym.envs.texas_holdem.evaluator import evaluate_each

    monkeypatch.setattr(native, "private_folder", lambda: tmp_path)
    hands = native.random_hands(60)
    ours = np.zeros(len(hands), np.int64)
    evaluate_each(hands, 1, ours)
    theirs = native.eval7_values(hands)
    for i, j in combinations(range(len(hands)), 2):
        assert np.sign(ours[i] - ours[j]) == np.sign(theirs[i] - theirs[j])
    assert native.eval7_hands("C")() == native.HANDS
    assert [file.name for file in tmp_path.iterdir()] == [next(tmp_path.glob("eval7-*.so")).name]


def test_libraries_are_kept_where_nobody_else_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(native, "user_cache_path", lambda name: tmp_path / name)
    folder = native.private_folder()
    assert folder == tmp_path / "stratagym" / "peers"
    assert folder.stat().st_mode & 0o077 == 0
    folder.chmod(0o777)
    other = native.private_folder()
    assert other != folder and other.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["tic_tac_toe", "maedn(players=4)", *loops.LONG_NAMES])
def test_openspiel_is_called_as_it_means_to_be(name):
    """Its chance nodes are even where that is taken for granted; its observer tells as much as
    ``observation_tensor``, which is slower."""
    pytest.importorskip("pyspiel", reason="pip install open_spiel")
    from open_spiel.python.observation import make_observation

    game, random = loops.openspiel_game(name), np.random.default_rng(1)
    seen = make_observation(game)
    for _ in range(5):
        state = game.new_initial_state()
        while (player := state.current_player()) != loops.TERMINAL:
            assert (player == loops.CHANCE) == state.is_chance_node()
            legal = state.legal_actions()
            if player == loops.CHANCE:
                if name.startswith(loops.EVEN_CHANCE):
                    outcomes, shares = zip(*state.chance_outcomes(), strict=True)
                    assert list(outcomes) == legal and max(shares) - min(shares) < 1e-9
            else:
                seen.set_from(state, player)
                assert seen.tensor.tolist() == state.observation_tensor(player)
            state.apply_action(int(random.choice(legal)))
    assert loops.openspiel_states(name)() > 0
    assert loops.openspiel_observations(name)() > 0


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: f"{peer.name} {peer.game} {peer.shape}")
def test_every_peer_is_measured_somewhere(peer):
    assert peer.ours in envs.games()
    assert peer.shape in SHAPES


@pytest.mark.slow
@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: f"{peer.name} {peer.game} {peer.shape}")
def test_every_peer_that_is_installed_plays(peer, monkeypatch):
    """But libraries in C and C++, whose sources are fetched from the package index."""
    if peer.alone or peer.version:
        pytest.skip("it runs in a process of its own, or its sources are fetched")
    monkeypatch.setattr(loops, "_mean_length", lambda episode: 50.0)
    entry = Entry(peer)
    with ExitStack() as until:
        take = prepare(entry, until)
        if "not installed" in entry.missing:
            pytest.skip(entry.missing)
        assert take and take(0.001).decisions > 0, entry.missing


@pytest.mark.parametrize(
    ("value", "text"),
    [(12_345_678, "12.3M"), (999_999, "1.00M"), (677_433, "677k"), (1000, "1.00k"), (2.8, "2.80")],
)
def test_short_numbers(value, text):
    assert short(value) == text
