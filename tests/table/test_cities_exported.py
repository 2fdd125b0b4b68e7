"""Scored cities as a table, a picture and lines of a command."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import cv2
import numpy as np
from click.testing import CliRunner

from table.cities_desk import Cities
from table.cities_export import csv_of, png_of
from table.cities_letters import write
from table.cli import cli
from table.journal import Journal
from tests.table.rehearsed_cities import WORKED, RehearsedEyes, ask, outline, painted
from webui.city_desk import (
    AddByHand,
    NameCity,
    NewScoring,
    ReadPicture,
)


def test_the_table_has_every_part_and_no_formula(tmp_path: Path, eyes: RehearsedEyes) -> None:
    cities = Cities(Journal(tmp_path / "journal.sqlite"), eyes)
    ask(cities, ReadPicture(b"two", ""))
    ask(cities, NameCity(1, '=1+1, "x"'))
    rows = list(csv.reader(io.StringIO(cities.export_csv("pt"))))
    assert rows[0][:3] == ["Nome", "Prédios", "Lojas"]
    assert rows[1] == ["'=1+1, \"x\"", "10", "11", "0", "11", "12", "12", "0", "56", "13", "3", "1"]
    assert rows[2][0] == "Cidade 2"
    assert csv_of(cities.view(), "en").startswith("Name,Towers")


def test_the_picture_shows_each_city_outlined_and_the_score_pad(tmp_path: Path, eyes: RehearsedEyes) -> None:
    cities = Cities(Journal(tmp_path / "journal.sqlite"), eyes)
    empty = cv2.imdecode(np.frombuffer(cities.export_png("en"), np.uint8), cv2.IMREAD_COLOR)
    assert empty.shape[0] < 300
    ask(cities, ReadPicture(b"two", ""))
    ask(cities, AddByHand())
    view = cities.view()
    pictures = {city.city: cities.picture(city.city) for city in view.cities}
    shown = cv2.imdecode(np.frombuffer(png_of(view, pictures, "pt"), np.uint8), cv2.IMREAD_COLOR)
    assert shown.shape[1] == 2 * 720 + 3 * 30
    scale = 720 / 900
    plain = cv2.resize(painted(), (720, 720), interpolation=cv2.INTER_AREA)
    for slot, building in enumerate(WORKED):
        (x, y), *_ = outline(slot)
        left, top = round(30 + x * scale), round(30 + 70 + y * scale)
        differs = np.abs(shown[top - 4 : top + 5, left + 20 : left + 60].astype(int)
                         - plain[top - 104 : top - 95, left - 10 : left + 30].astype(int)).max()
        assert (differs > 60) == (building is not None), f"slot {slot}"


def test_the_results_are_told_and_written_by_a_command(tmp_path: Path, eyes: RehearsedEyes) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    cities = Cities(journal, eyes)
    for wish in (ReadPicture(b"a", ""), NameCity(1, "Zé"), NewScoring(), ReadPicture(b"two", "")):
        ask(cities, wish)
    journal.close()
    told = CliRunner().invoke(cli, ["journal", "cities", "--file", str(tmp_path / "journal.sqlite"), "--language", "pt",
                                    "--png", str(tmp_path / "r.png"), "--csv", str(tmp_path / "r.csv")])
    assert told.exit_code == 0, told.output
    kept, now = told.output.splitlines()
    assert kept.endswith("Zé 56*")
    assert now.split(maxsplit=3)[3] == "Cidade 1 56*, Cidade 2 56*"
    assert cv2.imread(str(tmp_path / "r.png")).shape[1] == 1530
    assert len((tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()) == 3


def test_letters_have_their_accents() -> None:
    def ink(text: str) -> float:
        image = np.full((80, 200, 3), 255, np.uint8)
        write(image, text, (20, 60), 30, (0, 0, 0))
        return float((255 - image).sum())

    for bare, accented in (("Predios", "Prédios"), ("Acao", "Ação"), ("Fabricas", "Fábricas")):
        assert ink(accented) > 1.01 * ink(bare)
    assert ink("日本") == ink("??"), "a letter the font has not is told as unknown, not left out"
