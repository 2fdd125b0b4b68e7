"""What phones send: opened upright and bounded, or one sentence why not."""

from __future__ import annotations

import io
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from table.photo import HANDED_PX, MOST_BYTES, NoPhoto, Photo, opened
from table.photo_header import exif_of, header_of
from vision.frame import Image


def scene(width: int = 800, height: int = 600) -> Image:
    """Sharp, lit, and different in each corner: red up left, green up right, blue down left, white down right."""
    image = np.full((height, width, 3), 120, np.uint8)
    for n in range(12, max(width, height), 24):
        cv2.line(image, (n, 0), (n, height), (60, 60, 60), 2)
        cv2.line(image, (0, n), (width, n), (200, 200, 200), 2)
    y, x = height // 4, width // 4
    image[:y, :x], image[:y, -x:], image[-y:, :x], image[-y:, -x:] = (0, 0, 255), (0, 255, 0), (255, 0, 0), 255
    return image


def coded(image: Image, ending: str) -> bytes:
    return bytes(cv2.imencode(ending, image)[1].tobytes())


def exif_block(orientation: int, focal_35: int | None = None, order: str = "<") -> bytes:
    """A TIFF block with the two tags that are read."""
    mark = b"II*\0" if order == "<" else b"MM\0*"
    first = [struct.pack(order + "HHIHH", 0x0112, 3, 1, orientation, 0)]
    rest = b""
    if focal_35 is not None:
        first.append(struct.pack(order + "HHII", 0x8769, 4, 1, 8 + 2 + 24 + 4))
        rest = struct.pack(order + "HHHIHHI", 1, 0xA405, 3, 1, focal_35, 0, 0)
    return mark + struct.pack(order + "IH", 8, len(first)) + b"".join(first) + struct.pack(order + "I", 0) + rest


def jpeg_with(image: Image, exif: bytes) -> bytes:
    data = coded(image, ".jpg")
    body = b"Exif\0\0" + exif
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + data[2:]


def png_of_size(width: int, height: int) -> bytes:
    """A PNG whose header promises a size, with hardly any pixels behind it."""
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def photo(data: bytes, name: str = "p.jpg") -> Photo:
    found = opened(data, name)
    assert isinstance(found, Photo), found
    return found


@pytest.mark.parametrize("ending", [".jpg", ".png", ".webp"])
def test_pictures_of_phones_are_opened(ending: str) -> None:
    found = photo(coded(scene(), ending))
    assert found.image.shape == (600, 800, 3)
    assert found.image[20, 20].argmax() == 2
    assert found.focal_px is None


CORNERS_OF = {1: "RGBW", 2: "GRWB", 3: "WBGR", 4: "BWRG", 5: "RBGW", 6: "BRWG", 7: "WGBR", 8: "GWRB"}
"""Of a file whose pixels begin red, then green (up right), blue (down left), white: how each orientation shows it."""


@pytest.mark.parametrize("orientation", CORNERS_OF)
@pytest.mark.parametrize("order", ["<", ">"])
def test_exif_turns_a_picture_upright(orientation: int, order: str) -> None:
    image = photo(jpeg_with(scene(), exif_block(orientation, order=order))).image
    assert image.shape[:2] == ((600, 800) if orientation < 5 else (800, 600))
    seen = ""
    for y, x in ((30, 30), (30, -30), (-30, 30), (-30, -30)):
        b, g, r = (int(v) > 128 for v in image[y, x])
        seen += {(False, False, True): "R", (False, True, False): "G", (True, False, False): "B",
                 (True, True, True): "W"}[(b, g, r)]
    assert seen == CORNERS_OF[orientation]


def test_opencv_agrees_on_which_way_is_up() -> None:
    for orientation in CORNERS_OF:
        data = jpeg_with(scene(), exif_block(orientation))
        theirs = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        assert theirs is not None
        np.testing.assert_array_equal(photo(data).image, theirs)


def test_the_file_tells_the_lens() -> None:
    found = photo(jpeg_with(scene(), exif_block(6, 26)))
    assert found.focal_px == pytest.approx(26 / 43.27 * 1000, rel=1e-3)


@pytest.mark.parametrize("block", [b"", b"II", b"II*\0\xff\xff\xff\xff", b"MM\0*\0\0\0\x08\xff\xff", exif_block(9),
                                   exif_block(1, 5), exif_block(1, 60000), exif_block(1)[:15]])
def test_odd_exif_is_passed_over(block: bytes) -> None:
    assert exif_of(block) == (1, None)


def test_a_film_behind_a_picture_does_no_harm() -> None:
    assert photo(coded(scene(), ".jpg") + bytes(300_000)).image.shape == (600, 800, 3)


