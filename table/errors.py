"""What can go wrong at the table beyond a player's mistake.

TableError
 +-- BadSettings    (ValueError)  overboard.toml or OVERBOARD_*: every fault at once, with lines
 +-- BadFolder      (ValueError)  a folder whose setup.json cannot be used
 +-- BadJournal     (OSError)     a journal that is newer, damaged or not ours; left as it was
 +-- JournalFull    (OSError)     an event could not be written; nothing was lost, nothing happened
 +-- NotReady       (OSError)     a camera, port or file that is not there yet

Every message has three parts: what was wanted, what was found, what to do.
"""

from __future__ import annotations


class TableError(Exception):
    """Any error of this room; its text is one clear sentence for a person."""


class BadSettings(TableError, ValueError):
    """Settings that cannot be used. `faults` has one sentence each."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


class BadFolder(TableError, ValueError):
    """A folder of pictures whose `setup.json` cannot be used."""


class BadJournal(TableError, OSError):
    """A journal that cannot be used; the file is left as it was found."""


class JournalFull(TableError, OSError):
    """The disk took no more; the event did not happen."""


class NotReady(TableError, OSError):
    """The world is not ready: no camera, a taken port, a missing file."""
