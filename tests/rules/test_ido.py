"""Ido's rules by what the rulebook and the facts (part 3) say, each test named for its source."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rules.ido import IDO, State
from rules.ido.blueprint import D1
from rules.ido.geometry import DIRECTIONS, board_of
from rules.ido.speech import setup_for
from rules.protocol import Conversation
from rules.words import NORTH, SEATS, SOUTH, WEST, seat_name
from tests.rules.setups_ido import at

Json = dict[str, Any]


def played(state: State, *words: str) -> State:
    """The position after these actions."""
    for word in words:
        state = IDO.play(state, IDO.read(word, state))
    return state


def words(state: State, kind: str = "") -> set[str]:
    """The actions that are listed, those of one kind or all."""
    return {IDO.write(move) for move in IDO.moves(state) if move.verb.startswith(kind)}


def is_legal(state: State, word: str) -> bool:
    return IDO.judge(state, IDO.read(word, state)).legal


def standing(state: State) -> dict[str, str]:
    """The blocks by square, like {"5,0": "red small"}."""
    pieces = IDO.layout(state).pieces
    return {f"{c.col},{c.row}": f"{p.colour} {p.kind}" for c, p in pieces.items() if p.kind != "frame"}


@pytest.mark.parametrize("seat", SEATS, ids=seat_name)
def test_centred_only_small_blocks_start_and_a_shift_lets_a_large_one(seat: int) -> None:
    """Rulebook, note under "Start a block"; facts 3.5: three of the four first shifts do for each seat."""
    state = IDO.start(setup_for([SEATS[seat], *(one for one in SEATS if one != seat)]))
    starts = [move.piece for move in IDO.moves(state) if move.verb == "start"]
    assert {piece.kind for piece in starts if piece is not None} == {"small"}
    assert words(state, "shift") == {f"{'SWNE'[seat]}:>{way}" for way in "nesw"}
    assert sum(bool(board_of(D1).at(by).starts[seat][1]) for by in DIRECTIONS) == 3


def test_a_start_needs_room_and_supply_and_ends_the_turn() -> None:
    """Rulebook, "Start a block": on a space adjacent to the start, if there is room."""
    state = IDO.start(setup_for([SOUTH, NORTH]))
    assert words(state, "start") == {"S:s5,0"}
    after = played(state, "S:s5,0")
    assert standing(after) == {"5,0": "red small"}
    assert (after.turn, after.in_supply(SOUTH, 0)) == (NORTH, 2)
    taken = at("ys5,0")
    assert words(taken, "start") == set()
    east = at(frame_offset=[1, 0])  # s and r touch south's start, facts 3.5
    assert words(east, "start") == {"S:s5,0", "S:L6,0"}
    assert is_legal(east, "S:L7,0")
    assert words(at("yL6,0", frame_offset=[1, 0]), "start") == {"S:s5,0", "S:L7,0"}
    assert words(at("yL6,0", "ys7,0", frame_offset=[1, 0]), "start") == {"S:s5,0"}


@pytest.mark.parametrize(
    "steps",
    [
        ["S:5,5-6,5", "S:6,5-6,6", "S:6,6-5,6"],
        ["S:5,5-6,5", "S:1,1-2,1", "S:2,2-1,2"],
        ["S:1,1-2,1", "S:5,5-6,5", "S:6,5-6,6"],
    ],
    ids=["one block three spaces", "three blocks a space each", "one a space and another two"],
)
def test_three_blocks_may_go_three_spaces_in_all(steps: list[str]) -> None:
    """Rulebook, "Move blocks", the first example."""
    state = at("rs5,5", "rs1,1", "rs2,2", seats="south west north")
    for number, step in enumerate(steps):
        assert (state.turn, state.steps_left) == (SOUTH, None if number == 0 else 3 - number)
        state = played(state, step)
    assert (state.turn, state.steps_left) == (WEST, None)


def test_five_blocks_and_one_goes_home() -> None:
    """Rulebook, "Move blocks", the second example: it counts among the blocks until the turn is over."""
    state = at("rs1,5", "rs5,5", "rs1,1", "rL3,2", "rL2,3")
    state = played(state, "S:1,5-0,5", "S:0,5-home")
    assert (state.turn, state.steps_left, state.home[SOUTH]) == (SOUTH, 3, ("small",))
    state = played(state, "S:5,5-6,5", "S:6,5-6,6", "S:6,6-5,6", "N:s2,7")
    assert state.turn == SOUTH
    state = played(state, "S:5,6-6,6")
    assert state.steps_left == 3  # four blocks on the field


def test_done_ends_a_turn_after_a_step_and_no_sooner() -> None:
    """Rulebook, "Move blocks": a player need not use all of its allotted moves."""
    state = at("rs5,5", "rs1,1")
    assert not is_legal(state, "S:done")
    stepped = played(state, "S:5,5-6,5")
    assert "S:done" in words(stepped)
    assert played(stepped, "S:done").turn == NORTH
    assert words(stepped, "start") | words(stepped, "shift") | words(stepped, "pass") == set()


def test_a_turn_ends_by_itself_when_no_step_is_possible() -> None:
    """The protocol: one step is left, and no block of south's can make it: the large ones stand in corners whose
    spaces touch no rectangle."""
    state = at("rL0,1", "rL7,7", "rs3,3", "rs1,5", seats="south west north")
    after = played(state, "S:1,5-0,5", "S:0,5-home")
    assert (after.turn, after.steps_left) == (WEST, None)


def test_blocks_pass_through_filled_spaces_but_do_not_land_there() -> None:
    """Rulebook, "Move blocks": filled spaces count as spaces for movement."""
    state = at("rs5,5", "rs1,1", "rs2,2", "ys6,5")
    assert not is_legal(state, "S:5,5-6,5")
    assert "S:5,5-6,6" in words(state)
    assert played(state, "S:5,5-6,6").steps_left == 1
    assert played(state, "S:5,5-5,6", "S:5,6-6,6").steps_left == 1
    alone = at("rs5,5", "ys6,5")
    assert "S:5,5-6,6" not in words(alone)


def test_a_step_goes_on_through_filled_spaces_only() -> None:
    """The protocol: the place beyond an empty space is the next step's."""
    state = at("rs5,5", "rs1,1", "rs2,2")
    assert words(state, "step") & {"S:5,5-6,6", "S:5,5-5,6"} == {"S:5,5-5,6"}
    assert [reason.code for reason in IDO.judge(state, IDO.read("S:5,5-6,6", state)).reasons] == ["several-steps"]


