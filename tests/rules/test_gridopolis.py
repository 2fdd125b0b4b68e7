"""Gridopolis: the figures and rules of the rulebook, what the facts give, the protocol's readings, the faults."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rules.catalogue import GAMES
from rules.gridopolis import GRIDOPOLIS, State
from rules.gridopolis.speech import SPEECH, setup_for
from rules.protocol import Conversation
from rules.words import EAST, NORTH, SEATS, SOUTH, WEST, Seat
from tests.rules.test_gridopolis_reasons import at

Json = dict[str, Any]
Node = tuple[int, int, int]


def start(*seats: Seat, **options: str) -> State:
    return GRIDOPOLIS.start(setup_for(seats or (SOUTH, NORTH), list(options.items())))


def played(state: State, *words: str) -> State:
    for word in words:
        state = GRIDOPOLIS.play(state, GRIDOPOLIS.read(word, state))
    return state


def shown(state: State) -> Json:
    value: Json = json.loads(json.dumps(GRIDOPOLIS.dump(state)))
    return value


def words(state: State, source: str = "") -> set[str]:
    """What is legal, or what the marker on a node may do, without the seat."""
    listed = {GRIDOPOLIS.write(move).partition(":")[2] for move in GRIDOPOLIS.moves(state)}
    return {word for word in listed if word.startswith((f"{source}>", f"{source}*"))} if source else listed


def landings(state: State, source: str) -> set[Node]:
    """Where a marker's steps land, before any teleporter."""
    node = tuple(int(part) for part in source.split(","))
    return {
        (move.path[0].col, move.path[0].row, move.path[0].level)
        for move in GRIDOPOLIS.moves(state)
        if move.source is not None and (move.source.col, move.source.row, move.source.level) == node
        if move.verb == "move" and max(abs(move.path[0].col - node[0]), abs(move.path[0].row - node[1])) < 2
    }


@pytest.mark.parametrize(
    ("seats", "pads", "links", "kingerizers"),
    [((SOUTH, NORTH), 39, 56, 6), ((SOUTH, WEST, EAST), 45, 66, 9), (SEATS, 51, 76, 12)],
    ids=["two", "three", "four"],
)
def test_the_counts_of_the_matrix(seats: tuple[Seat, ...], pads: int, links: int, kingerizers: int) -> None:
    """Facts 2.2, both tables: with all reserves the four-player Matrix uses every pad, link and post of the box."""
    saved = shown(start(*seats))
    assert (len(saved["pads"]), len(saved["links"]), len(saved["posts"])) == (pads, links, 8)
    assert sum(pad["part"] == "kingerizer" for pad in saved["pads"]) == kingerizers
    assert sum(pad["part"] == "teleporter" for pad in saved["pads"]) == 5
    assert len(saved["markers"]) == 6 * len(seats)
    left = saved["reserve"].values()
    assert all(one == {"pads": 3, "links": 3, "posts": 2, "blockers": 2} for one in left)
    if len(seats) == 4:
        assert [pads + sum(one["pads"] for one in left), links + sum(one["links"] for one in left)] == [63, 88]
        assert 8 + sum(one["posts"] for one in left) == 16


def test_the_figure_of_six_legal_moves() -> None:
    """Rulebook, Starting: "All 6 moves shown in orange are legal"; facts 2.3: a front-row corner pawn (inferred)."""
    assert landings(start(), "0,-1,1") == {(x, 0, z) for x in (0, 1) for z in (0, 1, 2)}
    assert landings(start(), "2,-1,1") == {(x, 0, z) for x in (1, 2) for z in (0, 1, 2)}
    assert len(landings(start(), "1,-1,1")) == 9


@pytest.mark.parametrize("seat", SEATS)
def test_every_seat_begins_alike(seat: Seat) -> None:
    """Facts 2.2: forward is away from the own home row, and the Matrix has quarter-turn symmetry."""
    state = start(seat, *(other for other in SEATS if other != seat))
    assert len(words(state)) == len(words(start(*SEATS)))


def without_teleporters() -> list[Json]:
    """The pads of the Matrix with nothing on them but the kingerizers."""
    return [{**p, "part": None} if p["part"] == "teleporter" else p for p in shown(start())["pads"]]


