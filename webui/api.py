"""The routes. Looking is free; whatever changes the table, or shows the camera's picture, needs the code."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from flask import Blueprint, Response, jsonify, make_response, redirect, render_template, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from rules.words import Cell, Piece
from webui.board_svg import cell_from_key
from webui.desk import TableView
from webui.phrases import say
from webui.piece_svg import pattern_defs
from webui.play import Words
from webui.qr import qr_svg
from webui.web import LANGUAGE_COOKIE, SIDE_COOKIE, Web
from webui.wishes import bad, request_from

STATUS: Final = {"done": 200, "stale": 409, "refused": 422, "busy": 503}
YEAR_S: Final = 365 * 24 * 3600
AGAIN_MS: Final = 250
"""After how long a phone asks again whose question could not be held."""
SLICE_S: Final = 0.5
"""How often a held question looks whether the server is closing."""
LIKELY: Final = 3
LOOPBACK: Final = "127.0.0.1"


def routes(web: Web) -> Blueprint:
    """All routes of the page, for one desk."""
    pages = Blueprint("table", __name__)
    _look_routes(pages, web)
    _join_routes(pages, web)
    _touch_routes(pages, web)
    return pages


def _look_routes(pages: Blueprint, web: Web) -> None:
    @pages.get("/", endpoint="page")
    def page() -> AnyResponse:
        if "lang" in request.args or "side" in request.args:
            return _remember()
        looker = web.looker()
        view = web.desk.view()
        body = web.pages.body(view, looker)
        words = Words(view, looker)
        html = render_template(
            "page.html", body=body, defs=pattern_defs(), address=_address(web), **words.template_values()
        )
        return make_response(html)

    @pages.get("/view", endpoint="view")
    def view() -> Response:
        since = request.args.get("since", "")
        return _send(web, web.desk.view(), since) if "now" in request.args else _hold(web, since)

    @pages.get("/qr.svg", endpoint="qr")
    def qr() -> Response:
        return Response(qr_svg(_address(web)), mimetype="image/svg+xml")


def _address(web: Web) -> str:
    """The address to hand on: the first that was given; else, or where the program began before the network did and
    knew only its loopback, the one this phone uses."""
    first = web.settings.addresses[0] if web.settings.addresses else ""
    return first if first and urlsplit(first).hostname != LOOPBACK else request.host_url.rstrip("/")


def _remember() -> AnyResponse:
    """Keep this phone's language or side, and show the page again."""
    response = redirect("/city" if request.args.get("page") == "city" else "/", 303)
    for name, cookie, allowed in (
        ("lang", LANGUAGE_COOKIE, {"en", "pt"}),
        ("side", SIDE_COOKIE, {"0", "1", "2", "3"}),
    ):
        value = request.args.get(name)
        if value in allowed:
            response.set_cookie(cookie, value, max_age=YEAR_S, httponly=True, samesite="Strict")
    return response


def _hold(web: Web, since: str) -> Response:
    """Hold the question until the table is no longer as the token `since` says, for `hold_s` at most. A token of
    another run, or of a phone that looked otherwise, is no longer true at once."""
    looker, view = web.looker(), web.desk.view()
    if web.pages.token(view, looker) != since:
        return _send(web, view, since)
    if not web.holds.acquire(blocking=False):
        return _send(web, view, since, AGAIN_MS)
    try:
        left_s = web.settings.hold_s
        while web.pages.token(view, looker) == since and left_s > 0 and not web.closing.is_set():
            view = web.desk.wait(view.revision, min(SLICE_S, left_s))
            left_s -= SLICE_S
    finally:
        web.holds.release()
    return _send(web, view, since)


