"""The line protocol with every game of the catalogue: whole games over it, and bad input of every kind.

Nothing here catches an exception: `Conversation.answer` must find an answer to whatever it is asked.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from rules.catalogue import SPEECHES, game_named
from rules.game import AnyGame
from rules.protocol import Conversation
from rules.words import SEAT_NAMES
from tests.rules.playing import every_game, every_setup, match_of, setups_of

Json = dict[str, Any]
BAD_VALUES: list[Any] = [
    None, True, False, 0, -1, 7, 2.5, float("inf"), float("nan"), 10**30, "", "south", "nature", "\ud800", "red",
    [], {}, [[]], [None], [0, 0], [0, 0, 1], [9, 9, 9], [1, 2, 3, 4, 5], ["south"], [["south", "north"]], {"a": []},
    {"south": 1}, {"south": {"small": -1}}, [[[0, 0, 0], [0, 0, 1]]],
]  # fmt: skip
OPS = ["new", "load", "actions", "judge", "play", "undo", "state", "score", "options", "perft"]


class Client:
    """Asks one conversation in dicts."""

    def __init__(self, game: AnyGame) -> None:
        self.conversation = Conversation(game)

    def ask(self, **words: Any) -> Json:
        answer: Json = json.loads(self.conversation.answer(json.dumps(words)))
        assert isinstance(answer["ok"], bool)
        return answer


def paths(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place within a JSON value, as keys and indices from the outside in."""
    keys: Sequence[Any] = ()
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = range(len(value))
    for key in keys:
        yield (*here, key)
        yield from paths(value[key], (*here, key))


def with_value(state: Json, path: tuple[Any, ...], value: Any) -> Json:
    """A copy with another value at a place; `...` takes the place away."""
    changed = copy.deepcopy(state)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return changed


def check_faults(answer: Json) -> None:
    """A refusal names what is wrong in sentences, each once."""
    assert answer["ok"] is False
    assert answer["faults"]
    for fault in answer["faults"]:
        assert set(fault) == {"code", "at", "text"}
        assert fault["code"]
        assert fault["text"].startswith(("wanted", "option"))
        assert ": " in fault["text"]
    assert len({json.dumps(fault) for fault in answer["faults"]}) == len(answer["faults"]), "a fault is told twice"


def check_stands(client: Client, state: Json) -> None:
    """What was loaded can be asked about in every way, and loads again as the same."""
    told = client.ask(op="state")
    assert told["state"] == state
    assert client.ask(op="load", state=state) == {"ok": True, "state": state}
    actions = client.ask(op="actions")["actions"]
    assert client.ask(op="perft", depth=1)["leaves"] == len(actions)
    for best in (None, True, False):
        scored = client.ask(op="score", best=best)
        for seat, parts in scored["scores"].items():
            lines = [line for line in scored["lines"] if line["seat"] == seat]
            assert sum(line["points"] for line in lines) == parts["total"]
            assert sum(points for part, points in parts.items() if part != "total") == parts["total"]


def sampled(game: AnyGame, count: int, rng: random.Random) -> list[Json]:
    """Positions of random play as JSON, over all setups."""
    states = [state for setup in setups_of(game) for state in match_of(game.facts.name, setup).states]
    return [json.loads(json.dumps(game.dump(state))) for state in rng.sample(states, min(count, len(states)))]


