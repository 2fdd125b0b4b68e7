"""The cities of a game's end: what was read, what people corrected, whose they are. Pure; a fold over facts.

A scoring is a list of `Sheet`s. `told` makes the `Book` of all scorings from the journal's facts one by one;
`table.cities_score` counts, `table.cities_wishes` judges what people ask for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rules.quadropolis.readings import Readings
from rules.quadropolis.state import BESIDE, MOST_FLOORS, SLOTS, City
from rules.quadropolis.tiles import CODE_WRITTEN, FACES
from table.city_history import (
    TURNED,
    BuildAsked,
    BuildPutRight,
    BuildRefused,
    FollowBegun,
    FollowEnded,
    FollowFact,
    History,
    TileBuilt,
    Verdict,
    begun,
)
from table.city_read import ReadCity, held_against
from table.errors import BadJournal
from table.journal import Journal
from table.written import from_json, to_json
from webui.city_desk import Building

FACE_WORDS: tuple[str, ...] = tuple(tile.face for tile in FACES)
"""The 18 faces of the box, as the rules name them."""
MOST_TOKENS = 40
"""Of one kind in one place; the box has 65 inhabitants."""
MOST_CITIES = 4
LONGEST_NAME = 24
_USUAL = Readings()


@dataclass(frozen=True, slots=True)
class CityRead:
    """A city was read: `city` 0, a new one (its number is this fact's); else that one anew."""

    city: int
    read: ReadCity


@dataclass(frozen=True, slots=True)
class CityNamed:
    """Whose city it is."""

    city: int
    player: str


@dataclass(frozen=True, slots=True)
class SlotCorrected:
    """A person said what stands in a slot."""

    city: int
    slot: int
    building: Building | None


@dataclass(frozen=True, slots=True)
class BesideCorrected:
    """A person said what lies beside the mat."""

    city: int
    inhabitants: int
    energy: int


@dataclass(frozen=True, slots=True)
class CityTurned:
    """Rows are counted from the next side, clockwise: what was column 1, read from below, is row 1."""

    city: int


@dataclass(frozen=True, slots=True)
class PiecesLaid:
    """The pieces lie otherwise now: `inhabitants` and `energy` by slot and, last, beside."""

    city: int
    inhabitants: tuple[int, ...]
    energy: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CityDropped:
    """Taken out of the result."""

    city: int


@dataclass(frozen=True, slots=True)
class ReadingsChosen:
    """How harbours count, which inhabitants break ties; values of the rules' options."""

    harbours: str
    tie: str


@dataclass(frozen=True, slots=True)
class TilesChosen:
    """Pictures are read with the tile set of that name."""

    name: str


@dataclass(frozen=True, slots=True)
class ScoringClosed:
    """The result as it was told: player, points, whether they won. Another scoring begins."""

    result: tuple[tuple[str, int, bool], ...]


CityFact = (
    CityRead | CityNamed | SlotCorrected | BesideCorrected | CityTurned | PiecesLaid | CityDropped | ReadingsChosen
    | TilesChosen | ScoringClosed | FollowFact
)
_OfCity = (
    CityRead | CityNamed | SlotCorrected | BesideCorrected | CityTurned | PiecesLaid | FollowFact
)
CITY_KINDS: Mapping[str, type] = {
    kind.__name__: kind
    for kind in (CityRead, CityNamed, SlotCorrected, BesideCorrected, CityTurned, PiecesLaid, CityDropped,
                 ReadingsChosen, TilesChosen, ScoringClosed, FollowBegun, FollowEnded, TileBuilt, BuildRefused,
                 BuildPutRight, BuildAsked)
}
VERSION = 1
"""In which every kind is written today."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A city of the scoring under way: as read, and as it counts. `settled`: the places a person has spoken of;
    `changed_seq`: the last fact about it. `history`: what is known since it was followed, None where it never was;
    `verdict`: what was last said of it while it is followed; `spoken_seq`: the last fact about it that following did
    not bring: what a person does is old only if another person has changed the city since."""

    city: int
    player: str
    changed_seq: int
    picture_seq: int
    read: ReadCity
    slots: tuple[Building | None, ...]
    beside: tuple[int, int]
    settled: frozenset[int] = frozenset()
    history: History | None = None
    is_followed: bool = False
    verdict: Verdict | None = None
    spoken_seq: int = 0

    def is_asked(self, slot: int) -> bool:
        """Whether a person should look at a slot: unsure or hidden, and nobody has spoken."""
        one = self.read.slots[slot]
        return slot not in self.settled and (one.asked or one.hidden)

    @property
    def is_beside_asked(self) -> bool:
        return self.read.beside_asked and BESIDE not in self.settled

    @property
    def counted(self) -> City:
        """The city as the rules have it. Of a tower's lower floors only that they are there matters."""
        floors, people, energy = [], [0] * (SLOTS + 1), [0] * (SLOTS + 1)
        for slot, building in enumerate(self.slots):
            if building is None:
                floors.append(b"")
                continue
            floors.append(bytes([CODE_WRITTEN["T1"]] * (building.floors - 1) + [CODE_WRITTEN[building.face]]))
            people[slot], energy[slot] = building.inhabitants, building.energy
        people[BESIDE], energy[BESIDE] = self.beside
        return City(tuple(floors), bytes(people), bytes(energy))


@dataclass(frozen=True, slots=True)
class Scoring:
    """One result under way. `scoring`: the fact after which it began; `chosen_seq`: the last that concerned it as a
    whole (what is read and named concerns one city)."""

    scoring: int = 0
    seq: int = 0
    chosen_seq: int = 0
    harbours: str = _USUAL.harbours
    tie: str = _USUAL.tie_inhabitants
    tiles: str = ""
    sheets: tuple[Sheet, ...] = ()

    def sheet(self, city: int) -> Sheet | None:
        """The city of that number; None where there is none."""
        return next((one for one in self.sheets if one.city == city), None)


@dataclass(frozen=True, slots=True)
class Closed:
    """An earlier result."""

    at_utc: str
    result: tuple[tuple[str, int, bool], ...]


@dataclass(frozen=True, slots=True)
class Book:
    """Everything ever scored here: the result under way, and the earlier ones, oldest first."""

    now: Scoring = Scoring()
    closed: tuple[Closed, ...] = ()


def fault_of(building: Building) -> str:
    """What is impossible about a building, in a few words; "" where nothing is.

    >>> fault_of(Building("T1", 4, 0, 1)), fault_of(Building("P", 2))
    ('', 'floors: wanted 1')
    """
    if building.face not in FACE_WORDS:
        return f"face: wanted one of {', '.join(FACE_WORDS)}"
    most = MOST_FLOORS if building.face[0] == "T" else 1
    if not 1 <= building.floors <= most:
        return f"floors: wanted {'1' if most == 1 else f'1 to {most}'}"
    if not (0 <= building.inhabitants <= MOST_TOKENS and 0 <= building.energy <= MOST_TOKENS):
        return f"inhabitants and energy: wanted 0 to {MOST_TOKENS}"
    return ""


def told(book: Book, seq: int, at_utc: str, fact: CityFact) -> Book:
    """The book after one more fact."""
    now = replace(book.now, seq=seq)
    match fact:
        case CityRead(0, read):
            sheet = Sheet(seq, "", seq, 0, read, (), (0, 0), spoken_seq=seq)
            return replace(book, now=replace(now, sheets=(*now.sheets, _read_anew(sheet, seq, read))))
        case ReadingsChosen(harbours, tie):
            return replace(book, now=replace(now, chosen_seq=seq, harbours=harbours, tie=tie))
        case TilesChosen(name):
            return replace(book, now=replace(now, chosen_seq=seq, tiles=name))
        case ScoringClosed(result):
            fresh = Scoring(seq, seq, seq, now.harbours, now.tie, now.tiles)
            return Book(fresh, (*book.closed, Closed(at_utc, result)))
        case FollowBegun(city):
            sheets = tuple(_begun(one, seq) if one.city == city else _ended(one, seq) for one in now.sheets)
            return replace(book, now=replace(now, sheets=sheets))
        case CityDropped(city):
            left = tuple(sheet for sheet in now.sheets if sheet.city != city)
            return replace(book, now=replace(now, sheets=left))
        case _:
            sheets = tuple(_changed(one, seq, fact) if one.city == fact.city else one for one in now.sheets)
            return replace(book, now=replace(now, sheets=sheets))


def _begun(sheet: Sheet, seq: int) -> Sheet:
    """A city that is followed from here on; what was followed before goes on."""
    history = sheet.history or begun(sheet.slots, sheet.beside)
    return replace(sheet, changed_seq=seq, spoken_seq=seq, history=history, is_followed=True, verdict=None)


def _ended(sheet: Sheet, seq: int) -> Sheet:
    return replace(sheet, changed_seq=seq, is_followed=False, verdict=None) if sheet.is_followed else sheet


def _changed(sheet: Sheet, seq: int, fact: _OfCity) -> Sheet:
    """A city after a fact about it."""
    is_watched = isinstance(fact, TileBuilt | BuildRefused | BuildPutRight | BuildAsked) or (
        sheet.is_followed and isinstance(fact, PiecesLaid))
    sheet = replace(sheet, changed_seq=seq, spoken_seq=sheet.spoken_seq if is_watched else seq)
    match fact:
        case TileBuilt() | BuildRefused() | BuildPutRight() | BuildAsked():
            return _followed(sheet, fact)
        case FollowEnded():
            return _ended(sheet, seq)
        case FollowBegun():
            return _begun(sheet, seq)
        case CityRead(_, read):
            return _read_anew(sheet, seq, read)
        case CityNamed(_, player):
            return replace(sheet, player=player)
        case SlotCorrected(_, slot, building):
            sheet = replace(_with_slot(sheet, slot, building), settled=sheet.settled | {slot})
            if sheet.history is None:
                return sheet
            answers = isinstance(sheet.verdict, BuildAsked) and sheet.verdict.slot == slot
            return replace(sheet, history=sheet.history.corrected(slot, building),
                           verdict=None if answers else sheet.verdict)
        case BesideCorrected(_, inhabitants, energy):
            sheet = replace(sheet, beside=(inhabitants, energy), settled=sheet.settled | {BESIDE})
            city = sheet.counted
            return sheet if sheet.history is None else replace(
                sheet, history=sheet.history.counted(sum(city.people), sum(city.energy)))
        case CityTurned():
            read = replace(sheet.read, slots=tuple(sheet.read.slots[old] for old in TURNED))
            settled = frozenset(BESIDE if old == BESIDE else TURNED.index(old) for old in sheet.settled)
            history = None if sheet.history is None else sheet.history.turned()
            return replace(sheet, read=read, slots=tuple(sheet.slots[old] for old in TURNED), settled=settled,
                           history=history, verdict=None)
        case PiecesLaid(_, people, power):
            laid = tuple(
                None if one is None else replace(one, inhabitants=people[slot], energy=power[slot])
                for slot, one in enumerate(sheet.slots)
            )
            return replace(sheet, slots=laid, beside=(people[BESIDE], power[BESIDE]))


def _with_slot(sheet: Sheet, slot: int, building: Building | None) -> Sheet:
    return replace(sheet, slots=(*sheet.slots[:slot], building, *sheet.slots[slot + 1 :]))


def _followed(sheet: Sheet, fact: Verdict) -> Sheet:
    """A city after something was seen while it was followed."""
    if isinstance(fact, BuildPutRight) and isinstance(sheet.verdict, BuildAsked):  # the question has answered itself
        sheet = replace(sheet, settled=sheet.settled | {sheet.verdict.slot})
    sheet = replace(sheet, verdict=fact)
    if isinstance(fact, BuildAsked):
        old = sheet.read.slots[fact.slot]
        asked = replace(old, ranked=fact.offers, asked=True, hidden=False)
        slots = (*sheet.read.slots[: fact.slot], asked, *sheet.read.slots[fact.slot + 1 :])
        return replace(sheet, read=replace(sheet.read, slots=slots), settled=sheet.settled - {fact.slot})
    if isinstance(fact, TileBuilt) and sheet.history is not None:
        was = sheet.slots[fact.slot]
        history = sheet.history.built(fact.slot, CODE_WRITTEN[fact.face])
        tokens = (0, 0) if was is None else (was.inhabitants, was.energy)
        building = Building(fact.face, len(history.floors[fact.slot]), *tokens)
        # The picture that was read before does not show it: from here on the city is drawn as a plan.
        sheet = _with_slot(replace(sheet, history=history, picture_seq=0), fact.slot, building)
        return replace(sheet, settled=sheet.settled | {fact.slot})
    return sheet


def _read_anew(sheet: Sheet, seq: int, read: ReadCity) -> Sheet:
    """A city after a picture of it was read. What was followed is confirmed by it, or asked about."""
    if sheet.history is not None:
        history, read = held_against(sheet.history, sheet.slots, read, sheet.is_followed)
        sheet = replace(sheet, history=history)
    slots = tuple(slot.building for slot in read.slots)
    return replace(sheet, picture_seq=seq if read.print else 0, read=read, slots=slots, beside=read.beside,
                   settled=frozenset())


def written(fact: CityFact) -> tuple[str, str]:
    """Kind and body of a fact, as the journal keeps them."""
    return type(fact).__name__, json.dumps(to_json(fact), separators=(",", ":"), ensure_ascii=False)


def read_back(kind: str, version: int, body: str) -> CityFact:
    """The fact of a row. Raises `ValueError` for what this program does not know."""
    if kind not in CITY_KINDS or version > VERSION:
        raise ValueError(f"wanted facts this program knows, found {kind!r} version {version}: use a newer program")
    fact: CityFact = from_json(CITY_KINDS[kind], json.loads(body), kind)
    return fact


def book_of(journal: Journal) -> Book:
    """Everything the journal has of scored cities, folded. Raises `BadJournal`."""
    return folded(journal.city_rows(), str(journal.path))


def folded(rows: Iterable[tuple[int, str, int, str, int, Any]], where: str) -> Book:
    """The book of these rows. Raises `BadJournal`."""
    book = Book()
    for seq, at_utc, _, kind, version, body in rows:
        try:
            book = told(book, seq, at_utc, read_back(kind, version, body))
        except ValueError as error:
            raise BadJournal(f"{where}: wanted the facts of scored cities, found fact {seq} that cannot be read "
                             f"({error}): move the file aside to begin a new one; it was left as it is") from error
    return book
