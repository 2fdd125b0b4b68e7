"""Trains the piece reader on lessons (`table.sim.lessons`) and writes it as ONNX for `cv2.dnn`.

`python -m table.sim.train LESSONS vision/detect/pyramids.onnx --minutes 60`. Needs PyTorch (extra `train`);
the product does not. Colours are learned as codes: a patch's code is compared with those of the palette's
four patches (prototypical networks, Snell et al. 2017), so any colours that were taught can be told apart.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vision.detect.pyramid_net import CLASSES, CODE, LEAN_SCALE, LYING, PIXEL_SCALE
from vision.patches import PATCH_PX


def _block(inputs: int, outputs: int, kernel: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(True)
    )


class PieceNet(nn.Module):
    """(N, 9, 64, 64) -> class scores (N, 17) and colour codes (N, 16)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _block(9, 20, 5, 2), _block(20, 32, 3, 2), _block(32, 48, 3, 1), _block(48, 64, 3, 2),
            _block(64, 96, 3, 1), _block(96, 96, 3, 2), _block(96, 96, 3, 1),
        )
        self.drop = nn.Dropout(0.1)
        self.join = nn.Linear(96 * 16, 96)
        self.classes = nn.Linear(96, CLASSES)
        self.code = nn.Linear(96, CODE)

    def forward(self, patches: Tensor) -> Tensor:
        """(N, 17 + 16): scores, then the code, whose squared distances are log odds."""
        x = self.body(patches).flatten(1)
        x = functional.relu(self.join(self.drop(x)))
        return torch.cat([self.classes(x), self.code(x)], dim=1)


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

    def split(self, held_out: float) -> tuple[list[dict[str, NDArray[Any]]], list[dict[str, NDArray[Any]]]]:
        rooms = [self.rooms[p] for p in sorted(self.rooms)]
        cut = max(1, round(len(rooms) * held_out))
        return rooms[cut:], rooms[:cut]


def _recoloured(x: Tensor, rng: np.random.Generator) -> Tensor:
    """Both halves through one mixing of the channels and one gamma: rooms with paints that nobody has seen."""
    mix = np.eye(3)[rng.permutation(3)] if rng.random() < 0.5 else np.eye(3)
    mix = mix @ (np.eye(3) + rng.normal(0, 0.12 if rng.random() < 0.6 else 0.0, (3, 3)))
    mixing = torch.from_numpy((mix / np.maximum(mix.sum(axis=1, keepdims=True), 0.5)).astype(np.float32))
    gamma = float(np.exp(rng.normal(0, 0.12)))
    light = x.reshape(len(x), 2, 3, PATCH_PX, PATCH_PX) ** 2
    return torch.einsum("ij,nkjhw->nkihw", mixing, light).clamp(1e-5, 1.6).pow(gamma / 2).reshape(x.shape)


def drawn(room: dict[str, NDArray[Any]], count: int, rng: np.random.Generator, vary: bool) -> tuple[Tensor, ...]:
    """Patches of one room and its palette's, varied together: (inputs, classes, colours, palette inputs)."""
    pairs = room["pairs"].reshape(-1, PATCH_PX, PATCH_PX, 6)
    extra, classes, colours = room["extra"].reshape(-1, 5), room["classes"].ravel(), room["colours"].ravel()
    pick = rng.choice(len(pairs), min(count, len(pairs)), replace=False)
    both = np.concatenate([pairs[pick], room["palette_pairs"]]).transpose(0, 3, 1, 2)
    x = torch.from_numpy(both.astype(np.float32) / PIXEL_SCALE)
    e = torch.from_numpy(np.concatenate([extra[pick], room["palette_extra"]]).astype(np.float32))
    c = torch.from_numpy(np.concatenate([classes[pick], np.full(4, 3)]))
    if vary:
        x = _recoloured(x, rng)
        gain = torch.from_numpy(rng.normal(1, 0.06, (1, 3, 1, 1)).astype(np.float32))
        x = x * torch.cat([gain, gain], 1) * float(rng.uniform(0.8, 1.2))
        each = torch.from_numpy(rng.normal(1, 0.025, (len(x), 3, 1, 1)).astype(np.float32))
        x = torch.cat([x[:, :3] * each, x[:, 3:]], 1)
        x = x + torch.randn_like(x) * float(rng.uniform(0, 0.02))
        shift = rng.integers(-2, 3, 2)
        x = torch.roll(x, (int(shift[1]), int(shift[0])), (2, 3))
        e = e + torch.tensor([0, 0, float(shift[0]), float(shift[1]), 0])
        e[:, :2] *= float(rng.normal(1, 0.07))
        x, e, c = turned(x, e, c, int(rng.integers(4)), bool(rng.random() < 0.5))
    inputs = planes(x * 2 - 1, e)
    n = len(pick)
    return inputs[:n], c[:n], torch.from_numpy(colours[pick]), inputs[n:]


