"""Layout -> SVG: the board as a person sees it from one side of the table.

Frame of reference: a cell is 100 by 100 units, x to the right, y down, the board's outer corner at
(`MARGIN`, `MARGIN`). `side` is the seat at the bottom of the drawing. The order of layers is: cells,
score zones, last action, pieces, score tags, what to put right, rings; touch targets on top.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from math import hypot
from typing import Final, assert_never

from rules.game import ScoreLine
from rules.words import Cell, Colour, Piece, Seat
from webui.amends import MoveBack, PutDown, Step, Swap, TakeAway, TurnBack, steps_to
from webui.desk import SeatView, TableView
from webui.phrases import VAN_ZONE, cell_name, colour_name, piece_phrase, say
from webui.piece_svg import CELL, Mark, fill_shape, marks_of, piece_svg, van_svg

MARGIN: Final = 74
"""Room around the board for its frame, the seats and the Mystery Machine, in units."""
FRAME: Final = 26
"""The part of the margin that is the board's frame and carries the names of files and ranks."""
SEAT_MIDDLE: Final = (MARGIN - FRAME) / 2


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a drawing of one view is made with."""

    view: TableView
    side: int
    language: str
    marks: Mapping[Colour, Mark]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in units."""
        cols, rows = self.view.board if self.side % 2 == 0 else self.view.board[::-1]
        return cols * CELL + 2 * MARGIN, rows * CELL + 2 * MARGIN

    def spot(self, cell: Cell) -> tuple[float, float] | None:
        """The middle of a cell; None for a cell that this board does not show."""
        width, height = self.size
        cols, rows = self.view.board
        if cell.zone == VAN_ZONE:
            middles = (
                (width / 2 + 300, height - SEAT_MIDDLE),
                (SEAT_MIDDLE, height / 2 + 300),
                (width / 2 - 300, SEAT_MIDDLE),
                (width - SEAT_MIDDLE, height / 2 - 300),
            )
            return middles[(cell.col - self.side) % 4]
        if cell.zone != "board" or not (0 <= cell.col < cols and 0 <= cell.row < rows):
            return None
        right, down = (
            (cell.col, rows - 1 - cell.row),
            (rows - 1 - cell.row, cols - 1 - cell.col),
            (cols - 1 - cell.col, cell.row),
            (cell.row, cell.col),
        )[self.side]
        return MARGIN + (right + 0.5) * CELL, MARGIN + (down + 0.5) * CELL


def marks_for(view: TableView, language: str) -> dict[Colour, Mark]:
    """A mark for every colour in sight: the seats' first, in their order, then those of stray pieces."""
    stray = {piece.colour for piece in view.layout.pieces.values()}
    for change in view.put_right:
        stray |= {piece.colour for piece in (change.before, change.after) if piece}
    return marks_of([*(seat.colour for seat in view.seats), *sorted(stray - {Colour("")})], language)


def cell_key(cell: Cell) -> str:
    """A cell as text in a page's address: "col,row,level,zone"."""
    return f"{cell.col},{cell.row},{cell.level},{cell.zone}"


def cell_from_key(text: str) -> Cell:
    """The cell of such a text; `ValueError` if it is none."""
    parts = text.split(",")
    if len(parts) != 4 or not parts[3].isidentifier() or len(text) > 60:
        raise ValueError(f"wanted a cell as col,row,level,zone, found {text[:60]!r}: send it as the board names it")
    return Cell(int(parts[0]), int(parts[1]), int(parts[2]), parts[3])


def board_svg(view: TableView, side: int = 0, language: str = "en") -> str:
    """The whole board, seen from `side` (a seat), as one `<svg>` element."""
    drawing = Drawing(view, side % 4, language, marks_for(view, language))
    width, height = drawing.size
    state = " final" if view.outcome else " amiss" if view.alert or view.put_right else ""
    zones, tags = _chains(drawing)
    layers = (
        _seats(drawing),
        _cells(drawing),
        zones,
        _last(drawing),
        _pieces(drawing),
        tags,
        _steps(drawing),
        _rings(drawing),
        _targets(drawing),
    )
    label = escape(say("board", language))
    return (
        f'<svg class="board{state}" viewBox="0 0 {width} {height}" role="group" aria-label="{label}" '
        f'data-side="{drawing.side}">{"".join(layers)}</svg>'
    )


