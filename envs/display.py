"""How environments and states show themselves: text in the interpreter, pictures in notebooks."""

from __future__ import annotations

import base64
import html
import inspect
import io
from typing import Any, Protocol

import numpy as np

from stratagym.envs import core

MOST_PICTURES = 4
"""Boards of a batch that a notebook shows."""


class Render(Protocol):
    """What a game's ``render.py`` draws.

    A game whose seats have a colour each in its pictures names them in ``SEAT_COLOURS``, RGB; where
    they depend on the options or the position, the game's ``replay`` module has a ``badge``.
    """

    def picture(self, rules: Any, s: Any, size: int = 640) -> np.ndarray:
        """Draw a position.

        Args:
            rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
            size: width in pixels, about. A game with hidden parts may take a fourth argument,
                ``seat``: whose view it draws; None for a spectator's.

        Returns:
            Array of (height, width, 3) uint8, RGB.
        """
        ...


class Display:
    """A mixin: ``repr`` with the board, and what Jupyter asks for."""

    __slots__ = ()

    def _shown(self) -> tuple[core.GameSpec, Any, np.ndarray, str]:
        """(facts, rules, the states to show: (N,) records, N may be 0, one line about them)."""
        raise NotImplementedError

    def __repr__(self) -> str:
        game, rules, states, line = self._shown()
        options = (f", {name}={value!r}" for name, value in game.options_of(rules).items())
        head = f"{type(self).__name__}({game.name!r}{''.join(options)}): {line}"
        view = game.optional_module("view") if len(states) else None
        return head if view is None else f"{head}\n{view.board_text(rules, states[0])}"

    def _repr_png_(self) -> bytes | None:
        game, rules, states, _ = self._shown()
        pictures = _pictures(game, rules, states[:1])
        return pictures[0] if pictures else None

    def _repr_html_(self) -> str | None:
        game, rules, states, line = self._shown()
        pictures = _pictures(game, rules, states[:MOST_PICTURES])
        if not pictures:
            return None
        images = "".join(
            '<img style="max-width: 24em; margin: 0 .5em .5em 0" '
            f'src="data:image/png;base64,{base64.b64encode(picture).decode()}" alt="board">'
            for picture in pictures
        )
        caption = html.escape(f"{game.title}: {line}", quote=False)
        return f"<figure>{images}<figcaption>{caption}</figcaption></figure>"


def about(player: int, ply: int | None = None) -> str:
    """Where a game stands, in a few words."""
    if player >= 0:
        now = f"player {player} to move"
    else:
        now = "truncated" if player == core.TRUNCATED else "over"
    return now if ply is None else f"ply {ply}, {now}"


def draws_for_seats(render: Any) -> bool:
    """Whether a game's ``picture`` can leave out what a seat may not know, its ``seat`` given."""
    return "seat" in inspect.signature(render.picture).parameters


def _pictures(game: core.GameSpec, rules: Any, states: np.ndarray) -> list[bytes]:
    """PNG files of some states; none if the game has no picture."""
    render = game.optional_module("render") if len(states) else None
    if render is None:
        return []
    from PIL import Image

    made = []
    for s in states:
        file = io.BytesIO()
        Image.fromarray(render.picture(rules, s)).save(file, "PNG")
        made.append(file.getvalue())
    return made
