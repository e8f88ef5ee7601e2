"""SmolLM2-135M-Instruct in this process, where it is installed: two wheels, and no account.

``.ci/run`` installs it and runs this file in a step of its own.
"""

import asyncio
import os
import signal
import subprocess
import time

import pytest
import scripts
from held import held_answers
from killing import results, whole_lines
from local_engine import missing

from stratagym.agents import gguf_engine, gguf_file
from stratagym.agents.chat import Overtime, TransportError
from stratagym.agents.gguf import GGUFChat, model_path
from stratagym.envs.text import TextGame

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
ALONE = "slots=1&threads=1&prompt_cache=off"
"""Under which an answer depends on the prompt alone."""


def asked(chat, *questions, limit_s=None):
    async def ask():
        messages = ([{"role": "user", "content": question}] for question in questions)
        return await asyncio.gather(*(chat.generate(one, limit_s) for one in messages))

    return asyncio.run(ask())


@pytest.fixture
def interruptible():
    """A process that was started in the background ignores the interrupt; here it raises."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_it_answers_and_keeps_the_screen_and_the_interrupt(capfd, interruptible):
    chat = GGUFChat("smollm2", threads=1, slots=2, context=512, max_tokens=12)
    replies = asked(chat, "What is the capital of France?", "Name a colour.")
    for reply in replies:
        assert reply.text.strip() and reply.tokens_in > 10 and 1 <= reply.tokens_out <= 12
    told = [{"role": "user", "content": "Name a colour."}]
    assert gguf_engine.engine(chat.engine).prompt_tokens(told) == replies[1].tokens_in
    assert capfd.readouterr() == ("", "")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_context_that_is_too_small_is_said_in_its_words():
    chat = GGUFChat("smollm2", threads=1, slots=2, context=256)
    with pytest.raises(TransportError, match=r"exceeds the available context size \(256 tokens\)"):
        asked(chat, "Where? " * 200)
    # What the context leaves is the longest answer.
    (reply,) = asked(chat, "Tell me a very long story. " * 32)
    assert reply.truncated and reply.tokens_in + reply.tokens_out <= 256


def test_an_answer_that_is_given_up_leaves_its_slot():
    chat = GGUFChat("smollm2", threads=1, slots=1, context=2048, max_tokens=1900)
    begun = time.process_time()
    with pytest.raises(Overtime):
        asked(chat, "Count from one to a thousand.", limit_s=0.2)
    (reply,) = asked(GGUFChat("smollm2", threads=1, slots=1, context=2048, max_tokens=4), "Hello.")
    assert reply.text
    # All 1,900 tokens take a minute of one processor.
    assert time.process_time() - begun < 30


def test_a_forked_process_asks_an_engine_of_its_own():
    chat = GGUFChat("smollm2", threads=1, slots=1, context=512, max_tokens=4)
    (before,) = asked(chat, "Name a colour.")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            (reply,) = asked(chat, "Name a colour.")
            code = int(reply.text != before.text)
        finally:
            os._exit(code)
    for _ in range(1200):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("it waits for the engine of its parent")
    assert os.waitstatus_to_exitcode(status) == 0


def test_the_whole_file_is_hashed():
    assert gguf_file.sha256(model_path("smollm2")).startswith("b179c952")


def test_a_prompt_is_cut_as_the_tokenizer_cuts_it():
    chat = GGUFChat("smollm2", threads=1, slots=1, context=512)
    engine = gguf_engine.engine(chat.engine)
    prompt = TextGame("tictactoe")
    prompt.reset(seed=1)
    text = prompt.observe().messages[-1]["content"]
    assert 20 < len(engine.tokens(text)) < len(text)


def test_answers_held_to_legal_moves_are_legal(rng):
    chat = GGUFChat("smollm2", threads=1, slots=2, context=512, max_tokens=40)
    outcomes = [
        kind
        for name in ("tictactoe", "connect_four", "ludo", "coin_game", "breakthrough")
        for kind in held_answers(chat, name, 2, rng)
    ]
    assert outcomes == ["ok"] * 10


def test_a_killed_run_that_is_resumed_equals_one_left_alone(tmp_path):
    policies = f"random,gguf:smollm2?{ALONE}&context=1024&max_tokens=6"
    options = ("--game", "tictactoe", "--policies", policies, "--games", 2, "--invalid", "random")
    # Short prompts: each of them is computed whole.
    brief = tmp_path / "brief.txt"
    brief.write_text("{position}\n{answer}\n")
    options = (*options, "--prompt-file", brief, "--tries", 1)
    call = scripts.command("tournament", *options, "--output")
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    subprocess.run([*call, str(whole)], check=True, capture_output=True, cwd=scripts.ROOT)
    one = subprocess.Popen(
        [*call, str(broken)], cwd=scripts.ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while one.poll() is None and len(whole_lines(broken / "decisions.jsonl")) < 3:
        time.sleep(0.02)
    one.kill()
    one.wait()
    before = (broken / "decisions.jsonl").read_bytes()
    before = before[: before.rfind(b"\n") + 1]
    subprocess.run(
        [*call, str(broken), "--resume"], check=True, capture_output=True, cwd=scripts.ROOT
    )
    assert (broken / "decisions.jsonl").read_bytes().startswith(before)
    assert results(broken) == results(whole)