def _board_cells(drawing: Drawing) -> list[tuple[Cell, float, float]]:
    cols, rows = drawing.view.board
    cells = [Cell(col, row) for row in range(rows) for col in range(cols)]
    return [(cell, *spot) for cell in cells if (spot := drawing.spot(cell))]


def _cells(drawing: Drawing) -> str:
    width, height = drawing.size
    out = [
        f'<rect class="frame" x="{MARGIN - FRAME}" y="{MARGIN - FRAME}" width="{width - 2 * (MARGIN - FRAME)}" '
        f'height="{height - 2 * (MARGIN - FRAME)}" rx="10"/>'
    ]
    for cell, x, y in _board_cells(drawing):
        shade = "dark" if (cell.col + cell.row) % 2 == 0 else "light"
        out.append(f'<rect class="cell {shade}" x="{x - 50:g}" y="{y - 50:g}" width="100" height="100"/>')
        name = cell_name(cell, drawing.language)
        across, up = (name[:1], name[1:]) if drawing.side % 2 == 0 else (name[1:], name[:1])
        if y + 50 == height - MARGIN:
            out.append(f'<text class="coord" x="{x:g}" y="{y + 70:g}">{across}</text>')
        if x - 50 == MARGIN:
            out.append(f'<text class="coord" x="{x - 63:g}" y="{y + 7:g}">{up}</text>')
    return "".join(out)


def _last(drawing: Drawing) -> str:
    """Corner brackets around the cells of the last action."""
    out = []
    for cell in drawing.view.last_cells:
        if spot := drawing.spot(cell):
            x, y = spot
            corners = "".join(
                f"M{x + sx * 46:g} {y + sy * 26:g}V{y + sy * 46:g}H{x + sx * 26:g}" for sx in (-1, 1) for sy in (-1, 1)
            )
            out.append(f'<path class="last" data-cell="{cell_key(cell)}" d="{corners}"/>')
    return "".join(out)


def _place(drawing: Drawing, cell: Cell, piece: Piece, css: str = "at") -> str:
    spot = drawing.spot(cell)
    mark = drawing.marks.get(piece.colour)
    if spot is None:
        return ""
    body = piece_svg(piece, mark, drawing.side) if mark else van_svg()
    return f'<g class="{css}" transform="translate({spot[0]:g} {spot[1]:g})">{body}</g>'


def _pieces(drawing: Drawing) -> str:
    pieces = sorted(drawing.view.layout.pieces.items())
    return "".join(_place(drawing, cell, piece) for cell, piece in pieces if cell.zone != VAN_ZONE)


def _chains(drawing: Drawing) -> tuple[str, str]:
    """Each part of the score that counts cells: a zone around them, to lie under the pieces, and a tag with its
    points, to lie above. The style sheet shows them when the game is over, or one by one when a line of the list
    is tapped. A zone is drawn as two wide strokes, one in the other, which gives the outline of any shape."""
    zones, tags = [], []
    for index, line in enumerate(drawing.view.scores):
        spots = {cell: spot for cell in line.cells if (spot := drawing.spot(cell))}
        if not spots or not line.points:
            continue
        dots = "".join(f"M{x:g} {y:g}h.01" for x, y in spots.values())
        joints = "".join(
            f"M{x:g} {y:g}L{spots[near][0]:g} {spots[near][1]:g}"
            for cell, (x, y) in spots.items()
            for near in (replace(cell, col=cell.col + 1), replace(cell, row=cell.row + 1))
            if near in spots
        )
        css = "chain single" if len(spots) == 1 else "chain"
        named = f'class="{css}" data-chain="{index}" data-seat="{line.seat}"'
        zones.append(f'<g {named}><path class="rim" d="{dots}{joints}"/><path class="zone" d="{dots}{joints}"/></g>')
        x, y = min(spots.values(), key=lambda spot: (spot[1], -spot[0]))
        text = _tag_text(drawing, line)
        half = 13 + 8 * len(text)
        tags.append(
            f'<g {named} transform="translate({x + 46 - half:g} {y - 34:g})"><rect class="tag" x="{-half}" y="-18" '
            f'width="{2 * half}" height="36" rx="18"/><text class="tag-text" y="9">{text}</text></g>'
        )
    return "".join(zones), "".join(tags)


