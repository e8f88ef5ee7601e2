"""The window of ``render_mode="human"``."""

from __future__ import annotations

import numpy as np


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
