"""Pictures on their way from a phone: sent in parts, put together in memory, few at a time, nothing written anywhere.

Why parts: a server that takes bodies of 60 MB takes them from everybody on the network, code or not, before it can
look. So no body is larger than a part, the whole size is refused with the first, and a lost part is sent again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from webui.web import PICTURE_PART

PART_BYTES: Final = PICTURE_PART
MOST_BYTES: Final = 60_000_000
MOST_UPLOADS: Final = 2
DONE_KEPT: Final = 64
"""On their way at a time; a third pushes out the one that was silent longest."""


@dataclass(slots=True)
class _Upload:
    total: int
    data: bytearray = field(default_factory=bytearray)


class Uploads:
    """Safe from any thread. A key names an upload; it must be the phone's own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: OrderedDict[str, _Upload] = OrderedDict()
        self._done: OrderedDict[str, None] = OrderedDict()

    def add(self, key: str, at: int, total: int, part: bytes) -> int | None:
        """Takes a part that begins at byte `at` of `total`; how many bytes are there now, which is where the next
        part begins. A part that is there already changes nothing. None: it does not fit, begin anew.
        """
        if not (0 < total <= MOST_BYTES and 0 <= at < total and 0 < len(part) <= min(PART_BYTES, total - at)):
            return None
        with self._lock:
            upload = self._under_way.get(key)
            if upload is None or (at == 0 and upload.total != total):
                if at:
                    return None
                upload = self._under_way[key] = _Upload(total)
            self._under_way.move_to_end(key)
            while len(self._under_way) > MOST_UPLOADS:
                self._under_way.popitem(last=False)
            if upload.total != total:
                return None
            if at == len(upload.data):
                upload.data += part
            return len(upload.data)

    def whole(self, key: str) -> bytes | None:
        """The picture; None if it is not whole. Of one that was dealt with nothing is left: b""."""
        with self._lock:
            if key in self._done:
                return b""
            upload = self._under_way.get(key)
            return None if upload is None or len(upload.data) != upload.total else bytes(upload.data)

    def done(self, key: str) -> None:
        """Lets go of a picture that was dealt with; a wish sent twice finds that it was."""
        with self._lock:
            self._under_way.pop(key, None)
            self._done[key] = None
            while len(self._done) > DONE_KEPT:
                self._done.popitem(last=False)
