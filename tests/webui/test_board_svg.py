"""The board is told without colour: these tests look only at letters, patterns, shapes and places."""

from __future__ import annotations

import doctest
import importlib
import re
from dataclasses import replace
from itertools import combinations, product
from xml.etree import ElementTree

import pytest

from rules.words import SEATS, Cell, Change, Colour, Layout, Piece, Seat
from tests.webui.rehearsed_desk import COLOURS, SCENES, SIZES, amiss, asking, at, midgame, over, piece
from webui.board_svg import Drawing, board_svg, cell_from_key, cell_key, marks_for, seat_at_bottom
from webui.phrases import COLOUR_NAMES
from webui.piece_svg import PATTERNS, icon_svg, marks_of, pattern_defs, piece_svg

FOURS = [COLOURS, *list(combinations(map(Colour, COLOUR_NAMES), 4))[::37]]


def drawn(svg: str) -> ElementTree.Element:
    """The SVG, parsed: it must be well-formed."""
    return ElementTree.fromstring(svg)


def classed(root: ElementTree.Element, css: str) -> list[ElementTree.Element]:
    return [node for node in root.iter() if css in node.get("class", "").split()]


def without_colour(svg: str) -> str:
    """What is left for someone who sees no colour at all: every fill taken out but that of patterns."""
    return re.sub(r' (?:fill="#[0-9a-f]+"|data-[a-z]+="[^"]*")', "", svg)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("side", [0, 1, 2, 3])
@pytest.mark.parametrize("language", ["en", "pt"])
def test_every_scene_draws_well_formed_from_every_side(name: str, side: int, language: str) -> None:
    root = drawn(board_svg(SCENES[name](), side, language))
    assert len(classed(root, "touch")) == 64 + 4, "the squares, and the van's place before each seat"
    assert len(classed(root, "cell")) == 64


@pytest.mark.parametrize("colours", FOURS, ids=lambda colours: "-".join(colours))
@pytest.mark.parametrize("language", ["en", "pt"])
def test_sixty_pieces_are_told_apart_without_colour(colours: tuple[Colour, ...], language: str) -> None:
    marks = marks_of(colours, language)
    looks = {
        without_colour(piece_svg(Piece(size, colour, facing), marks[colour]))
        for colour, size, facing in product(colours, SIZES, (None, 0, 1, 2, 3))
    }
    assert len(looks) == 60


@pytest.mark.parametrize("colours", FOURS, ids=lambda colours: "-".join(colours))
@pytest.mark.parametrize("language", ["en", "pt"])
def test_each_colour_has_a_letter_and_a_pattern_of_its_own(colours: tuple[Colour, ...], language: str) -> None:
    marks = marks_of(colours, language).values()
    assert len({mark.letter for mark in marks}) == 4
    assert len({mark.pattern for mark in marks}) == 4


def test_colours_the_page_does_not_know_get_letters_too() -> None:
    marks = marks_of(map(Colour, ("red", "ruby", "rust", "r", "r2", "")), "en")
    assert len({mark.letter for mark in marks.values()}) == 6


def test_every_pattern_a_piece_may_name_is_defined() -> None:
    defs = pattern_defs()
    drawn(f"<svg>{defs}</svg>")
    for pattern, tone in product(PATTERNS[1:], ("dark", "light")):
        assert f'id="pat-{pattern}-{tone}"' in defs
    for name in re.findall(r"url\(#([^)]+)\)", "".join(board_svg(scene()) for scene in SCENES.values())):
        assert f'id="{name}"' in defs


@pytest.mark.parametrize(("size", "pips"), [("small", 1), ("medium", 2), ("large", 3)])
@pytest.mark.parametrize("facing", [None, 0, 1, 2, 3])
def test_size_is_told_by_pips(size: str, pips: int, facing: int | None) -> None:
    mark = marks_of(COLOURS, "en")[COLOURS[0]]
    assert len(classed(drawn(piece_svg(Piece(size, COLOURS[0], facing), mark)), "pip")) == pips


@pytest.mark.parametrize("facing", [0, 1, 2, 3])
@pytest.mark.parametrize("side", [0, 1, 2, 3])
def test_an_arrow_points_where_the_piece_points_from_where_i_sit(facing: int, side: int) -> None:
    """North is up from south's seat; from west's seat, north is at the left hand."""
    mark = marks_of(COLOURS, "en")[COLOURS[0]]
    turned = re.search(r"rotate\((\d+)\)", piece_svg(Piece("large", COLOURS[0], facing), mark, side))
    assert turned is not None
    assert int(turned[1]) == 90 * ((facing - side) % 4)


@pytest.mark.parametrize(
    ("side", "bottom_left", "bottom_right"), [(0, "a1", "h1"), (1, "a8", "a1"), (2, "h8", "a8"), (3, "h1", "h8")]
)
def test_c5_the_corners_lie_where_a_person_of_that_side_sees_them(
    side: int, bottom_left: str, bottom_right: str
) -> None:
    drawing = Drawing(midgame(), side, "en", {})
    left, right = drawing.spot(at(bottom_left)), drawing.spot(at(bottom_right))
    assert left is not None
    assert right is not None
    assert left[1] == right[1] == max(drawing.spot(Cell(c, r))[1] for c in range(8) for r in range(8))  # type: ignore[index]
    assert left[0] < right[0]