def losses(net: PieceNet, batch: list[tuple[Tensor, ...]]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Loss of classes and of colours, and which were right."""
    stacked = torch.cat([torch.cat([b[0], b[3]]) for b in batch]).contiguous(memory_format=torch.channels_last)
    # bfloat16 halves the work where the processor knows it; distances of codes are taken in full precision.
    with torch.autocast("cpu", torch.bfloat16):
        everything = net(stacked)
    everything = everything.float()
    class_loss, colour_loss, right_class, right_colour, at = [], [], [], [], 0
    for inputs, classes, colours, palette in batch:
        mine, taught = everything[at : at + len(inputs)], everything[at + len(inputs) : at + len(inputs) + len(palette)]
        at += len(inputs) + len(palette)
        known = classes >= 0
        class_loss.append(functional.cross_entropy(mine[known, :CLASSES], classes[known], reduction="none"))
        right_class.append(mine[known, :CLASSES].argmax(1) == classes[known])
        coloured = colours >= 0
        odds = -torch.cdist(mine[coloured, CLASSES:], taught[:, CLASSES:]) ** 2
        colour_loss.append(functional.cross_entropy(odds, colours[coloured], reduction="none"))
        right_colour.append(odds.argmax(1) == colours[coloured])
    return torch.cat(class_loss).mean(), torch.cat(colour_loss).mean(), torch.cat(right_class), torch.cat(right_colour)


def export(net: PieceNet, path: Path) -> None:
    """ONNX with the batch norms folded in by the exporter; any number of patches."""
    plain: Any = net
    plain = plain.to(memory_format=torch.contiguous_format).eval()
    torch.onnx.export(
        plain, (torch.zeros(1, 9, PATCH_PX, PATCH_PX),), str(path), input_names=["patches"], output_names=["read"],
        dynamic_axes={"patches": {0: "n"}, "read": {0: "n"}}, opset_version=13, dynamo=False,
    )


def train(
    lessons: Path, out: Path, minutes: float, rooms_a_step: int, patches_a_room: int, seed: int,
    start_from: Path | None,
) -> None:
    """One-cycle AdamW for `minutes`; the held-out rooms' figures are printed as it goes."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    store = Lessons(lessons)
    net: Any = PieceNet()
    peak = 2e-3
    if start_from is not None:
        net.load_state_dict(torch.load(start_from))
        peak = 1e-3
    net = net.to(memory_format=torch.channels_last)
    calm: Any = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=2e-4)
    start, step = time.monotonic(), 0
    while (spent := (time.monotonic() - start) / 60) < minutes:
        if step % 200 == 0:
            count = store.refresh()
            taught, held = store.split(0.05)
        share = spent / minutes
        for group in optimiser.param_groups:
            group["lr"] = peak * min(1.0, share / 0.05 + 0.05) * max(0.004, (1 + np.cos(np.pi * share)) / 2)
        net.train()
        chosen = rng.choice(len(taught), min(rooms_a_step, len(taught)), replace=False)
        batch = [drawn(taught[k], patches_a_room, rng, True) for k in chosen]
        class_loss, colour_loss, a, b = losses(net, batch)
        optimiser.zero_grad()
        (class_loss + 0.5 * colour_loss).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        calm.update_parameters(net)
        if step % 200 == 0:
            with torch.no_grad():
                judged = [losses(calm.module.eval(), [drawn(r, 256, rng, False)]) for r in held[:20]]
            right = torch.cat([j[2] for j in judged]).float().mean()
            hue = torch.cat([j[3] for j in judged]).float().mean()
            print(
                f"{spent:5.1f} min step {step} rooms {count} loss {class_loss:.4f} {colour_loss:.4f} "
                f"train {a.float().mean():.4f} {b.float().mean():.4f} held out {right:.4f} {hue:.4f}", flush=True,
            )
            torch.save(calm.module.state_dict(), out.with_suffix(".pt"))
        step += 1
    export(calm.module, out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lessons", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rooms", type=int, default=8)
    parser.add_argument("--patches", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", dest="start_from", type=Path, help="weights (.pt) to go on from")
    chosen = parser.parse_args()
    train(chosen.lessons, chosen.out, chosen.minutes, chosen.rooms, chosen.patches, chosen.seed, chosen.start_from)


if __name__ == "__main__":
    main()
