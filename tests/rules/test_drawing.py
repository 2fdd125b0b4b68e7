"""Positions as lines for the terminal: drawn from what the protocol writes, readable without colours."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rules.catalogue import SPEECHES
from rules.game import AnyGame
from rules.gridopolis.drawing import drawing as draw_gridopolis
from rules.ido.drawing import drawing as draw_ido
from rules.quadropolis.drawing import drawing as draw_quadropolis
from rules.terminal import DRAWINGS, plain_lines
from tests.rules.playing import every_game, match_of, setups_of

Json = dict[str, Any]
FACTS = Path(__file__).parents[3] / "shared" / "facts" / "gridopolis-ido.md"

D1: Json = {
    "squares": 8, "board_lines_x": [2, 3, 5, 6], "board_lines_y": [2, 3, 5, 6],
    "frame_squares": 6, "frame_bars_x": [0, 2, 4, 6], "frame_bars_y": [0, 2, 4, 6],
}  # fmt: skip


def ido(offset: tuple[int, int] = (0, 0), colours: Json | None = None, **changes: Any) -> Json:
    colours = colours or {"south": "red", "west": "blue", "north": "yellow", "east": "green"}
    supply = {seat: {"small": 3, "large": 3} for seat in colours}
    state = {"blueprint": D1, "frame_offset": list(offset), "blocks": [], "colours": colours, "supply": supply,
             "home": {seat: [] for seat in colours}, "steps_left": None, "shifted_by": None, "to_move": "south"}
    return {**state, **changes}


def figures() -> dict[tuple[int, int], list[str]]:
    """The nine pictures of facts 3.4, by the frame's offset: each the 25 columns of its board."""
    found: dict[tuple[int, int], list[str]] = {}
    lines = FACTS.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        heads = list(re.finditer(r"frame [NESWC]+ \(([+-]\d),([+-]\d)\)", line))
        for part in range(len(heads)):
            left = part * 31
            body = [row.ljust(96)[left + 2 : left + 27] for row in lines[number + 2 : number + 19]]
            found[int(heads[part][1]), int(heads[part][2])] = [re.sub("[srLQ]", " ", row) for row in body]
    return found


@pytest.mark.skipif(not FACTS.exists(), reason="the shared facts are not here")
def test_ido_boards_are_those_of_the_facts() -> None:
    pictures = figures()
    assert len(pictures) == 9
    for offset, picture in pictures.items():
        assert [line[4:29].ljust(25) for line in draw_ido(ido(offset))[1:18]] == picture


def test_an_ido_position() -> None:
    blocks = [{"square": [0, 0], "colour": "red", "size": "small"},
              {"square": [5, 3], "colour": "red", "size": "large"}]
    colours = {"south": "red", "north": "yellow"}
    lines = draw_ido(ido((1, -1), colours, blocks=blocks, home={"south": ["small"], "north": []}, steps_left=2,
                         shifted_by="north"))
    assert lines[:3] == ["     N  N  N", "    +--+--+--+--+--+--+--+--+", " 7s |     |  |     |  |     |"]
    assert lines[10] == " 3  |     #  |  #  |rL#     #"
    assert lines[16:20] == [
        " 0  |rs   #  |  #  |  #     # n",
        "    +--+--+==+==+==+==+==+==+",
        "                    S  S  S",
        "      0  1  2  3  4  5  6  7",
    ]
    assert "south r red: 3 small, 3 large in supply; at home: small" in lines
    assert "Steps left: 2." in lines
    assert any(line.startswith("North shifted the frame") for line in lines)


