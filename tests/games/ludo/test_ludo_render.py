"""The picture of a Ludo position, checked through its pixels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from stratagym.envs import core, make, spec
from stratagym.envs.ludo import render
from stratagym.envs.ludo.rules import BASE, FINISHED, TRACK, is_safe, step

STARTS = (0, 13, 26, 39)
YARDS = ((0, 0), (9, 0), (9, 9), (0, 9))


def position_of(steps=None, player=0, dice=4, winner=-1, **options):
    """Rules and one state with the given rows of ``steps``; other pieces stay in base."""
    rules = spec("ludo").make_rules(**options)
    states = core.new_states(rules)
    states["steps"] = BASE
    for seat, row in (steps or {}).items():
        states["steps"][0, seat] = row
    states["player"], states["dice"], states["winner"] = player, dice, winner
    return rules, states


def draw(rules, states, size=720):
    return render.picture(rules, states[0], size)


def area(x, y, width=1.0, height=1.0, pad=0.0, size=720):
    """Slices of a rectangle in board units."""
    left, top = render.pixel(x - pad, y - pad, size)
    right, bottom = render.pixel(x + width + pad, y + height + pad, size)
    return slice(max(top, 0), bottom), slice(max(left, 0), right)


def near(picture, colour, tolerance=25):
    """Mask of the pixels that look like ``colour``."""
    return np.abs(picture.astype(int) - colour).max(axis=-1) <= tolerance


def changed_outside(before, after, *areas):
    """How many pixels changed outside the areas; each area must have changed itself."""
    changed = (before != after).any(axis=-1)
    for part in areas:
        assert changed[part].any()
    for part in areas:
        changed[part] = False
    return changed.sum()


# --- where the squares lie ---------------------------------------------------------------------


def test_the_track_is_a_closed_path_with_four_inner_corners():
    track = np.array(render.SQUARES[:TRACK])
    assert len({tuple(square) for square in track}) == TRACK
    assert track.min() == 0 and track.max() == 14
    moves = np.abs(np.roll(track, -1, axis=0) - track)
    assert (moves.max(axis=1) == 1).all()
    diagonal = moves.sum(axis=1) == 2
    assert np.flatnonzero(diagonal).tolist() == [4, 17, 30, 43]


def test_thirteen_squares_on_is_a_quarter_turn_clockwise():
    for number in range(TRACK):
        column, row = render.SQUARES[number]
        assert render.SQUARES[(number + 13) % TRACK] == (14 - row, column)


def test_squares_known_from_the_printed_board():
    expected = {0: (1, 6), 8: (6, 2), 11: (7, 0), 13: (8, 1), 26: (13, 8), 39: (6, 13), 51: (0, 6)}
    assert {number: render.SQUARES[number] for number in expected} == expected


@pytest.mark.parametrize("colour", range(4))
def test_home_paths_lead_from_the_last_square_to_the_centre(colour):
    path = np.array(render.SQUARES[TRACK + 6 * colour : TRACK + 6 * colour + 6])
    assert (np.abs(np.diff(path, axis=0)).sum(axis=1) == 1).all()
    last = np.array(render.SQUARES[(STARTS[colour] + 51) % TRACK])
    assert np.abs(path[0] - last).max() == 1
    assert np.abs(path[5] - 7).sum() == 1
    assert len(set(render.SQUARES)) == TRACK + 24


# --- the board ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [120, 333, 720, 1000])
def test_shape_and_type(size):
    picture = draw(*position_of({0: [0, 20, 55, 58]}), size)
    assert picture.shape == (size, size, 3)
    assert picture.dtype == np.uint8
    assert picture.flags.c_contiguous and picture.flags.writeable


def test_safe_and_start_squares_differ_from_plain_ones():
    picture = draw(*position_of())
    for number in range(TRACK):
        x, y = render.SQUARES[number]
        corner = picture[area(x + 0.82, y + 0.82, 0.1, 0.1)].reshape(-1, 3)
        middle = picture[area(x + 0.5, y + 0.5, 0.06, 0.06)].reshape(-1, 3)
        if number in STARTS:
            assert near(corner, render.COLOURS[STARTS.index(number)], 3).all()
            assert near(middle, (255, 255, 255), 3).all()
        elif is_safe(number):
            assert not near(corner, (255, 255, 255), 10).any()
            assert not near(middle, (255, 255, 255), 40).any()
        else:
            assert near(corner, (255, 255, 255), 3).all()
            assert near(middle, (255, 255, 255), 3).all()


def test_every_track_square_shows_its_own_number():
    picture = draw(*position_of(), 1440)
    corners = []
    for number in set(range(TRACK)) - {number for number in range(TRACK) if is_safe(number)}:
        x, y = render.SQUARES[number]
        left, top = render.pixel(x, y, 1440)
        corners.append(picture[top + 4 : top + 24, left + 4 : left + 34].tobytes())
    assert len(set(corners)) == len(corners) == TRACK - 8


def test_home_paths_and_centre_have_their_colours():
    picture = draw(*position_of())
    for colour, paint in enumerate(render.COLOURS):
        for x, y in render.SQUARES[TRACK + 6 * colour : TRACK + 6 * colour + 6]:
            assert near(picture[render.pixel(x + 0.5, y + 0.8)[::-1]], paint, 3)


@pytest.mark.parametrize("colours", [(0, 2), (1, 3), (0, 1, 3)])
def test_colours_not_taking_part_are_faded(colours):
    seats = "+".join(map(str, colours))
    picture = draw(*position_of(players=len(colours), seats=seats))
    for colour, paint in enumerate(render.COLOURS):
        assert near(picture[area(*YARDS[colour], 6, 6)], paint, 8).any() == (colour in colours)


# --- pieces ------------------------------------------------------------------------------------


def square(number):
    """The area of a position number, with room for a shadow."""
    return area(*render.SQUARES[number], pad=0.1)


BASE_0, BASE_1 = area(1.2, 1.2, 1.7, 1.7), area(12.2, 1.2, 1.7, 1.7)
CENTRE_1 = area(6, 6, 3, 1.5)


@pytest.mark.parametrize(
    ("player", "piece", "before", "after", "areas"),
    [
        (0, 0, 3, 5, (square(3), square(5))),
        (1, 2, 12, 47, (square(25), square(8))),
        (2, 3, 26, 51, (square(0), square(25))),
        (0, 0, BASE, 0, (BASE_0, square(0))),
        (1, 1, BASE, 0, (BASE_1, square(13))),
        (3, 0, 51, 53, (square(38), square(70))),
        (1, 0, 57, FINISHED, (square(62), CENTRE_1)),
    ],
)
def test_a_move_changes_only_the_squares_it_touches(player, piece, before, after, areas):
    rules, states = position_of({2: [8, 44, 54, BASE]}, player=3)
    states["steps"][0, player, piece] = before
    first = draw(rules, states)
    states["steps"][0, player, piece] = after
    assert changed_outside(first, draw(rules, states), *areas) == 0


@pytest.mark.parametrize("player", range(4))
@pytest.mark.parametrize("steps", [0, 7, 51, 53, 57])
def test_a_piece_has_its_colour_where_it_stands(player, steps):
    rules, states = position_of()
    empty = draw(rules, states)
    states["steps"][0, player, 1] = steps
    number = (STARTS[player] + steps) % TRACK if steps < TRACK else TRACK + 6 * player + steps - 53
    part = area(*render.SQUARES[number])
    picture = draw(rules, states)
    assert (picture[part] != empty[part]).any()
    assert near(picture[part], render.COLOURS[player]).sum() > 0.12 * 46 * 46


@pytest.mark.parametrize("piece", range(4))
def test_the_four_pieces_of_a_player_look_different(piece):
    pictures = []
    for other in (piece, (piece + 1) % 4):
        row = [BASE] * 4
        row[other] = 20
        pictures.append(draw(*position_of({1: row}))[square(33)])
    assert (pictures[0] != pictures[1]).any()


def test_one_piece_of_each_player_on_a_square():
    rules, states = position_of({p: [(8 - STARTS[p]) % TRACK, *[BASE] * 3] for p in range(4)})
    picture = draw(rules, states)[area(*render.SQUARES[8])]
    for paint in render.COLOURS:
        assert near(picture, paint).sum() > 60


@pytest.mark.parametrize("count", range(1, 17))
def test_every_piece_of_a_crowd_is_seen(count):
    rules, states = position_of(stacking="safe")
    pieces = [divmod(k, 4) for k in range(count)]
    for player, piece in pieces:
        states["steps"][0, player, piece] = (21 - STARTS[player]) % TRACK
    picture = draw(rules, states, 1000)
    x, y = render.SQUARES[21]
    diameter, centres = render._layout(count)
    corner = 0.37 * diameter
    for (player, _), (dx, dy) in zip(pieces, centres, strict=True):
        left, top = x + dx - corner, y + dy - corner
        disc = picture[area(left, top, 2 * corner, 2 * corner, size=1000)]
        assert near(disc, render.COLOURS[player], 40).mean() > 0.2


@pytest.mark.parametrize("count", range(1, 17))
def test_pieces_that_share_a_square_do_not_overlap(count):
    diameter, centres = render._layout(count)
    assert len(centres) == count
    points = np.array(centres)
    assert points.min() - diameter / 2 >= 0 and points.max() + diameter / 2 <= 1
    gaps = np.linalg.norm(points[:, None] - points[None], axis=-1)[np.triu_indices(count, 1)]
    assert (gaps >= diameter).all()


@pytest.mark.parametrize("player", range(4))
def test_finished_pieces_lie_in_their_triangle(player):
    rules, states = position_of()
    yard, centre = area(*YARDS[player], 6, 6), area(6, 6, 3, 3, pad=0.1)
    inwards = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)][player])
    for piece in range(4):
        before = draw(rules, states)
        states["steps"][0, player, piece] = FINISHED
        after = draw(rules, states)
        assert changed_outside(before, after, yard, centre) == 0
        columns_rows = np.argwhere((before != after).any(axis=-1)[centre])[:, ::-1]
        offset = (columns_rows.min(axis=0) + columns_rows.max(axis=0)) / 2 - 1.6 * 46
        along = -offset @ inwards
        across = np.abs(offset).sum() - along
        assert across < along < 1.5 * 46


# --- turn, dice, winner ------------------------------------------------------------------------


@pytest.mark.parametrize("dice", range(1, 7))
def test_the_die_shows_as_many_pips(dice):
    face = draw(*position_of(player=1, dice=dice))[area(11.6, 2.6, 0.8, 0.8)]
    assert ndimage.label(near(face, (38, 42, 56), 60))[1] == dice


def test_dice_and_turn_change_only_yards():
    before = draw(*position_of(player=0, dice=2))
    red, blue = area(0, 0, 6, 6, pad=0.1), area(0, 9, 6, 6, pad=0.1)
    assert changed_outside(before, draw(*position_of(player=0, dice=0)), red) == 0
    assert changed_outside(before, draw(*position_of(player=3, dice=2)), red, blue) == 0


def test_the_mark_follows_the_colour_of_the_seat():
    before = draw(*position_of(player=0, players=2, seats="1+3"))
    after = draw(*position_of(player=1, players=2, seats="1+3"))
    green, blue = area(9, 0, 6, 6, pad=0.1), area(0, 9, 6, 6, pad=0.1)
    assert changed_outside(before, after, green, blue) == 0


def test_frames_show_where_the_last_move_began_and_ended():
    """A move along the track, one out of base, one into a home path."""
    for piece, begin, end, places in (
        (0, 3, 8, [(4, 6), (6, 2)]),
        (1, -1, 0, [(3.5, 1.5), (1, 6)]),
        (2, 50, 54, [(0, 7), (2, 7)]),
    ):
        rules, states = position_of({0: [-1] * 4}, player=1, dice=2)
        states["steps"][0, 0, piece] = end
        before = draw(rules, states)
        states["last_moved"], states["last_from"] = 1 + piece, begin
        after = draw(rules, states)
        framed = [area(x, y, pad=0.1) for x, y in places]
        assert changed_outside(before, after, *framed) == 0


def test_the_state_holds_the_last_move():
    rules, states = position_of({0: [10, -1, -1, -1]}, player=0, dice=3)
    step(rules, states[0], 0)
    assert (states["last_moved"][0], states["last_from"][0]) == (1, 10)
    states["dice"] = 6
    states["player"] = 2
    step(rules, states[0], 3)
    assert (states["last_moved"][0], states["last_from"][0]) == (1 + 4 * 2 + 3, -1)


def test_home_squares_have_their_numbers():
    """As in the text; a number is dark or white ink in a corner of a square of one colour."""
    plain = draw(*position_of(player=0))
    for colour in range(4):
        for number in range(TRACK + 6 * colour, TRACK + 6 * colour + 5):
            x, y = render.SQUARES[number]
            corner = plain[area(x + 0.04, y + 0.04, 0.92, 0.2)].reshape(-1, 3).astype(int)
            paint = np.array(render.COLOURS[colour])
            assert (np.abs(corner - paint).max(axis=1) > 40).sum() > 8, number


def test_only_the_winner_is_crowned():
    rules, states = position_of({2: [FINISHED] * 4}, player=3, dice=0, winner=2)
    picture = draw(rules, states)
    gold = [near(picture[area(*yard, 6, 6)], (255, 200, 40), 4).sum() for yard in YARDS]
    assert gold[2] > 3000 and sum(gold) == gold[2]


# --- use ---------------------------------------------------------------------------------------


def test_drawing_leaves_state_and_board_alone():
    rules, states = position_of({0: [3, 21, 55, 58]})
    kept, first = states.copy(), draw(rules, states)
    first_again = first.copy()
    first[:] = 0
    draw(*position_of({1: [40, 41, 42, 43]}))
    assert (draw(rules, states) == first_again).all()
    assert (states == kept).all()


def test_the_environment_renders_it():
    env = make("ludo", render_mode="rgb_array")
    env.reset(seed=1)
    assert (env.render() == draw(env.rules, env.states)).all()
