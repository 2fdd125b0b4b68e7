"""Every sentence of the wizards exists in both languages: the source is walked, and `vision`'s sentences with it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from calibration.said import COLOURS_PT, colour_pt, decimal_pt, joined
from calibration.seen_said import seen_said
from rules.words import Said
from vision.locate import NoBoard, find_chessboard

ROOT = Path(__file__).parents[2]
SPEAKING = [*sorted((ROOT / "calibration").glob("*.py")),
            *(ROOT / "table" / name for name in ("at_terminal.py", "calibrating.py", "score_tiles.py"))]
PASSED_ON = ("teach", "tiles", "tile_lessons", "tile_wizard", "tapped", "eyes", "wizard", "check", "covered")
"""Whatever these refuse, a wizard tells."""
SEEING = ("natural", "taps", "follow", "mat", "mats")
ENGLISH = {"the", "wanted", "found", "picture", "board", "tile", "tiles", "take", "is", "are", "your", "with"}
PORTUGUESE = {"foto", "tabuleiro", "peça", "peças", "não", "tire", "uma", "um", "de", "são", "está"}
STANDS_FOR = "7"


def text_of(node: ast.expr) -> str:
    """A string as it is written; what is filled in stands as 7."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(part.value if isinstance(part, ast.Constant) else STANDS_FOR for part in parts)  # type: ignore[misc]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return text_of(left) + text_of(right)
    return STANDS_FOR


def sentences() -> Iterator[tuple[str, str, str]]:
    """Where it is, English, Portuguese, of every `Said` that is written out."""
    for path in SPEAKING:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="Said"), args=[en, pt]):
                    yield f"{path.name}:{node.lineno}", text_of(en), text_of(pt)


SENTENCES = list(sentences())


def words(text: str) -> set[str]:
    """Those of a sentence; commands to type belong to no language."""
    return {word.strip(".,:;()").lower() for word in re.sub("`[^`]*`", "", text).split()}


@pytest.mark.parametrize(("where", "en", "pt"), SENTENCES, ids=[where for where, _, _ in SENTENCES])
def test_a_sentence_is_in_both_languages(where: str, en: str, pt: str) -> None:
    assert en.strip()
    assert pt.strip()
    assert not words(en) & PORTUGUESE, en
    assert not words(pt) & ENGLISH, pt
    if len(words(en) - {STANDS_FOR}) > 2:
        assert en != pt


def test_the_wizards_say_enough_for_the_walk_to_mean_something() -> None:
    files = {where.split(":")[0] for where, en, _ in SENTENCES if len(en.split()) > 3}
    assert {"wizard.py", "tile_wizard.py", "teach.py", "tiles.py", "tile_lessons.py", "check.py", "tapped.py",
            "calibrating.py", "score_tiles.py"} <= files
    assert len(SENTENCES) > 60


@pytest.mark.parametrize("name", PASSED_ON)
def test_what_a_wizard_passes_on_is_refused_in_both_languages(name: str) -> None:
    tree = ast.parse((ROOT / "calibration" / f"{name}.py").read_text(encoding="utf-8"))
    raised = [node for node in ast.walk(tree) if isinstance(node, ast.Call)
              and isinstance(node.func, ast.Name) and node.func.id == "CalibrationFailed"]
    assert [node.lineno for node in raised] == []


def seen_sentences() -> Iterator[tuple[str, str]]:
    """What `vision` says of boards and mats, as it is written there; what it raises is for programmers."""
    for name in SEEING:
        tree = ast.parse((ROOT / "vision" / "locate" / f"{name}.py").read_text(encoding="utf-8"))
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
            begun = {node.targets[0].id: text_of(node.value) for node in function.body
                     if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}
            skipped = {id(inner) for node in ast.walk(function) if isinstance(node, ast.Raise)
                       for inner in ast.walk(node)}
            for node in ast.walk(function):
                if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in skipped:
                    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
                    text = "".join(
                        part.value if isinstance(part, ast.Constant) and isinstance(part.value, str)
                        else begun.get(part.value.id, STANDS_FOR) if isinstance(part, ast.FormattedValue)
                        and isinstance(part.value, ast.Name) else STANDS_FOR for part in parts)
                    if ": " in text and text.startswith(("wanted ", "something ", "the board ")):
                        yield f"{name}.py:{node.lineno}", text


SEEN = list(seen_sentences())


@pytest.mark.parametrize(("where", "text"), SEEN, ids=[where for where, _ in SEEN])
def test_what_vision_says_is_known_in_portuguese(where: str, text: str) -> None:
    said = seen_said(text)
    assert said.en == text
    assert said.pt != text
    assert not words(said.pt) & ENGLISH


def test_vision_says_enough_for_the_walk_to_mean_something() -> None:
    assert {where.split(".")[0] for where, _ in SEEN} == set(SEEING)
    assert len(SEEN) >= 17


@pytest.mark.parametrize(("image", "pt"), [
    (np.zeros((480, 640, 3), np.uint8), "a imagem está escura demais: acenda uma luz"),
    (np.full((480, 640, 3), 250, np.uint8), "a imagem está clara demais: afaste a luz"),
    (np.random.default_rng(1).integers(0, 255, (480, 640, 3), dtype=np.uint8),
     "não se vê o tabuleiro: aponte a câmera para que os quatro cantos apareçam"),
], ids=["dark", "bright", "noise"])
def test_why_no_board_is_found_is_said_in_portuguese(image: np.ndarray, pt: str) -> None:
    found = find_chessboard(image)
    assert isinstance(found, NoBoard)
    assert seen_said(found.why).pt == pt


def test_a_number_and_names_are_carried_over() -> None:
    assert seen_said("wanted a1 and h8 tapped within 1.5 squares of a corner of the board, found 2.3 squares: tap the "
                     "outer corner of a1 and h8 again").pt.startswith("o toque em a1 e h8 ficou a 2,3 casas do canto")
    assert seen_said("nobody knows this") == Said("nobody knows this", "nobody knows this")


def test_sentences_are_joined_with_full_stops() -> None:
    assert joined((Said("one", "um"), Said("Two.", "Dois."))) == Said("one. Two.", "um. Dois.")
    assert Said("a", "b").in_language("pt-BR") == "b"
    assert Said("a", "b").in_language("en") == "a"
    assert decimal_pt(0.04, 1) == "0,0"
    assert (colour_pt("red"), colour_pt("turquesa")) == (COLOURS_PT["red"], "turquesa")
