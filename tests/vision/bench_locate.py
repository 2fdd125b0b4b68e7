"""How well and how fast the board is found, beside OpenCV's own finders.

    python tests/vision/bench_locate.py [--ours] [--json FILE]

Reads ../shared/photos and ../shared/scenes/dev. `--ours` leaves OpenCV's finders out. Times are of one core.
Right: every outer corner within half a square. For OpenCV's finders the outer corners are extrapolated from the 7x7
inner ones by a homography.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from vision.frame import Image, Points, read_picture  # noqa: E402
from vision.locate import Chessboard, find_chessboard  # noqa: E402

SHARED = ROOT.parent / "shared"
NEGATIVES = ("apriltag", "aruco_opencv", "calib_opencv", "discs_ensiss", "grids_scrabble", "tiles_kingdomino")
OTHER_GAMES = ("charuco", "quadropolis", "ido", "gridopolis")
Finder = Callable[[Image], Points | None]


def ours(image: Image) -> Points | None:
    board = find_chessboard(image)
    return board.corners_px if isinstance(board, Chessboard) else None


def classic(image: Image) -> Points | None:
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    found, inner = cv2.findChessboardCorners(gray, (7, 7), None, cv2.CALIB_CB_ADAPTIVE_THRESH
                                             | cv2.CALIB_CB_NORMALIZE_IMAGE)
    if not found:
        return None
    rule = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 30, 0.01)
    return _outer(cv2.cornerSubPix(gray, inner, (5, 5), (-1, -1), rule))


def sector_based(image: Image) -> Points | None:
    found, inner = cv2.findChessboardCornersSB(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (7, 7), None)
    return _outer(inner) if found else None


def _outer(inner: Points) -> Points:
    nodes = np.array([[col, row] for row in range(1, 8) for col in range(1, 8)], dtype=np.float64)
    matrix, _ = cv2.findHomography(nodes, inner.reshape(-1, 2))
    return cv2.perspectiveTransform(np.array([[[0.0, 0], [8, 0], [8, 8], [0, 8]]]), matrix)[0]


def error_squares(found: Points, wanted: Points) -> float:
    square = np.linalg.norm(np.roll(wanted, -1, axis=0) - wanted, axis=1).mean() / 8
    gaps = [np.linalg.norm(np.roll(found, turn, axis=0)[::way] - wanted, axis=1).max()
            for turn in range(4) for way in (1, -1)]
    return float(min(gaps) / square)


def photographs() -> Iterator[tuple[Path, Points]]:
    answers = json.loads((SHARED / "photos" / "chessboards" / "corners.json").read_text())
    for name, answer in answers.items():
        yield SHARED / "photos" / "chessboards" / name, np.array(answer["corners"])


def installations() -> Iterator[tuple[Path, Points]]:
    for folder in sorted((SHARED / "scenes" / "dev").glob("gridlock-*")):
        for frame in json.loads((folder / "scene.json").read_text())["frames"]:
            yield folder / frame["frame"], np.array([frame["corners"][name] for name in ("a1", "a8", "h8", "h1")])


def without() -> Iterator[tuple[Path, None]]:
    for name in NEGATIVES:
        for path in sorted((SHARED / "photos" / name).iterdir()):
            if path.suffix in (".jpg", ".png"):
                yield path, None
    for name in OTHER_GAMES:
        for path in sorted((SHARED / "scenes" / "dev").glob(f"{name}-*/*.jpg"))[::2]:
            yield path, None


def measure(finder: Finder, pictures: list[tuple[Path, Points | None]]) -> dict[str, float | list[str]]:
    errors, took, amiss = [], [], []
    claimed = 0
    for path, wanted in pictures:
        image = read_picture(path)
        started = time.process_time()
        found = finder(image)
        took.append((time.process_time() - started) * 1e3)
        claimed += found is not None
        if wanted is not None:
            errors.append(error_squares(found, wanted) if found is not None else 99.0)
        if (found is not None and wanted is None) or (errors and wanted is not None and errors[-1] > 0.5):
            amiss.append(f"{path.parent.name}/{path.name}")
    known = np.array(errors)
    right = known[known < 0.5]
    return {
        "pictures": len(pictures), "claimed": claimed, "right": len(right), "within_0.12": int((known < 0.12).sum()),
        "median_error_squares": float(np.median(right)) if len(right) else float("nan"),
        "ms_50": float(np.percentile(took, 50)), "ms_95": float(np.percentile(took, 95)), "amiss": amiss,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="The board finder beside OpenCV's.")
    parser.add_argument("--ours", action="store_true", help="leave OpenCV's finders out")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    finders: dict[str, Finder] = {"ours": ours}
    if not chosen.ours:
        finders |= {"findChessboardCorners": classic, "findChessboardCornersSB": sector_based}
    sets = {"photographs": list(photographs()), "installations": list(installations()), "no board": list(without())}
    figures: dict[str, dict[str, dict[str, float | list[str]]]] = {}
    print(f"| pictures | finder (OpenCV {cv2.__version__}) | right | within 0.12 | median error | claimed "
          "| ms 50 % | ms 95 % |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for title, pictures in sets.items():
        for name, finder in finders.items():
            got = figures.setdefault(title, {})[name] = measure(finder, pictures)
            print(f"| {title} ({got['pictures']}) | {name} | {got['right']} | {got['within_0.12']} | "
                  f"{got['median_error_squares']:.3f} | {got['claimed']} | {got['ms_50']:.0f} | {got['ms_95']:.0f} |",
                  flush=True)
            if name == "ours" and got["amiss"]:
                print("amiss:", *got["amiss"], file=sys.stderr)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
