"""A desk for tests and for looking at the page: it keeps the promises of `webui.desk.Desk` over a scripted table.

It knows no rules: a scene is a `TableView`, and a wish changes it in the plainest way.
`python -m tests.webui.rehearsed_desk [scene] [port]` serves one to look at; the code is 2468.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from rules.game import Outcome, ScoreLine
from rules.words import EAST, NORTH, SEATS, SOUTH, WEST, Cell, Change, Colour, Layout, Piece, Said, Seat
from webui.desk import (
    Answer,
    Choice,
    Correct,
    Health,
    NewMatch,
    Notice,
    Question,
    Receipt,
    Request,
    SeatView,
    SetSound,
    TableView,
    Tone,
    Undo,
)

CODE = "2468"
COLOURS = (Colour("red"), Colour("blue"), Colour("yellow"), Colour("green"))
SIZES = ("small", "medium", "large")
JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 32 + b"\xff\xd9"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def at(name: str) -> Cell:
    return Cell("abcdefgh".index(name[0]), int(name[1]) - 1)


def piece(text: str) -> Piece:
    """ "red large", "red large 0": a facing when it lies."""
    colour, kind, *facing = text.split()
    return Piece(kind, Colour(colour), int(facing[0]) if facing else None)


def notice(seq: int, tone: Tone, en: str, pt: str, seat: Seat | None = None, cells: tuple[Cell, ...] = ()) -> Notice:
    return Notice(seq, f"2026-11-29T20:{seq % 60:02d}:00Z", tone, Said(en, pt), seat, cells)


def midgame() -> TableView:
    """Placing nearly done, some pieces down, red to play."""
    rows = {
        "a1": "red large", "b1": "red small", "c2": "blue medium 0", "d2": "blue medium 0",
        "e2": "green large 0", "d3": "red large 0", "d4": "yellow small 0", "d5": "red medium 0",
        "f5": "yellow large 2", "c7": "yellow medium", "g4": "green medium 1", "h4": "green small 1",
        "b5": "blue large 3", "a5": "blue small 3", "f6": "yellow small 2", "g7": "green large",
        "h8": "blue small", "e6": "red small 1", "f2": "green small", "g1": "yellow large",
        "a8": "green medium", "b3": "red medium", "e7": "blue large",
    }  # fmt: skip
    layout = {at(name): piece(text) for name, text in rows.items()}
    layout[Cell(2, 0, 0, "van")] = Piece("van", Colour(""))
    points = (8, 6, 4, 3)
    seats = tuple(
        SeatView(seat, colour, int(seat), points[seat], (("small", 1), ("medium", 2), ("large", 1)), seat == NORTH)
        for seat, colour in zip(SEATS, COLOURS, strict=True)
    )
    story = (
        notice(38, Tone.PLAIN, "Green dropped e2 north.", "Verde derrubou e2 para o norte."),
        notice(39, Tone.GOOD, "Yellow passed the Mystery Machine to green.", "Amarelo passou a Máquina de Mistério."),
        notice(40, Tone.GOOD, "Green dropped d4 north; d5 turned.", "Verde derrubou d4 para o norte; d5 virou."),
    )
    scores = (
        ScoreLine(SOUTH, "chain", 8, (at("d2"), at("d3"), at("d4"), at("d5"))[:4]),
        ScoreLine(SOUTH, "chain", 1, (at("c2"),)),
        ScoreLine(WEST, "chain", 2, (at("g4"), at("h4"))),
        ScoreLine(NORTH, "chain", 2, (at("f6"), at("f5"))),
        ScoreLine(EAST, "chain", 2, (at("b5"), at("a5"))),
    )
    return TableView(
        seq=40, revision=1, match=1, game="gridlock", phase="drop", board=(8, 8), seats=seats, to_move=SOUTH,
        layout=Layout(layout), last_cells=(at("d4"), at("d5")), notices=story, alert=None, put_right=(), question=None,
        scores=scores, outcome=None, health=Health("waiting", Said("", ""), 120.0), sound="all", can_undo=True,
    )  # fmt: skip


def amiss() -> TableView:
    """Blue moved though it was red's turn, and two more things differ."""
    view = midgame()
    wrong = notice(
        41, Tone.WRONG, "It is red's turn, and blue dropped e7.", "É a vez do vermelho, e o azul derrubou e7.",
        WEST, (at("e7"),),
    )  # fmt: skip
    changes = (
        Change(at("e7"), piece("blue large 2"), piece("blue large")),
        Change(at("f2"), None, piece("green small")),
        Change(at("f3"), piece("green small 0"), None),
        Change(at("h6"), piece("yellow medium"), None),
    )
    health = Health("put-right", Said("Put the table right and go on.", "Arrume a mesa e continuem."))
    return replace(view, seq=41, notices=(*view.notices, wrong), alert=wrong, put_right=changes, health=health)


