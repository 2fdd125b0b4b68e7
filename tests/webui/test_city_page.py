"""The page "Score a city" over the real scored cities, with rehearsed eyes: who may do what, and bad input."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

import webui
from table.cities_desk import Cities
from table.journal import Journal
from tests.table.rehearsed_cities import WORKED, RehearsedEyes, read_of
from tests.webui.rehearsed_desk import CODE, RehearsedDesk
from webui import WebSettings, create_app, serve
from webui.city_page import FACE_GROUPS, CityWords
from webui.city_phrases import CITY_PHRASES
from webui.city_svg import face_svg
from webui.city_upload import MOST_BYTES, MOST_UPLOADS, PART_BYTES, Uploads
from webui.web import CITY_TOUCHING

KEYS = count()
OPEN = {"city_page", "city_view", "city_csv"}
HTML = {"Accept-Language": "en"}


@pytest.fixture
def eyes() -> RehearsedEyes:
    found = RehearsedEyes()
    found.shows = {
        b"a": (read_of(asked=(0, 5), hidden=(3,), beside=(1, 0), beside_asked=True),),
        b"b": (read_of([None, *WORKED[1:]]),),
        b"large" * 200_000: (read_of(),),
    }
    return found


@pytest.fixture
def cities(tmp_path: Path, eyes: RehearsedEyes) -> Iterator[Cities]:
    journal = Journal(tmp_path / "journal.sqlite")
    yield Cities(journal, eyes)
    journal.close()


@pytest.fixture
def app(desk: RehearsedDesk, settings: WebSettings, cities: Cities) -> Flask:
    return create_app(desk, settings, cities=cities)


def send(client: FlaskClient, data: bytes, upload: str, **more: Any) -> Any:
    """All parts of a picture; the last answer."""
    answer = None
    for at in range(0, len(data), PART_BYTES):
        address = f"/city/send?upload={upload}&at={at}&total={len(data)}"
        answer = client.post(address, data=data[at : at + PART_BYTES], content_type="application/octet-stream", **more)
    return answer


def do(client: FlaskClient, on_seq: int, kind: str, key: str = "", **fields: Any) -> Any:
    wish = {"kind": kind, **fields}
    return client.post("/city/do", json={"key": key or f"tap-{next(KEYS):05}", "on_seq": on_seq, "wish": wish})


def read(client: FlaskClient, data: bytes, on_seq: int = 0, name: str = "x.jpg", city: int = 0) -> Any:
    upload = f"upload-{next(KEYS):05}"
    assert send(client, data, upload).status_code == 200
    return do(client, on_seq, "read", key=upload, upload=upload, name=name, city=city)


def page(client: FlaskClient, language: str = "en") -> str:
    return client.get("/city", headers={"Accept-Language": language}).get_data(as_text=True)


def test_s1_all_routes_of_the_page_walked_without_a_session(app: Flask, cities: Cities, toucher: FlaskClient) -> None:
    read(toucher, b"a")
    before = cities.view()
    walked = set()
    for rule in app.url_map.iter_rules():
        name = rule.endpoint.rpartition(".")[2]
        if not name.startswith("city_"):
            continue
        walked.add(name)
        for method in sorted((rule.methods or set()) - {"OPTIONS"}):
            kind = "application/octet-stream" if name == "city_send" else "application/json"
            answer = app.test_client().open(f"{rule.rule}?city=1&slot=0&upload=12345678&at=0&total=2", method=method,
                                            data=b"{}" if method == "POST" else None, content_type=kind)
            assert (answer.status_code == 403) == (name in CITY_TOUCHING), f"{method} {rule.rule}"
            assert not answer.mimetype.startswith("image/"), f"{rule.rule} shows a picture"
            assert b"/city/picture.jpg" not in answer.data
    assert walked == OPEN | CITY_TOUCHING
    assert cities.view() == before


def test_a_table_without_cities_has_no_such_page(desk: RehearsedDesk, settings: WebSettings) -> None:
    client = create_app(desk, settings).test_client()
    assert client.get("/city").status_code == 404
    assert "/city" not in client.get("/").get_data(as_text=True)


def test_the_main_page_leads_to_it_and_back(looker: FlaskClient) -> None:
    assert 'href="/city"' in looker.get("/").get_data(as_text=True)
    assert 'href="/"' in page(looker)
    answer = looker.get("/?lang=pt&page=city")
    assert answer.headers["Location"] == "/city"
    assert "Pontuar uma cidade" in page(looker)
    assert looker.get("/?lang=pt&page=//elsewhere").headers["Location"] == "/"


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ["Not sure: 4 to look at", "Row 1, column 1", "Laid better", "Towers", "Beside the mat: 1 inhabitant"]),
     ("pt", ["Em dúvida: confira 4", "Linha 1, coluna 1", "Prédios", "Ao lado do tabuleiro: 1 habitante"])],
)
def test_a_read_city_is_told_whole(toucher: FlaskClient, language: str, words: list[str]) -> None:
    answer = read(toucher, b"a")
    assert (answer.status_code, answer.json["said"]) == (200, "One city read.")
    text = page(toucher, language)
    assert [word for word in words if word not in text] == []
    assert text.count('<g class="slot') == 16
    assert text.count("badge-box") >= 12
    assert '<image href="/city/picture.jpg?city=1' in text
    assert text.count("/city/cut.jpg") == 3, "a cut-out of each slot that is asked"


def test_who_only_looks_sees_points_but_no_photograph_and_no_button(looker: FlaskClient, cities: Cities,
                                                                   toucher: FlaskClient) -> None:
    read(toucher, b"a")
    text = page(looker)
    assert ">55<" in text, "56 less an idle inhabitant"
    assert text.count("data-wish") == 1, "only the empty one of the sheet that asks whether one is sure"
    assert "/city/cut.jpg" not in text
    assert 'class="city plan"' in text, "a plan instead"
    assert "The photograph shows to phones that know the code." in text
    looked = looker.get("/city/view").json
    assert looked["may"] is False
    assert looker.get(f"/city/view?since={looked['token']}").status_code == 204
    do(toucher, 1, "name", city=1, player="Ana")
    assert "Ana" in looker.get(f"/city/view?since={looked['token']}").json["body"]


def test_an_answer_settles_the_question_and_the_total_follows(toucher: FlaskClient, cities: Cities) -> None:
    read(toucher, b"a")
    other = {"face": "T1", "floors": 4, "inhabitants": 0, "energy": 1}
    assert do(toucher, 1, "slot", city=1, slot=0, building=other).status_code == 200
    assert (cities.view().cities[0].total, cities.view().cities[0].to_answer) == (59, 3)
    stale = do(toucher, 1, "slot", city=1, slot=0, building=None)
    assert (stale.status_code, stale.json["code"]) == (409, "stale")
    assert do(toucher, 2, "beside", city=1, inhabitants=0, energy=0).status_code == 200
    assert cities.view().cities[0].total == 60
    assert do(toucher, 3, "best", city=1).json["code"] in {"done", "refused"}
    assert do(toucher, cities.view().seq, "readings", harbours="row_plus_column", tie="all").status_code == 200
    assert cities.view().cities[0].total == cities.view().cities[0].best_total
    assert do(toucher, cities.view().seq, "drop", city=1).status_code == 200
    assert cities.view().cities == ()


def test_the_sheet_of_a_slot_offers_the_likely_first_and_everything_else(toucher: FlaskClient) -> None:
    read(toucher, b"a")
    text = toucher.get("/city/slot?city=1&slot=0").get_data(as_text=True)
    offered = re.findall(r"data-wish='([^']+)'", text)
    assert "floors&#34;:3" in offered[0] or '"floors":3' in offered[0].replace("&#34;", '"')
    assert text.count("data-face=") == 18
    for face in (face for group in FACE_GROUPS for face in group):
        wanted = f'"face":"{face}"'
        assert any(wanted in one.replace("&#34;", '"') for one in offered), face
    assert text.count("/city/cut.jpg") == 1
    beside = toucher.get("/city/slot?city=1&slot=16").get_data(as_text=True)
    assert beside.count("data-wish") == 26
    assert toucher.get("/city/cut.jpg?city=1&slot=0").mimetype == "image/jpeg"
    for wrong, status in (("city=2&slot=0", 404), ("city=x&slot=0", 400), ("city=1&slot=17", 400), ("city=1", 400),
                          ("city=1&slot=-1", 400), ("city=99999999999999999&slot=0", 400)):
        assert toucher.get(f"/city/slot?{wrong}").status_code == status, wrong


# ---- bad input ----------------------------------------------------------------------------------------------


def test_200_megabytes_are_refused_with_the_first_part(toucher: FlaskClient, eyes: RehearsedEyes) -> None:
    answer = toucher.post("/city/send?upload=12345678&at=0&total=200000000", data=b"x" * 1000,
                          content_type="application/octet-stream")
    assert answer.status_code == 413
    assert "found 200 MB" in answer.json["said"]
    whole = toucher.post("/city/send?upload=12345678&at=0&total=9", data=b"x" * (PART_BYTES + 1),
                         content_type="application/octet-stream")
    assert whole.status_code == 413
    assert eyes.asked == []


@pytest.mark.parametrize("path", ["/city/send?upload=12345678&at=0&total=200000000", "/city/do", "/do", "/"])
def test_the_server_answers_200_megabytes_before_they_are_sent(app: Flask, path: str) -> None:
    with serve(app, "127.0.0.1", 0) as running, socket.create_connection(("127.0.0.1", running.port), 5) as phone:
        phone.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000000\r\n"
                      "Content-Type: application/octet-stream\r\n\r\n".encode())
        assert phone.recv(64).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    ("address", "status"),
    [("at=0&total=10", 400), ("upload=short&at=0&total=10", 400), ("upload=12345678&at=x&total=10", 400),
     ("upload=12345678&at=0", 400), ("upload=12345678&at=5&total=10", 409), ("upload=12345678&at=10&total=10", 409),
     ("upload=12345678&at=0&total=2", 409), ("upload=12345678&at=0&total=0", 409)],
)
def test_parts_that_do_not_fit_are_refused(toucher: FlaskClient, address: str, status: int) -> None:
    answer = toucher.post(f"/city/send?{address}", data=b"abc", content_type="application/octet-stream")
    assert answer.status_code == status


def test_a_form_of_another_page_cannot_send(toucher: FlaskClient) -> None:
    address = "/city/send?upload=12345678&at=0&total=3"
    assert toucher.post(address, data=b"abc", content_type="multipart/form-data; boundary=x").status_code == 415
    assert toucher.post(address, data=b"abc", content_type="application/octet-stream",
                        headers={"Origin": "http://elsewhere.example"}).status_code == 403
    assert toucher.post("/city/do", data=b"{}", content_type="application/octet-stream").status_code == 415


def test_a_large_picture_arrives_in_parts_and_a_lost_part_is_sent_again(toucher: FlaskClient, cities: Cities) -> None:
    data = b"large" * 200_000
    assert len(data) > 3 * PART_BYTES
    send(toucher, data[:PART_BYTES], "another-phone-away")
    assert read(toucher, data).status_code == 200
    assert len(cities.view().cities) == 1


def test_uploads_are_bounded_and_put_together_in_order() -> None:
    uploads = Uploads()
    assert uploads.add("a", 0, 6, b"abc") == 3
    assert uploads.whole("a") is None
    assert uploads.add("a", 0, 6, b"abc") == 3, "the same part twice"
    assert uploads.add("a", 3, 7, b"def") is None, "another picture"
    assert uploads.add("a", 3, 6, b"def") == 6
    assert uploads.whole("a") == b"abcdef"
    assert uploads.add("b", 0, MOST_BYTES + 1, b"x") is None
    assert uploads.add("b", 0, 9, b"x" * 10) is None
    for n in range(MOST_UPLOADS):
        uploads.add(f"more-{n}", 0, 2, b"x")
    assert uploads.whole("a") is None, "pushed out"
    assert uploads.add("a", 3, 6, b"def") is None
    uploads.done("more-0")
    assert uploads.whole("more-0") == b""


@pytest.mark.parametrize(
    ("name", "told"), [("../../etc/passwd", "passwd"), ("C:\\x\\..\\y.jpg", "y.jpg"), ("a" * 150 + ".jpg", "a" * 80)]
)
def test_a_name_leads_nowhere(toucher: FlaskClient, eyes: RehearsedEyes, tmp_path: Path, name: str, told: str) -> None:
    read(toucher, b"b", name=name)
    assert eyes.asked == [(told, "my box")]
    assert sorted(path.name.partition("-")[0] for path in tmp_path.iterdir()) == ["journal.sqlite"] * 3


@pytest.mark.parametrize("data", [b"no picture", b"breaks"])
def test_what_is_no_picture_is_said_in_one_sentence(toucher: FlaskClient, cities: Cities, data: bytes) -> None:
    answer = read(toucher, data)
    assert answer.status_code == 422
    assert len(answer.json["said"]) > 20
    assert answer.json["said"].count(".") <= 2
    assert cities.view().cities == ()


@pytest.mark.parametrize(
    "wish",
    [
        {"kind": "read", "upload": "unknown-upload", "name": "x", "city": 0},
        {"kind": "slot", "city": 1, "slot": 0},
        {"kind": "slot", "city": 1, "slot": True, "building": None},
        {"kind": "slot", "city": 1, "slot": 0, "building": {"face": "T1", "floors": "3"}},
        {"kind": "slot", "city": 1, "slot": 0, "building": {"face": "Z9", "floors": 1, "inhabitants": 0, "energy": 0}},
        {"kind": "beside", "city": 1, "inhabitants": -1, "energy": 0},
        {"kind": "beside", "city": 1, "inhabitants": 10**30, "energy": 0},
        {"kind": "name", "city": 1, "player": "x" * 300},
        {"kind": "tiles", "name": "../x"},
        {"kind": "fly"},
        "fly",
    ],
    ids=str,
)
def test_wishes_that_nobody_can_have_meant_are_refused(toucher: FlaskClient, cities: Cities, wish: Any) -> None:
    read(toucher, b"a")
    before = cities.view()
    answer = toucher.post("/city/do", json={"key": "a-fresh-key", "on_seq": 1, "wish": wish})
    assert answer.status_code in {400, 409, 422}
    assert answer.json["said"]
    assert cities.view() == before


def test_u4_taps_that_come_twice_act_once(
    app: Flask, toucher: FlaskClient, eyes: RehearsedEyes, cities: Cities
) -> None:
    eyes.hold = threading.Event()
    assert send(toucher, b"b", "an-upload-key").status_code == 200
    cookie = toucher.get_cookie("overboard")
    assert cookie is not None

    def tap() -> Any:
        phone = app.test_client()
        phone.set_cookie("overboard", cookie.value)
        return do(phone, 0, "read", key="an-upload-key", upload="an-upload-key", name="", city=0).json

    with ThreadPoolExecutor(3) as taps:
        asked = [taps.submit(tap) for _ in range(3)]
        threading.Timer(0.2, eyes.hold.set).start()
        answers = [one.result(10) for one in asked]
    assert answers[0]["accepted"] is True
    assert answers[0] == answers[1] == answers[2] == tap()
    assert len(eyes.asked) == 1
    assert len(cities.view().cities) == 1


def test_without_a_tile_set_one_sentence_says_what_to_do(toucher: FlaskClient, eyes: RehearsedEyes) -> None:
    eyes.sets = ()
    text = page(toucher)
    assert "No tile set is taught" in text
    assert re.search(r'data-take="take" disabled', text)
    assert "Nenhum conjunto de peças" in page(toucher, "pt")
    assert read(toucher, b"a").status_code == 422
    assert do(toucher, 0, "by-hand").status_code == 200
    assert 'class="city plan"' in page(toucher)


def test_a_name_is_text_and_nothing_else(toucher: FlaskClient) -> None:
    read(toucher, b"b")
    do(toucher, 1, "name", city=1, player="<img src=x>&'\"")
    text = page(toucher)
    assert "<img src=x>" not in text
    assert "&lt;img src=x&gt;" in text


def test_the_result_is_exported_and_kept(toucher: FlaskClient, looker: FlaskClient) -> None:
    read(toucher, b"a")
    read(toucher, b"b", 1)
    png = toucher.get("/city/result.png")
    assert png.data.startswith(b"\x89PNG")
    assert "attachment" in png.headers["Content-Disposition"]
    rows = looker.get("/city/result.csv").get_data(as_text=True).splitlines()
    assert len(rows) == 3
    assert rows[1].split(",")[8] == "55"
    assert "wins with 55" in page(looker)
    assert do(toucher, 1, "new").status_code == 409, "somebody added a city meanwhile"
    assert do(toucher, 2, "new").status_code == 200
    text = page(looker)
    assert "Earlier results" in text
    assert "No city yet" in text


def test_every_sentence_of_the_page_is_used() -> None:
    room = Path(webui.__file__).parent
    table = room.parent / "table"
    source = "".join(path.read_text() for path in [*room.glob("city*.py"), *room.glob("templates/*.html"),
                                                   *table.glob("cities*.py")] if path.name != "city_phrases.py")
    families = ("city.part.", "city.type.", "city.reason.", "city.move.", "city.harbours.", "city.tie.", "city.from",
                "city.to")
    idle = [key for key in CITY_PHRASES if f'"{key}"' not in source and f"'{key}'" not in source
            and not key.startswith(families)]
    assert idle == []


@pytest.mark.parametrize("language", ["en", "pt"])
def test_no_two_faces_are_called_or_drawn_alike(cities: Cities, language: str) -> None:
    words = CityWords(cities.view(), language, True)
    faces = [face for group in FACE_GROUPS for face in group]
    assert len(faces) == 18 == len({words.face(face) for face in faces}) == len({face_svg(face) for face in faces})


def test_the_code_opens_the_same_door_as_on_the_board(app: Flask) -> None:
    client = app.test_client()
    assert do(client, 0, "by-hand").status_code == 403
    client.post("/join", json={"code": CODE})
    assert do(client, 0, "by-hand").status_code == 200
