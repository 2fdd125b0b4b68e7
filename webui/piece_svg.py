"""One piece as SVG, told apart without colour: letter and pattern for the colour, shape for how it lies,
size by size and by pips.

Frame of reference: a cell is 100 by 100 units, its middle the origin, x to the right, y down. A standing
pyramid is its square base with the four edges that run to the tip; a lying one is an arrow whose tip
points where the piece points, with its hollow base as the dark bar.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Final

from rules.words import Colour, Piece
from webui.phrases import letters_of

CELL: Final = 100
PATTERNS: Final[tuple[str, ...]] = ("plain", "stripes", "dots", "grid", "bars", "waves", "checks", "rings")
"""Patterns in the order in which a match's colours get them; `pattern_defs` draws each."""

FILLS: Final[Mapping[str, str]] = {
    "red": "#d9483b",
    "yellow": "#f3c63a",
    "green": "#4a9d5b",
    "blue": "#4a79d6",
    "black": "#3a3a3d",
    "white": "#f1efe9",
    "orange": "#ec8a34",
    "purple": "#8a5bb5",
    "pink": "#e58bb0",
    "cyan": "#48b5c4",
    "grey": "#96989c",
    "brown": "#8a6242",
    "clear": "#dfe7ea",
}
UNKNOWN_FILL: Final = "#b9a48c"

_BASE: Final = {"small": 48, "medium": 64, "large": 82}
_LENGTH: Final = {"small": 60, "medium": 77, "large": 94}
_PIPS: Final = {"small": 1, "medium": 2, "large": 3}
_DISC: Final = {"small": 14, "medium": 17, "large": 20}


