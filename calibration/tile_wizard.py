"""Teaching a tile set, as values: which tiles to lay where, a picture of each page, where it ended.

No web, no terminal, no camera, no clock, as `calibration.wizard`; a `TileWizard` never changes, and an answer that
does not fit the step that is shown changes nothing.

    lay sixteen tiles in this order -> found? -> and these two -> found? -> told apart? -> done
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from calibration.errors import NotTaught
from calibration.tile_lessons import Lesson, Page, lesson_from, pages_of
from calibration.tile_sets import TaughtTiles, checked_name, taught_tiles
from calibration.tile_words import face_said
from rules.words import Said
from vision.frame import Image
from vision.kits.quadropolis import QuadropolisKit

LOOKING = Said("Looking for the tiles.", "Procurando as peças.")


@dataclass(frozen=True, slots=True)
class AskTiles:
    """Lay the tiles of `page` (number `number` of `count`) and take a picture; `said` is a sentence."""

    page: Page
    number: int
    count: int
    said: Said


@dataclass(frozen=True, slots=True, eq=False)
class Looking:
    """Call `work`; it takes a second."""

    image: Image
    row1_px: tuple[float, float] | None
    asked: AskTiles
    said: Said = LOOKING


@dataclass(frozen=True, slots=True)
class StuckTiles:
    """It did not work: `why` says which tile is not found where, or which two look alike; `again` leads to `then`."""

    why: Said
    then: AskTiles


@dataclass(frozen=True, slots=True, eq=False)
class DoneTiles:
    """The tile set, to be kept."""

    taught: TaughtTiles


TileStep = AskTiles | Looking | StuckTiles | DoneTiles


@dataclass(frozen=True, slots=True, eq=False)
class TileWizard:
    """Where the teaching stands. `step` is what to show; `lessons` what the pages before gave."""

    name: str
    kit: QuadropolisKit
    pages: tuple[Page, ...]
    step: TileStep
    lessons: tuple[Lesson, ...] = ()

    def took(self, image: Image, row1_px: tuple[float, float] | None = None) -> TileWizard:
        """A picture was taken, (H, W, 3) BGR; `row1_px`: where row 1 and column 1 meet, if it was tapped."""
        match self.step:
            case AskTiles() as asked:
                return replace(self, step=Looking(image, row1_px, asked))
        return self

    def again(self) -> TileWizard:
        """Try the page once more after `StuckTiles`."""
        return replace(self, step=self.step.then) if isinstance(self.step, StuckTiles) else self

    def back(self) -> TileWizard:
        """Begin anew."""
        return replace(self, step=_ask(self.pages, 0), lessons=())

    def work(self, now_utc: str) -> TileWizard:
        """Do what `Looking` says; anything else changes nothing. `now_utc` is written into the set."""
        if not isinstance(self.step, Looking):
            return self
        looking = self.step
        try:
            lesson = lesson_from(looking.image, self.kit, looking.asked.page, row1_px=looking.row1_px)
            lessons = (*self.lessons, lesson)
            if len(lessons) < len(self.pages):
                return replace(self, step=_ask(self.pages, len(lessons)), lessons=lessons)
            return replace(self, step=DoneTiles(taught_from(self.name, now_utc, self.kit, lessons)), lessons=lessons)
        except NotTaught as error:
            return replace(self, step=StuckTiles(error.said, looking.asked))


def taught_from(name: str, now_utc: str, kit: QuadropolisKit, lessons: tuple[Lesson, ...]) -> TaughtTiles:
    """The set of all pages. Raises `NotTaught`: a bad name, faces that look alike."""
    squared = [tile for lesson in lessons for tile in lesson.squared]
    return taught_tiles(name, now_utc, kit, squared, lessons[0].frame_mm, lessons[0].mat)


def tile_wizard(name: str, kit: QuadropolisKit | None = None) -> TileWizard:
    """A wizard at its first step. Raises `NotTaught` for a name that cannot be one."""
    pages = pages_of()
    return TileWizard(checked_name(name), kit or QuadropolisKit(), pages, _ask(pages, 0))


def _ask(pages: tuple[Page, ...], n: int) -> AskTiles:
    page = pages[n]
    faces = [[face_said(face) for face in row] for row in page.rows]
    rows = "; ".join(f"row {k}: {', '.join(face.en for face in row)}" for k, row in enumerate(faces, 1))
    linhas = "; ".join(f"linha {k}: {', '.join(face.pt for face in row)}" for k, row in enumerate(faces, 1))
    return AskTiles(page, n + 1, len(pages), Said(
        f"Picture {n + 1} of {len(pages)}. Lay these tiles upright on an empty mat, one in each slot: {rows}. Row 1 is "
        "the upper side of the picture. Take your hands away, then take the picture.",
        f"Foto {n + 1} de {len(pages)}. Ponha estas peças num tabuleiro vazio, uma em cada casa, com o desenho em pé: "
        f"{linhas}. A linha 1 é o lado de cima da foto. Tire as mãos e depois a foto."))
