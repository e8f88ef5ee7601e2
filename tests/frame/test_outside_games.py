"""Games of other packages, built from ``tests/outside``: Nim, pips of four seats, sealed Blotto."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import outside_package
import pytest
from openai_server import OpenAIServer, answer
from ours import our_games
from outside_package import SOURCE, install, left_out_of_contract, python, script
from scripts import ROOT, lines

from stratagym.envs import games
from stratagym.testing import CHECKS

PACKAGE = "stratagym_nim"


@pytest.fixture(scope="module")
def site(once) -> Path:
    """A folder with the package installed in it, by pip and from nothing but its source."""

    return once("outside", install) / "site"


# --- a package that plays ------------------------------------------------------------------------


def test_it_is_found_and_not_imported(site):
    code = "import sys; from stratagym import envs; print(envs.games(), 'nim' in str(sys.modules))"
    said, error = python("-c", code, path=site)
    assert said.strip() == f"{sorted([*our_games(), 'blotto', 'nim', 'pips'])} False"
    assert error == ""


def test_it_keeps_the_contract(site):
    left_out = left_out_of_contract("nim", site)
    assert left_out <= {"golden_playthrough", "pettingzoo_render", "ptx"}
    assert left_out < set(CHECKS)


def test_a_second_process_compiles_nothing_of_it(site):
    for _ in range(2):
        said, error = python("-m", "stratagym.benchmarks.compile.first_use", "nim", path=site)
        assert "for this process only" not in error
    assert set(json.loads(said)["functions"].values()) == {0}


WRAPPERS = """
import gymnasium, json, pettingzoo, pickle, sys
import numpy as np
from stratagym import envs
from stratagym.envs.text import TextGame
from stratagym.wrappers.dialogue import Dialogue
from stratagym.wrappers.tensor import TensorObservation

# Gymnasium knows it before anybody has asked for its version.
assert gymnasium.make("stratagym/Nim", opponent="random").get_wrapper_attr("game").name == "nim"
assert "stratagym/Nim-v0" in gymnasium.registry and "stratagym/Nim" not in gymnasium.registry
nim = envs.spec("nim")
assert pickle.loads(pickle.dumps(nim)) is nim

env = envs.make("nim", last="loses", render_mode="rgb_array")
env.reset(seed=1)
env.step(8)
assert env.last()[0]["observation"].tolist() == [3, 0, 5] and env.render().shape == (180, 300, 3)
assert TensorObservation(envs.make("nim")).observation_space("player_0").shape
if hasattr(pettingzoo, "make"):
    assert pettingzoo.make("aec", "stratagym/nim-v0").unwrapped.spec is nim

batch = envs.make_batch("nim", 64, seed=1)
for _ in range(20):
    batch.step(batch.action_masks.argmax(axis=1))
assert batch.episodes.min() > 0

learner = gymnasium.make("stratagym/Nim-v0", opponent="perfect", seat=1)
_, info = learner.reset(seed=1)
over = False
while not over:
    action = learner.action_space.sample(mask=info["action_mask"])
    _, reward, over, _, info = learner.step(action)
assert reward == -1

vector = gymnasium.make_vec("stratagym/Nim-v0", num_envs=3, opponent="gt:2")
observation, info = vector.reset(seed=1)
assert observation.shape == (3, 3)

game = TextGame("nim")
game.reset(seed=1)
assert "Nim" in json.dumps(game.observe().messages)
assert game.submit("Move: 1:2").action == 1 and game.submit("Move: 1:2").reason == "too_many"

dialogue = Dialogue("nim", "heuristic", seed=1, seat=0)
while not dialogue.over:
    legal = dialogue.game.observe().legal
    dialogue.answer("Move: " + nim.module("view").action_to_string(None, None, legal[-1]))
