"""Trains the piece reader on lessons (`table.sim.lessons`) and writes it as ONNX for `cv2.dnn`.

`python -m table.sim.train LESSONS vision/detect/pyramids.onnx --minutes 60`. Needs PyTorch (extra `train`);
the product does not. Colours are learned as codes: a patch's code is compared with those of the palette's
four patches (prototypical networks, Snell et al. 2017), so any colours that were taught can be told apart.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from table.sim.piece_net import PieceNet, export
from vision.detect.pyramid_net import CLASSES, HIDDEN, LEAN_SCALE, LYING, PIXEL_SCALE
from vision.patches import PATCH_PX


def turned(pairs: Tensor, extra: Tensor, classes: Tensor, k: int, flip: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Rotated by `k` quarter turns counter-clockwise, then mirrored left to right: pictures, lean and facing alike."""
    lean, ground, half = extra[:, :2].clone(), extra[:, 2:4] - (PATCH_PX - 1) / 2, extra[:, 4:]
    lying = (classes >= LYING) & (classes < CLASSES - 1)
    size, facing = (classes - LYING) // 4, (classes - LYING) % 4
    pairs = torch.rot90(pairs, k, (2, 3))
    for _ in range(k):
        lean = torch.stack([lean[:, 1], -lean[:, 0]], 1)
        ground = torch.stack([ground[:, 1], -ground[:, 0]], 1)
        facing = (facing + 3) % 4
    if flip:
        pairs = torch.flip(pairs, (3,))
        lean, ground = lean * torch.tensor([-1.0, 1.0]), ground * torch.tensor([-1.0, 1.0])
        facing = (4 - facing) % 4
    classes = torch.where(lying, LYING + 4 * size + facing, classes)
    return pairs, torch.cat([lean, ground + (PATCH_PX - 1) / 2, half], 1), classes


def planes(pairs: Tensor, extra: Tensor) -> Tensor:
    """(N, 6, P, P) and (N, 5) -> the network's (N, 9, P, P); as `vision.detect.pyramid_net.network_input`."""
    span = torch.arange(PATCH_PX, dtype=torch.float32)
    half = extra[:, 4, None] + 0.5
    in_x = (half - (span - extra[:, 2, None]).abs()).clamp(0, 1)
    in_y = (half - (span - extra[:, 3, None]).abs()).clamp(0, 1)
    square = in_y[:, :, None] * in_x[:, None, :]
    lean = (extra[:, :2] / LEAN_SCALE)[:, :, None, None].expand(-1, -1, PATCH_PX, PATCH_PX)
    return torch.cat([pairs, square[:, None], lean], 1)


