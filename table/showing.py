"""A story and the moment as the page sees them: `TableView`. Pure but for the cut-outs of a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from rules.match import Match
from rules.words import Cell, Change, Layout, Said, Seat
from table.events import Asked
from table.phase import Phase
from table.present import both, joined, option_said, question_said, told_changes
from table.settle import Calm
from table.story import Story
from table.troubles import board_said, camera_said, covered_said, picture_said
from vision.frame import Frame, Image
from vision.observation import Observation
from webui.desk import Choice, Health, Notice, Question, SeatView, TableView, Tone
from webui.phrases import cell_name

NOTICES = 60
"""So many are shown, oldest first."""
MARGIN = 0.45
"""A cut-out shows so much of the cells around, in cells."""
CUT_PX = 220
GAME_PHASES: Mapping[str, str] = {"placement": "place"}
"""A game's own codes of its phases as the page calls them, where these differ."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What is true just now and is in no journal. `covered`: the board's corner cells under a hand or something."""

    calm: Calm = Calm.WAITING
    camera_ok: bool = True
    camera_why: str = ""
    frame_age_ms: float = 0.0
    board_found: bool = True
    missing: tuple[Change, ...] = ()
    trouble: str = ""
    covered: tuple[Cell, ...] = ()


def seat_views(match: Match) -> tuple[SeatView, ...]:
    """Each side with its points, what is left to play and whether it holds the van."""
    game, state = match.game, match.state
    points: dict[Seat, int] = {}
    for line in game.score(state):
        points[line.seat] = points.get(line.seat, 0) + line.points
    hands = game.hands(state)
    layout = game.layout(state)
    van = {Seat(cell.col) for cell in layout.pieces if cell.zone == "van"}
    player = {seat: i for i, seats in enumerate(match.setup.players) for seat in seats}
    return tuple(
        SeatView(seat, colour, player.get(seat, 0), points.get(seat, 0), tuple(hands.get(seat, ())), seat in van)
        for seat, colour in match.setup.colours
    )


def view_of(
    story: Story, moment: Moment, notices: Sequence[Notice], revision: int,
    cut: Callable[[Sequence[Cell]], bytes] | None = None,
) -> TableView:
    """The table at this moment. `cut` gives a picture of some cells as PNG, or b""."""
    health = health_of(story, moment)
    if story.followed is None:
        return TableView(story.seq, revision, 0, "", Phase.IDLE.value, (8, 8), (), None, Layout(), (), tuple(notices),
                         None, (), None, (), None, health, story.sound or "all")
    match = story.match
    game, state = match.game, match.state
    seats = seat_views(match)
    phase = game.phase(state)
    alert = next((n for n in reversed(notices) if story.alert is not None and n.seq == story.alert.seq), None)
    put_right = story.put_right
    if not put_right and moment.missing:
        put_right = moment.missing
        lead = (both("To begin:", "Para começar:") if not story.is_set_up
                else both("This is still to be done:", "Ainda falta:"))
        alert = Notice(story.seq, "", Tone.ASK, joined(lead, told_changes(put_right, seats)), None,
                       tuple(change.cell for change in put_right))
    return TableView(
        story.seq, revision, story.match_no, game.facts.name, GAME_PHASES.get(phase, phase), game.facts.board, seats,
        game.to_move(state) if story.is_set_up else None, game.layout(state), story.last_cells,
        tuple(notices)[-NOTICES:], alert, put_right, question_of(story, seats, cut), tuple(game.score(state)),
        game.outcome(state) if story.closed is None or story.closed.ending != "stopped" else None, health,
        story.sound or "all", bool(match.plays),
    )


def question_of(
    story: Story, seats: Sequence[SeatView], cut: Callable[[Sequence[Cell]], bytes] | None
) -> Question | None:
    """The open question with its answers, the likeliest first."""
    entry = story.question
    if entry is None or not isinstance(entry.event, Asked):
        return None
    game, asked = story.match.game, entry.event
    choices = []
    for option in asked.options:
        moves = [game.read(text, story.match.state) for text in option.moves] if asked.question != "undo" else []
        cells = [cell for move in moves for cell in (move.source, move.target) if cell is not None] or asked.cells
        choices.append(Choice(option.key, option_said(game, moves, option.key, seats), option.probability,
                              cut(cells) if cut is not None else b""))
    return Question(entry.seq, question_said(asked), asked.cells, tuple(choices))


def health_of(story: Story, moment: Moment) -> Health:
    """How the table's eyes are, in one word and a sentence."""
    age, ok = moment.frame_age_ms, moment.camera_ok
    found = moment.board_found and not story.board_lost

    def state(word: str, en: str, pt: str) -> Health:
        return told(word, both(en, pt))

    def told(word: str, said: Said) -> Health:
        return Health(word, said, age, found, ok)

    if not ok or story.camera_lost:
        return told("camera-lost", camera_said(moment.camera_why or story.camera_lost))
    if story.board_lost:
        return told("board-lost", board_said(story.board_lost))
    if moment.trouble:
        return told("reading", picture_said(moment.trouble))
    if story.closed is not None:
        return state("over", "The match is over.", "A partida acabou.")
    covered = _covered(story, moment)
    if story.followed is None or not story.is_set_up:
        if covered is not None:
            return told("setting-up", covered)
        return state("setting-up", "Set the table up as shown.", "Arrumem a mesa como mostrado.")
    if story.question is not None:
        return state("question", "A question is waiting for an answer.", "Há uma pergunta esperando resposta.")
    if covered is not None:
        return told("hand" if moment.calm is Calm.HAND else "reading", covered)
    if moment.calm is Calm.HAND:
        return state("hand", "A hand is over the board.", "Há uma mão sobre o tabuleiro.")
    if story.put_right:
        return state("put-right", "Something is to be put right.", "Há algo para arrumar.")
    if moment.calm is Calm.SETTLING:
        return state("settling", "Waiting until the table is still.", "Esperando a mesa parar.")
    if moment.calm is Calm.TROUBLE:
        return state("reading", "The picture is hard to read.", "A imagem está difícil de ler.")
    return state("waiting", "Watching.", "Olhando.")


