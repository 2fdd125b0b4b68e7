"""One case for each reason against an action, and what a table must look like for players to be told so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rules.game import LANGUAGES, Move, NotationError, Reason
from rules.gridopolis import GRIDOPOLIS, State
from rules.gridopolis.reasons import SENTENCES
from rules.gridopolis.speech import setup_for
from rules.words import EAST, NORTH, SOUTH, WEST, Cell, Colour, Layout, Piece

Json = dict[str, Any]
BLUE, GREEN = Colour("blue"), Colour("green")


def start(**options: str) -> State:
    return GRIDOPOLIS.start(setup_for([SOUTH, NORTH], list(options.items())))


def at(south: str = "", north: str = "", fresh: str = "", to_move: str | None = "south", **changes: Any) -> State:
    """A position of the two-player Matrix with these markers, kings as `K0,0,1`; all have moved but the `fresh`."""
    saved = dict(GRIDOPOLIS.dump(start()))
    markers: list[Json] = []
    for colour, words in (("blue", south), ("green", north)):
        for word in words.split():
            node = [int(part) for part in word.lstrip("K").split(",")]
            markers.append({"node": node, "colour": colour, "rank": "king" if word[0] == "K" else "pawn"})
    unmoved = [[int(part) for part in word.split(",")] for word in fresh.split()]
    saved.update(markers=markers, moved=[m["node"] for m in markers if m["node"] not in unmoved], to_move=to_move)
    blocked = [[int(part) for part in word.split(",")] for word in changes.pop("blocked", "").split()]
    saved["pads"] = [{**pad, "part": "blocker"} if pad["node"] in blocked else pad for pad in saved["pads"]]
    return GRIDOPOLIS.load({**saved, **changes})


def poor(**left: int) -> Json:
    """Reserves in which south has only so much."""
    full = {"pads": 3, "links": 3, "posts": 2, "blockers": 2}
    return {"south": {**full, **left}, "north": full}


def moving_king() -> State:
    return at("K1,0,1 K2,1,2", "0,4,1", mover=[1, 0, 1], moves_left=1)


CASES: list[tuple[State, str, list[str]]] = [
    (start(), "S:0,-1,1>0,0,1@2,2,1", []),
    (start(), "N:0,3,1>0,2,1@2,2,1", ["out-of-turn"]),
    (start(), "W:done", ["no-such-seat"]),
    (start(), "S:1,1,1>1,2,1", ["no-marker-there"]),
    (start(), "S:0,3,1>1,2,1", ["not-own-marker"]),
    (moving_king(), "S:1,0,1>1,1,2", []),
    (moving_king(), "S:done", []),
    (moving_king(), "S:2,1,2>1,1,2", ["another-king"]),
    (moving_king(), "S:b0,1,0", ["king-still-moving"]),
    (moving_king(), "S:+3,0,1", ["king-still-moving"]),
    (start(), "S:0,-1,1>-1,0,1", ["no-pad-there"]),
    (start(), "S:b5,5,5", ["no-pad-there"]),
    (at("1,0,1", "0,4,1", blocked="1,1,2"), "S:1,0,1>1,1,2", ["pad-blocked"]),
    (at("1,0,1", "0,4,1", blocked="1,1,2"), "S:b1,1,2", ["pad-blocked"]),
    (at("1,0,1 1,0,2", "0,4,1"), "S:1,0,1>1,0,2", ["pad-taken"]),
    (at("1,0,1 1,0,2", "0,4,1"), "S:b1,0,2", ["pad-taken"]),
    (at("1,0,1 2,2,1", "0,4,1"), "S:1,0,1>1,1,1@2,2,1", ["pad-taken"]),
    (at("1,1,0", "0,4,1"), "S:1,1,0>1,0,0", ["backwards"]),
    (at("1,2,0", "1,1,0"), "S:1,2,0>1,0,0x1,1,0", ["backwards"]),
    (at("1,1,0", "0,4,1"), "S:1,1,0>2,1,0", []),
    (at("1,1,0", "0,4,1"), "S:1,1,0>1,1,1@0,0,1", []),
    (at("1,1,0", "0,4,1", fresh="1,1,0"), "S:1,1,0>2,1,0", ["first-not-forward"]),
    (at("1,1,0", "2,1,0", fresh="1,1,0"), "S:1,1,0*2,1,0", ["first-not-forward"]),
    (at("1,-2,1", "0,4,1"), "S:1,-2,1>2,-2,1", ["not-forward-from-home"]),
    (start(), "S:1,-1,1>1,0,0>1,1,0", ["one-step-only"]),
    (at("1,0,0", "1,1,0"), "S:1,0,0>1,2,0>1,2,1x1,1,0", ["one-step-only"]),
    (start(), "S:1,-1,1>1,2,1", ["not-straight"]),
    (start(), "S:1,-1,1>0,1,1", ["not-straight"]),
    (start(), "S:1,-1,1>1,1,1@0,0,1", ["nothing-to-jump"]),
    (start(), "S:0,-1,1*0,0,1", ["nothing-to-jump"]),
    (at("1,-1,1 1,0,1", "1,2,1"), "S:1,-1,1>1,1,1", ["must-teleport"]),
    (at("0,-1,1 0,0,1", "0,2,1 0,4,1"), "S:0,-1,1>0,1,1>0,3,1x0,2,1", ["mixed-jumps"]),
    (at("0,-2,1 0,-1,1 1,0,0", "0,4,1", blocked="0,0,0"), "S:1,0,0>1,1,0", []),
    (at("0,0,0 1,0,0 2,1,0", "0,4,1"), "S:0,0,0>2,0,0>2,2,0", ["own-jumps-straight"]),
    (at("0,2,1", "0,3,1 1,4,1"), "S:0,2,1>0,4,1>2,4,1x0,3,1x1,4,1", ["ends-when-kinged"]),
    (start(), "S:0,-1,1>0,0,1", ["must-teleport"]),
    (at("1,0,0", "1,1,0"), "S:1,0,0>1,2,0x1,1,0@0,0,1", ["no-teleporter"]),
    (start(), "S:1,-1,1>1,0,1@2,2,1", ["no-teleporter"]),
    (start(), "S:0,-1,1>0,0,1@1,2,1", ["comes-out-elsewhere"]),
    (at("1,0,0", "1,1,0"), "S:1,0,0>1,2,0x1,1,0", []),
    (at("1,0,0", "1,1,0"), "S:1,0,0>1,2,0", ["captured-not-removed"]),
    (at("1,0,0", "1,1,0 0,1,0"), "S:1,0,0>1,2,0x1,1,0x0,1,0", ["not-jumped"]),
    (at("0,3,1", "1,4,1"), "S:0,3,1>0,4,1", []),
    (at("0,3,1", "1,4,1"), "S:0,3,1>0,4,1/pawn", ["not-turned"]),
    (at("0,1,0", "1,4,1"), "S:0,1,0>0,2,0/king", ["turned"]),
    (at("1,0,2", "2,0,2"), "S:1,0,2*2,0,2", []),
    (at("2,0,2 1,0,2", "0,0,2"), "S:2,0,2*1,0,2", ["kamikaze-own", "pad-behind"]),
    (at("1,0,2", "1,1,1"), "S:1,0,2*1,1,1", ["kamikaze-level", "pad-behind"]),
    (at("0,0,0", "1,0,0"), "S:0,0,0*1,0,0", ["pad-behind"]),
    (at("0,0,0", "2,0,0"), "S:0,0,0*2,0,0", ["not-straight"]),
    (at("0,1,0", "0,0,0"), "S:0,1,0*0,0,0", ["backwards"]),
    (at("K0,1,0", "0,0,0"), "S:0,1,0*0,0,0", []),
    (at("1,0,0", "0,4,1", reserve=poor(blockers=0)), "S:b1,1,0", ["no-blocker-left"]),
    (start(), "S:b1,1,1", ["pad-has-part"]),
    (start(), "S:b0,4,1", ["pad-has-part", "pad-taken"]),
    (start(), "S:b1,1,0", []),
    (at("1,0,0", "0,4,1", reserve=poor(pads=0)), "S:+3,0,0", ["no-pad-left"]),
    (at("1,0,0", "0,4,1", reserve=poor(posts=0)), "S:+0,0,3/post", ["no-post-left"]),
    (at("1,0,0", "0,4,1", reserve=poor(links=0)), "S:+3,0,0", ["no-link-left"]),
    (start(), "S:+0,0,0", ["pad-there"]),
    (start(), "S:+3,0,1/post", ["no-pad-below"]),
    (start(needs_pad_below="always"), "S:+3,0,1", ["no-pad-below"]),
    (start(), "S:+0,0,3/post", []),
    (start(), "S:+0,0,3", ["nothing-beside"]),
    (start(), "S:done", ["must-act"]),
    (start(), "S:l0,-1,1", ["lifted"]),
    (start(), "S:f0,-1,1", ["flipped"]),
    (start(), "S:u1,1,2", ["unbuilt"]),
]


@pytest.mark.parametrize(("state", "word", "wanted"), CASES)
def test_an_action_is_refused_for_these_reasons(state: State, word: str, wanted: list[str]) -> None:
    move = GRIDOPOLIS.read(word, state)
    assert [reason.code for reason in GRIDOPOLIS.judge(state, move).reasons] == wanted
    assert GRIDOPOLIS.write(move) == word


def test_a_post_needs_a_link_that_is_free() -> None:
    """A pad with one link, on which a post stands already; its upper pad was never set."""
    saved = dict(GRIDOPOLIS.dump(start()))
    link, raised = [[3, 0, 2], [2, 0, 2]], [[3, 0, 3], [2, 0, 3]]
    saved["pads"] = [*saved["pads"], {"node": [3, 0, 2], "part": None}, {"node": [2, 0, 3], "part": None}]
    saved.update(links=[*saved["links"], link, raised], posts=[*saved["posts"], link])
    state = GRIDOPOLIS.load(saved)
    codes = [r.code for r in GRIDOPOLIS.judge(state, GRIDOPOLIS.read("S:+3,0,3/post", state)).reasons]
    assert codes == ["no-link-below"]
    assert GRIDOPOLIS.judge(state, GRIDOPOLIS.read("S:+3,0,3", state)).legal


OTHERS = {
    "goes-nowhere": (start(), Move(SOUTH, "move", Piece("pawn", BLUE), Cell(0, -1, 1), Cell(0, 0, 1))),
    "kamikaze-takes-one": (start(), Move(SOUTH, "kamikaze", Piece("pawn", BLUE), Cell(0, -1, 1))),
    "no-such-place": (start(), Move(SOUTH, "add_pad", Piece("pad", Colour("")), None, Cell(3, 0, 1))),
    "no-such-action": (start(), Move(SOUTH, "castle")),
    "malformed": (start(), Move(SOUTH, "blocker", Piece("blocker", BLUE), None, Cell(1, 1, 0, "pad"))),
    "over": (at("1,0,0", to_move=None), Move(SOUTH, "done")),
}


@pytest.mark.parametrize("code", OTHERS)
def test_actions_that_no_word_says(code: str) -> None:
    state, move = OTHERS[code]
    assert [reason.code for reason in GRIDOPOLIS.judge(state, move).reasons] == [code]


def test_every_reason_has_a_case() -> None:
    told = {code for _, _, codes in CASES for code in codes} | set(OTHERS)
    assert told | {"no-link-below", "unreadable"} == set(SENTENCES)


def test_every_code_that_is_raised_has_a_sentence() -> None:
    room = Path(__file__).parents[2] / "rules" / "gridopolis"
    text = (room / "against.py").read_text(encoding="utf-8") + (room / "moves.py").read_text(encoding="utf-8")
    raised = {code for call in re.findall(r"Reason\(([^,)]+)", text) for code in re.findall(r'"([a-z-]+)"', call)}
    assert raised <= set(SENTENCES)
    assert len(raised) > 30


@pytest.mark.parametrize("code", SENTENCES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_names_places_and_seats(code: str, language: str) -> None:
    for seat in (None, SOUTH, WEST, NORTH, EAST):
        sentence = GRIDOPOLIS.say(Reason(code, (Cell(0, -1, 1), Cell(2, 0, 1)), seat), language)
        assert "{" not in sentence
        assert sentence.endswith(".")
        places = any(mark in SENTENCES[code][0] for mark in ("{at}", "{first}", "{last}"))
        assert ("(0,-1,1)" in sentence or "(2,0,1)" in sentence) == places
    assert "{" not in GRIDOPOLIS.say(Reason(code), language)


PAWN, KING, GREEN_PAWN = Piece("pawn", BLUE), Piece("king", BLUE), Piece("pawn", GREEN)
SEEN: list[tuple[str, State, dict[Cell, Piece | None], str, str]] = [
    ("a capture with the marker left lying", at("1,0,0", "1,1,0"), {Cell(1, 0, 0): None, Cell(1, 2, 0): PAWN},
     "S:1,0,0>1,2,0", "captured-not-removed"),
    ("a marker of the other side moved", start(), {Cell(1, 3, 1): None, Cell(1, 2, 1): GREEN_PAWN},
     "N:1,3,1>1,2,1", "out-of-turn"),
    ("a step back", at("1,1,0", "0,4,1"), {Cell(1, 1, 0): None, Cell(1, 0, 0): PAWN}, "S:1,1,0>1,0,0", "backwards"),
    ("a pawn that came home and was not turned", at("0,3,1", "1,4,1"), {Cell(0, 3, 1): None, Cell(0, 4, 1): PAWN},
     "S:0,3,1>0,4,1/pawn", "not-turned"),
    ("a pawn turned over on its way", at("0,1,0", "1,4,1"), {Cell(0, 1, 0): None, Cell(0, 2, 0): KING},
     "S:0,1,0>0,2,0/king", "turned"),
    ("a marker left on a teleporter", start(), {Cell(0, -1, 1): None, Cell(0, 0, 1): PAWN},
     "S:0,-1,1>0,0,1", "must-teleport"),
    ("a step with a marker taken off", at("1,0,0", "2,2,0 0,4,1"),
     {Cell(1, 0, 0): None, Cell(1, 1, 0): PAWN, Cell(2, 2, 0): None}, "S:1,0,0>1,1,0x2,2,0", "not-jumped"),
    ("a marker lifted off", start(), {Cell(0, -1, 1): None}, "S:l0,-1,1", "lifted"),
    ("a marker turned over", start(), {Cell(0, -1, 1): KING}, "S:f0,-1,1", "flipped"),
    ("a blocker-box on a teleporter", start(), {Cell(1, 1, 1, "pad"): Piece("blocker", Colour(""))}, "S:b1,1,1",
     "pad-has-part"),
    ("a pad taken away", start(), {Cell(1, 1, 2, "pad"): None}, "S:u1,1,2", "unbuilt"),
    ("a pad in the air", start(), {Cell(5, 5, 2, "pad"): Piece("pad", Colour(""))}, "S:+5,5,2", "nothing-beside"),
    ("a kamikaze with a pad behind", at("0,0,0 2,2,2", "1,0,0 0,4,1"), {Cell(0, 0, 0): None, Cell(1, 0, 0): None},
     "S:0,0,0*1,0,0", "pad-behind"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "state", "changes", "word", "code"), SEEN, ids=[case[0] for case in SEEN])
def test_what_a_table_probably_means(
    name: str, state: State, changes: dict[Cell, Piece | None], word: str, code: str
) -> None:
    pieces = dict(GRIDOPOLIS.layout(state).pieces)
    for cell, piece in changes.items():
        if piece is None:
            del pieces[cell]
        else:
            pieces[cell] = piece
    guess = GRIDOPOLIS.guess(state, Layout(pieces))[0]
    assert GRIDOPOLIS.write(guess) == word
    assert GRIDOPOLIS.judge(state, guess).reasons[0].code == code


def test_no_guess_where_nothing_changed_or_the_game_is_over() -> None:
    assert GRIDOPOLIS.guess(start(), GRIDOPOLIS.layout(start())) == ()
    over = at("1,0,0", to_move=None)
    assert GRIDOPOLIS.guess(over, Layout()) == ()


def test_a_teleport_to_the_landing_itself_is_no_action() -> None:
    with pytest.raises(NotationError, match="wanted another pad"):
        GRIDOPOLIS.read("S:0,-1,1>0,0,0@0,0,0", start())