class Lessons:
    """All lessons in memory, a room an entry; read again when more have been written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rooms: dict[Path, dict[str, NDArray[Any]]] = {}

    def refresh(self) -> int:
        for path in sorted(self.folder.glob("*.npz")):
            if path not in self.rooms:
                try:
                    with np.load(path) as stored:
                        self.rooms[path] = {key: stored[key] for key in stored.files}
                except (OSError, ValueError, EOFError):
                    continue
        return len(self.rooms)

    def split(self) -> tuple[list[dict[str, NDArray[Any]]], list[dict[str, NDArray[Any]]]]:
        """Rooms to learn from, and every twenty-third by its seed, held out."""
        held = {path for path in self.rooms if int(path.stem.rpartition("_")[2]) % 23 == 0}
        return [r for p, r in self.rooms.items() if p not in held], [self.rooms[p] for p in sorted(held)]


def _recoloured(x: Tensor, rng: np.random.Generator) -> Tensor:
    """Both halves through one mixing of the channels and one gamma: rooms with paints that nobody has seen."""
    mix = np.eye(3)[rng.permutation(3)] if rng.random() < 0.5 else np.eye(3)
    mix = mix @ (np.eye(3) + rng.normal(0, 0.12 if rng.random() < 0.6 else 0.0, (3, 3)))
    mixing = torch.from_numpy((mix / np.maximum(mix.sum(axis=1, keepdims=True), 0.5)).astype(np.float32))
    light = functional.conv2d(x * x, mixing[:, :, None, None].repeat(2, 1, 1, 1), groups=2).clamp(1e-5, 1.6)
    gamma = float(np.exp(rng.normal(0, 0.12))) if rng.random() < 0.5 else 1.0
    return light.sqrt() if gamma == 1.0 else light.pow(gamma / 2)


def _clearness(e: Tensor, rng: np.random.Generator) -> Tensor:
    """(N, 1, P, P): how much of a piece is seen before the empty board shines through.

    Any set may be clearer than those painted, and one wall clearer than the next: two lines near the middle of
    each piece part its walls. What counts is the outline, not the darkest wall.
    """
    n = len(e)
    span = torch.arange(PATCH_PX, dtype=torch.float32)
    middle = e[:, 2:4] + e[:, :2] * 0.4
    share = torch.from_numpy(rng.uniform(0.5, 1.0, (n, 1, 1)).astype(np.float32)).expand(n, PATCH_PX, PATCH_PX)
    for _ in range(2):
        angle = torch.from_numpy(rng.uniform(0, 2 * np.pi, n).astype(np.float32))
        offset = torch.from_numpy(rng.normal(0, 5, n).astype(np.float32))
        across = (span[None, None, :] - middle[:, 0, None, None]) * angle.cos()[:, None, None]
        across = across + (span[None, :, None] - middle[:, 1, None, None]) * angle.sin()[:, None, None]
        side = (across - offset[:, None, None] + 0.5).clamp(0, 1)
        there = torch.from_numpy(np.where(rng.random(n) < 0.6, rng.uniform(0.3, 0.9, n), 1).astype(np.float32))
        share = share * (1 - side * (1 - there[:, None, None]))
    return share.clamp(0.25, 1)[:, None]


def _varied(
    x: Tensor, e: Tensor, c: Tensor, noise: Tensor, rng: np.random.Generator
) -> tuple[Tensor, Tensor]:
    """Other paints, lamps, clearness, sharpness, noise; a pose that is a little off."""
    x = _recoloured(x, rng)
    if rng.random() < 0.5:
        share = _clearness(e, rng)
        share[(c < 0) | (c == HIDDEN)] = 1.0  # no arm is clear
        x = torch.cat([(share * x[:, :3] ** 2 + (1 - share) * x[:, 3:] ** 2).sqrt(), x[:, 3:]], 1)
    if rng.random() < 0.3:
        near = float(rng.uniform(0.03, 0.22))
        blur = torch.tensor([near, 1 - 2 * near, near])
        kernel = (blur[:, None] * blur[None, :]).expand(6, 1, 3, 3)
        x = functional.conv2d(functional.pad(x, (1, 1, 1, 1), mode="replicate"), kernel, groups=6)
    gain = torch.from_numpy(rng.normal(1, 0.06, (1, 3, 1, 1)).astype(np.float32))
    x = x * torch.cat([gain, gain], 1) * float(rng.uniform(0.8, 1.2))
    each = torch.from_numpy(rng.normal(1, 0.025, (len(x), 3, 1, 1)).astype(np.float32))
    x = torch.cat([x[:, :3] * each, x[:, 3:]], 1)
    first = int(rng.integers(len(noise) - len(x) + 1))
    x = x + noise[first : first + len(x)] * float(rng.uniform(0, 0.02))
    shift = rng.integers(-2, 3, 2)
    x = torch.roll(x, (int(shift[1]), int(shift[0])), (2, 3))
    e = e + torch.tensor([0, 0, float(shift[0]), float(shift[1]), 0])
    e[:, :2] *= float(rng.normal(1, 0.07))
    return x, e


def drawn(
    room: dict[str, NDArray[Any]], count: int, rng: np.random.Generator, noise: Tensor | None
) -> tuple[Tensor, ...]:
    """Patches of one room and its palette's: (inputs, classes, colours, palette inputs). With a store of unit
    `noise` (N, 6, P, P) they are varied together."""
    pairs = room["pairs"].reshape(-1, PATCH_PX, PATCH_PX, 6)
    extra, classes, colours = room["extra"].reshape(-1, 5), room["classes"].ravel(), room["colours"].ravel()
    pick = rng.choice(len(pairs), min(count, len(pairs)), replace=False)
    both = np.concatenate([pairs[pick], room["palette_pairs"]]).transpose(0, 3, 1, 2)
    x = torch.from_numpy(both.astype(np.float32) / PIXEL_SCALE)
    e = torch.from_numpy(np.concatenate([extra[pick], room["palette_extra"]]).astype(np.float32))
    c = torch.from_numpy(np.concatenate([classes[pick], np.full(4, 3)]))
    if noise is not None:
        x, e = _varied(x, e, c, noise, rng)
        x, e, c = turned(x, e, c, int(rng.integers(4)), bool(rng.random() < 0.5))
    inputs = planes(x * 2 - 1, e)
    n = len(pick)
    return inputs[:n], c[:n], torch.from_numpy(colours[pick]), inputs[n:]


@dataclass(frozen=True, slots=True)
class Judged:
    """A batch: loss of classes and of colours, which were right, and the mean loss of each room's classes."""

    class_loss: Tensor
    colour_loss: Tensor
    right_class: Tensor
    right_colour: Tensor
    by_room: tuple[float, ...]


