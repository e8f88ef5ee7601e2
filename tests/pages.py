"""Pages of the documentation: their text, and the files that they show."""

from __future__ import annotations

import re

from scripts import ROOT

FENCE = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def files_in(text: str) -> dict[str, str]:
    """Content by path of every block whose title is the path of a file."""
    titled = ((TITLE.search(info), content) for _, info, content in FENCE.findall(text))
    return {title[1]: content for title, content in titled if title}
