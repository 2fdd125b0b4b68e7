"""What players may have meant by a table that no legal action explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules.game import Move
from rules.quadropolis.moves import LIFT, REMOVE, SHIFT, SWAP, reasons_against
from rules.quadropolis.state import (
    BUILD,
    CITY_ZONES,
    FILL,
    POSITION_OF,
    SPACE_OF,
    TAKE,
    URBANIST,
    URBANIST_CELLS,
    State,
    architect_pieces,
    layout_of,
    slot_cell,
)
from rules.quadropolis.tiles import FACES, PIECES
from rules.words import NATURE, SEATS, Cell, Change, Layout, Seat

_FACES = frozenset(face.face for face in FACES)


def guess(state: State, seen: Layout) -> Sequence[Move]:
    """Actions that may have led to `seen`, none of them legal, likeliest first; none when nothing changed, while the
    site is filled, or when the table makes no sense as an action.

    An architect tells most, then a tile that came to a city, then what left its place.
    """
    if state.turn is None or state.turn == NATURE or state.phase == FILL:
        return ()
    changes = list(layout_of(state).changes_to(seen))
    found = [*_takes(state, changes), *_builds(state, state.turn, changes)]
    if not found:
        found = list(_moved(state, state.turn, changes))
    return tuple(move for move in dict.fromkeys(found) if reasons_against(state, move))


def _takes(state: State, changes: list[Change]) -> Iterator[Move]:
    """Each architect that came to a position, whoever's it is."""
    architects = architect_pieces(state.table.colours)
    for change in changes:
        if change.cell in POSITION_OF and change.after in architects[1:]:
            seat = Seat((architects.index(change.after) - 1) // 4)
            yield Move(seat, TAKE, change.after, None, change.cell)


def _city(cell: Cell) -> tuple[Seat, int] | None:
    """The seat and the slot of a cell in a city."""
    if cell.zone not in CITY_ZONES or not (0 <= cell.col < 4 and 0 <= cell.row < 4):
        return None
    return SEATS[CITY_ZONES.index(cell.zone)], cell.row * 4 + cell.col


def _builds(state: State, turn: Seat, changes: list[Change]) -> Iterator[Move]:
    """Each tile that came to a city and is not one that left another slot."""
    left = {(change.before.kind, change.cell.zone) for change in changes if change.before is not None}
    for change in changes:
        place, piece = _city(change.cell), change.after
        if place is None or change.before is not None or piece is None or piece.kind not in _FACES:
            continue
        if (piece.kind, change.cell.zone) in left or piece.facing is not None or piece.colour:
            continue
        owner, slot = place
        level = len(state.city(owner).floors[slot])
        taken = state.phase == BUILD and piece == PIECES[state.taken]
        yield Move(turn, BUILD, piece, None, slot_cell(owner, slot, level), "" if taken else piece.kind)


def _moved(state: State, turn: Seat, changes: list[Change]) -> Iterator[Move]:
    """A building moved or taken away in the city of who moves, a tile lifted off the site, the urbanist moved."""
    came = [change for change in changes if change.before is None and _city(change.cell) is not None]
    for change in changes:
        place, space = _city(change.cell), SPACE_OF.get(change.cell)
        if place is not None and place[0] == turn and change.after is None:
            floors = state.city(turn).floors[place[1]]
            top = len(floors) == change.cell.level + 1
            source = slot_cell(turn, place[1])
            to = [_city(other.cell) for other in came if other.after == change.before]
            targets = [slot_cell(turn, slot) for owner, slot in (one for one in to if one) if owner == turn]
            if top and targets:
                yield from (Move(turn, SHIFT, change.before, source, target) for target in targets)
            elif top:
                yield Move(turn, REMOVE, change.before, source)
        elif space is not None and change.after is None:
            yield Move(turn, LIFT, change.before, change.cell)
        elif change.cell in URBANIST_CELLS[:-1] and change.after == URBANIST:
            yield Move(turn, SWAP, URBANIST, None, change.cell)
