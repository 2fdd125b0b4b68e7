"""What a shift of the frame does to the blocks (facts 3.6), and who comes home by it."""

from __future__ import annotations

from dataclasses import dataclass

from rules.ido.geometry import SIZES, Board, Field
from rules.ido.readings import Readings
from rules.ido.state import OWNER, SIZE


@dataclass(frozen=True, slots=True)
class Push:
    """The squares whose blocks are pushed one square on; `chained` are those that no bar touches, `crossed` those
    whose blocks leave over their own target, `lost` those whose blocks leave anywhere else."""

    pushed: tuple[int, ...]
    chained: tuple[int, ...]
    crossed: tuple[int, ...]
    lost: tuple[int, ...]


def push_of(board: Board, field: Field, squares: bytes, way: int) -> Push:
    """What is pushed when the frame goes one square in a direction in which it can.

    A bar pushes the block just ahead of it; a block that stands in the way of a pushed one is pushed too.
    """
    ahead, past = board.ahead[way], board.target_past[way]
    swept = [square for square in field.swept[way] or () if squares[square]]
    pushed = set(swept)
    for square in swept:
        there = ahead[square]
        while there >= 0 and squares[there] and there not in pushed:
            pushed.add(there)
            there = ahead[there]
    in_order = tuple(sorted(pushed))
    leaving = [square for square in in_order if ahead[square] < 0]
    return Push(
        in_order,
        tuple(sorted(pushed.difference(swept))),
        tuple(square for square in leaving if past[square] == OWNER[squares[square]]),
        tuple(square for square in leaving if past[square] != OWNER[squares[square]]),
    )


def pushed_on(board: Board, squares: bytes, push: Push, way: int) -> bytes:
    """The squares once all pushed blocks have gone one on, and those that left are gone."""
    ahead, after = board.ahead[way], bytearray(squares)
    for square in push.pushed:
        after[square] = 0
    for square in push.pushed:
        if ahead[square] >= 0:
            after[ahead[square]] = squares[square]
    return bytes(after)


def home_with(
    home: tuple[tuple[str, ...], ...], squares: bytes, crossed: tuple[int, ...], readings: Readings
) -> tuple[tuple[str, ...], ...]:
    """Who is home once the blocks on these squares have crossed their owners' targets.

    Where an order is agreed, blocks that cross at once do so in the order that brings most of them home; what comes
    out of order is not home (and so in the supply), nor is what comes when the order is already complete.
    """
    for seat in {OWNER[squares[square]] for square in crossed}:
        sizes = [SIZES[SIZE[squares[square]]] for square in crossed if OWNER[squares[square]] == seat]
        theirs = home[seat]
        if readings.order:
            wanted = readings.order[len(theirs) :]
            came: list[str] = []
            while len(came) < len(wanted) and wanted[len(came)] in sizes:
                sizes.remove(wanted[len(came)])
                came.append(wanted[len(came)])
            sizes = came
        home = (*home[:seat], (*theirs, *sizes), *home[seat + 1 :])
    return home
