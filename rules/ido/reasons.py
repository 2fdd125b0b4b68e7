"""Every reason against a move, as a sentence in English and in Brazilian Portuguese.

A sentence says what was wanted, what was found and what to do. `{at}` is the squares the reason names, `{first}` the
first of them, `{last}` the last, `{who}` the seat it names.
"""

from __future__ import annotations

from rules.game import LANGUAGES, Reason
from rules.ido.notation import square_name

SENTENCES: dict[str, tuple[str, str]] = {
    "out-of-turn": (
        "It is not {who}'s turn: undo what was done at {at} and let the seat whose turn it is act.",
        "Não é a vez do {who}: desfaça o que foi feito em {at} e deixe agir quem está na vez.",
    ),
    "steps-begun": (
        "{Who} has moved a block, and a turn is only one kind of action: undo this and move blocks on, or be done.",
        "O {who} já moveu um bloco, e a vez é de um só tipo de ação: desfaça isto e siga movendo, ou encerre.",
    ),
    "not-own-block": (
        "Only {who}'s own blocks may be started or moved, and the one at {at} is not: put it back as it was.",
        "O {who} só pode entrar com blocos próprios ou movê-los, e o de {at} não é: deixe-o como estava.",
    ),
    "none-in-supply": (
        "{Who} has no block of this size left in supply: take back the one at {at} and do something else.",
        "O {who} não tem mais bloco desse tamanho na reserva: recolha o de {at} e faça outra coisa.",
    ),
    "not-at-start": (
        "A block starts on a space that touches {who}'s start, and {at} does not: choose a space beside the start.",
        "O bloco entra num espaço que encosta na saída do {who}, e {at} não encosta: escolha um espaço ao lado dela.",
    ),
    "square-taken": (
        "A block goes where there is room, and {at} is taken: choose another place.",
        "O bloco vai aonde há lugar, e {at} está ocupado: escolha outro lugar.",
    ),
    "needs-small-square": (
        "A small block is moved only over small squares, and the space at {at} is none: choose another space.",
        "O bloco pequeno só anda por quadrados pequenos, e o espaço em {at} não é um: escolha outro espaço.",
    ),
    "needs-rectangle": (
        "A large block is moved only over rectangles, and the space at {at} is none: choose another space.",
        "O bloco grande só anda por retângulos, e o espaço em {at} não é um: escolha outro espaço.",
    ),
    "same-space": (
        "A step goes to another space, and {first} and {last} are one: put the block back or move it on.",
        "Um passo vai a outro espaço, e {first} e {last} são o mesmo: devolva o bloco ou mova-o adiante.",
    ),
    "no-way": (
        "No way of spaces of the right shape leads from {first} to {last}: put the block back and choose another.",
        "Nenhum caminho de espaços da forma certa leva de {first} a {last}: devolva o bloco e escolha outro.",
    ),
    "too-few-steps": (
        "{Who} has fewer steps left than the way from {first} to {last} costs: put the block back or move it less far.",
        "O {who} tem menos passos do que custa o caminho de {first} a {last}: devolva o bloco ou mova-o menos.",
    ),
    "several-steps": (
        "From {first} to {last} is more than one step, since an empty space lies between: move there step by step.",
        "De {first} a {last} é mais de um passo, pois há um espaço vazio no meio: vá passo a passo.",
    ),
    "not-at-target": (
        "A block goes home from a space that touches {who}'s target, and {at} does not: move it nearer first.",
        "O bloco sai de um espaço que encosta no alvo do {who}, e {at} não encosta: aproxime-o primeiro.",
    ),
    "leaves-own-shape": (
        "At this table a block goes home only from a space of its own shape, and {at} is of another: move it first.",
        "Nesta mesa o bloco só sai de um espaço da própria forma, e {at} é de outra: mova-o primeiro.",
    ),
    "nothing-there": (
        "There is no block at {at} to move: choose one of your own.",
        "Não há bloco em {at} para mover: escolha um seu.",
    ),
    "not-that-block": (
        "The block at {at} is not the one that was there: put the right one back.",
        "O bloco em {at} não é o que estava ali: devolva o bloco certo.",
    ),
    "lifted-block": (
        "Blocks stay on the field, and the one from {at} was taken off: put it back.",
        "Os blocos ficam no campo, e o de {at} foi retirado: devolva-o.",
    ),
    "shift-after-shift": (
        "The frame was shifted by {who} and may not be shifted again so soon: put it back, and the blocks too.",
        "A moldura foi deslocada pelo {who} e ainda não pode ser deslocada de novo: devolva-a, e os blocos também.",
    ),
    "shift-not-by-one": (
        "The frame is shifted by one small square, straight, and it was put elsewhere: put it back or set it right.",
        "A moldura se desloca um quadrado pequeno, em linha reta, e foi posta em outro lugar: devolva-a ou corrija.",
    ),
    "frame-off-field": (
        "The frame may never lie on start or target, and this way it would: choose another direction.",
        "A moldura nunca fica sobre saída ou alvo, e assim ficaria: escolha outra direção.",
    ),
    "chain-push": (
        "At this table no block may be pushed by another, and the one at {at} would be: choose another shift.",
        "Nesta mesa um bloco não empurra outro, e o de {at} seria empurrado: escolha outro deslocamento.",
    ),
    "wrongly-pushed": (
        "The frame must push just these blocks, by one square: {at}. Set them right, and the others back.",
        "A moldura deve empurrar só estes blocos, um quadrado cada: {at}. Corrija-os, e devolva os demais.",
    ),
    "no-step-yet": (
        "{Who} has done nothing yet and cannot end the turn: start a block, move one or shift the frame.",
        "O {who} ainda não fez nada e não pode encerrar a vez: entre com um bloco, mova um ou desloque a moldura.",
    ),
    "must-act": (
        "{Who} can still act and may not pass: start a block, move one or shift the frame.",
        "O {who} ainda pode agir e não pode passar: entre com um bloco, mova um ou desloque a moldura.",
    ),
    "off-board": (
        "A block goes on a square of the board or over its own target, and this is neither: choose a place again.",
        "O bloco vai a uma casa do tabuleiro ou ao próprio alvo, e isto não é nenhum: escolha o lugar de novo.",
    ),
    "no-such-block": (
        "A block is small or large, and the one at {at} is neither: choose one of the two.",
        "O bloco é pequeno ou grande, e o de {at} não é nenhum: escolha um dos dois.",
    ),
    "no-such-seat": (
        "Only a seat in play may act, and this one is not: let a seat in play act.",
        "Só age um lugar que joga, e este não joga: deixe agir um lugar do jogo.",
    ),
    "no-such-action": (
        "In Ido one starts a block, moves blocks, shifts the frame or passes, and this is none: choose one.",
        "No Ido se entra com um bloco, move-se, desloca-se a moldura ou passa-se, e isto não é nenhum: escolha um.",
    ),
    "malformed": (
        "The action says more than it may, or contradicts itself: name just what is done and where.",
        "A ação diz mais do que pode, ou se contradiz: diga só o que se faz e onde.",
    ),
    "unreadable": (
        "This cannot be read as an action: write it like S:s5,0, S:5,0-5,1, S:>n or S:pass.",
        "Isto não se lê como uma ação: escreva como S:s5,0, S:5,0-5,1, S:>n ou S:pass.",
    ),
    "over": (
        "The game is over and nothing more can be played: start a new match.",
        "A partida acabou e nada mais se joga: comece outra.",
    ),
}
"""By code: the English and the Portuguese sentence."""

