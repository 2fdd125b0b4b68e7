"""Trains the van reader on `table.sim.van_lessons` and writes it as ONNX.

`python -m table.sim.van_train LESSONS vision/detect/van.onnx --minutes 8`. Needs PyTorch (extra `train`).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.detect.van import HEAT_OFFSET, SPAN_PX, sides


def _block(inputs: int, outputs: int, stride: int, dilation: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, dilation, dilation, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(True)
    )


class VanNet(nn.Module):
    """(N, 7, 176, 176) -> heat (N, 1, 22, 22)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _block(7, 16, 2), _block(16, 24, 2), _block(24, 32, 1), _block(32, 40, 2), _block(40, 40, 1),
            _block(40, 40, 1, 2), nn.Conv2d(40, 1, 1),
        )

    def forward(self, pairs: Tensor) -> Tensor:
        heat: Tensor = self.body(pairs)
        return heat


def scores(heat: Tensor, side: Tensor) -> Tensor:
    """(N, 22, 22) and (N, 4, 22, 22) bool -> (N, 5): the heat of each side (log of summed odds), 0 for nowhere."""
    hot = torch.where(side, heat[:, None], torch.tensor(-30.0)).flatten(2).logsumexp(2) - HEAT_OFFSET
    return torch.cat([hot, torch.zeros(len(hot), 1)], 1)


def varied(x: Tensor, side: Tensor, seat: int, rng: np.random.Generator) -> tuple[Tensor, Tensor, int]:
    """Turned, mirrored, its channels swapped and its light changed a little."""
    k, flip = int(rng.integers(4)), bool(rng.random() < 0.5)
    x, side = torch.rot90(x, k, (1, 2)), torch.rot90(side, k, (1, 2))
    if flip:
        x, side = torch.flip(x, (2,)), torch.flip(side, (2,))
    swap = rng.permutation(3)
    x = x[torch.from_numpy(np.concatenate([swap, swap + 3, [6]]))]
    gain = torch.from_numpy(rng.normal(1, 0.05, (6, 1, 1)).astype(np.float32)) * float(rng.uniform(0.85, 1.15))
    return torch.cat([x[:6] * gain + torch.randn(6, SPAN_PX, SPAN_PX) * 0.01, x[6:]]), side, seat


def train(folder: Path, out: Path, minutes: float) -> None:
    """Trains for so many minutes on a folder of lessons and writes the ONNX file."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    rng = np.random.default_rng(1)
    rooms = [dict(np.load(p)) for p in sorted(folder.glob("*.npz"))]
    samples = [
        (torch.from_numpy(r["pairs"][i].transpose(2, 0, 1).copy()), torch.from_numpy(sides(float(r["square_mm"]))),
         int(r["seats"][i]))
        for r in rooms for i in range(len(r["seats"]))
    ]
    cut = max(6, len(rooms) // 15 * 6)
    held, taught = samples[:cut], samples[cut:]
    net: Any = VanNet().to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
    start, step = time.monotonic(), 0
    while (spent := (time.monotonic() - start) / 60) < minutes:
        for group in optimiser.param_groups:
            group["lr"] = 3e-3 * max(0.01, (1 + np.cos(np.pi * spent / minutes)) / 2)
        net.train()
        batch = [
            varied(x.float() / 200, s, seat, rng)
            for x, s, seat in (taught[k] for k in rng.integers(len(taught), size=24))
        ]
        stacked = torch.stack([b[0] for b in batch]).contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16):
            heat = net(stacked * 2 - 1)
        odds = scores(heat.float()[:, 0], torch.stack([b[1] for b in batch]))
        # A van turned with its board is in front of another seat: the side masks turned with it, seats did not.
        loss = functional.cross_entropy(odds, torch.tensor([b[2] for b in batch]))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 60 == 0:
            net.eval()
            with torch.no_grad():
                judged = scores(
                    net(torch.stack([h[0].float() / 200 for h in held]) * 2 - 1)[:, 0],
                    torch.stack([h[1] for h in held]),
                )
            right = (judged.argmax(1) == torch.tensor([h[2] for h in held])).float().mean()
            print(f"{spent:5.1f} min step {step} of {len(samples)}: loss {loss:.4f} held out {right:.4f}", flush=True)
        step += 1
    net = net.to(memory_format=torch.contiguous_format).eval()
    torch.onnx.export(
        net, (torch.zeros(1, 7, SPAN_PX, SPAN_PX),), str(out), input_names=["pair"], output_names=["heat"],
        opset_version=13, dynamo=False,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lessons", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=8)
    chosen = parser.parse_args()
    train(chosen.lessons, chosen.out, chosen.minutes)


if __name__ == "__main__":
    main()
