"""What the page needs to know before it can be served."""

from __future__ import annotations

from dataclasses import dataclass

from rules.game import LANGUAGES
from webui.errors import BadSettings

SHORTEST_CODE = 4


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Who may touch, how the page is reached, and in which language it speaks when a phone does not say.

    `touch_code`   the code the device shows; whoever types it on a phone may change things. At least four signs.
    `secret`       signs the cookie of a phone that knew the code; keep it over restarts, at least 16 bytes.
    `addresses`    addresses people can type, best first, as "http://192.168.1.20:8080"; the QR code shows the first.
    `allowed_hosts` further names the page may be called by, beside our own IP addresses, localhost, the machine's
                   name and name.local. Lower case, without port.
    `language`     one of `LANGUAGES`, for phones that ask for neither.
    `hold_s`       how long a page's question "anything new?" may be held; a line silent for longer than twice
                   this is dead.
    `holds`        how many such questions may be held at once; further phones are told to ask again shortly.

    Raises `BadSettings`.
    """

    touch_code: str
    secret: bytes
    addresses: tuple[str, ...] = ()
    allowed_hosts: frozenset[str] = frozenset()
    language: str = "en"
    hold_s: float = 2.0
    holds: int = 32

    def __post_init__(self) -> None:
        faults = []
        if len(self.touch_code.strip()) < SHORTEST_CODE:
            faults.append(f"touch_code: wanted at least {SHORTEST_CODE} signs, found {len(self.touch_code.strip())}")
        if len(self.secret) < 16:
            faults.append(f"secret: wanted at least 16 bytes, found {len(self.secret)}")
        if self.language not in LANGUAGES:
            faults.append(f"language: wanted one of {', '.join(LANGUAGES)}, found {self.language!r}")
        if not 0.05 <= self.hold_s <= 2.0:
            faults.append(f"hold_s: wanted 0.05 to 2.0, found {self.hold_s}")
        if self.holds < 0:
            faults.append(f"holds: wanted 0 or more, found {self.holds}")
        if faults:
            raise BadSettings("; ".join(faults) + ": correct the settings of the page")
