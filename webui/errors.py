"""The error tree of this room.

WebError
 +-- PortTaken    (OSError)     the address to serve at is in use, or is not ours to use
 +-- BadSettings  (ValueError)  settings that would leave the page open or unreachable
 +-- BadRequest   (ValueError)  a body that is no wish; carries the sentence for the phone
"""

from __future__ import annotations

from rules.words import Said


class WebError(Exception):
    """Any error of this room."""


class PortTaken(WebError, OSError):
    """The server could not listen; the message says what to do."""


class BadSettings(WebError, ValueError):
    """Settings that cannot be served with; names every fault at once."""


class BadRequest(WebError, ValueError):
    """A request a phone cannot have meant; `said` is told to the person, with status `status`."""

    def __init__(self, said: Said, status: int = 400) -> None:
        super().__init__(said.en)
        self.said = said
        self.status = status