def test_jumping_ones_own() -> None:
    """Rulebook, Later: over one's own team, several in one move, straight on; they stay."""
    south, north = "0,-2,1 0,-1,1 0,1,1 2,0,0", "2,4,1 1,4,1"
    state = at(south, north, pads=without_teleporters())
    jumps = {word for word in words(state, "0,-2,1") if word.startswith("0,-2,1>0,0,1")}
    assert jumps == {"0,-2,1>0,0,1", "0,-2,1>0,0,1>0,2,1"}
    after = played(state, "S:0,-2,1>0,0,1>0,2,1")
    assert len(after.markers) == len(state.markers)
    from_teleporter = {word for word in words(at(south, north)) if word.startswith("0,-2,1>0,0,1")}
    assert from_teleporter == {f"0,-2,1>0,0,1@{out}" for out in ("2,0,1", "1,1,1", "0,2,1", "2,2,1")}


@pytest.mark.parametrize(
    ("name", "blue", "green", "word"),
    [
        ("diagonal", "0,0,2", "1,1,2", "S:0,0,2>2,2,2x1,1,2"),
        ("vertical", "1,0,0", "1,0,1", "S:1,0,0>1,0,2x1,0,1"),
        ("diagonal and over storeys", "0,0,0", "1,1,1", "S:0,0,0>2,2,2x1,1,1"),
        ("down", "1,2,2", "1,2,1", "S:1,2,2>1,2,0x1,2,1"),
    ],
)
def test_captures_in_a_straight_line(name: str, blue: str, green: str, word: str) -> None:
    """Rulebook, Jumping basics and advanced: "Diagonal move", "Vertical move", lines over several levels."""
    state = at(f"{blue} 0,-1,1", f"{green} 0,4,1")
    after = shown(played(state, word))
    assert after["captured"]["south"] == [{"colour": "green", "rank": "pawn"}]
    assert len(after["markers"]) == 3
    assert after["to_move"] == "north"


def test_the_illegal_jump_that_looks_straight_from_above() -> None:
    """Rulebook, "Illegal jump": from one storey over a marker on another to a pad on neither's line."""
    state = at("0,0,1 0,-1,1", "1,0,2 0,4,1")
    assert not any("x1,0,2" in word for word in words(state))
    state = at("0,0,2 0,-1,1", "1,1,3 0,4,1", pads=[*shown(start())["pads"], {"node": [1, 1, 3], "part": None}],
               links=[*shown(start())["links"], [[1, 1, 3], [1, 2, 3]]],
               posts=[*shown(start())["posts"], [[1, 1, 2], [1, 2, 2]]])  # fmt: skip
    assert not any("x1,1,3" in word for word in words(state)), "without the top pad the jump is illegal"


def test_a_multi_jump_captures_three() -> None:
    """Rulebook, Multi-jump: "Blue captures three greens in one move!"; each prefix is a move too."""
    state = at("1,-2,1", "1,-1,1 1,1,1 1,3,1 0,4,1", pads=without_teleporters())
    chain = "1,-2,1>1,0,1>1,2,1>1,4,1x1,-1,1x1,1,1x1,3,1"
    assert {chain, "1,-2,1>1,0,1x1,-1,1", "1,-2,1>1,0,1>1,2,1x1,-1,1x1,1,1"} <= words(state)
    after = shown(played(state, f"S:{chain}"))
    assert len(after["captured"]["south"]) == 3
    assert {"node": [1, 4, 1], "colour": "blue", "rank": "king"} in after["markers"]


def test_a_king_captures_in_any_direction_and_moves_again() -> None:
    """Rulebook, King jumping: "Triple capture jump. [Optional move #2 remaining.]"."""
    state = at("K0,0,0", "1,0,0 2,1,0 1,2,0 0,4,1")
    chain = "0,0,0>2,0,0>2,2,0>0,2,0x1,0,0x2,1,0x1,2,0"
    assert chain in words(state)
    after = played(state, f"S:{chain}")
    assert shown(after) | {"mover": [0, 2, 0], "moves_left": 1, "to_move": "south"} == shown(after)
    assert GRIDOPOLIS.phase(after) == "second-move"
    assert "done" in words(after)
    assert not any(word[0] in "b+" for word in words(after)), "a king's second move is no building"
    assert {word.split(">")[0] for word in words(after) - {"done"}} == {"0,2,0"}
    assert shown(played(after, "S:done"))["to_move"] == "north"
    assert shown(played(after, "S:0,2,0>0,1,0"))["turns"] == {"south": 1, "north": 0}


