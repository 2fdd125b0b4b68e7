"""What this room says to people, in English and in Brazilian Portuguese; neither language can be left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from rules.words import Colour, Said


def joined(sentences: Iterable[Said]) -> Said:
    """Several sentences, one after the other."""
    ended = [one.ended() for one in sentences]
    return Said(" ".join(one.en for one in ended), " ".join(one.pt for one in ended))


def decimal_pt(value: float, digits: int) -> str:
    """A number as Brazil writes it.

    >>> decimal_pt(3.25, 1)
    '3,2'
    """
    return f"{value:.{digits}f}".replace(".", ",")


COLOURS_PT: Mapping[str, str] = MappingProxyType({
    "red": "vermelho", "yellow": "amarelo", "green": "verde", "blue": "azul", "black": "preto", "white": "branco",
    "orange": "laranja", "purple": "roxo", "pink": "rosa", "brown": "marrom", "grey": "cinza", "gray": "cinza",
})


def colour_pt(colour: Colour | str) -> str:
    """A colour's name in Portuguese; a name that somebody made up stays as it is."""
    return COLOURS_PT.get(str(colour), str(colour))
