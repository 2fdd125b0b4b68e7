"""What to put back where: from the cells that differ to steps a person can follow. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from rules.words import Cell, Change, Piece, Seat
from webui.desk import SeatView
from webui.phrases import VAN_ZONE, cell_name, piece_name, posture, say, seat_phrase


@dataclass(frozen=True, slots=True)
class MoveBack:
    """A piece lies in `source` and belongs to `target`, as `piece` says."""

    source: Cell
    target: Cell
    piece: Piece


@dataclass(frozen=True, slots=True)
class TurnBack:
    """The right piece is in its cell but stands or points otherwise."""

    target: Cell
    found: Piece
    piece: Piece


@dataclass(frozen=True, slots=True)
class PutDown:
    """A piece is missing."""

    target: Cell
    piece: Piece


@dataclass(frozen=True, slots=True)
class TakeAway:
    """A piece is too many."""

    source: Cell
    piece: Piece


@dataclass(frozen=True, slots=True)
class Swap:
    """Another piece stands where `piece` belongs, and neither belongs to another cell of the list."""

    target: Cell
    found: Piece
    piece: Piece


Step = MoveBack | TurnBack | PutDown | TakeAway | Swap


def _same_thing(one: Piece, other: Piece) -> bool:
    return (one.kind, one.colour) == (other.kind, other.colour)


def steps_to(changes: Sequence[Change]) -> tuple[Step, ...]:
    """Steps from what lies there (`before`) to what belongs there (`after`): as few as possible, moves first,
    since a piece moved back mends two cells; then turns, then what is missing or too many."""
    turns: list[Step] = []
    over: list[tuple[Cell, Piece]] = []
    lacking: list[tuple[Cell, Piece]] = []
    for change in changes:
        before, after = change.before, change.after
        if before and after and _same_thing(before, after):
            if before != after:
                turns.append(TurnBack(change.cell, before, after))
            continue
        if before:
            over.append((change.cell, before))
        if after:
            lacking.append((change.cell, after))
    moves: list[Step] = []
    for target, piece in list(lacking):
        source = next((pair for pair in over if _same_thing(pair[1], piece)), None)
        if source:
            moves.append(MoveBack(source[0], target, piece))
            over.remove(source)
            lacking.remove((target, piece))
    return (*moves, *turns, *_leftovers(over, lacking))


def _leftovers(over: list[tuple[Cell, Piece]], lacking: list[tuple[Cell, Piece]]) -> list[Step]:
    steps: list[Step] = []
    missing = dict(lacking)
    for cell, piece in over:
        wanted = missing.pop(cell, None)
        steps.append(Swap(cell, piece, wanted) if wanted else TakeAway(cell, piece))
    steps += [PutDown(cell, piece) for cell, piece in missing.items()]
    return steps


def step_sentence(step: Step, language: str, seats: Sequence[SeatView] = ()) -> str:
    """The step as a sentence.

    >>> from rules.words import Colour
    >>> step_sentence(TakeAway(Cell(0, 0), Piece("small", Colour("red"))), "en")
    'Take the small red off a1.'
    """
    match step:
        case MoveBack(_, target, piece) | PutDown(target, piece) if target.zone == VAN_ZONE:
            return say("step.van", language, who=seat_phrase(Seat(target.col), language, seats))
        case MoveBack(source, target, piece):
            names = {"source": cell_name(source, language, seats), "target": cell_name(target, language, seats)}
            back = say("step.move", language, piece=piece_name(piece, language), **names)
            return f"{back[:-1]}, {posture(piece, language)}."
        case TurnBack(target, _, piece):
            key, source = "step.stand" if piece.facing is None else "step.turn", target
        case PutDown(target, piece):
            key, source = "step.put", target
        case TakeAway(source, piece):
            key, target = "step.take", source
        case Swap(target, found, piece):
            return say(
                "step.swap",
                language,
                target=cell_name(target, language, seats),
                old=piece_name(found, language),
                piece=piece_name(piece, language),
                posture=posture(piece, language),
            )
        case _:
            assert_never(step)
    return say(
        key,
        language,
        source=cell_name(source, language, seats),
        target=cell_name(target, language, seats),
        piece=piece_name(piece, language),
        posture=posture(piece, language),
    )