_SEATS_IN = {"en": ("South", "West", "North", "East"), "pt": ("Sul", "Oeste", "Norte", "Leste")}
_NOBODY = {"en": "that seat", "pt": "outro lugar"}
_NOWHERE = {"en": "the board", "pt": "todo o tabuleiro"}
_HOME = {"en": "home", "pt": "o alvo"}
_AND = {"en": " and ", "pt": " e "}


def say(reason: Reason, language: str = "en") -> str:
    """The sentence of a reason; a language that is not known is answered in English.

    >>> say(Reason("over"))
    'The game is over and nothing more can be played: start a new match.'
    """
    language = language if language in LANGUAGES else "en"
    sentence = SENTENCES.get(reason.code, SENTENCES["no-such-action"])[LANGUAGES.index(language)]
    who = _SEATS_IN[language][reason.seat] if reason.seat in (0, 1, 2, 3) else _NOBODY[language]
    names = [_HOME[language] if cell.zone == "home" else square_name(cell) for cell in reason.cells]
    return sentence.format(
        at=_listed(names, language),
        first=names[0] if names else _NOWHERE[language],
        last=names[-1] if len(names) > 1 else _HOME[language],
        who=who,
        Who=who[:1].upper() + who[1:],
    )


def _listed(names: list[str], language: str) -> str:
    if len(names) < 2:
        return "".join(names) or _NOWHERE[language]
    return "; ".join(names[:-1]) + _AND[language] + names[-1]