assert dialogue.scores()["win"] + dialogue.scores()["loss"] == 1
print(int(dialogue.scores()["illegal"]))
"""


def test_it_plays_in_every_wrapper(site):
    assert python("-c", WRAPPERS, path=site)[0] == "0\n"


@pytest.fixture(scope="module")
def tournament(site, once) -> Path:
    """The run of a tournament, with worker processes, searches and a language model in it."""
    policies = "heuristic,mcts:20,alphabeta:3,perfect,bouton:2,llm:model"

    def play(folder: Path) -> None:
        with OpenAIServer(lambda body, nth: answer("I take one.\nMove: 3:1")) as server:
            script(
                "tournament", "--game", "nim", "--policies", policies, "--games", 2,
                "--workers", 2, "--output", folder / "tournament", "--base-url", server.base_url,
                path=site,
            )  # fmt: skip

    return once("outside-tournament", play) / "tournament"


def test_it_plays_a_tournament(tournament):
    played = lines(tournament / "games.jsonl")
    assert len(played) == 15 * 2
    assert {record["game"] for record in played} == {"nim"}
    assert {record["ended_by"] for record in played} <= {"terminal", "forfeit"}
    assert "Nim" in (tournament / "report.html").read_text()
    asked = lines(tournament / "decisions.jsonl")
    assert {record["prompt_version"] for record in asked} >= {"nim-1"}


def test_its_games_are_shown_and_exported(tournament, site, tmp_path):
    shown = script("replay", tournament, "--match", "1", "--all", path=site)
    assert "heap 1:" in shown and "the outcome is the recorded one" in shown
    script("replay", tournament, "--match", "1", "--html", tmp_path / "game.html", path=site)
    assert "Nim" in (tmp_path / "game.html").read_text()
    for rows in ("games", "decisions"):
        output = tmp_path / f"{rows}.csv"
        script("export", tournament, "--format", "table", "--rows", rows, "--output", output,
               path=site)  # fmt: skip
        assert ",nim," in output.read_text().splitlines()[1]
    output = tmp_path / "chat.jsonl"
    script("export", tournament, "--format", "chat", "--output", output, path=site)
    assert "Nim" in json.dumps(lines(output))


def test_it_plays_a_duel(site, tmp_path):
    said = script("duel", "--game", "nim", "--policies", "heuristic,rule:careful", "--games", 20,
                  "--output", tmp_path / "duel", "--json", path=site)  # fmt: skip
    assert json.loads(said)["config"]["game"] == "nim"
    assert "Nim" in (tmp_path / "duel" / "report.html").read_text()


def test_its_ladder_is_climbed(site, tmp_path):
    said = script("anchored_levels", "--game", "nim", "--policies", "random,perfect", "--games", 8,
                  "--output", tmp_path / "levels", "--json", path=site)  # fmt: skip
    assert '"perfect"' in said
    assert "zeroed" in (tmp_path / "levels" / "summary.json").read_text()
    assert "Nim" in (tmp_path / "levels" / "report.html").read_text()


def test_its_ladder_was_calibrated_as_it_stands(site):
    said = script("anchored_levels", "calibrate", "--game", "nim", "--check", 8, path=site)
    assert "the games are the same" in said


def test_a_person_plays_it(site):
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.play", "nim", "--opponent", "heuristic", "--seed", "1"],
        cwd=ROOT, input="9:9\n3:2\nq\n", capture_output=True, text=True, timeout=300, check=True,
        env={**os.environ, "PYTHONPATH": str(site)},
    )  # fmt: skip
    assert "no_such_move" in done.stdout
    assert "Player 0 took 2 from heap 3. (you)" in done.stdout


def test_its_speed_is_measured(site):
    said = script("throughput", "--games", "nim", "--seconds", 0.01, "--repeats", 1, "--no-peers",
                  "--json", path=site)  # fmt: skip
    assert {entry["game"] for entry in json.loads(said)["entries"]} == {"nim"}


def test_it_is_trained_on(site, tmp_path):
    pytest.importorskip("sb3_contrib")
    script("train_ppo", "--game", "nim", "--steps", 2000, "--evaluations", 1, "--eval-games", 10,
           "--final-games", 10, "--output", tmp_path / "run", path=site)  # fmt: skip
    assert (tmp_path / "run" / "agent.zip").exists()


# --- a game of four seats ------------------------------------------------------------------------


def test_a_game_of_four_keeps_the_contract(site):
    left_out = left_out_of_contract("pips", site)
    assert left_out <= {"golden_playthrough", "pettingzoo_render", "ptx"}


def test_four_sit_at_a_table_with_a_player_that_only_their_game_has(site, tmp_path):
    run = tmp_path / "table"
    script("table", "--game", "pips", "--policies", "random,heuristic,steady:4", "--games", 4,
           "--seating", "mixed,one", "--workers", 1, "--output", run, path=site)  # fmt: skip
    games = lines(run / "games.jsonl")
    assert len(games) == 4 + 6 * 4 and {len(game["seats"]) for game in games} == {4}
    assert {name for game in games for name in game["seats"]} == {
        "random", "heuristic", "steady:4",
    }  # fmt: skip
    assert "steady:4" in (run / "report.md").read_text()
    shown = script("replay", run, "--match", "1", "--all", path=site)
    assert "the outcome is the recorded one" in shown


def test_four_climb_a_ladder_that_is_frozen(site, tmp_path):
    checked = script("anchored_levels", "calibrate", "--game", "pips", "--check", 4, path=site)
    assert "the games are the same" in checked
    said = script("anchored_levels", "--game", "pips", "--policies", "steady:0", "--games", 8,
                  "--workers", 1, "--output", tmp_path / "levels", "--json", path=site)  # fmt: skip
    assert '"steady:0"' in said
    seats = [game["seats"] for game in lines(tmp_path / "levels" / "games.jsonl")]
    assert all(row.count("steady:0") == 1 for row in seats)


# --- a game of sealed plans ----------------------------------------------------------------------


def test_a_game_of_sealed_plans_keeps_the_contract(site):
    left_out = left_out_of_contract("blotto", site)
    assert left_out <= {
        "golden_playthrough",
        "pettingzoo_render",
        "pictures_for_a_seat_show_nothing_hidden",
        "ptx",
    }


def test_players_of_plans_and_a_model_plan_in_it(site, tmp_path):
    run = tmp_path / "tournament"

    def reply(body: dict, nth: int) -> dict:
        said = "\n".join(message["content"] for message in body["messages"])
        if '{"guards": [{"name": "<place>"}]}' in said:
            return answer('So I hold both:\n{"guards": [{"name": "Ford"}, {"name": "bridge"}]}')
        if '{"raiders": [{"name": "<place>"}]}' not in said:
            return answer("yes")  # asked whether it is there at all
        second = "bridge" if "moat" in said else "moat"  # told that there is none, it plans anew
        return answer(json.dumps({"raiders": [{"name": "ford"}, {"name": second}]}))

    policies = "random,plan:fill,plan:crossing,plan:mixture,plan:reply?evals=60,llm:model"
    with OpenAIServer(reply) as server:
        script("tournament", "--game", "blotto", "--policies", policies, "--games", 2,
               "--rules", "rounds=2,updates=both", "--workers", 2, "--output", run,
               "--base-url", server.base_url, path=site)  # fmt: skip
    played = lines(run / "games.jsonl")
    assert len(played) == 15 * 2 and {game["game"] for game in played} == {"blotto"}
    answers = lines(run / "decisions.jsonl")
    assert {one["prompt_version"] for one in answers} == {"blotto-1"}
    assert {"ok", "illegal"} <= {one["kind"] for one in answers}
    assert {one["reason"] for one in answers if one["kind"] == "illegal"} == {"unknown_unit"}
    shown = script("replay", run, "--match", "1", "--all", path=site)
    assert "Round 2 of 2: won by the" in shown and "the outcome is the recorded one" in shown
    script("replay", run, "--match", "1", "--html", tmp_path / "game.html", path=site)
    assert "Raiders" in (tmp_path / "game.html").read_text()
    script("export", run, "--format", "table", "--rows", "games", "--output",
           tmp_path / "games.csv", path=site)  # fmt: skip
    assert ",blotto," in (tmp_path / "games.csv").read_text().splitlines()[1]


def test_players_of_plans_sit_at_a_table(site, tmp_path):
    run = tmp_path / "table"
    script("table", "--game", "blotto", "--policies", "random,plan:level?k=4", "--games", 4,
           "--seating", "mixed,one", "--workers", 1, "--output", run, path=site)  # fmt: skip
    assert len(lines(run / "games.jsonl")) == 4 + 4
    assert "Raiders" in (run / "report.md").read_text()


def test_its_ladder_stands_on_its_own_frozen_plans(site, tmp_path):
    checked = script("anchored_levels", "calibrate", "--game", "blotto", "--check", 8, path=site)
    assert "the games are the same" in checked
    said = script("anchored_levels", "--game", "blotto", "--policies", "plan:wall", "--games", 8,
                  "--workers", 1, "--output", tmp_path / "levels", "--json", path=site)  # fmt: skip
    assert '"plan:wall"' in said
    opponents = {
        name for game in lines(tmp_path / "levels" / "games.jsonl") for name in game["seats"]
    }
    assert {"random", "plan:level?k=1"} <= opponents


@pytest.mark.slow
def test_its_plans_are_made_by_one_command(site, tmp_path):
    own = tmp_path / "site"
    shutil.copytree(site, own)
    frozen = own / "stratagym_blotto" / "data" / "plans" / "blotto-v1.json"
    before = json.loads(frozen.read_text())
    frozen.unlink()
    played = ("-m", "benchmarks.tournament", "--game", "blotto", "--workers", 1, "--games", 4,
              "--policies", "random,plan:level?k=4", "--output", tmp_path / "run")  # fmt: skip
    error = python(*played, path=own, code=2)[1]
    assert "blotto has no frozen plans; run: python -m stratagym.agents.plan_pools blotto" in error
    said, _ = python("-m", "stratagym.agents.plan_pools", "blotto", path=own)
    assert str(frozen) in said
    after = json.loads(frozen.read_text())
    # The mixture's weights are floats of a long sum; plans are found by counting wins.
    assert after["levels"] == before["levels"] and after["constants"] == before["constants"]
    python(*played, path=own)


def test_the_speed_of_its_plans_is_measured(site):
    said = script("throughput", "--games", "blotto", "--seconds", 0.01, "--repeats", 1,
                  "--no-peers", "--json", path=site)  # fmt: skip
    entries = json.loads(said)["entries"]
    assert {entry["game"] for entry in entries} == {"blotto"}
    assert "resolve" in {entry["shape"] for entry in entries}


def test_the_benchmark_of_three_games_names_them(site, tmp_path):
    error = python("-m", "benchmarks.advgame", "--game", "blotto", "--output", tmp_path / "run",
                   path=site, code=2)[1]  # fmt: skip
    assert "tower_defence, battle_card, elemental_duel" in error


# --- a package that goes away --------------------------------------------------------------------

PLAY = """
import sys
import numpy as np
from stratagym import envs
from stratagym.envs import core
for game in sys.argv[1:]:
    rules = envs.spec(game).make_rules()
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(1), probs)
    core.play_at(rules, states, 0, 0, legal, probs)
