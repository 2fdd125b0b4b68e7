"""Who may change things, and what becomes of it. The field reports S1, S4, S5, U4, U5, A3 and R1 are named below."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from rules.words import Cell, Colour, Piece, Said
from tests.webui.conftest import Clock
from tests.webui.rehearsed_desk import CODE, JPEG, RehearsedDesk, asking
from webui import WebSettings, create_app
from webui.desk import Answer, Correct, NewMatch, Receipt, Request, SetSound, Undo
from webui.errors import BadRequest
from webui.guard import host_name, is_own_address
from webui.web import TOUCHING
from webui.wishes import Once, request_from

OPEN = {"page", "view", "qr", "join", "leave", "static"}


def do(client: FlaskClient, wish: dict[str, Any], on_seq: int = 40, key: str = "a-fresh-key", **more: Any) -> Any:
    return client.post("/do", json={"key": key, "on_seq": on_seq, "wish": wish}, **more)


def test_s1_all_routes_walked_without_a_session(app: Flask, desk: RehearsedDesk) -> None:
    """Every route is either known to be open, and then neither changes nor reveals, or it refuses."""
    desk.show(asking())
    before = desk.view()
    walked = set()
    for rule in app.url_map.iter_rules():
        name = rule.endpoint.rpartition(".")[2]
        walked.add(name)
        address = rule.build({"question_seq": 41, "index": 0, "filename": "page.css"})[1]  # type: ignore[index]
        for method in sorted((rule.methods or set()) - {"OPTIONS"}):
            client = app.test_client()
            answer = client.open(address, method=method, json={} if method == "POST" else None, buffered=True)
            if name in TOUCHING:
                assert answer.status_code == 403, f"{method} {address} is open"
            assert JPEG not in answer.data
            assert answer.mimetype not in {"image/jpeg", "image/png"}, f"{address} shows a picture"
    assert walked == OPEN | TOUCHING, "a new route must be named open or touching"
    assert desk.asked == []
    assert desk.view() == before


def test_s4_one_code_once_for_a_phone(app: Flask, looker: FlaskClient) -> None:
    answer = looker.post("/join", json={"code": f" {CODE} "})
    assert answer.status_code == 200
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Expires=" in cookie
    assert looker.get("/picture.jpg").data == JPEG
    assert app.test_client().get("/picture.jpg").status_code == 403, "another phone still only looks"
    assert looker.post("/leave", json={}).status_code == 204
    assert looker.get("/picture.jpg").status_code == 403


def test_a_new_code_shuts_out_phones_that_knew_the_old_one(desk: RehearsedDesk, settings: WebSettings) -> None:
    client = create_app(desk, settings).test_client()
    client.post("/join", json={"code": CODE})
    cookie = client.get_cookie("overboard")
    assert cookie is not None
    changed = create_app(desk, WebSettings("9753", settings.secret)).test_client()
    changed.set_cookie("overboard", cookie.value)
    assert changed.get("/picture.jpg").status_code == 403
    same = create_app(desk, settings).test_client()
    same.set_cookie("overboard", cookie.value)
    assert same.get("/picture.jpg").status_code == 200, "the cookie outlives a restart"
    same.set_cookie("overboard", cookie.value[:-2] + "xx")
    assert same.get("/picture.jpg").status_code == 403, "a cookie that we did not sign"


def test_wrong_codes_wait_longer_and_longer(looker: FlaskClient, clock: Clock) -> None:
    waits = []
    for _ in range(3):
        assert looker.post("/join", json={"code": "0000"}).status_code == 403
    for _ in range(4):
        answer = looker.post("/join", json={"code": "0000"})
        assert answer.status_code == 429
        assert looker.post("/join", json={"code": CODE}).status_code == 429, "not even the right code is looked at"
        waits.append(int(answer.headers["Retry-After"]))
        clock.now_s += waits[-1]
        assert looker.post("/join", json={"code": "0000"}).status_code == 403
    assert waits == [2, 4, 8, 16]
    clock.now_s += 901
    assert looker.post("/join", json={"code": CODE}).status_code == 200


def test_a_guesser_with_many_addresses_waits_too(app: Flask, clock: Clock) -> None:
    client = app.test_client()
    codes = []
    for i in range(60):
        answer = client.post("/join", json={"code": "0000"}, environ_base={"REMOTE_ADDR": f"192.0.2.{i}"})
        codes.append(answer.status_code)
    assert codes[:30] == [403] * 30
    assert set(codes[30:]) == {429}
    clock.now_s += 31
    assert client.post("/join", json={"code": CODE}, environ_base={"REMOTE_ADDR": "192.0.2.99"}).status_code == 200


def test_one_wrong_phone_does_not_hold_up_another(app: Flask) -> None:
    client = app.test_client()
    for _ in range(4):
        client.post("/join", json={"code": "0000"}, environ_base={"REMOTE_ADDR": "192.0.2.1"})
    assert client.post("/join", json={"code": CODE}, environ_base={"REMOTE_ADDR": "192.0.2.2"}).status_code == 200


@pytest.mark.parametrize("body", [None, [], {}, {"code": 2468}, {"code": "x" * 5000}, {"code": None}])
def test_a_join_that_is_none_is_refused(looker: FlaskClient, body: object) -> None:
    answer = looker.post("/join", data=json.dumps(body), content_type="application/json")
    assert answer.status_code in {400, 413}


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("localhost", True),
        ("localhost:8080", True),
        ("127.0.0.1:8080", True),
        ("[::1]:8080", True),
        ("192.0.2.7:8080", True),
        ("table.example", True),
        ("TABLE.example.", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("198.51.100.77", False),
        ("0.0.0.0", False),
        ("127.0.0.1.evil.example", False),
        ("", False),
        ("a b", False),
        ("localhost@evil.example", False),
    ],
)
def test_s5_a_foreign_host_is_refused_everywhere(looker: FlaskClient, host: str, is_ours: bool) -> None:
    for address in ("/", "/view", "/qr.svg", "/static/page.js", "/nowhere"):
        answer = looker.get(address, environ_overrides={"HTTP_HOST": host}, buffered=True)
        assert (answer.status_code == 403) is not is_ours, f"{address} called as {host!r}"


def test_s6_the_machines_name_and_its_number_are_ours(looker: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Table-Pi.lan")
    for host in ("table-pi", "table-pi.local:8080", "Table-Pi.lan", "127.0.0.1"):
        assert looker.get("/", headers={"Host": host}).status_code == 200, host
    assert looker.get("/", headers={"Host": "other.local"}).status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://localhost"}, 200),
        ({"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost:81"}, 403),
        ({"Origin": "https://localhost"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
    ],
)
def test_s5_a_foreign_origin_is_refused(
    toucher: FlaskClient, desk: RehearsedDesk, headers: dict[str, str], status: int
) -> None:
    assert do(toucher, {"kind": "undo"}, headers=headers).status_code == status
    assert len(desk.asked) == (1 if status == 200 else 0)


def test_s5_other_pages_cannot_read_but_a_link_opens_the_board(looker: FlaskClient) -> None:
    assert looker.get("/view", headers={"Origin": "http://evil.example"}).status_code == 403
    assert looker.get("/view", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}).status_code == 403
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert looker.get("/", headers=link).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_s5_only_json_changes_anything(toucher: FlaskClient, desk: RehearsedDesk, kind: str) -> None:
    body = json.dumps({"key": "a-fresh-key", "on_seq": 40, "wish": {"kind": "undo"}})
    assert toucher.post("/do", data=body, content_type=kind).status_code == 415
    assert desk.asked == []


@pytest.mark.parametrize("body", ["", "{", "[" * 3000, '{"key":"a-fresh-key","on_seq":NaN}', "\x00"])
def test_what_is_no_json_is_refused_in_a_sentence(toucher: FlaskClient, body: str) -> None:
    answer = toucher.post("/do", data=body, content_type="application/json")
    assert answer.status_code == 400
    assert json.loads(answer.data)["said"]


def test_too_long_a_body_is_refused(toucher: FlaskClient) -> None:
    assert toucher.post("/do", data="x" * 5000, content_type="application/json").status_code == 413
    assert toucher.post("/do", data="x" * 50_000, content_type="application/json").status_code == 413


@pytest.mark.parametrize("address", ["/", "/view", "/qr.svg", "/nowhere", "/picture.jpg", "/static/page.js"])
def test_every_answer_carries_the_security_headers(looker: FlaskClient, address: str) -> None:
    headers = looker.get(address, buffered=True).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "Access-Control-Allow-Origin" not in headers
    if not address.startswith("/static"):
        assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ({"kind": "undo"}, Undo()),
        ({"kind": "new-match"}, NewMatch()),
        ({"kind": "answer", "question_seq": 41, "key": "a"}, Answer(41, "a")),
        ({"kind": "sound", "level": "off"}, SetSound("off")),
    ],
)
def test_a_wish_reaches_the_desk(
    toucher: FlaskClient, desk: RehearsedDesk, wish: dict[str, Any], expected: object
) -> None:
    answer = do(toucher, wish)
    assert answer.status_code == 200
    assert json.loads(answer.data) == {"accepted": True, "code": "done", "seq": desk.view().seq, "said": "Done."}
    assert [request.wish for request in desk.asked] == [expected]
    assert desk.asked[0].on_seq == 40


def test_r1_any_square_is_corrected_in_three_taps(toucher: FlaskClient, desk: RehearsedDesk) -> None:
    sheet = toucher.get("/square", query_string={"cell": "4,5,0,board"}).get_data(as_text=True)
    assert "What stands on e6?" in sheet
    likely = sheet.index("medium red, lying, pointing east")
    assert likely < sheet.index("small red, lying, pointing south") < sheet.index("Something else")
    assert sheet.index("Empty") < sheet.index("Something else")
    assert sheet.count("data-group=") == 12
    assert sheet.count("data-wish=") == 3 + 1 + 60, "three likely, empty, and every piece"
    piece = {"kind": "medium", "colour": "red", "facing": 1}
    do(toucher, {"kind": "correct", "cell": "4,5,0,board", "piece": piece})
    do(toucher, {"kind": "correct", "cell": "4,5,0,board", "piece": None}, on_seq=41, key="another-key")
    wishes = [request.wish for request in desk.asked]
    assert all(isinstance(wish, Correct) for wish in wishes)
    assert [wish.piece.kind if wish.piece else None for wish in wishes if isinstance(wish, Correct)] == ["medium", None]


def test_r1_the_van_is_corrected_in_two_taps(toucher: FlaskClient, desk: RehearsedDesk) -> None:
    sheet = toucher.get("/square", query_string={"cell": "2,0,0,van"}).get_data(as_text=True)
    assert "What stands in front of yellow?" in sheet
    assert sheet.count("data-group=") == 1
    do(toucher, {"kind": "correct", "cell": "1,0,0,van", "piece": {"kind": "van", "colour": "", "facing": None}})
    assert [request.wish for request in desk.asked] == [Correct(Cell(1, 0, 0, "van"), Piece("van", Colour("")))]


@pytest.mark.parametrize(
    "cell", ["", "e6", "1,2,3", "a,b,c,board", "1,2,0,bo ard", "1,2,0,<b>", "9" * 5000 + ",1,0,board"]
)
def test_a_square_that_is_none_is_refused(toucher: FlaskClient, cell: str) -> None:
    assert toucher.get("/square", query_string={"cell": cell}).status_code == 400


def test_u5_a_wish_on_an_old_position_is_refused(toucher: FlaskClient, desk: RehearsedDesk) -> None:
    answer = do(toucher, {"kind": "undo"}, on_seq=39)
    assert (answer.status_code, json.loads(answer.data)["code"]) == (409, "stale")
    assert desk.asked == []


def test_u4_two_taps_act_once(toucher: FlaskClient, desk: RehearsedDesk) -> None:
    first, second = do(toucher, {"kind": "undo"}), do(toucher, {"kind": "undo"})
    assert (first.status_code, first.data) == (second.status_code, second.data)
    assert len(desk.asked) == 1


def test_u4_taps_in_parallel_act_once(desk: RehearsedDesk) -> None:
    once, begun, go = Once(), threading.Event(), threading.Event()
    calls: list[Request] = []

    def slow(request: Request) -> Receipt:
        calls.append(request)
        begun.set()
        assert go.wait(5)
        return desk.request(request)

    request = Request("phone:key", 40, Undo())
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(once.act, request, slow)
        assert begun.wait(5)
        others = [pool.submit(once.act, request, slow) for _ in range(3)]
        go.set()
        assert {future.result(5) for future in [first, *others]} == {first.result(5)}
    assert len(calls) == 1


def test_a_busy_desk_and_a_broken_one_are_not_remembered() -> None:
    once, request = Once(), Request("phone:key", 40, Undo())
    busy, done = Receipt(False, 40, "busy", Said("a", "b")), Receipt(True, 41, "done", Said("c", "d"))
    assert once.act(request, lambda _: busy) == busy

    def broken(_: Request) -> Receipt:
        raise RuntimeError("desk")

    with pytest.raises(RuntimeError, match="desk"):
        once.act(request, broken)
    assert once.act(request, lambda _: done) == done
    assert once.act(request, broken) == done


def test_two_phones_never_mean_the_same_by_a_key(app: Flask, toucher: FlaskClient, desk: RehearsedDesk) -> None:
    other = app.test_client()
    other.post("/join", json={"code": CODE})
    assert do(toucher, {"kind": "sound", "level": "off"}).status_code == 200
    assert do(other, {"kind": "sound", "level": "all"}).status_code == 200
    assert desk.view().sound == "all"


@pytest.mark.parametrize("level", ["off", "wrong", "some", "all"])
def test_a3_the_sound_is_set_in_one_tap(toucher: FlaskClient, desk: RehearsedDesk, level: str) -> None:
    do(toucher, {"kind": "sound", "level": level})
    assert desk.view().sound == level
    more = json.loads(toucher.get("/view").data)["parts"]["more"]
    assert f'"level": "{level}"}}\' aria-pressed="true"' in more


def test_cut_outs_and_picture_for_whoever_may(toucher: FlaskClient, desk: RehearsedDesk) -> None:
    desk.show(asking())
    shown = json.loads(toucher.get("/view").data)["parts"]["question"]
    assert shown.count("<img") == 2
    assert toucher.get("/cut/41/0.png").mimetype == "image/png"
    for address in ("/cut/40/0.png", "/cut/41/2.png", "/cut/41/9.png"):
        assert toucher.get(address).status_code == 404
    desk.jpeg = None
    assert toucher.get("/picture.jpg").status_code == 404


def _no_pieces() -> tuple[()]:
    return ()


@pytest.mark.parametrize(
    "body",
    [
        None,
        {},
        {"key": "short", "on_seq": 1, "wish": {"kind": "undo"}},
        {"key": "long enough", "on_seq": "1", "wish": {"kind": "undo"}},
        {"key": "long enough", "on_seq": True, "wish": {"kind": "undo"}},
        {"key": "long enough", "on_seq": -1, "wish": {"kind": "undo"}},
        {"key": "long enough", "on_seq": 1},
        {"key": "long enough", "on_seq": 1, "wish": {"kind": "cheat"}},
        {"key": "long enough", "on_seq": 1, "wish": {"kind": "sound", "level": "louder"}},
        {"key": "long enough", "on_seq": 1, "wish": {"kind": "sound", "level": ["off"]}},
        {"key": "long enough", "on_seq": 1, "wish": {"kind": "answer", "key": "a"}},
        {"key": "long enough", "on_seq": 1, "wish": {"kind": "correct", "cell": "e6", "piece": None}},
        {"key": "long enough", "on_seq": 1, "wish": {"kind": "correct", "cell": "1,1,0,board"}},
        {
            "key": "long enough",
            "on_seq": 1,
            "wish": {"kind": "correct", "cell": "1,1,0,board", "piece": {"kind": "king"}},
        },
        {
            "key": "long enough",
            "on_seq": 1,
            "wish": {
                "kind": "correct",
                "cell": "1,1,0,board",
                "piece": {"kind": "large", "colour": "red", "facing": None},
            },
        },
    ],
)
@pytest.mark.parametrize("pieces", [_no_pieces])
def test_what_is_no_wish_is_refused(body: object, pieces: Callable[[], tuple[()]]) -> None:
    with pytest.raises(BadRequest) as refusal:
        request_from(body, "phone", pieces)
    assert refusal.value.said.en
    assert refusal.value.said.pt


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"touch_code": "12"}, "touch_code"),
        ({"secret": b"short"}, "secret"),
        ({"language": "fr"}, "language"),
        ({"hold_s": 60.0}, "hold_s"),
        ({"holds": -1}, "holds"),
    ],
)
def test_settings_that_would_leave_the_page_open_are_refused(fields: dict[str, Any], fault: str) -> None:
    from webui import BadSettings

    good: dict[str, Any] = {"touch_code": CODE, "secret": b"a secret for tests"}
    with pytest.raises(BadSettings, match=fault):
        WebSettings(**(good | fields))


@pytest.mark.parametrize(
    ("text", "name"),
    [("Pi.local:80", "pi.local"), ("[fe80::1]:80", "fe80::1"), ("a:b", None), (":80", None), ("a:123456", None)],
)
def test_host_names(text: str, name: str | None) -> None:
    assert host_name(text) == name


def test_only_our_own_numbers_are_ours() -> None:
    assert is_own_address("127.0.0.1")
    assert not is_own_address("198.51.100.77")
    assert not is_own_address("224.0.0.1")
    assert not is_own_address("no number")
