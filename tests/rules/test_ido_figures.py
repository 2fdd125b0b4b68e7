"""The figures of the facts and the worked examples of the rulebook, each named where it is tested."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rules.ido import IDO, State
from rules.ido.speech import SPEECH, setup_for
from rules.words import NORTH, SEATS, SOUTH

Json = dict[str, Any]
FACTS = Path(__file__).parents[3] / "shared" / "facts" / "gridopolis-ido.md"
COLOURS = {"south": "red", "west": "blue", "north": "yellow", "east": "green"}
OFFSETS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]


Block = tuple[str, str, int, int]


def saved(*blocks: Block, seats: str = "south north", home: Json | None = None, **more: Any) -> Json:
    """A position with these blocks (seat, size, x, y), the rest in supply; south is to move."""
    names = seats.split()
    crossed = {name: list((home or {}).get(name, [])) for name in names}
    there = [(name, size) for name, size, _, _ in blocks]
    supply = {
        name: {size: 3 - there.count((name, size)) - crossed[name].count(size) for size in ("small", "large")}
        for name in names
    }
    state: Json = dict(IDO.dump(IDO.start(SPEECH.setup({"seats": names, "options": more.pop("options", {})}))))
    placed = [{"square": [x, y], "colour": COLOURS[name], "size": size} for name, size, x, y in blocks]
    return {**state, "blocks": placed, "supply": supply, "home": crossed, "to_move": "south", **more}


def act(state: State, **action: Any) -> State:
    return IDO.play(state, SPEECH.move(action, state))


def why(state: State, **action: Any) -> list[str]:
    return [reason.code for reason in IDO.judge(state, SPEECH.move(action, state)).reasons]


def listed(state: State) -> list[Json]:
    return [SPEECH.action(move) for move in IDO.moves(state)]


def squares(state: State, **words: Any) -> set[tuple[int, int]]:
    """Where the listed actions that have these words lead to."""
    found = [action for action in listed(state) if words.items() <= action.items()]
    places = [action["to"] if action["kind"] == "step" else action["square"] for action in found]
    return {tuple(place) for place in places if isinstance(place, list)}


def shapes() -> dict[tuple[int, int], list[str]]:
    """The nine pictures of facts 3.4 by the frame's offset: rows from the north, a letter s r L Q for each square."""
    found: dict[tuple[int, int], list[str]] = {}
    lines = FACTS.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        for part, head in enumerate(re.finditer(r"frame [NESWC]+ \(([+-]\d),([+-]\d)\)", line)):
            left = part * 31 + 2
            rows = [lines[number + 3 + 2 * row].ljust(96)[left + 1 : left + 25] for row in range(8)]
            found[int(head[1]), int(head[2])] = [re.sub(r"[^srLQ]", "", row) for row in rows]
    return found


@pytest.mark.skipif(not FACTS.exists(), reason="the shared facts are not here")
@pytest.mark.parametrize("offset", OFFSETS)
def test_a_lone_block_finds_the_shapes_of_the_pictures(offset: tuple[int, int]) -> None:
    """Facts 3.4: a small block may be moved into the squares marked s and no others, a large one into those marked r.

    Each square is asked about from a square beside it, and from the same space never.
    """
    rows = shapes()[offset]
    assert [len(row) for row in rows] == [8] * 8
    for x, y in ((x, y) for x in range(8) for y in range(8)):
        for size, mark in (("small", "s"), ("large", "r")):
            codes = set()
            for i, j in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if 0 <= i < 8 and 0 <= j < 8:
                    state = IDO.load(saved(("south", size, i, j), frame_offset=list(offset)))
                    codes.update(why(state, kind="step", **{"from": [i, j]}, to=[x, y]) or ["legal"])
            if rows[7 - y][x] == mark:
                assert codes <= {"legal", "same-space"}, (x, y, size)
                assert "legal" in codes
            else:
                assert "legal" not in codes, (x, y, size)


STARTS = {  # facts 3.5: by offset, what touches the starts of south, east, north and west
    (-1, 1): "r r r r", (0, 1): "r sr r s", (1, 1): "r r r r", (-1, 0): "s r sr r", (0, 0): "s s s s",
    (1, 0): "sr r s r", (-1, -1): "r r r r", (0, -1): "r s r sr", (1, -1): "r r r r",
}  # fmt: skip


