"""The routes of "Score a city". Looking is free; photographs, and whatever changes a result, need the code."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, jsonify, make_response, render_template, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from rules.quadropolis.state import BESIDE, SLOTS
from webui.city_desk import CityDesk, CityView, ReadPicture
from webui.city_page import CityWords, body_html, slot_html, token
from webui.city_upload import MOST_BYTES, PART_BYTES, Uploads
from webui.city_wishes import LONGEST_TEXT, city_request_from
from webui.web import CITY_SEND, Web
from webui.wishes import Once, bad

STATUS: Final = {"done": 200, "stale": 409, "refused": 422, "busy": 503}
READING_S: Final = 120.0
"""A small computer takes its time with a large picture; a second tap waits for the first."""


def city_routes(web: Web, cities: CityDesk) -> Blueprint:
    """All routes of the page, for one desk of cities."""
    pages = Blueprint("city", __name__)
    _look_routes(pages, web, cities)
    _see_routes(pages, web, cities)
    _touch_routes(pages, web, cities, Uploads(), Once())
    return pages


def _words(web: Web, cities: CityDesk) -> CityWords:
    return CityWords(cities.view(), web.language(), web.door.may_touch())


def _look_routes(pages: Blueprint, web: Web, cities: CityDesk) -> None:
    @pages.get("/city", endpoint="city_page")
    def page() -> AnyResponse:
        words = _words(web, cities)
        return make_response(render_template(
            "city.html", body=body_html(words), token=token(words), part_bytes=PART_BYTES, most_bytes=MOST_BYTES,
            **words.values(),
        ))

    @pages.get("/city/view", endpoint="city_view")
    def view() -> Response:
        words = _words(web, cities)
        now = token(words)
        if request.args.get("since") == now:
            return Response(status=204)
        return jsonify(token=now, seq=words.view.seq, may=words.may, body=body_html(words))

    @pages.get("/city/result.csv", endpoint="city_csv")
    def table() -> Response:
        # The mark at the front is how spreadsheets know the letters.
        text = "\N{ZERO WIDTH NO-BREAK SPACE}" + cities.export_csv(web.language())
        return _file(text.encode(), "text/csv", "overboard-city.csv")


def _file(data: bytes, kind: str, name: str) -> Response:
    response = Response(data, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _city(cities: CityDesk) -> CityView:
    """The city that the address names. Raises `BadRequest` or `NotFound`."""
    number = request.args.get("city", "")
    if not number.isascii() or not number.isdecimal() or len(number) > 12:
        raise bad("city: wanted a number")
    found = cities.view().named(int(number))
    if found is None:
        raise NotFound
    return found


def _slot(most: int) -> int:
    number = request.args.get("slot", "")
    if not number.isascii() or not number.isdecimal() or len(number) > 2 or int(number) > most:
        raise bad(f"slot: wanted 0 to {most}")
    return int(number)


def _see_routes(pages: Blueprint, web: Web, cities: CityDesk) -> None:
    @pages.get("/city/picture.jpg", endpoint="city_picture")
    def picture() -> Response:
        return _jpeg(cities.picture(_city(cities).city))

    @pages.get("/city/cut.jpg", endpoint="city_cut")
    def cut() -> Response:
        return _jpeg(cities.cut(_city(cities).city, _slot(SLOTS - 1)))

    @pages.get("/city/result.png", endpoint="city_png")
    def result() -> Response:
        return _file(cities.export_png(web.language()), "image/png", "overboard-city.png")

    @pages.get("/city/slot", endpoint="city_slot")
    def slot() -> str:
        city, number = _city(cities), _slot(BESIDE)
        offers = [] if number == BESIDE else list(cities.offers(city.city, number))
        return slot_html(_words(web, cities), city, number, offers)


def _jpeg(data: bytes | None) -> Response:
    if data is None:
        raise NotFound
    return Response(data, mimetype="image/jpeg")


def _touch_routes(pages: Blueprint, web: Web, cities: CityDesk, uploads: Uploads, once: Once) -> None:
    @pages.post("/city/send", endpoint=CITY_SEND)
    def send() -> Response:
        key = request.args.get("upload", "")
        if not 8 <= len(key) <= LONGEST_TEXT:
            raise bad("upload: wanted 8 signs or more")
        at, total = (_byte(name) for name in ("at", "total"))
        if total > MOST_BYTES:
            return web.told("city.too-big", 413, most=MOST_BYTES // 1_000_000, found=total // 1_000_000)
        there = uploads.add(f"{web.door.phone()}:{key}", at, total, request.get_data())
        return web.told("city.upload-lost", 409) if there is None else jsonify(there=there)

    @pages.post("/city/do", endpoint="city_do")
    def do() -> Response:
        phone = web.door.phone()
        used: list[str] = []

        def whole(key: str) -> bytes | None:
            used.append(f"{phone}:{key}")
            return uploads.whole(used[0])

        asked = city_request_from(web.json_body(), phone, whole)
        receipt = once.act(asked, cities.request, READING_S)
        if isinstance(asked.wish, ReadPicture) and receipt.code != "busy":
            uploads.done(used[0])
        response = jsonify(accepted=receipt.accepted, code=receipt.code, seq=receipt.seq,
                           said=receipt.said.in_language(web.language()))
        response.status_code = STATUS.get(receipt.code, 422)
        return response


def _byte(name: str) -> int:
    number = request.args.get(name, "")
    if not number.isascii() or not number.isdecimal() or len(number) > 15:
        raise bad(f"{name}: wanted a number of bytes")
    return int(number)
