"""`make bench`: how long a picture takes on this machine, on one core, at the size of a Pi camera's picture."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np

from table.cli_said import doing, printed
from table.evaluate_cells import percentile
from table.reading import taught_by, watcher_for_folder
from table.setup_folder import read_setup
from table.sim.folder import FolderPlan, simulate_folder
from vision.frame import Frame, Image, read_picture
from vision.locate import find_chessboard

SIZE_PX = (1640, 1232)
PICTURES = 6
ROUNDS = 3


def timed(work: Callable[..., object], *given: object) -> float:
    """Milliseconds of one call."""
    began_ns = time.perf_counter_ns()
    work(*given)
    return (time.perf_counter_ns() - began_ns) / 1e6


def measured(folder: Path) -> list[tuple[str, list[float]]]:
    """What is measured, and its times in ms, over a painted folder of stills."""
    setup = read_setup(folder)
    images = [read_picture(path) for path in setup.paths]
    reader = watcher_for_folder(setup)
    rows = [("find the board from nothing", [timed(find_chessboard, image) for image in images])]
    rows.append(("set a table up", [timed(taught_by, setup)]))
    reading: list[float] = []
    unchanged: list[float] = []
    seq = 0
    for _ in range(ROUNDS):
        for image in images:
            for times, shown in ((reading, image), (unchanged, again(image, seq))):
                times.append(timed(reader.observe, Frame(seq, seq * 10**9, shown, "bench")))
                seq += 1
    return [*rows, ("read a picture in which much changed", reading), ("see that nothing changed", unchanged)]


def again(image: Image, seed: int) -> Image:
    """The same picture with the sensor's noise of another moment."""
    noise = np.random.default_rng(seed).normal(0, 1.2, image.shape)
    return np.asarray(np.clip(image + noise, 0, 255), np.uint8)


def main(words: Sequence[str]) -> None:
    """Paints, measures, and prints a table, or with --json an object."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as name:
        with doing("painting") as told:
            simulate_folder(Path(name) / "stills", FolderPlan("stills", 3, PICTURES, per_size=5, size_px=SIZE_PX), told)
        rows = measured(Path(name) / "stills")
    if "--json" in words:
        printed(json.dumps({what: {"p50_ms": percentile(ms, 50), "p95_ms": percentile(ms, 95)} for what, ms in rows}))
        return
    printed(f"{SIZE_PX[0]}x{SIZE_PX[1]}, one core, OpenCV {cv2.__version__}; ms at the 50th and 95th percentile")
    for what, ms in rows:
        printed(f"{what:40}{percentile(ms, 50):8.1f}{percentile(ms, 95):8.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
