from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

import webui
from rules.words import Cell, Colour, Said
from webui.desk import Tone
from webui.phrases import COLOUR_NAMES, PHRASES, cell_name, letters_of, piece_phrase, say
from webui.wishes import SOUND_LEVELS

ROOM = Path(webui.__file__).parent
SAME_IN_BOTH = {"title", "city.total"}


def places(text: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("key", PHRASES)
def test_each_sentence_exists_in_both_languages_with_the_same_places(key: str) -> None:
    said = PHRASES[key]
    assert said.en.strip()
    assert said.pt.strip()
    assert places(said.en) == places(said.pt)
    assert key in SAME_IN_BOTH or said.en != said.pt, "a sentence that was not translated"


def test_each_key_that_is_used_exists_and_each_that_exists_is_used() -> None:
    source = "".join(path.read_text() for path in [*ROOM.glob("*.py"), *ROOM.glob("templates/*.html")])
    named = set(re.findall(r"""\b(?:t|say|told)\(\s*["']([a-z0-9.-]+)["']\s*[,)]""", source))
    assert named - set(PHRASES) == set()
    chosen = {"wins", "win-shared", "point", "points"}
    families = ("seat.", "phase.", "way.", "kind.", "tone.", "health.", "sound.", "score.", "error.", "step.", "city.")
    idle = {key for key in PHRASES if key not in named | chosen and not key.startswith(families)}
    assert idle == set()


def test_words_for_every_tone_sound_and_seat() -> None:
    for key in [*(f"tone.{tone.value}" for tone in Tone), *(f"sound.{level}" for level in SOUND_LEVELS)]:
        assert key in PHRASES
    assert [say(f"seat.{seat}", "pt") for seat in range(4)] == ["Sul", "Oeste", "Norte", "Leste"]


@pytest.mark.parametrize("language", ["en", "pt"])
def test_no_two_known_colours_share_name_or_letter(language: str) -> None:
    names = [name.in_language(language) for name, _ in COLOUR_NAMES.values()]
    assert len(set(names)) == len(names)
    assert len(set(letters_of(map(Colour, COLOUR_NAMES), language).values())) == len(COLOUR_NAMES)


def test_words_for_cells_and_pieces_that_no_game_has_yet() -> None:
    assert cell_name(Cell(1, 2, 3), "en") == "b3/3"
    assert cell_name(Cell(1, -1, 0, "links"), "en") == "links 1,-1"
    assert piece_phrase(None, "pt") == "Vazia"
    assert isinstance(PHRASES["title"], Said)
