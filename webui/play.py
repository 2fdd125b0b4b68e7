"""The page of the board: its parts as HTML, rendered once for each view, side and language, and kept.

A part is a piece of the page with a name (`PARTS`). The page is served with all its parts filled in; afterwards
the script asks for the parts of a newer view and replaces those that differ. So the page works, without
following, where scripts are off, and every word and drawing is made here, in one place.
"""

from __future__ import annotations

import gzip
import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from flask import Flask, render_template
from markupsafe import Markup

from rules.words import Cell, Colour, Piece, Seat
from webui.amends import step_sentence, steps_to
from webui.board_svg import board_svg, cell_key, marks_for
from webui.desk import SeatView, TableView
from webui.phrases import (
    PHRASES,
    cell_name,
    colour_name,
    piece_name,
    piece_phrase,
    posture,
    say,
    say_if_known,
    seat_phrase,
)
from webui.piece_svg import icon_svg, swatch_svg
from webui.wishes import SOUND_LEVELS

PARTS: Final = ("alert", "turn", "question", "board", "seats", "score", "story", "tools", "more")
VARIANTS_KEPT: Final = 48
STORY_LINES: Final = 30
OLD_PICTURE_MS: Final = 3000.0
GRAVE: Final = frozenset({"camera-lost", "board-lost"})
"""States of health that are told as loudly as an illegal move."""


def is_picture_old(view: TableView) -> bool:
    """Whether nothing new was seen for so long that people should know."""
    return view.health.frame_age_ms > OLD_PICTURE_MS


@dataclass(frozen=True, slots=True)
class Looker:
    """How one phone looks at the table: the seat at the bottom, the language, whether it may touch."""

    side: Seat
    language: str
    may: bool

    @property
    def token(self) -> str:
        return f"{self.side}-{self.language}-{int(self.may)}"


class Words:
    """What a template may call: sentences, names and icons for one looker and one view."""

    def __init__(self, view: TableView, looker: Looker) -> None:
        self.view, self.looker, self.language = view, looker, looker.language
        self.marks = marks_for(view, looker.language)

    def t(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)

    def t_or(self, key: str, fallback: str) -> str:
        return say_if_known(key, self.language, fallback)

    def cell(self, cell: Cell) -> str:
        return cell_name(cell, self.language, self.view.seats)

    def piece(self, piece: Piece | None) -> str:
        return piece_phrase(piece, self.language)

    def name(self, piece: Piece) -> str:
        return piece_name(piece, self.language)

    def posture(self, piece: Piece) -> str:
        return posture(piece, self.language)

    def icon(self, piece: Piece | None) -> Markup:
        mark = self.marks.get(piece.colour) if piece else None
        return Markup(icon_svg(piece, mark, int(self.looker.side)))

    def swatch(self, colour: Colour) -> Markup:
        return Markup(swatch_svg(self.marks[colour]))

    def colour(self, colour: Colour) -> str:
        return colour_name(colour, self.language).capitalize()

    def who(self, seat: Seat) -> str:
        return seat_phrase(seat, self.language, self.view.seats).capitalize()

    def seat_view(self, seat: Seat | None) -> SeatView | None:
        return next((view for view in self.view.seats if view.seat == seat), None)

    def icon_of(self, kind: str, colour: Colour) -> Markup:
        return self.icon(Piece(kind, colour))

    def steps(self) -> list[tuple[str, Piece]]:
        """What to put right, in the order and with the numbers that the board shows."""
        steps = steps_to(self.view.put_right)
        return [(step_sentence(step, self.language, self.view.seats), step.piece) for step in steps]

    def players(self) -> list[tuple[int, tuple[SeatView, ...]]]:
        """Each person with the sides they play."""
        numbers = sorted({seat.player for seat in self.view.seats})
        return [(number, tuple(s for s in self.view.seats if s.player == number)) for number in numbers]

    def winners(self) -> str:
        """ "Red wins", "Red and green share the win"; a person with two sides is told by both colours."""
        outcome = self.view.outcome
        if outcome is None or not outcome.winners:
            return self.t("over")
        persons = {view.player for view in self.view.seats if view.seat in outcome.winners}
        names = [self.who(seat) for seat in outcome.winners]
        text = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {self.t('and')} {names[-1]}"
        return self.t("wins" if len(persons) == 1 else "win-shared", who=text)

    def score_lines(self, seat: Seat) -> list[tuple[int, str, str, int]]:
        """A seat's score, part by part: index (as drawn on the board), label, cells, points; nothing left out."""
        out = []
        for index, line in enumerate(self.view.scores):
            if line.seat == seat and line.points:
                known = f"score.{line.label}"
                label = self.t(known, n=len(line.cells)) if known in PHRASES else line.label.capitalize()
                out.append((index, label, " ".join(self.cell(cell) for cell in line.cells), line.points))
        return out

    def points(self, count: int) -> str:
        return f"{count} {self.t('point' if count == 1 else 'points')}"

    def template_values(self) -> dict[str, Any]:
        return {
            "w": self,
            "t": self.t,
            "view": self.view,
            "may": self.looker.may,
            "side": int(self.looker.side),
            "language": self.language,
            "picture_old": is_picture_old(self.view),
            "grave": self.view.health.state in GRAVE,
            "levels": SOUND_LEVELS,
            "cell_key": cell_key,
            "story_lines": STORY_LINES,
        }


