"""A match as a value and as text."""

from __future__ import annotations

import random

import pytest

from rules.catalogue import game_named
from rules.game import IllegalMove, NotationError, NothingToUndo
from rules.gridlock import GRIDLOCK
from rules.gridlock.speech import setup_for
from rules.match import Match, Play, Source, read_match, write_match
from rules.words import NORTH, SEATS, SOUTH, WEST

HEAD = """game gridlock
south red
west yellow
north light green
east blue
players south | west | north | east
first south
option per_size 1
"""


def test_a_match_is_a_value() -> None:
    match = Match.begun(GRIDLOCK, setup_for(SEATS))
    first = match.after(Play(GRIDLOCK.read("S:Lb4", match.state), Source.CAMERA))
    second = first.after(Play(GRIDLOCK.read("W:Lb5", first.state), Source.PHONE))
    assert (len(match.plays), len(first.plays), len(second.plays)) == (0, 1, 2)
    assert second.undone() == first
    assert second.undone(2) == match
    assert second.undone(0) == second
    assert hash(second.undone().plays[0]) == hash(first.plays[0])
    for count in (3, -1):
        with pytest.raises(NothingToUndo, match="found 2"):
            second.undone(count)
    with pytest.raises(IllegalMove):
        match.after(Play(GRIDLOCK.read("W:Lb5", match.state)))


def test_text_is_as_shown_in_the_docstring() -> None:
    match = Match.begun(GRIDLOCK, setup_for(SEATS, [("gaps", "stop")]))
    match = match.after(Play(GRIDLOCK.read("S:Lb4", match.state), Source.CAMERA))
    match = match.after(Play(GRIDLOCK.read("W:Sc3", match.state), Source.PHONE))
    text = write_match(match)
    from rules import match as module

    assert module.__doc__ is not None
    shown = "\n".join(line[4:] for line in module.__doc__.splitlines() if line.startswith("    ") or not line)
    assert text.strip() in shown


@pytest.mark.parametrize(
    "setup",
    [
        setup_for([NORTH, SOUTH], [("van", "west"), ("per_size", "1")], {WEST: "light blue"}),
        setup_for([SOUTH, NORTH, WEST], [("van", "")]),
    ],
)
def test_text_reads_back(setup: object, rng: random.Random) -> None:
    match = Match.begun(GRIDLOCK, setup)  # type: ignore[arg-type]
    for _ in range(20):
        move = rng.choice(list(GRIDLOCK.moves(match.state)))
        match = match.after(Play(move, rng.choice(list(Source))))
        assert read_match(write_match(match), game_named) == match


def test_remarks_and_empty_lines_are_passed_over() -> None:
    text = "# an evening\n" + HEAD + "\n\n# first round\nS:La1 camera\n\n  W:Lb1   phone  \n"
    match = read_match(text, game_named)
    assert [play.by for play in match.plays] == [Source.CAMERA, Source.PHONE]
    assert match.setup.colours[2] == (NORTH, "light green")
    assert match.state.turn == NORTH
    assert match.setup.first == SOUTH


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "head"),
        ("game chess\n", 1, "gridlock"),
        ("game gridlock\nup red\n", 2, "'up'"),
        ("game gridlock\ngame gridlock\n", 2, "once"),
        ("game gridlock\nfirst nobody\n", 2, "nobody"),
        ("game gridlock\nplayers south | me\n", 2, "'me'"),
        ("game gridlock\nsouth red\n", 2, "head"),
        (HEAD.replace("first south", "first nature"), 8, "first seat"),
        (HEAD.replace("per_size 1", "per_size 9"), 8, "per_size"),
        (HEAD.replace("light green", "red"), 8, "red"),
        (HEAD + "\nS:La1\n", 10, "who says so"),
        (HEAD + "\nS:La1 rumour\n", 10, "camera, phone, script"),
        (HEAD + "\nS:La1 script\n\n# x\nS:Ma2 script\n", 13, "South's turn"),
        (HEAD + "\nS:La1 script\nW:La1 script\n", 11, "a1 is taken"),
        (HEAD + "\nS:Lz1 script\n", 10, "'S:Lz1'"),
        (HEAD + "\nS:La1 W:Lb1 script\n", 10, "S:La1 W:Lb1"),
        (HEAD + "S:La1 script\n", 9, "'S:La1'"),
    ],
)
def test_bad_lines_are_refused_by_their_number(text: str, line: int, says: str) -> None:
    with pytest.raises(NotationError) as refused:
        read_match(text, game_named)
    assert str(refused.value).startswith(f"line {line}: wanted")
    assert says in str(refused.value)
