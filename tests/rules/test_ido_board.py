"""Ido's board: the spaces of D1 as the facts have them, and other blueprints."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rules.ido import IDO
from rules.ido.blueprint import D1, as_json
from rules.ido.geometry import Space, board_of, start_squares, target_squares
from rules.ido.moves import own_blocks
from rules.ido.speech import SPEECH
from rules.ido.state import FRAME, frame_cell
from rules.words import EAST, NORTH, SEATS, SOUTH, WEST, Cell, Layout
from tests.rules.setups_ido import at, position

Json = dict[str, Any]
SHARED = Path(__file__).parents[3] / "shared"
FACTS = SHARED / "facts" / "gridopolis-ido.md"
BOARD = board_of(D1)
OFFSETS = {"NW": (-1, 1), "N": (0, 1), "NE": (1, 1), "W": (-1, 0), "C": (0, 0), "E": (1, 0), "SW": (-1, -1),
           "S": (0, -1), "SE": (1, -1)}  # fmt: skip
TABLE = """
NW 16 12 0 6 rQ rQ rQ rQ rQ rQ rQ rQ
N  20 14 0 4 rQ sr r  sQ sr rQ sQ r
NE 16 12 0 6 rQ rQ rQ rQ rQ rQ rQ rQ
W  20 14 0 4 sQ rQ sr r  r  sr rQ sQ
C  24 12 4 1 sL sL sL sL sL sL sL sL
E  20 14 0 4 sr r  sQ rQ rQ sQ r  sr
SW 16 12 0 6 rQ rQ rQ rQ rQ rQ rQ rQ
S  20 14 0 4 r  sQ rQ sr sQ r  sr rQ
SE 16 12 0 6 rQ rQ rQ rQ rQ rQ rQ rQ
"""
"""Facts 3.5: counts of s, r, L and Q, and what touches the starts of south, east, north, west, then the targets."""


def shape(space: Space) -> str:
    return " srLQ"[len(space.squares)]


@pytest.mark.parametrize("row", TABLE.split("\n")[1:-1], ids=lambda row: row.split()[0])
def test_shapes_and_what_touches_starts_and_targets(row: str) -> None:
    """Facts 3.5, the table."""
    name, *cells = row.split()
    field = BOARD.at(OFFSETS[name])
    counts = Counter(map(shape, field.spaces))
    assert [counts[kind] for kind in "srLQ"] == [int(count) for count in cells[:4]]
    for places, column in ((start_squares, 4), (target_squares, 8)):
        for seat, cell in zip((SOUTH, EAST, NORTH, WEST), cells[column:], strict=False):
            touching = {shape(field.spaces[field.space_of[square]]) for square in places(D1, seat)}
            assert touching == set(cell)


@pytest.mark.skipif(not FACTS.exists(), reason="the shared facts are not beside this checkout")
def test_the_table_is_that_of_the_facts() -> None:
    text = FACTS.read_text(encoding="utf-8").split("### 3.5")[1].split("Also checked")[0]
    rows = [line.replace("*", "").strip("|").split("|") for line in text.splitlines() if "(" in line and "|" in line]
    told = [[row[0].split()[0], *(cell.replace(" ", "") for cell in row[1:])] for row in rows[1:]]
    assert told == [line.split() for line in TABLE.strip().splitlines()]


def test_d1_is_the_board_of_the_facts() -> None:
    """Facts 3.4: the board alone has 9 large squares, 12 rectangles and 4 small ones; nine positions of the frame."""
    alone = board_of(type(D1)(8, D1.lines_x, D1.lines_y, 6, (), ()))
    assert Counter(map(shape, alone.at((0, 0)).spaces)) == {"Q": 9, "r": 12, "s": 4}
    assert list(D1.offsets) == [-1, 0, 1]


def test_quarter_turns_change_nothing() -> None:
    """Facts 3.5: spaces, starts and targets map onto each other under quarter turns, for all nine positions."""

    def turned(square: int) -> int:
        y, x = divmod(square, 8)
        return (7 - x) * 8 + y

    for dx, dy in OFFSETS.values():
        here, there = BOARD.at((dx, dy)), BOARD.at((dy, -dx))
        assert {frozenset(map(turned, space.squares)) for space in here.spaces} == {
            frozenset(space.squares) for space in there.spaces
        }
        for seat in SEATS:
            after = (seat + 1) % 4
            assert set(map(turned, start_squares(D1, seat))) == set(start_squares(D1, after))
            assert set(map(turned, target_squares(D1, seat))) == set(target_squares(D1, after))


def test_a_position_of_another_board_and_with_other_keys() -> None:
    """The protocol: widths are 3 when absent, other keys are ignored; facts 3.3: geometry is data."""
    saved = position("rs5,0")
    board = as_json(D1)
    saved["blueprint"] = {key: value for key, value in board.items() if "corner" not in key} | {"pitch_mm": 33.9}
    assert IDO.load(saved) == at("rs5,0")
    del saved["blueprint"]
    assert IDO.load(saved) == at("rs5,0")
    wide = {**board, "start_squares_from_right_corner": 6, "target_squares_from_far_left_corner": 2}
    starts = {IDO.write(move) for move in IDO.moves(at(blueprint=wide)) if move.verb == "start"}
    assert starts == {"S:s2,0", "S:s5,0", "S:L3,0"}
    assert "S:0,5-home" not in [IDO.write(move) for move in IDO.moves(at("rs0,5", blueprint=wide))]


def test_a_blueprint_comes_with_new_and_stays_in_the_setup() -> None:
    board = {**as_json(D1), "frame_bars_x": [0, 3, 6]}
    for request in ({"blueprint": board}, {"options": {"blueprint": board}}):
        setup = SPEECH.setup({"seats": ["north", "south"], **request})
        assert IDO.dump(IDO.start(setup))["blueprint"] == board


def test_own_blocks_and_places() -> None:
    """What the referee asks: the halves of a rectangle are one place."""
    state = at("rL3,1", "rs5,5", "yL3,2")
    assert [divmod(square, 8) for square in own_blocks(state.squares, SOUTH)] == [(5, 5), (1, 3)]
    places = list(IDO.places(state, IDO.layout(state)))
    assert (Cell(3, 2), Cell(4, 2)) in places
    assert len(places) == 12
    assert list(IDO.places(state, Layout())) == []
    seen = Layout({frame_cell(1, 0): FRAME})
    assert len(list(IDO.places(state, seen))) == 14, "facts 3.5, frame E"


def test_places_are_those_of_the_match_s_own_board() -> None:
    board = {**as_json(D1), "squares": 4, "frame_squares": 4, "board_lines_x": [1, 3], "board_lines_y": [2]}
    board |= {"frame_bars_x": [0, 4], "frame_bars_y": [0, 1, 2, 3, 4]}
    board |= {"start_squares_from_right_corner": 2, "target_squares_from_far_left_corner": 2}
    state = IDO.start(SPEECH.setup({"seats": ["north", "south"], "blueprint": board}))
    halves = set(IDO.places(state, IDO.layout(state)))
    assert halves == {(Cell(1, row), Cell(2, row)) for row in range(4)}