@pytest.mark.parametrize(("sent", "handed"), [
    ((6800, 5100), (3400, 2550)), ((6000, 4500), (HANDED_PX, 3072)), ((4032, 3024), (4032, 3024)),
], ids=["decoded at half", "made smaller", "12 megapixels are kept whole"])
def test_a_large_picture_is_handed_on_smaller(sent: tuple[int, int], handed: tuple[int, int]) -> None:
    big = np.asarray(cv2.resize(scene(), sent, interpolation=cv2.INTER_LINEAR), np.uint8)
    found = photo(jpeg_with(big, exif_block(1, 26)))
    assert found.image.shape == (handed[1], handed[0], 3)
    assert found.focal_px == pytest.approx(26 / 43.27 * 1.25 * handed[0], rel=1e-3)


def dark() -> bytes:
    return coded((scene() * 0.08).astype(np.uint8), ".jpg")


def dim() -> bytes:
    return coded((scene() * 0.5).astype(np.uint8), ".jpg")


def blurred() -> bytes:
    return coded(np.asarray(cv2.GaussianBlur(scene(), (0, 0), 12), np.uint8), ".jpg")


def cut(ending: str) -> Callable[[], bytes]:
    data = coded(scene(), ending)
    return lambda: data[: len(data) * 2 // 3]


BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", "wanted a JPEG, PNG, WebP or HEIC picture, found 0 bytes"),
    "text": (lambda: b"dear all" * 300, "wanted a JPEG, PNG, WebP or HEIC picture"),
    "a GIF": (lambda: b"GIF89a" + bytes(900), "wanted a JPEG, PNG, WebP or HEIC picture"),
    "two bytes of JPEG": (lambda: b"\xff\xd8", "wanted a JPEG, PNG, WebP or HEIC picture"),
    "JPEG cut short": (cut(".jpg"), "cut short or damaged"),
    "PNG cut short": (cut(".png"), "cut short or damaged"),
    "WebP cut short": (cut(".webp"), "cut short or damaged"),
    "garbled JPEG": (lambda: coded(scene(), ".jpg")[:700] + b"\xff\xd9", "cut short or damaged"),
    "200 MB": (lambda: bytes(MOST_BYTES + 1), "wanted at most 60 MB, found 60 MB"),
    "a bomb": (lambda: png_of_size(60_000, 60_000), "wanted at most 50 megapixels, found 60000x60000"),
    "a bomb with no width": (lambda: png_of_size(0, 50_000), "at least 480 px"),
    "a preview": (lambda: coded(scene(320, 240), ".jpg"), "at least 480 px each way, found 320x240"),
    "a strip": (lambda: png_of_size(6000, 500), "at least 480 px each way, found 6000x500"),
    "night": (dark, "found one that is too dark: switch a lamp on"),
    "blurred": (blurred, "found one that is blurred"),
    "a plain wall": (lambda: coded(np.full((600, 800, 3), 140, np.uint8), ".png"), "blurred or shows nothing"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_photograph_is_refused_in_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make, words = BAD[name]
    found = opened(make(), "../../etc/IMG 1.jpg")
    assert isinstance(found, NoPhoto)
    assert words in found.why
    assert found.why.startswith("IMG 1.jpg: wanted ")
    assert found.said.pt.startswith("IMG 1.jpg: precisava de ")
    assert "\n" not in found.why
    assert list(tmp_path.iterdir()) == []


def test_a_dim_picture_will_do() -> None:
    assert photo(dim()).image.shape == (600, 800, 3)


@pytest.mark.parametrize(("name", "shown"), [("a\nb.jpg", "ab.jpg"), ("C:\\x\\y.jpg", "y.jpg"), ("", "photo"),
                                             ("x" * 900, "x" * 60)])
def test_names_are_only_repeated(name: str, shown: str) -> None:
    found = opened(b"", name)
    assert isinstance(found, NoPhoto)
    assert found.why.startswith(f"{shown}: ")


def test_every_beginning_of_a_file_has_an_answer() -> None:
    """A header that ends anywhere is no exception."""
    for ending in (".jpg", ".png", ".webp"):
        data = jpeg_with(scene(), exif_block(6, 26)) if ending == ".jpg" else coded(scene(), ending)
        for length in [*range(0, 200), *range(200, 1200, 37)]:
            header_of(data[:length])


@pytest.fixture
def heic() -> bytes:
    library = pytest.importorskip("pillow_heif", reason="HEIC needs the extra `photos`")
    image = scene()
    file = library.from_bytes("RGB", (800, 600), np.ascontiguousarray(image[..., ::-1]).tobytes())
    out = io.BytesIO()
    file.save(out, quality=90)
    return out.getvalue()


def test_heic_is_opened(heic: bytes) -> None:
    image = photo(heic, "IMG_1.HEIC").image
    assert image.shape == (600, 800, 3)
    assert [int(image[y, x].argmax()) for y, x in ((30, 30), (30, -30), (-30, 30))] == [2, 1, 0]


def test_heic_cut_short_is_refused(heic: bytes) -> None:
    for length in (40, 400, len(heic) * 2 // 3):
        found = opened(heic[:length], "a.heic")
        assert isinstance(found, NoPhoto)
        assert "cut short or damaged" in found.why


def test_heic_without_its_library_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    found = opened(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(99), "IMG_1.HEIC")
    assert isinstance(found, NoPhoto)
    assert "install pillow-heif" in found.why