@pytest.mark.parametrize("offset", OFFSETS)
def test_what_may_start_where_is_as_the_table_has_it(offset: tuple[int, int]) -> None:
    """Facts 3.5, the columns `start`; L and Q are left out, for no block may enter them."""
    for seat, wanted in zip(("south", "east", "north", "west"), STARTS[offset].split(), strict=True):
        state = IDO.load(saved(seats=" ".join(COLOURS), frame_offset=list(offset), to_move=seat))
        sizes = {action["size"] for action in listed(state) if action["kind"] == "start"}
        assert sizes == {{"s": "small", "r": "large"}[mark] for mark in wanted}, seat


def test_centred_only_the_small_start_and_one_shift_lets_a_large_one() -> None:
    """Rulebook, the note under "Start a block"; facts 3.5: three of the four first shifts do for each seat."""
    for seat in SEATS:
        first = [seat, *(other for other in SEATS if other != seat)]
        state = IDO.start(setup_for(first))
        assert {action["size"] for action in listed(state) if action["kind"] == "start"} == {"small"}
        helped = 0
        for way in ([0, 1], [1, 0], [0, -1], [-1, 0]):
            after = act(state, kind="shift", by=way)
            for _ in range(len(SEATS) - 1):
                after = act(after, **next(one for one in listed(after) if one["kind"] == "start"))
            helped += "large" in {action["size"] for action in listed(after) if action["kind"] == "start"}
        assert helped == 3


def test_three_blocks_share_three_steps() -> None:
    """Rulebook, the example of "Move blocks": one block three spaces, three blocks one each, or one and two."""
    at = [("south", "small", 2, 5), ("south", "small", 2, 2), ("south", "small", 5, 2)]
    start = IDO.load(saved(*at))
    alone = start
    for here, there in (([2, 5], [1, 5]), ([1, 5], [0, 5])):
        alone = act(alone, kind="step", **{"from": here}, to=there)
        assert alone.turn == SOUTH
    assert alone.steps_left == 1
    assert act(alone, kind="step", **{"from": [5, 2]}, to=[6, 2]).turn == NORTH
    assert act(alone, kind="step", **{"from": [0, 5]}, to="home").turn == NORTH
    each = start
    for here, there in (([2, 5], [1, 5]), ([2, 2], [1, 2]), ([5, 2], [6, 2])):
        assert each.turn == SOUTH
        each = act(each, kind="step", **{"from": here}, to=there)
    assert each.turn == NORTH
    assert each.steps_left is None


def test_five_blocks_one_of_which_crosses_leave_three_steps() -> None:
    """Rulebook, the example of "Move blocks": two spaces for the one that crosses, then three more for the others."""
    five = [("south", "small", 1, 5), ("south", "small", 2, 3), ("south", "small", 5, 3),
            ("south", "large", 3, 1), ("south", "large", 6, 0)]  # fmt: skip
    state = IDO.load(saved(*five))
    state = act(state, kind="step", **{"from": [1, 5]}, to=[0, 5])
    state = act(state, kind="step", **{"from": [0, 5]}, to="home")
    assert (state.turn, state.steps_left) == (SOUTH, 3)
    assert IDO.dump(state)["home"]["south"] == ["small"]
    state = act(state, kind="done")
    assert state.turn == NORTH


def test_through_a_filled_space_but_not_onto_it() -> None:
    """Rulebook, "Move blocks": filled spaces are passed through and count; nothing lands on them."""
    blocks = [("south", "small", 2, 2), ("north", "small", 1, 2), ("south", "small", 5, 5)]
    state = IDO.load(saved(*blocks))
    assert why(state, kind="step", **{"from": [2, 2]}, to=[1, 2]) == ["square-taken"]
    assert (0, 2) in squares(state, kind="step", **{"from": [2, 2]})
    after = act(state, kind="step", **{"from": [2, 2]}, to=[0, 2])
    assert after.turn == NORTH, "two blocks, two steps: through the filled space and beyond it"


def test_a_rectangle_holds_two_blocks() -> None:
    """Rulebook, "Block size and space size": the second goes on the free half, a third has no room."""
    one = IDO.load(saved(("north", "large", 5, 0), frame_offset=[1, 1]))
    assert squares(one, kind="start", size="large") == {(5, 1)}
    assert why(one, kind="start", size="large", square=[5, 0]) == ["square-taken"]
    two = IDO.load(saved(("north", "large", 5, 0), ("north", "small", 5, 1), frame_offset=[1, 1]))
    assert squares(two, kind="start", size="large") == set()


