"""Scored cities are kept: over the end of the program, a kill, bad pictures, two phones at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest

from table.cities import (
    book_of,
)
from table.cities_desk import NO_TILES, Cities
from table.cities_wishes import TWICE
from table.errors import BadJournal
from table.journal import Journal
from tests.table.rehearsed_cities import NOT_A_PICTURE, RehearsedEyes, ask
from webui.city_desk import (
    AddByHand,
    ChooseReadings,
    ChooseTiles,
    CorrectSlot,
    NameCity,
    NewScoring,
    ReadPicture,
)


def test_everything_is_there_again_after_the_program_was_ended(tmp_path: Path, eyes: RehearsedEyes) -> None:
    path = tmp_path / "journal.sqlite"
    cities = Cities(Journal(path), eyes)
    for wish in (ReadPicture(b"a", "a.jpg"), ReadPicture(b"two", "b.jpg"), NameCity(1, " Ana\n"),
                 CorrectSlot(2, 0, None), ChooseReadings("row_plus_column", "placed"), AddByHand()):
        assert ask(cities, wish)[0] == "done", wish
    again = Cities(Journal(path), eyes)
    assert again.view() == cities.view()
    assert [city.player for city in again.view().cities] == ["Ana", "", "", ""]
    jpeg = again.picture(1)
    assert jpeg is not None
    assert cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).shape == (900, 900, 3)
    assert again.picture(7) is None, "entered by hand"
    assert ask(again, NewScoring())[0] == "done"
    third = Cities(Journal(path), eyes).view()
    assert (third.cities, third.harbours) == ((), "row_plus_column")
    assert third.kept[0].players[0][:2] == ("Ana", 59)


def test_scored_cities_are_no_part_of_the_matches_of_a_journal(tmp_path: Path, eyes: RehearsedEyes) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    assert journal.city_rows() == []
    assert ask(Cities(journal, eyes), ReadPicture(b"a", "a.jpg"))[0] == "done"
    assert journal.after(0) == []
    assert journal.last_seq == 0
    db = journal._db
    for harm in ("UPDATE city_entry SET body = ''", "DELETE FROM city_entry"):
        with pytest.raises(Exception, match="append-only"):
            db.execute(harm)
    db.execute("INSERT INTO city_entry(at_utc, scoring, kind, version, body) VALUES('', 0, 'Invented', 1, '{}')")
    with pytest.raises(BadJournal, match="move the file aside"):
        book_of(journal)


def test_a_killed_process_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from table.cities_desk import Cities\nfrom table.journal import Journal\n"
        "from tests.table.rehearsed_cities import RehearsedEyes, read_of\n"
        "from webui.city_desk import *\n"
        "eyes = RehearsedEyes(); eyes.shows = {b'a': (read_of(),)}\n"
        "cities = Cities(Journal(pathlib.Path(sys.argv[1])), eyes)\n"
        "print(cities.request(CityRequest('k', 0, ReadPicture(b'a', ''))).code, flush=True)\n"
        "for n in range(10000):\n"
        "    print(cities.request(CityRequest('k', n + 1, CorrectBeside(1, n % 7, 0))).seq, flush=True)\n"
    )
    path = tmp_path / "journal.sqlite"
    root = Path(__file__).parents[2]
    child = subprocess.Popen([sys.executable, "-c", script, str(path)], cwd=root, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    lines = [child.stdout.readline() for _ in range(12)]
    os.kill(child.pid, signal.SIGKILL)
    lines += child.stdout.read().splitlines()
    child.stdout.close()
    child.wait(10)
    answered = int([line for line in lines if line.strip().isdigit()][-1])
    book = book_of(Journal(path))
    assert book.now.seq >= answered >= 12
    assert book.now.sheets[0].picture_seq == 1


def test_bad_pictures_are_told_and_change_nothing(tmp_path: Path, eyes: RehearsedEyes) -> None:
    cities = Cities(Journal(tmp_path / "journal.sqlite"), eyes)
    assert ask(cities, ReadPicture(b"a text", "../../x.jpg")) == ("refused", NOT_A_PICTURE.en)
    assert ask(cities, ReadPicture(b"breaks", "x.jpg"))[0] == "refused"
    ask(cities, ReadPicture(b"a", "a.jpg"))
    assert "found 2" in ask(cities, ReadPicture(b"two", "x.jpg", 1))[1], "two mats where one is expected"
    assert ask(cities, ReadPicture(b"a", "again.jpg")) == ("refused", TWICE.said.en)
    for name in (b"b", b"c"):
        ask(cities, ReadPicture(name, ""))
    assert "room for 1" in ask(cities, ReadPicture(b"two", "x.jpg"))[1]
    assert len(cities.view().cities) == 3
    eyes.sets = ()
    assert cities.view().trouble == NO_TILES
    assert ask(cities, ReadPicture(b"d", "")) == ("refused", NO_TILES.en)
    assert ask(cities, AddByHand())[0] == "done", "by hand needs no tile set"
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith("journal")] == []


def test_two_phones_that_send_at_once_are_both_read_one_after_the_other(tmp_path: Path, eyes: RehearsedEyes) -> None:
    eyes.hold = threading.Event()
    cities = Cities(Journal(tmp_path / "journal.sqlite"), eyes)
    with ThreadPoolExecutor(2) as phones:
        asked = [phones.submit(ask, cities, ReadPicture(name, ""), 0) for name in (b"a", b"b")]
        assert cities.view().cities == (), "looking does not wait for reading"
        eyes.hold.set()
        assert [one.result(10)[0] for one in asked] == ["done", "done"]
    assert len(cities.view().cities) == 2


def test_the_tile_set_that_was_chosen_is_the_one_pictures_are_read_with(tmp_path: Path, eyes: RehearsedEyes) -> None:
    eyes.sets = ("new", "old")
    cities = Cities(Journal(tmp_path / "journal.sqlite"), eyes)
    ask(cities, ReadPicture(b"a", "a.jpg"))
    assert ask(cities, ChooseTiles("old"))[0] == "done"
    ask(cities, ReadPicture(b"b", "b.jpg"))
    assert eyes.asked == [("a.jpg", "new"), ("b.jpg", "old")]
    eyes.sets = ("new",)
    assert cities.view().tiles == "new", "one that is gone is not asked for"