print(envs.games())
"""


def test_a_package_that_goes_away_leaves_the_cache_as_it_was(site, tmp_path):
    own = tmp_path / "site"
    shutil.copytree(site, own)
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    kernels = tmp_path / "cache" / "stratagym" / "kernels"
    python("-c", PLAY, "tictactoe", path=own, **cache)

    def ours() -> dict[Path, tuple[bytes, float]]:
        files = [path for path in (kernels / "stratagym").rglob("*") if path.is_file()]
        return {path: (path.read_bytes(), path.stat().st_mtime) for path in files}

    before = ours()
    assert before
    assert "compiling" in python("-c", PLAY, "nim", path=own, **cache)[1]
    assert [path for path in (kernels / PACKAGE).rglob("*") if path.is_file()]
    assert "compiling" not in python("-c", PLAY, "tictactoe", "nim", path=own, **cache)[1]
    shutil.rmtree(own / PACKAGE)
    said, error = python("-c", PLAY, "tictactoe", path=own, **cache)
    assert error == ""
    shutil.rmtree(own)
    said, error = python("-c", PLAY, "tictactoe", path=own, **cache)
    assert error == ""
    assert "nim" not in said
    now = ours()
    assert {path: now.get(path) for path in before} == before


# --- packages that do not work -------------------------------------------------------------------


distribution = partial(outside_package.distribution, group="stratagym.games", prefix="bad_")


ASK = """
import json, sys, warnings
from stratagym import envs
caught = []
warnings.showwarning = lambda message, *rest: caught.append(str(message))
listed = envs.games()
asked = {}
for name in sys.argv[1:]:
    try:
        envs.spec(name)
    except ValueError as error:
        asked[name] = str(error)
