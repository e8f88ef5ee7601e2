"""Scripted language models for the tiny games, and a run of matches that can be killed.

python tests/tiny_games/players.py FOLDER BASE_URL [DELAY_S]
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

from openai_server import Response, answer, prompt_sha256

from stratagym.agents.chat import OpenAIChat, ScriptedChat
from stratagym.agents.core import make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.match_play import AnswerProtocol, SeatedMatch, play_matches
from stratagym.benchmarks.harness.records import JsonlWriter, read_jsonl
from stratagym.envs import spec
from stratagym.envs.text import TextOptions
from tiny_games.powers.view import NAMES

RANDOM = "random"
PROTOCOL = AnswerProtocol(TextOptions(history=6), tries=2, invalid=RANDOM)


def reply(messages: list[dict[str, str]]) -> str:
    """An answer in any of the games by the prompt's hash: one in eight is bad."""
    number = int(prompt_sha256(messages)[:8], 16)
    said = " ".join(message["content"] for message in messages)
    if number % 8 == 3:
        return "I cannot decide."
    if '"bids"' in said:
        bids = [number % 4, number % 3, number % 2]
        return f'Thinking [x].\n```json\n{{"bids": {bids}}}\n```'
    if '"moves"' in said:
        moves = ["left", "right", "stay", "right", "left"][number % 4 :]
        return json.dumps({"moves": moves})
    if "All vote." in said:
        return json.dumps({"vote": number % 3})
    if '"choice"' in said:
        to = [*NAMES[:3], "all", "me"][number % 5]
        told = {"messages": {to: f"I know {number}."}, "choice": [*NAMES, "pass"][number % 7]}
        return json.dumps(told)
    if at := re.search(r"The token is on node (\d+)", said):
        leads = re.search(rf"^{at[1]}: (.*)$", said, re.MULTILINE)[1].split()
        return f"Move: {leads[number % len(leads)]}"
    if "Votes:" in said:
        return f"Move: {number % 5}"
    to = ["all", 0, [1, 2], "Player 2"][number % 4]
    return json.dumps(
        {"messages": [{"to": to, "text": f"I know {number}."}], "acts": [f"accuse {number % 3}"]}
    )


def serve(body: dict, nth: int) -> Response:
    """The same as a server's script."""
    return answer(reply(body["messages"]))


def matches(model: LanguageModel, games=("bids", "roles", "catch")) -> list[SeatedMatch]:
    """Two matches of each game: the model in all seats, and in all but the first."""
    found = []
    for name in games:
        game = spec(name)
        options = game.options_in_force()
        rules = game.make_rules()
        for seed in range(2):
            seats = [model] * rules.num_players
            if seed:
                seats[0] = make_policy(game, "random")
            found.append(
                SeatedMatch.of("tiny", f"{name}/{seed}", game, rules, options, seed, seats)
            )
    return found


def play(folder: Path, model: LanguageModel, protocol: AnswerProtocol = PROTOCOL, **keys) -> None:
    """Play what is not recorded yet, as ``play_all`` does."""
    done = {record["match"] for record in read_jsonl(folder / "games.jsonl")}
    left = [match for match in matches(model, **keys) if match.name not in done]
    games = JsonlWriter(folder / "games.jsonl")
    try:
        asyncio.run(play_matches(left, protocol, games, folder / "decisions.jsonl", concurrency=1))
    finally:
        games.close()


def scripted(say=reply, delay_s: float = 0.0) -> LanguageModel:
    """A model that answers so."""
    return LanguageModel(ScriptedChat(say, delay_s))


if __name__ == "__main__":
    from tiny_games import register

    register()
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    if sys.argv[2] == "scripted":
        play(folder, scripted(delay_s=float(sys.argv[3])))
    else:
        chat = OpenAIChat("scripted", base_url=sys.argv[2], api_key_env="STRATAGYM_NO_KEY")
        play(folder, LanguageModel(chat))
