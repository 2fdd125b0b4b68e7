"""The page's address as a picture code: phones that do not open a .local name open the number in it."""

from __future__ import annotations

import io

import segno


def qr_svg(address: str) -> str:
    """The address as an SVG element, dark on white whatever the page's theme, with the quiet border it needs."""
    out = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        out, kind="svg", scale=8, border=4, dark="#111", light="#fff", xmldecl=False, svgns=True
    )
    return out.getvalue().decode()


def qr_terminal(address: str) -> str:
    """The address as text for a terminal: half blocks, two modules a line; light on a dark ground is expected."""
    out = io.StringIO()
    segno.make(address, error="l", micro=False).terminal(out=out, border=2, compact=True)
    return out.getvalue()
