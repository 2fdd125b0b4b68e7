"""A table and its page, from the first word to the last lamp out."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from table.build import Table, web_settings
from table.errors import NotReady
from webui import Serving, create_app, qr_terminal, serve
from webui.desk import Health

Say = Callable[[str], object]
EVERYWHERE = ("0.0.0.0", "::", "")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOK_S = 0.25
SOMEWHERE = ("192.0.2.1", 9)
"""An address for examples (RFC 5737): asked for a way there, the machine names its own address; nothing is sent."""


class Ending:
    """Told by Ctrl-C, SIGTERM or SIGHUP that it is time to end; told twice, it ends at once."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def now(self) -> None:
        self._event.set()

    def wait(self, timeout_s: float) -> bool:
        """Whether it is time to end, after at most so long."""
        return self._event.wait(timeout_s)

    def _told(self, number: int, frame: FrameType | None) -> None:
        if self._event.is_set():
            raise SystemExit(128 + number)
        self._event.set()

    @contextmanager
    def listening(self) -> Iterator[Ending]:
        """While inside, signals only set this; afterwards they do what they did before. For the main thread."""
        before = {number: signal.signal(number, self._told) for number in SIGNALS}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def addresses(host: str, port: int) -> tuple[str, ...]:
    """Where the page is: by number first, because not every phone knows a `.local` name, then by name."""
    if host not in EVERYWHERE:
        return (f"http://{f'[{host}]' if ':' in host else host}:{port}",)
    short = socket.gethostname().split(".")[0].lower()
    names = [own_number()] + ([f"{short}.local"] if short and short != "localhost" else [])
    return tuple(f"http://{name}:{port}" for name in names)


def own_number() -> str:
    """This machine's address in its network; 127.0.0.1 where there is none."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
            way.connect(SOMEWHERE)
            return str(way.getsockname()[0])
    except OSError:
        return "127.0.0.1"


def run_table(table: Table, say: Say, complain: Say, ending: Ending) -> None:
    """Serves the page, watches the table, and turns everything off at the end, however it comes.

    Raises `webui.errors.PortTaken` before a lamp is lit, `device.pins.PanelFailed`, and `NotReady` when something
    that is no camera fails before its first picture. A camera is waited for: at boot it may come later than we do.
    """
    web = table.settings.web
    try:
        found_at = addresses(web.host, web.port)
        settings = web_settings(table.settings, found_at)
        cities = table.scored.cities if table.scored is not None else None
        with serve(create_app(table.session, settings, cities=cities), web.host, web.port) as serving:
            table.start()
            for line in welcome(table, serving, settings.addresses, settings.touch_code):
                say(line)
            telling = Telling(say, complain, is_patient=table.settings.camera.is_real, found_at=found_at)
            while not ending.wait(LOOK_S):
                telling.look(table.session.view().health, table.session.ended.is_set())
                telling.found(addresses(web.host, web.port))
    finally:
        table.stop()


def welcome(table: Table, serving: Serving, found_at: tuple[str, ...], code: str) -> list[str]:
    """What is said once the page is there."""
    source = {"sim": "a simulated table"}.get(table.settings.camera.source, table.settings.camera.source)
    lines = [f"Overboard watches {table.evening.story.match.game.facts.title}: {source}.", ""]
    lines += [f"  {'The page:' if i == 0 else 'or:':10}{address}" for i, address in enumerate(found_at)]
    lines += [f"  {'The code:':10}{code}  (for making changes; looking is free)", ""]
    if serving.host not in ("127.0.0.1", "localhost", "::1"):
        lines += [qr_terminal(found_at[0])]
    return [*lines, "Ctrl-C ends it."]


class Telling:
    """What the terminal is told while the table is watched, each thing once.

    `is_patient`: a source that fails before its first picture is waited for.
    """

    def __init__(self, say: Say, complain: Say, is_patient: bool, found_at: tuple[str, ...] = ()) -> None:
        self._say, self._complain, self._is_patient = say, complain, is_patient
        self._found_at = found_at
        self._was_lost, self._has_seen, self._has_ended, self._age_ms = False, False, False, float("inf")

    def look(self, health: Health, has_ended: bool) -> None:
        """Tells what the camera suffers, and the end of a recording. Raises `NotReady` if nothing ever came."""
        # A picture's age grows until the next one comes.
        self._has_seen = self._has_seen or health.frame_age_ms < self._age_ms < float("inf")
        self._age_ms, lost = health.frame_age_ms, not health.camera_ok
        if lost and not self._has_seen and not self._is_patient:
            raise NotReady(health.said.en)
        if lost != self._was_lost:
            self._complain(health.said.en if lost else "The camera is back.")
        self._was_lost = lost
        if has_ended and not self._has_ended:
            self._has_ended = True
            self._say("The recording has come to its end; the page stays.")

    def found(self, found_at: tuple[str, ...]) -> None:
        """Tells a new address: at boot the network may come later than we do."""
        if found_at != self._found_at:
            self._found_at = found_at
            self._say(f"The page is now at {found_at[0]}")
