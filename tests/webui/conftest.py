"""A rehearsed desk, an app over it, and phones: one that only looks and one that knew the code."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.webui.rehearsed_desk import CODE, RehearsedDesk
from webui import WebSettings, create_app


@dataclass
class Clock:
    """Seconds that pass only when a test says so."""

    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def desk() -> RehearsedDesk:
    return RehearsedDesk()


@pytest.fixture
def settings() -> WebSettings:
    return WebSettings(
        CODE, b"a secret for tests", ("http://192.0.2.7:8080",), frozenset({"table.example"}), hold_s=0.05
    )


@pytest.fixture
def app(desk: RehearsedDesk, settings: WebSettings, clock: Clock) -> Flask:
    return create_app(desk, settings, clock)


@pytest.fixture
def looker(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def toucher(app: Flask) -> FlaskClient:
    client = app.test_client()
    assert client.post("/join", json={"code": CODE}).status_code == 200
    return client
