"""Gridopolis' notation: one short word an action, legal or not. A node is x,y,z.

    S:0,-1,1>0,0,1                        south's marker goes from 0,-1,1 to 0,0,1
    S:0,-2,1>0,0,1                        it jumps over one of its own; >...>... on, and on
    S:0,-1,1>0,1,1>2,1,1x0,0,1x1,1,1      a chain of captures; after each x a marker that left
    S:1,-1,1>0,0,1@2,2,1                  it lands on a teleporter and comes out at 2,2,1
    S:0,0,1*1,0,1                         a kamikaze over 1,0,1
    S:b1,1,0                              south sets a blocker-box on 1,1,0
    S:+3,0,1  S:+0,0,3/post               south adds a pad on a link; on a link and a post
    S:done                                south's turn ends
    S:l0,0,1  S:f0,0,1  S:u3,0,1          never legal: a marker lifted off, turned over, a pad taken away
    S:0,3,1>0,4,1/pawn                    never legal: what came home was not turned (/king: what did not was)

Seats are S W N E.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rules.game import Move, NotationError
from rules.gridopolis.grids import TELEPORTER
from rules.gridopolis.moves import ADD, BLOCK, BOX, DONE, PAD, PAD_ON_POST
from rules.gridopolis.nodes import PADS, cell_of, node_at
from rules.gridopolis.state import State, marker_piece
from rules.words import SEATS, Cell, Piece, Seat

_SEAT_MARKS = "SWNE"
_N = "(?:0|-?[1-9][0-9]?),(?:0|-?[1-9][0-9]?),(?:0|-?[1-9][0-9]?)"
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("move", re.compile(f"({_N})((?:>{_N})*)((?:x{_N})*)(?:@({_N}))?(?:/(pawn|king))?")),
    ("kamikaze", re.compile(rf"({_N})\*({_N})")),
    ("blocker", re.compile(f"b({_N})")),
    ("add_pad", re.compile(rf"\+({_N})(/post)?")),
    ("done", re.compile("done")),
    ("lift", re.compile(f"l({_N})")),
    ("flip", re.compile(f"f({_N})")),
    ("unbuild", re.compile(f"u({_N})")),
)


@lru_cache(maxsize=1 << 14)
def node_text(cell: Cell) -> str:
    """A place by its node.

    >>> node_text(Cell(0, -1, 1))
    '0,-1,1'
    """
    return f"{cell.col},{cell.row},{cell.level}"


def node_named(text: str) -> int:
    """The node that a text of `node_text` names."""
    x, y, z = map(int, text.split(","))
    return node_at(x, y, z)


def write(move: Move) -> str:
    """A move as a word; `read` gives every move back that `moves` or `guess` may name.

    >>> write(Move(Seat(0), "kamikaze", None, Cell(0, 0, 1), taken=(Cell(1, 0, 1),)))
    'S:0,0,1*1,0,1'
    """
    seat = _SEAT_MARKS[move.seat] if move.seat in SEATS else "?"
    source = "" if move.source is None else node_text(move.source)
    target = "" if move.target is None else node_text(move.target)
    match move.verb:
        case "move":
            path = "".join(f">{node_text(cell)}" for cell in move.path)
            taken = "".join(f"x{node_text(cell)}" for cell in move.taken)
            out = "" if not move.path or move.target in (None, move.path[-1]) else f"@{target}"
            return f"{seat}:{source}{path}{taken}{out}{'/' if move.note else ''}{move.note}"
        case "kamikaze":
            return f"{seat}:{source}*{''.join(node_text(cell) for cell in move.taken[:1])}"
        case "blocker":
            return f"{seat}:b{target}"
        case "add_pad":
            return f"{seat}:+{target}{'/post' if move.piece == PAD_ON_POST else ''}"
        case "lift":
            return f"{seat}:l{source}"
        case "flip":
            return f"{seat}:f{source}"
        case "unbuild":
            return f"{seat}:u{source}"
        case _:
            return f"{seat}:{move.verb}"


def read(text: str, state: State) -> Move:
    """The move a word stands for in this position, legal or not. Raises `NotationError`."""
    mark, colon, rest = text.strip().partition(":")
    if not colon or mark not in ("S", "W", "N", "E"):
        raise NotationError(
            f"wanted a seat (S, W, N, E) and a colon as in S:0,-1,1>0,0,1, found {text!r:.60}: correct the move"
        )
    seat = Seat(_SEAT_MARKS.index(mark))
    for verb, shape in _SHAPES:
        if found := shape.fullmatch(rest):
            return _built(verb, seat, found, state)
    raise NotationError(
        "wanted a move like S:0,-1,1>0,0,1, S:0,0,1*1,0,1 (kamikaze), S:b1,1,0 (blocker-box), S:+3,0,1 (pad) or "
        f"S:done, found {text!r:.60}: correct the move"
    )


def piece_at(state: State, node: int) -> Piece | None:
    """The marker on a node, as a piece."""
    code = dict(state.markers).get(node)
    return None if code is None else marker_piece(state.table.colours, code)


def hops_over(state: State, source: int, path: list[int]) -> list[int]:
    """The nodes over which a way jumps, in order; from the teleporter it lands on to where it comes out, over none.

    A landing on a teleporter from which the way goes on to another is one, as `chain_after_teleport` lists it.
    """
    landing = state.grid.landing
    over, at, landed = [], source, False
    for to in path:
        comes_out = landed and landing.get(at) == TELEPORTER and landing.get(to) == TELEPORTER
        if not comes_out:
            over.append((at + to) // 2)
        at, landed = to, not comes_out
    return over


def way(
    state: State, seat: Seat, source: int, path: list[int], taken: list[int], out: int | None, note: str = ""
) -> Move:
    """The move of a marker along a path; markers it jumps are named in the order of the jumps.

    What is named in another order is put in order, and what is named twice or was not jumped comes last. Raises
    `NotationError` for a teleport to the landing itself: that is none, and none is said by naming none.
    """
    if out is not None and path and out == path[-1]:
        raise NotationError("wanted another pad than the landing to come out at, found the same: name it, or none")
    over = hops_over(state, source, path)
    ordered = [node for node in over if node in taken]
    ordered = list(dict.fromkeys(ordered))
    left = list(taken)
    for node in ordered:
        left.remove(node)
    target = out if out is not None else path[-1] if path else None
    return Move(
        seat,
        "move",
        piece_at(state, source),
        cell_of(source),
        None if target is None else cell_of(target),
        note,
        tuple(cell_of(node) for node in path),
        tuple(cell_of(node) for node in (*ordered, *left)),
    )


def _built(verb: str, seat: Seat, found: re.Match[str], state: State) -> Move:
    parts = found.groups()
    match verb:
        case "move":
            source, path, taken, out, note = parts
            if not path:
                raise NotationError(f"wanted a way as in {source}>0,0,1, found none: say where the marker went")
            return way(
                state,
                seat,
                node_named(source),
                [node_named(one) for one in path.split(">")[1:]],
                [node_named(one) for one in taken.split("x")[1:]],
                None if out is None else node_named(out),
                note or "",
            )
        case "kamikaze":
            source = node_named(parts[0])
            return Move(seat, verb, piece_at(state, source), cell_of(source), taken=(cell_of(node_named(parts[1])),))
        case "blocker":
            return Move(seat, BLOCK, BOX, None, cell_of(node_named(parts[0]), PADS))
        case "add_pad":
            piece = PAD if parts[1] is None else PAD_ON_POST
            return Move(seat, ADD, piece, None, cell_of(node_named(parts[0]), PADS))
        case "done":
            return Move(seat, DONE)
        case "unbuild":
            return Move(seat, verb, None, cell_of(node_named(parts[0]), PADS))
        case _:
            source = node_named(parts[0])
            return Move(seat, verb, piece_at(state, source), cell_of(source))