def asking() -> TableView:
    choices = (
        Choice("a", Said("Red small on e6, pointing east", "Vermelha pequena em e6, para o leste"), 0.62, PNG),
        Choice("b", Said("Red medium on e6, pointing east", "Vermelha média em e6, para o leste"), 0.33, PNG),
        Choice("c", Said("None of these", "Nenhuma destas"), 0.05),
    )
    said = Said("What did red drop on e6?", "O que o vermelho derrubou em e6?")
    health = Health("question", Said("", ""))
    return replace(midgame(), question=Question(41, said, (at("e6"),), choices), seq=41, health=health)


def over() -> TableView:
    view = midgame()
    lying = {
        cell: replace(p, facing=p.facing if p.facing is not None else (cell.col + cell.row) % 4)
        for cell, p in view.layout.pieces.items()
        if p.kind != "van"
    }
    seats = tuple(replace(seat, left=()) for seat in view.seats)
    return replace(
        view, seq=90, phase="over", to_move=None, layout=Layout(lying), seats=seats, last_cells=(),
        outcome=Outcome((SOUTH,), "complete"), health=Health("over", Said("", "")), can_undo=False,
    )  # fmt: skip


def two_players() -> TableView:
    """Over, with two sides each, and a shared win."""
    view = over()
    seats = tuple(replace(seat, player=int(seat.seat) // 2) for seat in view.seats)
    return replace(view, seats=seats, outcome=Outcome(SEATS, "complete"))


def lost() -> TableView:
    said = Said(
        "No picture for 5 s: look whether the camera's cable is in.", "Sem imagem há 5 s: veja se o cabo está ligado."
    )
    return replace(midgame(), health=Health("camera-lost", said, 5400.0, camera_ok=False))


def hand() -> TableView:
    return replace(midgame(), health=Health("hand", Said("", ""), 60.0))


SCENES: dict[str, Callable[[], TableView]] = {
    "midgame": midgame, "amiss": amiss, "asking": asking, "over": over, "two": two_players, "lost": lost, "hand": hand,
}  # fmt: skip


class RehearsedDesk:
    """Fits `webui.desk.Desk`. `asked` lists every wish that acted, in order."""

    def __init__(self, view: TableView | None = None) -> None:
        self._view = view or midgame()
        self._changed = threading.Condition()
        self._receipts: dict[str, Receipt] = {}
        self.asked: list[Request] = []
        self.jpeg: bytes | None = JPEG

    def view(self) -> TableView:
        with self._changed:
            return self._view

    def wait(self, revision: int, timeout_s: float) -> TableView:
        with self._changed:
            self._changed.wait_for(lambda: self._view.revision > revision, timeout_s)
            return self._view

    def show(self, view: TableView) -> None:
        """The table changes by itself; the revision grows."""
        with self._changed:
            self._view = replace(view, revision=self._view.revision + 1)
            self._changed.notify_all()

    def request(self, request: Request) -> Receipt:
        with self._changed:
            known = self._receipts.get(request.key)
            if known:
                return known
            if request.on_seq != self._view.seq:
                said = Said("The table has moved on. Look again.", "A mesa já mudou. Olhe de novo.")
                receipt = Receipt(False, self._view.seq, "stale", said)
            else:
                self.asked.append(request)
                self._act(request)
                receipt = Receipt(True, self._view.seq, "done", Said("Done.", "Feito."))
            self._receipts[request.key] = receipt
            return receipt

    def _act(self, request: Request) -> None:
        view = self._view
        match request.wish:
            case Undo():
                view = replace(view, seq=view.seq + 1, can_undo=False, alert=None, put_right=())
            case Answer():
                view = replace(view, seq=view.seq + 1, question=None, health=Health("waiting", Said("", "")))
            case Correct(cell, found):
                pieces = {c: p for c, p in view.layout.pieces.items() if c != cell}
                if found:
                    pieces[cell] = found
                view = replace(view, seq=view.seq + 1, layout=Layout(pieces))
            case SetSound(level):
                view = replace(view, sound=level)
            case NewMatch():
                fresh = replace(midgame(), layout=Layout({}), notices=(), scores=(), last_cells=())
                view = replace(fresh, seq=view.seq + 1, match=view.match + 1)
        self._view = replace(view, revision=self._view.revision + 1)
        self._changed.notify_all()

    def picture(self) -> bytes | None:
        return self.jpeg

    def alternatives(self, cell: Cell) -> Sequence[tuple[Piece | None, float]]:
        now = self.view().layout.pieces.get(cell)
        return ((now, 0.55), (piece("red medium 1"), 0.31), (piece("red small 2"), 0.1), (piece("blue small"), 0.04))

    def pieces(self) -> Sequence[Piece]:
        facings = (None, 0, 1, 2, 3)
        pyramids = [Piece(kind, colour, facing) for colour in COLOURS for kind in SIZES for facing in facings]
        return (*pyramids, Piece("van", Colour("")))


def main(scene: str = "midgame", port: str = "8077") -> None:
    from webui import WebSettings, create_app, serve

    settings = WebSettings(CODE, b"only for rehearsals", ("http://localhost:" + port,))
    with serve(create_app(RehearsedDesk(SCENES[scene]()), settings), "127.0.0.1", int(port)):
        print(f"{scene} at http://localhost:{port}, code {CODE}; Ctrl-C ends")
        threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