def _tag_text(drawing: Drawing, line: ScoreLine) -> str:
    """A chain's points, with the letter of the seat that gets them; of a lone piece the points alone."""
    seat = next((seat for seat in drawing.view.seats if seat.seat == line.seat), None)
    if seat is None or len(line.cells) == 1:
        return str(line.points)
    return f"{escape(drawing.marks[seat.colour].letter)} {line.points}"


def _badge(number: int, x: float, y: float) -> str:
    return (
        f'<circle class="badge" cx="{x:g}" cy="{y:g}" r="21"/>'
        f'<text class="badge-text" x="{x:g}" y="{y + 10:g}">{number}</text>'
    )


def _cross(x: float, y: float) -> str:
    arms = f"M{x - 34:g} {y - 34:g}L{x + 34:g} {y + 34:g}M{x + 34:g} {y - 34:g}L{x - 34:g} {y + 34:g}"
    return f'<path class="cross-casing" d="{arms}"/><path class="cross" d="{arms}"/>'


def _ring(x: float, y: float, css: str = "home") -> str:
    return f'<rect class="{css}" x="{x - 45:g}" y="{y - 45:g}" width="90" height="90" rx="14"/>'


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    """From cell to cell, shortened at both ends so that the pieces stay in sight."""
    length = hypot(end[0] - start[0], end[1] - start[1]) or 1.0
    ux, uy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    path = f"M{start[0] + ux * 30:g} {start[1] + uy * 30:g}L{end[0] - ux * 44:g} {end[1] - uy * 44:g}"
    return f'<path class="arrow-casing" d="{path}"/><path class="arrow" d="{path}" marker-end="url(#arrow-head)"/>'


def _steps(drawing: Drawing) -> str:
    """What to put back where: each step with the number it has in the list beside the board."""
    steps = steps_to(drawing.view.put_right)
    return "".join(f'<g class="step" data-step="{i}">{_step(drawing, i, step)}</g>' for i, step in enumerate(steps, 1))


def _step(drawing: Drawing, number: int, step: Step) -> str:
    match step:
        case MoveBack(source, target, piece):
            start, end = drawing.spot(source), drawing.spot(target)
            found = next((c.before for c in drawing.view.put_right if c.cell == source and c.before), piece)
            if start is None or end is None:
                return ""
            ghost = _place(drawing, source, found, "ghost") + _ring(*start, "away")
            return ghost + _ring(*end) + _arrow(start, end) + _badge(number, end[0] - 32, end[1] - 32)
        case TakeAway(source, piece):
            spot = drawing.spot(source)
            if spot is None:
                return ""
            return _place(drawing, source, piece, "ghost") + _cross(*spot) + _badge(number, spot[0] - 32, spot[1] - 32)
        case TurnBack(target, _, _) | PutDown(target, _) | Swap(target, _, _):
            spot = drawing.spot(target)
            return "" if spot is None else _ring(*spot) + _badge(number, spot[0] - 32, spot[1] - 32)
        case _:
            assert_never(step)


def _rings(drawing: Drawing) -> str:
    """The cells an alert or a question speaks of; a mark beside the ring says which: "!" or "?"."""
    view, out = drawing.view, []
    told = {c.cell for c in view.put_right}
    alert = [cell for cell in view.alert.cells if cell not in told] if view.alert else []
    asked = list(view.question.cells) if view.question else []
    for css, sign, cells in (("wrong", "!", alert), ("asked", "?", asked)):
        for cell in cells:
            if spot := drawing.spot(cell):
                x, y = spot
                out.append(
                    f'<g class="ring {css}" data-cell="{cell_key(cell)}">'
                    f'<rect x="{x - 46:g}" y="{y - 46:g}" width="92" height="92" rx="16"/>'
                    f'<circle cx="{x + 34:g}" cy="{y - 34:g}" r="19"/>'
                    f'<text x="{x + 34:g}" y="{y - 24:g}">{sign}</text></g>'
                )
    return "".join(out)


def _seats(drawing: Drawing) -> str:
    return "".join(_seat(drawing, seat) for seat in drawing.view.seats) + _stray_van(drawing)


