"""What can go wrong in this room.

CalibrationError
 +-- CalibrationFailed  (ValueError)  the pictures do not give a calibration; says why and what to do
 +-- ProfileRefused     (ValueError)  a profile file that cannot be used; it was left as it was
"""

from __future__ import annotations


class CalibrationError(Exception):
    """Any error of this room."""


class CalibrationFailed(CalibrationError, ValueError):
    """What was wanted, what was found, what to do."""


class ProfileRefused(CalibrationError, ValueError):
    """A profile that is damaged, unknown or from a newer version; names line and column where there are any."""
