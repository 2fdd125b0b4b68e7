"""Points, and who won.

Source: rulebook, "Gameplay: Option 1", "Option 2", "Point system".
"""

from __future__ import annotations

from rules.game import Outcome, ScoreLine
from rules.gridopolis.nodes import cell_of
from rules.gridopolis.state import State, is_king
from rules.words import Seat

CAPTURED_KINGS, CAPTURED_PAWNS, KINGS_LEFT, PAWNS_LEFT = "captured_kings", "captured_pawns", "kings_left", "pawns_left"
POINTS: dict[str, int] = {CAPTURED_KINGS: 4, CAPTURED_PAWNS: 3, KINGS_LEFT: 2, PAWNS_LEFT: 1}
"""By part of a score, and in its order: what a marker counts."""


def captured_by(state: State, seat: Seat, king: bool) -> int:
    """How many kings or pawns a seat has captured, those given to it after a kamikaze among them."""
    return sum(state.captured[8 * seat + king : 8 * seat + 8 : 2])


def score(state: State) -> list[ScoreLine]:
    """The points of each seat in play: a line for what it captured and for what it has left, kings and pawns apart."""
    lines = []
    for seat in state.table.seats:
        for label, king in ((CAPTURED_KINGS, True), (CAPTURED_PAWNS, False)):
            if count := captured_by(state, seat, king):
                lines.append(ScoreLine(seat, label, count * POINTS[label]))
        for label, king in ((KINGS_LEFT, True), (PAWNS_LEFT, False)):
            cells = tuple(cell_of(n) for n, code in state.markers if code >> 2 == seat and is_king(code) == king)
            if cells:
                lines.append(ScoreLine(seat, label, len(cells) * POINTS[label], cells))
    return lines


def last_to_act(state: State) -> tuple[Seat, ...]:
    """Who may have jumped, where the last two markers went in a kamikaze and a position of other hands does not say
    who: of those who captured any, who has taken most turns; both who have taken as many."""
    of = [seat for seat in state.table.seats if any(state.captured[8 * seat : 8 * seat + 8])] or state.table.seats
    most = max(state.turns[seat] for seat in of)
    return tuple(seat for seat in of if state.turns[seat] == most)


def outcome(state: State) -> Outcome | None:
    """Who won, or None while the game goes on.

    The last one standing; in a timed game who has most points, several if they have the same. Where the last two
    markers went in a kamikaze, who jumped.
    """
    if state.turn is not None:
        return None
    if state.won is not None:
        return Outcome((state.won,), "complete")
    if not state.markers:
        return Outcome(last_to_act(state), "complete")
    if not state.table.readings.turns:
        return Outcome(state.seats_left, "complete")
    totals = dict.fromkeys(state.table.seats, 0)
    for line in score(state):
        totals[line.seat] += line.points
    most = max(totals.values())
    return Outcome(tuple(seat for seat, points in totals.items() if points == most), "complete")
