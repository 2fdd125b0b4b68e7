"""One case for each reason against an action, and what a table must look like for players to be told so."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from rules.game import LANGUAGES, Move, Reason
from rules.quadropolis import QUADROPOLIS, State
from rules.quadropolis.jsonwords import as_json_site
from rules.quadropolis.reasons import SENTENCES
from rules.quadropolis.speech import SPEECH, setup_for
from rules.quadropolis.tiles import UP
from rules.words import EAST, NORTH, SOUTH, WEST, Cell, Colour, Layout, Piece, Seat

Json = dict[str, Any]
SITE = ["T1m,T1,T1,T2,T3", "S,S,V0,V2,P", "P,F1,F2,F3,H2e", "H2i,x,x,x,x", "x,x,x,x,x"]
"""Round 1 with two players, as it lies."""


def start() -> State:
    return QUADROPOLIS.start(setup_for([SOUTH, NORTH]))


def after(*words: str) -> State:
    """The position after a fill and these actions."""
    state = start()
    for word in (f"*:fill={'/'.join(SITE)}", *words):
        state = QUADROPOLIS.play(state, QUADROPOLIS.read(word, state))
    return state


def codes(state: State, word: str) -> list[str]:
    return [reason.code for reason in QUADROPOLIS.judge(state, QUADROPOLIS.read(word, state)).reasons]


@pytest.mark.parametrize(
    ("before", "word", "wanted"),
    [
        ((), "S:2w1", []),
        ((), "N:2w1", ["out-of-turn"]),
        ((), "*:discard", ["out-of-turn"]),
        ((), "W:2w1", ["no-such-seat"]),
        ((), "S:b11", ["time-to-take"]),
        ((), "S:discard", ["time-to-take"]),
        ((), "S:allocate=best", ["time-to-take"]),
        ((), "S:-11", ["lifted"]),
        ((), "S:u33", ["moved-urbanist"]),
        (("S:2w1",), "S:1n1", ["time-to-build"]),
        (("S:2w1",), "S:b12", []),
        (("S:2w1",), "S:b33", ["wrong-number"]),
        (("S:2w1",), "S:bN12", ["not-own-city"]),
        (("S:2w1",), "S:b12/P", ["not-that-tile"]),
        (("S:2w1", "S:b12"), "S:3w5", ["out-of-turn"]),
        (("S:2w1", "S:b12"), "N:2w1", ["position-taken", "at-urbanist"]),
        (("S:2w1", "S:b12"), "N:2e1", ["at-urbanist"]),
        (("S:2w1", "S:b12"), "N:2n2", ["at-urbanist"]),
        (("S:2w1", "S:b12"), "N:2s2", ["at-urbanist"]),
        (("S:2w1", "S:b12"), "N:2w3", []),
        (("S:2w1", "S:b12"), "N:b11", ["time-to-take"]),
        (("S:2w1", "S:b12", "N:1w4", "N:discard"), "S:2n3", ["architect-used"]),
        (("S:2w1", "S:b12", "N:1w4", "N:discard"), "S:23-24", ["moved-building"]),
        (("S:2w1", "S:b12", "N:1w4", "N:discard"), "S:-c12", ["moved-building"]),
        (("S:2w1", "S:b12", "N:1w4", "N:discard", "S:1n3"), "S:b12", []),  # row 1: a second floor
        (("S:2w1", "S:b12", "N:1w4", "N:discard", "S:1w2"), "S:b12", ["only-towers-stack"]),
        (("S:1w2", "S:b12", "N:1w4", "N:discard", "S:2n2", "S:b21", "N:3e1", "N:discard", "S:3w3"), "S:b12",
         ["slot-taken", "wrong-number"]),
        (("S:1w2", "S:b12", "N:1w4", "N:discard", "S:2w1"), "S:b12", ["slot-taken"]),
        ((), "*:fill=" + "/".join(SITE), ["out-of-turn"]),
    ],
)  # fmt: skip
def test_reasons_in_play(before: tuple[str, ...], word: str, wanted: list[str]) -> None:
    assert codes(after(*before), word) == wanted


def test_an_empty_or_face_down_space_ends_the_turn() -> None:
    """A5, and the rulebook's note: the architect is set down all the same, the urbanist goes there."""
    state = after("S:2w4")
    assert (state.phase, state.turn, state.urbanist) == ("take", NORTH, 16)
    assert state.site[16] == 1


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (("T1m", "T1"), ["not-of-this-round"]),
        (("V0", "V1+4"), ["not-of-this-round"]),
        (("T1m", "x"), ["not-turned-up"]),
        (("T1m", "."), ["space-empty"]),
        (("H2i,x", "H2v,."), ["space-empty", "not-of-this-round"]),
    ],
)
def test_fills(change: tuple[str, str], wanted: list[str]) -> None:
    word = "*:fill=" + "/".join(SITE).replace(*change)
    assert codes(start(), word) == wanted
    assert codes(start(), "S:2w1") == ["out-of-turn"]
    assert codes(start(), "S:" + word[2:]) == ["out-of-turn"]


