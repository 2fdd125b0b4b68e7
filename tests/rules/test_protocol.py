"""The line protocol: every request answered, bad lines too, and nothing lost by them."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest

from rules.catalogue import game_named
from rules.protocol import Conversation, serve

Json = dict[str, Any]
NEW = {"op": "new", "seats": ["south", "west", "north", "east"], "options": {"per_size": 1}}


class Client:
    """Asks one conversation in dicts."""

    def __init__(self, name: str = "gridlock") -> None:
        self.conversation = Conversation(game_named(name))

    def ask(self, request: Any = None, **words: Any) -> Json:
        answer: Json = json.loads(self.conversation.answer(json.dumps(words if request is None else request)))
        return answer


@pytest.fixture
def client() -> Client:
    return Client()


def test_a_new_game_for_four(client: Client) -> None:
    state = client.ask(NEW)["state"]
    assert state == {
        "colours": {"south": ["red"], "west": ["yellow"], "north": ["green"], "east": ["blue"]},
        "players": [["south"], ["west"], ["north"], ["east"]],
        "pieces": [],
        "hands": {colour: {"small": 1, "medium": 1, "large": 1} for colour in ("red", "yellow", "green", "blue")},
        "van": "west",
        "just_handed": False,
        "first": "south",
        "phase": "placement",
        "to_move": "south",
        "options": {
            "upright": "counts",
            "gaps": "skip",
            "chain": "column",
            "empty_holder": "keep",
            "drop_starter": "continue",
            "tie": "shared",
            "per_size": 1,
        },
    }


@pytest.mark.parametrize(
    ("seats", "players", "van"),
    [
        (["south", "north"], [["south", "west"], ["north", "east"]], "west"),
        (["north", "south"], [["north", "east"], ["south", "west"]], "east"),
        (["west", "east"], [["west", "north"], ["east", "south"]], "north"),
        (["north", "south", "west"], [["south"], ["west"], ["north"]], "south"),
        (["east", "south", "west", "north"], [["south"], ["west"], ["north"], ["east"]], "south"),
    ],
)
def test_seats(client: Client, seats: list[str], players: list[list[str]], van: str) -> None:
    state = client.ask(op="new", seats=seats)["state"]
    assert (state["players"], state["first"], state["to_move"], state["van"]) == (players, seats[0], seats[0], van)
    assert len(state["colours"]) == (4 if len(seats) != 3 else 3)


@pytest.mark.parametrize(
    ("request_", "codes"),
    [
        ({"op": "new"}, ["seats"]),
        ({"op": "new", "seats": ["south"]}, ["seats"]),
        ({"op": "new", "seats": "south"}, ["seats"]),
        ({"op": "new", "seats": ["south", "south", "north"]}, ["seats"]),
        ({"op": "new", "seats": ["south", ["x"], 3]}, ["seats"]),
        ({"op": "new", "seats": ["south", "west"]}, ["seats"]),
        ({"op": "new", "seats": ["south", "west", "north"], "options": {"van": "east"}}, ["bad-option"]),
        (
            {**NEW, "options": {"per_size": 6, "tie": "coin", "speed": 3}},
            ["bad-option", "bad-option", "unknown-option"],
        ),
        ({**NEW, "options": {"per_size": "many", "van": []}}, ["bad-option", "bad-option"]),
        ({**NEW, "options": []}, ["options"]),
        ({**NEW, "colours": {"south": 3}}, ["colours"]),
        ({**NEW, "colours": {"south": "blue"}}, ["same-colour"]),
        ({"op": "new", "seats": ["up"], "options": {"x": 1}, "colours": []}, ["seats", "colours", "unknown-option"]),
        ({"op": "fly"}, ["unknown-op"]),
        ({"op": ["new"]}, ["unknown-op"]),
        ({}, ["unknown-op"]),
        ([], ["bad-request"]),
        (3, ["bad-request"]),
        (None, ["bad-request"]),
        ({"op": "load"}, ["not-a-state"]),
        ({"op": "load", "state": 3, "options": 4}, ["not-a-state"]),
        ({"op": "perft"}, ["bad-depth"]),
        ({"op": "perft", "depth": True}, ["bad-depth"]),
        ({"op": "perft", "depth": -1}, ["bad-depth"]),
        ({"op": "undo"}, ["nothing-to-undo"]),
    ],
)
def test_bad_requests_are_answered_and_change_nothing(client: Client, request_: Any, codes: list[str]) -> None:
    before = client.ask(NEW)["state"]
    answer = client.ask(request_) if request_ is not None else json.loads(client.conversation.answer("null"))
    assert answer["ok"] is False
    assert sorted(fault["code"] for fault in answer["faults"]) == sorted(codes)
    for fault in answer["faults"]:
        assert set(fault) == {"code", "at", "text"}
        assert fault["text"].startswith(("wanted", "option"))
    assert client.ask(op="state")["state"] == before


@pytest.mark.parametrize(
    "line",
    ["", " ", "{", "new", "[" * 100_000, "\x00", '{"op": "new"', "1" * 5000, '"\\ud800"', b"\xff\xfe\n", b"\x80\n"],
    ids=range(11),
)
def test_lines_that_are_no_json(client: Client, line: str | bytes) -> None:
    answer = json.loads(client.conversation.answer(line))
    assert answer["ok"] is False
    assert answer["faults"]
    assert client.ask(NEW)["ok"] is True


@pytest.mark.parametrize("op", ["actions", "judge", "play", "undo", "state", "score", "perft"])
def test_without_a_position_there_is_an_answer(client: Client, op: str) -> None:
    answer = client.ask(op=op, action="S:Lb4", depth=1)
    assert [fault["code"] for fault in answer["faults"]] == ["no-state"]


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (None, "unreadable"),
        (3, "unreadable"),
        ("", "unreadable"),
        ("jump", "unreadable"),
        ({}, "unreadable"),
        ({"kind": "fly"}, "unreadable"),
        ({"kind": ["place"]}, "unreadable"),
        ({"kind": "place", "square": "z9", "size": "small"}, "unreadable"),
        ({"kind": "place", "square": ["a1"], "size": "small"}, "unreadable"),
        ({"kind": "place", "square": "a1", "size": "huge"}, "unreadable"),
        ({"kind": "place", "square": "a1", "size": "small", "seat": "up"}, "unreadable"),
        ({"kind": "place", "square": "a1", "size": "small", "seat": "west"}, "out-of-turn"),
        ({"kind": "drop", "square": "a1"}, "nothing-there"),
        ({"kind": "pass"}, "not-holder"),
        ({"kind": "keep"}, "must-act"),
        ("W:Sa1", "out-of-turn"),
    ],
)
def test_illegal_actions_are_judged_and_not_played(client: Client, action: Any, code: str) -> None:
    before = client.ask(NEW)["state"]
    judged = client.ask(op="judge", action=action)
    played = client.ask(op="play", action=action)
    assert (judged["ok"], judged["legal"], played["ok"]) == (True, False, False)
    assert judged["reasons"] == played["reasons"]
    assert judged["reasons"][0]["code"] == code
    assert judged["reasons"][0]["text"]
    assert client.ask(op="state") == {"ok": True, "state": before, "over": False, "winners": []}


def test_places_in_reasons_are_squares(client: Client) -> None:
    client.ask(NEW)
    client.ask(op="play", action="S:La1")
    (reason,) = client.ask(op="judge", action={"kind": "place", "square": "a1", "size": "small"})["reasons"]
    assert (reason["code"], reason["at"]) == ("square-taken", "a1")


def test_a_whole_game_with_undo_and_load_at_each_step(client: Client, rng: random.Random) -> None:
    answer = client.ask({**NEW, "options": {"per_size": 1, "tie": "longest_chain", "van": "south"}})
    other, plays = Client(), 0
    while answer["state"]["to_move"] is not None:
        before = answer["state"]
        actions = client.ask(op="actions")["actions"]
        assert client.ask(op="perft", depth=1)["leaves"] == len(actions)
        action = rng.choice(actions)
        assert client.ask(op="judge", action=action) == {"ok": True, "legal": True, "reasons": []}
        answer = client.ask(op="play", action=action["text"] if plays % 2 else action)
        assert client.ask(op="undo")["state"] == before
        assert other.ask(op="load", state=before) == {"ok": True, "state": before}
        without_seat = {key: value for key, value in action.items() if key not in ("seat", "text")}
        assert other.ask(op="play", action=without_seat)["state"] == answer["state"]
        answer = client.ask(op="play", action=action)
        assert answer["over"] == (answer["state"]["to_move"] is None)
        plays += 1
    told = client.ask(op="state")
    assert told["over"] is True
    assert told["winners"]
    scored = client.ask(op="score", best=True)
    for seat, parts in scored["scores"].items():
        lines = [line for line in scored["lines"] if line["seat"] == seat]
        assert sum(line["points"] for line in lines) == parts["total"] == parts.get("chains", 0)
        assert all(line["points"] == 2 ** (len(line["at"]) - 1) for line in lines)
    best = max(parts["total"] for parts in scored["scores"].values())
    assert all(scored["scores"][seat]["total"] == best for seat in told["winners"])
    assert client.ask(op="actions")["actions"] == []
    assert client.ask(op="perft", depth=1)["leaves"] == 0
    assert client.ask(op="play", action="S:pass")["reasons"][0]["code"] == "over"


def test_options_beside_a_state_win(client: Client) -> None:
    state = client.ask(NEW)["state"]
    loaded = client.ask(op="load", state=state, options={"gaps": "stop"})["state"]
    assert loaded["options"] == {**state["options"], "gaps": "stop"}
    state.pop("options")
    assert client.ask(op="load", state=state)["state"]["options"]["gaps"] == "skip"
    refused = client.ask(op="load", state=state, options={"gaps": "jump", "gap": 1})
    assert sorted(fault["code"] for fault in refused["faults"]) == ["bad-option", "unknown-option"]
    assert client.ask(op="load", state=state, options=3)["faults"][0]["code"] == "bad-value"
    broken = client.ask(op="load", state={**state, "options": 3}, options={"gaps": "stop"})
    assert broken["faults"][0]["code"] == "bad-value"


def test_all_faults_of_a_state_come_at_once(client: Client) -> None:
    state = client.ask(NEW)["state"]
    state["pieces"] = [
        {"square": "a1", "colour": "red", "size": "small", "facing": "up"},
        {"square": "a1", "colour": "pink", "size": "tiny", "facing": "in"},
    ]
    state["van"] = "middle"
    faults = client.ask(op="load", state=state)["faults"]
    assert {fault["code"] for fault in faults} == {
        "square-twice",
        "no-such-colour",
        "no-such-size",
        "no-such-facing",
        "no-such-seat",
        "too-many",
    }
    assert next(fault["at"] for fault in faults if fault["code"] == "square-twice") == "a1"


def test_options_are_told(client: Client) -> None:
    options = {option["name"]: option for option in client.ask(op="options")["options"]}
    assert {name: option["default"] for name, option in options.items()} == {
        "upright": "counts",
        "gaps": "skip",
        "chain": "column",
        "empty_holder": "keep",
        "drop_starter": "continue",
        "tie": "shared",
        "per_size": 5,
        "van": None,
    }
    seats = {"south", "west", "north", "east"}
    for name, option in options.items():
        assert option["default"] in option["values"]
        assert option["says"].endswith(".")
        for value in option["values"]:
            names = sorted(seats) if name != "per_size" or value <= 5 else ["south", "west", "north"]
            assert client.ask(op="new", seats=names, options={name: value})["ok"] is True


def test_serve_answers_line_by_line_and_survives_bad_ones() -> None:
    lines = ['{"op": "state"}', "rubbish", "", json.dumps(NEW), '{"op": "play", "action": "S:Sa1"}']
    out = io.StringIO()
    serve(game_named("gridlock"), [line + "\n" for line in lines], out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [answer["ok"] for answer in answers] == [False, False, False, True, True]


def test_serve_reads_bytes_that_are_no_text() -> None:
    out = io.StringIO()
    standard_input = io.TextIOWrapper(io.BytesIO(b'\xff\xfe\n{"op": "options"}'), encoding="utf-8")
    serve(game_named("gridlock"), standard_input, out)
    assert [json.loads(line)["ok"] for line in out.getvalue().splitlines()] == [False, True]


def test_a_fault_of_ours_is_answered_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """That an answer always comes is a promise to other programs; the traceback is for us."""
    def broken(self: Conversation, request: Json) -> Json:
        raise KeyError("bug")

    monkeypatch.setattr(Conversation, "_score", broken)
    out = io.StringIO()
    serve(game_named("gridlock"), ['{"op": "score"}', '{"op": "options"}'], out)
    first, second = (json.loads(line) for line in out.getvalue().splitlines())
    assert (first["ok"], first["faults"][0]["code"], second["ok"]) == (False, "broken", True)
    assert "KeyError" in capsys.readouterr().err


def test_scores_may_be_asked_for_the_best_or_as_they_lie(client: Client) -> None:
    client.ask(NEW)
    plain = client.ask(op="score")
    assert client.ask(op="score", best=True) == client.ask(op="score", best=False) == plain
    assert [fault["code"] for fault in client.ask(op="score", best="yes")["faults"]] == ["bad-value"]
