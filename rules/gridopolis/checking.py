"""Whether a position can have come about: what play keeps, asked of a loaded position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from rules.game import Fault
from rules.gridopolis.grids import BLOCKER, KINGERIZER
from rules.gridopolis.nodes import place_of
from rules.gridopolis.state import MARKERS_EACH, State, is_king
from rules.words import Seat, seat_name


def faults_of(state: State, spoilt: frozenset[str]) -> list[Fault]:
    """Everything that cannot be in a position. Nothing is asked of the parts in `spoilt`, the keys that could not be
    read, nor of others by them."""

    def whole(*keys: str) -> bool:
        return spoilt.isdisjoint(keys)

    found: list[Fault] = []
    if whole("pads"):
        found.extend(_places(state, whole("parts", "ranks")))
    if whole("colours"):
        found.extend(_counts(state))
        if whole("markers", "owners", "ranks", "mover", "to_move"):
            found.extend(_mover(state))
        found.extend(_turn(state, whole))
    return found


def _places(state: State, ranks: bool) -> Iterator[Fault]:
    """Where a marker can stand; `ranks`: parts of pads and ranks of markers are known too."""
    for node, code in state.markers:
        place, part = place_of(node), state.grid.standing.get(node)
        if part is None:
            yield Fault("no-pad-there", (place,), f"wanted every marker on a pad, found one at {place}: add a pad")
        elif part == BLOCKER:
            text = f"wanted no marker on a pad with a blocker-box, found one at {place}: move one of them"
            yield Fault("pad-blocked", (place,), text)
        elif ranks and part >= KINGERIZER and part != KINGERIZER + (code >> 2) and not is_king(code):
            text = f"wanted a king on an opponent's home row, found a pawn at {place}: turn it over"
            yield Fault("pawn-on-home-row", (place,), text)


def _counts(state: State) -> Iterator[Fault]:
    """No colour has more markers than six, captured ones included; those that could not be read may come on top."""
    there = Counter(code >> 2 for _, code in state.markers)
    for seat in state.table.seats:
        captured = sum(state.captured[8 * captor + 2 * seat + king] for captor in range(4) for king in (0, 1))
        if there[seat] + captured > MARKERS_EACH:
            text = (
                f"wanted at most {MARKERS_EACH} markers of {state.table.colours[seat]}, captured ones included, "
                f"found {there[seat] + captured}: take some away"
            )
            yield Fault("too-many-markers", (seat_name(seat),), text)


def _mover(state: State) -> Iterator[Fault]:
    """The marker that may move once more is a king of who moves."""
    if not state.mover:
        return
    place, code = place_of(state.mover), dict(state.markers).get(state.mover)
    if code is None or not is_king(code) or state.turn is None or code >> 2 != state.turn:
        text = f"wanted a king of who moves as mover, found none at {place}: name its node, or null with moves_left 2"
        yield Fault("wrong-mover", (place,), text)


def _turn(state: State, whole: Callable[..., bool]) -> Iterator[Fault]:
    """The game is over just when it must be, and the turns were taken in turn.

    The markers that could be read are on the grid-set for sure, `whole` tells whether there are others. Who jumped
    last, where no marker is left, need not be told: `won_by` is a key of ours.
    """
    left, turn, most = state.seats_left, state.turn, state.table.readings.turns
    known = whole("markers", "owners")
    if whole("won_by") and state.won is not None and left:
        text = "wanted won_by only where no marker is left, to name who jumped last"
        yield Fault("wrong-winner", ("won_by",), f"{text}, found {_named(state.won)}: write null")
    over: bool | None = None if len(left) < 2 and not known else len(left) < 2
    if over is False and not whole("ending"):
        over = None
    elif over is False and most:
        over = all(state.turns[seat] >= most for seat in left) if known and whole("turns") else None
    if whole("turns", "ending") and most and any(state.turns[seat] > most for seat in state.table.seats):
        text = f"wanted at most {most} turns each, as in this timed game, found more: correct them"
        yield Fault("wrong-turns", ("turns",), text)
    if not whole("to_move"):
        return
    if over is not None and over != (turn is None):
        why = "the game is over" if over else "the game goes on"
        wanted = "null" if over else "a seat"
        text = f"wanted to_move to be {wanted}, since {why}, found {_named(turn)}: correct it"
        yield Fault("wrong-turn", ("to_move",), text)
    elif known and turn is not None and turn not in left:
        text = f"wanted a seat to move that has markers left, found {seat_name(turn)}: name another"
        yield Fault("wrong-turn", ("to_move",), text)
    elif known and whole("turns"):
        yield from _order(state, left, turn)


def _order(state: State, left: tuple[Seat, ...], turn: Seat | None) -> Iterator[Fault]:
    """From who moves on, clockwise, those with a turn less come before those with one more; who is out has no more."""
    if turn is None:
        return
    now = state.turns[turn]
    order = [state.turns[seat] for seat in (*(s for s in left if s >= turn), *(s for s in left if s < turn))]
    out = [state.turns[seat] for seat in state.table.seats if seat not in left]
    if order != sorted(order) or order[-1] > now + 1 or any(count > now + 1 for count in out):
        told = ", ".join(f"{seat_name(seat)} {state.turns[seat]}" for seat in state.table.seats)
        text = f"wanted turns taken one after the other, {seat_name(turn)} to move, found {told}: correct them"
        yield Fault("wrong-turns", ("turns",), text)


def _named(seat: Seat | None) -> str:
    return "null" if seat is None else seat_name(seat)