@dataclass(frozen=True, slots=True)
class Mark:
    """How a colour is told: `letter` and `pattern` do without seeing `fill`."""

    letter: str
    pattern: str
    fill: str

    @property
    def is_dark(self) -> bool:
        red, green, blue = (int(self.fill[i : i + 2], 16) for i in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue < 105

    @property
    def pattern_id(self) -> str:
        return f"pat-{self.pattern}-{'light' if self.is_dark else 'dark'}"


def marks_of(colours: Iterable[Colour], language: str) -> dict[Colour, Mark]:
    """A mark for each colour, in the given order: no two share a letter, and up to eight no two share a pattern.

    >>> [mark.pattern for mark in marks_of([Colour("red"), Colour("blue")], "en").values()]
    ['plain', 'stripes']
    """
    letters = letters_of(colours, language)
    return {
        colour: Mark(letter, PATTERNS[i % len(PATTERNS)], FILLS.get(colour, UNKNOWN_FILL))
        for i, (colour, letter) in enumerate(letters.items())
    }


def pattern_defs() -> str:
    """The `<defs>` that every drawing of the page refers to: each pattern in dark and in light ink."""
    ink = {"dark": ("#000", "0.34"), "light": ("#fff", "0.42")}
    tiles = {
        "stripes": (12, '<path d="M-3 3L3 -3M0 12L12 0M9 15L15 9" stroke-width="3.4"/>'),
        "dots": (12, '<circle cx="6" cy="6" r="2.7" class="solid"/>'),
        "grid": (12, '<path d="M0 6H12M6 0V12" stroke-width="2.4"/>'),
        "bars": (10, '<path d="M5 0V10" stroke-width="3.8"/>'),
        "waves": (14, '<path d="M0 7Q3.5 1 7 7T14 7" stroke-width="2.8"/>'),
        "checks": (14, '<path d="M0 0H7V7H0ZM7 7H14V14H7Z" class="solid"/>'),
        "rings": (14, '<circle cx="7" cy="7" r="4" stroke-width="2.2"/>'),
    }
    out = []
    for name, (side, shape) in tiles.items():
        for tone, (colour, opacity) in ink.items():
            solid = shape.replace('class="solid"', f'fill="{colour}" stroke="none"')
            out.append(
                f'<pattern id="pat-{name}-{tone}" width="{side}" height="{side}" patternUnits="userSpaceOnUse">'
                f'<g fill="none" stroke="{colour}" opacity="{opacity}">{solid}</g></pattern>'
            )
    out.append(
        '<marker id="arrow-head" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="4.2" markerHeight="4.2" '
        'orient="auto"><path d="M0 0L10 5L0 10Z" class="arrow-tip"/></marker>'
    )
    return f"<defs>{''.join(out)}</defs>"


def fill_shape(shape: str, mark: Mark) -> str:
    """A shape (an SVG element that ends in "/>") in the mark's colour, and again in its pattern."""
    plain = shape.replace("/>", f' class="edge" fill="{mark.fill}"/>')
    if mark.pattern == "plain":
        return plain
    return plain + shape.replace("/>", f' fill="url(#{mark.pattern_id})"/>')


def piece_svg(piece: Piece, mark: Mark, side: int = 0) -> str:
    """The piece around the origin; `side` is the seat at the bottom of the drawing: facings turn with it.

    Carries its words in `data-kind`, `data-colour`, `data-posture` (up, or the facing 0-3), `data-pattern`,
    for tests and scripts.
    """
    if piece.kind == "van":
        return van_svg()
    posture = "up" if piece.facing is None else str(piece.facing % 4)
    data = (
        f'data-kind="{escape(piece.kind)}" data-colour="{escape(piece.colour)}" '
        f'data-posture="{posture}" data-pattern="{mark.pattern}"'
    )
    body = _standing(piece, mark) if piece.facing is None else _lying(piece, mark, (piece.facing - side) % 4)
    return f'<g class="piece" {data}>{body}</g>'


def _letter(mark: Mark, x: float, y: float, radius: float) -> str:
    size = radius * (1.5 if len(mark.letter) == 1 else 1.15)
    return (
        f'<circle class="disc" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'
        f'<text class="letter" x="{x:g}" y="{y + size * 0.35:g}" font-size="{size:g}">{escape(mark.letter)}</text>'
    )


def _pips(count: int, middle_x: float, y: float, radius: float, gap: float) -> str:
    first = middle_x - gap * (count - 1) / 2
    return "".join(f'<circle class="pip" cx="{first + gap * i:g}" cy="{y:g}" r="{radius:g}"/>' for i in range(count))


def _standing(piece: Piece, mark: Mark) -> str:
    base, radius = _BASE.get(piece.kind, 64), _DISC.get(piece.kind, 17)
    half = base / 2
    square = fill_shape(f'<rect x="{-half:g}" y="{-half:g}" width="{base}" height="{base}" rx="4"/>', mark)
    cross = f"M{-half:g} {-half:g}L{half:g} {half:g}M{half:g} {-half:g}L{-half:g} {half:g}"
    edges = f'<path class="edge thin" d="{cross}"/>'
    pips = _pips(_PIPS.get(piece.kind, 0), 0, half - 5.5, 3.4, 11)
    return square + edges + _letter(mark, 0, -2 if piece.kind == "small" else -1, radius) + pips


_STRIP: Final = 13


def _lying(piece: Piece, mark: Mark, quarter: int) -> str:
    """`quarter`: quarter turns clockwise from "up" in the drawing."""
    half, length = _BASE.get(piece.kind, 64) / 2, _LENGTH.get(piece.kind, 77)
    radius = _DISC.get(piece.kind, 17) - 1
    top, bottom = -length / 2, length / 2
    shoulder = bottom - _STRIP
    arrow = fill_shape(f'<path d="M0 {top:g}L{half:g} {shoulder:g}L{-half:g} {shoulder:g}Z"/>', mark)
    bar = f'<path class="hollow" d="M{-half:g} {shoulder:g}H{half:g}V{bottom:g}H{-half:g}Z"/>'
    pips = _pips(_PIPS.get(piece.kind, 0), 0, shoulder + _STRIP / 2, 3.6, 12).replace('"pip"', '"pip on-dark"')
    down = shoulder - radius * 0.98
    x, y = ((0, down), (-down, 0), (0, -down), (down, 0))[quarter]
    return f'<g transform="rotate({90 * quarter})">{arrow}{bar}{pips}</g>{_letter(mark, x, y, radius)}'


def van_svg() -> str:
    """The Mystery Machine from its side, 78 by 40 units around the origin."""
    return (
        '<g class="van" data-kind="van"><path class="edge" fill="#39a6a0" d="M-38 13V-10Q-38 -19 -29 -19H14'
        'Q20 -19 24 -13L30 -3Q38 -1 38 6V13Z"/><path fill="#f0883e" d="M-37 1Q-20 -6 -4 2T31 3L36 6V9H-37Z"/>'
        '<path class="edge thin" fill="#dff1f3" '
        'd="M9 -14H14Q18 -14 20 -10L24 -3H9ZM-11 -14H3V-3H-11ZM-31 -14H-17V-3H-31Z"/>'
        '<circle class="wheel" cx="-21" cy="13" r="7"/><circle class="wheel" cx="21" cy="13" r="7"/></g>'
    )


def icon_svg(piece: Piece | None, mark: Mark | None, side: int = 0, css: str = "icon") -> str:
    """A piece alone, for lists and buttons; an empty dashed cell for None."""
    if piece is None or (mark is None and piece.kind != "van"):
        body = '<rect class="nothing" x="-34" y="-34" width="68" height="68" rx="10"/>'
    else:
        body = piece_svg(piece, mark or Mark("", "plain", UNKNOWN_FILL), side)
    box = "-42 -30 84 60" if piece and piece.kind == "van" else "-52 -52 104 104"
    return f'<svg class="{css}" viewBox="{box}" aria-hidden="true">{body}</svg>'


def swatch_svg(mark: Mark) -> str:
    """A colour's mark alone: filled, patterned, with its letter."""
    shape = fill_shape('<rect x="-46" y="-46" width="92" height="92" rx="22"/>', mark)
    return f'<svg class="swatch" viewBox="-50 -50 100 100" aria-hidden="true">{shape}{_letter(mark, 0, 0, 30)}</svg>'