def allocating() -> State:
    """South lays out: a shop and a factory, four inhabitants and two units of energy; then north."""
    slots: list[list[Json | None]] = [[None] * 4 for _ in range(4)]
    slots[0][0] = {"floors": [{"type": "shop"}], "inhabitants": 0, "energy": 0}
    slots[0][1] = {"floors": [{"type": "factory", "energy": 1}], "inhabitants": 0, "energy": 0}
    full = {"slots": slots, "beside": {"inhabitants": 4, "energy": 2}}
    bare = {"slots": [[None] * 4 for _ in range(4)], "beside": {"inhabitants": 0, "energy": 0}}
    return QUADROPOLIS.load({"phase": "allocate", "cities": {"south": full, "north": bare}})


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("S:allocate=best", []),
        ("S:allocate=", []),
        ("S:allocate=11:3i1e,12:1i", []),
        ("S:allocate=11:4i1e,12:1i", ["more-than-there-is"]),
        ("S:allocate=11:1i3e", ["no-room-there", "more-than-there-is"]),
        ("S:allocate=12:2i", ["no-room-there"]),
        ("S:allocate=12:1e", ["no-room-there"]),
        ("S:allocate=13:1e", ["nothing-built-there"]),
        ("S:2w1", ["time-to-allocate"]),
        ("N:allocate=best", ["out-of-turn"]),
    ],
)
def test_allocations(word: str, wanted: list[str]) -> None:
    assert codes(allocating(), word) == wanted


def test_a_fifth_floor_and_the_floor_rule() -> None:
    """A4: the new floor's number counts from the second floor on; four floors at most."""
    tower = {"type": "tower", "inhabitants": 1, "energy": 0, "vp": 0, "mayor": False, "mark": None}
    for floors, number, options, wanted in (
        (1, 2, {}, []),
        (3, 4, {}, []),
        (2, 4, {}, ["wrong-number"]),
        (1, 1, {}, []),
        (1, 1, {"stacking": "floor_only"}, ["wrong-number"]),
        (1, 2, {"stacking": "floor_only"}, []),
    ):
        state = towers(tower, floors, number, options)
        assert codes(state, "N:b11") == wanted
    assert codes(towers(tower, 4, 3, {}), "N:b11")[0] == "too-high"


def towers(tower: Json, floors: int, number: int, options: Json) -> State:
    """Round 3: north, which has a tower of so many floors on 1,1, holds a tower taken by that architect from the
    first row; south has pointed at nothing."""
    site = as_json_site(bytes([*UP[3, 2], *[1] * 9]))
    at = next(col for col, one in enumerate(site[0]) if one == tower)
    site[0][at], site[0][number - 1] = site[0][number - 1], None
    slot = {"floors": [tower] * floors, "inhabitants": 0, "energy": 0}
    bare = {"slots": [[None] * 4] * 4, "beside": {"inhabitants": 0, "energy": 0}}
    city = {"slots": [[slot, None, None, None], *[[None] * 4] * 3], "beside": {"inhabitants": floors, "energy": 0}}
    return QUADROPOLIS.load(
        {
            "round": 3,
            "turn": 1,
            "mayor": "south",
            "site": site,
            "urbanist": [1, number],
            "architects": [
                {"seat": "south", "number": 1, "side": "east", "line": 5},
                {"seat": "north", "number": number, "side": "west", "line": 1},
            ],
            "cities": {"south": bare, "north": city},
            "taken": {**tower, "architect": number},
            "phase": "build",
            "to_move": "north",
            "options": options,
        }
    )


