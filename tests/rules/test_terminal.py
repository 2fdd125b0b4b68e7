"""Play in the terminal: typed words in, lines out."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.catalogue import SPEECHES, game_named
from rules.game import AnyGame
from rules.gridlock import GRIDLOCK
from rules.gridlock.speech import setup_for
from rules.match import Match
from rules.terminal import HELP, Manner, match_in, play_in_terminal
from rules.words import NATURE, SEATS
from tests.rules.playing import every_game, first_setup

SHORT = setup_for(SEATS, [("per_size", "1")])


def typed(*lines: str, language: str = "en") -> tuple[Match, list[str]]:
    """A session of these lines, then the end of input: the match and what was said after the first board."""
    left: Iterator[str] = iter(lines)
    said: list[str] = []

    def read_line() -> str:
        for line in left:
            return line
        raise EOFError

    match = play_in_terminal(Match.begun(GRIDLOCK, SHORT), read_line, said.append, Manner(language))
    assert said[8] == "   a   b   c   d   e   f   g   h  "
    return match, said[15:]


def test_an_action_shows_the_board_and_passes_the_turn() -> None:
    match, said = typed("S:Lb4")
    assert len(match.plays) == 1
    assert "4   .  rLo  .   .   .   .   .   . " in said
    assert "south r red: 1 small, 1 medium, 0 large left" in said
    assert "The van is at west." in said
    assert said[-1] == "placement: west to act."


def test_a_refusal_says_why_and_changes_nothing() -> None:
    match, said = typed("W:Lb4", "S:pass")
    assert match.plays == ()
    assert said[0].startswith("It is not West's turn")
    assert said[1].startswith("Only who holds the Mystery Machine")
    assert typed("W:Lb4", language="pt")[1][0].startswith("Não é a vez do Oeste")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("jump", "`help` lists the commands"),
        ("one two three", "`help` lists them"),
        ("undo", "found 0"),
        ("undo x", "write `undo` or `undo 3`"),
        ("undo -1", "write `undo` or `undo 3`"),
        ("load /nonexistent/match.game", "choose another file"),
        ("save /nonexistent/match.game", "choose another file"),
        ("list", "S:Sa1"),
        ("help", HELP[0]),
        ("score", "south 0"),
        ("list b4", "S:Lb4"),
        ("list z", "none of 192 with z in it"),
        ("load 'no such", "no such\": `help` lists them"),
        ("save \x00", "choose another file"),
        ("load \x00", "choose another file"),
        ('{"kind": "place"', "found none"),
        ('{"kind": "place"}', "wanted a square"),
        ("board", "placement: south to act."),
    ],
)
def test_what_is_said(line: str, says: str) -> None:
    match, said = typed(line, "", "   ")
    assert match.plays == ()
    assert says in "\n".join(said)


def test_an_action_may_be_typed_as_json() -> None:
    match, _ = typed('{"kind": "place", "square": "b4", "size": "large"}')
    assert [GRIDLOCK.write(play.move) for play in match.plays] == ["S:Lb4"]


def test_undo_takes_back_as_many_as_asked() -> None:
    match, _ = typed("S:La1", "W:Lb1", "N:Lc1", "undo 2", "W:Mb1", "undo")
    assert [GRIDLOCK.write(play.move) for play in match.plays] == ["S:La1"]


def test_save_and_load(tmp_path: Path) -> None:
    file = tmp_path / "evening.game"
    match, said = typed("S:La1", f"save {file}", "W:Lb1", f"load {file}")
    assert len(match.plays) == 1
    assert f"saved 1 actions in {file}" in said
    assert f"loaded 1 actions from {file}" in said
    file.write_text("game gridlock\n", encoding="utf-8")
    match, said = typed("S:La1", f"load {file}")
    assert len(match.plays) == 1
    assert said[-1].startswith(f"{file}, line 1: wanted a head")
    file.write_bytes(b"\xff\xfe\x80")
    assert "found no text" in typed(f"load {file}")[1][-1]


def test_quit_ends_at_once() -> None:
    match, said = typed("quit", "S:La1")
    assert match.plays == ()
    assert said == []


def test_a_whole_game_ends_with_score_and_winners() -> None:
    lines = ["S:La1", "W:La2", "N:La3", "E:La4", "S:Mb1", "W:Mb2", "N:Mb3", "E:Mb4"]
    lines += ["S:Sc1", "W:Sc2", "N:Sc3", "E:Sc4"]
    lines += [
        "S:xa1",
        "W:xa2",
        "N:xa3",
        "E:xa4",
        "S:xb1",
        "W:xb2",
        "N:xb3",
        "E:xb4",
        "S:xc1",
        "W:xc2",
        "N:xc3",
        "E:xc4",
    ]
    match, said = typed(*lines, "list")
    outcome = GRIDLOCK.outcome(match.state)
    assert outcome is not None
    assert said[-2].startswith("Over. Winning: ")
    assert said[-1] == "none"
    assert "   +2 chain: c3 c2" in said


@every_game()
def test_every_game_is_played_by_what_list_shows(game: AnyGame, rng: random.Random, tmp_path: Path) -> None:
    """Someone who types what `list` shows, takes back now and then, and at last saves."""
    said: list[str] = []
    acted = 0
    file = tmp_path / "evening.game"

    def read_line() -> str:
        nonlocal acted
        listed = [] if not said or asked[-1] != "list" else [word for line in said for word in line.split()]
        said.clear()
        if acted == 40 or listed == ["none"]:
            asked.append("quit" if asked[-1].startswith("save") else f"save {file}")
        elif listed:
            acted += 1
            asked.append(rng.choice(listed))
        else:
            asked.append(rng.choice(["list", "list", "list", "undo", "score", "board"]))
        return asked[-1]

    asked = [""]
    setup = first_setup(game)
    match = play_in_terminal(Match.begun(game, setup), read_line, said.append, Manner(seed=7))
    assert 0 < len([play for play in match.plays if play.move.seat != NATURE]) <= 40
    assert asked.count("list") >= 10
    assert match_in(file, game) == match


@every_game()
def test_the_bag_lies_still_while_people_take_back(game: AnyGame) -> None:
    """The same seed draws the same at the same point of a match; what is drawn goes back with the action before it."""
    lines = iter(["undo 0", "undo", "undo x"])
    said: list[str] = []

    def read_line() -> str:
        for line in lines:
            return line
        raise EOFError

    begun = Match.begun(game, first_setup(game))
    one = play_in_terminal(begun, read_line, said.append, Manner(seed=7))
    two = play_in_terminal(begun, read_line, said.append, Manner(seed=7))
    assert one == two
    assert (len(one.plays) > 0) == (game.to_move(begun.state) == NATURE)
    assert any("found 0: take back fewer" in line for line in said)


@pytest.mark.skipif("quadropolis" not in SPEECHES, reason="there is no game with a bag")
def test_without_a_seed_the_draw_is_typed() -> None:
    game = game_named("quadropolis")
    begun = Match.begun(game, first_setup(game))
    drawn = SPEECHES["quadropolis"].draw(begun.state, random.Random(1))
    assert drawn is not None
    lines = iter(["list", json.dumps(SPEECHES["quadropolis"].action(drawn)), "undo"])
    said: list[str] = []

    def read_line() -> str:
        for line in lines:
            return line
        raise EOFError

    match = play_in_terminal(begun, read_line, said.append)
    assert "none: this is drawn, so type as JSON what came" in said
    assert [play.move for play in match.plays] == [drawn]
