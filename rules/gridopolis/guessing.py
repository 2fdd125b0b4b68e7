"""What players may have meant by a table that no legal action explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rules.game import Move
from rules.gridopolis.against import FLIP, LIFT, UNBUILD
from rules.gridopolis.jumping import KAMIKAZE, MOVE, kings, marker_moves
from rules.gridopolis.moves import ADD, BLOCK, BOX, PAD, PAD_ON_POST, judge
from rules.gridopolis.nodes import LINK_ZONES, MARKERS, PADS, POST_ZONES, UP, cell_of, node_of
from rules.gridopolis.notation import way
from rules.gridopolis.state import RANKS, State, is_king, layout_of
from rules.words import Change, Layout, Seat


def guess(state: State, seen: Layout) -> Sequence[Move]:
    """Actions that may have led to `seen`, none of them legal, likeliest first; none when nothing changed or when the
    table makes no sense as an action.

    A marker that left one pad and came to another tells most, then what was built, then markers taken off or turned.
    Links and posts that are not seen count as they were: a camera hardly sees them.
    """
    if state.turn is None:
        return ()
    changes = list(layout_of(state).changes_to(seen))
    markers = [change for change in changes if change.cell.zone == MARKERS and node_of(change.cell) is not None]
    found = [*_went(state, markers)]
    if not found:
        found = [*_built(state, changes), *_left(state, markers)]
    return tuple(move for move in dict.fromkeys(found) if not judge(state, move).legal)


def _owner(state: State, colour: str) -> Seat | None:
    return next((seat for seat in state.table.seats if state.table.colours[seat] == colour), None)


def _went(state: State, markers: list[Change]) -> Iterator[Move]:
    """Each marker that left a pad and came to another, with what else left or was turned."""
    left = [change for change in markers if change.before is not None]
    came = [change for change in markers if change.after is not None]
    there = dict(state.markers)
    for going in left:
        source, before = node_of(going.cell), going.before
        if source is None or before is None or source not in there:
            continue
        if going.after is not None and going.after.colour == before.colour:
            continue
        for coming in came:
            target, after = node_of(coming.cell), coming.after
            if target is None or target == source or after is None or after.colour != before.colour:
                continue
            if coming.before is not None and coming.before.colour == after.colour:
                continue
            if after.facing is not None or after.kind not in RANKS:
                continue
            gone = [node_of(c.cell) for c in left if c.after is None and c.cell != going.cell]
            gone += [target] if coming.before is not None else []
            yield _way_to(state, source, target, [node for node in gone if node is not None], after.kind)


def _way_to(state: State, source: int, target: int, gone: list[int], rank: str) -> Move:
    """The marker's way that is most like what was seen: a legal one to where it stands, with the markers that were
    taken off; else straight there."""
    code = dict(state.markers)[source]
    seat = Seat(code >> 2)
    cell = cell_of(target)
    ways = [move for move in marker_moves(state, source, code) if move.verb == MOVE and move.target == cell]
    nodes = {cell_of(node) for node in gone}
    ways.sort(key=lambda move: (len(nodes ^ set(move.taken)), len(move.path)))
    if ways:
        best = ways[0]
        path = [node for node in map(node_of, best.path) if node is not None]
        out = None if best.target == best.path[-1] else target
        made = way(state, seat, source, path, gone, out)
        wanted = _rank_after(state, best)
        return made if rank == wanted else replace(made, note=rank)
    made = way(state, seat, source, [target], gone, None)
    return made if rank == RANKS[is_king(code)] else replace(made, note=rank)


def _rank_after(state: State, move: Move) -> str:
    """What a marker shows after a way that may be legal."""
    source = None if move.source is None else node_of(move.source)
    target = None if move.target is None else node_of(move.target)
    code = dict(state.markers)[source or 0]
    return RANKS[is_king(code) or kings(state.grid, target or 0, code)]


def _built(state: State, changes: list[Change]) -> Iterator[Move]:
    """Blocker-boxes and pads that came, pads that went; by who is to move."""
    if state.turn is None:
        return
    posts = {change.cell for change in changes if change.cell.zone in POST_ZONES and change.after is not None}
    links = [change for change in changes if change.cell.zone in LINK_ZONES and change.after is not None]
    for change in changes:
        if change.cell.zone != PADS or node_of(change.cell) is None:
            continue
        if change.after is not None and change.after.kind == BOX.kind:
            yield Move(state.turn, BLOCK, BOX, None, change.cell)
        elif change.before is None:
            below = (node_of(change.cell) or UP) - UP
            upright = bool(posts) or (not links and below in state.grid.standing)
            yield Move(state.turn, ADD, PAD_ON_POST if upright else PAD, None, change.cell)
        elif change.after is None:
            yield Move(state.turn, UNBUILD, None, change.cell)


def _left(state: State, markers: list[Change]) -> Iterator[Move]:
    """Markers that were taken off, or turned over where they stand; two that left beside each other may have been a
    kamikaze."""
    if state.turn is None:
        return
    there = dict(state.markers)
    gone = [change for change in markers if change.before is not None and change.after is None]
    if len(gone) == 2:
        for one, other in (gone, gone[::-1]):
            source = node_of(one.cell) or 0
            if there.get(source, -4) >> 2 == state.turn and one.before is not None:
                yield Move(state.turn, KAMIKAZE, one.before, one.cell, taken=(other.cell,))
    for change in gone:
        yield Move(state.turn, LIFT, change.before, change.cell)
    for change in markers:
        before, after = change.before, change.after
        if before is not None and after is not None and before.colour == after.colour and before.kind != after.kind:
            yield Move(state.turn, FLIP, before, change.cell)
