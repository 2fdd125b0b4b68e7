"""Random rooms: boards, tables, lamps, cameras, sets of pieces and skins, as wide as people's homes.

Everything is drawn from a seeded generator; sRGB colours below are BGR, 0..255.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from table.sim.scene import Field, Lamp, Light, Sensor, SimCamera, Surface, TableLook, camera_above, linear
from table.sim.solids import Array, Solid, box, cylinder

BOARD_COLOURS: tuple[tuple[tuple[int, int, int], tuple[int, int, int]], ...] = (
    ((25, 25, 25), (225, 228, 230)), ((60, 90, 40), (205, 225, 232)), ((45, 85, 30), (235, 240, 240)),
    ((45, 62, 92), (170, 205, 225)), ((38, 55, 85), (140, 185, 215)), ((70, 95, 140), (175, 205, 225)),
    ((75, 85, 130), (170, 180, 205)), ((120, 80, 45), (225, 225, 220)), ((50, 40, 130), (215, 225, 235)),
    ((90, 90, 95), (215, 215, 218)), ((40, 70, 110), (120, 160, 190)), ((60, 60, 62), (185, 200, 205)),
)
PIECE_COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (38, 25, 205), "yellow": (20, 200, 238), "green": (45, 140, 20), "blue": (200, 70, 20),
    "black": (38, 34, 36), "white": (232, 232, 234), "orange": (15, 105, 240), "purple": (150, 35, 95),
    "cyan": (205, 185, 30), "pink": (170, 120, 240),
}
SKINS: tuple[tuple[int, int, int], ...] = (
    (170, 195, 235), (140, 170, 220), (105, 140, 195), (70, 105, 160), (45, 70, 115), (35, 50, 80),
)


@dataclass(frozen=True, slots=True)
class SetLook:
    """One box of pyramids: per colour name the reflectance (3,) linear BGR; how clear and glossy they are."""

    albedo_of: dict[str, Array]
    alpha_standing: float
    alpha_lying: float
    gloss: float
    hollow: bool
    massive: bool = False


def random_set(names: tuple[str, ...], rng: np.random.Generator) -> SetLook:
    """A box of pyramids in these colours; clear or opaque."""
    albedo = {}
    for name in names:
        shifted = np.array(PIECE_COLOURS[name], float) * rng.uniform(0.82, 1.12) + rng.normal(0, 9, 3)
        albedo[name] = linear(np.clip(shifted, 8, 245))
    clear = rng.random() < 0.6
    standing = float(rng.uniform(0.35, 0.85)) if clear else 1.0
    lying = float(rng.uniform(max(standing, 0.75), 1.0)) if clear and rng.random() < 0.6 else standing
    lying = max(lying, 0.55)
    return SetLook(albedo, standing, lying, float(rng.uniform(0.02, 0.5)), bool(rng.random() < 0.4))


def _smooth_noise(shape: tuple[int, int], sigma: tuple[float, float], rng: np.random.Generator) -> Field:
    raw = rng.standard_normal(shape).astype(np.float32)
    noise = np.asarray(cv2.GaussianBlur(raw, (0, 0), sigmaX=sigma[0], sigmaY=sigma[1]))
    return np.asarray(noise / max(float(noise.std()), 1e-6), dtype=np.float32)


def _grain(shape: tuple[int, int], kind: str, rng: np.random.Generator) -> Field:
    """(H, W) multiplicative texture around 1."""
    if kind == "wood":
        streak = _smooth_noise(shape, (40, 1.2), rng) + 0.7 * _smooth_noise(shape, (90, 5), rng)
        return np.asarray(1 + float(rng.uniform(0.03, 0.12)) * streak, dtype=np.float32)
    if kind == "speckle":
        size = float(rng.uniform(0.6, 2.5))
        return np.asarray(1 + float(rng.uniform(0.02, 0.10)) * _smooth_noise(shape, (size, size), rng), np.float32)
    return np.asarray(1 + 0.01 * _smooth_noise(shape, (1, 1), rng), dtype=np.float32)


def random_board(
    square_mm: float, border_mm: float, rng: np.random.Generator
) -> tuple[Surface, Array]:
    """A chessboard's texture (row 0 at the south edge), and the reflectance of its side."""
    ppm = 2.2
    dark8, light8 = BOARD_COLOURS[rng.integers(len(BOARD_COLOURS))]
    dark = linear(np.clip(np.array(dark8) * rng.uniform(0.8, 1.2) + rng.normal(0, 6, 3), 6, 250))
    light = linear(np.clip(np.array(light8) * rng.uniform(0.85, 1.05) + rng.normal(0, 6, 3), 6, 250))
    side = round((8 * square_mm + 2 * border_mm) * ppm) + 1
    kind = str(rng.choice(["wood", "speckle", "plain"]))
    at = np.arange(side) / ppm - border_mm
    index = np.floor(at / square_mm).astype(int)
    inside = (index >= 0) & (index < 8)
    odd = (index[:, None] + index[None, :]) % 2 == 1
    on = inside[:, None] & inside[None, :]
    frame = [dark, light, linear(rng.uniform(15, 220, 3))][rng.integers(3)] * rng.uniform(0.8, 1.15)
    colour = np.where(on[..., None], np.where(odd[..., None], light, dark), frame).astype(np.float32)
    light_grain, dark_grain = _grain((side, side), kind, rng), _grain((side, side), kind, rng)
    if rng.random() < 0.5:
        dark_grain = np.ascontiguousarray(dark_grain.T)
    colour *= np.where(odd & on, light_grain, dark_grain)[..., None]
    _board_print(colour, square_mm, border_mm, ppm, dark, light, rng)
    surface = Surface(
        np.clip(colour, 0.004, 1), ppm, float(rng.choice([0, 0.02, 0.08, 0.25])), float(rng.uniform(8, 60))
    )
    return surface, frame


