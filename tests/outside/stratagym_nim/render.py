"""A picture of the heaps; drawing only."""

from typing import Any

import numpy as np
from PIL import Image, ImageDraw


def picture(rules: Any, s: Any, width: int = 300) -> np.ndarray:
    unit = width / 300
    image = Image.new("RGB", (width, round(180 * unit)), (250, 248, 243))
    draw = ImageDraw.Draw(image)
    for heap, stones in enumerate(s["heaps"].tolist()):
        for k in range(stones):
            x, y = (30 + 50 * k) * unit, (30 + 60 * heap) * unit
            draw.ellipse(
                (x - 18 * unit, y - 18 * unit, x + 18 * unit, y + 18 * unit), (36, 111, 168)
            )
    return np.array(image)
