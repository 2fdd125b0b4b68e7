"""What the terminal is told while the table is watched. K5: camera and network may come after the program."""

from __future__ import annotations

import pytest

from rules.words import Said
from table.errors import NotReady
from table.running import Telling
from webui.desk import Health

LOST = Said("the camera: wanted one, found none: plug it in", "Câmera perdida.")
FINE = Said("Watching.", "Olhando.")


class Terminal:
    def __init__(self) -> None:
        self.said: list[str] = []
        self.complained: list[str] = []

    def telling(self, is_patient: bool) -> Telling:
        return Telling(self.said.append, self.complained.append, is_patient, ("http://127.0.0.1:8080",))


def lost(age_ms: float) -> Health:
    return Health("camera-lost", LOST, age_ms, camera_ok=False)


def test_k5_a_camera_that_comes_twenty_seconds_after_the_program_is_waited_for() -> None:
    terminal = Terminal()
    telling = terminal.telling(is_patient=True)
    for quarter in range(80):
        telling.look(lost(250.0 * quarter), False)
    telling.look(Health("waiting", FINE, 30.0), False)
    assert terminal.complained == [LOST.en, "The camera is back."]


def test_a_source_that_is_no_camera_and_gives_nothing_ends_the_program_in_one_sentence() -> None:
    with pytest.raises(NotReady, match="plug it in"):
        Terminal().telling(is_patient=False).look(lost(100.0), False)


def test_a_source_that_once_gave_pictures_is_waited_for() -> None:
    terminal = Terminal()
    telling = terminal.telling(is_patient=False)
    telling.look(Health("waiting", FINE, 100.0), False)
    telling.look(Health("waiting", FINE, 30.0), False)
    telling.look(lost(5000.0), False)
    assert terminal.complained == [LOST.en]


def test_k5_a_network_that_comes_a_minute_later_is_told_once() -> None:
    terminal = Terminal()
    telling = terminal.telling(is_patient=True)
    for _ in range(240):
        telling.found(("http://127.0.0.1:8080",))
    for _ in range(3):
        telling.found(("http://192.168.1.7:8080", "http://table.local:8080"))
    assert terminal.said == ["The page is now at http://192.168.1.7:8080"]


def test_the_end_of_a_recording_is_told_once() -> None:
    terminal = Terminal()
    telling = terminal.telling(is_patient=False)
    for _ in range(2):
        telling.look(Health("waiting", FINE, 100.0), True)
    assert terminal.said == ["The recording has come to its end; the page stays."]
