"""``--page``: parts of pages in Markdown that a command makes anew."""

from __future__ import annotations

from pathlib import Path

from stratagym.benchmarks.harness.errors import InputError
from stratagym.benchmarks.reporting import marked


def put_into(page: Path, name: str, text: str | None = None) -> None:
    """Write between a page's marks, or without a text see that it has them and can be written.

    Raises:
        InputError: it has them not, or cannot be written.
    """
    try:
        if text is None:
            with page.open("r+", encoding="utf-8") as file:
                marked.between(file.read(), name)
        else:
            marked.write(page, name, text)
    except OSError as error:
        raise InputError(f"--page {page}: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"--page {page}: {error}") from None
