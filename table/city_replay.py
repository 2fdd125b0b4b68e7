"""A folder of a followed Quadropolis city, picture by picture: what is said at each, in the words of FORMAT.md.

Every picture is a settled look of its own. The truth beside the pictures is never opened.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rules.quadropolis.state import BESIDE, SLOTS
from rules.words import seat_name
from table.cities_reading import read_city
from table.city_following import (
    Built,
    Counted,
    Followed,
    PutRight,
    Refused,
    Ruling,
    Unsure,
    Waiting,
    look,
)
from table.city_history import History
from table.city_looks import look_of
from table.replay_line import ReplayLine
from table.score_folder import city_reader_for, face_words
from table.setup_folder import TableSetup
from vision.detect.city import CitySeen
from vision.frame import read_picture
from vision.kits.quadropolis import CLASSIC_FACES, SIDE, QuadropolisKit
from vision.observation import BoardState

PERIOD_NS = 1_000_000_000
"""Pictures of a folder count as so far apart."""
_FACES = {face.word: face for face in CLASSIC_FACES}


def replay_city(setup: TableSetup, clock_ns: Callable[[], int] = time.perf_counter_ns) -> Iterator[ReplayLine]:
    """What is said at each picture. The mat is that of the first seat in `setup`, or south's. Raises `BadFolder`,
    `CalibrationFailed`, `BadPicture`."""
    reader = city_reader_for(setup)
    seat = seat_name(setup.seats[0][0]) if setup.seats else "south"
    replay = CityReplay(reader.taught.kit, seat)
    for n, name in enumerate(setup.frames):
        began = clock_ns()
        lines = replay.lines(name, reader.look(read_picture(setup.folder / name)), n * PERIOD_NS)
        ms = (clock_ns() - began) / 1e6
        for line in lines:
            yield replace(line, ms=ms)


class CityReplay:
    """The story of one city: what was seen in, lines out. It begins with an empty mat."""

    def __init__(self, kit: QuadropolisKit, seat: str) -> None:
        self._kit, self._seat = kit, seat
        self.followed = Followed(History())

    def lines(self, name: str, seen: CitySeen, taken_ns: int) -> list[ReplayLine]:
        """What is said at one picture: at least one line."""
        if seen.corners_px is None:
            self.followed = self.followed.lost()
            return [ReplayLine(name, "no_board", also={"why": seen.why})]
        out = [ReplayLine(name, "moved_board")] if seen.board is BoardState.MOVED else []
        settled = look_of(read_city(seen, self._kit), seen.beside.sure)
        self.followed, rulings = look(self.followed, settled, taken_ns)
        out += [line for ruling in rulings for line in self._line(name, ruling)]
        return out or [ReplayLine(name, "unchanged")]

    def _line(self, name: str, ruling: Ruling) -> Sequence[ReplayLine]:
        match ruling:
            case Built(build, face):
                move = {"kind": "build", "seat": self._seat, "slot": slot_named(build.slot),
                        "face": face_words(_FACES[face]), "floor": build.level + 1,
                        "architects": list(build.numbers)}
                return [ReplayLine(name, "accepted", move)]
            case Refused(reasons, slots, face, amount):
                codes = tuple(reason.code for reason in reasons)
                told: dict[str, Any] = {"kind": "wrong", "seat": self._seat, "reason": codes[0]}
                if face:
                    told["face"] = face_words(_FACES[face])
                if slots[0] < SLOTS:
                    told["slot"] = slot_named(slots[0])
                if any(amount):
                    told |= {"inhabitants": amount[0], "energy": amount[1]}
                return [ReplayLine(name, "refused", told, codes)]
            case PutRight():
                return [ReplayLine(name, "restored", {"kind": "restore"})]
            case Unsure(slot, offers):
                told = {"slot": slot_named(slot), "candidates": [
                    None if one.building is None else {"face": face_words(_FACES[one.building.face]),
                                                       "floor": one.building.floors} for one in offers],
                        "probabilities": [one.probability for one in offers]}
                return [ReplayLine(name, "unclear", also=told)]
            case Waiting():
                return [ReplayLine(name, "partway")]
            case Counted():
                return []


def slot_named(slot: int) -> str:
    """A slot as "row,column"; what lies beside the mat as "beside".

    >>> slot_named(6), slot_named(BESIDE)
    ('2,3', 'beside')
    """
    return "beside" if slot == BESIDE else f"{slot // SIDE + 1},{slot % SIDE + 1}"
