"""The throughput benchmark: what it reports and refuses, not how fast anything is."""

import json

import pytest

from stratagym import envs
from stratagym.benchmarks import throughput
from stratagym.benchmarks.harness.cli import run
from stratagym.benchmarks.speed.measuring import short
from stratagym.benchmarks.speed.peers import PEERS, Peer
from stratagym.benchmarks.speed.shapes import SHAPES

QUICK = ["--games", "ludo", "--seconds", "0.001", "--repeats", "2"]


def missing_module(game):
    import no_such_peer  # noqa: F401


def broken(game):
    raise RuntimeError(f"no game\nnamed {game}")


def steady(game):
    return lambda: 10


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
    every = [key for key, shape in SHAPES.items() if not shape.games]
    assert [entry["shape"] for entry in result["entries"]] == every
    for entry in result["entries"]:
        assert (entry["game"], entry["name"], entry["missing"]) == ("ludo", "stratagym", None)
        assert 0 < entry["rate"]["min"] <= entry["rate"]["median"] <= entry["rate"]["max"]


def test_peers_stand_below_ours(capsys, fake_peers):
    entries = measured(capsys)["entries"]
    names = [(entry["shape"], entry["name"]) for entry in entries]
    at = names.index(("step", "stratagym"))
    assert names[at + 1 : at + 3] == [("step", "Steady"), ("step", "Absent")]
    ours, steady, absent = entries[at : at + 3]
    assert ours["ours_over_peer"] is None
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
        (["--seconds", "0"], "--seconds 0: a number above 0 is needed"),
        (["--seconds", "-1"], "--seconds -1: "),
        (["--seconds", "nan"], "--seconds nan: "),
        (["--seconds", "soon"], "--seconds"),
        (["--repeats", "0"], "--repeats 0: "),
        (["--output", __file__], "name a directory that can be written"),
        (["--output", f"{__file__}/below"], "name a directory that can be written"),
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
    """The fifth ply of chess has 4,865,609 leaves; and one peer each where it is installed."""
    assert SHAPES[shape].games == (game,)
    assert SHAPES[shape].make(game)() == counted
    for peer in PEERS:
        if peer.shape == shape:
            pytest.importorskip(peer.package, reason=f"pip install {peer.package}")
            assert peer.make(peer.game)() == (197_281 if shape == "perft" else 5000)


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: f"{peer.name} {peer.game} {peer.shape}")
def test_every_peer_is_measured_somewhere(peer):
    assert peer.ours in envs.games()
    assert peer.shape in SHAPES


@pytest.mark.parametrize(
    ("value", "text"),
    [(12_345_678, "12.3M"), (999_999, "1.00M"), (677_433, "677k"), (1000, "1.00k"), (2.8, "2.80")],
)
def test_short_numbers(value, text):
    assert short(value) == text
