"""What is printed on a Quadropolis mat and on its tiles: an edition's colours and icons, and each tile's own picture.

Textures are (H, W, 3) uint8 BGR, the first row the side of row 1 or the top of a tile. Colours are drawn at random
for each edition; the box's millimetres come from the kit, nothing else is shared with what reads the pictures.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from table.sim.scene import Field
from table.sim.solids import Array
from vision.frame import Image
from vision.kits.quadropolis import SIDE, Face, QuadropolisKit

Colour8 = tuple[float, float, float]
GROUNDS: dict[str, Colour8] = {
    "tower": (25, 195, 230), "shop": (140, 40, 125), "service": (195, 180, 45), "park": (55, 160, 50),
    "factory": (35, 40, 200), "harbor": (190, 90, 25),
}
DISTRICTS: tuple[Colour8, ...] = (
    (150, 95, 125), (105, 160, 165), (175, 125, 170), (165, 125, 90), (160, 150, 150), (95, 170, 150), (170, 150, 100),
    (110, 130, 180), (140, 170, 120),
)
MARGINS: tuple[Colour8, ...] = ((165, 168, 165), (170, 190, 150), (150, 180, 195), (190, 185, 200), (90, 100, 100),
                                (60, 70, 90))
_BLUE, _RED, _WHITE, _BLACK = (205, 95, 35), (35, 30, 190), (240, 244, 244), (28, 28, 30)
_SHIFT = 4


@dataclass(frozen=True, slots=True)
class Edition:
    """How one printing looks: `ground_of` a type, the `line` round a ground, the card's `edge`, the mat's colours, and
    where icons stand. Colours BGR, 0..255; lengths mm."""

    ground_of: dict[str, Colour8]
    edge: Colour8
    line: Colour8
    edge_mm: float
    line_mm: float
    inset_mm: float
    white: Colour8
    margin: Colour8
    districts: tuple[Colour8, ...]
    margin_mm: float
    frame_mm: float
    font: int


def random_edition(kit: QuadropolisKit, rng: np.random.Generator) -> Edition:
    """An edition whose types keep their usual hues, more or less."""
    def near(colour: Colour8, spread: float) -> Colour8:
        b, g, r = np.clip(np.array(colour) * rng.uniform(0.85, 1.12) + rng.normal(0, spread, 3), 5, 250)
        return float(b), float(g), float(r)

    chosen = rng.choice(len(DISTRICTS), 4, replace=False)
    return Edition(
        {kind: near(colour, 9) for kind, colour in GROUNDS.items()}, near((150, 180, 180), 12), near((45, 45, 45), 12),
        float(rng.uniform(0.7, 1.3)), float(rng.uniform(0.35, 0.6)), float(rng.uniform(0.8, 1.6)), near(_WHITE, 5),
        near(MARGINS[int(rng.integers(len(MARGINS)))], 10), tuple(near(DISTRICTS[int(n)], 10) for n in chosen),
        float(rng.uniform(16.5, 24)), (kit.tile_mm + 2) * float(rng.uniform(0.99, 1.015)),
        int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX])),
    )


class _Sheet:
    """A drawing whose lengths are mm from its top left corner."""

    def __init__(self, width_mm: float, px_per_mm: float, colour: Colour8) -> None:
        n = round(width_mm * px_per_mm)
        self.scale = n / width_mm
        self.image: Image = np.full((n, n, 3), np.round(colour), np.uint8)

    def shape(self, points_mm: Array | list[tuple[float, float]], colour: Colour8) -> None:
        """A filled polygon."""
        at = np.round(np.array(points_mm, np.float64) * self.scale * (1 << _SHIFT)).astype(np.int32)
        cv2.fillPoly(self.image, [at], colour, cv2.LINE_AA, _SHIFT)

    def bar(self, x: float, y: float, w: float, h: float, colour: Colour8) -> None:
        self.shape([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], colour)

    def disc(self, x: float, y: float, r: float, colour: Colour8) -> None:
        at = round(x * self.scale * (1 << _SHIFT)), round(y * self.scale * (1 << _SHIFT))
        cv2.circle(self.image, at, round(r * self.scale * (1 << _SHIFT)), colour, -1, cv2.LINE_AA, _SHIFT)

    def line(self, a: tuple[float, float], b: tuple[float, float], wide: float, colour: Colour8) -> None:
        ends = [(round(x * self.scale * (1 << _SHIFT)), round(y * self.scale * (1 << _SHIFT))) for x, y in (a, b)]
        cv2.line(self.image, ends[0], ends[1], colour, max(1, round(wide * self.scale)), cv2.LINE_AA, _SHIFT)

    def text(self, word: str, x: float, y: float, high: float, font: int, colour: Colour8, bold: float = 0.16) -> None:
        """A word `high` mm tall, its middle at (x, y)."""
        size = high * self.scale / 22.0
        thick = max(1, round(bold * high * self.scale))
        (w, h), _ = cv2.getTextSize(word, font, size, thick)
        at = round(x * self.scale - w / 2), round(y * self.scale + h / 2)
        cv2.putText(self.image, word, at, font, size, colour, thick, cv2.LINE_AA)


def mat_texture(kit: QuadropolisKit, look: Edition, px_per_mm: float, rng: np.random.Generator) -> Image:
    """The mat with its margin."""
    margin, pitch = look.margin_mm, kit.pitch_mm
    sheet = _Sheet(SIDE * pitch + 2 * margin, px_per_mm, look.margin)
    for n, colour in enumerate(look.districts):
        sheet.bar(margin + (n % 2) * 2 * pitch, margin + (n // 2) * 2 * pitch, 2 * pitch, 2 * pitch, colour)
    half = look.frame_mm / 2
    for row in range(SIDE):
        for col in range(SIDE):
            x, y = margin + (col + 0.5) * pitch, margin + (row + 0.5) * pitch
            ring = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
            for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
                sheet.line(a, b, 0.7, (48, 48, 48))
    ink: Colour8 = (30, 30, 30) if sum(look.margin) > 330 else (215, 215, 215)
    for n in range(SIDE):
        middle = margin + (n + 0.5) * pitch
        sheet.text(str(n + 1), middle, 0.6 * margin, 6.5, look.font, ink)
        sheet.text(str(n + 1), 0.6 * margin, middle, 6.5, look.font, ink)
    return _worn(sheet.image, 0.025, rng)


def tile_texture(kit: QuadropolisKit, look: Edition, face: Face | None, kind: str, art: int,
                 px_per_mm: float) -> tuple[Image, Field]:
    """A tile's front and its opacity (its corners are rounded). `face` None: only the ground, for what lies under
    another tile."""
    side = kit.tile_mm
    sheet = _Sheet(side, px_per_mm, look.edge)
    ground, e, w = look.ground_of[kind], look.edge_mm, look.line_mm
    sheet.bar(e, e, side - 2 * e, side - 2 * e, look.line)
    sheet.bar(e + w, e + w, side - 2 * (e + w), side - 2 * (e + w), ground)
    if face is not None:
        _art(sheet, side, ground, np.random.default_rng(art))
        _framed(sheet, tile_texture(kit, look, None, kind, 0, px_per_mm)[0], e + w)
        _icons(sheet, side, e + w + look.inset_mm, face, look)
    opacity = np.zeros(sheet.image.shape[:2], np.uint8)
    n, r = len(opacity), round(1.6 * sheet.scale)
    for x, y in ((r, r), (n - 1 - r, r), (r, n - 1 - r), (n - 1 - r, n - 1 - r)):
        cv2.circle(opacity, (x, y), r, (255,), -1, cv2.LINE_AA)
    opacity[r:-r, :] = 255
    opacity[:, r:-r] = 255
    return sheet.image, np.asarray(opacity.astype(np.float32) / 255, np.float32)


def _framed(sheet: _Sheet, bare: Image, edge_mm: float) -> None:
    """Cuts off what was drawn over the edge."""
    k = round(edge_mm * sheet.scale)
    inner = sheet.image[k:-k, k:-k].copy()
    sheet.image[:] = bare
    sheet.image[k:-k, k:-k] = inner


def _art(sheet: _Sheet, side: float, ground: Colour8, rng: np.random.Generator) -> None:
    """Houses in shades of the ground, anywhere but never the same."""
    base = np.array(ground)
    for _ in range(int(rng.integers(5, 12))):
        x, y = rng.uniform(0.1, 0.85, 2) * side
        w, h, up = rng.uniform(4, 11), rng.uniform(2, 6), rng.uniform(1, 3.5)
        shade = np.clip(base * rng.uniform(0.35, 1.35) + rng.normal(0, 22, 3), 0, 255)
        front, roof = _plain(shade), _plain(np.clip(shade * rng.uniform(0.75, 1.25), 0, 255))
        lean = rng.uniform(-2.5, 2.5)
        sheet.shape([(x, y), (x + w, y), (x + w + lean, y - up), (x + lean, y - up)], roof)
        sheet.bar(x, y, w, h, front)
        lit = _plain(np.clip(shade * 1.5 + 25, 0, 255))
        for n in range(int(w / 2)):
            sheet.bar(x + 0.7 + 2 * n, y + 0.35 * h, 0.8, 0.8, lit)


def _plain(colour: Array) -> Colour8:
    b, g, r = (float(v) for v in colour)
    return b, g, r


def _icons(sheet: _Sheet, side: float, edge: float, face: Face, look: Edition) -> None:
    """Top left what it gives, top right the type, bottom right the cost, bottom left the Mayor or a park's gain."""
    given = ["i"] * face.inhabitants + ["e"] * face.energy + ([str(face.vp)] if face.vp else [])
    if given:
        sheet.bar(edge, edge, 4.4 * len(given) + 1.4, 6.6, look.white)
    for n, what in enumerate(given):
        x, y = edge + 2.9 + 4.4 * n, edge + 3.3
        if what == "i":
            _person(sheet, x, y, 4.2, _BLUE)
        elif what == "e":
            _barrel(sheet, x, y, 3.4, _RED)
        else:
            _star(sheet, x, y, 2.9, (170, 60, 30), look.white)
            sheet.text(what, x, y + 0.15, 2.2, look.font, (120, 30, 20), 0.2)
    _type(sheet, side - edge - 4.2, edge + 4.2, face.type, look)
    if face.type == "park":
        x, y = edge + 4.6, side - edge - 4.6
        sheet.disc(x, y, 4.5, look.white)
        _barrel(sheet, x, y, 3.6, _RED)
        sheet.line((x - 3.2, y - 3.2), (x + 3.2, y + 3.2), 0.6, _BLACK)
    else:
        x, y = side - edge - 4.6, side - edge - 4.6
        sheet.disc(x, y, 4.5, look.white)
        if face.type in ("tower", "shop"):
            _barrel(sheet, x, y, 3.6, _RED)
        else:
            _person(sheet, x, y, 4.6, _BLUE)
    if face.mayor:
        sheet.disc(edge + 4.2, side - edge - 4.2, 4.0, (70, 150, 35))
        sheet.text("M", edge + 4.2, side - edge - 4.2, 3.4, look.font, look.white, 0.2)


