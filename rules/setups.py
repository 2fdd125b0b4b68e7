"""What every game asks of a setup."""

from __future__ import annotations

from rules.game import Fault, Setup
from rules.words import SEATS, seat_name


def colour_faults(setup: Setup) -> list[Fault]:
    """Seats without a colour of their own.

    >>> from rules.words import Colour, Seat
    >>> sides = ((Seat(0), Colour("red")), (Seat(1), Colour("")), (Seat(2), Colour("red")))
    >>> [(fault.code, fault.at) for fault in colour_faults(Setup(sides, (), Seat(0)))]
    [('no-colour', ('west',)), ('same-colour', ('south', 'north'))]
    """
    named = [(seat_name(seat) if seat in SEATS else str(seat), colour) for seat, colour in setup.colours]
    faults = []
    without = tuple(name for name, colour in named if not colour.strip() or not colour.isprintable())
    if without:
        text = f"wanted a colour for each seat, found {' and '.join(without)} without: name it"
        faults.append(Fault("no-colour", without, text))
    for colour in sorted({colour for _, colour in named if colour}):
        at = tuple(name for name, theirs in named if theirs == colour)
        if len(at) > 1:
            text = f"wanted a different colour for each seat, found {colour} at {' and '.join(at)}: change one"
            faults.append(Fault("same-colour", at, text))
    return faults
