"""What every phone may see, without the code."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

import webui
from rules.words import Colour, Said
from tests.webui.rehearsed_desk import SCENES, RehearsedDesk, amiss, asking, lost, midgame, over, two_players
from webui import WebSettings, create_app
from webui.desk import Tone
from webui.phrases import PHRASES
from webui.play import PARTS


def view_of(client: FlaskClient, address: str = "/view") -> dict[str, object]:
    answer = client.get(address)
    assert answer.status_code == 200
    found: dict[str, object] = json.loads(answer.data)
    return found


def part(client: FlaskClient, name: str) -> str:
    parts = view_of(client)["parts"]
    assert isinstance(parts, dict)
    return str(parts[name])


def test_the_page_shows_the_board_without_its_script(looker: FlaskClient) -> None:
    page = looker.get("/").get_data(as_text=True)
    assert "Red to play" in page
    assert page.count('class="touch"') == 64
    assert page.count('class="touch beside"') == 4
    assert 'data-may="0"' in page


def test_the_page_has_no_inline_script_or_style_and_nothing_from_elsewhere(
    looker: FlaskClient, desk: RehearsedDesk
) -> None:
    for scene in SCENES.values():
        desk.show(scene())
        page = looker.get("/").get_data(as_text=True)
        assert not re.search(r"<script(?![^>]*\bsrc=)", page)
        assert not re.search(r"\s(style|on\w+)=", page)
        addresses = re.findall(r'(?:src|href)="([^"]*)"', page)
        assert [a for a in addresses if not a.startswith(("/", "#"))] == []
    css = (Path(webui.__file__).parent / "static" / "page.css").read_text()
    assert "url(" not in css
    assert "@import" not in css


def test_view_answers_at_once_when_there_is_something_newer(looker: FlaskClient, desk: RehearsedDesk) -> None:
    first = view_of(looker)
    assert set(first["parts"]) == set(PARTS)  # type: ignore[call-overload]
    assert looker.get("/view", query_string={"since": str(first["token"])}).status_code == 204
    desk.show(amiss())
    second = json.loads(looker.get("/view", query_string={"since": str(first["token"])}).data)
    assert second["seq"] == 41
    assert second["amiss"] is True


@pytest.mark.parametrize(
    "token", ["", "nonsense", "abc.1.new.0-en-0", "...", "abcdef.99999999999999999999.new.0-en-0", "²"]
)
def test_a_token_of_another_run_or_of_nobody_is_answered_at_once(looker: FlaskClient, token: str) -> None:
    assert looker.get("/view", query_string={"since": token}).status_code == 200


def test_the_view_is_packed_for_whoever_can_unpack(looker: FlaskClient) -> None:
    plain, packed = looker.get("/view"), looker.get("/view", headers={"Accept-Encoding": "gzip, br"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < 12_000, "twenty phones must get it over a Pi's wireless within a moment"


def test_without_a_free_hold_a_phone_is_told_to_ask_again_soon(
    desk: RehearsedDesk, settings: webui.WebSettings
) -> None:
    client = webui.create_app(desk, replace(settings, holds=0)).test_client()
    token = view_of(client)["token"]
    answer = client.get("/view", query_string={"since": str(token)})
    assert (answer.status_code, answer.headers["X-Again-Ms"]) == (204, "250")


def test_one_rendering_serves_all_phones_alike(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    pages = app.extensions["overboard"].pages
    render = type(pages)._render

    def counted(self: object, *rest: object) -> object:
        calls.append("render")
        return render(self, *rest)

    monkeypatch.setattr(type(pages), "_render", counted)
    for _ in range(20):
        view_of(app.test_client())
    assert calls == ["render"]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("pt-BR,pt;q=0.9,en;q=0.8", "Vez do Vermelho"),
        ("en-GB,en;q=0.9", "Red to play"),
        ("pt-PT", "Vez do Vermelho"),
        ("de-DE,de;q=0.9,pt;q=0.5,en;q=0.1", "Vez do Vermelho"),
        ("ja", "Red to play"),
        ("", "Red to play"),
    ],
)
def test_the_language_is_the_browsers(looker: FlaskClient, header: str, expected: str) -> None:
    assert expected in looker.get("/", headers={"Accept-Language": header}).get_data(as_text=True)


def test_the_language_is_switched_in_one_tap_and_kept(looker: FlaskClient) -> None:
    page = looker.get("/").get_data(as_text=True)
    assert 'href="/?lang=pt"' in page
    answer = looker.get("/?lang=pt")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert "Max-Age=31536000" in answer.headers["Set-Cookie"]
    english = {"Accept-Language": "en"}
    assert "Vez do Vermelho" in looker.get("/", headers=english).get_data(as_text=True)
    assert 'href="/?lang=en"' in looker.get("/", headers=english).get_data(as_text=True)


def test_c5_the_side_is_changed_in_one_tap_and_kept(looker: FlaskClient, desk: RehearsedDesk) -> None:
    assert 'href="/?side=1"' in part(looker, "seats")
    looker.get("/?side=1")
    assert 'data-side="1"' in part(looker, "board")
    looker.get("/?side=7")
    assert 'data-side="1"' in part(looker, "board")
    assert desk.asked == [], "turning a phone's board asks nothing of the table"


def test_an_alert_says_what_is_wrong_and_what_to_put_where(looker: FlaskClient, desk: RehearsedDesk) -> None:
    desk.show(amiss())
    alert = part(looker, "alert")
    assert "It is red&#39;s turn, and blue dropped e7." in alert
    assert "Not allowed" in alert
    assert 'role="alert"' in alert
    for sentence in (
        "Move the small green from f3 back to f2",
        "Stand the large blue on e7 up",
        "Take the medium yellow off h6",
    ):
        assert sentence in alert
    assert str(view_of(looker)["title"]).startswith("\N{WARNING SIGN}")


def test_without_an_alert_there_is_none(looker: FlaskClient) -> None:
    assert part(looker, "alert") == ""
    assert part(looker, "question") == ""


def test_o6_a_lost_camera_is_said_as_loudly(looker: FlaskClient, desk: RehearsedDesk) -> None:
    desk.show(lost())
    assert "Camera lost" in part(looker, "alert")
    assert "look whether the camera&#39;s cable is in" in part(looker, "alert")


def test_an_old_picture_is_told_though_nothing_else_changed(looker: FlaskClient, desk: RehearsedDesk) -> None:
    view = midgame()
    desk.show(view)
    token = view_of(looker)["token"]
    revision = desk.view().revision
    desk._view = replace(desk.view(), health=replace(view.health, frame_age_ms=7400.0))
    answer = looker.get("/view", query_string={"since": str(token)})
    assert answer.status_code == 200
    assert "No new picture for some seconds" in json.loads(answer.data)["parts"]["turn"]
    assert desk.view().revision == revision
    assert looker.get("/view", query_string={"since": json.loads(answer.data)["token"]}).status_code == 204


def test_a_table_to_be_looked_at_is_no_accusation(looker: FlaskClient, desk: RehearsedDesk) -> None:
    view = amiss()
    assert view.alert is not None
    desk.show(replace(view, alert=replace(view.alert, tone=Tone.ASK)))
    assert "Look at the table" in part(looker, "alert")
    assert "Not allowed" not in part(looker, "alert")
    desk.show(replace(view, alert=None))
    assert "Look at the table" in part(looker, "alert")
    assert "Take the medium yellow off h6" in part(looker, "alert")


@pytest.mark.parametrize(
    "state",
    [
        "waiting",
        "hand",
        "settling",
        "reading",
        "question",
        "put-right",
        "camera-lost",
        "board-lost",
        "setting-up",
        "over",
    ],
)
def test_every_state_of_health_has_its_words(looker: FlaskClient, desk: RehearsedDesk, state: str) -> None:
    view = midgame()
    desk.show(replace(view, health=replace(view.health, state=state)))
    assert PHRASES[f"health.{state}"].en in part(looker, "turn")


def test_a_question_is_shown_without_its_pictures_to_whoever_only_looks(
    looker: FlaskClient, desk: RehearsedDesk
) -> None:
    desk.show(asking())
    shown = part(looker, "question")
    assert "What did red drop on e6?" in shown
    assert "62 %" in shown
    assert "<img" not in shown
    assert "<button" not in shown


def test_p4_the_final_score_opens_into_the_cells_counted(looker: FlaskClient, desk: RehearsedDesk) -> None:
    desk.show(over())
    score = part(looker, "score")
    assert "Final score" in score
    assert "Chain of 4" in score
    assert "d2 d3 d4 d5" in score
    assert re.search(r'data-light="0".*?<b>8</b>', score, re.S)
    assert "Red wins" in part(looker, "turn")


def test_two_players_with_two_sides_each_are_told_as_persons(looker: FlaskClient, desk: RehearsedDesk) -> None:
    desk.show(two_players())
    seats = part(looker, "seats")
    assert re.search(r"Player 1.*14 points.*Player 2.*7 points", seats, re.S)
    assert "share the win" in part(looker, "turn")


def test_the_newest_news_stands_on_top(looker: FlaskClient) -> None:
    story = part(looker, "story")
    assert story.index("Green dropped d4") < story.index("Yellow passed") < story.index("Green dropped e2")


def test_names_from_the_table_are_never_markup(looker: FlaskClient, desk: RehearsedDesk) -> None:
    view = midgame()
    evil = "<script>alert(1)</script>"
    seats = (replace(view.seats[0], colour=Colour(evil)), *view.seats[1:])
    health = replace(view.health, said=Said(evil, evil))
    desk.show(replace(view, seats=seats, health=health))
    assert "<script>alert" not in looker.get("/").get_data(as_text=True)


def test_s6_the_address_is_a_picture_code(looker: FlaskClient) -> None:
    answer = looker.get("/qr.svg")
    assert answer.mimetype == "image/svg+xml"
    assert answer.data.startswith(b"<svg")
    assert "http://192.0.2.7:8080" in looker.get("/").get_data(as_text=True)


def test_k5_begun_before_the_network_the_picture_code_shows_the_address_that_works(
    desk: RehearsedDesk, settings: WebSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Field report K5: at boot the program knows only its own loopback, which no phone can open."""
    coded: list[str] = []
    monkeypatch.setattr("webui.api.qr_svg", lambda text: coded.append(text) or "<svg/>")
    phone = create_app(desk, replace(settings, addresses=("http://127.0.0.1:8080",))).test_client()
    assert phone.get("/qr.svg", headers={"Host": "table.example:8080"}).status_code == 200
    assert coded == ["http://table.example:8080"]


def test_pages_that_are_not_there_say_so_in_the_phones_language(looker: FlaskClient) -> None:
    answer = looker.get("/nowhere", headers={"Accept": "text/html", "Accept-Language": "pt"})
    assert answer.status_code == 404
    assert "Não há nada neste endereço" in answer.get_data(as_text=True)
    assert looker.get("/do").status_code == 405


def test_a_fault_of_ours_is_told_and_logged(
    looker: FlaskClient, desk: RehearsedDesk, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError("the desk fell over")

    monkeypatch.setattr(desk, "view", broken)
    answer = looker.get("/view")
    assert answer.status_code == 500
    assert "The game is safe" in json.loads(answer.data)["said"]
    assert "the desk fell over" not in answer.get_data(as_text=True)
    assert "the desk fell over" in caplog.text
