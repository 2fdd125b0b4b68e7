"""What camera and board suffer is told in both languages, with what to do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from device.watched import CameraLost, Watched
from table.session import ODD_SIZE, SWAPPED
from table.troubles import board_said, camera_said, covered_said, in_portuguese, picture_said
from vision.frame import Frame, SourceFailed
from vision.locate import NoBoard, find_chessboard


class Failing:
    """A camera that cannot be opened."""

    def open(self) -> None:
        raise SourceFailed("USB camera 0: wanted to open it, found no /dev/video0: check its plug")

    def frames(self) -> Iterator[Frame]:
        yield from ()

    def close(self) -> None:
        """Nothing to let go of."""


@pytest.mark.parametrize("level", [0, 120, 255])
def test_why_no_board_is_found_is_told_in_portuguese(level: int) -> None:
    found = find_chessboard(np.full((480, 640, 3), level, np.uint8))
    assert isinstance(found, NoBoard)
    said = board_said(found.why)
    assert said.en == found.why
    assert said.pt.startswith("Tabuleiro perdido: a imagem")


def test_why_a_camera_is_lost_is_told_in_portuguese() -> None:
    camera = Watched(Failing)
    look = camera.next(5.0)
    camera.close()
    assert isinstance(look, CameraLost)
    assert camera_said(look.why).pt == "Câmera perdida: a câmera USB 0 não está lá: veja o conector."


@pytest.mark.parametrize("sentence", [SWAPPED, ODD_SIZE, "too dark", "not sharp"])
def test_trouble_with_a_picture_is_a_sentence_in_both_languages(sentence: str) -> None:
    said = picture_said(sentence)
    assert sentence in said.en
    assert ": " in said.en, "it says what to do"
    assert said.pt != said.en


def test_a_sentence_that_nobody_knows_is_shown_as_it_came() -> None:
    assert in_portuguese("a new trouble") == "a new trouble"


def test_o6_which_corner_is_covered_is_named() -> None:
    said = covered_said(("a1", "h1"), True)
    assert said.en == "A hand covers the corners a1 and h1: holding the board's last position."
    assert said.pt == "Uma mão cobre os cantos a1 e h1: vale a última posição do tabuleiro."
    assert "Something covers the corner h8" in covered_said(("h8",), False).en