def test_a_pawn_that_is_kinged_has_had_its_move() -> None:
    """Rulebook, "... and as a king, flip it!"; the protocol: who began the turn as king moves again."""
    after = shown(played(at("0,3,1", "1,3,1 2,3,1"), "S:0,3,1>0,4,1"))
    assert after["to_move"] == "north"
    assert (after["mover"], after["moves_left"]) == (None, 2)
    assert after["markers"][0]["rank"] == "king"


def test_a_kings_turn_ends_by_itself_when_it_has_no_second_move() -> None:
    """Protocol: it came out of a teleporter, and around that nothing is free."""
    places = ["0,0,0", "2,2,0", "2,2,2", "2,0,2", "0,2,2"]
    fenced = "1,0,0 0,1,0 1,1,0 0,0,1 1,0,1 0,1,1 1,1,1 0,-1,1"
    none = {"pads": 0, "links": 0, "posts": 0, "blockers": 0}
    pads = [
        {**pad, "part": "teleporter" if ",".join(map(str, pad["node"])) in places else None}
        if pad["part"] != "kingerizer" else pad
        for pad in shown(start())["pads"]
    ]  # fmt: skip
    for pad in pads:
        if ",".join(map(str, pad["node"])) in fenced.split():
            pad["part"] = "blocker"
    state = at("K1,2,2 1,-1,1", "0,4,1", pads=pads, reserve={"south": none, "north": none})
    out = played(state, "S:1,2,2>2,2,2@0,0,0")
    assert shown(out) | {"to_move": "north", "mover": None, "moves_left": 2} == shown(out)
    assert shown(played(state, "S:1,2,2>2,2,2@2,0,2"))["to_move"] == "south"


def test_teleporters() -> None:
    """Rulebook, Teleporter and Teleporters: any other open one; none open: stay; the jump there is free."""
    outs = {"0,-1,1>0,0,1@2,0,1", "0,-1,1>0,0,1@1,1,1", "0,-1,1>0,0,1@0,2,1", "0,-1,1>0,0,1@2,2,1"}
    assert {word for word in words(start()) if word.startswith("0,-1,1>0,0,1")} == outs
    full = at("0,-1,1 2,0,1 1,1,1", "0,2,1 2,2,1")
    assert {word for word in words(full) if word.startswith("0,-1,1>0,0,1")} == {"0,-1,1>0,0,1"}
    one = at("0,-1,1 2,0,1 1,1,1", "0,2,1 0,4,1")
    assert {word for word in words(one) if word.startswith("0,-1,1>0,0,1")} == {"0,-1,1>0,0,1@2,2,1"}


def test_a_pawn_teleports_backwards_and_back_to_where_it_began() -> None:
    """Rulebook: "Pawns can teleport to any open teleporter, whether forward or backward"; the pad it left is free."""
    state = at("1,1,1", "0,4,1 1,4,1")
    assert {"1,1,1>0,2,1@0,0,1", "1,1,1>0,2,1@1,1,1"} <= words(state)
    assert shown(played(state, "S:1,1,1>0,2,1@1,1,1"))["to_move"] == "north"


def test_a_king_takes_a_teleporter_and_moves_on() -> None:
    """Rulebook: "Move #1: take the teleporter, teleport! Move #2: capture green!"."""
    after = played(at("K1,0,0", "1,2,1 0,4,1"), "S:1,0,0>1,1,1@0,2,1", "S:0,2,1>2,2,1x1,2,1@1,1,1")
    assert shown(after)["captured"]["south"] == [{"colour": "green", "rank": "pawn"}]


def test_captures_end_on_a_teleporter_unless_the_table_wants_otherwise() -> None:
    """Protocol, `chain_after_teleport`: `path` then lists where it came out too. Facts 2.4 item 5."""
    south, north = "0,-2,1", "0,-1,1 1,2,1 0,4,1"
    chain = "0,-2,1>0,0,1>0,2,1>2,2,1x0,-1,1x1,2,1@0,0,1"
    assert chain not in words(at(south, north))
    state = at(south, north, options={"chain_after_teleport": True})
    assert chain in words(state)
    move = GRIDOPOLIS.read(f"S:{chain}", state)
    assert SPEECH.action(move)["path"] == [[0, 0, 1], [0, 2, 1], [2, 2, 1]]
    assert len(shown(played(state, f"S:{chain}"))["captured"]["south"]) == 2