def test_the_cheapest_way_counts() -> None:
    """The protocol: around by one filled space, though a longer way leads there too."""
    state = at("rs5,5", "rs6,5", "rs5,6", "ys2,2")
    assert played(state, "S:5,5-6,6").steps_left == 1


def test_home_through_filled_spaces_costs_each_of_them() -> None:
    """The protocol: each space entered costs one, and so does going home."""
    state = at("rs1,5", "ys0,5", "rs5,5", "rL3,2")
    assert "S:1,5-home" in words(state)
    assert played(state, "S:1,5-home").steps_left == 1
    assert "S:1,5-home" not in words(at("rs1,5", "ys0,5"))


def test_two_blocks_of_any_kind_share_a_rectangle() -> None:
    """Rulebook, "Block size and space size"; facts 3.1: in the original a figure's caption says so."""
    state = at("rL3,1", "ys3,2")
    assert words(state, "step") >= {"S:3,1-4,2"}
    assert not is_legal(state, "S:3,1-3,2")
    full = at("rL3,1", "ys3,2", "yL4,2")
    assert not any(word.endswith(("3,2", "4,2")) for word in words(full, "step"))
    either = at("rL3,1")
    assert is_legal(either, "S:3,1-3,2")
    assert is_legal(either, "S:3,1-4,2")
    assert len([word for word in words(either, "step") if word.endswith(("3,2", "4,2"))]) == 1


@pytest.mark.parametrize(
    ("block", "reached"),
    [
        ("rs3,3", set()),  # the large square in the middle touches rectangles only
        ("rL3,3", {"S:3,3-2,3", "S:3,3-3,2", "S:3,3-3,5", "S:3,3-5,3"}),
        ("rs7,7", {"S:7,7-5,7", "S:7,7-6,6", "S:7,7-7,5"}),  # an L-space
        ("rL7,7", set()),
        ("rs3,2", {"S:3,2-2,2", "S:3,2-5,2"}),  # a rectangle
        ("rL2,2", {"S:2,2-2,3", "S:2,2-3,2"}),  # a small square
    ],
)
def test_blocks_leave_spaces_on_which_they_could_not_be_moved(block: str, reached: set[str]) -> None:
    """Rulebook, the note under "Shifting the frame"; never onto large squares, L-spaces or the other size's."""
    assert words(at(block), "step") == reached


def test_bars_push_blocks_and_blocks_push_blocks() -> None:
    """Facts 3.6: bars push what is just ahead; what stands in the way of a pushed block is pushed too."""
    state = at("rs1,1", "ys2,1", "yL3,1", "rs6,2", "rL1,0", seats="south west north")
    after = played(state, "S:>e")
    assert standing(after) == {
        "2,1": "red small", "3,1": "yellow small", "4,1": "yellow large", "6,2": "red small", "1,0": "red large"
    }  # fmt: skip
    assert after.offset == (1, 0)
    assert (after.turn, after.shifted_by) == (WEST, SOUTH)


