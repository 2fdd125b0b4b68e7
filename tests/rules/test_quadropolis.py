"""Quadropolis by its rulebook and the facts file: set-up, turns, scoring, ties; and positions that cannot be."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rules.game import ImpossibleState, SetupError
from rules.match import Match, Play
from rules.quadropolis import QUADROPOLIS, State
from rules.quadropolis.speech import SPEECH, setup_for
from rules.quadropolis.tiles import CODE_WRITTEN, TILE, TYPES, UP, tiles_of
from rules.words import EAST, NATURE, NORTH, SEATS, SOUTH, WEST, Seat
from tests.rules.playing import match_of

SHARED = Path(__file__).parents[3] / "shared"
CITIES = sorted(SHARED.glob("scenes/dev/quadropolis-city-*/scene.json"))
TYPE_OF = {"T": "tower", "S": "shop", "V": "service", "P": "park", "F": "factory", "H": "harbor"}
Json = dict[str, Any]


def tile(word: str) -> Json:
    """A tile by its word of the notation, as JSON without its mark."""
    found = TILE[CODE_WRITTEN.get(word, CODE_WRITTEN.get(word + "+4", 0))]
    kind = TYPES[found.type]
    return {"type": kind, "inhabitants": found.inhabitants, "energy": found.energy, "vp": found.vp, "mayor": False}


def city(rows: list[str], people: int = 0, energy: int = 0, active: bool = True) -> Json:
    """A city from rows of words: `T3` a tower of three floors, else a tile of the notation; `S:4` with four
    customers; `!` after a word: not active."""
    slots: list[list[Json | None]] = []
    for row in rows:
        slots.append([])
        for word in row.split():
            if word == ".":
                slots[-1].append(None)
                continue
            idle = word.endswith("!")
            name, _, customers = word.rstrip("!").partition(":")
            kind = TYPE_OF[name[0]]
            floors = [tile("T1")] * int(name[1:]) if kind == "tower" else [tile(name)]
            on = not idle and active
            persons = int(customers or 0) + (on and kind in ("service", "factory", "harbor"))
            power = int(on and kind in ("tower", "shop"))
            slots[-1].append({"floors": floors, "inhabitants": persons, "energy": power})
    slots += [[None] * 4 for _ in range(4 - len(slots))]
    return {"slots": slots, "beside": {"inhabitants": people, "energy": energy}}


def loaded(cities: Json, phase: str = "allocate", **options: str) -> State:
    return QUADROPOLIS.load(json.loads(json.dumps({"phase": phase, "cities": cities, "options": options})))


def parts(state: State, seat: Seat = SOUTH) -> dict[str, int]:
    found: Counter[str] = Counter()
    for line in QUADROPOLIS.score(state):
        if line.seat == seat:
            found[SPEECH.part(line.label)] += line.points
    return {part: points for part, points in found.items() if points}


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


def filled(seats: tuple[Seat, ...] = (SOUTH, NORTH), seed: int = 5, **options: str) -> State:
    """A first round, its site filled by chance."""
    state = QUADROPOLIS.start(setup_for(list(seats), list(options.items())))
    drawn = SPEECH.draw(state, random.Random(seed))
    assert drawn is not None
    return QUADROPOLIS.play(state, drawn)


def test_the_architect_counts_inwards_and_the_urbanist_follows() -> None:
    """Rulebook, O Turno de Jogo 1 and 2: number 3 on a line takes its third space, from either end."""
    for word, space in (("S:3w4", 17), ("S:3e4", 17), ("S:1n2", 1), ("S:1s2", 21), ("S:4e1", 1), ("S:2s5", 19)):
        state = filled()
        code = state.site[space]
        after = QUADROPOLIS.play(state, QUADROPOLIS.read(word, state))
        assert after.urbanist == space
        assert (after.taken, after.phase) == ((code, "build") if code > 1 else (0, "take"))


def test_the_turn_and_the_mayor() -> None:
    """Rulebook, O Turno de Jogo 4: who builds the tower with the symbol holds the mayor at once, and begins the next
    round; who discards it does not (A7)."""
    seen = {"build": 0, "discard": 0}
    for seed in range(60):
        match = Match.begun(QUADROPOLIS, setup_for(SEATS))
        rng = random.Random(seed)
        while match.state.round == 1:
            state = match.state
            drawn = SPEECH.draw(state, rng)
            move = rng.choice([drawn] if drawn is not None else list(QUADROPOLIS.moves(state)))
            match = match.after(Play(move))
            after = match.state
            has_symbol = state.taken == CODE_WRITTEN["T1m"] and move.verb in seen
            if has_symbol:
                seen[move.verb] += 1
            wanted = state.turn if has_symbol and move.verb == "build" else state.mayor
            assert after.mayor == wanted
        assert after.turn == NATURE
        assert not any(after.site)
        assert not any(after.architects)
        assert after.urbanist == -1
    assert min(seen.values()) > 5


@pytest.mark.parametrize("name", ["two", "three", "four"])
def test_pieces_are_conserved(name: str) -> None:
    """No tile appears or vanishes but by fills, discards and the end of a round; resources come from tiles alone."""
    match = match_of("quadropolis", name)
    for before, after, play in zip(match.states, match.states[1:], match.plays, strict=False):
        layouts = (QUADROPOLIS.layout(state).pieces for state in (before, after))
        counts = [Counter(piece.kind for cell, piece in one.items() if is_tile(cell)) for one in layouts]
        same_round = before.round == after.round and after.phase in ("take", "build")
        if play.move.verb in ("take", "build") and same_round:
            assert counts[0] == counts[1]
        if play.move.verb == "discard" and same_round:
            assert sum(counts[0].values()) - sum(counts[1].values()) == 1
        for seat in after.table.seats:
            there = after.city(seat)
            floors = [code for floors in there.floors for code in floors]
            assert sum(there.people) == sum(TILE[code].inhabitants for code in floors)
            assert sum(there.energy) == sum(TILE[code].energy for code in floors)


def is_tile(cell: Any) -> bool:
    return cell.zone.startswith("city") or cell.zone == "hand" or (
        cell.zone == "site" and cell.level == 0 and 0 <= cell.col < 5 and 0 <= cell.row < 5
    )  # fmt: skip


def test_faces_without_marks_are_filled_with_those_of_the_round() -> None:
    """A camera sees no backs: `T2` three times with four players is one of each mark."""
    state = QUADROPOLIS.start(setup_for([WEST, EAST, SOUTH, NORTH]))
    drawn = SPEECH.draw(state, random.Random(1))
    assert drawn is not None
    bare = QUADROPOLIS.read("*:fill=" + drawn.note.replace("+3", "").replace("+4", ""), state)
    assert QUADROPOLIS.judge(state, bare).legal
    action = SPEECH.action(drawn)
    for row in action["site"]:
        for space in row:
            del space["mark"]
    assert QUADROPOLIS.judge(state, SPEECH.move(action, state)).legal


@pytest.mark.parametrize(
    ("seats", "options"),
    [([SOUTH], ()), ([SOUTH, SOUTH], ()), ([SOUTH, NORTH], (("harbours", "all"),)), ([SOUTH, NORTH], (("x", "y"),))],
)
def test_what_no_game_starts_with(seats: list[Seat], options: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(SetupError, match="wanted"):
        QUADROPOLIS.start(setup_for(seats, options))


def play_on(state: State, count: int, seed: int = 2) -> State:
    """So many builds later, of what is built whenever it can be."""
    rng = random.Random(seed)
    while count or state.phase != "take":
        moves = list(QUADROPOLIS.moves(state))
        move = rng.choice(moves[:-1] or moves) if state.phase == "build" else rng.choice(moves)
        count -= state.phase == "build"
        state = QUADROPOLIS.play(state, move)
    return state


def damage(name: str, state: Json) -> tuple[str, ...]:
    """Does something impossible to a saved position of two players in round 1; the codes that must be told."""
    slots = state["cities"]["south"]["slots"]
    built = next(slot for row in slots for slot in row if slot)
    standing = state["architects"]
    match name:
        case "five floors":
            built["floors"] = [tile("T1")] * 5
            return "too-high", "too-many-tiles", "too-many-built"
        case "a park on a tower":
            built["floors"] = [{**tile("T1"), "mark": None}, tile("P")]
            return ("not-stackable",)
        case "a tile of no box":
            built["floors"] = [{**tile("T1"), "inhabitants": 4}]
            return ("no-such-tile",)
        case "a marked tile with two players":
            built["floors"] = [{**tile("T2"), "mark": "4"}]
            return ("too-many-tiles",)
        case "an inhabitant too many":
            state["cities"]["south"]["beside"]["inhabitants"] += 1
            return ("wrong-resources",)
        case "less than none":
            state["cities"]["south"]["beside"]["energy"] = -1
            return ("bad-count",)
        case "two at one position":
            standing[1].update(side=standing[0]["side"], line=standing[0]["line"])
            return ("position-twice",)
        case "one architect twice":
            standing.append({**standing[0], "line": standing[0]["line"] % 5 + 1})
            return ("architect-twice",)
        case "an architect of nobody":
            standing[0]["seat"] = "west"
            return ("no-such-architect",)
        case "a missing architect":
            del standing[0]
            return ("wrong-turn-number",)
        case "the urbanist elsewhere":
            state["urbanist"] = [state["urbanist"][0] % 5 + 1, state["urbanist"][1] % 5 + 1]
            return ("wrong-urbanist",)
        case "no urbanist":
            state["urbanist"] = None
            return ("wrong-urbanist",)
        case "a tile still there":
            row, col = state["urbanist"]
            state["site"][row - 1][col - 1] = {**tile("P"), "mark": None}
            return ("not-taken",)
        case "a face-down tile gone":
            row, col = next((r, c) for r in range(5) for c in range(5) if state["site"][r][c] == "down")
            state["site"][row][col] = None
            return ("wrong-down",)
        case "the other's turn":
            state["to_move"] = "north" if state["to_move"] == "south" else "south"
            return ("wrong-urbanist",)
        case "turn five":
            state["turn"] = 5
            return ("bad-value",)
        case "nothing taken":
            state["phase"] = "build"
            return ("wrong-taken",)
        case "not cleared":
            state["phase"], state["to_move"] = "fill", "nature"
            return "site-not-cleared", "architects-left", "wrong-urbanist"
        case "over in round 1":
            state["phase"], state["to_move"] = "over", None
            return "wrong-round", "site-not-cleared"
        case "a bad tile and a wrong count elsewhere":
            state["site"][0][0] = {"type": "palace"}
            state["cities"]["north"]["beside"]["energy"] += 2
            return "no-such-tile", "wrong-resources"
        case "a tile that no architect's number reaches":
            numbers = {one["number"] for one in standing if one["seat"] == "south"}
            row, col = next((r, c) for r in range(4) for c in range(4) if slots[r][c] == built)
            far = next(n for n in range(1, 5) if n not in numbers)
            slots[row][col], slots[far - 1][far - 1] = None, built
            return ("wrong-slot",)
        case "everything at once":
            state.update(round=9, mayor="west", phase="lunch", urbanist=[0, 6], options={"tempo": 1})
            return "bad-value", "no-such-seat", "bad-phase", "bad-urbanist", "unknown-option"
        case _:
            del state["site"], state["architects"]
            return ("missing-key",)


DAMAGES = [
    "five floors", "a park on a tower", "a tile of no box", "a marked tile with two players", "an inhabitant too many",
    "less than none", "two at one position", "one architect twice", "an architect of nobody", "a missing architect",
    "the urbanist elsewhere", "no urbanist", "a tile still there", "a face-down tile gone", "the other's turn",
    "turn five", "nothing taken", "not cleared", "over in round 1",
    "a bad tile and a wrong count elsewhere", "a tile that no architect's number reaches", "everything at once", "keys",
]  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_what_cannot_be_is_refused(name: str) -> None:
    state = json.loads(json.dumps(QUADROPOLIS.dump(play_on(filled(), 3))))
    QUADROPOLIS.load(state)
    codes = damage(name, state)
    with pytest.raises(ImpossibleState) as caught:
        QUADROPOLIS.load(state)
    found = [fault.code for fault in caught.value.faults]
    assert set(codes) <= set(found)
    assert all(fault.text.startswith("wanted ") for fault in caught.value.faults)


def lone_slots(state: Json, *places: tuple[int, int, str]) -> Json:
    """South's city with these tiles and nothing else, what they bring beside it; north's empty."""
    city = state["cities"]["south"]
    city["slots"] = [[None] * 4 for _ in range(4)]
    for row, col, word in places:
        slot = city["slots"][row - 1][col - 1] or {"floors": [], "inhabitants": 0, "energy": 0}
        slot["floors"].append(tile(word))
        city["slots"][row - 1][col - 1] = slot
        for key in ("inhabitants", "energy"):
            city["beside"][key] += tile(word)[key]
    return state


@pytest.mark.parametrize(
    ("round_", "places", "wrong"),
    [
        (2, [(1, 1, "P")], []),
        (2, [(1, 1, "P"), (1, 2, "P")], []),
        (2, [(1, 1, "P"), (1, 1, "P")], ["not-stackable"]),
        (2, [(1, 1, "P"), (2, 2, "S"), (1, 2, "F1")], ["wrong-slot"]),  # just 1 and 2 fit, once each
        (3, [(1, 1, "P"), (2, 2, "S"), (1, 2, "F1")], []),
        (2, [(1, 1, "T1"), (1, 1, "T1"), (1, 1, "T2")], []),  # 1, then 2 and 3 by the floor
        (2, [(1, 1, "T1"), (1, 1, "T1"), (2, 2, "T2")], ["wrong-slot"]),  # the second floor and 2,2: both want a 2
        (4, [(3, 3, "P"), (4, 4, "T3")], []),
        (2, [(3, 4, "H2v")], ["too-many-tiles"]),  # a tile of rounds 2 and 3
        (3, [(3, 3, "H2v"), (4, 3, "T1"), (4, 4, "V2")], []),
    ],
)
def test_what_architects_can_have_built(round_: int, places: list[tuple[int, int, str]], wrong: list[str]) -> None:
    """Rulebook, "Coloque a Construção em sua cidade": by row, column or floor, each number once."""
    state = json.loads(json.dumps(QUADROPOLIS.dump(QUADROPOLIS.start(setup_for((SOUTH, NORTH))))))
    state["round"] = round_
    try:
        QUADROPOLIS.load(lone_slots(state, *places))
        found = []
    except ImpossibleState as error:
        found = sorted({fault.code for fault in error.faults})
    assert found == wrong


def test_a_mayor_who_built_no_symbol() -> None:
    state = json.loads(json.dumps(QUADROPOLIS.dump(filled((WEST, EAST)))))
    state["mayor"] = "east"
    with pytest.raises(ImpossibleState, match="who began the round"):
        QUADROPOLIS.load(state)
