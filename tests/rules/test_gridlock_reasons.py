"""One case for each reason against a move, and what a table must look like for players to be told so."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from rules.game import LANGUAGES, Move, Reason
from rules.gridlock import GRIDLOCK, State
from rules.gridlock.reasons import SENTENCES
from rules.gridlock.speech import setup_for
from rules.words import EAST, NORTH, SEATS, SOUTH, WEST, Cell, Colour, Layout, Piece, Seat

Drawn = Callable[..., State]
VAN = Piece("van", Colour(""), None)
RED = Piece("small", Colour("red"))


def cell(name: str) -> Cell:
    return Cell("abcdefgh".index(name[0]), int(name[1]) - 1)


def placing(drawn: Drawn) -> State:
    """South is to place its last small; west, who holds the van, has a large, north a medium."""
    hands = {"red": {"small": 1}, "yellow": {"large": 1}, "green": {"medium": 1}}
    return drawn(["rLo yLo gLo bLo"], turn="south", van="west", hands=hands)


def dropping(drawn: Drawn) -> State:
    """South is to drop; its large on a1 turns b... nothing but a2 and a3, which point west and east."""
    return drawn(["yMo rSo .", "bS> yS^ .", "gM< bSo .", "rLo gSo ySo"], turn="south", van="south")


@pytest.mark.parametrize(
    ("word", "codes"),
    [
        ("W:Lb2", ["out-of-turn"]),
        ("S:Sa1", ["square-taken"]),
        ("S:Lb2", ["not-in-hand"]),
        ("S:Sb2/n", ["lying-down"]),
        ("S:Sb2[c2u]", ["one-a-turn"]),
        ("S:La1/e", ["not-in-hand", "lying-down", "square-taken"]),
        ("S:xa1", ["wrong-phase"]),
        ("W:xb1", ["out-of-turn"]),
        ("S:pass", ["not-holder"]),
        ("W:pass", ["out-of-turn"]),
        ("S:keep", ["must-act"]),
        ("S:a1-b2", ["moved-piece"]),
        ("S:-a1", ["removed-piece"]),
        ("S:a1@e", ["turned-by-hand"]),
    ],
)
def test_while_placing(drawn: Drawn, word: str, codes: list[str]) -> None:
    state = placing(drawn)
    move = GRIDLOCK.read(word, state)
    assert [reason.code for reason in GRIDLOCK.judge(state, move).reasons] == codes
    assert GRIDLOCK.write(move) == word.replace("S:pass", "S:pass>W").replace("W:pass", "W:pass>N")


@pytest.mark.parametrize(
    ("word", "codes"),
    [
        ("S:xb1", ["not-own-piece"]),
        ("S:xb1/e", ["not-own-piece"]),
        ("S:xa1/e", ["wrong-direction"]),
        ("N:xb1", ["out-of-turn"]),
        ("S:xa2", ["already-fallen"]),
        ("S:xc2", ["nothing-there"]),
        ("S:xa1[a2n]", ["wrong-turned"]),
        ("S:xa1[]", ["wrong-turned"]),
        ("S:Sc2", ["wrong-phase"]),
        ("S:pass>N", ["wrong-neighbour"]),
        ("S:pass>W[a2n]", ["one-a-turn"]),
        ("N:pass>E", ["out-of-turn"]),
        ("S:a2@u", ["stood-up"]),
        ("S:keep", ["must-act"]),
    ],
)
def test_while_dropping(drawn: Drawn, word: str, codes: list[str]) -> None:
    state = dropping(drawn)
    assert [reason.code for reason in GRIDLOCK.judge(state, GRIDLOCK.read(word, state)).reasons] == codes


@pytest.mark.parametrize(
    ("move", "codes"),
    [
        (Move(SOUTH, "place", RED, None, Cell(8, 0)), ["off-board"]),
        (Move(SOUTH, "place", RED), ["off-board"]),
        (Move(SOUTH, "drop", RED), ["off-board"]),
        (Move(SOUTH, "place", VAN, None, cell("b2")), ["no-such-piece"]),
        (Move(SOUTH, "place", None, None, cell("b2")), ["no-such-piece"]),
        (Move(SOUTH, "place", Piece("small", Colour("green")), None, cell("b2")), ["out-of-turn"]),
        (Move(SOUTH, "place", Piece("small", Colour("pink")), None, cell("b2")), ["not-own-piece"]),
        (Move(SOUTH, "place", RED, cell("a1"), cell("b2")), ["malformed"]),
        (Move(Seat(9), "place", RED, None, cell("b2")), ["no-such-seat"]),
        (Move(Seat(-1), "place", RED, None, cell("b2")), ["no-such-seat"]),
        (Move(SOUTH, "fly"), ["no-such-action"]),
    ],
)
def test_moves_that_no_word_writes(drawn: Drawn, move: Move, codes: list[str]) -> None:
    assert [reason.code for reason in GRIDLOCK.judge(placing(drawn), move).reasons] == codes


def test_not_that_piece(drawn: Drawn) -> None:
    state = dropping(drawn)
    move = Move(SOUTH, "drop", Piece("small", Colour("red"), 0), None, cell("a1"))
    assert [reason.code for reason in GRIDLOCK.judge(state, move).reasons] == ["not-that-piece"]


def test_just_handed_in_both_phases(drawn: Drawn) -> None:
    for state in (
        drawn(["rLo"], turn="south", van="south", just_handed=True, hands={"red": {"small": 1}}),
        drawn(["rLo"], turn="south", van="south", just_handed=True),
    ):
        assert [r.code for r in GRIDLOCK.judge(state, GRIDLOCK.read("S:pass", state)).reasons] == ["just-handed"]


def test_over(drawn: Drawn) -> None:
    state = drawn(["rS^"], turn=None)
    assert [r.code for r in GRIDLOCK.judge(state, GRIDLOCK.read("S:xa1", state)).reasons] == ["over"]


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_every_sentence_is_whole_in_both_languages(code: str) -> None:
    """It begins with a capital, ends with a full stop, has what to do after a colon or a full stop, and
    reads without squares and with many."""
    for cells in ((), (cell("b4"),), (cell("b4"), cell("c5"), Cell(3, 0, 0, "van"))):
        told = [GRIDLOCK.say(Reason(code, cells, seat), language) for language in LANGUAGES for seat in (None, NORTH)]
        for sentence in told:
            assert re.fullmatch(r"[A-ZÀ-Ú][^{}]+[:.] ?[^{}]+\.", sentence)
        assert told[0] != told[2]


def test_sentences_name_places_and_seats() -> None:
    turned = Reason("wrong-turned", (cell("a1"), cell("a2"), cell("a3")), SOUTH)
    assert "a1" in GRIDLOCK.say(turned)
    assert "South: a2 and a3" in GRIDLOCK.say(turned)
    assert "Sul: a2 e a3" in GRIDLOCK.say(turned, "pt")
    assert "wrong" not in GRIDLOCK.say(Reason("out-of-turn", (cell("b4"),), WEST))
    assert GRIDLOCK.say(Reason("out-of-turn", (cell("b4"),), WEST)).startswith("It is not West's turn")
    assert GRIDLOCK.say(Reason("over"), "xx") == GRIDLOCK.say(Reason("over"))


def test_every_code_in_the_source_has_a_sentence_and_every_sentence_a_code() -> None:
    """`unreadable` is the line protocol's; `out-of-turn`, `not-own-piece`, `wrong-direction` are the scenes' words."""
    folder = Path(__file__).parents[2] / "rules"
    source = "".join(
        path.read_text(encoding="utf-8") for path in (folder / "gridlock" / "moves.py", folder / "protocol.py")
    )
    codes = set(re.findall(r'Reason\("([a-z-]+)"', source)) | set(re.findall(r'"(stood-up|turned-by-hand)"', source))
    assert codes == set(SENTENCES)


# --- what they may have meant

Seen = Mapping[str, str]


def seen(state: State, changes: Seen, van: Seat | None = None) -> Layout:
    """The table of a state with some squares otherwise: a word as in a drawing, `.` for nothing."""
    pieces = dict(GRIDLOCK.layout(state).pieces)
    colours = {"r": "red", "y": "yellow", "g": "green", "b": "blue"}
    for name, word in changes.items():
        pieces.pop(cell(name), None)
        if word != ".":
            kind = {"S": "small", "M": "medium", "L": "large"}[word[1]]
            facing = {"o": None, "^": 0, ">": 1, "v": 2, "<": 3}[word[2]]
            pieces[cell(name)] = Piece(kind, Colour(colours[word[0]]), facing)
    if van is not None:
        del pieces[Cell(int(state.van), 0, 0, "van")]
        pieces[Cell(int(van), 0, 0, "van")] = VAN
    return Layout(pieces)


@pytest.mark.parametrize(
    ("changes", "van", "words", "codes"),
    [
        ({"b3": "gMo"}, None, ["N:Mb3"], ["out-of-turn"]),
        ({"b3": "gLo"}, None, ["N:Lb3"], ["out-of-turn"]),
        ({"b3": "rMo"}, None, ["S:Mb3"], ["not-in-hand"]),
        ({"b3": "rS>"}, None, ["S:Sb3/e"], ["lying-down"]),
        ({"a1": "rSo"}, None, ["S:Sa1"], ["square-taken"]),
        ({"b1": "rSo"}, None, ["S:Sb1"], ["square-taken"]),
        ({"b3": "rSo", "c3": "rMo"}, None, ["S:Sb3[c3u]"], ["one-a-turn"]),
        ({"a1": "rL^"}, None, ["S:xa1"], ["wrong-phase"]),
        ({"a1": "."}, None, ["S:-a1"], ["removed-piece"]),
        ({"a1": ".", "a5": "rLo"}, None, ["S:a1-a5"], ["moved-piece"]),
        ({}, NORTH, ["W:pass>N"], ["out-of-turn"]),
        ({}, EAST, ["W:pass>E"], ["out-of-turn"]),
        ({"b3": "rMo", "c3": "gMo"}, None, ["N:Mc3", "S:Mb3"], ["out-of-turn"]),
        ({"b3": "rSo"}, None, [], []),
        ({}, None, [], []),
    ],
)
def test_guesses_while_placing(drawn: Drawn, changes: Seen, van: Seat, words: list[str], codes: list[str]) -> None:
    check_guess(placing(drawn), seen(placing(drawn), changes, van), words, codes)


@pytest.mark.parametrize(
    ("changes", "van", "words", "codes"),
    [
        ({"b1": "gSv"}, None, ["S:xb1/s"], ["not-own-piece"]),
        ({"b1": "gS^"}, None, ["S:xb1"], ["not-own-piece"]),
        ({"a1": "rL>"}, None, ["S:xa1/e"], ["wrong-direction"]),
        ({"a1": "rL>", "b1": "gSv"}, None, ["S:xb1/s", "S:xa1/e"], ["not-own-piece"]),
        ({"a1": "rL^", "b3": "yS>", "b1": "gSv"}, None, ["S:xb1/s", "S:xa1[b1s b3e]"], ["not-own-piece"]),
        ({"a1": "rLv", "a2": "gMv"}, None, ["S:xa1/s"], ["wrong-direction"]),
        ({"a1": "rL^"}, None, ["S:xa1[]"], ["wrong-turned"]),
        ({"a1": "rL^", "a2": "gM^"}, None, ["S:xa1[a2n]"], ["wrong-turned"]),
        ({"a1": "rL^", "a2": "gM^", "a3": "bS^", "b3": "yS>"}, None, ["S:xa1[a2n b3e a3n]"], ["wrong-turned"]),
        ({"a1": "rL^", "a2": "gM^", "a3": "bSv"}, None, ["S:xa1[a2n a3s]"], ["wrong-turned"]),
        ({"a1": "rL^", "a2": "gM^", "a3": "bS^"}, None, [], []),
        ({"a2": "gM^"}, None, ["S:a2@n"], ["turned-by-hand"]),
        ({"a2": "gMo"}, None, ["S:a2@u"], ["stood-up"]),
        ({"c2": "rSo"}, None, ["S:Sc2"], ["wrong-phase"]),
        ({"c2": "gSo"}, None, ["N:Sc2"], ["out-of-turn"]),
        ({"b1": "."}, None, ["S:-b1"], ["removed-piece"]),
        ({}, WEST, [], []),
        ({}, NORTH, ["S:pass>N"], ["wrong-neighbour"]),
        ({"b1": "gSv"}, WEST, ["S:pass>W[b1s]", "S:xb1/s"], ["one-a-turn"]),
    ],
)
def test_guesses_while_dropping(drawn: Drawn, changes: Seen, van: Seat, words: list[str], codes: list[str]) -> None:
    check_guess(dropping(drawn), seen(dropping(drawn), changes, van), words, codes)


def check_guess(state: State, table: Layout, words: list[str], codes: list[str]) -> None:
    """The guesses in this order, and the reasons against the first."""
    found = GRIDLOCK.guess(state, table)
    written = [GRIDLOCK.write(move) for move in found]
    assert [re.sub(r"\[.*\]", "[]", word) for word in written] == [re.sub(r"\[.*\]", "[]", word) for word in words]
    assert [sorted(re.findall(r"[a-h][1-8][nesu-]", word)) for word in written] == [
        sorted(re.findall(r"[a-h][1-8][nesu-]", word)) for word in words
    ]
    if words:
        assert [reason.code for reason in GRIDLOCK.judge(state, found[0]).reasons] == codes


def test_a_pass_while_just_handed_is_guessed(drawn: Drawn) -> None:
    state = drawn(["rLo yLo"], turn="south", van="south", just_handed=True)
    check_guess(state, seen(state, {}, WEST), ["S:pass>W"], ["just-handed"])


def test_a_van_in_somebodys_hand_is_no_pass(drawn: Drawn) -> None:
    state = dropping(drawn)
    pieces = {at: piece for at, piece in GRIDLOCK.layout(state).pieces.items() if at.zone == "board"}
    assert GRIDLOCK.guess(state, Layout(pieces)) == ()


def test_nothing_is_guessed_after_the_end(drawn: Drawn) -> None:
    state = drawn(["rS^"], turn=None)
    assert GRIDLOCK.guess(state, Layout({})) == ()


def test_all_seats_can_be_told_apart() -> None:
    state: Any = GRIDLOCK.start(setup_for(SEATS))
    told = {GRIDLOCK.say(Reason("must-act", (), seat)) for seat in state.table.seats}
    assert len(told) == 4
