"""The wiring is checked before a pin is touched."""

from __future__ import annotations

from typing import Any

import pytest

from device.pins import BadPins, Pins


@pytest.mark.parametrize(("words", "message"), [
    ({"green": 17}, r"green: wanted a pin of its own, found 17, which turn.south has"),
    ({"buttons": (5, 6, 16, 25)}, r"button.east: wanted a pin of its own, found 25, which red has"),
    ({"turn": (17, 27, 22)}, r"turn: wanted 4 pins .* found 3"),
    ({"buttons": (5,)}, r"buttons: wanted 4 pins or none, found 1"),
    ({"red": 1}, r"red: wanted a BCM pin from 2 to 27, found 1"),
    ({"red": 28}, r"red: wanted a BCM pin from 2 to 27, found 28"),
    ({"red": True}, r"red: wanted a BCM pin from 2 to 27, found True"),
    ({"red": "25"}, r"red: wanted a BCM pin from 2 to 27, found '25'"),
    ({"sound": 12, "green": 18}, r"green: wanted a light and a sound on different timers, found 18 and 12"),
    ({"sound": 13, "turn": (17, 27, 22, 19)}, r"turn.east: .* both on PWM channel 1"),
], ids=["a pin twice", "a button on a light's pin", "three seats", "one button", "EEPROM pin", "not on the header",
        "a truth value", "text", "A2 same timer", "A2 same timer, other channel"])
def test_a_wiring_that_cannot_work_is_refused(words: dict[str, Any], message: str) -> None:
    with pytest.raises(BadPins, match=message):
        Pins(**words)


@pytest.mark.parametrize("words", [
    {}, {"buttons": ()}, {"sound": None}, {"sound": 12, "tonal": False, "green": 18}, {"sound": 12, "green": 13},
], ids=["the wiring table", "no buttons", "no sound", "A2 plain buzzer makes no tone", "A2 different timers"])
def test_a_wiring_that_works_is_taken(words: dict[str, Any]) -> None:
    pins = Pins(**words)
    assert len({pin for _, pin in pins.named()}) == len(pins.named())


def test_outputs_are_all_lights_and_the_sound() -> None:
    assert Pins().outputs() == (("turn.south", 17), ("turn.west", 27), ("turn.north", 22), ("turn.east", 23),
                                ("green", 24), ("red", 25), ("sound", 12))
