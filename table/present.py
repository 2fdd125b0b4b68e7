"""Events in words for people, in English and Portuguese, and as cues for lamps and buzzer.

A notice says what was done, by whom and where; a refusal also what is wrong and what to put
back where. Cells, pieces and seats are named as the page names them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from device.cues import Cue
from rules.game import LANGUAGES, AnyGame, Move
from rules.words import Change, Said, Seat
from table.events import (
    Answered,
    Asked,
    BoardFound,
    BoardLost,
    CameraFound,
    CameraLost,
    CellCorrected,
    MatchClosed,
    MatchOpened,
    Noticed,
    PlayAccepted,
    PlayCorrected,
    PlayDeclared,
    PlayRefused,
    PlayUndone,
    ProfileChosen,
    PutRight,
    Resumed,
    SetUp,
    SoundChosen,
)
from table.journal import Entry
from table.story import Story
from table.troubles import board_said, camera_said
from webui.desk import Notice, SeatView, Tone
from webui.phrases import cell_name, piece_name, piece_phrase, seat_phrase

_DONE: dict[str, tuple[str, str]] = {
    "place": ("{who} placed {piece} on {at}.", "{who}: colocou {piece} em {at}."),
    "drop": ("{who} dropped {piece} on {at}.", "{who}: derrubou {piece} em {at}."),
    "pass": ("{who} handed the Mystery Machine on.", "{who}: passou adiante a Máquina de Mistério."),
    "keep": ("{who} could not act.", "{who}: não pôde jogar."),
    "shift": ("{piece} was moved from {source} to {at}.", "{piece}: foi de {source} para {at}."),
    "remove": ("{piece} was taken off {source}.", "{piece}: foi retirada de {source}."),
    "turn": ("{piece} was turned on {at}.", "{piece}: foi virada em {at}."),
}
"""By verb; other verbs are told in the game's notation."""


def both(en: str, pt: str) -> Said:
    """A sentence in the two languages."""
    return Said(en, pt)


def told_play(game: AnyGame, move: Move, seats: Sequence[SeatView]) -> Said:
    """An action as a sentence: "West placed large yellow on c3." """
    said = [_told_in(game, move, seats, language, i) for i, language in enumerate(LANGUAGES)]
    return Said(said[0], said[1])


def _told_in(game: AnyGame, move: Move, seats: Sequence[SeatView], language: str, index: int) -> str:
    pattern = _DONE.get(move.verb)
    if pattern is None:
        return f"{game.write(move)}."
    text = pattern[index].format(
        who=seat_phrase(move.seat, language, seats),
        piece=piece_name(move.piece, language) if move.piece is not None else "",
        at=cell_name(move.target, language, seats) if move.target is not None else "",
        source=cell_name(move.source, language, seats) if move.source is not None else "",
    )
    return text[:1].upper() + text[1:]


def told_changes(changes: Sequence[Change], seats: Sequence[SeatView]) -> Said:
    """What to put where: "b5: take off small green, upright. c2: put medium yellow, upright." """
    out: list[list[str]] = [[], []]
    for change in changes:
        for i, language in enumerate(LANGUAGES):
            at = cell_name(change.cell, language, seats)
            if change.after is None:
                what = (f"{at}: take off {piece_phrase(change.before, language)}.",
                        f"{at}: retirar {piece_phrase(change.before, language)}.")
            else:
                what = (f"{at}: put {piece_phrase(change.after, language)}.",
                        f"{at}: pôr {piece_phrase(change.after, language)}.")
            out[i].append(what[i])
    return Said(" ".join(out[0]), " ".join(out[1]))


def joined(*parts: Said) -> Said:
    """Sentences one after the other; empty ones leave no gap."""
    return Said(" ".join(p.en for p in parts if p.en), " ".join(p.pt for p in parts if p.pt))


