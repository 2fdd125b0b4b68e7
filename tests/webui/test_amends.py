from __future__ import annotations

import random

import pytest

from rules.words import Cell, Change, Colour, Layout, Piece
from tests.webui.rehearsed_desk import COLOURS, SIZES, at, midgame, piece
from webui.amends import MoveBack, PutDown, Step, Swap, TakeAway, TurnBack, step_sentence, steps_to

RED, BLUE = piece("red large"), piece("blue small 1")
VAN = Piece("van", Colour(""))


@pytest.mark.parametrize(
    ("changes", "steps"),
    [
        ((), ()),
        ((Change(at("a1"), RED, None), Change(at("b1"), None, RED)), (MoveBack(at("a1"), at("b1"), RED),)),
        ((Change(at("a1"), piece("red large 2"), RED),), (TurnBack(at("a1"), piece("red large 2"), RED),)),
        ((Change(at("a1"), None, BLUE),), (PutDown(at("a1"), BLUE),)),
        ((Change(at("a1"), BLUE, None),), (TakeAway(at("a1"), BLUE),)),
        ((Change(at("a1"), BLUE, RED),), (Swap(at("a1"), BLUE, RED),)),
        (
            (Change(at("a1"), BLUE, RED), Change(at("b1"), RED, BLUE)),
            (MoveBack(at("b1"), at("a1"), RED), MoveBack(at("a1"), at("b1"), BLUE)),
        ),
        (
            (Change(at("a1"), piece("red large 3"), None), Change(at("b1"), None, RED)),
            (MoveBack(at("a1"), at("b1"), RED),),
        ),
    ],
    ids=["nothing", "moved", "turned", "missing", "too many", "another", "changed places", "moved and turned"],
)
def test_steps(changes: tuple[Change, ...], steps: tuple[Step, ...]) -> None:
    assert steps_to(changes) == steps


def _after(layout: dict[Cell, Piece], steps: tuple[Step, ...]) -> dict[Cell, Piece]:
    """What the table looks like when a person has followed every step."""
    table = dict(layout)
    for step in steps:  # first everything is lifted, then set down: people have two hands
        match step:
            case MoveBack(source, _, _) | TakeAway(source, _):
                table.pop(source)
            case TurnBack(target, _, _) | Swap(target, _, _):
                table.pop(target)
            case PutDown():
                pass
    for step in steps:
        if not isinstance(step, TakeAway):
            assert step.target not in table, "nothing is put onto another piece"
            table[step.target] = step.piece
    return table


@pytest.mark.parametrize("seed", range(40))
def test_following_the_steps_always_mends_the_table(seed: int) -> None:
    rng = random.Random(seed)
    cells = [Cell(col, row) for col in range(3) for row in range(3)]

    def some() -> dict[Cell, Piece]:
        chosen = rng.sample(cells, rng.randint(0, 9))
        return {c: Piece(rng.choice(SIZES), rng.choice(COLOURS[:2]), rng.choice((None, 0, 2))) for c in chosen}

    found, wanted = some(), some()
    steps = steps_to(tuple(Layout(found).changes_to(Layout(wanted))))
    assert _after(found, steps) == wanted


@pytest.mark.parametrize(
    ("step", "en", "pt"),
    [
        (
            MoveBack(at("e5"), at("d4"), piece("red large 0")),
            "Move the large red from e5 back to d4, lying, pointing north.",
            "Leve a grande vermelha de e5 de volta a d4, deitada, apontando para o norte.",
        ),
        (TurnBack(at("d4"), RED, RED), "Stand the large red on d4 up again.", "Ponha de pé a grande vermelha em d4."),
        (
            TurnBack(at("d4"), RED, piece("red large 3")),
            "Turn the large red on d4: lying, pointing west.",
            "Vire a grande vermelha em d4: deitada, apontando para o oeste.",
        ),
        (PutDown(at("d4"), RED), "Put the large red on d4, standing.", "Ponha a grande vermelha em d4, em pé."),
        (TakeAway(at("d4"), BLUE), "Take the small blue off d4.", "Tire a pequena azul de d4."),
        (
            Swap(at("d4"), BLUE, RED),
            "On d4, take the small blue away and put the large red, standing.",
            "Em d4, tire a pequena azul e ponha a grande vermelha, em pé.",
        ),
        (
            MoveBack(Cell(0, 0, 0, "van"), Cell(2, 0, 0, "van"), VAN),
            "Give the Mystery Machine back to yellow.",
            "Devolva a Máquina de Mistério: ela fica com amarelo.",
        ),
    ],
)
def test_sentences(step: Step, en: str, pt: str) -> None:
    seats = midgame().seats
    assert (step_sentence(step, "en", seats), step_sentence(step, "pt", seats)) == (en, pt)
