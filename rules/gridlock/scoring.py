"""Chains, totals and who has won."""

from __future__ import annotations

from rules.game import Outcome, ScoreLine
from rules.gridlock.moves import RAYS
from rules.gridlock.state import CELLS, LIE, OVER, SQUARES, State
from rules.words import Cell, Seat


def chain_points(length: int) -> int:
    """What a chain of so many pieces is worth: it doubles with each piece.

    >>> [chain_points(n) for n in range(1, 9)]
    [1, 2, 4, 8, 16, 32, 64, 128]
    """
    return 1 << (length - 1)


def chains(state: State, seat: Seat) -> list[tuple[Cell, ...]]:
    """The chains of pieces that point away from `seat`, whatever their colour (B20); each from the one
    nearest the seat outwards, the longest chain first. Upright pieces are nobody's yet."""
    mine = [LIE[code] == seat + 1 for code in state.board]
    group = state.table.readings.chain == "group"
    found: list[tuple[Cell, ...]] = []
    done = [False] * SQUARES
    behind = RAYS[(seat + 2) % 4]
    for index in sorted(range(SQUARES), key=lambda i: (len(behind[i]), i)):
        if not mine[index] or done[index]:
            continue
        chain: list[int] = []
        todo = [index]
        while todo:
            here = todo.pop(0)
            if done[here] or not mine[here]:
                continue
            done[here] = True
            chain.append(here)
            todo.extend(RAYS[facing][here][0] for facing in (range(4) if group else (seat,)) if RAYS[facing][here])
        found.append(tuple(CELLS[i] for i in chain))
    return sorted(found, key=lambda chain: -len(chain))


def score(state: State) -> list[ScoreLine]:
    """A line for each chain of each seat, the position as it lies."""
    return [
        ScoreLine(seat, "chain", chain_points(len(chain)), chain)
        for seat in state.table.seats
        for chain in chains(state, seat)
    ]


def outcome(state: State) -> Outcome | None:
    """The winners (every side of a player who wins), or None while a piece still stands or waits."""
    if state.phase != OVER:
        return None
    results: list[tuple[tuple[int, ...], tuple[Seat, ...]]] = []
    for player in state.table.players:
        lengths = sorted((len(chain) for seat in player for chain in chains(state, seat)), reverse=True)
        total = sum(chain_points(length) for length in lengths)
        rank = (total, *lengths) if state.table.readings.tie == "longest_chain" else (total,)
        results.append((rank, player))
    best = max(rank for rank, _ in results)
    return Outcome(tuple(sorted(seat for rank, player in results if rank == best for seat in player)), "complete")