def test_a_gridopolis_position_storey_by_storey() -> None:
    pads = [{"node": [x, y, 1], "part": None} for x in range(3) for y in range(2)] + [{"node": [1, 1, 2], "part": None}]
    pads[0]["part"], pads[1]["part"], pads[5]["part"] = "kingerizer", "teleporter", "blocker"
    links = [[[0, 0, 1], [1, 0, 1]], [[1, 0, 1], [1, 1, 1]], [[0, 1, 1], [0, 0, 1]], [[2, 0, 1], [3, 0, 1]],
             [[1, 0, 2], [1, 1, 2]]]
    state: Json = {
        "pads": pads, "links": links, "posts": [[[1, 0, 1], [1, 1, 1]]],
        "markers": [{"node": [0, 0, 1], "colour": "blue", "rank": "king"},
                    {"node": [1, 1, 2], "colour": "black", "rank": "pawn"}],
        "colours": {"south": "blue", "north": "black"},
        "reserve": {seat: {"pads": 3, "links": 3, "posts": 0, "blockers": 2} for seat in ("south", "north")},
        "captured": {"south": [{"colour": "black", "rank": "pawn"}], "north": []},
        "turns": {"south": 4, "north": 3}, "moves_left": 1, "mover": [0, 0, 1],
    }  # fmt: skip
    assert draw_gridopolis(state)[:-2] == [
        "Storey 2",
        "  1      (l )",
        "          |",
        "  0",
        "      0    1    2    3",
        "",
        "Storey 1",
        "  1 ( *) (  ) ( X)",
        "     |    #",
        "  0 (B^)-(  ) (  )-",
        "      0    1    2    3",
        "",
        "south b blue: 1 king; captured 1 pawn; reserve 3 pads, 3 links, 2 blockers; turns taken 4",
        "north l black: 1 pawn; captured nothing; reserve 3 pads, 3 links, 2 blockers; turns taken 3",
        "The king at 0,0,1 may move once more.",
    ]


def tile(kind: str, inhabitants: int = 0, energy: int = 0, vp: int = 0, mayor: bool = False) -> Json:
    return {"type": kind, "inhabitants": inhabitants, "energy": energy, "vp": vp, "mayor": mayor, "mark": None}


def city() -> Json:
    slots: list[list[Json | None]] = [[None] * 4 for _ in range(4)]
    slots[0][0] = {"floors": [tile("tower", 1)] * 3, "inhabitants": 3, "energy": 1}
    slots[1][2] = {"floors": [tile("harbor", 1, 1)], "inhabitants": 1, "energy": 0}
    slots[3][3] = {"floors": [tile("harbor", vp=3)], "inhabitants": 0, "energy": 0}
    return {"slots": slots, "beside": {"inhabitants": 2, "energy": 0}}


CITY = [
    "south   1        2        3        4",
    "     1  To3+3i1e .        .        .",
    "     2  .        .        Ha+1i    .",
    "     3  .        .        .        .",
    "     4  .        .        .        Ha3v",
    "     beside: 2i",
]


def test_a_quadropolis_position() -> None:
    site: list[list[Json | str | None]] = [
        [tile("tower", 2, mayor=True), tile("shop"), None, "down", tile("service", vp=2)] for _ in range(5)
    ]
    state: Json = {
        "round": 2, "turn": 3, "mayor": "west", "site": site, "urbanist": [3, 3],
        "architects": [{"seat": "south", "number": 2, "side": "west", "line": 2},
                       {"seat": "west", "number": 4, "side": "north", "line": 5},
                       {"seat": "west", "number": 1, "side": "east", "line": 5}],
        "cities": {"south": city(), "west": city()}, "taken": {**tile("park"), "architect": 3}, "phase": "build",
    }  # fmt: skip
    lines = draw_quadropolis(state)
    assert lines[:11] == [
        "Round 2, turn 3. The Mayor is west's.",
        "                                        W4",
        "        1       2       3       4       5",
        "     1  To2i*   Sh      .       ##      Sv2v",
        "S2   2  To2i*   Sh      .       ##      Sv2v",
        "     3  To2i*   Sh      [U]     ##      Sv2v",
        "     4  To2i*   Sh      .       ##      Sv2v",
        "     5  To2i*   Sh      .       ##      Sv2v     W1",
        "",
        "south architects left: 1 3 4",
        "west  architects left: 2 3",
    ]
    assert lines[11] == "In hand: Pa, taken by architect 3."
    assert [line[:40].rstrip() for line in lines[13:19]] == CITY
    assert lines[13].endswith("west    1        2        3        4")


def test_a_lone_city_is_drawn() -> None:
    assert draw_quadropolis({"phase": "allocate", "cities": {"south": city()}})[1:7] == CITY


@every_game()
def test_every_position_is_drawn_within_a_terminal(game: AnyGame) -> None:
    assert game.facts.name in DRAWINGS
    for setup in setups_of(game):
        states = match_of(game.facts.name, setup).states
        for state in (states[0], states[len(states) // 2], states[-1]):
            lines = DRAWINGS[game.facts.name](game.dump(state))
            assert lines
            assert max(map(len, lines)) <= 132
            told = plain_lines(game, state)
            assert len(told) == len(game.layout(state).pieces) + len(game.hands(state))


def test_every_game_is_drawn() -> None:
    assert set(SPEECHES) <= set(DRAWINGS)
