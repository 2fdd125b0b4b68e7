"""What may be done, and what an action does to the position."""

from __future__ import annotations

from functools import lru_cache

from rules.game import IllegalMove, Move, Reason, Verdict
from rules.gridopolis.against import reasons_against
from rules.gridopolis.grids import GridSet, above, beside, ends_at, with_blocker, with_pad
from rules.gridopolis.jumping import KAMIKAZE, MOVE, has_moves, kings, marker_moves
from rules.gridopolis.nodes import PADS, UP, cell_of, node_of
from rules.gridopolis.state import CROWNED, MOVED, State, is_king
from rules.words import Colour, Piece, Seat

BLOCK, ADD, DONE = "blocker", "add_pad", "done"
BOX, PAD, PAD_ON_POST = Piece("blocker", Colour("")), Piece("pad", Colour("")), Piece("pad-on-post", Colour(""))
_DONE: tuple[Move, ...] = tuple(Move(Seat(seat), DONE) for seat in range(4))


@lru_cache(maxsize=1 << 14)
def blocker_move(seat: Seat, node: int) -> Move:
    """A seat sets a blocker-box on a pad."""
    return Move(seat, BLOCK, BOX, None, cell_of(node, PADS))


@lru_cache(maxsize=1 << 14)
def add_move(seat: Seat, node: int, post: bool) -> Move:
    """A seat adds a pad, on a link to a pad beside it, or on a link and a post straight above another."""
    return Move(seat, ADD, PAD_ON_POST if post else PAD, None, cell_of(node, PADS))


@lru_cache(maxsize=1 << 14)
def add_moves(grid: GridSet, seat: Seat, links: bool, posts: bool, always_above: bool) -> tuple[Move, ...]:
    """Every way to add a pad, for a seat that has one, and that has links and posts or none."""
    level = [node for node, needs_link in beside(grid) if links or not needs_link]
    if always_above:
        level = [node for node in level if node - UP in grid.standing]
    upright = above(grid) if links and posts else ()
    return (*(add_move(seat, node, False) for node in level), *(add_move(seat, node, True) for node in upright))


def build_moves(state: State, seat: Seat) -> list[Move]:
    """Every blocker-box and pad that a seat may set."""
    pads, links, posts, blockers = state.reserve[4 * seat : 4 * seat + 4]
    found: list[Move] = []
    if blockers:
        there = dict(state.markers)
        found += [blocker_move(seat, node) for node in state.grid.plain if node not in there]
    if pads:
        always = state.table.readings.needs_pad_below == "always"
        found += add_moves(state.grid, seat, links > 0, posts > 0, always)
    return found


def moves(state: State) -> list[Move]:
    """Every legal action, once each."""
    seat = state.turn
    if seat is None:
        return []
    if state.mover:
        code = dict(state.markers)[state.mover]
        return [*marker_moves(state, state.mover, code), _DONE[seat]]
    found = [move for node, code in state.markers if code >> 2 == seat for move in marker_moves(state, node, code)]
    found += build_moves(state, seat)
    return found or [_DONE[seat]]


def _is_listed(state: State, move: Move) -> bool:
    """Whether `moves` has an action, without looking for all of them."""
    seat = state.turn
    if seat is None or move.seat != seat:
        return False
    if move.verb in (MOVE, KAMIKAZE):
        node = None if move.source is None else node_of(move.source)
        code = dict(state.markers).get(node or 0)
        if node is None or code is None or code >> 2 != seat or state.mover not in (0, node):
            return False
        return move in marker_moves(state, node, code)
    if move.verb == DONE:
        return move == _DONE[seat] and (state.mover != 0 or moves(state) == [move])
    return not state.mover and move.verb in (BLOCK, ADD) and move in build_moves(state, seat)


def judge(state: State, move: Move) -> Verdict:
    """Legal, or every reason why not, the one that matters most first. Never raises."""
    if _is_listed(state, move):
        return Verdict(move)
    return Verdict(move, tuple(reasons_against(state, move)) or (Reason("malformed"),))