def test_pushed_over_the_own_target_is_home_and_over_another_edge_back_in_supply() -> None:
    """Rulebook, "Shifting the frame"; facts 3.6. West of the board are south's target (y 5 to 7) and west's start."""
    blocks = [("south", "small", 0, 5), ("north", "large", 0, 6), ("south", "large", 0, 2)]
    state = act(IDO.load(saved(*blocks)), kind="shift", by=[-1, 0])
    told = IDO.dump(state)
    assert told["blocks"] == []
    assert told["home"] == {"south": ["small"], "north": []}
    assert told["supply"] == {"south": {"small": 2, "large": 3}, "north": {"small": 3, "large": 3}}


def test_several_that_cross_at_once_cross_in_the_best_order() -> None:
    """Rulebook, "Game end and variants": large, small, large, small is agreed; the owner chooses the order."""
    options = {"order": ["large", "small", "large", "small"]}
    blocks = [("south", "small", 0, 5), ("south", "large", 0, 6)]
    state = act(IDO.load(saved(*blocks, options=options)), kind="shift", by=[-1, 0])
    assert IDO.dump(state)["home"]["south"] == ["large", "small"]
    again = act(IDO.load(saved(*blocks, options=options, home={"south": ["large"]})), kind="shift", by=[-1, 0])
    assert IDO.dump(again)["home"]["south"] == ["large", "small", "large"]


def test_a_block_out_of_order_goes_back_to_the_supply() -> None:
    """Rulebook, "Game end and variants"."""
    options = {"order": ["large", "small", "large", "small"]}
    state = act(IDO.load(saved(("south", "small", 0, 5), options=options)), kind="step", **{"from": [0, 5]}, to="home")
    told = IDO.dump(state)
    assert (told["home"]["south"], told["supply"]["south"]) == ([], {"small": 3, "large": 3})


@pytest.mark.parametrize("goal", [3, 4, 5])
def test_the_game_ends_at_once_with_the_last_block_of_the_goal(goal: int) -> None:
    """Rulebook, "Game end and variants": four blocks, or three or five where that is agreed."""
    home = ["large", "small", "large", "small"][: goal - 1]
    blocks = [("south", "small", 0, 5), ("south", "large", 3, 1)]
    state = IDO.load(saved(*blocks, home={"south": home}, options={"goal": goal}))
    state = act(state, kind="step", **{"from": [0, 5]}, to="home")
    outcome = IDO.outcome(state)
    assert outcome is not None
    assert outcome.winners == (SOUTH,)
    assert state.turn is None


@pytest.mark.parametrize(("count", "barred"), [(2, [True, True, False]), (3, [True, False]), (4, [True, False])])
def test_how_long_a_shift_keeps_others_from_shifting(count: int, barred: list[bool]) -> None:
    """Rulebook, "Shifting the frame": not by the next player; with two players, not by the same one next either."""
    seats = {2: [SOUTH, NORTH], 3: [SOUTH, SEATS[1], NORTH], 4: list(SEATS)}[count]
    state = act(IDO.start(setup_for(seats)), kind="shift", by=[1, 0])
    for wanted in barred:
        actions = listed(state)
        assert all(action["kind"] != "shift" for action in actions) == wanted
        state = act(state, **next(action for action in actions if action["kind"] != "shift"))
        state = state if state.steps_left is None else act(state, kind="done")


def test_a_block_shifted_onto_a_wrong_space_leaves_it_by_the_rules() -> None:
    """Rulebook, the note of "Shifting the frame": it stays until it is moved normally, by its own size."""
    assert squares(IDO.load(saved(("south", "small", 3, 3))), kind="step") == set(), "only rectangles lie around it"
    state = IDO.load(saved(("south", "large", 3, 3)))  # on the large square in the middle
    steps = squares(state, kind="step")
    assert steps == {(2, 3), (5, 3), (3, 2), (3, 5)}
    after = IDO.dump(act(state, kind="step", **{"from": [3, 3]}, to=list(min(steps))))
    assert [block["square"] for block in after["blocks"]] == [list(min(steps))]


def test_the_blueprint_of_the_facts_is_the_default() -> None:
    """Facts 3.4, D1."""
    assert json.dumps(IDO.dump(IDO.start(setup_for(SEATS)))["blueprint"], sort_keys=True) == json.dumps({
        "squares": 8, "board_lines_x": [2, 3, 5, 6], "board_lines_y": [2, 3, 5, 6],
        "frame_squares": 6, "frame_bars_x": [0, 2, 4, 6], "frame_bars_y": [0, 2, 4, 6],
        "start_squares_from_right_corner": 3, "target_squares_from_far_left_corner": 3,
    }, sort_keys=True)  # fmt: skip