def _send(web: Web, view: TableView, since: str, again_ms: int = 0) -> Response:
    """The view, or 204 where the phone has it already: the heartbeat."""
    looker = web.looker()
    if web.pages.token(view, looker) == since:
        response = Response(status=204)
    else:
        body = web.pages.body(view, looker)
        is_packed = "gzip" in request.headers.get("Accept-Encoding", "")
        response = Response(body.packed if is_packed else body.plain, mimetype="application/json")
        response.headers["Vary"] = "Accept-Encoding, Cookie"
        if is_packed:
            response.headers["Content-Encoding"] = "gzip"
        response.set_etag(body.token)
    response.headers["X-Again-Ms"] = str(again_ms)
    return response


def _join_routes(pages: Blueprint, web: Web) -> None:
    @pages.post("/join", endpoint="join")
    def join() -> Response:
        body = web.json_body()
        code = body.get("code") if isinstance(body, dict) else None
        if not isinstance(code, str) or len(code) > 100:
            raise bad("code: wanted a text")
        wait_s = web.door.join(code, request.remote_addr or "")
        if wait_s == 0.0:
            return jsonify(said=say("join-done", web.language()))
        if wait_s is None:
            return web.told("join-wrong", 403)
        seconds = math.ceil(wait_s)
        response = web.told("join-wait", 429, n=seconds)
        response.headers["Retry-After"] = str(seconds)
        return response

    @pages.post("/leave", endpoint="leave")
    def leave() -> Response:
        web.door.leave()
        return Response(status=204)


def _touch_routes(pages: Blueprint, web: Web) -> None:
    @pages.post("/do", endpoint="do")
    def do() -> Response:
        asked = request_from(web.json_body(), web.door.phone(), web.desk.pieces)
        receipt = web.once.act(asked, web.desk.request)
        said = receipt.said.in_language(web.language())
        response = jsonify(accepted=receipt.accepted, code=receipt.code, seq=receipt.seq, said=said)
        response.status_code = STATUS.get(receipt.code, 422)
        return response

    @pages.get("/square", endpoint="square")
    def square() -> str:
        try:
            cell = cell_from_key(request.args.get("cell", ""))
        except ValueError as fault:
            raise bad("cell: wanted col,row,level,zone") from fault
        view = web.desk.view()
        words = Words(view, web.looker())
        likely = _likely(web.desk.alternatives(cell), view.layout.pieces.get(cell))
        groups = _groups(web.desk.pieces(), cell)
        return render_template("square.html", cell=cell, likely=likely, groups=groups, **words.template_values())

    @pages.get("/picture.jpg", endpoint="picture")
    def picture() -> Response:
        jpeg = web.desk.picture()
        if jpeg is None:
            return web.told("picture-none", 404)
        return Response(jpeg, mimetype="image/jpeg")

    @pages.get("/cut/<int:question_seq>/<int:index>.png", endpoint="cut")
    def cut(question_seq: int, index: int) -> Response:
        question = web.desk.view().question
        if question is None or question.seq != question_seq or index >= len(question.choices):
            raise NotFound
        png = question.choices[index].cut_png
        if not re.match(rb"\x89PNG\r\n\x1a\n", png):
            raise NotFound
        return Response(png, mimetype="image/png")


def _likely(ranked: Sequence[tuple[Piece | None, float]], now: Piece | None) -> list[tuple[Piece | None, float]]:
    """The first offers for a cell: what the camera thinks, likeliest first, without what stands there by the match
    (nobody corrects that); an empty cell always among them."""
    offers = [(piece, share) for piece, share in ranked if piece != now][:LIKELY]
    if now is not None and all(piece is not None for piece, _ in offers):
        offers.append((None, 0.0))
    return offers


def _groups(pieces: Sequence[Piece], cell: Cell) -> list[tuple[Piece, list[Piece]]]:
    """The pieces a person may name, by kind and colour, each with its postures."""
    groups: dict[tuple[str, str], list[Piece]] = {}
    for piece in pieces:
        if (piece.kind == "van") == (cell.zone == "van"):
            groups.setdefault((piece.kind, piece.colour), []).append(piece)
    return [(group[0], group) for group in groups.values()]
