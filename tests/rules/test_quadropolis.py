"""Quadropolis' scoring by its rulebook and the facts file: worked cities, each kind, ties, the list of tiles."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from rules.quadropolis import QUADROPOLIS
from rules.quadropolis.tiles import TILE, TYPES, UP, tiles_of
from rules.words import NORTH, SOUTH, WEST, Seat
from tests.rules.quadropolis_cities import Json, city, loaded, parts

SHARED = Path(__file__).parents[3] / "shared"
CITIES = sorted(SHARED.glob("scenes/dev/quadropolis-city-*/scene.json"))


MITT_1 = ["T3 P T1 .", "P T2 . .", "H2i S:3 F1 S:4", "H3v H2i H2v F1"]
MITT_2 = ["V2 T1 V1 H2i", "T1 P T2 H2i", "P T1 P H3v", ". V2 V0 H2i"]


@pytest.mark.parametrize(
    ("rows", "people", "harbours", "wanted"),
    [
        (MITT_1, 0, "best_line", {"towers": 10, "shops": 11, "parks": 11, "factories": 12, "harbors": 12}),
        (MITT_1, 0, "row_plus_column", {"towers": 10, "shops": 11, "parks": 11, "factories": 12, "harbors": 15}),
        (MITT_2, 1, "best_line", {"towers": 6, "services": 19, "parks": 19, "harbors": 15, "penalty": -1}),
        (MITT_2, 1, "row_plus_column", {"towers": 6, "services": 19, "parks": 19, "harbors": 15, "penalty": -1}),
        (["P T2! . .", "T1 . . ."], 0, "best_line", {"towers": 1, "parks": 2}),
        (["F1 S:0 . .", ". . . ."], 0, "best_line", {"factories": 2}),  # A13: a shop without customers counts
        (["F1 S! . .", "H2i! . . ."], 0, "best_line", {}),  # A2: who is not active is no neighbour
        (["S:2! . . ."], 0, "best_line", {"penalty": -2}),  # customers of a shop without energy are idle
    ],
)
def test_worked_cities(rows: list[str], people: int, harbours: str, wanted: dict[str, int]) -> None:
    """Facts 1.7, worked cities 1 to 3, and readings A2 and A13; the pieces as they lie."""
    state = loaded({"south": city(rows, people)}, allocation="as_placed", harbours=harbours)
    assert parts(state) == wanted


def test_a_lone_city_is_saved_and_played_on() -> None:
    state = loaded({"west": city(["T1! T2! . ."], people=1, energy=1)}, harbours="row_plus_column")
    for _ in range(2):
        assert QUADROPOLIS.load(json.loads(json.dumps(QUADROPOLIS.dump(state)))) == state
        state = QUADROPOLIS.play(state, move) if (move := next(iter(QUADROPOLIS.moves(state)), None)) else state
    assert QUADROPOLIS.phase(state) == "over"
    assert list(state.city(WEST).energy[:2]) == [0, 1]


@pytest.mark.parametrize(("energy", "total"), [(1, 12), (2, 15), (3, 15), (4, 14)])
def test_worked_city_4_at_its_best(energy: int, total: int) -> None:
    """Facts 1.7, worked city 4: [T1, park, T4, -] with 1 to 4 units of energy."""
    state = loaded({"south": city(["T1 P T4 ."], energy=energy, active=False)})
    assert sum(parts(state).values()) == total


@pytest.mark.parametrize(
    ("word", "points"),
    [(f"T{n}", p) for n, p in zip(range(1, 5), (1, 3, 6, 10), strict=True)]
    + [(f"S:{n}", p) for n, p in enumerate((0, 1, 2, 4, 7))],
)
def test_towers_by_height_and_shops_by_customers(word: str, points: int) -> None:
    """Rulebook, Contagem de Pontos: Blocos Residenciais and Lojas."""
    assert sum(parts(loaded({"south": city([f"{word} . . ."])}, allocation="as_placed")).values()) == points


@pytest.mark.parametrize(
    ("rows", "part", "points"),
    [
        (["V0 . . ."], "services", 2),
        (["V0 . V0 ."], "services", 5),
        (["V0 . V0 .", ". . . .", "V0 . . ."], "services", 9),
        (["V0 V1 V2 .", ". . . .", "V0 . . V0"], "services", 17),
        ([". T1 . .", "T1 P . ."], "parks", 4),
        ([". T1 . .", "T1 P T1 ."], "parks", 7),
        ([". T1 . .", "T1 P T1 .", ". T1 . ."], "parks", 11),
        (["F1 S:0 . .", "H2i . . ."], "factories", 5),
        (["H2i . . ."], "harbors", 0),
        (["H2i H2i . H2i"], "harbors", 3),
        (["H2i H2i H2i ."], "harbors", 7),
        (["H2i . . .", "H2i . . .", "H2i . . .", "H3v . . ."], "harbors", 15),
        (["H2i H2i! H2i ."], "harbors", 0),
    ],
)
def test_what_each_kind_scores(rows: list[str], part: str, points: int) -> None:
    """Rulebook, Contagem de Pontos: Serviços, Parques, Fábricas, Portos."""
    assert parts(loaded({"south": city(rows)}, allocation="as_placed")).get(part, 0) == points


def test_penalties_and_the_parks_share() -> None:
    """Rulebook, Penalidades: a point for each idle piece; a park takes in one unit of energy laid on it."""
    drawn = city(["P . . ."], people=2, energy=3)
    assert parts(loaded({"south": drawn}, allocation="as_placed")) == {"penalty": -5}
    assert parts(loaded({"south": drawn})) == {"penalty": -4}


@pytest.mark.parametrize(
    ("south", "north", "options", "winners"),
    [
        (city(["T1 . . ."]), city(["T2 . . ."]), {}, [NORTH]),
        (city(["T1 . . ."]), city(["F1 S . ."], people=1), {"allocation": "as_placed"}, [NORTH]),
        (city(["T1 . . ."]), city(["T2 . . ."], people=2), {}, [NORTH]),
        (city(["T1 . . ."], people=1), city(["S:1 . . ."], people=1), {"allocation": "as_placed"}, [NORTH]),
        (city(["T1 T1 . ."], people=1), city(["S:1 . . ."]), {"allocation": "as_placed"}, [SOUTH]),
        (city(["T1 T1 . ."], people=1), city(["S:1 . . ."]), {
            "allocation": "as_placed", "tie_inhabitants": "placed"}, [NORTH]),
        (city(["T1 . . ."]), city(["T1 V0! . ."]), {"allocation": "as_placed"}, [NORTH]),
        (city(["T1 . . ."]), city([". . . T1"]), {}, [SOUTH, NORTH]),
    ],
)  # fmt: skip
def test_ties(south: Json, north: Json, options: dict[str, str], winners: list[Seat]) -> None:
    """Rulebook, Critérios de Desempate: inhabitants, then empty slots; then shared (A8 to A10)."""
    outcome = QUADROPOLIS.outcome(loaded({"south": south, "north": north}, "over", **options))
    assert outcome is not None
    assert list(outcome.winners) == winners


@pytest.mark.skipif(not CITIES, reason="the shared scenes are not beside this checkout")
@pytest.mark.parametrize("path", CITIES, ids=[path.parent.name for path in CITIES])
def test_pictured_cities_score_as_their_truth(path: Path) -> None:
    pictured = [frame for frame in json.loads(path.read_text(encoding="utf-8"))["frames"] if frame["tag"] == "city"]
    assert pictured
    for frame in pictured:
        drawn = {"south": {"slots": frame["city"], "beside": frame["beside"]}}
        state = loaded(drawn, allocation="as_placed")
        wanted = {part: points for part, points in frame["score"].items() if points and part != "total"}
        assert parts(state) == wanted, frame["frame"]
        both = loaded(drawn, allocation="as_placed", harbours="row_plus_column")
        assert sum(parts(both).values()) == frame["score_row_plus_column"]
        assert sum(parts(loaded(drawn)).values()) >= frame["score"]["total"]


@pytest.mark.skipif(not SHARED.exists(), reason="the shared folder is not beside this checkout")
def test_the_tiles_are_those_of_the_list() -> None:
    listed: Counter[tuple[int, str]] = Counter()
    names = {"tower_block": "tower", "public_service": "service"}
    with (SHARED / "facts" / "quadropolis-tiles.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            mark = "" if row["player_mark"] == "none" else row["player_mark"]
            values = (int(row[key]) for key in ("inhabitants", "energy", "vp", "mayor"))
            word = " ".join(map(str, (names.get(row["type"], row["type"]), *values, mark)))
            listed[int(row["stage"]), word] += int(row["count"])
    ours: Counter[tuple[int, str]] = Counter()
    for round_ in (1, 2, 3, 4):
        for kind in (TILE[code] for code in tiles_of(round_)):
            values = (kind.inhabitants, kind.energy, kind.vp, int(kind.mayor))
            ours[round_, " ".join(map(str, (TYPES[kind.type], *values, kind.mark or "")))] += 1
    assert ours == listed
    assert [len(UP[1, players]) for players in (2, 3, 4)] == [16, 20, 25]  # facts 1.3