@every_setup()
def test_a_whole_game_over_the_protocol(game: AnyGame, setup: str) -> None:
    match = match_of(game.facts.name, setup)
    speech, client = SPEECHES[game.facts.name], Client(game)
    client.ask(op="load", state=dict(game.dump(match.states[0])))
    step = max(1, len(match.plays) // 60)
    for number, play in enumerate(match.plays):
        before = json.loads(json.dumps(game.dump(match.states[number])))
        action, looked = speech.action(play.move), number % step == 0
        if looked:
            assert client.ask(op="state") == {"ok": True, "state": before, "over": False, "winners": []}
            listed = client.ask(op="actions")["actions"]
            assert all(client.ask(op="judge", action=one) == {"ok": True, "legal": True, "reasons": []}
                       for one in listed[:3] + listed[-3:])
            client.ask(op="play", action=game.write(play.move))
            assert client.ask(op="undo") == {"ok": True, "state": before}
        answer = client.ask(op="play", action=action)
        assert answer["ok"], answer
        assert answer["over"] == (answer["state"]["to_move"] is None)
        assert answer["state"] == json.loads(json.dumps(game.dump(match.states[number + 1])))
    told = client.ask(op="state")
    outcome = game.outcome(match.state)
    assert told["winners"] == ([] if outcome is None else [SEAT_NAMES[seat] for seat in outcome.winners])
    assert told["over"] == (outcome is not None)


@every_game()
def test_a_bad_value_anywhere_in_a_state_is_refused_or_stands(game: AnyGame, rng: random.Random) -> None:
    client, refused = Client(game), 0
    for state in sampled(game, 5, rng):
        places = list(paths(state))
        for path in rng.sample(places, min(50, len(places))):
            for value in (..., *rng.sample(BAD_VALUES, 3), rng.choice(places)[-1]):
                answer = client.ask(op="load", state=with_value(state, path, value))
                if answer["ok"]:
                    check_stands(client, answer["state"])
                else:
                    refused += 1
                    check_faults(answer)
    assert refused > 200


@every_game()
def test_every_key_of_a_state_is_looked_at(game: AnyGame, rng: random.Random) -> None:
    """A value of a kind that no key holds is refused, by a fault that names the key; all such faults come at once."""
    client = Client(game)
    for state in sampled(game, 3, rng):
        for key in state:
            check_faults(client.ask(op="load", state={**state, key: 2.5}))
        broken = client.ask(op="load", state=dict.fromkeys(state, 2.5))
        check_faults(broken)
        assert len(broken["faults"]) >= len(state) // 2
        check_faults(client.ask(op="load", state={}))


def coded(faults: list[Json]) -> set[str]:
    """Faults by code and place; their sentences may name what else was found."""
    return {f"{fault['code']} {fault['at']}" for fault in faults}


@every_game()
def test_faults_of_two_places_come_at_once(game: AnyGame, rng: random.Random) -> None:
    """Two keys that are each of the wrong kind: the answer has the fault of either."""
    client = Client(game)
    for state in sampled(game, 4, rng):
        for _ in range(20):
            one, two = rng.sample(sorted(state), 2)
            alone = [client.ask(op="load", state={**state, key: 2.5})["faults"] for key in (one, two)]
            both = coded(client.ask(op="load", state={**state, one: 2.5, two: 2.5})["faults"])
            assert all(coded(faults) & both for faults in alone), (one, two)


@every_game()
def test_bad_actions_are_judged(game: AnyGame, rng: random.Random) -> None:
    """Actions with a value swapped, taken away or of no sense: judged, and played just if they are legal."""
    client, illegal = Client(game), 0
    actions = [(SPEECHES[game.facts.name].action(play.move), number, setup)
               for setup in setups_of(game) for number, play in enumerate(match_of(game.facts.name, setup).plays)]
    for action, number, setup in rng.sample(actions, min(40, len(actions))):
        state = json.loads(json.dumps(game.dump(match_of(game.facts.name, setup).states[number])))
        assert client.ask(op="load", state=state)["ok"]
        places = list(paths(json.loads(json.dumps(action))))
        for path in rng.sample(places, min(20, len(places))):
            for value in (..., *rng.sample(BAD_VALUES, 3)):
                bad = with_value(json.loads(json.dumps(action)), path, value)
                judged = client.ask(op="judge", action=bad)
                assert judged["ok"]
                assert judged["legal"] == (not judged["reasons"])
                played = client.ask(op="play", action=bad)
                assert played["ok"] == judged["legal"]
                if played["ok"]:
                    assert client.ask(op="undo")["state"] == state
                else:
                    illegal += 1
                    assert played["reasons"] == judged["reasons"]
                    assert all(reason["code"] and reason["text"].endswith(".") for reason in judged["reasons"])
                    assert client.ask(op="state")["state"] == state
    assert illegal > 100


@every_game()
@pytest.mark.parametrize("seat", ["up", 3, "", ["south"], {}])
def test_an_action_of_no_seat_is_illegal(game: AnyGame, seat: Any) -> None:
    setup = next(iter(setups_of(game)))
    match, client = match_of(game.facts.name, setup), Client(game)
    client.ask(op="load", state=dict(game.dump(match.state if not match.plays else match.states[-2])))
    action = SPEECHES[game.facts.name].action(match.plays[-1].move)
    assert client.ask(op="judge", action={**action, "seat": seat})["legal"] is False


@every_game()
def test_random_lines_are_always_answered(game: AnyGame, rng: random.Random) -> None:
    """Requests with parts taken away, swapped or doubled: an answer each time, `ok` always there."""
    client = Client(game)
    (state,) = sampled(game, 1, rng)
    assert client.ask(op="load", state=state)["ok"]
    values = [*BAD_VALUES, state]
    others = [*values, ["south", "north"], {"kind": "place", "square": "a1"}, {"kind": ["pass"]}]
    for _ in range(1500):
        broken = dict(state)
        for key in rng.sample(sorted(broken), 2):
            broken[key] = rng.choice(values)
        request: Json = {"op": rng.choice(OPS), "state": rng.choice([broken, state, rng.choice(values)]), "depth": 1}
        for key in ("seats", "options", "action", "colours", "best", "depth"):
            if rng.random() < 0.4:
                request[key] = rng.choice(others)
        if not isinstance(request["depth"], int) or request["depth"] < 2:
            client.ask(**request)


@every_game()
def test_seats_and_options_that_a_game_refuses(game: AnyGame) -> None:
    client = Client(game)
    for seats in (None, [], ["south"], "south", ["south", "south"], ["up", "down"], [1, 2], [["south"], "north"], {}):
        check_faults(client.ask(op="new", seats=seats))
    names = ["south", "north"]
    for options in ([], 3, "x", {"nonsense": 1}):
        check_faults(client.ask(op="new", seats=names, options=options))
    for option in client.ask(op="options")["options"]:
        for value in (2.5, "nonsense", [[]], {"a": 1}):
            check_faults(client.ask(op="new", seats=names, options={option["name"]: value}))
    twice = client.ask(op="new", seats=["south"], options={"nonsense": 1, "sense": 2})
    check_faults(twice)
    assert len(twice["faults"]) >= 3


@every_game()
def test_every_option_is_told_and_taken_by_new_and_load(game: AnyGame) -> None:
    client = Client(game)
    options = client.ask(op="options")["options"]
    assert sorted(option["name"] for option in options) == sorted(option.name for option in game.facts.options)
    for option in options:
        assert option["default"] in option["values"]
        assert option["says"].endswith(".")
        for value in option["values"]:
            seats = next((names for count in game.facts.players
                          if (names := {2: ["south", "north"], 3: list(SEAT_NAMES[:3]), 4: list(SEAT_NAMES)}[count])
                          and client.ask(op="new", seats=names, options={option["name"]: value})["ok"]), None)
            assert seats, f"{option['name']}={value} is refused for every number of players"
            started = client.ask(op="new", seats=seats, options={option["name"]: value})["state"]
            assert client.ask(op="load", state=started) == {"ok": True, "state": started}
            if option["name"] not in started["options"]:
                continue  # of the setup alone, like where Gridlock's van begins
            assert started["options"][option["name"]] == value
            plain = client.ask(op="new", seats=seats)["state"]
            loaded = client.ask(op="load", state=plain, options={option["name"]: value})
            if loaded["ok"]:  # an option may need other pieces than those of the position
                assert loaded["state"]["options"][option["name"]] == value
            check_faults(client.ask(op="load", state=plain, options={option["name"]: 2.5}))


@every_game()
def test_a_conversation_is_about_one_game(game: AnyGame) -> None:
    for other in ("gridlock", "quadropolis"):
        if other != game.facts.name and other in SPEECHES:
            state = dict(game_named(other).dump(match_of(other, next(iter(setups_of(game_named(other))))).state))
            check_faults(Client(game).ask(op="load", state=state))
