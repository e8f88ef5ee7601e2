"""What environments render: text, pictures, and the window of ``render_mode="human"``."""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.envs import core

RENDER_MODES = ["human", "ansi", "rgb_array"]


def picture_of(game: core.GameSpec, rules: Any, s: Any, render_mode: str) -> Any:
    """A state as text (``ansi``) or as an RGB array (every other mode)."""
    if render_mode == "ansi":
        return game.module("view").board_text(rules, s)
    return game.module("render").picture(rules, s)


class Rendered:
    """A mixin: what environments of one game render, and their window."""

    rules: Any
    states: np.ndarray
    metadata: dict[str, Any]
    render_mode: str | None
    _window: Window | None = None

    def _rendered(self, game: core.GameSpec) -> Any:
        """A text (``ansi``), an RGB array, or None behind the window's next frame.

        Raises:
            ValueError: there is no ``render_mode``.
        """
        if self.render_mode is None:
            raise ValueError(
                'nothing to render: make the environment with render_mode="ansi", '
                '"rgb_array" or "human"'
            )
        picture = picture_of(game, self.rules, self.states[0], self.render_mode)
        if self.render_mode != "human":
            return picture
        if self._window is None:
            self._window = Window(game.title, self.metadata["render_fps"])
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None


class Window:
    """Shows pictures one after the other; pygame-ce draws it.

    Raises:
        ModuleNotFoundError: pygame-ce is not installed; the message names the extra.
    """

    def __init__(self, title: str, fps: int):
        try:
            import pygame
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                'render_mode="human" needs pygame-ce: pip install "stratagym[render]"'
            ) from None
        self._pygame = pygame
        self._title, self._fps = title, fps
        pygame.display.init()
        self._surface: pygame.Surface | None = None
        self._clock = pygame.time.Clock()

    def show(self, picture: np.ndarray) -> None:
        """Show an RGB array of (height, width, 3) uint8."""
        pygame = self._pygame
        if self._surface is None:
            self._surface = pygame.display.set_mode(picture.shape[1::-1])
            pygame.display.set_caption(self._title)
        pygame.event.pump()
        pygame.surfarray.blit_array(self._surface, picture.swapaxes(0, 1))
        pygame.display.flip()
        self._clock.tick(self._fps)

    def close(self) -> None:
        self._pygame.display.quit()