def test_what_is_pushed_off_the_field_goes_to_supply_or_home() -> None:
    """Rulebook, "Shifting the frame", the two points."""
    state = at("rs0,5", "ys0,6", "rL0,4", "yL2,3")
    after = played(state, "S:>w")
    assert standing(after) == {"1,3": "yellow large"}
    assert after.home[SOUTH] == ("small",)
    assert (after.in_supply(SOUTH, 0), after.in_supply(SOUTH, 1), after.in_supply(NORTH, 0)) == (2, 3, 3)


def test_only_the_edge_that_is_crossed_tells_whose_target_it_is() -> None:
    """Facts 3.6: a block pushed over the border is home if the edge there is its own target."""
    corner = at("bs6,7", "bL7,6", "rs0,6", seats="south west north")
    assert played(corner, "S:>n").home[WEST] == ("small",)
    assert played(corner, "S:>e").home == ((), (), (), ())
    assert played(corner, "S:>n").home[SOUTH] == ()


def test_chain_pushes_may_be_refused() -> None:
    """Facts 3.6, open: a shift that would push a block onto one that no bar pushes is refused."""
    refuse = {"chain_push": "refuse"}
    assert words(at("rs1,1", "ys2,1", options=refuse), "shift") == {"S:>n", "S:>s"}
    assert words(at("rs1,1", "ys3,1", options=refuse), "shift") == {"S:>n", "S:>e", "S:>s", "S:>w"}


def test_a_shift_of_another_brings_home_and_ends_the_game_at_once() -> None:
    """Rulebook, "Game end and variants": the first to have four blocks across wins, the game ends immediately."""
    state = at("rs0,5", "ys5,5", home={"south": ["large", "large", "small"]}, to_move="north")
    after = played(state, "N:>w")
    outcome = IDO.outcome(after)
    assert outcome is not None
    assert (after.turn, outcome.winners) == (None, (SOUTH,))
    assert list(IDO.moves(after)) == []
    assert {line.seat for line in IDO.score(after)} == {SOUTH}
    assert sum(line.points for line in IDO.score(after)) == 4


@pytest.mark.parametrize("goal", [3, 4, 5])
def test_three_four_or_five_blocks_to_win(goal: int) -> None:
    """Rulebook, "Game end and variants"; the game ends in the middle of a turn."""
    home = (["small", "large"] * 3)[: goal - 1]
    state = at("rL0,6", "rs5,5", home={"south": home}, options={"goal": goal})
    assert IDO.outcome(state) is None
    after = played(state, "S:0,6-home")
    assert IDO.outcome(after) is not None
    assert (after.turn, after.steps_left) == (None, None)


def test_more_than_the_goal_may_come_home_at_once() -> None:
    state = at("rs0,5", "rL0,6", home={"south": ["small", "large"]}, options={"goal": 3})
    assert sorted(played(state, "S:>w").home[SOUTH]) == ["large", "large", "small", "small"]


@pytest.mark.parametrize(
    ("order", "home", "blocks", "wanted"),
    [
        (["large", "small", "large", "small"], [], ["rs0,5", "rL0,6"], ["large", "small"]),
        (["small", "large", "small", "large"], [], ["rs0,5", "rL0,6"], ["small", "large"]),
        (["small", "large", "small", "large"], [], ["rs0,5", "rs0,6"], ["small"]),
        (["small", "large", "small", "large"], ["small"], ["rs0,5", "rs0,6"], ["small"]),
        (["small", "small", "large", "large"], [], ["rs0,5", "rs0,6"], ["small", "small"]),
        (["small", "large", "large", "small"], ["small", "large", "large"], ["rL0,5", "rs0,6"],
         ["small", "large", "large", "small"]),
        (["small", "large", "large", "small"], ["small", "large", "large"], ["rs0,5", "rs0,6"],
         ["small", "large", "large", "small"]),
    ],
)  # fmt: skip
def test_blocks_that_cross_at_once_do_so_in_the_best_order(
    order: list[str], home: list[str], blocks: list[str], wanted: list[str]
) -> None:
    """Rulebook, "Game end and variants": the owning player may choose the order they cross."""
    state = at(*blocks, home={"south": home}, options={"order": order})
    after = played(state, "S:>w")
    assert list(after.home[SOUTH]) == wanted
    assert all(after.in_supply(SOUTH, n) == 3 - wanted.count(size) for n, size in enumerate(("small", "large")))


def test_out_of_order_a_block_returns_to_supply() -> None:
    """Rulebook, "Game end and variants": moved over the target out of order, too."""
    order = {"order": ["large", "small", "large", "small"]}
    after = played(at("rs0,5", "rL0,6", options=order), "S:0,5-home")
    assert (after.home[SOUTH], after.in_supply(SOUTH, 0), after.steps_left) == ((), 3, 1)
    assert played(after, "S:0,6-home").home[SOUTH] == ("large",)


