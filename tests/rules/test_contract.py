"""What every game of the catalogue owes the other rooms, checked on random play."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from rules.catalogue import GAMES, SPEECHES, game_named
from rules.game import LANGUAGES, AnyGame, IllegalMove, Move, NotationError, Setup, UnknownGame
from rules.gridlock.speech import setup_for
from rules.match import Match, Play, Source, read_match, write_match
from rules.words import EAST, NORTH, SEATS, SOUTH, WEST, Cell, Layout, Piece, Seat

SETUPS: dict[str, dict[str, Setup]] = {
    "gridlock": {
        "four, full": setup_for(SEATS),
        "four, short, west first": setup_for([WEST, NORTH, EAST, SOUTH], [("per_size", "3"), ("van", "south")]),
        "two": setup_for([NORTH, SOUTH], [("per_size", "2")]),
        "three": setup_for([EAST, SOUTH, WEST], [("per_size", "2")]),
        "other readings": setup_for(
            SEATS,
            [
                ("per_size", "2"),
                ("upright", "skipped"),
                ("gaps", "count"),
                ("chain", "group"),
                ("empty_holder", "may_pass"),
                ("drop_starter", "first"),
                ("tie", "longest_chain"),
            ],
        ),
        "blocking readings": setup_for(SEATS, [("per_size", "1"), ("upright", "blocks"), ("gaps", "stop")]),
    }
}
CASES = [
    pytest.param(game, setup, id=f"{game.facts.name}: {name}")
    for game in GAMES
    for name, setup in SETUPS[game.facts.name].items()
]
every_setup = pytest.mark.parametrize(("game", "setup"), CASES)


def random_match(game: AnyGame, setup: Setup, rng: random.Random) -> Match:
    """A whole match of random legal moves; fails if it does not end."""
    match = Match.begun(game, setup)
    while game.to_move(match.state) is not None:
        assert len(match.plays) < 2000, "random play does not end"
        match = match.after(Play(rng.choice(list(game.moves(match.state))), rng.choice(list(Source))))
    return match


def mutations(move: Move, rng: random.Random) -> list[Move]:
    """Moves near a legal one."""
    cells = [Cell(rng.randrange(-1, 9), rng.randrange(-1, 9)) for _ in range(3)]
    seats = [Seat(n) for n in (-1, 0, 1, 2, 3, 4)]
    found = [replace(move, seat=seat) for seat in seats]
    found += [
        replace(move, verb=verb) for verb in ("place", "drop", "pass", "keep", "shift", "remove", "turn", "", "fly")
    ]
    found += [replace(move, target=cell) for cell in (*cells, None, Cell(0, 0, 1), Cell(0, 0, 0, "van"))]
    found += [replace(move, source=cell) for cell in (cells[0], None)]
    found += [replace(move, note="[b4n]"), replace(move, piece=None)]
    if move.piece is not None:
        found += [replace(move, piece=replace(move.piece, facing=facing)) for facing in (None, 0, 1, 2, 3, 7)]
        found += [replace(move, piece=replace(move.piece, kind=kind)) for kind in ("small", "medium", "large", "giant")]
        found += [replace(move, piece=Piece(move.piece.kind, colour)) for colour in {"red", "blue", "mauve"}]  # type: ignore[arg-type]
    return found


@every_setup
def test_just_the_listed_moves_are_legal(game: AnyGame, setup: Setup, rng: random.Random) -> None:
    match = random_match(game, setup, rng)
    for state in rng.sample(match.states, min(25, len(match.states))):
        legal = list(game.moves(state))
        assert len(set(legal)) == len(legal), "a move is listed twice"
        assert all(game.judge(state, move).legal for move in legal)
        for move in [near for some in rng.sample(legal, min(3, len(legal))) for near in mutations(some, rng)]:
            verdict = game.judge(state, move)
            assert verdict.move == move
            assert verdict.legal == (move in legal), f"{move} is judged {verdict.reasons}"
            if not verdict.legal:
                with pytest.raises(IllegalMove):
                    game.play(state, move)
                for reason in verdict.reasons:
                    sentences = {game.say(reason, language) for language in LANGUAGES}
                    assert len(sentences) == len(LANGUAGES)
                    assert all(sentence.endswith(".") and "{" not in sentence for sentence in sentences)


@every_setup
def test_notation_and_actions_read_back(game: AnyGame, setup: Setup, rng: random.Random) -> None:
    speech = SPEECHES[game.facts.name]
    match = random_match(game, setup, rng)
    for state in rng.sample(match.states, min(25, len(match.states))):
        words = set()
        for move in game.moves(state):
            word = game.write(move)
            assert " " not in word
            assert game.read(word, state) == move
            assert speech.move(json.loads(json.dumps(speech.action(move))), state) == move
            words.add(word)
        assert len(words) == len(list(game.moves(state)))


@every_setup
def test_states_are_values_and_json(game: AnyGame, setup: Setup, rng: random.Random) -> None:
    for state in random_match(game, setup, rng).states:
        copy = game.load(json.loads(json.dumps(game.dump(state))))
        assert copy == state
        assert hash(copy) == hash(state)
        assert set(game.moves(copy)) == set(game.moves(state))


@every_setup
def test_random_play_with_undo_and_saving_at_each_step(game: AnyGame, setup: Setup, rng: random.Random) -> None:
    match = Match.begun(game, setup)
    while game.to_move(match.state) is not None:
        move = rng.choice(list(game.moves(match.state)))
        before = match.state
        after = match.after(Play(move))
        assert after.undone().state == before == match.state
        # the way over the saved state and the way over the played state lead to the same place
        copy = game.load(game.dump(before))
        assert game.play(copy, move) == after.state
        assert hash(game.play(copy, move)) == hash(after.state)
        match = after
    assert read_match(write_match(match), game_named) == match
    assert game.outcome(match.state) is not None
    assert list(game.moves(match.state)) == []
    assert game.phase(match.state) == "over"
    assert match.undone(len(match.plays)).state == game.start(setup)


@every_setup
def test_every_move_changes_the_table_in_its_own_way(game: AnyGame, setup: Setup, rng: random.Random) -> None:
    """The referee tells moves apart by how the table must look after them; who looks alike must act alike."""
    for state in rng.sample(random_match(game, setup, rng).states, 8):
        before = game.layout(state)
        looks: dict[tuple[Any, ...], Move] = {}
        for move in game.moves(state):
            changes = tuple(before.changes_to(game.layout(game.play(state, move))))
            assert changes or move.verb == "keep", f"{move} cannot be seen"
            assert looks.setdefault(changes, move) == move
        assert list(game.guess(state, before)) == []


@every_setup
def test_guesses_are_illegal_and_read_back(game: AnyGame, setup: Setup, rng: random.Random) -> None:
    """Whatever the table looks like: a guess is never a legal move, and the journal can keep it."""
    match = random_match(game, setup, rng)
    every = sorted({piece for state in match.states for piece in game.layout(state).pieces.values()}, key=repr)
    for state in rng.sample(match.states, min(20, len(match.states))):
        for _ in range(10):
            pieces = dict(game.layout(state).pieces)
            for _ in range(rng.choice((1, 1, 2, 3))):
                cell = rng.choice([*pieces, Cell(rng.randrange(8), rng.randrange(8))])
                here = pieces.pop(cell, None)
                if rng.random() < 0.7:
                    pieces[cell] = replace(here or rng.choice(every), facing=rng.choice((None, 0, 1, 2, 3)))
            for move in game.guess(state, Layout(pieces)):
                assert not game.judge(state, move).legal
                assert game.read(game.write(move), state) == move


@every_setup
def test_score_lines_name_what_lies_there(game: AnyGame, setup: Setup, rng: random.Random) -> None:
    match = random_match(game, setup, rng)
    for state in match.states[:: max(1, len(match.states) // 10)]:
        pieces = game.layout(state).pieces
        for line in game.score(state):
            assert line.cells
            assert all(cell in pieces for cell in line.cells)
    outcome = game.outcome(match.state)
    assert outcome is not None
    assert outcome.winners
    assert set(outcome.winners) <= {seat for seat, _ in setup.colours}


@pytest.mark.parametrize("game", GAMES, ids=[game.facts.name for game in GAMES])
@pytest.mark.parametrize(
    "text", ["", ":", "S:", "S", "nonsense", "S:Lz9", "S:xb4[", "Q:Lb4", "S:pass>Q", "S:Lb4 W:Lb5"]
)
def test_what_is_no_move_is_refused(game: AnyGame, text: str) -> None:
    state = game.start(next(iter(SETUPS[game.facts.name].values())))
    with pytest.raises(NotationError):
        game.read(text, state)


def test_the_catalogue_names_each_game_once() -> None:
    names = [game.facts.name for game in GAMES]
    assert len(set(names)) == len(names)
    assert set(SPEECHES) == set(names) == set(SETUPS)
    assert [game_named(name).facts.name for name in names] == names
    with pytest.raises(UnknownGame, match="gridlock"):
        game_named("chess")


@pytest.mark.parametrize("game", GAMES, ids=[game.facts.name for game in GAMES])
def test_each_option_has_values_and_a_sentence(game: AnyGame) -> None:
    for option in game.facts.options:
        assert option.default == option.values[0]
        assert len(set(option.values)) == len(option.values) > 1
        assert option.says.endswith(".")