def _person(sheet: _Sheet, x: float, y: float, high: float, colour: Colour8) -> None:
    sheet.disc(x, y - 0.27 * high, 0.2 * high, colour)
    sheet.shape([(x - 0.36 * high, y + 0.5 * high), (x - 0.36 * high, y), (x - 0.12 * high, y - 0.14 * high),
                 (x + 0.12 * high, y - 0.14 * high), (x + 0.36 * high, y), (x + 0.36 * high, y + 0.5 * high)], colour)


def _barrel(sheet: _Sheet, x: float, y: float, wide: float, colour: Colour8) -> None:
    sheet.bar(x - wide / 2, y - 0.42 * wide, wide, 0.84 * wide, colour)
    sheet.bar(x - wide / 2, y - 0.06 * wide, wide, 0.12 * wide, (25, 20, 120))


def _star(sheet: _Sheet, x: float, y: float, r: float, colour: Colour8, white: Colour8) -> None:
    for radius, ink in ((r, colour), (0.78 * r, white)):
        angle = np.arange(10) * np.pi / 5 - np.pi / 2
        far = np.where(np.arange(10) % 2 == 0, radius, 0.55 * radius)
        sheet.shape(np.stack([x + far * np.cos(angle), y + far * np.sin(angle)], 1), ink)


