"""A city seen now and seen before: which build explains the change, and why none does."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from rules.quadropolis import QUADROPOLIS
from rules.quadropolis.growth import Growth, Spent, fitting, grown, spent_unseen
from rules.quadropolis.readings import Readings
from rules.quadropolis.reasons import say
from rules.quadropolis.state import BESIDE, SLOTS, City
from rules.quadropolis.tiles import CODE_WRITTEN, FACES
from rules.words import SOUTH
from tests.rules.playing import next_moves, setups_of

CODES = tuple(CODE_WRITTEN[tile.face] for tile in FACES)


def city(**slots: str) -> City:
    """`city(s11="T1 T2", s23="P")`: tiles from the ground up, their resources beside."""
    made = City()
    for name, faces in slots.items():
        slot = 4 * (int(name[1]) - 1) + int(name[2]) - 1
        for face in faces.split():
            made = made.built(slot, CODE_WRITTEN[face])
    return made


def with_floors(made: City, slot: int, floors: bytes) -> City:
    return replace(made, floors=(*made.floors[:slot], floors, *made.floors[slot + 1 :]))


def codes(growth: Growth) -> list[str]:
    return [reason.code for reason in growth.reasons]


@pytest.mark.parametrize(
    ("before", "after", "slot", "numbers"),
    [
        (city(), city(s22="P"), 5, (2,)),
        (city(), city(s13="T2"), 2, (1, 3)),
        (city(s11="T1"), city(s11="T1 T1"), 0, (1, 2)),
        (city(s43="T1 T2"), city(s43="T1 T2 T3"), 14, (3, 4)),
        (city(s12="T1 T2 T3"), city(s12="T1 T2 T3 T1m"), 1, (1, 2, 4)),
    ],
    ids=["row and column one", "row or column", "second floor", "third floor, its column too", "fourth floor by floor"],
)
def test_a_build_is_told_with_the_architects_that_could_have_done_it(
    before: City, after: City, slot: int, numbers: tuple[int, ...]
) -> None:
    """The rulebook, Coloque a Construção em sua cidade; A4."""
    growth = grown(before, after, Spent(), unused=(1, 2, 3, 4))
    assert growth.legal
    assert growth.build is not None
    assert (growth.build.slot, growth.build.numbers) == (slot, numbers)
    assert growth.to_come == growth.too_many == (0, 0)


def test_by_floor_only_where_the_players_agreed_on_that() -> None:
    growth = grown(city(s11="T1"), city(s11="T1 T1"), Spent(), Readings(stacking="floor_only"))
    assert growth.build is not None
    assert growth.build.numbers == (2,)


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        (city(s11="P"), city(s11="P S"), ["slot-taken"]),
        (city(s11="P"), city(s11="P T1"), ["slot-taken"]),
        (city(s11="T1"), city(s11="T1 S"), ["only-towers-stack"]),
        (city(s11="T1 T1 T1 T1"), city(s11="T1 T1 T1 T1 T2"), ["too-high"]),
        (city(), city(s11="T1", s23="P"), ["two-at-once"]),
        (city(), city(s11="T1 T2"), ["two-at-once"]),
        (city(s11="T1"), city(), ["moved-building"]),
        (city(s11="T1"), city(s12="T1"), ["moved-building"]),
        (city(s11="T1 T2"), city(s11="T1"), ["moved-building"]),
        (city(s11="T1 T2"), city(s11="T1 T3"), ["moved-building"]),
        (city(s11="P"), city(s11="S"), ["moved-building"]),
    ],
)  # fmt: skip
def test_what_may_not_be(before: City, after: City, wanted: list[str]) -> None:
    growth = grown(before, after, Spent())
    assert codes(growth) == wanted
    assert growth.build is None
    assert growth.spent == Spent()


def test_a_moved_tile_is_told_with_where_it_went() -> None:
    (reason,) = grown(city(s11="T1"), city(s23="T1"), Spent()).reasons
    assert [(cell.row, cell.col) for cell in reason.cells] == [(0, 0), (1, 2)]


def test_an_architect_that_does_not_fit() -> None:
    assert codes(grown(city(), city(s23="P"), Spent(), unused=(1, 4))) == ["wrong-number"]
    assert grown(city(), city(s23="P"), Spent(), unused=(1, 3)).build is not None


def test_only_so_many_builds_fit_one_number() -> None:
    """Only architect 1 builds on 1,1, only 1 or 2 the second floor there; each once a round, four rounds a game."""
    spent = Spent()
    for _ in range(4):  # four builds by architect 1 are four rounds
        spent = spent.after((1,))
    assert spent.ways == {(4, 0b0001)}
    assert spent.maybe_unused == (2, 3, 4)
    growth = grown(city(), city(s11="P"), spent)
    assert codes(growth) == ["architects-spent"]
    assert growth.spent == spent
    by_column = grown(city(), city(s12="P"), spent)
    assert by_column.build is not None
    assert by_column.build.numbers == (2,), "row 1 is used up, column 2 is not"


def test_the_end_of_a_round_is_not_seen() -> None:
    """Any build may be the first of the next round, so that four of them on the diagonal leave any number open."""
    made, spent = City(), Spent()
    for slot in (0, 5, 10, 15):
        growth = grown(made, made.built(slot, CODE_WRITTEN["P"]), spent)
        made, spent = made.built(slot, CODE_WRITTEN["P"]), growth.spent
    assert (1, 0b1111) in spent.ways
    assert spent.able((1, 2, 3, 4)) == (1, 2, 3, 4)


def test_tiles_that_nobody_saw_built_used_up_as_many_architects() -> None:
    """At most sixteen builds a game."""
    assert not grown(city(), city(s22="P"), spent_unseen(16)).legal
    assert grown(city(), city(s22="P"), spent_unseen(15)).legal
    assert spent_unseen(4).ways == {(1, 15)}


def test_resources_come_with_the_tile_and_nothing_vanishes() -> None:
    """Receba os Recursos; A12."""
    before, after = city(s11="T2"), city(s11="T2", s22="H1i1e")
    assert grown(before, after, Spent()).about_resources() == ()
    bare = replace(after, people=before.people, energy=before.energy)
    late = grown(before, bare, Spent())
    assert late.build is not None, "the tile is built all the same"
    assert late.to_come == (1, 1)
    assert [reason.code for reason in late.about_resources()] == ["resources-missing"]
    assert "1 inhabitant and 1 energy are missing" in say(late.about_resources(SOUTH)[0])
    more = replace(after, energy=after.energy[:BESIDE] + bytes((3,)))
    assert grown(before, more, Spent()).too_many == (0, 2)
    assert "há 2 energias a mais" in say(grown(before, more, Spent()).about_resources()[0], "pt")
    elsewhere = City(after.floors, bytes((3, *[0] * SLOTS)), bytes((0, 1, *[0] * (SLOTS - 1))))
    assert grown(before, elsewhere, Spent()).about_resources() == (), "they may lie anywhere"


@pytest.mark.parametrize("name", sorted(setups_of(QUADROPOLIS)))
def test_every_build_of_random_play_is_legal_with_the_architect_that_did_it(name: str) -> None:
    for seed in range(12):
        rng = random.Random(seed)
        state = QUADROPOLIS.start(setups_of(QUADROPOLIS)[name])
        readings = state.table.readings
        spent = {seat: Spent() for seat in state.table.seats}
        built = 0
        while state.phase not in ("allocate", "over"):
            move = rng.choice(next_moves(QUADROPOLIS, state, rng))
            after = QUADROPOLIS.play(state, move)
            if move.verb == "build":
                growth = grown(state.city(move.seat), after.city(move.seat), spent[move.seat], readings)
                assert growth.legal, growth
                assert growth.build is not None
                assert state.by in growth.build.numbers
                known = [n for n in range(1, 5) if n not in state.numbers_used(move.seat) or n == state.by]
                told = grown(state.city(move.seat), after.city(move.seat), spent[move.seat], readings, known)
                assert told.build is not None
                assert state.by in told.build.numbers
                spent[move.seat] = growth.spent
                built += 1
            state = after
        assert built > 10


def test_mutations_of_random_cities_are_refused_for_what_they_are() -> None:
    rng = random.Random(7)
    tried: set[str] = set()
    for _ in range(600):
        made = City()
        for _ in range(rng.randint(1, 14)):
            open_ = [s for s in range(SLOTS) if not made.floors[s]]
            made = made.built(rng.choice(open_ or [0]), rng.choice(CODES)) if open_ else made
        slot = rng.choice([s for s in range(SLOTS) if made.floors[s]])
        match rng.choice(["cover", "take", "two", "shift"]):
            case "cover":
                code = rng.choice(CODES)
                floors, top = made.floors[slot], FACES[CODES.index(code)].face
                tower = FACES[CODES.index(next(c for c in CODES if CODE_WRITTEN[_face(floors)] == c))].face[0] == "T"
                wanted = "" if tower and top[0] == "T" else "only-towers-stack" if tower else "slot-taken"
                after = with_floors(made, slot, floors + bytes((code,)))
            case "take":
                wanted, after = "moved-building", with_floors(made, slot, b"")
            case "two":
                free = [s for s in range(SLOTS) if not made.floors[s]][:2]
                wanted, after = "two-at-once", made
                for other in free:
                    after = after.built(other, rng.choice(CODES))
            case _:
                free = [s for s in range(SLOTS) if not made.floors[s]]
                wanted = "moved-building"
                after = with_floors(with_floors(made, slot, b""), rng.choice(free), made.floors[slot])
        growth = grown(made, after, Spent())
        assert codes(growth)[:1] == ([wanted] if wanted else []), (made, after)
        tried.add(wanted)
    assert tried == {"", "only-towers-stack", "slot-taken", "moved-building", "two-at-once"}


def _face(floors: bytes) -> str:
    return next(tile.face for tile in FACES if CODE_WRITTEN[tile.face] == floors[-1])


def test_which_architects_fit_a_slot() -> None:
    assert [fitting(slot, b"") for slot in (0, 3, 9)] == [(1,), (1, 4), (2, 3)]