def _covered(story: Story, moment: Moment) -> Said | None:
    """Which corners are covered, if any are."""
    if not moment.covered or story.followed is None:
        return None
    names = [cell_name(cell, "en", seat_views(story.match)) for cell in moment.covered]
    return covered_said(names, moment.calm is Calm.HAND)


def corners_of(board: tuple[int, int]) -> tuple[Cell, ...]:
    """The corner cells of a board, from the first one round."""
    wide, high = board
    return Cell(0, 0), Cell(wide - 1, 0), Cell(wide - 1, high - 1), Cell(0, high - 1)


def cut_out(frame: Frame, observation: Observation, board: tuple[int, int], cells: Sequence[Cell]) -> bytes:
    """A picture of these cells, straight from the frame, as PNG; b"" where the board was not found."""
    on_board = [cell for cell in cells if cell.zone == "board"]
    if observation.corners_px is None or not on_board:
        return b""
    wide, high = board
    corners = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], dtype=np.float32)
    to_px = cv2.getPerspectiveTransform(corners, np.asarray(observation.corners_px, dtype=np.float32))
    x0, x1 = min(c.col for c in on_board) - MARGIN, max(c.col for c in on_board) + 1 + MARGIN
    y0, y1 = min(c.row for c in on_board) - MARGIN, max(c.row for c in on_board) + 1 + MARGIN
    around = np.array([[[x0, y0], [x1, y0], [x1, y1], [x0, y1]]], dtype=np.float32)
    px = cv2.perspectiveTransform(around, to_px)[0]
    height, width = frame.image.shape[:2]
    left, right = max(0, int(px[:, 0].min())), min(width, int(px[:, 0].max()) + 1)
    top, bottom = max(0, int(px[:, 1].min())), min(height, int(px[:, 1].max()) + 1)
    if right - left < 4 or bottom - top < 4:
        return b""
    return _png(frame.image[top:bottom, left:right])


def _png(image: Image) -> bytes:
    scale = CUT_PX / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    done, coded = cv2.imencode(".png", small)
    return coded.tobytes() if done else b""

