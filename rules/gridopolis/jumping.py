"""Where one marker may go: steps, jumps over one's own, chains of captures, kamikazes, and the way through teleporters.

Source: rulebook, "Starting" to "King jumping"; rules-protocol.md, "Gridopolis", for what the rulebook leaves open.
"""

from __future__ import annotations

from functools import lru_cache

from rules.game import Move
from rules.gridopolis.grids import KINGERIZER, TELEPORTER, GridSet, home_part
from rules.gridopolis.nodes import EVERY, FORWARD, LEVEL, ONWARD, cell_of
from rules.gridopolis.readings import Readings
from rules.gridopolis.state import MOVED, Colours, State, is_king, marker_piece
from rules.words import Cell, Seat

MOVE, KAMIKAZE = "move", "kamikaze"


@lru_cache(maxsize=1 << 17)
def move_of(
    colours: Colours, code: int, source: int, path: tuple[int, ...], taken: tuple[int, ...], target: int
) -> Move:
    """A marker goes along a path and stands on `target` in the end, its last landing or where that teleports to."""
    cells = tuple(cell_of(node) for node in path)
    gone = tuple(cell_of(node) for node in taken)
    piece = marker_piece(colours, code)
    return Move(Seat(code >> 2), MOVE, piece, cell_of(source), cell_of(target), "", cells, gone)


@lru_cache(maxsize=1 << 14)
def kamikaze_of(colours: Colours, code: int, source: int, over: int) -> Move:
    """A marker jumps over another and off the grid-set."""
    gone: tuple[Cell, ...] = (cell_of(over),)
    return Move(Seat(code >> 2), KAMIKAZE, marker_piece(colours, code), cell_of(source), taken=gone)


def first_directions(grid: GridSet, node: int, code: int) -> tuple[int, ...]:
    """The directions in which a marker's move may begin.

    A pawn's first move, or one from its own home row, goes forward; later ones never go backwards.
    """
    if is_king(code):
        return EVERY
    seat = Seat(code >> 2)
    return ONWARD[seat] if code & MOVED and grid.landing.get(node) != home_part(seat) else FORWARD[seat]


def further_directions(code: int) -> tuple[int, ...]:
    """The directions in which a marker's chain may go on."""
    return EVERY if is_king(code) else ONWARD[code >> 2]


def kings(grid: GridSet, node: int, code: int) -> bool:
    """Whether a pawn that lands on a pad becomes a king: any opponent's home row."""
    part = grid.landing.get(node, 0)
    return part >= KINGERIZER and part != home_part(Seat(code >> 2)) and not is_king(code)


def is_off(grid: GridSet, node: int, readings: Readings) -> bool:
    """Whether a node is off the grid-set, for a kamikaze."""
    return node not in (grid.landing if readings.blocked_is_off else grid.standing)


def marker_moves(state: State, node: int, code: int) -> list[Move]:
    """Every move of the marker on a node, whoever's turn it is: steps and jumps with their prefixes, kamikazes.

    The chain that has come so far is a move, whether or not it could go on.
    """
    walk = _Walk(state, node, code)
    there = walk.there
    landing, colours = state.grid.landing, state.table.colours
    seat = code >> 2
    for direction in first_directions(state.grid, node, code):
        near = node + direction
        other = there.get(near)
        if other is None:
            part = landing.get(near)
            if part == TELEPORTER:
                walk.add((near,), ())
            elif part is not None:
                walk.found.append(move_of(colours, code, node, (near,), (), near))
        elif other >> 2 == seat:
            walk.over_own(direction)
        else:
            walk.capture(node, direction, (), ())
            if direction in LEVEL and is_off(state.grid, near + direction, walk.readings):
                walk.found.append(kamikaze_of(colours, code, node, near))
    return walk.found


def has_moves(state: State, node: int, code: int) -> bool:
    """Whether the marker on a node can go anywhere."""
    there = {at for at, _ in state.markers}
    landing = state.grid.landing
    for direction in first_directions(state.grid, node, code):
        near = node + direction
        if near not in there and near in landing:
            return True
    return bool(marker_moves(state, node, code))


class _Walk:
    """One marker's ways, as they are found. `there` has the other markers: the pad it left is free."""

    __slots__ = ("code", "found", "grid", "node", "readings", "state", "there")

    def __init__(self, state: State, node: int, code: int) -> None:
        self.state, self.node, self.code = state, node, code
        self.grid, self.readings = state.grid, state.table.readings
        self.there = dict(state.markers)
        self.there.pop(node, None)
        self.found: list[Move] = []

    def exits(self, teleporter: int) -> list[int]:
        """The teleporters where a marker that lands on one may come out."""
        return [other for other in self.grid.teleporters if other != teleporter and other not in self.there]

    def add(self, path: tuple[int, ...], taken: tuple[int, ...]) -> list[int]:
        """Notes a way so far, with each way out where its last landing teleports; gives these ways out."""
        last = path[-1]
        outs = self.exits(last) if self.grid.landing[last] == TELEPORTER else []
        colours = self.state.table.colours
        for target in outs or (last,):
            self.found.append(move_of(colours, self.code, self.node, path, taken, target))
        return outs

    def over_own(self, direction: int) -> None:
        """Jumps over one's own markers, on along one straight line."""
        seat, path, over = self.code >> 2, (), self.node + direction  # type: int, tuple[int, ...], int
        while True:
            other, to = self.there.get(over), over + direction
            if other is None or other >> 2 != seat or to not in self.grid.landing or to in self.there:
                return
            path = (*path, to)
            if self.add(path, ()) or kings(self.grid, to, self.code):
                return
            over = to + direction

    def capture(self, at: int, direction: int, path: tuple[int, ...], taken: tuple[int, ...]) -> None:
        """A capture in a direction, and every chain that goes on from there."""
        over, to = at + direction, at + 2 * direction
        if to not in self.grid.landing or to in self.there:
            return
        gone = self.there.pop(over)
        path, taken = (*path, to), (*taken, over)
        outs = self.add(path, taken)
        if not outs:
            if not kings(self.grid, to, self.code):
                self.go_on(to, path, taken)
        elif self.readings.chain_after_teleport:
            for out in outs:
                self.go_on(out, (*path, out), taken)
        self.there[over] = gone

    def go_on(self, at: int, path: tuple[int, ...], taken: tuple[int, ...]) -> None:
        seat = self.code >> 2
        for direction in further_directions(self.code):
            other = self.there.get(at + direction)
            if other is not None and other >> 2 != seat:
                self.capture(at, direction, path, taken)
