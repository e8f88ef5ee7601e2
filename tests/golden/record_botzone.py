"""Writes tests/golden/botzone.json:  python tests/golden/record_botzone.py, from tests/."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import test_botzone
from openai_server import OpenAIServer, playing

if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as folder,
        OpenAIServer(playing(test_botzone.scripted)) as server,
    ):
        words = test_botzone.model_run(Path(folder) / "run", server, *test_botzone.OURS)
        done = test_botzone.run(*words)
        sys.exit(done.stderr) if done.returncode else None
    found = test_botzone.essence(json.loads(done.stdout))
    test_botzone.GOLDEN.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
