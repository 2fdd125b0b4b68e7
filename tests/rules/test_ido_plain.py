"""A second Ido, plain and slow, written from the rulebook and facts 3.2 to 3.6 alone, which must agree with the engine.

It shares nothing with `rules.ido`: positions are the protocol's JSON, squares are pairs of numbers, a space is a set of
squares found anew each time, and a way is found by trying all.
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rules.catalogue import game_named
from rules.ido import IDO
from rules.ido.speech import SPEECH
from rules.match import Match, read_match
from rules.words import SEAT_NAMES
from tests.rules.playing import match_of, setups_of
from tests.rules.setups_ido import also_legal

Json = dict[str, Any]
Square = tuple[int, int]
Space = frozenset[Square]
Action = tuple[Any, ...]
"""`("start", size, space)`, `("step", square, space or "home")`, `("shift", dx, dy)`, `("done",)` or `("pass",)`."""
HERE = Path(__file__).parent


class Plain:
    """One position, looked at."""

    def __init__(self, state: Json) -> None:
        self.state = state
        self.board = state["blueprint"]
        self.n: int = self.board["squares"]
        self.options: Json = state["options"]
        self.blocks = {tuple(block["square"]): (block["colour"], block["size"]) for block in state["blocks"]}
        self.seats = [seat for seat in SEAT_NAMES if seat in state["colours"]]
        self.seat: str = state["to_move"]
        low = (self.n - self.board["frame_squares"]) // 2
        self.frame_x = [low + state["frame_offset"][0] + i for i in range(self.board["frame_squares"])]
        self.frame_y = [low + state["frame_offset"][1] + i for i in range(self.board["frame_squares"])]

    def is_joined(self, one: Square, other: Square) -> bool:
        """Whether two squares beside each other have no line and no bar between them."""
        (x, y), (u, v) = sorted((one, other))
        if y == v:
            bars = [self.frame_x[0] + bar for bar in self.board["frame_bars_x"]]
            return u not in self.board["board_lines_x"] and not (u in bars and y in self.frame_y)
        bars = [self.frame_y[0] + bar for bar in self.board["frame_bars_y"]]
        return v not in self.board["board_lines_y"] and not (v in bars and x in self.frame_x)

    def around(self, square: Square) -> list[Square]:
        x, y = square
        near = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        return [(u, v) for u, v in near if 0 <= u < self.n and 0 <= v < self.n]

    def space(self, square: Square) -> Space:
        """All squares that can be walked to without crossing a line."""
        found, grew = {square}, True
        while grew:
            more = {there for here in found for there in self.around(here) if self.is_joined(here, there)}
            grew = not more <= found
            found |= more
        return frozenset(found)

    def suits(self, space: Space, size: str) -> bool:
        return len(space) == {"small": 1, "large": 2}[size]

    def is_filled(self, space: Space) -> bool:
        return all(square in self.blocks for square in space)

    def next_to(self, space: Space) -> set[Space]:
        return {self.space(there) for here in space for there in self.around(here)} - {space}

    def fields(self, seat: str) -> tuple[set[tuple[Square, Square]], set[Square]]:
        """The steps off the board onto a seat's target, and the squares beside its start, as its picture shows."""
        start = self.board.get("start_squares_from_right_corner", 3)
        target = self.board.get("target_squares_from_far_left_corner", 3)
        last = self.n - 1
        if seat == "south":
            return {((0, last - i), (-1, last - i)) for i in range(target)}, {(last - i, 0) for i in range(start)}
        if seat == "west":
            return {((last - i, last), (last - i, self.n)) for i in range(target)}, {(0, i) for i in range(start)}
        if seat == "north":
            return {((last, i), (self.n, i)) for i in range(target)}, {(i, last) for i in range(start)}
        return {((i, 0), (i, -1)) for i in range(target)}, {(last, last - i) for i in range(start)}

    def own(self, seat: str) -> list[Square]:
        return [square for square, (colour, _) in self.blocks.items() if colour == self.state["colours"][seat]]

    def steps(self) -> dict[Action, int]:
        """Each step that is possible, with what it costs."""
        left = self.state["steps_left"]
        left = len(self.own(self.seat)) if left is None else left
        found: dict[Action, int] = {}
        beside_target = {square for square, _ in self.fields(self.seat)[0]}
        for square in self.own(self.seat):
            size, origin = self.blocks[square][1], self.space(square)
            stands: list[tuple[Space, int]] = [(origin, 0)]
            for space, cost in stands:  # grows as filled spaces are found, the nearest first
                shape_right = self.suits(space, size) or self.options["leave_from"] == "any_space"
                price = cost + self.options["leaving_costs"]
                if space & beside_target and shape_right and price <= left:
                    found[("step", square, "home")] = min(price, found.get(("step", square, "home"), 99))
                if cost == left:
                    continue
                for there in self.next_to(space):
                    if not self.suits(there, size) or any(there == known for known, _ in stands):
                        continue
                    if self.is_filled(there):
                        stands.append((there, cost + 1))
                    elif ("step", square, there) not in found:
                        found[("step", square, there)] = cost + 1
        return found

    def starts(self) -> set[Action]:
        found: set[Action] = set()
        for size, count in self.state["supply"][self.seat].items():
            for space in {self.space(square) for square in self.fields(self.seat)[1]}:
                if count and self.suits(space, size) and not self.is_filled(space):
                    found.add(("start", size, space))
        return found

    def pushed(self, dx: int, dy: int) -> tuple[set[Square], bool]:
        """The squares whose blocks a shift pushes, and whether one of them is pushed by a block alone."""
        bars: set[Square] = set()
        if dx:
            for bar in self.board["frame_bars_x"]:
                bars |= {(self.frame_x[0] + bar + (0 if dx > 0 else -1), y) for y in self.frame_y}
        else:
            for bar in self.board["frame_bars_y"]:
                bars |= {(x, self.frame_y[0] + bar + (0 if dy > 0 else -1)) for x in self.frame_x}
        by_bars = {square for square in self.blocks if square in bars}
        found, grew = set(by_bars), True
        while grew:
            more = {(x + dx, y + dy) for x, y in found if (x + dx, y + dy) in self.blocks}
            grew = not more <= found
            found |= more
        return found, found != by_bars

    def shifts(self) -> set[Action]:
        if self.state["shifted_by"] is not None:
            return set()
        found: set[Action] = set()
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            inside = all(0 <= x + dx < self.n for x in self.frame_x) and all(0 <= y + dy < self.n for y in self.frame_y)
            if inside and not (self.options["chain_push"] == "refuse" and self.pushed(dx, dy)[1]):
                found.add(("shift", dx, dy))
        return found

    def actions(self) -> set[Action]:
        if self.seat is None:
            return set()
        if self.state["steps_left"] is not None:
            return {*self.steps(), ("done",)}
        return {*self.starts(), *self.steps(), *self.shifts()} or {("pass",)}

    def after(self, action: Json) -> Json:
        """The state after a legal action of the protocol."""
        now: Json = copy.deepcopy(self.state)
        shifted = turn_over = True
        if action["kind"] != "shift":
            shifted = False
        if action["kind"] == "start":
            now["supply"][self.seat][action["size"]] -= 1
            block = {"square": action["square"], "colour": self.state["colours"][self.seat], "size": action["size"]}
            now["blocks"].append(block)
        if action["kind"] == "shift":
            self._shift(now, *action["by"])
        if action["kind"] == "step":
            turn_over = self._step(now, action)
        if any(len(home) >= self.options["goal"] for home in now["home"].values()):
            return {**now, "to_move": None, "steps_left": None, "shifted_by": None}
        if not turn_over:
            return now
        keeps = self.state["shifted_by"] if len(self.seats) == 2 and self.state["shifted_by"] != self.seat else None
        after = self.seats[(self.seats.index(self.seat) + 1) % len(self.seats)]
        return {**now, "to_move": after, "steps_left": None, "shifted_by": self.seat if shifted else keeps}

    def _step(self, now: Json, action: Json) -> bool:
        """Makes a step in `now`; whether the turn is over with it."""
        here = tuple(action["from"])
        to = action["to"] if action["to"] == "home" else self.space(tuple(action["to"]))
        left = self.state["steps_left"]
        now["steps_left"] = (len(self.own(self.seat)) if left is None else left) - self.steps()[("step", here, to)]
        block = next(block for block in now["blocks"] if block["square"] == list(here))
        if to == "home":
            now["blocks"].remove(block)
            self._cross(now, self.seat, [block["size"]])
        else:
            block["square"] = action["to"]
        return not Plain(now).steps()

    def _shift(self, now: Json, dx: int, dy: int) -> None:
        pushed, _ = self.pushed(dx, dy)
        now["frame_offset"] = [self.state["frame_offset"][0] + dx, self.state["frame_offset"][1] + dy]
        now["blocks"], crossing = [], {seat: [] for seat in self.seats}
        for (x, y), (colour, size) in self.blocks.items():
            u, v = (x + dx, y + dy) if (x, y) in pushed else (x, y)
            owner = next(seat for seat in self.seats if self.state["colours"][seat] == colour)
            if 0 <= u < self.n and 0 <= v < self.n:
                now["blocks"].append({"square": [u, v], "colour": colour, "size": size})
            elif ((x, y), (u, v)) in self.fields(owner)[0]:
                crossing[owner].append(size)
            else:
                now["supply"][owner][size] += 1
        for seat, sizes in crossing.items():
            self._cross(now, seat, sizes)

    def _cross(self, now: Json, seat: str, sizes: list[str]) -> None:
        """Blocks that cross at once, each as the order asks while it can, the rest back to the supply."""
        waiting = list(sizes)
        while waiting:
            order = self.options["order"]
            home = now["home"][seat]
            wanted = waiting[0] if order is None else order[len(home)] if len(home) < len(order) else None
            if wanted not in waiting:
                break
            waiting.remove(wanted)
            home.append(wanted)
        for size in waiting:
            now["supply"][seat][size] += 1

    def perft(self, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(Plain(self.after(self.as_json(action))).perft(depth - 1) for action in self.actions())

    def as_json(self, action: Action) -> Json:
        """An action of the protocol: of a space its first empty square from the south-west."""
        if action[0] == "start":
            return {"kind": "start", "size": action[1], "square": self.first_empty(action[2])}
        if action[0] == "step":
            to = action[2] if action[2] == "home" else self.first_empty(action[2])
            return {"kind": "step", "from": list(action[1]), "to": to}
        return {"kind": "shift", "by": list(action[1:])} if action[0] == "shift" else {"kind": action[0]}

    def first_empty(self, space: Space) -> list[int]:
        return list(min(square for square in space if square not in self.blocks))

    def named(self, action: Json) -> Action:
        """An action of the protocol as one of `actions`."""
        if action["kind"] == "start":
            return ("start", action["size"], self.space(tuple(action["square"])))
        if action["kind"] == "step":
            to = action["to"]
            return ("step", tuple(action["from"]), to if to == "home" else self.space(tuple(to)))
        return ("shift", *action["by"]) if action["kind"] == "shift" else (action["kind"],)


def as_json(state: Any) -> Json:
    dumped: Json = json.loads(json.dumps(IDO.dump(state)))
    return dumped


def in_order(state: Json) -> Json:
    """A state to compare: blocks by square, and who came home at once in any order where none is agreed."""
    home = {seat: Counter(sizes) if state["options"]["order"] is None else sizes for seat, sizes in
            state["home"].items()}
    return {**state, "blocks": sorted(state["blocks"], key=lambda block: block["square"]), "home": home}


def check_position(state: Any) -> None:
    """The engine lists what the plain one finds, each space once, and both come to the same by each action."""
    saved = as_json(state)
    plain = Plain(saved)
    listed = list(IDO.moves(state))
    actions = [as_action(move) for move in listed]
    named = [plain.named(action) for action in actions]
    assert len(set(named)) == len(named)
    assert set(named) == plain.actions()
    for move, action in zip(listed, actions, strict=True):
        assert in_order(plain.after(action)) == in_order(as_json(IDO.play(state, move)))


def as_action(move: Any) -> Json:
    action: Json = json.loads(json.dumps(SPEECH.action(move)))
    return action


@pytest.mark.parametrize("setup", setups_of(IDO))
def test_the_engines_agree_on_random_positions(setup: str, rng: random.Random) -> None:
    states = match_of("ido", setup).states
    for state in [*states[:2], *rng.sample(states, 12), states[-1]]:
        check_position(state)


@pytest.mark.slow
@pytest.mark.parametrize("setup", setups_of(IDO))
def test_the_engines_agree_on_every_position_of_a_match(setup: str) -> None:
    for state in match_of("ido", setup).states:
        check_position(state)


@pytest.mark.parametrize("setup", setups_of(IDO))
def test_every_square_of_a_space_is_judged_as_the_space(setup: str, rng: random.Random) -> None:
    """Starts and steps to any square of the board: legal just where the plain engine has that space, and room."""
    for state in rng.sample(match_of("ido", setup).states, 4):
        plain = Plain(as_json(state))
        actions = plain.actions()
        for x in range(plain.n):
            for y in range(plain.n):
                free = (x, y) not in plain.blocks
                tries = [{"kind": "start", "size": size, "square": [x, y]} for size in ("small", "large")]
                tries += [{"kind": "step", "from": list(here), "to": [x, y]} for here in plain.own(plain.seat or "")]
                for action in tries if plain.seat else []:
                    move = SPEECH.move(action, state)
                    assert IDO.judge(state, move).legal == (free and plain.named(action) in actions)
                    if move in IDO.moves(state):
                        continue
                    assert IDO.judge(state, move).legal == also_legal(state, move)


PERFT = [line for line in (HERE / "perft" / "ido.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]


@pytest.mark.parametrize("line", PERFT, ids=[" ".join(line.split()[:2]) for line in PERFT])
def test_perft_by_the_plain_engine(line: str) -> None:
    """The counts that are not too many for it."""
    name, plays, *counts = line.split()
    match: Match = read_match((HERE / "games" / name).read_text(encoding="utf-8"), game_named)
    state = match.states[int(plays)]
    for depth, leaves in (count.split(":") for count in counts):
        if int(leaves) < 400:
            assert Plain(as_json(state)).perft(int(depth)) == int(leaves)