@dataclass(frozen=True, slots=True)
class Body:
    """A view for one kind of looker, as it is sent: JSON, and the same packed."""

    token: str
    parts: Mapping[str, str]
    plain: bytes
    packed: bytes


class Pages:
    """Renders views, each kind of looker once; safe from any thread. The bodies of old revisions go by themselves."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._boot = secrets.token_hex(3)
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Body] = OrderedDict()
        self._boards: dict[tuple[int, int, str], str] = {}

    def token(self, view: TableView, looker: Looker) -> str:
        """Names what a phone shows: this run of the program, the revision, whether the picture is an old one
        (which no revision tells: it comes by mere waiting), and how the phone looks."""
        age = "old" if is_picture_old(view) else "new"
        return f"{self._boot}.{view.revision}.{age}.{looker.token}"

    def body(self, view: TableView, looker: Looker) -> Body:
        """The view as it is sent to such a phone. Twenty phones that ask together wait for one rendering."""
        token = self.token(view, looker)
        with self._lock:
            kept = self._kept.get(token)
            if kept is None:
                kept = self._kept[token] = self._render(view, looker, token)
                while len(self._kept) > VARIANTS_KEPT:
                    self._kept.popitem(last=False)
            return kept

    def _render(self, view: TableView, looker: Looker, token: str) -> Body:
        words = Words(view, looker)
        values = words.template_values()
        with self._app.app_context():
            parts = {name: self._part(name, view, looker, values) for name in PARTS}
        state = {
            "token": token,
            "seq": view.seq,
            "match": view.match,
            "health": view.health.state,
            "amiss": bool(view.alert or view.put_right),
            "grave": values["grave"],
            "asking": view.question is not None,
            "over": view.outcome is not None,
            "may": looker.may,
            "title": self._title(words),
            "parts": parts,
        }
        plain = json.dumps(state, ensure_ascii=False, separators=(",", ":")).encode()
        return Body(token, parts, plain, gzip.compress(plain, 2, mtime=0))

    def _part(self, name: str, view: TableView, looker: Looker, values: Mapping[str, Any]) -> str:
        if name == "board":
            return self._board(view, looker)
        return render_template(f"{name}.html", **values).strip()

    def _board(self, view: TableView, looker: Looker) -> str:
        """The drawing, which is the same for phones that may touch and for those that may not."""
        key = (view.revision, int(looker.side), looker.language)
        if key not in self._boards:
            self._boards = {old: svg for old, svg in self._boards.items() if old[0] == view.revision}
            self._boards[key] = board_svg(view, int(looker.side), looker.language)
        return self._boards[key]

    @staticmethod
    def _title(words: Words) -> str:
        view = words.view
        if view.alert or view.put_right:
            said = view.alert.said.in_language(words.language) if view.alert else words.t("put-right")
            return f"\N{WARNING SIGN} {said}"
        if view.outcome:
            return words.winners()
        return words.t("title") if view.to_move is None else words.t("to-play", who=words.who(view.to_move))
