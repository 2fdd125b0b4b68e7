"""Cities as drawings: signs for faces, and the overlay of points on a city's picture or plan.

Nothing is told by colour alone: each type has a shape of its own, points are numbers, doubt is a question mark and a
dashed line, a building without supply is crossed out by a dash.
"""

from __future__ import annotations

from html import escape

from rules.quadropolis.state import SLOTS
from webui.city_desk import CityView, SlotView

PLAN_PX = 800
_MAT_EDGE = 0.13
TYPES = {"T": "tower", "S": "shop", "V": "service", "P": "park", "F": "factory", "H": "harbor"}
"""By the first letter of a face: S alone is a shop; services are V."""
SHARED = frozenset({"districts", "harbor-line", "harbor-row", "harbor-column"})
_SIGNS = {
    "tower": '<path d="M20 50V14h24v36M27 22h3M34 22h3M27 30h3M34 30h3M27 38h3M34 38h3"/>',
    "shop": '<path d="M14 28h36l-4-12H18ZM18 28v22h28V28M28 50V38h8v12"/>',
    "service": '<path d="M12 26 32 12l20 14ZM18 30v16M27 30v16M37 30v16M46 30v16M12 50h40"/>',
    "park": '<path d="M32 52V34M32 36c-14 2-16-12-8-15 0-10 16-10 16 0 8 3 6 17-8 15Z"/>',
    "factory": '<path d="M12 50V30l12 7v-7l12 7V14h8v36Z"/>',
    "harbor": '<path d="M32 20v32M22 30h20M14 38c2 10 10 14 18 14s16-4 18-14"/><circle cx="32" cy="15" r="5"/>',
}
_DASH, _TIMES = "\N{EN DASH}", "\N{MULTIPLICATION SIGN}"
_PERSON = '<path d="M0-5a3.2 3.2 0 1 1-.1 0ZM-5 8c0-9 10-9 10 0Z"/>'
_BOLT = '<path d="M1.5-8-5 2h4l-1.5 7L5-2H1Z"/>'
_STAR = '<path d="M0-7 2-2l5.5.4L3.3 2 4.6 7.4 0 4.5-4.6 7.4-3.3 2-7.5-1.6-2-2Z"/>'


def type_of(face: str) -> str:
    """The type's name of a face.

    >>> type_of("H1i1e"), type_of("S")
    ('harbor', 'shop')
    """
    return TYPES[face[0]]


def gives(face: str) -> tuple[int, int, int]:
    """Inhabitants, energy and points that a face shows.

    >>> gives("H1i1e"), gives("T2"), gives("V2"), gives("F3"), gives("P")
    ((1, 1, 0), (2, 0, 0), (0, 0, 2), (0, 3, 0), (0, 0, 0))
    """
    if face[0] == "H":
        found = {face[n + 1]: int(face[n]) for n in range(1, len(face) - 1, 2)}
        return found.get("i", 0), found.get("e", 0), found.get("v", 0)
    number = int(face[1]) if len(face) > 1 and face[1].isdigit() else 0
    return (number if face[0] == "T" else 0, number if face[0] == "F" else 0, number if face[0] == "V" else 0)


def face_svg(face: str | None) -> str:
    """A tile as a sign of 64 by 76: its type's shape, and below it what it shows; None is an empty slot."""
    if face is None:
        return ('<svg class="face" viewBox="0 0 64 76" aria-hidden="true">'
                '<rect class="void" x="8" y="14" width="48" height="48" rx="6"/></svg>')
    people, energy, points = gives(face)
    marks = [(_PERSON, "person")] * people + [(_BOLT, "bolt")] * energy + [(_STAR, "star")] * points
    row = "".join(
        f'<g class="{name}" transform="translate({32 + 17 * (n - (len(marks) - 1) / 2):g} 65)">{mark}</g>'
        for n, (mark, name) in enumerate(marks)
    )
    mayor = '<text class="mayor" x="54" y="16">M</text>' if face.endswith("m") else ""
    return (f'<svg class="face t-{type_of(face)}" viewBox="0 0 64 76" aria-hidden="true">'
            f'<g class="sign-of">{_SIGNS[type_of(face)]}</g>{row}{mayor}</svg>')


def outlines(city: CityView, with_picture: bool) -> list[tuple[tuple[float, float], ...]]:
    """By slot its four corners: in the picture, or in a plan of `PLAN_PX`."""
    if with_picture and city.picture_seq:
        return [slot.outline_px for slot in city.slots]
    step, edge = PLAN_PX / 4, 10.0
    return [
        ((c * step + edge, r * step + edge), ((c + 1) * step - edge, r * step + edge),
         ((c + 1) * step - edge, (r + 1) * step - edge), (c * step + edge, (r + 1) * step - edge))
        for r in range(4) for c in range(4)
    ]


