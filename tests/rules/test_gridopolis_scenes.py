"""The truth of the pictured Gridopolis games, replayed through the rules: who is to move, every pad and marker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.game import Move
from rules.gridopolis import GRIDOPOLIS, State
from rules.gridopolis.speech import SPEECH
from rules.words import Cell, Colour, Layout, Piece, seat_name, seat_named

Json = dict[str, Any]
SCENES = Path(__file__).parents[3] / "shared" / "scenes" / "dev"
GAMES = sorted(path.parent for path in SCENES.glob("gridopolis-game-*/scene.json"))
STILLS = sorted(path.parent for path in SCENES.glob("gridopolis-stills-*/scene.json"))
NOTHING = Colour("")


def seen(frame: Json) -> dict[Cell, Piece]:
    """Pads and markers as they were; links and posts are not in the truth."""
    pieces: dict[Cell, Piece] = {}
    for pad in frame["pads"]:
        part, _, colour = pad["part"].partition(":")
        x, y, z = pad["node"]
        pieces[Cell(x, y, z, "pad")] = Piece("pad" if part == "none" else part, Colour(colour))
    for marker in frame["markers"]:
        pieces[Cell(*marker["node"])] = Piece(marker["rank"], Colour(marker["colour"]))
    return pieces


def table(state: State, frame: Json) -> Layout:
    """The truth with the links and posts of the position."""
    built = {c: p for c, p in GRIDOPOLIS.layout(state).pieces.items() if c.zone not in ("board", "pad")}
    return Layout({**built, **seen(frame)})


def started(folder: Path) -> State:
    setup = json.loads((folder / "setup.json").read_text(encoding="utf-8"))
    seats = sorted(setup["seats"], key=lambda name: (seat_named(name) - seat_named(setup["first_seat"])) % 4)
    return GRIDOPOLIS.start(SPEECH.setup({"seats": seats, "colours": setup["seats"]}))


def moves_of(move: Json, state: State) -> Iterator[Move]:
    """The scenes' words for an action as the rules have them; two moves of a king are two actions."""
    kind, seat = move["kind"], move["seat"]
    if kind == "two-moves":
        yield SPEECH.move(action_of(move["moves"][-1]), state)
        return
    action = {
        "blocker": lambda: {"kind": "blocker", "node": move["node"]},
        "add-pad": lambda: {"kind": "add_pad", "node": move["node"], "post": move["how"] == "post"},
        "kamikaze": lambda: {"kind": "kamikaze", "from": move["from"], "over": move["over"][0]},
    }.get(kind, lambda: action_of(move))()
    yield SPEECH.move({"seat": seat, **action}, state)


def action_of(move: Json) -> Json:
    return {
        "kind": "move", "seat": move["seat"], "from": move["from"], "path": move["path"][1:],
        "captures": [one["node"] for one in move["captured"]],
        "teleport": move["teleport"][1] if "teleport" in move else None,
    }  # fmt: skip


@pytest.mark.skipif(not GAMES, reason="the shared scenes are not beside this checkout")
@pytest.mark.parametrize("folder", GAMES, ids=[folder.name for folder in GAMES])
def test_a_pictured_game_replayed(folder: Path) -> None:
    scene = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    state = started(folder)
    legal = illegal = 0
    for frame in scene["frames"]:
        verdict = frame.get("verdict")
        if frame["tag"] in ("empty", "palette"):
            continue
        if verdict == "legal":
            for move in moves_of(frame["move"], state):
                assert GRIDOPOLIS.judge(state, move).legal, frame["frame"]
                state = GRIDOPOLIS.play(state, move)
            legal += 1
        elif verdict == "illegal":
            guess = GRIDOPOLIS.guess(state, table(state, frame))[0]
            reason = GRIDOPOLIS.judge(state, guess).reasons[0]
            assert reason.code == frame["move"]["reason"], frame["frame"]
            if "left" in frame["move"]:
                assert SPEECH.name(reason.cells[0]) == frame["move"]["left"]
            illegal += 1
        if verdict != "illegal":
            assert list(GRIDOPOLIS.layout(state).changes_to(table(state, frame))) == [], frame["frame"]
        turn = GRIDOPOLIS.to_move(state)
        if turn is not None and "to_move" in frame and frame["tag"] != "partial":
            assert seat_name(turn) == frame["to_move"], frame["frame"]
    assert legal > 5
    assert illegal > 0


@pytest.mark.skipif(not STILLS, reason="the shared scenes are not beside this checkout")
@pytest.mark.parametrize("folder", STILLS, ids=[folder.name for folder in STILLS])
def test_pictured_positions_load(folder: Path) -> None:
    """Each with the Matrix's links, and one more where a pad was added beside another."""
    scene = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    names, loaded = list(scene["seats"]), 0
    plain: Json = dict(GRIDOPOLIS.dump(GRIDOPOLIS.start(SPEECH.setup({"seats": names, "colours": scene["seats"]}))))
    for frame in scene["frames"]:
        if frame["tag"] != "still":
            continue
        pads, extra = [], []
        there = {tuple(pad["node"]) for pad in plain["pads"]}
        for pad in frame["pads"]:
            part, _, colour = pad["part"].partition(":")
            pads.append({"node": pad["node"], "part": None if part == "none" else part, "colour": colour})
            x, y, z = pad["node"]
            beside = [(x + 1, y, z), (x - 1, y, z), (x, y + 1, z), (x, y - 1, z)]
            if (x, y, z) not in there:
                near = [other for other in beside if other in there]
                if not near:
                    break  # on a post, and the truth does not say on which link
                extra.append([[x, y, z], list(near[0])])
        else:
            markers = [{key: marker[key] for key in ("node", "colour", "rank")} for marker in frame["markers"]]
            saved = {**plain, "pads": pads, "links": [*plain["links"], *extra], "markers": markers,
                     "moved": [marker["node"] for marker in markers]}  # fmt: skip
            state = GRIDOPOLIS.load(saved)
            assert list(GRIDOPOLIS.layout(state).changes_to(table(state, frame))) == []
            loaded += 1
    assert loaded > 0