def test_a_chain_goes_on_from_a_teleporter_that_does_not_teleport() -> None:
    state = at("0,-2,1 2,0,1 1,1,1", "0,-1,1 0,1,1 2,2,1 0,4,1")
    assert "0,-2,1>0,0,1x0,-1,1@0,2,1" in words(state)
    state = at("0,-2,1 2,0,1 1,1,1 2,2,1", "0,-1,1 1,0,1 0,2,1 0,4,1 1,0,2")
    assert "0,-2,1>0,0,1x0,-1,1" in words(state)


def test_a_kamikaze_takes_both() -> None:
    """Rulebook, Kamikaze: green is captured, blue is given to green's player; points go along."""
    after = played(at("1,0,2 K0,0,0", "2,0,2 0,4,1"), "S:1,0,2*2,0,2")
    saved = shown(after)
    assert saved["captured"] == {
        "south": [{"colour": "green", "rank": "pawn"}],
        "north": [{"colour": "blue", "rank": "pawn"}],
    }
    points = {(line.seat, line.label): line.points for line in GRIDOPOLIS.score(after)}
    assert points == {
        (SOUTH, "captured_pawns"): 3, (SOUTH, "kings_left"): 2, (NORTH, "captured_pawns"): 3, (NORTH, "pawns_left"): 1,
    }  # fmt: skip


def test_a_last_marker_jumps_another_last_marker() -> None:
    """Rulebook, Kamikaze: "the one jumping wins the game"; also in a timed game."""
    for options in ({}, {"ending": {"turns": 9}}):
        after = played(at("1,0,2", "2,0,2", options=options), "S:1,0,2*2,0,2")
        outcome = GRIDOPOLIS.outcome(after)
        assert outcome is not None
        assert outcome.winners == (SOUTH,)
        assert shown(after)["won_by"] == "south"
        assert GRIDOPOLIS.load(shown(after)) == after


def test_a_blocked_pad_and_the_kamikaze() -> None:
    """Facts 2.4 item 5: a blocked pad still exists; protocol, `blocked_is_off`."""
    assert "0,0,0*1,0,0" not in words(at("0,0,0", "1,0,0 0,4,1", blocked="2,0,0"))
    assert "0,0,0*1,0,0" in words(at("0,0,0", "1,0,0 0,4,1", blocked="2,0,0", options={"blocked_is_off": True}))


def test_adding_pads() -> None:
    """Rulebook, Add-a-pad: beside a pad with a link; above one with a post and a link; three pads, two posts each."""
    state = played(start(), "S:+3,0,1", "N:+0,2,3/post")
    saved = shown(state)
    assert saved["reserve"] == {
        "south": {"pads": 2, "links": 2, "posts": 2, "blockers": 2},
        "north": {"pads": 2, "links": 2, "posts": 1, "blockers": 2},
    }
    assert {"node": [0, 2, 3], "part": None} in saved["pads"]
    (post,) = [link for link in saved["posts"] if [0, 2, 2] in link]
    (raised,) = [link for link in saved["links"] if [0, 2, 3] in link]
    assert [[x, y, z + 1] for x, y, z in post] == raised
    (other,) = [end for end in raised if end != [0, 2, 3]]
    ready = played(state, f"S:+{','.join(map(str, other))}")  # the link that ends there is used, none is taken
    assert shown(ready)["reserve"]["south"] == {"pads": 1, "links": 2, "posts": 2, "blockers": 2}
    assert len(shown(ready)["links"]) == len(saved["links"])
    assert "2,-1,1>3,0,1" in words(at("2,-1,1", "0,4,1", pads=saved["pads"], links=saved["links"],
                                      posts=saved["posts"], reserve=saved["reserve"]))  # fmt: skip


def test_needs_pad_below() -> None:
    """Facts 2.4 item 4: the rulebook says it once without condition, once for posts."""
    with_post_only, always = words(start()), words(start(needs_pad_below="always"))
    assert {"+3,0,1", "+3,0,0", "+3,0,2", "+0,-1,2", "+0,-1,2/post"} <= with_post_only
    assert {word for word in always if word[0] == "+" and "/" not in word} == {
        f"+{x},{y},2" for x in range(3) for y in (-1, 3)
    }


def test_blocker_boxes() -> None:
    """Rulebook, Blocker-box: on any open pad without kingerizer, teleporter or marker; two each, for good."""
    assert len([word for word in words(start()) if word[0] == "b"]) == 22
    state = played(start(), "S:b1,0,1", "N:b1,1,2", "S:b0,0,0", "N:b0,2,2")
    assert not any(word[0] == "b" for word in words(state))
    assert (1, 0, 1) not in landings(state, "1,-1,1")