def _type(sheet: _Sheet, x: float, y: float, kind: str, look: Edition) -> None:
    """The type's sign, white in a black disc."""
    sheet.disc(x, y, 4.0, _BLACK)
    white = look.white
    match kind:
        case "tower":
            sheet.bar(x - 1.2, y - 2.4, 2.4, 4.8, white)
        case "shop":
            sheet.shape([(x - 2.0, y + 2.2), (x - 1.3, y - 1.2), (x + 1.3, y - 1.2), (x + 2.0, y + 2.2)], white)
            sheet.disc(x, y - 1.4, 0.9, white)
        case "service":
            sheet.bar(x - 2.3, y - 0.8, 4.6, 1.6, white)
            sheet.bar(x - 0.8, y - 2.3, 1.6, 4.6, white)
        case "park":
            sheet.disc(x, y - 0.7, 1.8, white)
            sheet.bar(x - 0.5, y + 0.6, 1.0, 2.0, white)
        case "factory":
            sheet.bar(x - 2.2, y - 0.2, 4.4, 2.4, white)
            sheet.bar(x + 0.9, y - 2.4, 1.1, 2.6, white)
            sheet.shape([(x - 2.2, y - 0.2), (x - 2.2, y - 1.4), (x - 0.6, y - 0.2)], white)
        case _:
            sheet.bar(x - 0.4, y - 2.4, 0.8, 4.6, white)
            sheet.bar(x - 1.4, y - 1.5, 2.8, 0.7, white)
            sheet.shape([(x - 2.4, y + 0.6), (x - 1.7, y + 0.4), (x, y + 1.8), (x + 1.7, y + 0.4), (x + 2.4, y + 0.6),
                         (x, y + 2.7)], white)


def _worn(image: Image, spread: float, rng: np.random.Generator) -> Image:
    """A paper's fine grain and soft unevenness."""
    h, w = image.shape[:2]
    fine = rng.standard_normal((h // 2 + 1, w // 2 + 1)).astype(np.float32)
    fine = cv2.resize(cv2.GaussianBlur(fine, (0, 0), 0.8), (w, h)) * np.float32(2.0)
    grain = np.exp(fine * np.float32(spread))[..., None]
    return np.asarray(np.clip(image.astype(np.float32) * grain, 0, 255), np.uint8)