def _seat(drawing: Drawing, seat: SeatView) -> str:
    """A band along the seat's side: pattern, letter, name, points; arrows at both ends when it is to move."""
    width, height = drawing.size
    place = (seat.seat - drawing.side) % 4
    x, y, turn, length = (
        (width / 2, height - SEAT_MIDDLE, 0, width),
        (SEAT_MIDDLE, height / 2, 90, height),
        (width / 2, SEAT_MIDDLE, 0, width),
        (width - SEAT_MIDDLE, height / 2, -90, height),
    )[place]
    half, mark = length / 2 - MARGIN - 4, drawing.marks[seat.colour]
    active = seat.seat == drawing.view.to_move
    name = colour_name(seat.colour, drawing.language).capitalize()
    text = escape(f"{mark.letter} · {name} · {seat.points}")
    room = 34 + 14 * len(text)
    band = fill_shape(f'<rect x="{-half:g}" y="-20" width="{2 * half:g}" height="40" rx="12"/>', mark)
    pointer = "M-13 9L0 -11L13 9Z" if place != 2 else "M-13 -9L0 11L13 -9Z"
    arrows = "".join(
        f'<g transform="translate({dx:g} 0)"><circle class="turn-disc" r="18"/>'
        f'<path class="turn-arrow" d="{pointer}"/></g>'
        for dx in (-room / 2 - 26, room / 2 + 26)
    )
    pill = f'<rect class="pill" x="{-room / 2:g}" y="-17" width="{room:g}" height="34" rx="17"/>'
    label = f'<text class="seat-text" y="9">{text}</text>'
    van = f'<g transform="translate({300 if place != 2 else -300} 0)">{van_svg()}</g>' if seat.holds_van else ""
    css = "seat active" if active else "seat"
    return (
        f'<g class="{css}" data-seat="{seat.seat}" transform="translate({x:g} {y:g}) rotate({turn})">'
        f"{band}{pill}{label}{arrows if active else ''}{van}</g>"
    )


def _stray_van(drawing: Drawing) -> str:
    """The van where the layout has it, if no seat is said to hold it."""
    if any(seat.holds_van for seat in drawing.view.seats):
        return ""
    vans = [(cell, piece) for cell, piece in drawing.view.layout.pieces.items() if cell.zone == VAN_ZONE]
    return "".join(_place(drawing, cell, piece) for cell, piece in vans)


def _targets(drawing: Drawing) -> str:
    """A touch target a cell, with what stands there in words for those who listen to the page."""
    pieces, out = drawing.view.layout.pieces, []
    for cell, x, y in _board_cells(drawing):
        words = f"{cell_name(cell, drawing.language)}: {piece_phrase(pieces.get(cell), drawing.language)}"
        out.append(
            f'<rect class="touch" data-cell="{cell_key(cell)}" x="{x - 50:g}" y="{y - 50:g}" width="100" height="100">'
            f"<title>{escape(words)}</title></rect>"
        )
    return "".join(out) + _van_targets(drawing)


def _van_targets(drawing: Drawing) -> str:
    """A touch target along each seat's side, where the game has a Mystery Machine: it, too, can be misread."""
    view, out = drawing.view, []
    if not any(seat.holds_van for seat in view.seats) and not any(c.zone == VAN_ZONE for c in view.layout.pieces):
        return ""
    width, height = drawing.size
    for seat in view.seats:
        cell = Cell(int(seat.seat), 0, 0, VAN_ZONE)
        x, y, wide, high = (
            (MARGIN, height - MARGIN, width - 2 * MARGIN, MARGIN),
            (0, MARGIN, MARGIN, height - 2 * MARGIN),
            (MARGIN, 0, width - 2 * MARGIN, MARGIN),
            (width - MARGIN, MARGIN, MARGIN, height - 2 * MARGIN),
        )[(seat.seat - drawing.side) % 4]
        held = say("van", drawing.language) if seat.holds_van else say("empty", drawing.language)
        out.append(
            f'<rect class="touch beside" data-cell="{cell_key(cell)}" x="{x}" y="{y}" width="{wide}" height="{high}">'
            f"<title>{escape(cell_name(cell, drawing.language, view.seats))}: {escape(held)}</title></rect>"
        )
    return "".join(out)


def seat_at_bottom(text: str | None) -> Seat:
    """The side a phone asks for, 0 to 3; south for anything else."""
    return Seat(int(text)) if text in {"0", "1", "2", "3"} else Seat(0)
