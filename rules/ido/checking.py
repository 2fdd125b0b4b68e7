"""Whether a position that was read can be: what contradicts the rules, each fault with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules.game import Fault
from rules.ido.geometry import SIZES
from rules.ido.moves import can_step
from rules.ido.readings import PER_SIZE
from rules.ido.state import State
from rules.words import SEATS, Seat, seat_name

Counts = Sequence[Sequence[int]]
"""By seat: how many small and large blocks."""


def faults_of(state: State, there: Counts, supply: Counts, spoilt: frozenset[str]) -> Iterator[Fault]:
    """What is wrong between the parts of a position; `there` has the blocks listed, wherever they stand. `spoilt` names
    what could not be read, of which nothing more is said."""
    homes = frozenset(f"home-{seat_name(seat)}" for seat in SEATS) | {"home"}
    if "colours" not in spoilt:
        yield from _counts(state, there, supply, spoilt)
        if "order" not in spoilt:
            yield from _order(state)
    if "goal" in spoilt:
        return
    known = spoilt.isdisjoint(homes)
    over = [seat for seat in SEATS if len(state.home[seat]) >= state.table.readings.goal]
    yield from _end(state, over, known, spoilt)
    if state.turn is None or over or not known or spoilt & {"to_move", "colours"}:
        return
    if "shifted_by" not in spoilt:
        yield from _shifted_by(state, state.turn)
    options = {"order", "leave_from", "leaving_costs", f"supply-{seat_name(state.turn)}", "supply"}
    if not spoilt & {"steps_left", "blocks", "blueprint", "frame_offset", *options}:
        yield from _steps(state, state.turn, supply)


def _counts(state: State, there: Counts, supply: Counts, spoilt: frozenset[str]) -> Iterator[Fault]:
    """On the board, in supply and at home together each seat has its three blocks of each size; too few are found
    only where all could be read."""
    for seat in state.table.seats:
        name = seat_name(seat)
        whole = not spoilt & {"there", "supply", "home", f"supply-{name}", f"home-{name}"}
        for number, size in enumerate(SIZES):
            count = there[seat][number] + supply[seat][number] + state.home[seat].count(size)
            if count > PER_SIZE or (whole and count < PER_SIZE):
                text = (
                    f"wanted {PER_SIZE} {size} blocks of {name} on the board, in supply and at home together, "
                    f"found {count}: correct the count"
                )
                yield Fault("too-many" if count > PER_SIZE else "too-few", (name, size), text)


def _order(state: State) -> Iterator[Fault]:
    """Where an order is agreed, what is home came in it."""
    order = state.table.readings.order
    for seat in state.table.seats if order else ():
        home = state.home[seat]
        if home != order[: len(home)]:
            wanted = ", ".join(order[: len(home)]) or "nothing"
            text = f"wanted {wanted} at home of {seat_name(seat)} by the order, found {', '.join(home)}: correct it"
            yield Fault("wrong-order", ("home", seat_name(seat)), text)


def _end(state: State, over: list[Seat], known: bool, spoilt: frozenset[str]) -> Iterator[Fault]:
    """The game ends with the action that brings a seat to the goal, and nobody comes home after it. `known`: it was
    read of all who is home, so that nobody else has reached the goal."""
    goal, target = state.table.readings.goal, state.table.board.blueprint.target
    most = goal + target - 1
    for seat in over:
        if "blueprint" not in spoilt and len(state.home[seat]) > most:
            text = (
                f"wanted at most {most} blocks at home of {seat_name(seat)}, {goal} to win and what the last shift "
                f"pushed too, found {len(state.home[seat])}: correct it"
            )
            yield Fault("too-many-home", ("home", seat_name(seat)), text)
    if len(over) > 1:
        names = tuple(seat_name(seat) for seat in over)
        text = f"wanted one seat at most with {goal} blocks home, found {' and '.join(names)}: correct them"
        yield Fault("two-winners", names, text)
    if "to_move" not in spoilt and (known or over) and (state.turn is None) != bool(over):
        found = "null" if state.turn is None else seat_name(state.turn)
        wanted = "null, since the game is over" if over else "a seat, since nobody has reached the goal"
        yield Fault("wrong-turn", ("to_move",), f"wanted to_move {wanted}, found {found}: correct it")


def _shifted_by(state: State, turn: Seat) -> Iterator[Fault]:
    """With three or four players a shift is remembered through the next turn only."""
    table, by = state.table, state.shifted_by
    if by is not None and len(table.seats) > 2 and table.after(by) != turn:
        text = (
            f"wanted shifted_by null or the seat before {seat_name(turn)}, who is to move, "
            f"found {seat_name(by)}: correct it"
        )
        yield Fault("wrong-shift", ("shifted_by",), text)


def _steps(state: State, turn: Seat, supply: Counts) -> Iterator[Fault]:
    """After a step there are fewer left than blocks were on the field when the turn began, and one is possible."""
    if state.steps_left is None:
        return
    readings, there = state.table.readings, state.on_board(turn)
    gone = len(state.home[turn]) + (sum(supply[turn]) if readings.order else 0)
    most = there + gone * (1 - readings.leaving_costs) if gone else there - 1
    if state.steps_left > most:
        text = (
            f"wanted steps_left at most {max(most, 0)} after a step with {there} blocks of {seat_name(turn)} on the "
            f"field, found {state.steps_left}: correct it"
        )
        yield Fault("bad-steps", ("steps_left",), text)
    elif not can_step(state, turn, state.steps_left):
        text = (
            f"wanted a step that {seat_name(turn)} can still make with {state.steps_left} left, found none, "
            "so that the turn is over: correct steps_left or to_move"
        )
        yield Fault("turn-over", ("steps_left",), text)
