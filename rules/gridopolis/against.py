"""Why an action is refused: the rules it breaks, the one that matters most first.

Asked only about actions that are not legal. A way is walked hop by hop and the first rule broken on it is told; what
is wrong beside the way (a marker left lying, a teleporter not taken) is told with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rules.game import Move, Reason
from rules.gridopolis.grids import BLOCKER, TELEPORTER, beside, ends_at, home_part, post_links
from rules.gridopolis.jumping import first_directions, further_directions, is_off, kings
from rules.gridopolis.nodes import EVERY, LEVEL, PADS, UP, cell_of, node_of
from rules.gridopolis.state import MOVED, RANKS, State
from rules.words import SEATS, Cell, Seat

LIFT, FLIP, UNBUILD = "lift", "flip", "unbuild"
"""Never legal, but seen on tables: a marker taken off, one turned over where it stands, a pad taken away."""


def reasons_against(state: State, move: Move) -> list[Reason]:
    """Why a move that is not legal is refused; empty if nothing is found but that it says more than it may."""
    cells = tuple(cell for cell in (move.source, move.target) if cell is not None)
    if state.turn is None:
        return [Reason("over")]
    if move.seat not in SEATS or not state.table.colours[move.seat]:
        return [Reason("no-such-seat")]
    if move.seat != state.turn:  # what else may be wrong with it does not matter then
        return [Reason("out-of-turn", cells, move.seat)]
    match move.verb:
        case "move" | "kamikaze":
            return list(_against_marker(state, move))
        case "blocker" | "add_pad" if state.mover:
            return [Reason("king-still-moving", (cell_of(state.mover), *cells))]
        case "blocker":
            return list(_against_blocker(state, move))
        case "add_pad":
            return list(_against_pad(state, move))
        case "done":
            return [] if state.mover else [Reason("must-act", (), move.seat)]
        case "lift":
            return [Reason("lifted", cells)]
        case "flip":
            return [Reason("flipped", cells)]
        case "unbuild":
            return [Reason("unbuilt", cells)]
        case _:
            return [Reason("no-such-action")]


def _against_marker(state: State, move: Move) -> Iterator[Reason]:
    source = None if move.source is None else node_of(move.source)
    there = dict(state.markers)
    code = there.get(source or 0)
    at = () if move.source is None else (move.source,)
    if source is None or code is None:
        yield Reason("no-marker-there", at)
        return
    if code >> 2 != move.seat:
        yield Reason("not-own-marker", at, Seat(code >> 2))
        return
    if state.mover not in (0, source):
        yield Reason("another-king", (cell_of(state.mover), *at))
        return
    if move.verb == "kamikaze":
        yield from _against_kamikaze(state, move, source, code)
        return
    path = [node_of(cell) for cell in move.path]
    if not path or None in path or any(cell.zone != "board" for cell in move.path):
        yield Reason("no-pad-there", move.path) if path else Reason("goes-nowhere", at)
        return
    yield from _Way(state, move, source, code, [node for node in path if node is not None]).against()
    if move.note:
        yield Reason("not-turned" if move.note == RANKS[0] else "turned", cells_of(move.target))


def cells_of(cell: Cell | None) -> tuple[Cell, ...]:
    """A cell as a tuple, none where there is none."""
    return () if cell is None else (cell,)


@dataclass(slots=True)
class _Way:
    """A marker's way as it is walked. `jumped` has the opponents jumped so far, `there` who stands where."""

    state: State
    move: Move
    source: int
    code: int
    path: list[int]
    there: dict[int, int] = field(default_factory=dict)
    jumped: list[int] = field(default_factory=list)

    def against(self) -> Iterator[Reason]:
        self.there = dict(self.state.markers)
        self.there.pop(self.source, None)
        at, kind, line, landed = self.source, "", 0, False
        for number, to in enumerate(self.path):
            if landed and self._comes_out(at, to, kind, number):
                at, landed = to, False
                continue
            found = self._ends(at) if landed and kind != "step" else None
            if found is None:
                found, kind, line = self._hop(at, to, kind, line, number == 0)
            if found is not None:
                yield found
                return
            at, landed = to, True
        yield from self._after()

    def _comes_out(self, last: int, to: int, kind: str, number: int) -> bool:
        """Whether the path lists here where a chain of captures came out of a teleporter to go on."""
        grid = self.state.grid
        return (
            self.state.table.readings.chain_after_teleport
            and kind == "capture"
            and grid.landing.get(last) == TELEPORTER
            and grid.landing.get(to) == TELEPORTER
            and to != last
            and to not in self.there
            and number + 1 < len(self.path)
        )

    def _ends(self, at: int) -> Reason | None:
        """Why no jump goes on from a pad; None where one may."""
        if self._teleports(at):
            return Reason("must-teleport", (cell_of(at),))
        return Reason("ends-when-kinged", (cell_of(at),)) if kings(self.state.grid, at, self.code) else None

    def _hop(self, at: int, to: int, kind: str, line: int, first: bool) -> tuple[Reason | None, str, int]:
        """One hop: the rule it breaks, what it is (step, own, capture), and its direction."""
        grid, cells = self.state.grid, (cell_of(at), cell_of(to))
        if kind == "step":
            return Reason("one-step-only", cells), kind, 0
        if to not in grid.standing:
            return Reason("no-pad-there", (cell_of(to),)), kind, 0
        if grid.standing[to] == BLOCKER:
            return Reason("pad-blocked", (cell_of(to),)), kind, 0
        if to in self.there:
            return Reason("pad-taken", (cell_of(to),)), kind, 0
        step = to - at
        if step in EVERY and first:
            return self._against_direction(step, cells, True), "step", step
        direction = next((d for d in EVERY if 2 * d == step), 0)
        if not direction:
            return Reason("one-step-only" if step in EVERY else "not-straight", cells), kind, 0
        over = at + direction
        other = self.there.get(over)
        if other is None:
            return Reason("nothing-to-jump", (cell_of(over),)), kind, 0
        here = "own" if other >> 2 == self.code >> 2 else "capture"
        if kind and here != kind:
            return Reason("mixed-jumps", (cell_of(over),)), kind, 0
        if here == "own" and line and line != direction:
            return Reason("own-jumps-straight", cells), kind, 0
        if here == "capture":
            self.jumped.append(over)
            self.there.pop(over)
        return self._against_direction(direction, cells, first), here, direction

    def _against_direction(self, direction: int, cells: tuple[Cell, ...], first: bool) -> Reason | None:
        return direction_reason(self.state, self.source, self.code, direction, cells, first)

    def _exits(self, teleporter: int) -> list[int]:
        return [other for other in self.state.grid.teleporters if other != teleporter and other not in self.there]

    def _teleports(self, node: int) -> bool:
        return self.state.grid.landing.get(node) == TELEPORTER and bool(self._exits(node))

    def _after(self) -> Iterator[Reason]:
        """What must be right once the way is walked: who was taken off, and where the marker came out."""
        taken = [node_of(cell) for cell in self.move.taken]
        left = [cell_of(node) for node in self.jumped if node not in taken]
        if left:
            yield Reason("captured-not-removed", tuple(left))
        extra = [cell for cell in self.move.taken if node_of(cell) not in self.jumped or cell.zone != "board"]
        if extra:
            yield Reason("not-jumped", tuple(extra))
        last, target = self.path[-1], None if self.move.target is None else node_of(self.move.target)
        if target == last:
            if self._teleports(last):
                yield Reason("must-teleport", (cell_of(last),))
        elif self.state.grid.landing.get(last) != TELEPORTER:
            yield Reason("no-teleporter", (cell_of(last), *cells_of(self.move.target)))
        elif target is None or self.state.grid.landing.get(target) != TELEPORTER:
            yield Reason("comes-out-elsewhere", (cell_of(last), *cells_of(self.move.target)))
        elif target in self.there:
            yield Reason("pad-taken", cells_of(self.move.target))


