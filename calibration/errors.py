"""What can go wrong in this room.

CalibrationError
 +-- CalibrationFailed  (ValueError)  the pictures do not give a calibration; says why and what to do
 |    +-- NotTaught                   the same, said in both languages: a wizard passes it on to whoever teaches
 +-- ProfileRefused     (ValueError)  a profile file that cannot be used; it was left as it was
"""

from __future__ import annotations

from rules.words import Said


class CalibrationError(Exception):
    """Any error of this room."""


class CalibrationFailed(CalibrationError, ValueError):
    """What was wanted, what was found, what to do."""


class NotTaught(CalibrationFailed):
    """What a picture of a table or of tiles does not teach; its text is the English one of `said`."""

    def __init__(self, said: Said) -> None:
        super().__init__(said.en)
        self.said = said


class ProfileRefused(CalibrationError, ValueError):
    """A profile that is damaged, unknown or from a newer version; names line and column where there are any."""