def play(state: State, move: Move) -> State:
    """The position after a legal action. Raises `IllegalMove`."""
    seat = state.turn
    if seat is None or not _is_listed(state, move):
        codes = ", ".join(reason.code for reason in judge(state, move).reasons)
        raise IllegalMove(f"wanted a legal action, found {move} ({codes}): ask judge first")
    if move.verb == MOVE:
        return _moved(state, seat, move)
    if move.verb == KAMIKAZE:
        return _jumped_off(state, seat, move)
    if move.verb == DONE:
        return _next(state, seat, state.grid, state.markers, state.reserve, state.captured)
    node = node_of(move.target) if move.target is not None else None
    if node is None:
        raise IllegalMove(f"wanted an action on a node, found {move}: name one")
    reserve = bytearray(state.reserve)
    if move.verb == BLOCK:
        grid = with_blocker(state.grid, node)
        reserve[4 * seat + 3] -= 1
    else:
        post = move.piece == PAD_ON_POST
        grid = with_pad(state.grid, node, post)
        reserve[4 * seat] -= 1
        reserve[4 * seat + 1] -= post or not ends_at(state.grid, node)
        reserve[4 * seat + 2] -= post
    return _next(state, seat, grid, state.markers, bytes(reserve), state.captured)


def _moved(state: State, seat: Seat, move: Move) -> State:
    source, target = _nodes(move)
    there = dict(state.markers)
    code = there.pop(source)
    captured = state.captured
    if move.taken:
        counts = bytearray(captured)
        for cell in move.taken:
            gone = there.pop(node_of(cell) or 0)
            counts[8 * seat + (gone >> 1)] += 1
        captured = bytes(counts)
    crowned = CROWNED if kings(state.grid, target, code) else 0
    there[target] = code | MOVED | crowned
    markers = tuple(sorted(there.items()))
    if is_king(code) and not state.mover and len({other >> 2 for other in there.values()}) > 1:
        after = State(
            state.grid, markers, state.reserve, captured, state.turns, target, seat, None, state.table
        )
        if has_moves(after, target, there[target]):
            return after
    return _next(state, seat, state.grid, markers, state.reserve, captured)


def _jumped_off(state: State, seat: Seat, move: Move) -> State:
    """Both leave: the marker jumped is captured, the one that jumped is given to its owner."""
    there, counts = dict(state.markers), bytearray(state.captured)
    source = node_of(move.source) if move.source is not None else None
    own, other = there.pop(source or 0), there.pop(node_of(move.taken[0]) or 0)
    counts[8 * seat + (other >> 1)] += 1
    counts[8 * (other >> 2) + (own >> 1)] += 1
    return _next(state, seat, state.grid, tuple(sorted(there.items())), state.reserve, bytes(counts))


def _nodes(move: Move) -> tuple[int, int]:
    source = node_of(move.source) if move.source is not None else None
    target = node_of(move.target) if move.target is not None else None
    return source or 0, target or 0


def _next(
    state: State,
    seat: Seat,
    grid: GridSet,
    markers: tuple[tuple[int, int], ...],
    reserve: bytes,
    captured: bytes,
) -> State:
    """The turn goes to the next seat that has markers, clockwise; the game is over when one seat is left, or when in
    a timed game each has had its turns."""
    taken = list(state.turns)
    taken[seat] += 1
    turns = (taken[0], taken[1], taken[2], taken[3])
    left = {code >> 2 for _, code in markers}
    following: Seat | None = seat
    if len(left) > 1:
        following = next(Seat((seat + n) % 4) for n in range(1, 5) if (seat + n) % 4 in left)
        most = state.table.readings.turns
        if most and turns[following] >= most:
            following = None
    else:
        following = None
    won = None if markers else seat
    return State(grid, markers, reserve, captured, turns, 0, following, won, state.table)
