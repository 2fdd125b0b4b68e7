"""The page in a real browser, at the size of a phone and of a laptop. U1, U4, U5, A3 and R1 as a person meets them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.webui.chrome import BINARY, Chrome
from tests.webui.rehearsed_desk import CODE, SCENES, RehearsedDesk, amiss, asking, at, midgame, over, piece
from webui import Serving, WebSettings, create_app, serve
from webui.desk import Answer, Correct, SetSound, Undo

pytestmark = [pytest.mark.browser, pytest.mark.skipif(BINARY is None, reason="no Chromium here")]
PHONE, LAPTOP = (390, 844), (1280, 800)
ALARM = "document.querySelector('.alarm')"


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with Chrome(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def serving(desk: RehearsedDesk) -> Iterator[Serving]:
    with serve(create_app(desk, WebSettings(CODE, b"a secret for tests")), "127.0.0.1", 0) as running:
        yield running


@pytest.fixture
def page(chrome: Chrome, serving: Serving) -> Iterator[Chrome]:
    """A phone that looks."""
    chrome.call("Network.clearBrowserCookies")
    chrome.faults.clear()
    chrome.size(*PHONE)
    chrome.open(f"http://127.0.0.1:{serving.port}/")
    yield chrome
    assert chrome.faults == []
    chrome.call("Page.navigate", url="about:blank")


@pytest.fixture
def joined(page: Chrome) -> Chrome:
    """A phone whose person has typed the code."""
    page.tap("nav [data-open=join]")
    page.run(f"document.querySelector('#join input').value = '{CODE}'")
    page.tap("#join .big")
    page.until("document.querySelector('[data-mute]')")
    page.until("!document.querySelector('dialog[open]')")
    return page


def fits(page: Chrome) -> None:
    assert page.run("document.documentElement.scrollWidth <= innerWidth"), "nothing may stick out at the side"


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("size", [PHONE, LAPTOP, (320, 568)], ids=["phone", "laptop", "small phone"])
def test_every_scene_fits_the_screen(
    page: Chrome, desk: RehearsedDesk, scene: str, size: tuple[int, int], tmp_path: Path
) -> None:
    page.size(*size, dark=size == LAPTOP)
    desk.show(SCENES[scene]())
    page.until(f"document.body.dataset.seq === '{desk.view().seq}'")
    fits(page)
    page.shot(tmp_path / f"{scene}.png")
    board = page.run("(r => [r.width, r.height])(document.querySelector('svg.board').getBoundingClientRect())")
    assert min(board) > 0.9 * min(size[0], 560), "the board is as big as the screen allows"


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_an_alert_is_on_the_screen_within_300_ms_and_cannot_be_missed(
    page: Chrome, desk: RehearsedDesk, size: tuple[int, int]
) -> None:
    page.size(*size)
    page.run("scrollTo(0, 0)")
    desk.show(amiss())
    took_s = page.until(ALARM)
    assert took_s < 0.3
    box = page.run(f"(r => [r.top, r.bottom, r.width, r.height])({ALARM}.getBoundingClientRect())")
    assert box[0] >= 0
    assert box[1] < size[1], "whole on the first screen"
    assert box[2] > 0.9 * min(size[0], 500)
    assert "Not allowed" in page.run(f"{ALARM}.innerText")
    assert page.run("document.title").startswith("\N{WARNING SIGN}")
    assert page.run("document.querySelectorAll('svg.board .step').length") == 3
    desk.show(midgame())
    page.until(f"!{ALARM}", 1.0)


def test_u1_a_silent_line_is_said_within_5_s_and_healed_within_2_s_of_waking(page: Chrome, desk: RehearsedDesk) -> None:
    page.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
    desk.show(amiss())
    assert page.until("!document.querySelector('#line').hidden", 10.0) < 5.0
    assert "may be an old position" in page.run("document.querySelector('#line').textContent")
    assert page.run("document.body.classList.contains('silent')")
    page.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    page.run("document.dispatchEvent(new Event('visibilitychange'))")
    assert page.until(ALARM, 10.0) < 2.0
    page.until("document.querySelector('#line').hidden", 1.0)
    page.faults.clear()  # the browser notes each failed question as an error


def test_a_restarted_table_is_followed_again(page: Chrome, desk: RehearsedDesk, serving: Serving) -> None:
    serving.stop()
    page.until("!document.querySelector('#line').hidden", 10.0)
    other = RehearsedDesk(amiss())
    with serve(create_app(other, WebSettings(CODE, b"a secret for tests")), "127.0.0.1", serving.port):
        page.until(ALARM, 5.0)
    page.faults.clear()


def test_who_only_looks_is_told_what_stands_there_and_changes_nothing(page: Chrome, desk: RehearsedDesk) -> None:
    page.tap('.touch[data-cell="0,0,0,board"]')
    page.until("!document.querySelector('#toast').hidden")
    assert page.run("document.querySelector('#toast').textContent") == "a1: large red, standing"
    assert page.run("document.querySelectorAll('[data-wish]').length") == 1, "only the one behind the closed sheet"
    assert desk.asked == []


def test_a_wrong_code_is_said_in_the_sheet(page: Chrome) -> None:
    page.tap("nav [data-open=join]")
    page.run("document.querySelector('#join input').value = '0000'")
    page.tap("#join .big")
    page.until("document.querySelector('.join-said').textContent.includes('That is not the code')")
    page.faults.clear()  # the browser notes the 403


def test_undo_in_one_tap(joined: Chrome, desk: RehearsedDesk) -> None:
    joined.tap("nav [data-wish]")
    joined.until("document.body.dataset.seq === '41'")
    assert [request.wish for request in desk.asked] == [Undo()]


def test_u4_two_taps_on_a_slow_link_act_once(joined: Chrome, desk: RehearsedDesk) -> None:
    joined.call(
        "Network.emulateNetworkConditions", offline=False, latency=400, downloadThroughput=-1, uploadThroughput=-1
    )
    joined.tap("nav [data-wish]")
    joined.tap("nav [data-wish]")
    joined.until("document.body.dataset.seq === '41'")
    joined.call(
        "Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1
    )
    assert len(desk.asked) == 1


def test_u5_a_tap_on_an_old_page_is_refused_and_the_page_refreshes(joined: Chrome, desk: RehearsedDesk) -> None:
    held = "new Promise((_, no) => o.signal.addEventListener('abort', () => no(new Error('held'))))"
    joined.run(f"window.now = fetch; window.fetch = (a, o) => a.startsWith('/view') ? {held} : now(a, o); 0")
    desk.show(replace(midgame(), seq=77))
    joined.until("document.body.dataset.seq === '77'")  # the last question that still went through
    desk.show(replace(midgame(), seq=78))
    joined.tap("nav [data-wish]")
    joined.until("document.querySelector('#toast').textContent.includes('moved on')")
    assert desk.asked == []
    joined.run("window.fetch = now; 0")
    joined.until("document.body.dataset.seq === '78'", 5.0)
    joined.faults.clear()  # the browser notes the 409


def test_r1_a_square_is_corrected_in_two_taps_when_likely(joined: Chrome, desk: RehearsedDesk) -> None:
    joined.tap('.touch[data-cell="4,5,0,board"]')
    joined.until("document.querySelector('#sheet-square[open]')")
    joined.tap("#sheet-square .offers [data-wish]")
    joined.until("document.body.dataset.seq === '41'")
    joined.until("!document.querySelector('dialog[open]')")
    assert [request.wish for request in desk.asked] == [Correct(at("e6"), piece("red medium 1"))]


def test_r1_and_in_three_whatever_it_is(joined: Chrome, desk: RehearsedDesk) -> None:
    joined.tap('.touch[data-cell="7,0,0,board"]')
    joined.until("document.querySelector('#sheet-square[open]')")
    joined.tap('#sheet-square [data-group="7"]')
    joined.tap('#sheet-square [data-postures="7"] [data-wish]:nth-of-type(3)')
    joined.until("document.body.dataset.seq === '41'")
    assert [request.wish for request in desk.asked] == [Correct(at("h1"), piece("yellow medium 1"))]
    fits(joined)


def test_a_question_is_answered_in_one_tap(joined: Chrome, desk: RehearsedDesk) -> None:
    desk.show(asking())
    joined.until("document.querySelectorAll('button.choice').length === 3")
    joined.until("[...document.querySelectorAll('.choice img')].every((i) => i.complete && i.naturalWidth > 0)")
    joined.tap("button.choice:nth-of-type(2)")
    joined.until("!document.querySelector('.question')")
    assert [request.wish for request in desk.asked] == [Answer(41, "b")]


def test_a3_silence_in_one_tap_and_back(joined: Chrome, desk: RehearsedDesk) -> None:
    desk.show(replace(midgame(), sound="wrong"))
    joined.until("document.querySelector('[data-mute=wrong]')")
    joined.tap("[data-mute]")
    joined.until("document.querySelector('[data-mute=off]')")
    joined.until("!document.querySelector('[data-mute]').dataset.sent")
    joined.tap("[data-mute]")
    joined.until("document.querySelector('[data-mute=wrong]')")
    assert [request.wish for request in desk.asked] == [SetSound("off"), SetSound("wrong")]


def test_language_and_side_in_one_tap_each(page: Chrome) -> None:
    page.tap("#turn-board")
    page.until("document.querySelector('svg.board').dataset.side === '1'")
    page.tap("#turn-board")
    page.until("document.querySelector('svg.board').dataset.side === '2'")
    page.tap("header .chip:last-child")
    page.until("document.querySelector('.who') && document.querySelector('.who').textContent === 'Vez do Vermelho'")
    assert page.run("document.querySelector('svg.board').dataset.side") == "2"
    assert page.run("document.documentElement.lang") == "pt-BR"
    fits(page)


def test_p4_a_tapped_score_line_lights_its_chain(page: Chrome, desk: RehearsedDesk) -> None:
    desk.show(over())
    page.until("document.querySelector('.board.final')")
    visible = "[...document.querySelectorAll('.chain')].filter((c) => getComputedStyle(c).display !== 'none').length"
    assert page.run(visible) == 10, "a zone and a tag for each chain"
    page.tap('[data-light="0"]')
    assert page.run(visible) == 2
    desk.show(replace(over(), can_undo=True))
    page.until("!document.querySelector('.never') && document.querySelector('[data-light=\"0\"][aria-pressed=true]')")
    assert page.run(visible) == 2, "and stays lit when the page follows"


def test_what_a_finger_must_hit_is_big_enough(joined: Chrome, desk: RehearsedDesk) -> None:
    desk.show(asking())
    joined.until("document.querySelector('button.choice')")
    small = joined.run(
        "[...document.querySelectorAll('button, a, .touch')].map((e) => [e.getBoundingClientRect(), e.outerHTML])"
        ".filter(([r, h]) => r.width > 0 && Math.min(r.width, r.height) < (h.includes('beside') ? 28 : 36))"
        ".map(([r, h]) => h.slice(0, 80))"
    )
    assert small == []
