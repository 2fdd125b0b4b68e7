"""The printed sheets are true to scale and are read again."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.errors import CalibrationFailed
from calibration.fit import SheetView, find_sheet
from calibration.target import PATCHES, CharucoTarget, Page, black_parts_mm, charuco_sheet, colour_card
from vision.frame import Image

PT_PER_MM = 72 / 25.4


def rectangles_mm(pdf: bytes) -> list[tuple[float, float, float, float]]:
    """Every rectangle of the page, in mm: x, y from the bottom left, width, height."""
    found = re.findall(rb"^([\d.-]+) ([\d.-]+) ([\d.-]+) ([\d.-]+) re$", pdf, re.MULTILINE)
    return [tuple(float(value) / PT_PER_MM for value in one) for one in found]  # type: ignore[misc]


def painted(parts: list[tuple[float, float, float, float]], size_mm: tuple[float, float], px_per_mm: float) -> Image:
    """The sheet as its rectangles say, with a white margin of 10 mm."""
    shape = (round((size_mm[1] + 20) * px_per_mm), round((size_mm[0] + 20) * px_per_mm))
    image = np.full((*shape, 3), 255, np.uint8)
    for x, y, w, h in parts:
        a, b = (round((value + 10) * px_per_mm) for value in (x, y))
        c, d = (round((value + 10) * px_per_mm) for value in (x + w, y + h))
        image[b:d, a:c] = 0
    return image


@pytest.mark.parametrize("target", [
    CharucoTarget(), CharucoTarget((8, 6), 30.0, 22.0, "DICT_4X4_50"),
    CharucoTarget((5, 7), 35.0, 26.0, "DICT_6X6_250"),
], ids=["ours", "another", "upright"])
def test_what_is_drawn_is_read_in_todays_arrangement(target: CharucoTarget) -> None:
    size = (target.squares[0] * target.square_mm, target.squares[1] * target.square_mm)
    seen = find_sheet("sheet", painted(black_parts_mm(target), size, 4.0), target)
    assert isinstance(seen, SheetView)
    assert not seen.legacy
    assert len(seen.ids) == (target.squares[0] - 1) * (target.squares[1] - 1)
    board_mm = np.asarray(target.board().getChessboardCorners())[seen.ids, :2]
    # To a twentieth of a px: an OpenCV that adds half a px to each corner is put right.
    assert np.abs((board_mm + 10) * 4.0 - 0.5 - seen.points_px).max() < 0.05


@pytest.mark.parametrize(("paper", "page"), [("a4", (297.0, 210.0)), ("letter", (279.4, 215.9))])
def test_the_sheet_is_true_to_scale(paper: str, page: tuple[float, float]) -> None:
    pdf = charuco_sheet(paper=paper)
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert box is not None
    assert [float(value) / PT_PER_MM for value in box.groups()] == pytest.approx(page, abs=0.01)
    parts = rectangles_mm(pdf)
    assert max(w for _, _, w, _ in parts) == pytest.approx(100.0, abs=0.001)
    squares = [part for part in parts if part[2] == pytest.approx(28.0, abs=0.001)]
    assert len(squares) == 27
    # C6: white all round, at least a quarter of a square, or markers cut close are not found.
    drawn = [part for part in parts if part[1] > 19]
    assert min(x for x, _, _, _ in drawn) >= 7
    assert max(x + w for x, _, w, _ in drawn) <= page[0] - 7
    assert max(y + h for _, y, _, h in drawn) <= page[1] - 7


def test_c6_a_sheet_cut_without_margin_still_says_what_is_wrong() -> None:
    target = CharucoTarget()
    whole = painted(black_parts_mm(target), (252.0, 168.0), 4.0)
    # On a black table, cut so close that the markers' own white is gone.
    cut = np.zeros_like(whole)
    cut[60:-60, 60:-60] = np.where(cv2.erode(whole[60:-60, 60:-60], np.ones((41, 41))) > 0, 255, 0)
    seen = find_sheet("cut", cut.astype(np.uint8), target)
    assert isinstance(seen, str)
    assert "white margin" in seen


@pytest.mark.parametrize("pdf", [charuco_sheet(), colour_card(), colour_card("letter")],
                         ids=["sheet", "card", "letter"])
def test_the_file_is_a_whole_pdf(pdf: bytes) -> None:
    assert pdf.startswith(b"%PDF-1.4\n")
    assert pdf.endswith(b"%%EOF\n")
    start = int(pdf.rsplit(b"startxref\n", 1)[1].split()[0])
    assert pdf[start:start + 4] == b"xref"
    places = [int(line[:10]) for line in pdf[start:].splitlines() if line.endswith(b" n ")]
    assert [pdf[place:place + 7] for place in places] == [b"%d 0 obj" % n for n in range(1, 7)]
    stream = pdf.split(b"stream\n", 1)[1].split(b"\nendstream")[0]
    assert int(re.findall(rb"/Length (\d+)", pdf)[0]) == len(stream)
    assert b"/PrintScaling /None" in pdf


def test_words_with_brackets_are_escaped() -> None:
    page = Page((100.0, 100.0), "words")
    page.write(r"(a) \ b", 10, 10)
    assert rb"(\(a\) \\ b) Tj" in page.pdf()


@pytest.mark.skipif(shutil.which("gs") is None, reason="Ghostscript is not here")
def test_a_pdf_reader_draws_the_sheet_as_meant(tmp_path: Path) -> None:
    (tmp_path / "sheet.pdf").write_bytes(charuco_sheet())
    subprocess.run(["gs", "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=pnggray", "-r127",
                    f"-sOutputFile={tmp_path}/sheet.png", str(tmp_path / "sheet.pdf")], check=True, timeout=60)
    image = cv2.imread(str(tmp_path / "sheet.png"))
    assert image is not None
    seen = find_sheet("sheet", np.asarray(image, np.uint8), CharucoTarget())
    assert isinstance(seen, SheetView)
    assert len(seen.ids) == 40
    # 127 dots an inch are 5 a mm: neighbouring crossings lie 140 px apart.
    gaps = np.linalg.norm(np.diff(seen.points_px[np.argsort(seen.ids)][:8], axis=0), axis=1)
    assert gaps == pytest.approx(np.full(7, 140.0), abs=0.5)


def test_the_card_has_each_patch_with_its_name() -> None:
    pdf = colour_card()
    assert all(f"({name}) Tj".encode() in pdf for name, _ in PATCHES)
    assert sum(w == pytest.approx(40.0, abs=0.001) for _, _, w, _ in rectangles_mm(pdf)) == len(PATCHES)


@pytest.mark.parametrize(("target", "paper", "message"), [
    (CharucoTarget((12, 8), 28.0, 21.0), "a4", r"wanted room for 336 x 224 mm .* found a4 \(297 x 210 mm\)"),
    (CharucoTarget(), "a5", "wanted a4 or letter, found 'a5'"),
], ids=["too large", "no such paper"])
def test_what_does_not_fit_is_refused(target: CharucoTarget, paper: str, message: str) -> None:
    with pytest.raises(CalibrationFailed, match=message):
        charuco_sheet(target, paper)
