"""A second Gridopolis, slow and plain, written from the rulebook's text and the protocol's words alone.

It works on the JSON state, nodes as lists of three numbers, and shares nothing with `rules.gridopolis`. On random
positions, under random readings, both must list the same actions, come to the same state, and count the same points.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.catalogue import game_named
from rules.gridopolis import GRIDOPOLIS
from rules.gridopolis.speech import SPEECH
from rules.match import read_match

HERE = Path(__file__).parent
Json = dict[str, Any]
Node = tuple[int, int, int]
CLOCKWISE = ["south", "west", "north", "east"]
AWAY = {"south": (0, 1), "west": (1, 0), "north": (0, -1), "east": (-1, 0)}
"""Where a seat's pawns look, on x and y."""
AROUND = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z]
BESIDE = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]


def plus(node: Node, step: Node, times: int = 1) -> Node:
    return node[0] + times * step[0], node[1] + times * step[1], node[2] + times * step[2]


class Board:
    """A JSON position, so that questions about it read like the rulebook."""

    def __init__(self, state: Json) -> None:
        self.state, self.options = state, state["options"]
        self.pads = {tuple(pad["node"]): pad for pad in state["pads"]}
        self.markers = {tuple(marker["node"]): marker for marker in state["markers"]}
        self.links = [sorted(tuple(end) for end in link) for link in state["links"]]
        self.posts = [sorted(tuple(end) for end in link) for link in state["posts"]]
        self.seat = {colour: seat for seat, colour in state["colours"].items()}

    def part(self, node: Node) -> Any:
        return self.pads[node]["part"] if node in self.pads else "nothing"

    def can_land(self, node: Node) -> bool:
        return node in self.pads and self.part(node) != "blocker" and node not in self.markers

    def is_home_of(self, node: Node, colour: str) -> bool:
        return self.part(node) == "kingerizer" and self.pads[node]["colour"] == colour

    def may_head(self, marker: Json, step: Node, first: bool) -> bool:
        if marker["rank"] == "king":
            return True
        x, y = AWAY[self.seat[marker["colour"]]]
        forward = x * step[0] + y * step[1]
        node = marker["node"]
        if first and (node not in self.state["moved"] or self.is_home_of(tuple(node), marker["colour"])):
            return forward > 0
        return forward >= 0

    def other_teleporters(self, node: Node) -> list[Node]:
        """Where one comes out of a teleporter; none from another pad."""
        if self.part(node) != "teleporter":
            return []
        return [t for t in self.pads if t != node and self.part(t) == "teleporter" and t not in self.markers]

    def crowns(self, node: Node, marker: Json) -> bool:
        return (
            marker["rank"] == "pawn" and self.part(node) == "kingerizer" and not self.is_home_of(node, marker["colour"])
        )


def ways(board: Board, start: Node) -> Iterator[Json]:
    """Every move of a marker: the board is changed as it jumps, and put back."""
    marker = board.markers.pop(start)
    for step in AROUND:
        if not board.may_head(marker, step, True):
            continue
        near = plus(start, step)
        if board.can_land(near):
            yield from landings(board, start, [near], [])
        yield from own_jumps(board, marker, start, step)
        if near in board.markers and board.markers[near]["colour"] != marker["colour"] and step[2] == 0:
            behind = plus(near, step)
            if behind not in board.pads or (board.options["blocked_is_off"] and board.part(behind) == "blocker"):
                yield {"kind": "kamikaze", "from": list(start), "over": list(near)}
    yield from captures(board, marker, start, start, [], [], True)
    board.markers[start] = marker


def landings(board: Board, start: Node, path: list[Node], gone: list[Node]) -> Iterator[Json]:
    for out in board.other_teleporters(path[-1]) or [None]:
        yield {
            "kind": "move", "from": list(start), "path": [list(n) for n in path], "captures": [list(n) for n in gone],
            "teleport": None if out is None else list(out),
        }  # fmt: skip


