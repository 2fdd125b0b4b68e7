"""All that the web knows of scored cities: small values, and the `CityDesk` that hands them out.

The table implements `CityDesk`; nothing here knows how. Slots are numbers: 4 * row + column from 0, row 0 for row 1;
`BESIDE` (of `rules.quadropolis.state`) is the place beside the mat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rules.words import Said
from webui.desk import Receipt


@dataclass(frozen=True, slots=True)
class Building:
    """What stands in a slot. `face`: the top tile as the rules name it ("T1m", "H1i1e"); only towers have `floors`."""

    face: str
    floors: int = 1
    inhabitants: int = 0
    energy: int = 0


@dataclass(frozen=True, slots=True)
class Offer:
    """A likely answer: what may stand in a slot, or nothing, and how likely that is."""

    building: Building | None
    probability: float


@dataclass(frozen=True, slots=True)
class SlotView:
    """A slot of a city. `outline_px`: four corners in the city's picture, clockwise from the top left, or none.

    `points`: of this building alone, None where there is none; `asked`: a person must look; `settled`: one has.
    """

    outline_px: tuple[tuple[float, float], ...]
    building: Building | None
    points: int | None
    active: bool
    offers: tuple[Offer, ...]
    asked: bool
    hidden: bool
    settled: bool


@dataclass(frozen=True, slots=True)
class Reason:
    """A line of the score: under which part of the score pad it counts, and at which slots, the scoring one first."""

    part: str
    label: str
    points: int
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Transfer:
    """Pieces to move for the best allocation. `kind` is inhabitants or energy; places are slots or `BESIDE`."""

    kind: str
    count: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class FollowView:
    """A city that the camera follows, and what was last said of it. `kind`: begun, built, refused, put-right or asked;
    `slots`: where; `face` and `numbers`: the tile that was built and the architects that could have taken it; `said`:
    why something was refused and what to do. `trouble`: why nothing is seen now."""

    kind: str = "begun"
    slots: tuple[int, ...] = ()
    face: str = ""
    numbers: tuple[int, ...] = ()
    said: Said | None = None
    trouble: Said | None = None


@dataclass(frozen=True, slots=True)
class CityView:
    """One city. `parts` are the score pad's, in its order, without the total. `rank` counts from 1. `picture_seq` is 0
    where it was entered by hand. `beside`: inhabitants and energy. `inhabitants` and `empty` break ties. `follow` is
    None where the camera does not follow it."""

    city: int
    player: str
    seq: int
    picture_seq: int
    size_px: tuple[int, int]
    slots: tuple[SlotView, ...]
    beside: tuple[int, int]
    beside_asked: bool
    reasons: tuple[Reason, ...]
    parts: tuple[tuple[str, int], ...]
    total: int
    best_total: int
    transfers: tuple[Transfer, ...]
    inhabitants: int
    empty: int
    rank: int = 1
    wins: bool = False
    follow: FollowView | None = None

    @property
    def to_answer(self) -> int:
        """How many places a person should look at."""
        return sum(slot.asked for slot in self.slots) + self.beside_asked


@dataclass(frozen=True, slots=True)
class Kept:
    """An earlier result: when it ended, and each player's name, points and whether they won."""

    at_utc: str
    players: tuple[tuple[str, int, bool], ...]


@dataclass(frozen=True, slots=True)
class CitiesView:
    """All that the page shows, at number `seq`. `trouble` says why no picture can be read now, and what to do.

    `scoring` names the result under way; `tiles` is the tile set in use, `tile_sets` are those that were taught.
    """

    seq: int
    scoring: int
    harbours: str
    tie: str
    tiles: str
    tile_sets: tuple[str, ...]
    cities: tuple[CityView, ...]
    most: int
    trouble: Said | None
    kept: tuple[Kept, ...]
    has_camera: bool = False

    def named(self, city: int) -> CityView | None:
        """The city of that number; None where there is none."""
        return next((one for one in self.cities if one.city == city), None)


@dataclass(frozen=True, slots=True)
class ReadPicture:
    """Read a picture: the cities in it are added, or the one of `city` is read anew. `name` is only for people."""

    data: bytes
    name: str
    city: int = 0


@dataclass(frozen=True, slots=True)
class ReadCamera:
    """Read what the table's own camera sees now, as `ReadPicture` reads a file."""

    city: int = 0


@dataclass(frozen=True, slots=True)
class AddByHand:
    """A city without a picture, empty."""


@dataclass(frozen=True, slots=True)
class CorrectSlot:
    """A slot holds this; also the answer where it was asked, and the confirmation of what was read."""

    city: int
    slot: int
    building: Building | None


@dataclass(frozen=True, slots=True)
class CorrectBeside:
    """So much lies beside the mat."""

    city: int
    inhabitants: int
    energy: int


@dataclass(frozen=True, slots=True)
class TurnCity:
    """Rows are counted from the next side, clockwise: what was column 1 is row 1. No point depends on it."""

    city: int


@dataclass(frozen=True, slots=True)
class LayBest:
    """The player has laid the pieces as they score most."""

    city: int


@dataclass(frozen=True, slots=True)
class NameCity:
    """Whose city it is."""

    city: int
    player: str


@dataclass(frozen=True, slots=True)
class DropCity:
    """Take a city out of the result."""

    city: int


@dataclass(frozen=True, slots=True)
class FollowCity:
    """Let the table's camera follow how this city grows; another one is followed no longer."""

    city: int


@dataclass(frozen=True, slots=True)
class UnfollowCity:
    """Follow it no longer."""

    city: int


@dataclass(frozen=True, slots=True)
class ChooseReadings:
    """How harbours count and which inhabitants break ties: values of the rules' options."""

    harbours: str
    tie: str


@dataclass(frozen=True, slots=True)
class ChooseTiles:
    """Read pictures with the tile set of that name."""

    name: str


@dataclass(frozen=True, slots=True)
class NewScoring:
    """Keep this result and begin another."""


CityWish = (
    ReadPicture | ReadCamera | AddByHand | CorrectSlot | CorrectBeside | TurnCity | LayBest | NameCity | DropCity
    | FollowCity | UnfollowCity | ChooseReadings | ChooseTiles | NewScoring
)


@dataclass(frozen=True, slots=True)
class CityRequest:
    """A wish of a person. `key` makes it act once; `on_seq` is what the person saw: refused where that has changed."""

    key: str
    on_seq: int
    wish: CityWish


class CityDesk(Protocol):
    """The scored cities, as the web sees them. Calls are safe from any thread; only reading a picture takes long."""

    def view(self) -> CitiesView: ...

    def request(self, request: CityRequest) -> Receipt: ...

    def picture(self, city: int) -> bytes | None:
        """The picture a city was read from, as JPEG; None for one entered by hand."""
        ...

    def cut(self, city: int, slot: int) -> bytes | None:
        """A slot and what is around it, cut out of that picture, as JPEG."""
        ...

    def offers(self, city: int, slot: int) -> Sequence[Offer]:
        """What may stand there, likeliest first: what the camera thinks, then what it is mistaken for."""
        ...

    def export_png(self, language: str) -> bytes:
        """The whole result as one picture: each city with its points, and the score pad."""
        ...

    def export_csv(self, language: str) -> str:
        """The score pad, a line for each city."""
        ...