usable = [game.name for game in envs.specs()]
print(json.dumps([listed, asked, usable, caught]))
"""


def test_packages_that_do_not_work_harm_nobody(site, tmp_path):
    spec = "from stratagym.envs import spec\nimport dataclasses\n"
    distribution(tmp_path, "raises", {"crash": "bad_raises"}, "1 / 0")
    distribution(tmp_path, "ends", {"ends": "bad_ends"}, "import sys\nsys.exit(0)")
    distribution(tmp_path, "long", {"long": "bad_long"}, "raise OSError('x ' * 10_000)")
    distribution(tmp_path, "absent", {"absent": "bad_nowhere"})
    distribution(tmp_path, "empty", {"empty": "bad_empty"})
    distribution(tmp_path, "renamed", {"renamed": "bad_renamed"}, spec + "SPEC = spec('tictactoe')")
    distribution(tmp_path, "ours", {"ludo": "bad_ours"}, "1 / 0")
    distribution(tmp_path, "one", {"twin": "bad_one"})
    distribution(tmp_path, "other", {"twin": "bad_other"})
    distribution(tmp_path, "shouts", {"No-Name": "bad_shouts"})
    path = Path(f"{site}{os.pathsep}{tmp_path}")
    wanted = (
        "crash",
        "ends",
        "long",
        "absent",
        "empty",
        "renamed",
        "twin",
        "No-Name",
        "ludo",
        "nim",
        "mahjong",
    )
    said, error = python("-c", ASK, *wanted, "mahjong", path=path)
    listed, asked, usable, caught = json.loads(said)
    found = ["crash", "ends", "long", "absent", "empty", "renamed"]
    assert listed == sorted([*our_games(), "blotto", "nim", "pips", *found])
    assert usable == sorted([*our_games(), "blotto", "nim", "pips"])
    assert set(asked) == {*wanted, "mahjong"} - {"ludo", "nim"}
    for game, words in {
        "crash": ["'crash' of raises 1.0", "bad_raises", "ZeroDivisionError"],
        "ends": ["'ends' of ends 1.0", "importing bad_ends failed with SystemExit: 0"],
        "long": ["'long' of long 1.0", "OSError", "..."],
        "absent": ["'absent' of absent 1.0", "No module named 'bad_nowhere'"],
        "empty": ["'empty' of empty 1.0", "bad_empty has no SPEC"],
        "renamed": ["'renamed' of renamed 1.0", "name='tictactoe'", "package=__name__"],
        "twin": ["'twin'", "one 1.0 and other 1.0"],
        "No-Name": ["'No-Name' of shouts 1.0", "small letters"],
        "mahjong": ["unknown game 'mahjong'", "nim"],
    }.items():
        assert "\n" not in asked[game] and len(asked[game]) < 700
        assert all(word in asked[game] for word in words), asked[game]
    # Those that can be told by their names alone are told at the start, once each.
    assert error.count("RuntimeWarning") == 3
    assert "'ludo' of ours 1.0 is left out" in error
    # The others when somebody goes through all games.
    assert len(caught) == 6
    assert all("left out" in line for line in caught)
    for game, words in (("crash", "'crash' of raises 1.0"), ("ends", "SystemExit: 0")):
        refused = python("-m", "benchmarks.tournament", "--game", game, path=path, code=2)[1]
        assert words in refused.splitlines()[-1]


@pytest.mark.parametrize("part", ["rules", "view", "agents"])
def test_a_part_that_ends_the_process_is_one_line(site, tmp_path, part):
    own = shutil.copytree(site, tmp_path / "site")
    (own / PACKAGE / f"{part}.py").write_text("raise SystemExit(0)\n")
    duel = ("-m", "benchmarks.duel", "--game", "nim", "--policies", "random,heuristic", "--games",
            "2", "--output", tmp_path / "run")  # fmt: skip
    *_, line = python(*duel, path=own, code=2)[1].splitlines()
    assert f"importing {PACKAGE}.{part} failed with SystemExit: 0" in line


# --- games that are registered at run time -------------------------------------------------------

REGISTER = """
import pickle, sys
import gymnasium
import stratagym_nim
from stratagym import envs
assert "nim" not in envs.games()
envs.register(stratagym_nim.SPEC)
envs.register(stratagym_nim.SPEC)
assert "nim" in envs.games() and envs.spec("nim") is stratagym_nim.SPEC
assert "stratagym/Nim-v0" in gymnasium.registry
env = envs.make("nim")
env.reset(seed=1)
env.step(0)
with open(sys.argv[1], "wb") as file:
    pickle.dump(env, file)
