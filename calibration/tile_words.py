"""Faces, slots and tiles as people say them, in English and in Brazilian Portuguese."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rules.words import Cell, Said
from vision.kits.quadropolis import Face, QuadropolisKit

_TYPES: Mapping[str, Said] = MappingProxyType({
    "tower": Said("tower", "torre"), "shop": Said("shop", "loja"),
    "service": Said("public service", "serviço público"), "park": Said("park", "parque"),
    "factory": Said("factory", "fábrica"), "harbor": Said("harbour", "porto"),
})


def face_said(face: Face) -> Said:
    """A face as people say it.

    >>> face_said(Face("tower", 1, mayor=True))
    Said(en='tower with 1 inhabitant and the Mayor', pt='torre com 1 habitante e o Prefeito')
    """
    parts: list[Said] = []
    if face.inhabitants:
        plural = "s" * (face.inhabitants > 1)
        parts.append(Said(f"{face.inhabitants} inhabitant{plural}", f"{face.inhabitants} habitante{plural}"))
    if face.energy:
        parts.append(Said(f"{face.energy} energy", f"{face.energy} energia{'s' * (face.energy > 1)}"))
    if face.vp:
        plural = "s" * (face.vp > 1)
        parts.append(Said(f"{face.vp} point{plural}", f"{face.vp} ponto{plural}"))
    if face.mayor:
        parts.append(Said("the Mayor", "o Prefeito"))
    words = _TYPES[face.type]
    if not parts:
        return words
    return Said(f"{words.en} with {' and '.join(part.en for part in parts)}",
                f"{words.pt} com {' e '.join(part.pt for part in parts)}")


def in_slot(face: Face, cell: Cell, kit: QuadropolisKit) -> Said:
    """A face and the slot where it should lie; in English by the rules' short word."""
    name = kit.cell_name(cell)
    return Said(f"{face.word} in slot {name}", f"{face_said(face).pt} na casa {name}")
