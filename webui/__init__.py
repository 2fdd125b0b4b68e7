"""The page on the phone: Flask and pages, which see the table only through the `Desk` protocol."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from flask import Flask

from webui.api import routes
from webui.auth import Door
from webui.city import city_routes
from webui.city_desk import CityDesk
from webui.desk import Desk
from webui.errors import BadRequest, BadSettings, PortTaken, WebError
from webui.guard import with_headers
from webui.play import Pages
from webui.qr import qr_svg, qr_terminal
from webui.serve import Serving, serve
from webui.settings import WebSettings
from webui.web import PICTURE_PART, Web

__all__ = [
    "BadRequest",
    "BadSettings",
    "Desk",
    "PortTaken",
    "Serving",
    "WebError",
    "WebSettings",
    "create_app",
    "qr_svg",
    "qr_terminal",
    "serve",
]

COOKIE_DAYS = 90


def create_app(
    desk: Desk, settings: WebSettings, clock_s: Callable[[], float] = time.monotonic, cities: CityDesk | None = None
) -> Flask:
    """The app for one desk; with `cities`, also the page "Score a city". `clock_s` counts the waits after wrong codes;
    tests pass their own."""
    app = Flask("webui", static_folder="static", template_folder="templates")
    app.config.update(
        SECRET_KEY=settings.secret,
        SESSION_COOKIE_NAME="overboard",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=timedelta(days=COOKIE_DAYS),
        MAX_CONTENT_LENGTH=PICTURE_PART,
        SEND_FILE_MAX_AGE_DEFAULT=timedelta(days=30),
    )
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals["asset"] = _asset_names(Path(str(app.static_folder)))
    web = Web(desk, settings, Door(settings, clock_s), Pages(app), threading.Semaphore(settings.holds))
    app.extensions["overboard"] = web
    app.before_request(web.refusal)
    app.after_request(with_headers)
    app.register_error_handler(Exception, web.failed)
    app.jinja_env.globals["has_cities"] = cities is not None
    app.register_blueprint(routes(web))
    if cities is not None:
        app.register_blueprint(city_routes(web, cities))
    return app


def _asset_names(folder: Path) -> Callable[[str], str]:
    """The address of a static file, with its checksum: a phone keeps it for a month, yet never an old one."""
    marks = {path.name: f"{zlib.crc32(path.read_bytes()):08x}" for path in folder.iterdir() if path.is_file()}
    return lambda name: f"/static/{name}?v={marks[name]}"
