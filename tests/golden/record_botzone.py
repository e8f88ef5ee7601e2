"""Writes tests/golden/botzone.json:  python tests/golden/record_botzone.py."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import botzone_runs
import scripts
from openai_server import OpenAIServer, playing

if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as folder,
        OpenAIServer(playing(botzone_runs.scripted)) as server,
    ):
        words = botzone_runs.model_run(Path(folder) / "run", server, *botzone_runs.OURS)
        done = scripts.run("botzone", *words)
        sys.exit(done.stderr) if done.returncode else None
    found = botzone_runs.essence(json.loads(done.stdout))
    botzone_runs.GOLDEN.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
