"""What each colour looks like under this lamp.

Distances are in CIELAB (L 0..100, a and b about -100..100), where about 2 is the least that an
eye tells apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rules.words import Colour
from vision.frame import Matrix


@dataclass(frozen=True, slots=True)
class Palette:
    """The taught colours. `lab` (n, 3) float64: mean CIELAB; `spread` (n,) float64: its root mean square spread.
    `codes` (n, k) float32: what the piece reader made of each, the prototypes it compares with; (n, 0) before.
    `shades` (n, 2, 3) float32: linear BGR of the darkest and the brightest wall of each, NaN where not
    seen; or (0, 2, 3).

    Raises `ValueError` where the shapes do not fit the colours.
    """

    colours: tuple[Colour, ...]
    lab: Matrix
    spread: Matrix
    codes: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    shades: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 2, 3), np.float32))

    def __post_init__(self) -> None:
        n = len(self.colours)
        if self.lab.shape != (n, 3) or self.spread.shape != (n,):
            raise ValueError(f"wanted lab ({n}, 3) and spread ({n},) for {n} colours, "
                             f"found {self.lab.shape} and {self.spread.shape}: teach the colours again")
        if len(set(self.colours)) != n:
            raise ValueError(f"wanted each colour once, found {', '.join(self.colours)}: name each once")

    def close_pairs(self, min_distance: float) -> tuple[tuple[Colour, Colour, float], ...]:
        """Pairs of colours nearer to each other than `min_distance` in CIELAB, with that distance, nearest first."""
        pairs = [
            (self.colours[i], self.colours[j], float(np.linalg.norm(self.lab[i] - self.lab[j])))
            for i in range(len(self.colours))
            for j in range(i + 1, len(self.colours))
        ]
        return tuple(sorted((p for p in pairs if p[2] < min_distance), key=lambda p: p[2]))