def _board_print(
    colour: Field, square_mm: float, border_mm: float, ppm: float, dark: Array, light: Array,
    rng: np.random.Generator,
) -> None:
    """The line round the squares and the letters, where the border has room."""
    lo, hi = round(border_mm * ppm), round((border_mm + 8 * square_mm) * ppm)
    if border_mm >= 4 and rng.random() < 0.5:
        ink = light if rng.random() < 0.6 else dark
        gap = round(float(rng.choice([0.0, 1.0])) * ppm)
        cv2.rectangle(colour, (lo - gap, lo - gap), (hi + gap, hi + gap), ink.tolist(), max(1, round(1.2 * ppm)))
    if border_mm >= 10 and rng.random() < 0.6:
        ink = light if float(colour[lo // 2, lo // 2].mean()) < 0.25 else dark
        marks = np.zeros(colour.shape[:2], np.uint8)  # OpenCV 5 writes on bytes only
        for i in range(8):
            mid = round((border_mm + (i + 0.5) * square_mm) * ppm)
            low = len(marks) - 1
            for text, at in (("abcdefgh"[i], (mid, low - lo // 3)), (str(i + 1), (lo // 3, low - mid))):
                cv2.putText(marks, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.045 * border_mm, (255.0,), 2)
        colour[marks[::-1] > 0] = ink


def random_table(rng: np.random.Generator) -> Surface:
    """A table top or cloth, 4 m square at a coarse scale."""
    ppm, side = 0.5, 2000
    base = linear(np.clip(rng.uniform(20, 225) * np.ones(3) + rng.normal(0, 30, 3), 12, 235))
    kind = str(rng.choice(["wood", "speckle", "check", "plain", "cloth"]))
    if kind == "check":
        step = int(rng.integers(15, 60))
        other = np.clip(base * rng.uniform(0.3, 2.5) + rng.normal(0, 0.05, 3), 0.01, 0.9)
        index = np.arange(side) // step
        odd = ((index[:, None] + index[None, :]) % 2 == 1)[..., None]
        colour = np.where(odd, base, other).astype(np.float32)
    else:
        colour = np.broadcast_to(base.astype(np.float32), (side, side, 3)).copy()
        grain = _grain((side, side), "wood" if kind == "wood" else "speckle", rng)
        if kind == "cloth":
            grain = grain * (1 + 0.1 * _smooth_noise((side, side), (7, 7), rng))
        colour *= grain[..., None]
    return Surface(np.clip(colour, 0.004, 1), ppm, float(rng.choice([0, 0.03, 0.15])), float(rng.uniform(8, 40)))


def _tint(kelvin_like: float) -> Array:
    """(3,) BGR of a lamp: -1 warm .. 1 cool."""
    return np.array([1 + 0.45 * kelvin_like, 1.0, 1 - 0.40 * kelvin_like])


def random_light(board_mm: float, rng: np.random.Generator) -> Light:
    """One of: pendant, window, side lamp, two lamps, ceiling panel; warm to cool."""
    name = str(rng.choice(["pendant", "window", "side", "two", "panel"], p=[0.15, 0.2, 0.35, 0.15, 0.15]))
    mid = np.array([board_mm / 2, board_mm / 2, 0.0])
    tint = _tint(float(rng.uniform(-1, 1)))

    def lamp(distance: float, height: float, radius: float, power: float, colour: Array) -> Lamp:
        a = rng.uniform(0, 2 * np.pi)
        at = mid + np.array([distance * np.cos(a), distance * np.sin(a), height])
        scale = (float(np.linalg.norm(at - mid)) / 1000) ** 2
        return Lamp(at, radius, power * scale * colour * max(1.0, 0.8 * distance / max(height, 1)))

    lamps: tuple[Lamp, ...]
    if name == "pendant":
        lamps = (lamp(rng.uniform(50, 500), rng.uniform(700, 1300), rng.uniform(15, 90), 1.0, tint),)
    elif name == "window":
        lamps = (lamp(rng.uniform(900, 2000), rng.uniform(700, 1500), rng.uniform(300, 600), 1.0, tint),)
    elif name == "side":
        lamps = (lamp(rng.uniform(500, 1200), rng.uniform(280, 800), rng.uniform(8, 60), 1.0, tint),)
    elif name == "two":
        lamps = (
            lamp(rng.uniform(200, 800), rng.uniform(600, 1200), rng.uniform(15, 80), 0.6, tint),
            lamp(rng.uniform(300, 1200), rng.uniform(600, 1400), rng.uniform(20, 150), 0.5, _tint(rng.uniform(-1, 1))),
        )
    else:
        lamps = (lamp(rng.uniform(0, 600), rng.uniform(1400, 2200), rng.uniform(200, 450), 1.0, tint),)
    ambient = float(rng.uniform(0.12, 0.9 if name != "side" else 0.5)) * _tint(float(rng.uniform(-0.7, 0.9)))
    return Light(name, lamps, ambient)


def random_camera(square_mm: float, size_px: tuple[int, int], rng: np.random.Generator) -> SimCamera:
    """A camera that sees the whole board, roughly from above."""
    board = 8 * square_mm
    w, h = size_px
    focal = float(rng.uniform(0.72, 1.12)) * w
    share = float(rng.uniform(0.60, 0.84))
    tilt = float(abs(rng.normal(0, 13)))
    target = (board / 2 + float(rng.normal(0, 18)), board / 2 + float(rng.normal(0, 18)))
    roll = float(rng.choice([0, 90, 180, 270]) + rng.normal(0, 9))
    k1 = float(rng.uniform(-0.2, 0.03))
    distortion = (k1, -k1 * float(rng.uniform(0, 0.4)), *(float(v) for v in rng.normal(0, 5e-4, 2)), 0.0)
    centre = ((w - 1) / 2 + float(rng.normal(0, 4)), (h - 1) / 2 + float(rng.normal(0, 4)))
    tilt, azimuth = min(tilt, 32.0), float(rng.uniform(0, 360))
    ring = np.array([[0, 0, 0], [board, 0, 0], [board, board, 0], [0, board, 0]], float)
    for _ in range(8):
        camera = camera_above(
            target, focal * board / (share * h) * float(np.cos(np.radians(tilt))), tilt, azimuth, roll, size_px, focal,
            (distortion[0], distortion[1], distortion[2], distortion[3], 0.0), centre,
        )
        px = camera.project(ring)
        if bool((px > 6).all() and (px < np.array(size_px) - 6).all()):
            break
        share *= 0.92
    return camera


def random_sensor(rng: np.random.Generator) -> Sensor:
    """A sensor with its lens: blur, vignette, noise, how it is exposed and how its pictures are kept."""
    return Sensor(
        blur_px=float(rng.uniform(0.4, 1.3)), vignette=float(rng.uniform(0, 0.45)),
        shot_noise=float(rng.uniform(0.002, 0.022)), read_noise=float(rng.uniform(0.001, 0.008)),
        balance=np.clip(rng.normal(1, 0.07, 3), 0.8, 1.25), gamma=float(rng.uniform(0.9, 1.15)),
        sharpen=float(rng.choice([0, 0.3, 0.7])), jpeg=int(rng.integers(78, 96)),
    )


def random_clutter(board_mm: float, border_mm: float, down_mm: float, rng: np.random.Generator) -> tuple[Solid, ...]:
    """Mugs, pens and books beside the board."""
    out = []
    for _ in range(int(rng.integers(0, 4))):
        angle, far = rng.uniform(0, 2 * np.pi), board_mm / 2 * 1.25 + border_mm + rng.uniform(60, 200)
        reach = far / max(abs(np.cos(angle)), abs(np.sin(angle)))
        at = (board_mm / 2 + reach * np.cos(angle), board_mm / 2 + reach * np.sin(angle), -down_mm)
        colour = linear(rng.uniform(15, 235, 3))
        if rng.random() < 0.4:
            out.append(cylinder(float(rng.uniform(25, 42)), float(rng.uniform(60, 110)), at, colour))
        else:
            size = (float(rng.uniform(8, 130)), float(rng.uniform(80, 180)), float(rng.uniform(3, 30)))
            out.append(box(size, at, float(rng.uniform(0, 360)), colour))
    return tuple(out)


def random_table_look(square_mm: float, rng: np.random.Generator) -> TableLook:
    """A whole table: board, cloth, clutter."""
    border = float(rng.choice([0.0, 5.0, 12.0, 20.0, 25.0, 40.0]))
    thick = float(rng.uniform(1, 20))
    board, side = random_board(square_mm, border, rng)
    clutter = random_clutter(8 * square_mm, border, thick, rng)
    return TableLook(square_mm, border, thick, board, random_table(rng), side, clutter)


def exposed(light: Light, look: TableLook, rng: np.random.Generator) -> Light:
    """The light with the exposure that an automatic camera would choose for this board."""
    mid = np.array([4 * look.square_mm, 4 * look.square_mm, 0.0])
    flux = light.ambient.copy()
    for lamp in light.lamps:
        to = lamp.at_mm - mid
        d = float(np.linalg.norm(to))
        flux = flux + lamp.power * (to[2] / d) * (1000 / d) ** 2
    mean = float((flux * look.board.albedo.mean(axis=(0, 1))).mean())
    return Light(light.name, light.lamps, light.ambient, float(rng.uniform(0.10, 0.26)) / max(mean, 1e-6))