def own_jumps(board: Board, marker: Json, start: Node, step: Node) -> Iterator[Json]:
    path: list[Node] = []
    at = start
    while True:
        over, to = plus(at, step), plus(at, step, 2)
        if over not in board.markers or board.markers[over]["colour"] != marker["colour"] or not board.can_land(to):
            return
        path.append(to)
        yield from landings(board, start, path, [])
        if board.other_teleporters(to) or board.crowns(to, marker):
            return
        at = to


def captures(
    board: Board, marker: Json, start: Node, at: Node, path: list[Node], gone: list[Node], first: bool
) -> Iterator[Json]:
    for step in AROUND:
        over, to = plus(at, step), plus(at, step, 2)
        if over not in board.markers or board.markers[over]["colour"] == marker["colour"] or not board.can_land(to):
            continue
        if not board.may_head(marker, step, first):
            continue
        jumped = board.markers.pop(over)
        longer, more = [*path, to], [*gone, over]
        yield from landings(board, start, longer, more)
        outs = board.other_teleporters(to)
        if not outs and not board.crowns(to, marker):
            yield from captures(board, marker, start, to, longer, more, False)
        for out in outs if board.options["chain_after_teleport"] else []:
            yield from captures(board, marker, start, out, [*longer, out], more, False)
        board.markers[over] = jumped


def plain_actions(state: Json) -> list[Json]:
    board, seat = Board(state), state["to_move"]
    if seat is None:
        return []
    if state["mover"] is not None:
        return [*ways(board, tuple(state["mover"])), {"kind": "done"}]
    own = [node for node, marker in board.markers.items() if marker["colour"] == state["colours"][seat]]
    found = [way for node in own for way in ways(board, node)]
    reserve = state["reserve"][seat]
    if reserve["blockers"]:
        free = [n for n in board.pads if board.part(n) is None and n not in board.markers]
        found += [{"kind": "blocker", "node": list(node)} for node in free]
    if reserve["pads"]:
        near = {plus(node, step) for node in board.pads for step in (*BESIDE, (0, 0, 1))} - set(board.pads)
        found += [
            {"kind": "add_pad", "node": list(node), "post": post}
            for node in near
            for post in (False, True)
            if fits(board, node, post, reserve)
        ]
    return found or [{"kind": "done"}]


def fits(board: Board, node: Node, post: bool, reserve: Json) -> bool:
    below = plus(node, (0, 0, -1))
    if post:
        return bool(reserve["posts"] and reserve["links"] and below in board.pads and free_links(board, below))
    if board.options["needs_pad_below"] == "always" and below not in board.pads:
        return False
    if any(node in link for link in board.links):
        return True
    return reserve["links"] > 0 and any(plus(node, step) in board.pads for step in BESIDE)


def free_links(board: Board, node: Node) -> list[list[Node]]:
    """The links of a pad that carry no post and have no link above them."""
    lifted = [[plus(end, (0, 0, -1)) for end in link] for link in board.links]
    mine = [link for link in board.links if node in link]
    return sorted(link for link in mine if link not in board.posts and link not in lifted)


def plain_play(state: Json, action: Json) -> Json:
    state = copy.deepcopy(state)
    board, seat = Board(state), state["to_move"]
    reserve, kind = state["reserve"][seat], action["kind"]
    if kind in ("move", "kamikaze"):
        return plain_move(state, board, seat, action)
    if kind == "blocker":
        board.pads[tuple(action["node"])]["part"] = "blocker"
        reserve["blockers"] -= 1
    elif kind == "add_pad":
        node = tuple(action["node"])
        reserve["pads"] -= 1
        if action["post"]:
            lower = free_links(board, plus(node, (0, 0, -1)))[0]
            state["posts"].append(lower)
            state["links"].append([plus(end, (0, 0, 1)) for end in lower])
            reserve["posts"] -= 1
            reserve["links"] -= 1
        elif not any(node in link for link in board.links):
            links = [sorted([node, plus(node, step)]) for step in BESIDE if plus(node, step) in board.pads]
            state["links"].append(min(links))
            reserve["links"] -= 1
        state["pads"].append({"node": list(node), "part": None})
    return end_turn(state)