def test_a_board_that_is_not_square_turns_too() -> None:
    view = replace(midgame(), board=(5, 3), layout=Layout({}), last_cells=(), scores=())
    for side in range(4):
        drawing = Drawing(view, side, "en", {})
        spots = {drawing.spot(Cell(col, row)) for col in range(5) for row in range(3)}
        assert len(spots) == 15
        width, height = drawing.size
        assert all(spot and 0 < spot[0] < width and 0 < spot[1] < height for spot in spots)
        drawn(board_svg(view, side))


@pytest.mark.parametrize("side", [0, 1, 2, 3])
def test_seats_turn_with_the_board_and_mine_is_at_the_bottom(side: int) -> None:
    root = drawn(board_svg(midgame(), side))
    mine = next(node for node in classed(root, "seat") if node.get("data-seat") == str(side))
    assert float(re.findall(r"[\d.]+", mine.get("transform", ""))[1]) > 850


def test_the_seat_to_move_is_marked_by_more_than_colour() -> None:
    active = classed(drawn(board_svg(midgame())), "active")
    assert [node.get("data-seat") for node in active] == ["0"]
    assert len(classed(active[0], "turn-arrow")) == 2


def test_the_van_stands_with_its_seat() -> None:
    seats = classed(drawn(board_svg(midgame())), "seat")
    assert [node.get("data-seat") for node in seats if classed(node, "van")] == ["2"]


def test_the_last_action_is_bracketed() -> None:
    assert [node.get("data-cell") for node in classed(drawn(board_svg(midgame())), "last")] == [
        "3,3,0,board",
        "3,4,0,board",
    ]


def test_what_to_put_right_is_numbered_on_the_board() -> None:
    root = drawn(board_svg(amiss()))
    steps = classed(root, "step")
    assert [node.get("data-step") for node in steps] == ["1", "2", "3"]
    assert [node.text for node in classed(root, "badge-text")] == ["1", "2", "3"]
    move, stand, take = steps
    assert len(classed(move, "arrow")) == len(classed(move, "ghost")) == len(classed(move, "home")) == 1
    assert len(classed(stand, "home")) == 1
    assert len(classed(take, "cross")) == len(classed(take, "ghost")) == 1


def test_a_van_with_the_wrong_player_is_pointed_out() -> None:
    van = Piece("van", Colour(""))
    changes = (Change(Cell(0, 0, 0, "van"), van, None), Change(Cell(2, 0, 0, "van"), None, van))
    root = drawn(board_svg(replace(midgame(), put_right=changes)))
    assert len(classed(root, "arrow")) == 1


def test_cells_of_an_alert_are_ringed_with_a_sign() -> None:
    rings = classed(drawn(board_svg(replace(amiss(), put_right=()))), "ring")
    assert [(node.get("data-cell"), classed(node, "wrong") != []) for node in rings] == [("4,6,0,board", True)]
    asked = classed(drawn(board_svg(asking())), "asked")
    assert "?" in ElementTree.tostring(asked[0], encoding="unicode")


def test_p4_each_chain_is_drawn_with_its_points() -> None:
    view = over()
    root = drawn(board_svg(view))
    tags = {node.get("data-chain"): node for node in classed(root, "chain") if classed(node, "tag")}
    assert len(tags) == len(view.scores)
    words = {index: classed(node, "tag-text")[0].text for index, node in tags.items()}
    assert words == {"0": "R 8", "1": "1", "2": "B 2", "3": "Y 2", "4": "G 2"}
    zone = next(node for node in classed(root, "chain") if node.get("data-chain") == "0" and classed(node, "zone"))
    path = classed(zone, "zone")[0].get("d", "")
    assert path.count("h.01") == 4, "a spot for each cell"
    assert path.count("L") == 3, "and a joint between neighbours"


def test_cells_of_other_zones_do_not_break_the_drawing() -> None:
    view = midgame()
    stray = {
        Cell(0, 0, 0, "links"): piece("red large"),
        Cell(9, 9): piece("red small"),
        Cell(-1, 0): piece("red small"),
    }
    alert = replace(amiss().alert or view.notices[0], cells=tuple(stray))
    drawn(board_svg(replace(view, layout=Layout(stray), last_cells=tuple(stray), alert=alert)))


def test_icons_show_the_piece_or_an_empty_cell() -> None:
    mark = marks_of(COLOURS, "en")[COLOURS[1]]
    assert 'data-posture="2"' in icon_svg(Piece("small", COLOURS[1], 2), mark)
    assert 'class="nothing"' in icon_svg(None, None)
    assert 'class="van"' in icon_svg(Piece("van", Colour("")), None)


@pytest.mark.parametrize("cell", [Cell(0, 0), Cell(-3, 12, 2, "links"), Cell(2, 0, 0, "van")])
def test_a_cell_is_read_as_it_is_written(cell: Cell) -> None:
    assert cell_from_key(cell_key(cell)) == cell


@pytest.mark.parametrize(("text", "seat"), [("0", 0), ("3", 3), ("4", 0), ("-1", 0), (None, 0), ("x", 0), ("²", 0)])
def test_sides(text: str | None, seat: int) -> None:
    assert seat_at_bottom(text) == Seat(seat)


def test_every_seat_has_a_mark() -> None:
    assert set(marks_for(midgame(), "pt")) == set(COLOURS)
    assert len(SEATS) == 4


@pytest.mark.parametrize("name", ["amends", "auth", "board_svg", "guard", "phrases", "piece_svg"])
def test_the_examples_in_the_docstrings_are_true(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"webui.{name}"))
    assert result.failed == 0
