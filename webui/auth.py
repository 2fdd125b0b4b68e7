"""Who may touch. Looking is free; a phone that knows the code the device shows gets a signed cookie, once."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from flask import session

from webui.settings import WebSettings

FREE_TRIES = 3
LONGEST_WAIT_S = 300.0
FORGIVEN_AFTER_S = 900.0
CROWD_TRIES = 30
"""Wrong codes from all addresses together before everybody waits a little: a guesser may have many addresses."""
LONGEST_CROWD_WAIT_S = 30.0
ADDRESSES_KEPT = 1024


@dataclass(frozen=True, slots=True)
class Fails:
    """Wrong codes of one address, and when the last one came."""

    count: int
    last_s: float

    def wait_s(self, now_s: float, free: int, longest_s: float) -> float:
        """How long until the next try is heard: 2, 4, 8, ... seconds after the free ones."""
        if self.count < free:
            return 0.0
        return max(0.0, self.last_s + min(longest_s, 2.0 ** min(30, self.count - free + 1)) - now_s)


class Tries:
    """Counts wrong codes and says how long to wait. Safe from any thread; remembers a bounded number of addresses."""

    def __init__(self, clock_s: Callable[[], float]) -> None:
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._of: OrderedDict[str, Fails] = OrderedDict()
        self._crowd = Fails(0, 0.0)

    def judge(self, address: str, is_right: Callable[[], bool]) -> float | None:
        """0.0: right. None: wrong, and counted. Above 0: not even looked at, so many seconds are left to wait."""
        key = neighbourhood(address)
        with self._lock:
            now_s = self._clock_s()
            own = self._fresh(self._of.get(key, Fails(0, now_s)), now_s)
            self._crowd = self._fresh(self._crowd, now_s)
            wait_s = max(
                own.wait_s(now_s, FREE_TRIES, LONGEST_WAIT_S),
                self._crowd.wait_s(now_s, CROWD_TRIES, LONGEST_CROWD_WAIT_S),
            )
            if wait_s > 0:
                return wait_s
            if is_right():
                self._of.pop(key, None)
                return 0.0
            self._of[key] = Fails(own.count + 1, now_s)
            self._of.move_to_end(key)
            if len(self._of) > ADDRESSES_KEPT:
                self._of.popitem(last=False)
            self._crowd = Fails(self._crowd.count + 1, now_s)
            return None

    @staticmethod
    def _fresh(fails: Fails, now_s: float) -> Fails:
        return fails if now_s - fails.last_s < FORGIVEN_AFTER_S else Fails(0, now_s)


def neighbourhood(address: str) -> str:
    """What counts as one guesser: an IPv4 address, or an IPv6 network of 64 bits, which one machine has at will.

    >>> neighbourhood("fd00::1:2:3:4") == neighbourhood("fd00::9")
    True
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else str(ipaddress.ip_network((address, 64), strict=False))


class Door:
    """Lets a phone in that knows the code. A new code shuts out every phone that knew only the old one."""

    def __init__(self, settings: WebSettings, clock_s: Callable[[], float]) -> None:
        self._code = settings.touch_code.strip()
        self._print = hmac.digest(settings.secret, b"code:" + self._code.encode(), "sha256").hex()[:32]
        self._tries = Tries(clock_s)

    def join(self, code: str, address: str) -> float | None:
        """As `Tries.judge`; when right, the answer being made carries the cookie."""
        said = code.strip().encode()
        wait_s = self._tries.judge(address, lambda: hmac.compare_digest(said, self._code.encode()))
        if wait_s == 0.0:
            session.clear()
            session.permanent = True
            session["code"] = self._print
            session["phone"] = secrets.token_hex(8)
        return wait_s

    def leave(self) -> None:
        """This phone only looks from now on."""
        session.clear()

    def may_touch(self) -> bool:
        """Whether the request being answered comes from a phone that knew the code."""
        return hmac.compare_digest(str(session.get("code", "")), self._print)

    def phone(self) -> str:
        """A name for the phone of this request; "" for one that only looks."""
        return str(session.get("phone", ""))
