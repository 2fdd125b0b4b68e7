"""What every request must pass before a page sees it, and what every answer carries.

A web page elsewhere that a player happens to visit can send requests to this network. Three things stop it:
the `Host` must be an address of ours (so that a foreign name that is made to resolve to us is refused), an
`Origin` must be our own, and a change must be JSON and carry a cookie that other sites cannot send.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from flask import Request, Response

from webui.settings import WebSettings

CONTENT_SECURITY_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(?P<port>[0-9]{1,5}))?")


def host_name(host: str) -> str | None:
    """The name in a Host header, in small letters, without port, brackets or last dot; None if it is malformed.

    >>> host_name("[::1]:8080"), host_name("Table.local."), host_name("a b")
    ('::1', 'table.local', None)
    """
    found = _HOST.fullmatch(host.lower())
    return found["name"].strip("[]").rstrip(".") or None if found else None


@lru_cache(maxsize=256)
def is_own_address(text: str) -> bool:
    """Whether an IP literal is an address of this machine: only those can be bound. Holds for every network we
    are on, whatever address it gave us."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if address.is_unspecified or address.is_multicast:
        return False
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((text, 0))
    except OSError:
        return False
    return True


def own_names() -> frozenset[str]:
    """localhost, the machine's name, its first part, and that with .local."""
    name = socket.gethostname().lower().rstrip(".")
    short = name.split(".")[0]
    return frozenset({"localhost", name, short, f"{short}.local"} - {"", ".local"})


def is_own_host(host: str, settings: WebSettings) -> bool:
    """Whether a Host header names us."""
    name = host_name(host)
    if name is None:
        return False
    listed = {urlsplit(address).hostname for address in settings.addresses}
    if name in settings.allowed_hosts or name in listed or name in own_names():
        return True
    return is_own_address(name)


def is_own_origin(request: Request) -> bool:
    """Whether the request comes from our own page, or from no page at all (a person typing, a command line)."""
    origin = request.headers.get("Origin")
    if origin is not None and origin.lower() != f"{request.scheme}://{request.headers.get('Host', '').lower()}":
        return False
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    if request.method in {"GET", "HEAD"}:
        is_visit = request.headers.get("Sec-Fetch-Mode") == "navigate"
        return site in {"same-origin", "none"} or is_visit
    return site == "same-origin"


def with_headers(response: Response) -> Response:
    """Security headers on every answer; what is not static is never kept by a browser or a proxy."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", "no-store")
    return response