def mat_part(city: CityView) -> tuple[int, int, int, int]:
    """The part of a city's picture that its slots fill, and a little around: left, top, width, height, px."""
    points = [point for slot in city.slots for point in slot.outline_px]
    low = [min(p[n] for p in points) for n in (0, 1)] if points else [0.0, 0.0]
    high = [max(p[n] for p in points) for n in (0, 1)] if points else [float(n) for n in city.size_px]
    edge = _MAT_EDGE * max(high[0] - low[0], high[1] - low[1])
    left, top = (max(0, int(low[n] - edge)) for n in (0, 1))
    right, bottom = (min(city.size_px[n], int(high[n] + edge)) for n in (0, 1))
    return left, top, max(1, right - left), max(1, bottom - top)


def city_svg(city: CityView, with_picture: bool, may: bool, names: list[str]) -> str:
    """The city with each building outlined and its points on it; `names` by slot are read to people who do not see.

    Points that several buildings make together stand, with a plus, on the first of them.
    """
    shown = with_picture and bool(city.picture_seq)
    width, height = city.size_px if shown else (PLAN_PX, PLAN_PX)
    view = mat_part(city) if shown else (0, 0, PLAN_PX, PLAN_PX)
    rings = outlines(city, with_picture)
    shared: dict[int, int] = {}
    for reason in city.reasons:
        if reason.label in SHARED:
            shared[reason.slots[0]] = shared.get(reason.slots[0], 0) + reason.points
    back = (f'<image href="/city/picture.jpg?city={city.city}&amp;seq={city.picture_seq}" width="{width}" '
            f'height="{height}"/>' if shown else f'<rect class="mat" width="{width}" height="{height}"/>')
    body = "".join(_slot_svg(city, n, rings[n], shared.get(n), may, names[n], shown) for n in range(SLOTS))
    return (f'<svg class="city{"" if shown else " plan"}" viewBox="{" ".join(map(str, view))}" role="group">'
            f"{back}{body}</svg>")


def _slot_svg(
    city: CityView, slot: int, ring: tuple[tuple[float, float], ...], shared: int | None, may: bool, name: str,
    shown: bool,
) -> str:
    if len(ring) != 4:
        return ""
    one = city.slots[slot]
    x, y = sum(p[0] for p in ring) / 4, sum(p[1] for p in ring) / 4
    side = ((ring[1][0] - ring[0][0]) ** 2 + (ring[1][1] - ring[0][1]) ** 2) ** 0.5
    points = " ".join(f"{px:.0f},{py:.0f}" for px, py in ring)
    is_wrong = city.follow is not None and city.follow.kind == "refused" and slot in city.follow.slots
    classes = "".join(
        f" {word}" for word, on in (("empty", one.building is None), ("asked", one.asked), ("idle", not one.active),
                                    ("wrong", is_wrong)) if on
    )
    parts = [f'<polygon class="rim" points="{points}"/>', f'<polygon class="edge" points="{points}"/>']
    if one.building is not None and not shown:
        parts.append(_plan_face(one, x, y, side))
    if is_wrong:
        parts.append(_badge("!", x - side * 0.34, y - side * 0.3, side * 0.24))
    if one.building is not None or one.asked:
        parts.append(_badge(_words(one), x, y if shown else y + side * 0.33, side * (0.26 if shown else 0.21)))
    if shared is not None:
        parts.append(_badge(f"+{shared}", x + side * 0.26, y + side * (0.36 if shown else -0.36), side * 0.17))
    action = f' data-slot="{slot}" tabindex="0" role="button"' if may else ""
    return f'<g class="slot{classes}" data-at="{slot}"{action}><title>{escape(name)}</title>{"".join(parts)}</g>'


def _words(one: SlotView) -> str:
    if one.building is None:
        return "?"
    return f"{one.points if one.active else _DASH}{'?' if one.asked else ''}"


def _plan_face(one: SlotView, x: float, y: float, side: float) -> str:
    building = one.building
    if building is None:
        return ""
    scale = side / 142
    tokens = [(_PERSON, "person")] * min(5, building.inhabitants) + [(_BOLT, "bolt")] * min(4, building.energy)
    row = "".join(
        f'<g class="{kind}" transform="translate({x + side * (0.13 * (n - (len(tokens) - 1) / 2)):.0f} '
        f'{y + side * 0.08:.0f}) scale({scale:.2f})">{mark}</g>'
        for n, (mark, kind) in enumerate(tokens)
    )
    floors = (f'<text class="floors" x="{x - side * 0.36:.0f}" y="{y - side * 0.24:.0f}" '
              f'font-size="{side * 0.16:.0f}">{_TIMES}{building.floors}</text>' if building.floors > 1 else "")
    return (f'<g class="sign-of" transform="translate({x - 32 * scale:.0f} {y - side * 0.47:.0f}) '
            f'scale({scale:.2f})">{_SIGNS[type_of(building.face)]}</g>{row}{floors}')


def _badge(text: str, x: float, y: float, height: float) -> str:
    half = height * (0.36 * len(text) + 0.34)
    return (f'<rect class="badge-box" x="{x - half:.0f}" y="{y - height * 0.66:.0f}" width="{2 * half:.0f}" '
            f'height="{height * 1.32:.0f}" rx="{height * 0.35:.0f}"/>'
            f'<text class="badge-points" x="{x:.0f}" y="{y + height * 0.36:.0f}" font-size="{height:.0f}">{text}'
            "</text>")