def test_the_last_one_standing_wins_and_seats_without_markers_are_passed_over() -> None:
    """Rulebook, Option 1; protocol: seats without markers are passed over."""
    saved = shown(start(*SEATS))
    keep = {"blue": [1, 0, 0], "purple": [0, 0, 2], "green": [1, 1, 0], "yellow": [2, 2, 2]}
    saved["markers"] = [{"node": node, "colour": colour, "rank": "pawn"} for colour, node in keep.items()]
    saved["moved"] = list(keep.values())
    del saved["markers"][1]
    saved["moved"].remove([0, 0, 2])
    after = played(GRIDOPOLIS.load(saved), "S:1,0,0>1,2,0x1,1,0")
    assert GRIDOPOLIS.to_move(after) == EAST, "west has no marker, and north no more"
    after = played(GRIDOPOLIS.load({**saved, "markers": saved["markers"][:2], "moved": []}), "S:1,0,0>1,2,0x1,1,0")
    outcome = GRIDOPOLIS.outcome(after)
    assert outcome is not None
    assert outcome.winners == (SOUTH,)


def test_a_timed_game_gives_all_the_same_turns() -> None:
    """Rulebook, Option 2: it goes on until right before the person who started; most points win."""
    state = start(NORTH, SOUTH, ending='{"turns":2}')
    state = played(state, "N:b1,1,0", "S:b1,2,0", "N:b1,0,0")
    assert GRIDOPOLIS.to_move(state) == SOUTH
    state = played(state, "S:b0,1,0")
    outcome = GRIDOPOLIS.outcome(state)
    assert GRIDOPOLIS.to_move(state) is None
    assert outcome is not None
    assert outcome.winners == (SOUTH, NORTH)
    assert shown(state)["turns"] == {"south": 2, "north": 2}


def test_points() -> None:
    """Rulebook, Point system: 4, 3, 2, 1; over the protocol every part, those of 0 too."""
    green, pawn = {"colour": "green", "rank": "king"}, {"colour": "green", "rank": "pawn"}
    state = at("K0,0,0 1,1,0", "0,4,1", captured={"south": [green, pawn, pawn], "north": []})
    talk = Conversation(GRIDOPOLIS)
    talk.answer(json.dumps({"op": "load", "state": shown(state)}))
    assert json.loads(talk.answer('{"op": "score"}'))["scores"] == {
        "south": {"total": 13, "captured_kings": 4, "captured_pawns": 6, "kings_left": 2, "pawns_left": 1},
        "north": {"total": 1, "captured_kings": 0, "captured_pawns": 0, "kings_left": 0, "pawns_left": 1},
    }


def test_who_can_do_nothing_is_done() -> None:
    """Protocol: `done`, alone in the list, when nothing else is possible."""
    nothing = {"pads": 0, "links": 0, "posts": 0, "blockers": 0}
    state = at("0,2,2", "2,0,0", blocked="1,2,2", reserve={"south": nothing, "north": nothing})
    saved = shown(state)
    keep = [[0, 2, 2], [1, 2, 2], [2, 2, 2], [2, 1, 2], [2, 0, 2], [2, 0, 1], [2, 0, 0], [1, 0, 0]]
    saved["pads"] = [{**pad, "part": None} for pad in saved["pads"] if pad["node"] in keep]
    saved["pads"][[pad["node"] for pad in saved["pads"]].index([1, 2, 2])]["part"] = "blocker"
    saved["links"] = [link for link in saved["links"] if all(end in keep for end in link)]
    saved["links"] += [[[2, 0, 1], [3, 0, 1]], [[2, 0, 2], [3, 0, 2]], [[2, 0, 0], [3, 0, 0]]]
    saved["posts"] = [[[2, 0, 1], [3, 0, 1]], [[2, 0, 0], [3, 0, 0]]]
    stuck = GRIDOPOLIS.load(saved)
    assert words(stuck) == {"done"}
    assert shown(played(stuck, "S:done"))["to_move"] == "north"


def test_three_players_may_sit_anywhere() -> None:
    state = start(WEST, NORTH, EAST)
    assert {pad["node"][1] for pad in shown(state)["pads"]} == set(range(5))
    assert GRIDOPOLIS in GAMES
