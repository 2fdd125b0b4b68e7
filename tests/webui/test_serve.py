"""The real server on a real socket: how soon a page follows, twenty phones, silence, and a clean end."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from flask import Flask

from tests.webui.rehearsed_desk import CODE, RehearsedDesk, amiss, midgame
from webui import PortTaken, Serving, WebSettings, create_app, qr_terminal, serve
from webui.errors import WebError

PHONES = 20


@pytest.fixture
def settings() -> WebSettings:
    return WebSettings(CODE, b"a secret for tests")


@pytest.fixture
def serving(app: Flask) -> Iterator[Serving]:
    with serve(app, "127.0.0.1", 0) as running:
        yield running


def get(port: int, address: str, timeout_s: float = 10.0, **headers: str) -> tuple[int, bytes]:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    try:
        line.request("GET", address, headers=headers)
        answer = line.getresponse()
        return answer.status, answer.read()
    finally:
        line.close()


def token_of(port: int) -> str:
    return str(json.loads(get(port, "/view")[1])["token"])


class Phones:
    """Phones that hold a question each; `ready` when all of them do."""

    def __init__(self, port: int, desk: RehearsedDesk, count: int) -> None:
        self._asking = threading.Semaphore(0)
        wait = desk.wait

        def counted(revision: int, timeout_s: float) -> object:
            self._asking.release()
            return wait(revision, timeout_s)

        desk.wait = counted  # type: ignore[method-assign, assignment]
        self._token = token_of(port)
        self._port, self._count = port, count
        self.pool = ThreadPoolExecutor(count)
        self.answers = [self.pool.submit(self._ask) for _ in range(count)]

    def _ask(self) -> tuple[int, float]:
        status, body = get(self._port, f"/view?since={self._token}")
        return (json.loads(body)["seq"] if status == 200 else 0), time.monotonic()

    def ready(self) -> None:
        for _ in range(self._count):
            assert self._asking.acquire(timeout=10)


def test_u2_twenty_phones_follow_within_300_ms_of_a_change(serving: Serving, desk: RehearsedDesk) -> None:
    phones = Phones(serving.port, desk, PHONES)
    phones.ready()
    changed = time.monotonic()
    desk.show(amiss())
    answers = [answer.result(10) for answer in phones.answers]
    assert [seq for seq, _ in answers] == [41] * PHONES
    late = sorted(at - changed for _, at in answers)
    assert late[int(0.95 * PHONES)] < 0.3, f"95 % within {late[int(0.95 * PHONES)]:.3f} s"
    phones.pool.shutdown()


def test_while_twenty_phones_wait_everything_else_is_answered_at_once(serving: Serving, desk: RehearsedDesk) -> None:
    phones = Phones(serving.port, desk, PHONES)
    phones.ready()
    began = time.monotonic()
    assert get(serving.port, "/")[0] == 200
    assert get(serving.port, "/static/page.js")[0] == 200
    assert time.monotonic() - began < 1.0
    desk.show(midgame())
    phones.pool.shutdown()


def test_a_quiet_table_still_beats(serving: Serving) -> None:
    began = time.monotonic()
    assert get(serving.port, f"/view?since={token_of(serving.port)}")[0] == 204
    assert 1.5 < time.monotonic() - began < 3.5, "the phone takes the line for dead after 3.5 s"


def test_a_phone_that_wakes_gets_the_truth_without_waiting(serving: Serving, desk: RehearsedDesk) -> None:
    old = token_of(serving.port)
    desk.show(amiss())
    began = time.monotonic()
    assert json.loads(get(serving.port, f"/view?since={old}&now=1")[1])["seq"] == 41
    get(serving.port, f"/view?since={token_of(serving.port)}&now=1")
    assert time.monotonic() - began < 1.0


def test_u2_phones_that_vanish_leave_nothing_behind(desk: RehearsedDesk, settings: WebSettings) -> None:
    """Thirty phones ask and hang up; with holds for four, the next ones are still held and served."""
    app = create_app(desk, replace(settings, holds=4, hold_s=0.2))
    with serve(app, "127.0.0.1", 0) as running:
        token = token_of(running.port)
        for _ in range(30):
            line = socket.create_connection(("127.0.0.1", running.port))
            line.sendall(f"GET /view?since={token} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            line.close()
        assert get(running.port, f"/view?since={token}")[0] == 204
        holds = app.extensions["overboard"].holds
        assert all(holds.acquire(timeout=5) for _ in range(4)), "every hold came back"


def test_s6_it_answers_to_number_and_name(serving: Serving) -> None:
    for host in ("127.0.0.1", "localhost", socket.gethostname()):
        assert get(serving.port, "/", Host=f"{host}:{serving.port}")[0] == 200
    assert get(serving.port, "/", Host="rebound.example")[0] == 403


def test_a_taken_port_is_one_clear_sentence(serving: Serving, app: Flask) -> None:
    with pytest.raises(PortTaken, match="something else listens there: stop it, or choose another port") as refusal:
        serve(app, "127.0.0.1", serving.port)
    assert isinstance(refusal.value, WebError)
    assert str(serving.port) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_an_address_that_is_not_ours_is_one_clear_sentence(app: Flask) -> None:
    with pytest.raises(PortTaken, match="give an address of this machine"):
        serve(app, "198.51.100.77", 0)


def test_stopping_lets_go_of_the_port_the_threads_and_the_phones(app: Flask, desk: RehearsedDesk) -> None:
    before = set(threading.enumerate())
    running = serve(app, "127.0.0.1", 0)
    phones = Phones(running.port, desk, 5)
    phones.ready()
    began = time.monotonic()
    running.stop()
    running.stop()
    assert time.monotonic() - began < 2.5
    phones.pool.shutdown()
    assert {thread for thread in set(threading.enumerate()) - before if thread.is_alive()} == set()
    with serve(create_app(desk, WebSettings(CODE, b"a secret for tests")), "127.0.0.1", running.port) as again:
        assert get(again.port, "/")[0] == 200


def test_the_terminal_shows_the_address_as_a_picture() -> None:
    lines = qr_terminal("http://192.168.1.20:8080").splitlines()
    assert len(lines) > 12
    assert len({len(line) for line in lines if line.strip()}) >= 1
    assert "http" not in "".join(lines)
