"""Following a city on the page: who may ask for it, and what is said in both languages at each verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from rules.words import Said
from table.cities import CityFact
from table.cities_desk import Cities
from table.city_history import BuildAsked, BuildPutRight, BuildRefused, TileBuilt
from table.journal import Journal
from tests.table.rehearsed_cities import RehearsedEyes
from tests.webui.chrome import BINARY, Chrome
from tests.webui.rehearsed_desk import CODE, RehearsedDesk
from tests.webui.test_city_browser import PHONE, chrome, shown
from webui import WebSettings, create_app, serve
from webui.city_desk import AddByHand, Building, CityRequest, FollowCity, NameCity, Offer

KEYS = count()
BUILT = TileBuilt(1, 6, "T2", (2, 3))
ASKED = BuildAsked(1, 7, (Offer(Building("V1"), 0.55), Offer(Building("V2"), 0.4), Offer(None, 0.0)))
__all__ = ["chrome"]


@pytest.fixture
def cities(tmp_path: Path) -> Iterator[Cities]:
    """One city, entered by hand, at a table with a camera."""
    journal = Journal(tmp_path / "journal.sqlite")
    made = Cities(journal, RehearsedEyes(), lambda: np.zeros((40, 60, 3), np.uint8))
    assert made.request(CityRequest("key-by-hand", 0, AddByHand())).accepted
    yield made
    journal.close()


@pytest.fixture
def app(desk: RehearsedDesk, settings: WebSettings, cities: Cities) -> Flask:
    return create_app(desk, settings, cities=cities)


def do(client: FlaskClient, cities: Cities, kind: str) -> int:
    body = {"key": f"tap-{next(KEYS):05}", "on_seq": cities.view().seq, "wish": {"kind": kind, "city": 1}}
    return client.post("/city/do", json=body).status_code


def page(client: FlaskClient, language: str = "en") -> str:
    return client.get("/city", headers={"Accept-Language": language}).get_data(as_text=True)


def tell(cities: Cities, facts: Sequence[CityFact]) -> None:
    """As the watch does."""
    if cities.followed() is None:
        assert cities.request(CityRequest(f"key-{next(KEYS):06}", cities.view().seq, FollowCity(1))).accepted
    sheet = cities.followed()
    assert sheet is not None
    assert cities.followed_told(sheet, facts)


def test_following_begins_and_ends_by_who_knows_the_code(
    cities: Cities, toucher: FlaskClient, looker: FlaskClient
) -> None:
    assert "Follow this city" in page(toucher)
    assert "Follow this city" not in page(looker)
    assert do(looker, cities, "follow") == 403
    assert do(toucher, cities, "follow") == 200
    assert do(toucher, cities, "follow") == 422
    for client in (toucher, looker):
        assert "The camera follows this city" in page(client)
    assert "Stop following" in page(toucher)
    assert "Stop following" not in page(looker)
    assert do(looker, cities, "unfollow") == 403
    assert do(toucher, cities, "unfollow") == 200
    assert "The camera follows this city" not in page(toucher)


def test_without_a_camera_there_is_no_such_button(desk: RehearsedDesk, settings: WebSettings, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "other.sqlite")
    cities = Cities(journal, RehearsedEyes())
    cities.request(CityRequest("key-by-hand", 0, AddByHand()))
    client = create_app(desk, settings, cities=cities).test_client()
    client.post("/join", json={"code": CODE})
    assert "Follow this city" not in page(client)
    journal.close()


@pytest.mark.parametrize(
    ("fact", "english", "portuguese"),
    [
        (BUILT, ["Built: Tower, gives 2 inhabitants", "Row 2, column 3. Architect 2 or 3."],
         ["Construída: Prédio, dá 2 habitantes", "Linha 2, coluna 3. Arquiteto 2 ou 3."]),
        (BuildRefused(1, ("only-towers-stack",), (6,)), ["This is not allowed", "choose an empty slot instead of 2,3"],
         ["Isto não pode", "escolha um espaço vazio em vez de 2,3"]),
        (BuildRefused(1, ("resources-too-many",), (16,), 2, 0), ["2 inhabitants are too many"],
         ["há 2 habitantes a mais"]),
        (BuildPutRight(1), ["All is right again"], ["Tudo certo de novo"]),
        (ASKED, ["What stands there?", "Row 2, column 4.", "Not sure: 1 to look at"], ["O que há ali?"]),
    ],
    ids=["built", "refused", "too many", "put right", "asked"],
)  # fmt: skip
def test_each_verdict_is_told_in_both_languages(
    cities: Cities, toucher: FlaskClient, fact: CityFact, english: list[str], portuguese: list[str]
) -> None:
    tell(cities, [fact])
    for language, words in (("en", english), ("pt", portuguese)):
        text = page(toucher, language)
        assert [word for word in words if word not in text] == []


def test_why_nothing_is_seen_is_told_and_is_news_for_the_phones(cities: Cities, looker: FlaskClient) -> None:
    tell(cities, [BUILT])
    before = page(looker)
    cities.troubled(Said("No mat in sight: show it whole.", "Nenhum tabuleiro: mostre-o inteiro."))
    after = page(looker)
    assert "No mat in sight" in after
    token = [text.split('data-token="')[1].split('"')[0] for text in (before, after)]
    assert token[0] != token[1]


@pytest.mark.browser
@pytest.mark.skipif(BINARY is None, reason="no Chromium here")
@pytest.mark.parametrize("language", ["en", "pt"])
def test_the_verdict_is_seen_at_once_on_a_phone(chrome: Chrome, cities: Cities, tmp_path: Path, language: str) -> None:
    cities.request(CityRequest("name-of-one", 9, NameCity(1, "Ana Lúcia")))
    steps: list[list[CityFact]] = [
        [], [TileBuilt(1, 0, "P", (1,)), TileBuilt(1, 5, "H1i1e", (2,)), BUILT],
        [BuildRefused(1, ("slot-taken",), (5,))], [BuildPutRight(1)], [ASKED],
    ]
    app = create_app(RehearsedDesk(), WebSettings(CODE, b"a secret for tests"), cities=cities)
    with serve(app, "127.0.0.1", 0) as serving:
        for n, facts in enumerate(steps):
            tell(cities, facts)
            shown(chrome, serving, PHONE, path=f"/?lang={language}&page=city")
            chrome.shot(tmp_path / f"{n}.png")
            box = chrome.run("(r => [r.top, r.bottom, r.right])"
                             "(document.querySelector('.follow').getBoundingClientRect())")
            assert 0 < box[0] < box[1] < 420, "above the fold, over the city"
            assert box[2] <= PHONE[0]
            assert chrome.run("document.documentElement.scrollWidth <= innerWidth")
        assert chrome.run("document.querySelectorAll('svg.city g.asked').length") == 1
    chrome.call("Page.navigate", url="about:blank")
