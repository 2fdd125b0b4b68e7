"""What every game of the catalogue owes the other rooms, checked on random play."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from rules.catalogue import GAMES, SPEECHES, game_named
from rules.game import LANGUAGES, AnyGame, IllegalMove, Move, NotationError, UnknownGame, Verdict
from rules.match import Match, Play, read_match, write_match
from rules.words import NATURE, Cell, Colour, Layout, Piece, Seat
from tests.rules.playing import (
    also_legal,
    conserved,
    every_game,
    every_setup,
    first_setup,
    match_of,
    max_plays,
    next_moves,
    setups_of,
)


def some_states(match: Match, count: int, rng: random.Random) -> list[Any]:
    return rng.sample(match.states, min(count, len(match.states)))


def mutations(move: Move, others: Sequence[Move], cells: Sequence[Cell], rng: random.Random) -> list[Move]:
    """Moves near a legal one, of the words of the game itself (those of `others` and `cells`) and of none."""
    verbs = sorted({other.verb for other in others} | {"place", "drop", "pass", "keep", "turn", "", "fly"})
    places = [None, Cell(-9, 0), Cell(0, 0, 7), Cell(0, 0, 0, "nowhere"), *rng.sample(cells, min(4, len(cells)))]
    pieces = sorted({other.piece for other in others if other.piece is not None}, key=repr)
    pieces = [*rng.sample(pieces, min(3, len(pieces))), Piece("giant", Colour("mauve"))]
    if move.piece is not None:
        pieces += [replace(move.piece, facing=facing) for facing in (None, 0, 1, 2, 3, 7)]
        pieces += [Piece(move.piece.kind, Colour("mauve")), Piece("giant", move.piece.colour)]
    found = [replace(move, seat=Seat(n)) for n in (-1, 0, 1, 2, 3, 4)]
    found += [replace(move, verb=verb) for verb in verbs]
    found += [replace(move, target=cell) for cell in places] + [replace(move, source=cell) for cell in places]
    found += [replace(move, piece=piece) for piece in (None, *pieces)]
    found += [replace(move, note=note) for note in ("", "[b4n]", "?", rng.choice(others).note)]
    here = tuple(cell for cell in places if cell is not None)[-1]
    found += [replace(move, path=path) for path in ((), move.path[::-1], (*move.path, here), move.path[:-1])]
    found += [replace(move, taken=taken) for taken in ((), (*move.taken, here), move.taken[1:])]
    found += [replace(move, laid=laid) for laid in ((), (*move.laid, (here, pieces[0])), move.laid[1:])]
    return found + [replace(rng.choice(others), seat=move.seat) for _ in range(3)]


def check_refused(game: AnyGame, state: Any, verdict: Verdict) -> None:
    """A refusal has reasons that can be told in each language, and `play` does not do what was refused."""
    speech = SPEECHES[game.facts.name]
    with pytest.raises(IllegalMove):
        game.play(state, verdict.move)
    for reason in verdict.reasons:
        sentences = {game.say(reason, language) for language in LANGUAGES}
        assert len(sentences) == len(LANGUAGES)
        assert all(sentence.endswith(".") and "{" not in sentence for sentence in sentences)
        json.dumps([speech.name(cell) for cell in reason.cells])


@every_setup()
def test_just_the_listed_moves_are_legal(game: AnyGame, setup: str, rng: random.Random) -> None:
    match = match_of(game.facts.name, setup)
    played = [play.move for play in match.plays]
    cells = sorted({cell for state in match.states for cell in game.layout(state).pieces})
    refused = 0
    for state in some_states(match, 25, rng):
        legal = list(game.moves(state))
        assert len(set(legal)) == len(legal), "a move is listed twice"
        assert all(game.judge(state, move).legal for move in legal)
        near = rng.sample(legal, min(3, len(legal))) or [rng.choice(played)]
        for move in [mutation for some in near for mutation in mutations(some, [*legal, *played], cells, rng)]:
            verdict = game.judge(state, move)
            assert verdict.move == move
            assert verdict.legal == (move in legal or also_legal(game, state, move)), f"{move}: {verdict.reasons}"
            if not verdict.legal:
                refused += 1
                check_refused(game, state, verdict)
    assert refused > 100


@every_setup()
def test_notation_and_actions_read_back(game: AnyGame, setup: str, rng: random.Random) -> None:
    speech = SPEECHES[game.facts.name]
    match = match_of(game.facts.name, setup)
    for state in some_states(match, 25, rng):
        words, moves = set(), [*game.moves(state)]
        for move in moves or ([] if game.to_move(state) is None else next_moves(game, state, rng)):
            word = game.write(move)
            assert word
            assert not any(letter.isspace() for letter in word)
            assert game.read(word, state) == move
            action = json.loads(json.dumps(speech.action(move)))
            assert isinstance(action["kind"], str)
            assert speech.move(action, state) == move
            words.add(word)
        assert len(words) >= len(moves)


@every_setup()
def test_states_are_values_and_json(game: AnyGame, setup: str, rng: random.Random) -> None:
    for state in some_states(match_of(game.facts.name, setup), 100, rng):
        copy = game.load(json.loads(json.dumps(game.dump(state))))
        assert copy == state
        assert hash(copy) == hash(state)
        assert set(game.moves(copy)) == set(game.moves(state))


def play_saving_at_each_step(game: AnyGame, setup: str, rng: random.Random) -> Match:
    """A random match with undo and save/load at each step, and every way to a position leading to the same."""
    match = Match.begun(game, setups_of(game)[setup])
    held = conserved(game, match.state)
    while game.to_move(match.state) is not None and len(match.plays) != max_plays(game):
        assert len(match.plays) < 2000, "random play does not end"
        move = rng.choice(next_moves(game, match.state, rng))
        before = match.state
        after = match.after(Play(move))
        assert after.undone().state == before == match.state
        copy = game.load(game.dump(before))
        assert copy == before
        again = game.play(copy, move)
        assert again == after.state
        assert hash(again) == hash(after.state)
        assert conserved(game, after.state) == held, f"{game.write(move)} makes or loses something"
        match = after
    return match


def play_many(game: AnyGame, count: int, seed: str) -> None:
    """So many random matches, the setups in turn; what ends has a result."""
    names = list(setups_of(game))
    rng = random.Random(seed)
    for number in range(count):
        match = play_saving_at_each_step(game, names[number % len(names)], rng)
        assert (game.to_move(match.state) is None) == (game.outcome(match.state) is not None)


@every_setup()
def test_random_play_with_undo_and_saving_at_each_step(game: AnyGame, setup: str, rng: random.Random) -> None:
    match = play_saving_at_each_step(game, setup, rng)
    assert read_match(write_match(match), game_named) == match
    if game.to_move(match.state) is None:
        assert game.outcome(match.state) is not None
        assert list(game.moves(match.state)) == []
        assert game.phase(match.state) == "over"
    assert all(game.outcome(state) is None for state in match.states[:-1])
    assert match.undone(len(match.plays)).state == game.start(setups_of(game)[setup])


@pytest.mark.timeout(1200)
@every_game()
def test_two_hundred_random_games(game: AnyGame) -> None:
    play_many(game, 200, "two hundred")


@pytest.mark.slow
@pytest.mark.timeout(7200)
@every_game()
@pytest.mark.parametrize("thousand", range(10))
def test_ten_thousand_random_games(game: AnyGame, thousand: int) -> None:
    play_many(game, 1000, f"thousand {thousand}")


@every_setup()
def test_who_looks_alike_acts_alike(game: AnyGame, setup: str, rng: random.Random) -> None:
    """The referee tells moves apart by how the table must look after them: two that leave it the same must lead
    to the same position, whichever was meant; only what changes nothing on the table is told by the players."""
    for state in some_states(match_of(game.facts.name, setup), 8, rng):
        before = game.layout(state)
        looks: dict[tuple[Any, ...], Any] = {}
        for move in game.moves(state):
            after = game.play(state, move)
            changes = tuple(before.changes_to(game.layout(after)))
            if changes:
                assert looks.setdefault(changes, after) == after, f"{move} looks like another"
            elif move.source is None or move.source != move.target:  # a teleporter may lead back
                assert move.verb in ("keep", "pass", "done", "allocate"), f"{move} cannot be seen"
        assert list(game.guess(state, before)) == []


@every_setup()
def test_guesses_are_illegal_and_read_back(game: AnyGame, setup: str, rng: random.Random) -> None:
    """Whatever the table looks like: a guess is never a legal move, and the journal can keep it."""
    match = match_of(game.facts.name, setup)
    layouts = [game.layout(state).pieces for state in match.states]
    every = sorted({piece for pieces in layouts for piece in pieces.values()}, key=repr)
    cells = sorted({cell for pieces in layouts for cell in pieces})
    for state in some_states(match, 20, rng):
        for _ in range(10):
            pieces = dict(game.layout(state).pieces)
            for _ in range(rng.choice((1, 1, 2, 3))):
                cell = rng.choice([*pieces, Cell(rng.randrange(8), rng.randrange(8)), rng.choice(cells)])
                here = pieces.pop(cell, None)
                if rng.random() < 0.7:
                    pieces[cell] = replace(here or rng.choice(every), facing=rng.choice((None, 0, 1, 2, 3)))
            for move in game.guess(state, Layout(pieces)):
                assert not game.judge(state, move).legal
                assert game.read(game.write(move), state) == move


@every_setup()
def test_score_lines_name_what_lies_there(game: AnyGame, setup: str, rng: random.Random) -> None:
    match = match_of(game.facts.name, setup)
    speech = SPEECHES[game.facts.name]
    seats = {seat for seat, _ in match.setup.colours}
    for state in match.states[:: max(1, len(match.states) // 10)]:
        pieces = game.layout(state).pieces
        assert set(game.hands(state)) == seats
        for line in game.score(state):
            assert line.seat in seats
            assert speech.part(line.label)
            assert all(cell in pieces for cell in line.cells)
    outcome = game.outcome(match.state)
    if outcome is None:
        assert len(match.plays) == max_plays(game)
    else:
        assert outcome.winners
        assert set(outcome.winners) <= seats


@every_game()
@pytest.mark.parametrize(
    "text", ["", ":", "S:", "S", "nonsense", "S:Lz9", "S:xb4[", "Q:Lb4", "S:pass>Q", "S:Lb4 W:Lb5", "S:\u0661", "\x00"]
)
def test_what_is_no_move_is_refused(game: AnyGame, text: str) -> None:
    state = game.start(first_setup(game))
    with pytest.raises(NotationError, match="wanted"):
        game.read(text, state)


def test_the_catalogue_names_each_game_once() -> None:
    names = [game.facts.name for game in GAMES]
    assert len(set(names)) == len(names)
    assert set(SPEECHES) == set(names)
    assert [game_named(name).facts.name for name in names] == names
    with pytest.raises(UnknownGame, match="gridlock"):
        game_named("chess")


@every_game()
def test_each_option_has_values_and_a_sentence(game: AnyGame) -> None:
    for option in game.facts.options:
        assert option.default == option.values[0]
        assert len(set(option.values)) == len(option.values) > 1
        assert option.says.endswith(".")


@every_game()
def test_nature_acts_just_where_it_is_to_move(game: AnyGame, rng: random.Random) -> None:
    speech = SPEECHES[game.facts.name]
    for setup in setups_of(game):
        for state in some_states(match_of(game.facts.name, setup), 20, rng):
            drawn = speech.draw(state, rng)
            assert (drawn is not None) == (game.to_move(state) == NATURE)
            if drawn is not None:
                assert drawn.seat == NATURE
                assert game.judge(state, drawn).legal
