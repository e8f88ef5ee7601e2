"""The canvas that the pictures of games are drawn on."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("PIL", reason="pillow is not installed")

from PIL import Image

from stratagym.envs.drawing import INK, Board, Canvas, mix, put

PAPER, BLACK = (250, 240, 230), (10, 20, 30)


def test_mix():
    assert mix((0, 100, 200), (100, 100, 0), 0.25) == (25, 100, 150)


def test_a_box_fills_its_pixels_and_no_others():
    canvas = Canvas(4, 3, 10, PAPER, (1, 1))
    canvas.box(0, 0, 2, 1, BLACK)
    image = canvas.array()
    assert image.shape == (30, 40, 3) and image.dtype == np.uint8
    inside = np.zeros((30, 40), bool)
    inside[10:20, 10:30] = True
    assert (image[inside] == BLACK).all() and (image[~inside] == PAPER).all()


def test_a_disc_is_round_and_its_edge_smooth():
    canvas = Canvas(2, 2, 50, (0, 0, 0))
    canvas.disc(1, 1, 0.5, (255, 255, 255))
    light = canvas.array()[..., 0] / 255
    assert light.sum() == pytest.approx(np.pi * 25**2, rel=0.02)
    assert np.array_equal(light, light.T)
    assert ((light > 0.1) & (light < 0.9)).sum() > 40


def test_a_disc_too_small_for_the_pixels_is_left_out():
    canvas = Canvas(2, 2, 4, (0, 0, 0))
    canvas.disc(1, 1, 0.001, (255, 255, 255))
    assert not canvas.array().any()


def test_a_line_with_round_ends_is_longer_by_its_width():
    lengths = []
    for ends in (False, True):
        canvas = Canvas(3, 1, 40, (0, 0, 0))
        canvas.line([(1, 0.5), (2, 0.5)], (255, 255, 255), 0.5, ends=ends)
        lengths.append((canvas.array()[20, :, 0] > 127).sum())
    assert lengths[0] == pytest.approx(40, abs=1)
    assert lengths[1] == pytest.approx(60, abs=1)


def test_translucent_colours_blend_on_rgb_and_replace_on_rgba():
    opaque, clear = Canvas(1, 1, 4, (0, 0, 0)), Canvas(1, 1, 4)
    for canvas in (opaque, clear):
        canvas.box(0, 0, 1, 1, (255, 255, 255, 51))
    assert opaque.done().getpixel((2, 2)) == (51, 51, 51)
    assert clear.done().getpixel((2, 2)) == (255, 255, 255, 51)


def test_words_are_as_long_as_said():
    canvas = Canvas(4, 1, 40, (0, 0, 0))
    canvas.text(1, 0.5, "wins", 0.6, (255, 255, 255), anchor="lm")
    columns = np.flatnonzero((canvas.array() > 100).any((0, 2)))
    assert columns[0] == pytest.approx(40, abs=4)
    assert columns[-1] == pytest.approx(40 + 40 * canvas.width_of("wins", 0.6), abs=4)


def test_put_pastes_around_a_point():
    image = Image.new("RGB", (9, 9))
    put(image, Image.new("RGBA", (3, 3), (255, 255, 255, 255)), 4.5, 4.5)
    white = np.argwhere(np.array(image)[..., 0])
    assert white.min(0).tolist() == [3, 3] and white.max(0).tolist() == [5, 5]


def test_points_of_a_board_are_where_they_are_drawn():
    board = Board(3, 2, 90)
    assert (board.unit, board.pixel(0, 0), board.pixel(3, 2)) == (20, (15, 33), (75, 73))
    canvas = board.framed(PAPER, "abc", "12")
    canvas.box(2, 1, 1, 1, BLACK)
    image = canvas.done()
    assert image.size == (90, 88)
    sprite = Image.new("RGBA", (20, 20), (*BLACK, 255))
    board.paste(image, sprite, 0, 0)
    pixels = np.array(image)
    dark = (pixels == BLACK).all(-1)
    assert dark[33:53, 15:35].all() and dark[53:73, 55:75].all() and dark.sum() == 800
    # The frame is half a cell wide, around the cells, and has the names on it.
    assert (pixels[33:73, 35:55] == PAPER).all() and (pixels[28, 35] == PAPER).all()
    assert all((pixels[73:83, x : x + 20] != PAPER).any() for x in (15, 35, 55))
    board.paste_headline(image, Image.new("RGBA", (60, 18), (*INK, 255)))
    assert (np.array(image)[3:21, 15:75] == INK).all()