def plain_move(state: Json, board: Board, seat: str, action: Json) -> Json:
    marker = board.markers[tuple(action["from"])]
    was_king, first = marker["rank"] == "king", state["mover"] is None
    if marker["node"] in state["moved"]:
        state["moved"].remove(marker["node"])
    state["markers"].remove(marker)
    gone = [action["over"]] if action["kind"] == "kamikaze" else action["captures"]
    for node in gone:
        other = board.markers[tuple(node)]
        state["markers"].remove(other)
        if node in state["moved"]:
            state["moved"].remove(node)
        state["captured"][seat].append({"colour": other["colour"], "rank": other["rank"]})
    if action["kind"] == "kamikaze":
        theirs = board.seat[board.markers[tuple(gone[0])]["colour"]]
        state["captured"][theirs].append({"colour": marker["colour"], "rank": marker["rank"]})
        return end_turn(state)
    end = action["teleport"] or action["path"][-1]
    if board.crowns(tuple(end), marker):
        marker["rank"] = "king"
    marker["node"] = list(end)
    state["markers"].append(marker)
    state["moved"].append(list(end))
    if was_king and first and len({one["colour"] for one in state["markers"]}) > 1:
        state["mover"], state["moves_left"] = list(end), 1
        if any(True for _ in ways(Board(state), tuple(end))):
            return state
    return end_turn(state)


def end_turn(state: Json) -> Json:
    seat = state["to_move"]
    state["turns"][seat] += 1
    state["mover"], state["moves_left"] = None, 2
    left = {marker["colour"] for marker in state["markers"]}
    if not left:
        state["won_by"] = seat
    if len(left) < 2:
        state["to_move"] = None
        return state
    while True:
        seat = CLOCKWISE[(CLOCKWISE.index(seat) + 1) % 4]
        if state["colours"].get(seat) in left:
            break
    ending = state["options"]["ending"]
    over = ending != "last_standing" and state["turns"][seat] == ending["turns"]
    state["to_move"] = None if over else seat
    return state


def plain_points(state: Json, seat: str) -> dict[str, int]:
    """The rulebook's Point system."""
    own = [marker["rank"] for marker in state["markers"] if marker["colour"] == state["colours"][seat]]
    won = [marker["rank"] for marker in state["captured"][seat]]
    return {"captured_kings": 4 * won.count("king"), "captured_pawns": 3 * won.count("pawn"),
            "kings_left": 2 * own.count("king"), "pawns_left": own.count("pawn")}  # fmt: skip


def plain_winners(state: Json) -> set[str]:
    if state["won_by"]:
        return {state["won_by"]}
    if state["options"]["ending"] == "last_standing":
        return {seat for seat in state["colours"] if sum(plain_points(state, seat).values()) and
                any(marker["colour"] == state["colours"][seat] for marker in state["markers"])}
    totals = {seat: sum(plain_points(state, seat).values()) for seat in state["colours"]}
    return {seat for seat, total in totals.items() if total == max(totals.values())}


def sorted_texts(values: list[Any]) -> list[str]:
    return sorted(json.dumps(value, sort_keys=True) for value in values)


def normal(state: Json) -> Json:
    """A state whose lists are in one order, so that two can be compared."""
    result: Json = json.loads(json.dumps(state))
    for key in ("links", "posts"):
        result[key] = [sorted(link) for link in result[key]]
    for key in ("pads", "links", "posts", "markers", "moved"):
        result[key] = sorted_texts(result[key])
    result["captured"] = {seat: sorted_texts(theirs) for seat, theirs in result["captured"].items()}
    return result


def shown(state: Any) -> Json:
    shown: Json = json.loads(json.dumps(GRIDOPOLIS.dump(state)))
    return shown


