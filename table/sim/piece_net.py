"""The network of the piece reader, in PyTorch, and its export for `cv2.dnn`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.detect.pyramid_net import CLASSES, CODE
from vision.patches import PATCH_PX


def _block(inputs: int, outputs: int, kernel: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(True)
    )


class Residual(nn.Module):
    """x + two convolutions of it; begins as x itself, so that a trained network can be deepened."""

    def __init__(self, channels: int, within: int) -> None:
        super().__init__()
        self.first = _block(channels, within, 3, 1)
        self.second = nn.Sequential(nn.Conv2d(within, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))
        last = self.second[1]
        assert isinstance(last, nn.BatchNorm2d)
        nn.init.zeros_(last.weight)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.second(self.first(x)))


class PieceNet(nn.Module):
    """(N, 9, 64, 64) -> class scores (N, 17) and colour codes (N, 16)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _block(9, 20, 5, 2), _block(20, 32, 3, 2), _block(32, 48, 3, 1), Residual(48, 24),
            _block(48, 64, 3, 2), Residual(64, 64), _block(64, 96, 3, 1), Residual(96, 64),
            _block(96, 96, 3, 2), _block(96, 96, 3, 1), Residual(96, 96),
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


def export(net: nn.Module, path: Path) -> None:
    """ONNX with the batch norms folded in by the exporter; any number of patches."""
    plain: Any = net
    plain = plain.to(memory_format=torch.contiguous_format).eval()
    torch.onnx.export(
        plain, (torch.zeros(1, 9, PATCH_PX, PATCH_PX),), str(path), input_names=["patches"], output_names=["read"],
        dynamic_axes={"patches": {0: "n"}, "read": {0: "n"}}, opset_version=13, dynamo=False,
    )
    halve(path)


def halve(path: Path) -> None:
    """Weights stored as 16-bit floats, cast when the file is loaded: half the size, the same answers."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(str(path))
    kept, casts = [], []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size <= 64:
            kept.append(tensor)
            continue
        kept.append(numpy_helper.from_array(values.astype(np.float16), tensor.name + "_half"))
        casts.append(helper.make_node("Cast", [tensor.name + "_half"], [tensor.name], to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