def test_who_follows_a_shift_may_not_shift() -> None:
    """Rulebook, "Shifting the frame": never by two successive players; then in any way, also back."""
    state = played(IDO.start(setup_for(SEATS)), "S:>n")
    assert words(state, "shift") == set()
    state = played(state, sorted(words(state))[0])
    assert (state.turn, state.shifted_by) == (NORTH, None)
    assert words(state, "shift") == {"N:>e", "N:>s", "N:>w"}
    assert played(state, "N:>s").offset == (0, 0)


def test_with_two_a_player_may_not_shift_on_two_of_its_turns() -> None:
    """Rulebook, the note under "Shifting the frame"."""
    state = played(at("rs5,5", "ys2,2"), "S:>n")
    seen = []
    for _ in range(4):
        seen.append((seat_name(state.turn), bool(words(state, "shift"))))  # type: ignore[arg-type]
        first = next(move for move in IDO.moves(state) if move.verb in ("step", "start"))
        state = IDO.play(state, first)
        if state.steps_left is not None:
            state = played(state, IDO.write(next(m for m in IDO.moves(state) if m.verb == "done")))
    assert seen == [("north", False), ("south", False), ("north", True), ("south", True)]


def test_who_can_do_nothing_passes() -> None:
    """Rulebook, "Play flow" and "Shifting the frame": this may lead to a player having no move."""
    state = at("ys5,0", shifted_by="north")
    assert words(state) == {"S:pass"}
    after = played(state, "S:pass")
    assert (after.turn, after.shifted_by) == (NORTH, NORTH)
    free = at("ys5,0")
    assert "S:pass" not in words(free)
    assert not is_legal(free, "S:pass")


def test_the_frame_never_lies_on_start_or_target() -> None:
    """Rulebook, "Shifting the frame"; facts 3.3, point 4."""
    assert words(at(frame_offset=[1, -1]), "shift") == {"S:>n", "S:>w"}
    assert words(at(frame_offset=[0, 1]), "shift") == {"S:>e", "S:>s", "S:>w"}


def test_leaving_may_cost_nothing() -> None:
    """Facts 3.6, open: with the last step made a block that touches its target may still leave."""
    free = {"leaving_costs": 0}
    state = played(at("rs1,5", options=free), "S:1,5-0,5")
    assert (state.turn, state.steps_left) == (SOUTH, 0)
    assert words(state) == {"S:0,5-home", "S:done"}
    after = played(state, "S:0,5-home")
    assert (after.turn, after.home[SOUTH]) == (NORTH, ("small",))
    first = played(at("rs0,5", "rs5,5", options=free), "S:0,5-home")
    assert (first.turn, first.steps_left) == (SOUTH, 2)
    filled = at("rs1,5", "ys0,5", options=free)
    assert "S:1,5-home" in words(filled)  # the filled space costs its step


def test_leaving_may_ask_for_the_own_shape() -> None:
    """Facts 3.6, open: whether a block on a wrong-shaped space beside its target may leave directly."""
    assert "S:0,6-home" in words(at("rs0,6"))
    assert "S:0,6-home" not in words(at("rs0,6", options={"leave_from": "own_shape"}))
    assert "S:0,5-home" in words(at("rs0,5", options={"leave_from": "own_shape"}))


def test_a_space_touches_the_target_with_any_of_its_squares() -> None:
    """The protocol: home goes from a space that touches the target, wherever on it the block stands."""
    west = at("rL1,5", frame_offset=[1, 0])  # the rectangle 0,5 and 1,5
    assert "S:1,5-home" in words(west)


def test_the_protocol_speaks_ido() -> None:
    client = Conversation(IDO)

    def ask(**request: Any) -> Json:
        answer: Json = json.loads(client.answer(json.dumps(request)))
        return answer

    state = ask(op="new", seats=["north", "south"], options={"goal": 3})["state"]
    assert (state["to_move"], state["options"]["goal"], state["steps_left"]) == ("north", 3, None)
    assert {"kind": "start", "seat": "north", "size": "small", "square": [2, 7], "text": "N:s2,7"} in ask(
        op="actions"
    )["actions"]
    state = ask(op="play", action={"kind": "shift", "by": [0, -1]})["state"]
    assert (state["frame_offset"], state["shifted_by"], state["to_move"]) == ([0, -1], "north", "south")
    judged = ask(op="judge", action={"kind": "shift", "by": [0, 1]})
    assert [reason["code"] for reason in judged["reasons"]] == ["shift-after-shift"]
    refused = ask(op="play", action={"kind": "start", "size": "small", "square": [9, 9]})
    assert [(reason["code"], reason["at"]) for reason in refused["reasons"]] == [("off-board", [9, 9])]
    assert ask(op="new", seats=["south", "west"])["faults"][0]["code"] == "seats"