def notice_of(before: Story, after: Story, entry: Entry, seats: Sequence[SeatView]) -> Notice | None:
    """What people are told of an entry, given the story before and after it; None for what is only for the record."""
    tone, said, cells = Tone.PLAIN, both("", ""), after.last_cells
    seat: Seat | None = None
    event = entry.event
    match event:
        case MatchOpened():
            said = both("A new match. Clear the board and set the Mystery Machine at its place.",
                        "Nova partida. Esvaziem o tabuleiro e ponham a Máquina de Mistério no lugar.")
            cells = ()
        case SetUp():
            said, cells = both("The table is set up: the first turn may begin.",
                               "A mesa está pronta: pode começar a primeira vez."), ()
        case PlayAccepted() | PlayDeclared():
            move, seat = before.match.game.read(event.move, before.match.state), event.seat
            tone, said = Tone.GOOD, told_play(before.match.game, move, seats)
        case PlayRefused():
            tone, said, seat = Tone.WRONG, _refusal(before, event, seats), event.seat
            cells = tuple(change.cell for change in event.put_right)
        case PutRight(cells=cells):
            tone, said = Tone.GOOD, both("Put right, thank you.", "Arrumado, obrigado.")
        case PlayUndone(count=count):
            undone = before.match.plays[-count].move
            said = joined(both("Taken back:", "Desfeito:"), told_play(before.match.game, undone, seats))
        case PlayCorrected():
            move = before.match.game.read(event.move, before.match.states[event.index])
            said = joined(both("Corrected:", "Corrigido:"), told_play(before.match.game, move, seats), _dropped(event))
        case Asked(cells=cells):
            tone, said = Tone.ASK, question_said(event)
        case Answered():
            said, cells = both("Answered, thank you.", "Respondido, obrigado."), ()
        case CellCorrected(cell=cell, piece=piece):
            cells = (cell,)
            said = both(f"{cell_name(cell, 'en', seats)} holds {piece_phrase(piece, 'en')}, somebody says.",
                        f"Alguém diz que em {cell_name(cell, 'pt', seats)} há {piece_phrase(piece, 'pt')}.")
        case Noticed(differences=differences):
            tone, cells = Tone.ASK, tuple(change.cell for change in differences)
            said = joined(both("The table is not as the match says.", "A mesa não está como diz a partida."),
                          told_changes(differences, seats))
        case CameraLost(why=why):
            tone, said, cells = Tone.TROUBLE, camera_said(why), ()
        case CameraFound():
            said, cells = both("The camera is back.", "A câmera voltou."), ()
        case BoardLost(why=why):
            tone, said, cells = Tone.TROUBLE, board_said(why), ()
        case BoardFound(moved=moved):
            said, cells = (both("The board was moved; it was found again.", "O tabuleiro mexeu; foi achado de novo.")
                           if moved else both("The board was found again.", "O tabuleiro foi achado de novo.")), ()
        case Resumed(differences=differences):
            tone, cells = (Tone.ASK if differences else Tone.PLAIN), tuple(c.cell for c in differences)
            said = joined(both("The match goes on where it was.", "A partida continua de onde estava."),
                          told_changes(differences, seats))
        case MatchClosed(winners=winners):
            tone, said, cells = Tone.GOOD, _result(winners, event.ending, seats), ()
        case ProfileChosen() | SoundChosen():
            return None
        case _:
            assert_never(event)
    return Notice(entry.seq, entry.at_utc, tone, said, seat, cells)


def _refusal(before: Story, event: PlayRefused, seats: Sequence[SeatView]) -> Said:
    game = before.match.game
    move = game.read(event.move, before.match.state)
    why = [" ".join(game.say(reason, language) for reason in event.reasons[:1]) for language in LANGUAGES]
    return joined(told_play(game, move, seats), Said(why[0], why[1]))


def _dropped(event: PlayCorrected) -> Said:
    if not event.dropped:
        return both("", "")
    lost = ", ".join(event.dropped)
    return both(f"No longer legal and dropped: {lost}.", f"Deixaram de valer e saíram: {lost}.")


def _result(winners: Sequence[Seat], ending: str, seats: Sequence[SeatView]) -> Said:
    if ending == "stopped" or not winners:
        return both("The match was stopped.", "A partida foi interrompida.")
    names = [", ".join(seat_phrase(seat, language, seats) for seat in winners) for language in LANGUAGES]
    return both(f"The match is over. Winner: {names[0]}.", f"Fim da partida. Vitória: {names[1]}.")


def question_said(asked: Asked) -> Said:
    """The question itself."""
    if asked.question == "undo":
        return both("This takes back another player's action. Do they agree?",
                    "Isto desfaz a jogada de outra pessoa. Ela concorda?")
    return both("The camera could not tell. What was done?", "A câmera não teve certeza. O que foi feito?")


def option_said(game: AnyGame, moves: Sequence[Move], key: str, seats: Sequence[SeatView]) -> Said:
    """One answer as a sentence."""
    if key == "yes":
        return both("Yes, take it back", "Sim, desfazer")
    if key == "no":
        return both("No, leave it", "Não, deixar")
    if not moves:
        return both("Nothing was done", "Nada foi feito")
    return joined(*(told_play(game, move, seats) for move in moves))


def cue_of(entry: Entry) -> Cue | None:
    """What lamps and buzzer say when an entry is made; None: they go on as they are."""
    event = entry.event
    match event:
        case PlayAccepted() | PlayDeclared():
            return Cue.YES
        case PlayRefused() | Noticed():
            return Cue.NO
        case PutRight():
            return Cue.RESTORED
        case Asked():
            return Cue.ASK
        case CameraLost() | BoardLost():
            return Cue.TROUBLE
        case MatchOpened():
            return Cue.SETTING_UP
        case MatchClosed():
            return Cue.OVER
        case SetUp() | PlayUndone() | PlayCorrected() | Answered() | CellCorrected() | CameraFound() | BoardFound():
            return Cue.LISTENING
        case Resumed():
            return Cue.LISTENING
        case ProfileChosen() | SoundChosen():
            return None
        case _:
            assert_never(event)