"""

UNPICKLE = """
import pickle, sys
from stratagym import envs
with open(sys.argv[1], "rb") as file:
    env = pickle.load(file)
env.step(0)
print(env.last()[0]["observation"].tolist(), envs.spec("nim") is env.spec)
"""

REFUSED = """
import dataclasses
import stratagym_nim
from stratagym import envs
for change in ({"name": "ludo"}, {"name": "No"}, {"package": "nowhere.at.all"}, {"package": ""}):
    try:
        envs.register(dataclasses.replace(stratagym_nim.SPEC, **change))
    except ValueError as error:
        print(error)
"""


def test_a_registered_game_travels_in_a_pickle(tmp_path):
    python("-c", REGISTER, tmp_path / "env", path=SOURCE)
    assert python("-c", UNPICKLE, tmp_path / "env", path=SOURCE)[0] == "[1, 4, 5] True\n"
    error = python("-c", UNPICKLE, tmp_path / "env", path=tmp_path, code=1)[1]
    last = error.splitlines()[-1]
    assert "PackageFault: game 'nim' of package stratagym_nim, registered in another" in last
    assert "No module named 'stratagym_nim'" in last


def test_what_cannot_be_registered_is_refused_in_a_line():
    said = python("-c", REFUSED, path=SOURCE)[0].splitlines()
    for line, words in zip(
        said, ["stratagym has a game", "small letters", "nowhere.at.all", "stratagym.envs.nim"],
        strict=True,
    ):  # fmt: skip
        assert words in line


def test_our_games_are_pickled_by_name():
    from stratagym.envs import spec

    assert all(pickle.loads(pickle.dumps(spec(game))) is spec(game) for game in games())
