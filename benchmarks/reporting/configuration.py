"""What the configuration of a run of version 0.1 leaves unsaid."""

from __future__ import annotations

from typing import Any

SINCE_0_1: dict[str, Any] = {
    "clock": "sync",
    "text.system": "merge",
    "text.rules": "usual",
    "text.position": "",
    "text.hints": False,
    "text.reasoning": "free",
    "text.answer": "move",
    "text.template": "",
}
"""What a field of ``config.json`` that came after version 0.1 is taken to be where a run has none:
what 0.1 did. A field below another is named with a dot. Those not named here are None."""