def judged(net: PieceNet, batch: list[tuple[Tensor, ...]]) -> Judged:
    """Reads the patches of some rooms and compares."""
    stacked = torch.cat([torch.cat([b[0], b[3]]) for b in batch]).contiguous(memory_format=torch.channels_last)
    # bfloat16 halves the work where the processor knows it; distances of codes are taken in full precision.
    with torch.autocast("cpu", torch.bfloat16):
        everything = net(stacked)
    everything = everything.float()
    class_loss, colour_loss, right_class, right_colour, by_room, at = [], [], [], [], [], 0
    for inputs, classes, colours, palette in batch:
        mine, taught = everything[at : at + len(inputs)], everything[at + len(inputs) : at + len(inputs) + len(palette)]
        at += len(inputs) + len(palette)
        known = classes >= 0
        class_loss.append(functional.cross_entropy(mine[known, :CLASSES], classes[known], reduction="none"))
        by_room.append(float(class_loss[-1].detach().mean()))
        right_class.append(mine[known, :CLASSES].argmax(1) == classes[known])
        coloured = colours >= 0
        odds = -torch.cdist(mine[coloured, CLASSES:], taught[:, CLASSES:]) ** 2
        colour_loss.append(functional.cross_entropy(odds, colours[coloured], reduction="none"))
        right_colour.append(odds.argmax(1) == colours[coloured])
    return Judged(
        torch.cat(class_loss).mean(), torch.cat(colour_loss).mean(), torch.cat(right_class), torch.cat(right_colour),
        tuple(by_room),
    )


class Hardest:
    """Which rooms to learn from next: the worse a room was read, the more often; most rooms are soon easy."""

    def __init__(self) -> None:
        self.loss_of: dict[int, float] = {}

    def chosen(self, rooms: list[dict[str, NDArray[Any]]], count: int, rng: np.random.Generator) -> list[int]:
        usual = 0.1
        weight = np.array([self.loss_of.get(id(room), usual) + 0.02 for room in rooms]) ** 0.7
        return [int(k) for k in rng.choice(len(rooms), min(count, len(rooms)), replace=False, p=weight / weight.sum())]

    def noted(self, room: dict[str, NDArray[Any]], loss: float) -> None:
        before = self.loss_of.get(id(room), loss)
        self.loss_of[id(room)] = 0.6 * before + 0.4 * loss


def train(
    lessons: Path, out: Path, minutes: float, rooms_a_step: int, patches_a_room: int, seed: int,
    start_from: Path | None, peak: float,
) -> None:
    """One-cycle AdamW for `minutes`; the held-out rooms' figures are printed as it goes."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    store, hardest = Lessons(lessons), Hardest()
    noise = torch.randn(patches_a_room * 4, 6, PATCH_PX, PATCH_PX)
    net: Any = PieceNet()
    if start_from is not None:
        net.load_state_dict(torch.load(start_from))
    net = net.to(memory_format=torch.channels_last)
    calm: Any = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=peak, weight_decay=2e-4)
    start, step = time.monotonic(), 0
    while (spent := (time.monotonic() - start) / 60) < minutes:
        if step % 200 == 0:
            count = store.refresh()
            taught, held = store.split()
        share = spent / minutes
        for group in optimiser.param_groups:
            group["lr"] = peak * min(1.0, share / 0.05 + 0.05) * max(0.004, (1 + np.cos(np.pi * share)) / 2)
        net.train()
        chosen = hardest.chosen(taught, rooms_a_step, rng)
        now = judged(net, [drawn(taught[k], patches_a_room, rng, noise) for k in chosen])
        optimiser.zero_grad()
        (now.class_loss + 0.5 * now.colour_loss).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        calm.update_parameters(net)
        for k, loss in zip(chosen, now.by_room, strict=True):
            hardest.noted(taught[k], loss)
        if step % 200 == 0:
            progress = f"{spent:5.1f} min step {step} rooms {count} {_figures(now)}"
            print(progress, "held out", _held_out(calm, held), flush=True)
            torch.save(calm.module.state_dict(), out.with_suffix(".pt"))
        step += 1
    torch.save(calm.module.state_dict(), out.with_suffix(".pt"))
    export(calm.module, out)


def _figures(now: Judged) -> str:
    return (
        f"loss {now.class_loss:.4f} {now.colour_loss:.4f} "
        f"right {now.right_class.float().mean():.4f} {now.right_colour.float().mean():.4f}"
    )


def _held_out(calm: Any, held: list[dict[str, NDArray[Any]]]) -> str:
    """Figures of the same patches each time."""
    calm.module.eval()
    rng = np.random.default_rng(0)
    with torch.no_grad():
        some = [judged(calm.module, [drawn(room, 128, rng, None)]) for room in held[:60]]
    means = [torch.stack([s.class_loss for s in some]).mean(), torch.stack([s.colour_loss for s in some]).mean()]
    right, hue = torch.cat([s.right_class for s in some]), torch.cat([s.right_colour for s in some])
    return f"loss {means[0]:.4f} {means[1]:.4f} right {right.float().mean():.4f} {hue.float().mean():.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lessons", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rooms", type=int, default=8)
    parser.add_argument("--patches", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peak", type=float, default=2e-3, help="the highest learning rate")
    parser.add_argument("--from", dest="start_from", type=Path, help="weights (.pt) to go on from")
    chosen = parser.parse_args()
    train(
        chosen.lessons, chosen.out, chosen.minutes, chosen.rooms, chosen.patches, chosen.seed, chosen.start_from,
        chosen.peak,
    )


if __name__ == "__main__":
    main()
