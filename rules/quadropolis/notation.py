"""Quadropolis' notation: one short word an action, legal or not.

    S:2w3          south sets its architect 2 down at the west side, line 3 (sides n e s w)
    S:b23          south builds the tile in its hand on row 2, column 3 of its city; S:b23/T1 it was that tile
    S:discard      south puts the tile in its hand back into the box
    *:fill=T1m,x,H1i1e+4,.../.../...    the site as it was filled: five rows of five, from the far one, see `tiles`
    S:allocate=best                     south lays its pieces where they score most
    S:allocate=11:1e,12:3i1e            one energy on row 1, column 1 and so on, the rest beside; = alone: all beside
    S:-34  S:23-24  S:-c23  S:u34       never legal: a tile lifted off the site; a building moved, taken away; the
                                        urbanist set down on row 3, column 4

Seats are S W N E, and * for the bag.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rules.game import Move, NotationError
from rules.quadropolis.state import (
    CITY_ZONES,
    HAND_CELLS,
    POSITION_CELLS,
    POSITION_OF,
    SITE_CELLS,
    SLOTS,
    SPACES,
    URBANIST,
    URBANIST_CELLS,
    State,
    architect_pieces,
    slot_cell,
)
from rules.quadropolis.tiles import CODE_WRITTEN, FACES, PIECES, WORDS, with_marks
from rules.words import NATURE, SEATS, Cell, Colour, Piece, Seat

BEST = "best"
_SEAT_MARKS = "SWNE"
_SIDE_MARKS = "nesw"
_MOST = 99
"""The most pieces that a word can speak of; the box has fewer."""
Amounts = tuple[tuple[int, ...], tuple[int, ...]]

_AMOUNT = re.compile("([1-4])([1-4]):(?:([1-9][0-9]?)i)?(?:([1-9][0-9]?)e)?")
_FACE = f"(?:/({'|'.join(face.face for face in FACES)}))?"
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("take", re.compile("([1-4])([nesw])([1-5])")),
    ("build", re.compile(f"b([SWNE]?)([1-4])([1-4]){_FACE}")),
    ("discard", re.compile("discard")),
    ("fill", re.compile("fill=(.+)")),
    ("allocate", re.compile("allocate=(.*)")),
    ("lift", re.compile("-([1-5])([1-5])")),
    ("shift", re.compile("([1-4])([1-4])-([1-4])([1-4])")),
    ("remove", re.compile("-c([1-4])([1-4])")),
    ("swap", re.compile("u([1-5])([1-5])")),
)


@lru_cache(maxsize=1024)
def read_site(note: str) -> bytes | None:
    """The 25 tiles that a word lists, row by row; None if it is no such word.

    >>> len(read_site("/".join([",".join(["x"] * 5)] * 5)))
    25
    """
    rows = [row.split(",") for row in note.split("/")]
    codes = [CODE_WRITTEN.get(word, -1) for row in rows for word in row]
    if [len(row) for row in rows] != [5] * 5 or -1 in codes:
        return None
    return bytes(codes)


def write_site(site: bytes) -> str:
    """The word of a filled site; `read_site` gives it back."""
    words = [WORDS[code] for code in site]
    return "/".join(",".join(words[i : i + 5]) for i in range(0, SPACES, 5))


@lru_cache(maxsize=1024)
def read_amounts(note: str) -> Amounts | None:
    """The inhabitants and the energy on each slot that a word lists; none for `best`; None if it is no such word.

    A word has one way to be written: slots in order, none twice, none without pieces.

    >>> people, energy = read_amounts("11:1e,12:3i1e")
    >>> people[:2], energy[:2]
    ((0, 3), (1, 1))
    """
    people, energy = [0] * SLOTS, [0] * SLOTS
    last = -1
    for word in note.split(",") if note not in ("", BEST) else ():
        found = _AMOUNT.fullmatch(word)
        if found is None or word.endswith(":"):
            return None
        row, col, persons, power = found.groups()
        slot = int(row) * 4 + int(col) - 5
        if slot <= last:
            return None
        people[slot], energy[slot], last = int(persons or 0), int(power or 0), slot
    return tuple(people), tuple(energy)


def write_amounts(people: tuple[int, ...], energy: tuple[int, ...]) -> str:
    """The word of an allocation; `read_amounts` gives it back. Amounts go to 99.

    >>> write_amounts((0, 3, *(0,) * 14), (1, 1, *(0,) * 14))
    '11:1e,12:3i1e'
    """
    words = []
    for slot in range(SLOTS):
        parts = ((people[slot], "i"), (energy[slot], "e"))
        if any(n for n, _ in parts):
            words.append(
                f"{slot // 4 + 1}{slot % 4 + 1}:" + "".join(f"{min(n, _MOST)}{letter}" for n, letter in parts if n)
            )
    return ",".join(words)


def position_name(position: int) -> str:
    """A position beside the site, by side and line.

    >>> position_name(16)
    'w2'
    """
    return f"{_SIDE_MARKS[position // 5]}{position % 5 + 1}"


def place_name(cell: Cell) -> str:
    """The name of any place: `w2` beside the site, `3,4` on it or in a city, `S` a seat, `beside` a city."""
    if cell in POSITION_OF:
        return position_name(POSITION_OF[cell])
    if cell.zone == "site" or cell.zone in CITY_ZONES or (cell.zone[:7] in ("inhabit", "energy-") and cell.row >= 0):
        return f"{cell.row + 1},{cell.col + 1}"
    if cell.zone in ("hand", "mayor") and 0 <= cell.col < 4:
        return _SEAT_MARKS[cell.col]
    return "beside" if cell.zone[:7] in ("inhabit", "energy-", "urbanis") else f"({cell.col},{cell.row})"


def write(move: Move) -> str:
    """A move as a word; `read` gives every move back that `moves` or `guess` may name.

    >>> write(Move(Seat(0), "take", Piece("architect-2", Colour("red")), None, POSITION_CELLS[17]))
    'S:2w3'
    """
    seat = "*" if move.seat == NATURE else _SEAT_MARKS[move.seat] if move.seat in SEATS else "?"
    target = "" if move.target is None else place_name(move.target).replace(",", "")
    source = "" if move.source is None else place_name(move.source).replace(",", "")
    kind = "?" if move.piece is None else move.piece.kind
    match move.verb:
        case "take":
            return f"{seat}:{kind[-1]}{target}"
        case "build":
            where = "" if move.target is None else move.target.zone
            whose = _SEAT_MARKS[CITY_ZONES.index(where)] if where in CITY_ZONES else "?"
            return f"{seat}:b{'' if whose == seat else whose}{target}{'' if move.note == '' else '/' + move.note}"
        case "fill" | "allocate":
            return f"{seat}:{move.verb}={move.note}"
        case "lift":
            return f"{seat}:-{source}"
        case "shift":
            return f"{seat}:{source}-{target}"
        case "remove":
            return f"{seat}:-c{source}"
        case "swap":
            return f"{seat}:u{target}"
        case _:
            return f"{seat}:{move.verb}"


def read(text: str, state: State) -> Move:
    """The move a word stands for in this position, legal or not. Raises `NotationError`."""
    mark, colon, rest = text.strip().partition(":")
    if not colon or mark not in ("S", "W", "N", "E", "*"):
        raise NotationError(f"wanted a seat (S, W, N, E) and a colon as in S:2w3, found {text!r:.60}: correct the move")
    seat = NATURE if mark == "*" else Seat(_SEAT_MARKS.index(mark))
    for verb, shape in _SHAPES:
        if found := shape.fullmatch(rest):
            return _built(verb, seat, found, state)
    raise NotationError(
        f"wanted a move like S:2w3 (take), S:b23 (build), S:discard or S:allocate=best, found {text!r:.60}: "
        "correct the move"
    )


def build_piece(state: State, face: str | None) -> Piece | None:
    """The tile of a building action: the one named, else the one in hand."""
    if face is not None:
        return Piece(face, Colour(""))
    return PIECES[state.taken] if state.taken else None


def _built(verb: str, seat: Seat, found: re.Match[str], state: State) -> Move:
    parts = found.groups()
    match verb:
        case "take":
            number, side, line = parts
            piece = architect_pieces(state.table.colours)[4 * seat + int(number)] if seat in SEATS else None
            return Move(seat, verb, piece, None, POSITION_CELLS[_SIDE_MARKS.index(side) * 5 + int(line) - 1])
        case "build":
            whose, row, col, face = parts
            owner = Seat(_SEAT_MARKS.index(whose)) if whose else seat if seat in SEATS else SEATS[0]
            slot = _place(row, col, 4)
            level = len(state.city(owner).floors[slot])
            target = slot_cell(owner, slot, level)
            return Move(seat, verb, build_piece(state, face), None, target, face or "")
        case "discard":
            hand = HAND_CELLS[seat] if seat in SEATS else None
            return Move(seat, verb, build_piece(state, None), hand)
        case "fill":
            return Move(seat, verb, note=_marked(parts[0], state))
        case "allocate":
            if read_amounts(parts[0]) is None:
                raise NotationError(f"wanted slots in order like 11:1e,12:3i1e, found {parts[0]!r:.60}: correct them")
            return Move(seat, verb, note=parts[0])
        case "lift":
            space = _place(parts[0], parts[1], 5)
            return Move(seat, verb, PIECES[state.site[space]], SITE_CELLS[space])
        case "swap":
            return Move(seat, verb, URBANIST, None, URBANIST_CELLS[_place(parts[0], parts[1], 5)])
        case _:
            owner = seat if seat in SEATS else SEATS[0]
            here = _place(parts[0], parts[1], 4)
            floors = state.city(owner).floors[here]
            piece = PIECES[floors[-1]] if floors else None
            source = slot_cell(owner, here)
            if verb == "remove":
                return Move(seat, verb, piece, source)
            return Move(seat, verb, piece, source, slot_cell(owner, _place(parts[2], parts[3], 4)))


def _place(row: str, col: str, side: int) -> int:
    return (int(row) - 1) * side + int(col) - 1


def _marked(word: str, state: State) -> str:
    """The word of a site; faces without the marks that this round's tiles have get them."""
    site = read_site(word)
    if site is None:
        raise NotationError(f"wanted five rows of five tiles like T1,x,S, found {word!r:.60}: correct them")
    return write_site(bytes(with_marks(list(site), state.round, len(state.table.seats))))