@pytest.mark.parametrize(
    ("move", "wanted"),
    [
        (Move(SOUTH, "take", Piece("architect-1", Colour("red")), None, Cell(9, 9)), ["no-such-position"]),
        (
            Move(SOUTH, "take", Piece("architect-1", Colour("green")), None, Cell(0, -1, 0, "site")),
            ["not-own-architect"],
        ),
        (Move(SOUTH, "fly"), ["no-such-action"]),
        (Move(Seat(9), "take"), ["no-such-seat"]),
    ],
)
def test_moves_that_no_word_writes(move: Move, wanted: list[str]) -> None:
    assert [reason.code for reason in QUADROPOLIS.judge(after(), move).reasons] == wanted


def test_the_last_reasons() -> None:
    state = after("S:2w1")
    off = Move(SOUTH, "build", Piece("T1", Colour("")), None, Cell(7, 0, 0, "city-south"))
    assert [r.code for r in QUADROPOLIS.judge(state, off).reasons] == ["no-such-slot"]
    odd = Move(SOUTH, "discard", Piece("P", Colour("")))
    assert [r.code for r in QUADROPOLIS.judge(state, odd).reasons] == ["malformed"]
    state = allocating()
    for word in ("S:allocate=best", "N:allocate=best"):
        state = QUADROPOLIS.play(state, QUADROPOLIS.read(word, state))
    assert codes(state, "S:2w1") == ["over"]


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_every_sentence_is_whole_in_both_languages(code: str) -> None:
    cells = (Cell(-1, 2, 0, "site"), Cell(1, 1, 1, "site"), Cell(0, 3, 0, "city-west"), Cell(0, 0, 0, "urbanist"))
    for some in ((), cells[:1], cells):
        told = [QUADROPOLIS.say(Reason(code, some, seat), language) for language in LANGUAGES for seat in (None, WEST)]
        for sentence in told:
            assert re.fullmatch(r"[A-ZÀ-Ú][^{}]+[:.] ?[^{}]+\.", sentence)
        assert told[0] != told[2]


def test_every_code_in_the_source_has_a_sentence_and_every_sentence_a_code() -> None:
    """`unreadable` is the line protocol's; `time-to-` is followed by a phase."""
    room = Path(__file__).parents[2] / "rules" / "quadropolis"
    source = "".join((room / name).read_text(encoding="utf-8") for name in ("moves.py", "growth.py"))
    named = set(re.findall(r'Reason\(\s*"([a-z-]+)"', source))
    phases = {f"time-to-{phase}" for phase in ("fill", "take", "build", "allocate")}
    assert named | phases | {"unreadable"} == set(SENTENCES)


def seen(state: State, **changes: tuple[Cell, Piece | None]) -> Layout:
    pieces = dict(QUADROPOLIS.layout(state).pieces)
    for cell, piece in changes.values():
        pieces.pop(cell, None)
        if piece is not None:
            pieces[cell] = piece
    return Layout(pieces)


def test_guesses() -> None:
    """What players are told when the table shows an action that may not be."""
    state = after("S:2w1", "S:b12")
    blocked = seen(state, a=(Cell(5, 0, 0, "site"), Piece("architect-2", Colour("green"))))
    assert [QUADROPOLIS.write(move) for move in QUADROPOLIS.guess(state, blocked)] == ["N:2e1"]
    turn = seen(state, a=(Cell(-1, 2, 0, "site"), Piece("architect-1", Colour("red"))))
    assert [QUADROPOLIS.write(move) for move in QUADROPOLIS.guess(state, turn)] == ["S:1w3"]
    lifted = seen(state, a=(Cell(4, 0, 0, "site"), None))
    assert [QUADROPOLIS.write(move) for move in QUADROPOLIS.guess(state, lifted)] == ["N:-15"]
    state = after("S:2w1")
    wrong = seen(state, a=(Cell(2, 2, 0, "city-south"), Piece("T1", Colour(""))), b=(Cell(0, 0, 0, "hand"), None))
    assert [QUADROPOLIS.write(move) for move in QUADROPOLIS.guess(state, wrong)] == ["S:b33"]
    other = seen(state, a=(Cell(1, 0, 0, "city-south"), Piece("P", Colour(""))))
    assert [QUADROPOLIS.write(move) for move in QUADROPOLIS.guess(state, other)] == ["S:b12/P"]


def test_drawn_sites_are_legal_for_every_table() -> None:
    for seats in ([SOUTH, WEST], [EAST, SOUTH, WEST], [NORTH, EAST, SOUTH, WEST]):
        state = QUADROPOLIS.start(setup_for(seats))
        for seed in range(20):
            drawn = SPEECH.draw(state, random.Random(seed))
            assert drawn is not None
            assert QUADROPOLIS.judge(state, drawn).legal