def direction_reason(
    state: State, source: int, code: int, direction: int, cells: tuple[Cell, ...], first: bool
) -> Reason | None:
    """The rule that a direction breaks, for a marker's first hop or a later one."""
    seat = Seat(code >> 2)
    if direction not in further_directions(code):
        return Reason("backwards", cells, seat)
    if first and direction not in first_directions(state.grid, source, code):
        home = code & MOVED and state.grid.landing.get(source) == home_part(seat)
        return Reason("not-forward-from-home" if home else "first-not-forward", cells, seat)
    return None


def _against_kamikaze(state: State, move: Move, source: int, code: int) -> Iterator[Reason]:
    over = node_of(move.taken[0]) if len(move.taken) == 1 and move.taken[0].zone == "board" else None
    if over is None:
        yield Reason("kamikaze-takes-one", move.taken)
        return
    other = dict(state.markers).get(over)
    at = (cell_of(source), cell_of(over))
    if other is None or over == source:
        yield Reason("nothing-to-jump", (cell_of(over),))
        return
    if other >> 2 == move.seat:
        yield Reason("kamikaze-own", (cell_of(over),))
    direction = over - source
    if direction not in EVERY:
        yield Reason("not-straight", at)
        return
    if direction not in LEVEL:
        yield Reason("kamikaze-level", at)
    found = direction_reason(state, source, code, direction, at, True)
    if found is not None:
        yield found
    if not is_off(state.grid, over + direction, state.table.readings):
        yield Reason("pad-behind", (cell_of(over + direction),))


def _against_blocker(state: State, move: Move) -> Iterator[Reason]:
    if not state.reserve[4 * move.seat + 3]:
        yield Reason("no-blocker-left", (), move.seat)
    node = None if move.target is None or move.target.zone != PADS else node_of(move.target)
    part = state.grid.standing.get(node or 0)
    if node is None or part is None:
        yield Reason("no-pad-there", cells_of(move.target))
        return
    if part == BLOCKER:
        yield Reason("pad-blocked", cells_of(move.target))
    elif part:
        yield Reason("pad-has-part", cells_of(move.target))
    if node in dict(state.markers):
        yield Reason("pad-taken", cells_of(move.target))


def _against_pad(state: State, move: Move) -> Iterator[Reason]:
    pads, links, posts, _ = state.reserve[4 * move.seat : 4 * move.seat + 4]
    post = move.piece is not None and move.piece.kind == "pad-on-post"
    if not pads:
        yield Reason("no-pad-left", (), move.seat)
    node = None if move.target is None or move.target.zone != PADS else node_of(move.target)
    if node is None:
        yield Reason("no-such-place", cells_of(move.target))
        return
    if post and not posts:
        yield Reason("no-post-left", (), move.seat)
    if not links and (post or not ends_at(state.grid, node)):
        yield Reason("no-link-left", (), move.seat)
    at = cells_of(move.target)
    if node in state.grid.standing:
        yield Reason("pad-there", at)
        return
    needs_below = post or state.table.readings.needs_pad_below == "always"
    if needs_below and node - UP not in state.grid.standing:
        yield Reason("no-pad-below", at)
    elif post and not post_links(state.grid, node):
        yield Reason("no-link-below", at)
    if not post and node not in dict(beside(state.grid)):
        yield Reason("nothing-beside", at)
