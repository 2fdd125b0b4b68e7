"""The page "Score a city" in a real browser, at the size of a phone and of a laptop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from table.cities_desk import Cities
from table.journal import Journal
from tests.table.rehearsed_cities import WORKED, RehearsedEyes, read_of
from tests.webui.chrome import BINARY, Chrome
from tests.webui.rehearsed_desk import CODE, RehearsedDesk
from webui import Serving, WebSettings, create_app, serve
from webui.city_desk import Building, CityRequest, CorrectBeside, NameCity, ReadPicture

pytestmark = [pytest.mark.browser, pytest.mark.skipif(BINARY is None, reason="no Chromium here")]
PHONE, LAPTOP = (390, 844), (1280, 800)
LARGE = b"a large photograph" * 40_000


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with Chrome(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def eyes() -> RehearsedEyes:
    found = RehearsedEyes()
    found.shows = {
        LARGE: (read_of(asked=(0, 5), hidden=(3,), beside=(1, 0), beside_asked=True),),
        b"second": (read_of([None, *WORKED[1:]]),),
        b"third": (read_of(WORKED[::-1]),),
        b"fourth": (read_of([*WORKED[:8], *[None] * 8]),),
    }
    return found


@pytest.fixture
def cities(tmp_path: Path, eyes: RehearsedEyes) -> Iterator[Cities]:
    journal = Journal(tmp_path / "journal.sqlite")
    yield Cities(journal, eyes)
    journal.close()


@pytest.fixture
def serving(cities: Cities) -> Iterator[Serving]:
    app = create_app(RehearsedDesk(), WebSettings(CODE, b"a secret for tests"), cities=cities)
    with serve(app, "127.0.0.1", 0) as running:
        yield running


def shown(page: Chrome, serving: Serving, size: tuple[int, int], dark: bool = False, path: str = "/city") -> None:
    page.size(*size, dark)
    page.call("Page.navigate", url=f"http://127.0.0.1:{serving.port}{path}")
    page.until("document.readyState === 'complete' && !!document.querySelector('#part-city main')")


@pytest.fixture
def page(chrome: Chrome, serving: Serving) -> Iterator[Chrome]:
    """A phone whose person has typed the code."""
    chrome.call("Network.clearBrowserCookies")
    chrome.faults.clear()
    shown(chrome, serving, PHONE)
    chrome.tap("nav [data-open=join]")
    chrome.run(f"document.querySelector('#join input').value = '{CODE}'")
    chrome.tap("#join .big")
    chrome.until("document.querySelector('[data-take]') && !document.querySelector('dialog[open]')")
    yield chrome
    assert chrome.faults == []
    chrome.call("Page.navigate", url="about:blank")


def choose(page: Chrome, path: Path, data: bytes) -> None:
    """What the phone does when a person has chosen a picture."""
    path.write_bytes(data)
    document = page.call("DOM.getDocument")["root"]["nodeId"]
    node = page.call("DOM.querySelector", nodeId=document, selector="#choose")["nodeId"]
    page.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])


def fill(cities: Cities, *pictures: bytes) -> None:
    for data in pictures:
        assert cities.request(CityRequest(f"key-{data[:9]!r}", 0, ReadPicture(data, ""))).accepted


def followed(page: Chrome) -> None:
    """Until the page shows a city; it asks at once when the network comes back, so that no test waits for its beat."""
    page.run("dispatchEvent(new Event('online')); 0")
    page.until("document.querySelector('.one-city')")


TOTAL = "document.querySelector('.one-city:not([hidden]) .city-total b').textContent"


def test_from_a_picture_to_a_settled_score(page: Chrome, cities: Cities, tmp_path: Path) -> None:
    choose(page, tmp_path / "photo.jpg", LARGE)
    page.until("document.querySelector('.one-city')")
    page.until("document.querySelector('#busy').hidden")
    assert page.run(TOTAL) == "55"
    assert page.run("document.querySelectorAll('svg.city g.asked').length") == 3
    page.until("[...document.querySelectorAll('.cut img')].length === 3")
    page.tap(".doubt-slot .choice")
    page.until("document.querySelectorAll('svg.city g.asked').length === 2")
    page.tap("g[data-slot='5']")
    page.until("document.querySelector('#sheet-slot[open]')")
    page.tap("#sheet-slot .likely button:nth-of-type(2)")
    page.until("document.querySelectorAll('svg.city g.asked').length === 1")
    page.until("!document.querySelector('dialog[open]')")
    assert cities.view().cities[0].slots[5].building == Building("T3", 3, 0, 0), "two taps where it is likely"


@pytest.mark.parametrize(("face", "count", "wanted"), [
    ("F3", 1, Building("F3", 1, 1, 0)), ("T1m", 3, Building("T1m", 4, 0, 0)), ("P", 5, Building("P", 1, 0, 1)),
])  # fmt: skip
def test_r1_any_slot_is_corrected_in_three_taps(
    page: Chrome, cities: Cities, face: str, count: int, wanted: Building
) -> None:
    fill(cities, b"second")
    followed(page)
    page.tap("g[data-slot='0']")
    page.until("document.querySelector('#sheet-slot[open]')")
    page.tap(f"[data-face={face}]")
    row = 2 if face[0] == "T" or count == 5 else 1
    column = count + 1 if row == 1 else {"T": count + 1, "P": 1}[face[0]]
    page.tap(f"[data-counts={face}] .count-row:nth-of-type({row}) button:nth-of-type({column})")
    page.until("!document.querySelector('dialog[open]')")
    assert cities.view().cities[0].slots[0].building == wanted


def test_bad_pictures_are_told_until_put_away_and_large_ones_are_not_even_sent(
    page: Chrome, eyes: RehearsedEyes, tmp_path: Path
) -> None:
    choose(page, tmp_path / "photo.jpg", b"a text")
    page.until("document.querySelector('#said p').textContent.includes('wanted a picture')")
    page.until("document.querySelector('#busy').hidden")
    page.faults.clear()  # the browser notes the 422
    page.tap("[data-hush]")
    page.until("document.querySelector('#said').hidden")
    page.run("document.body.dataset.most = '5'")
    choose(page, tmp_path / "film.jpg", b"a film")
    page.until("document.querySelector('#said p').textContent.includes('Send one photograph')")
    assert len(eyes.asked) == 1


def test_a_tap_on_an_old_page_is_refused_and_the_page_shows_what_is_true(page: Chrome, cities: Cities) -> None:
    fill(cities, LARGE)
    followed(page)
    page.run("window.now = fetch; window.fetch = (a, o) => a.startsWith('/city/view')"
             " ? Promise.reject(new Error('held')) : now(a, o); 0")
    assert cities.request(CityRequest("another-phone", 1, CorrectBeside(1, 2, 0))).accepted
    page.tap(".doubt-slot .choice")
    page.until("document.querySelector('#toast').textContent.includes('meanwhile')")
    assert cities.view().seq == 2
    page.run("window.fetch = window.now; dispatchEvent(new Event('online')); 0")
    page.until(f"{TOTAL} === '54'")
    page.faults.clear()  # the browser notes the 409


def test_two_taps_on_a_slow_link_act_once(page: Chrome, cities: Cities) -> None:
    fill(cities, b"second")
    followed(page)
    slow = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
    page.call("Network.emulateNetworkConditions", latency=300, **slow)
    page.tap(".best .row")
    page.tap(".best .row")
    page.until("document.querySelector('.best .fine')")
    page.call("Network.emulateNetworkConditions", latency=0, **slow)
    assert cities.view().seq == 2


@pytest.mark.parametrize(
    ("size", "language"), [(PHONE, "en"), (LAPTOP, "pt"), ((320, 568), "pt")], ids=["phone", "laptop", "small phone"]
)
def test_four_cities_fit_the_screen(
    page: Chrome, serving: Serving, cities: Cities, size: tuple[int, int], language: str, tmp_path: Path
) -> None:
    fill(cities, LARGE, b"second", b"third", b"fourth")
    for n, name in enumerate(("Ana Lúcia", "Maximiliano Albuquerque", "", "Zé"), start=1):
        cities.request(CityRequest(f"name-{n}-of-it", 9, NameCity(n, name)))
    shown(page, serving, size, size == LAPTOP, f"/?lang={language}&page=city")
    page.until("document.querySelectorAll('[data-show]').length === 4")
    assert page.run("document.documentElement.scrollWidth <= innerWidth"), "nothing may stick out at the side"
    page.shot(tmp_path / "cities.png")
    picture = page.run("(r => [r.left, r.right, r.width])(document.querySelector('.one-city:not([hidden]) svg.city')"
                       ".getBoundingClientRect())")
    assert picture[0] >= 0
    assert picture[1] <= size[0]
    assert picture[2] > 0.9 * min(size[0], 480)
    small = page.run(
        "[...document.querySelectorAll('button, a')].map((e) => [e.getBoundingClientRect(), e.outerHTML])"
        ".filter(([r, h]) => r.width > 0 && Math.min(r.width, r.height) < 40).map(([r, h]) => h.slice(0, 80))"
    )
    assert small == []
    page.tap("[data-show]:nth-of-type(2)")
    page.tap(".one-city:not([hidden]) .why summary")
    page.tap(".one-city:not([hidden]) .score-line")
    assert page.run("document.querySelectorAll('.one-city:not([hidden]) svg.city .lit').length") >= 1
    page.tap(".one-city:not([hidden]) g[data-slot='1']")
    page.until("document.querySelector('#sheet-slot[open]')")
    assert page.run("(s => s.scrollWidth <= s.clientWidth)(document.querySelector('#sheet-slot'))")