def random_request(rng: random.Random) -> Json:
    choose: dict[str, list[Any]] = {
        "teleporters": ["middle_corners", "middle_edges", "twisted",
                        [[0, 0, 1], [2, 0, 1], [1, 1, 1], [0, 1, 2], [1, 2, 0]]],
        "needs_pad_below": ["with_post_only", "always"],
        "ending": ["last_standing", {"turns": 15}],
        "chain_after_teleport": [False, True],
        "blocked_is_off": [False, True],
    }  # fmt: skip
    seats = rng.sample(CLOCKWISE, rng.choice((2, 3, 4)))
    return {"seats": seats, "options": {name: rng.choice(values) for name, values in choose.items()}}


def scattered(state: Json, rng: random.Random) -> Json:
    """A position with the markers anywhere, some of them kings, some off, on teleporters rather than not."""
    state = copy.deepcopy(state)
    pads = {tuple(pad["node"]): pad for pad in state["pads"]}
    nodes = rng.sample(sorted(pads), len(pads))
    if rng.random() < 0.7:
        nodes.sort(key=lambda node: pads[node]["part"] != "teleporter" or rng.random() < 0.3)
    state["markers"] = [one for one in state["markers"] if rng.random() < 0.8]
    for marker, node in zip(state["markers"], nodes, strict=False):
        away = pads[node]["part"] == "kingerizer" and pads[node]["colour"] != marker["colour"]
        marker.update(node=list(node), rank="king" if away or rng.random() < 0.4 else "pawn")
    state["moved"] = [marker["node"] for marker in state["markers"] if rng.random() < 0.8]
    there = {marker["colour"] for marker in state["markers"]}
    seats = [seat for seat, colour in state["colours"].items() if colour in there]
    state["to_move"] = rng.choice(seats)
    return state


@pytest.mark.parametrize("seed", range(24))
def test_both_play_alike(seed: int) -> None:
    rng = random.Random(f"gridopolis {seed}")
    state = GRIDOPOLIS.start(SPEECH.setup(random_request(rng)))
    plain, kinds = shown(state), set()
    if seed % 3:
        state = GRIDOPOLIS.load(scattered(plain, rng))
        plain = shown(state)
    for _ in range(60):
        moves = list(GRIDOPOLIS.moves(state))
        listed = [{k: v for k, v in SPEECH.action(move).items() if k != "seat"} for move in moves]
        assert sorted_texts(listed) == sorted_texts(plain_actions(plain))
        if not moves:
            break
        captures = [move for move in moves if move.taken]
        move = rng.choice(captures if captures and rng.random() < 0.3 else moves)
        kinds.add(move.verb)
        state, plain = GRIDOPOLIS.play(state, move), plain_play(plain, SPEECH.action(move))
        assert normal(shown(state)) == normal(plain)
        plain = shown(state)
    assert "move" in kinds
    for number, seat in enumerate(CLOCKWISE):
        if seat in plain["colours"]:
            lines = [line for line in GRIDOPOLIS.score(state) if line.seat == number]
            parts = {part: sum(x.points for x in lines if SPEECH.part(x.label) == part) for part in SPEECH.parts()}
            assert parts == plain_points(plain, seat)
    outcome = GRIDOPOLIS.outcome(state)
    assert (outcome is None) == (plain["to_move"] is not None)
    if outcome is not None:
        assert {CLOCKWISE[seat] for seat in outcome.winners} == plain_winners(plain)


def plain_perft(state: Json, depth: int) -> int:
    actions = plain_actions(state)
    if depth == 1:
        return len(actions)
    return sum(plain_perft(plain_play(state, action), depth - 1) for action in actions)


def perft_cases() -> list[tuple[str, ...]]:
    path = HERE / "perft" / "gridopolis.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [
        (*line.split()[:2], *count.split(":"))
        for line in lines
        if not line.startswith("#")
        for count in line.split()[2:]
        if not count.startswith("0:") and 0 < int(count.split(":")[1]) < 6000
    ]


@pytest.mark.parametrize(("name", "plays", "depth", "leaves"), perft_cases())
def test_perft_counted_plainly(name: str, plays: str, depth: str, leaves: str) -> None:
    match = read_match((HERE / "games" / name).read_text(encoding="utf-8"), game_named)
    state = shown(match.undone(len(match.plays) - int(plays)).state)
    assert plain_perft(state, int(depth)) == int(leaves)
