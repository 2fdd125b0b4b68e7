"""Mock pins and a clock that goes when it is told to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin


class Clock:
    """A monotonic clock in ns that only a test moves."""

    def __init__(self) -> None:
        self.now_ns = 1_000_000_000

    def __call__(self) -> int:
        return self.now_ns

    def pass_ms(self, ms: float) -> None:
        self.now_ns += round(ms * 1_000_000)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def factory() -> Iterator[MockFactory]:
    pins = MockFactory(pin_class=MockPWMPin)
    yield pins
    pins.reset()
