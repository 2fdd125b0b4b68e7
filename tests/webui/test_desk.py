from __future__ import annotations

from rules.words import Said
from tests.webui.desk_contract import promises
from tests.webui.rehearsed_desk import RehearsedDesk
from webui.desk import Desk


def test_the_rehearsed_desk_keeps_the_promises_of_a_desk() -> None:
    desk: Desk = RehearsedDesk()
    promises(desk)


def test_a_sentence_speaks_the_language_asked_for() -> None:
    said = Said("yes", "sim")
    assert (said.in_language("en"), said.in_language("pt"), said.in_language("pt-BR")) == ("yes", "sim", "sim")
