"""An Ido position as lines of text, for the terminal: the board with its frame and blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.drawing import colour_marks, counted

LEGEND = (
    "-- and | printed lines, == and # the frame's bars; a block is its colour's letter and s (small) or L (large);",
    "outside: a seat's capital letter at its start, the small one at its target.",
)


def drawing(saved: Mapping[str, Any]) -> list[str]:
    """The board with north up, then what each side has in its supply and at home, and what the turn still allows."""
    marks = colour_marks(saved["colours"].values())
    lines = _board_lines(saved, marks)
    for seat, colour in saved["colours"].items():
        supply = counted((size, saved["supply"][seat][size]) for size in ("small", "large"))
        home = ", ".join(saved["home"][seat]) or "nothing"
        lines.append(f"{seat:5} {marks[colour]} {colour}: {supply} in supply; at home: {home}")
    if saved["steps_left"] is not None:
        lines.append(f"Steps left: {saved['steps_left']}.")
    if saved["shifted_by"] is not None:
        lines.append(f"{saved['shifted_by'].capitalize()} shifted the frame, so now it may not be shifted.")
    return [*lines, *LEGEND]


def _board_lines(saved: Mapping[str, Any], marks: Mapping[str, str]) -> list[str]:
    size, walls, ends = saved["blueprint"]["squares"], _Walls(saved), _ends(saved)
    blocks = {
        tuple(block["square"]): marks[block["colour"]] + ("L" if block["size"] == "large" else "s")
        for block in saved["blocks"]
    }
    lines = [_beside_rim(ends, size, size)]
    for y in range(size, -1, -1):
        lines.append("    " + "".join(walls.joint(x, y) + walls.below(x, y) for x in range(size + 1)).rstrip())
        if y:
            squares = "".join(walls.left(x, y - 1) + blocks.get((x, y - 1), "  ") for x in range(size + 1)).rstrip()
            west, east = ends.get((-1, y - 1), " "), ends.get((size, y - 1), "")
            lines.append(f"{y - 1:2}{west} {squares} {east}".rstrip())
    numbers = "     " + " ".join(f"{x:2}" for x in range(size))
    return [*lines, *filter(str.strip, [_beside_rim(ends, -1, size)]), numbers]


class _Walls:
    """The edges of squares as marks: the frame's bars, which cover printed lines, else lines and the border."""

    def __init__(self, saved: Mapping[str, Any]) -> None:
        board, (dx, dy) = saved["blueprint"], saved["frame_offset"]
        self.size, frame = board["squares"], board["frame_squares"]
        corner = (self.size - frame) // 2
        self.frame_x = range(corner + dx, corner + dx + frame)
        self.frame_y = range(corner + dy, corner + dy + frame)
        self.bars_x = {bar + corner + dx for bar in board["frame_bars_x"]}
        self.bars_y = {bar + corner + dy for bar in board["frame_bars_y"]}
        self.lines_x = {0, self.size, *board["board_lines_x"]}
        self.lines_y = {0, self.size, *board["board_lines_y"]}

    def left(self, x: int, y: int) -> str:
        """What stands on the left edge of a square."""
        if not 0 <= y < self.size:
            return " "
        return "#" if x in self.bars_x and y in self.frame_y else "|" if x in self.lines_x else " "

    def below(self, x: int, y: int) -> str:
        """What lies on the lower edge of a square."""
        if not 0 <= x < self.size:
            return "  "
        return "==" if y in self.bars_y and x in self.frame_x else "--" if y in self.lines_y else "  "

    def joint(self, x: int, y: int) -> str:
        """The corner of four squares: marked where any of their edges is."""
        edges = self.left(x, y) + self.left(x, y - 1) + self.below(x, y) + self.below(x - 1, y)
        return "+" if edges.strip() else " "


def _ends(saved: Mapping[str, Any]) -> dict[tuple[int, int], str]:
    """The squares outside the board where starts (capitals) and targets lie; facts 3.2 has the picture."""
    board = saved["blueprint"]
    size = board["squares"]
    start, target = (board.get(key, 3) for key in (
        "start_squares_from_right_corner", "target_squares_from_far_left_corner"))
    ends: dict[tuple[int, int], str] = {}
    for seat, letter in (("south", "s"), ("west", "w"), ("north", "n"), ("east", "e")):
        if seat not in saved["colours"]:
            continue
        starts = [(size - 1 - i, -1) for i in range(start)]
        targets = [(-1, size - 1 - i) for i in range(target)]
        for squares, mark in ((starts, letter.upper()), (targets, letter)):
            for x, y in squares:
                ends[_turned(x, y, size, seat)] = mark
    return ends


def _turned(x: int, y: int, size: int, seat: str) -> tuple[int, int]:
    """South's square as the same one of another seat, seen from above."""
    for _ in range(("south", "west", "north", "east").index(seat)):
        x, y = y, size - 1 - x
    return x, y


def _beside_rim(ends: Mapping[tuple[int, int], str], y: int, size: int) -> str:
    return ("     " + " ".join(f"{ends.get((x, y), ''):2}" for x in range(size))).rstrip()
