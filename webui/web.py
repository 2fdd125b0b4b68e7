"""What all routes work with, and how a request is understood before any of them sees it."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from typing import Final

from flask import Response, jsonify, make_response, render_template, request
from werkzeug.exceptions import BadRequest as BadJson
from werkzeug.exceptions import HTTPException

from webui.auth import Door
from webui.board_svg import seat_at_bottom
from webui.desk import Desk
from webui.errors import BadRequest
from webui.guard import is_own_host, is_own_origin
from webui.phrases import PHRASES, say
from webui.play import Looker, Pages
from webui.settings import WebSettings
from webui.wishes import Once

LOG: Final = logging.getLogger(__name__)
LANGUAGE_COOKIE: Final = "overboard-language"
SIDE_COOKIE: Final = "overboard-side"
LONGEST_BODY: Final = 4096
TOUCHING: Final = frozenset({"do", "square", "picture", "cut"})
"""Routes only for phones that knew the code. A test walks all others and sees that they neither change nor reveal."""
CITY_SEND: Final = "city_send"
"""The one route that takes a part of a picture instead of JSON."""
CITY_TOUCHING: Final = frozenset({"city_do", "city_picture", "city_cut", "city_png", "city_slot", CITY_SEND})
"""The same of the page "Score a city", which a table may be without."""
PICTURE_PART: Final = 262_144


@dataclass(frozen=True, slots=True)
class Web:
    """One desk and everything around it; `serve` finds it as `app.extensions["overboard"]`."""

    desk: Desk
    settings: WebSettings
    door: Door
    pages: Pages
    holds: threading.Semaphore
    once: Once = field(default_factory=Once)
    closing: threading.Event = field(default_factory=threading.Event)

    def language(self) -> str:
        """The language of the phone that asks: what it chose, else what its browser likes best of those we have,
        else the setting."""
        chosen = request.cookies.get(LANGUAGE_COOKIE)
        if chosen in {"en", "pt"}:
            return chosen
        for tag, _ in request.accept_languages:
            if tag[:2].lower() in {"en", "pt"}:
                return tag[:2].lower()
        return self.settings.language

    def looker(self) -> Looker:
        """How the phone that asks looks at the table."""
        side = seat_at_bottom(request.cookies.get(SIDE_COOKIE))
        return Looker(side, self.language(), self.door.may_touch())

    def refusal(self) -> Response | None:
        """Why a request is not heard, or None. Runs before every route of the app, also those not yet written."""
        if not is_own_host(request.headers.get("Host", ""), self.settings):
            return self.told("error.host", 403)
        if not is_own_origin(request):
            return self.told("error.origin", 403)
        name = (request.endpoint or "").rpartition(".")[2]
        if name == CITY_SEND and request.method == "POST":
            if request.mimetype != "application/octet-stream":
                return self.told("error.json", 415)
            if (request.content_length or 0) > PICTURE_PART:
                return self.told("error.too-long", 413)
        elif request.method not in {"GET", "HEAD", "OPTIONS"}:
            if request.mimetype != "application/json":
                return self.told("error.json", 415)
            if (request.content_length or 0) > LONGEST_BODY:
                return self.told("error.too-long", 413)
        if name in TOUCHING | CITY_TOUCHING and not self.door.may_touch():
            return self.told("error.code", 403)
        return None

    def json_body(self) -> object:
        """The JSON of the request. Raises `BadRequest` where there is none, or one nested without end."""
        try:
            return request.get_json()
        except (RecursionError, BadJson) as fault:
            raise BadRequest(PHRASES["error.json"]) from fault

    def told(self, key: str, status: int, **values: object) -> Response:
        """A refusal as a sentence: a page for a person who typed the address, JSON for the script."""
        return self._sentence(say(key, self.language(), **values), status)

    def _sentence(self, said: str, status: int) -> Response:
        if "text/html" in request.headers.get("Accept", ""):
            page = render_template("error.html", said=said, back=say("back", self.language()), language=self.language())
            return make_response(page, status)
        response = jsonify(said=said)
        response.status_code = status
        return response

    def failed(self, fault: Exception) -> Response:
        """The error page: tells the person, and logs what is our fault with its traceback."""
        if isinstance(fault, BadRequest):
            return self._sentence(fault.said.in_language(self.language()), fault.status)
        if isinstance(fault, HTTPException):
            status = fault.code or 500
            key = {400: "error.json", 404: "error.404", 405: "error.405", 413: "error.too-long"}.get(status)
            if key:
                return self.told(key, status)
            LOG.warning("wanted %s %s, answered %s: %s", request.method, request.path, status, fault.description)
            return self.told("error.500", status)
        LOG.error("wanted %s %s, found a fault of the page: read on", request.method, request.path, exc_info=fault)
        return self.told("error.500", 500)
