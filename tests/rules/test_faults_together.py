"""No fault of a saved position hides another that has nothing to do with it (issue 4: "every fault listed at once")."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from rules.catalogue import SPEECHES, game_named
from rules.game import AnyGame, Fault, ImpossibleState
from rules.match import Match, Play
from rules.words import SEAT_NAMES
from tests.rules.playing import next_moves

Json = dict[str, Any]
Change = Callable[[Json], object]
PARK = {"type": "park", "inhabitants": 0, "energy": 0, "vp": 0, "mayor": False, "mark": None}

CHANGES: dict[str, tuple[Change, ...]] = {
    "gridlock": (
        lambda s: s["pieces"][0].update(colour="mauve"),
        lambda s: s["pieces"][1].update(square="j9"),
        lambda s: s["pieces"][2].update(facing="in"),
        lambda s: s["pieces"].append(dict(s["pieces"][3])),
        lambda s: s["hands"]["green"].update(large=9),
        lambda s: s["hands"]["blue"].update(small=-1),
        lambda s: s.update(to_move=None),
        lambda s: s.update(first=7),
        lambda s: s.update(van="nobody"),
        lambda s: s["options"].update(chain="ring"),
        lambda s: s.update(players=[["south"]]),
    ),
    "quadropolis": (
        lambda s: s["cities"]["south"]["beside"].update(energy=40),
        lambda s: s["cities"]["west"]["slots"][3].__setitem__(3, {"floors": [{"type": "palace"}]}),
        lambda s: s["cities"]["north"]["beside"].update(inhabitants=-1),
        lambda s: s["cities"]["east"]["slots"][1].__setitem__(1, {"floors": [PARK, PARK]}),
        lambda s: s.update(phase="lunch"),
        lambda s: s.update(turn=s["turn"] % 4 + 1),
        lambda s: s.update(urbanist=None),
        lambda s: s.update(mayor="x"),
        lambda s: s["options"].update(stacking="never"),
        lambda s: s["colours"].update(east=7),
    ),
    "ido": (
        lambda s: s["blocks"][0].update(square=[-1, 0]),
        lambda s: s["blocks"][5].update(size="huge"),
        lambda s: s["blocks"].append(dict(s["blocks"][2])),
        lambda s: s["supply"]["south"].update(small=9),
        lambda s: s["home"].update(north=["giant"]),
        lambda s: s["home"]["east"].extend(["small", "small", "large", "large", "large"]),
        lambda s: s.update(shifted_by="nobody"),
        lambda s: s.update(steps_left=77),
        lambda s: s.update(frame_offset=[9, 9]),
        lambda s: s["options"].update(chain_push="pull"),
    ),
    "gridopolis": (
        lambda s: s["pads"].append({"node": [9, 9, 9], "part": None}),
        lambda s: s["pads"][3].update(part="portal"),
        lambda s: s["pads"].append(dict(s["pads"][0])),
        lambda s: s["links"].append([[0, 0, 0], [1, 1, 0]]),
        lambda s: s["links"].append([[50, 0, 0], [51, 0, 0]]),
        lambda s: s["posts"].append([[60, 0, 0], [61, 0, 0]]),
        lambda s: s["markers"][0].update(rank="queen"),
        lambda s: s["markers"][1].update(node=[0, 0, 40]),
        lambda s: s["reserve"]["south"].update(pads=9),
        lambda s: s["captured"]["north"].extend([{"colour": "blue", "rank": "king"}] * 7),
        lambda s: s["moved"].append([0, 0, 41]),
        lambda s: s.update(moves_left=5),
        lambda s: s["options"].update(blocked_is_off=1),
    ),
}
"""By game: changes of a position in the middle of a game, each impossible by itself and of a part of its own."""


def middle(game: AnyGame) -> Json:
    """A position some way into a random match of four, in which every change finds what it changes."""
    rng = random.Random(11)
    match = Match.begun(game, SPEECHES[game.facts.name].setup({"seats": list(SEAT_NAMES)}))
    while len(match.plays) < 25:
        match = match.after(Play(rng.choice(next_moves(game, match.state, rng))))
    saved: Json = json.loads(json.dumps(game.dump(match.state)))
    return saved


def faults_in(game: AnyGame, saved: Json, *changes: Change) -> set[tuple[str, str]]:
    """The codes and places of what is wrong once these changes were made."""
    changed = copy.deepcopy(saved)
    for change in changes:
        change(changed)
    found: tuple[Fault, ...] = ()
    try:
        game.load(changed)
    except ImpossibleState as refused:
        found = refused.faults
    return {(fault.code, repr(fault.at)) for fault in found}


@pytest.mark.parametrize("name", CHANGES)
def test_no_fault_hides_another(name: str) -> None:
    game = game_named(name)
    saved = middle(game)
    assert not faults_in(game, saved)
    alone = {change: faults_in(game, saved, change) for change in CHANGES[name]}
    assert all(alone.values())
    for one, other in combinations(CHANGES[name], 2):
        assert faults_in(game, saved, one, other) >= alone[one] | alone[other]
    together = faults_in(game, saved, *CHANGES[name])
    assert {code for found in alone.values() for code, _ in found} <= {code for code, _ in together}


MANY = 4000
GROWN: dict[str, tuple[Change, ...]] = {
    "gridlock": (
        lambda s: s["options"].update(dict.fromkeys(map(str, range(MANY)), "x")),
        lambda s: s["pieces"].extend([s["pieces"][0]] * MANY),
    ),
    "quadropolis": (
        lambda s: s["options"].update(dict.fromkeys(map(str, range(MANY)), "x")),
        lambda s: s["cities"]["south"]["slots"][0].__setitem__(0, {"floors": [PARK] * MANY}),
    ),
    "ido": (
        lambda s: s["options"].update(dict.fromkeys(map(str, range(MANY)), "x")),
        lambda s: s["blocks"].extend([s["blocks"][0]] * MANY),
    ),
    "gridopolis": (
        lambda s: s["options"].update(dict.fromkeys(map(str, range(MANY)), "x")),
        lambda s: s["pads"].extend({"node": [n % 90, n // 90, 9], "part": None} for n in range(MANY)),
    ),
}
"""By game: changes that make a position very large."""


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", GROWN)
def test_a_very_large_state_is_refused_soon(name: str) -> None:
    """None of them takes a time that grows with the square of its size."""
    game = game_named(name)
    saved = middle(game)
    for change in GROWN[name]:
        assert faults_in(game, saved, change)
