"""Every reason against a move, as a sentence in English and in Brazilian Portuguese.

A sentence says what was wanted, what was found and what to do. `{at}` is the squares the reason names,
`{first}` the first of them, `{others}` the rest, `{who}` the seat it names.
"""

from __future__ import annotations

from rules.game import LANGUAGES, Reason
from rules.gridlock.notation import square_name
from rules.words import Seat

SENTENCES: dict[str, tuple[str, str]] = {
    "out-of-turn": (
        "It is not {who}'s turn: undo what was done at {at} and let the side whose turn it is play.",
        "Não é a vez do {who}: desfaça o que foi feito em {at} e deixe jogar quem está na vez.",
    ),
    "not-own-piece": (
        "Only your own pieces may be dropped or placed; the one at {at} is not yours: put it back as it was.",
        "Só se pode derrubar ou colocar peça própria; a de {at} não é sua: deixe-a como estava.",
    ),
    "wrong-direction": (
        "A dropped piece must point away from {who}; the one at {at} points elsewhere: turn it.",
        "A peça derrubada deve apontar para longe do {who}; a de {at} aponta para outro lado: vire-a.",
    ),
    "wrong-turned": (
        "The drop at {first} must turn exactly these pieces away from {who}: {others}. Set the others right.",
        "A queda em {first} deve virar exatamente estas peças para longe do {who}: {others}. Corrija as demais.",
    ),
    "square-taken": (
        "A piece goes on an empty square, and {at} is taken: choose another square.",
        "A peça vai numa casa vazia, e {at} está ocupada: escolha outra casa.",
    ),
    "not-in-hand": (
        "There is no piece of this size left in {who}'s hand: take back the one at {at} and place another.",
        "O {who} não tem mais peça desse tamanho: recolha a de {at} e coloque outra.",
    ),
    "lying-down": (
        "Pieces are placed upright, and the one at {at} lies: stand it up.",
        "As peças são colocadas em pé, e a de {at} está deitada: levante-a.",
    ),
    "one-a-turn": (
        "A turn is one action, and more was done than at {at}: undo the rest.",
        "Cada vez é uma só ação, e fez-se mais do que em {at}: desfaça o resto.",
    ),
    "wrong-phase": (
        "All pieces are placed before the first is dropped: undo what was done at {at} and do what this phase asks.",
        "Todas as peças são colocadas antes da primeira queda: desfaça o que foi feito em {at} e siga a fase atual.",
    ),
    "nothing-there": (
        "There is no piece at {at} to drop: choose a piece of yours that stands.",
        "Não há peça em {at} para derrubar: escolha uma peça sua que esteja em pé.",
    ),
    "already-fallen": (
        "Only a standing piece can be dropped, and the one at {at} lies already: choose another.",
        "Só se derruba peça em pé, e a de {at} já está deitada: escolha outra.",
    ),
    "not-that-piece": (
        "The piece at {at} is not the one that was there: put the right one back.",
        "A peça em {at} não é a que estava ali: devolva a peça certa.",
    ),
    "not-holder": (
        "Only who holds the Mystery Machine may pass, and it is {who}'s: leave it in front of {who}.",
        "Só passa quem tem a Máquina de Mistério, e ela é do {who}: deixe-a diante do {who}.",
    ),
    "just-handed": (
        "{Who} was just handed the Mystery Machine and cannot pass it on at once: take it back and play a piece.",
        "O {who} acabou de receber a Máquina de Mistério e não pode passá-la já: pegue-a de volta e jogue uma peça.",
    ),
    "wrong-neighbour": (
        "The Mystery Machine goes to the next side, {who}, and it was put elsewhere: give it to {who}.",
        "A Máquina de Mistério vai para o lado seguinte, {who}, e foi posta em outro lugar: entregue-a ao {who}.",
    ),
    "must-act": (
        "{Who} has pieces to play and cannot do nothing: play a piece.",
        "O {who} tem peças para jogar e não pode ficar sem agir: jogue uma peça.",
    ),
    "moved-piece": (
        "Pieces stay on their square, and the one from {first} was moved: put it back.",
        "As peças ficam na sua casa, e a de {first} foi movida: devolva-a.",
    ),
    "removed-piece": (
        "Pieces stay on the board, and the one from {at} was taken off: put it back.",
        "As peças ficam no tabuleiro, e a de {at} foi retirada: devolva-a.",
    ),
    "turned-by-hand": (
        "Fallen pieces are turned only by a drop, and the one at {at} was turned by hand: turn it back.",
        "Peça caída só vira por uma queda, e a de {at} foi virada com a mão: desvire-a.",
    ),
    "stood-up": (
        "A fallen piece stays down, and the one at {at} was stood up: lay it back as it was.",
        "Peça caída fica deitada, e a de {at} foi levantada: deite-a como estava.",
    ),
    "off-board": (
        "A piece goes on a square from a1 to h8, and this is none: choose a square of the board.",
        "A peça vai numa casa de a1 a h8, e esta não é: escolha uma casa do tabuleiro.",
    ),
    "no-such-piece": (
        "A piece is small, medium or large, and the one at {at} is none of these: choose one of the three.",
        "A peça é pequena, média ou grande, e a de {at} não é: escolha uma das três.",
    ),
    "no-such-seat": (
        "Only a side in play may act, and this one is not: let a side in play act.",
        "Só age um lado que joga, e este não joga: deixe agir um lado do jogo.",
    ),
    "no-such-action": (
        "In Gridlock one places, drops or passes, and this is none of them: choose one.",
        "No Gridlock se coloca, derruba ou passa, e isto não é nenhum deles: escolha um.",
    ),
    "malformed": (
        "The action says more than it may, or contradicts itself: name just the piece and the square.",
        "A ação diz mais do que pode, ou se contradiz: diga só a peça e a casa.",
    ),
    "unreadable": (
        "This cannot be read as an action: write it like S:Lb4, S:xb4 or S:pass.",
        "Isto não se lê como uma ação: escreva como S:Lb4, S:xb4 ou S:pass.",
    ),
    "over": (
        "The game is over and nothing more can be played: start a new match.",
        "A partida acabou e nada mais se joga: comece outra.",
    ),
}
"""By code: the English and the Portuguese sentence."""

UNOPPOSED = (
    "Nobody sits opposite {who}, so nobody turns pieces straight against {who}: "
    "the other two can make up for it by working together.",
    "Ninguém se senta diante do {who}, e ninguém vira peças direto contra ele: "
    "os outros dois compensam isso jogando juntos.",
)
"""With three players: the rulebook's warning, in both languages."""

_SEATS_IN = {"en": ("South", "West", "North", "East"), "pt": ("Sul", "Oeste", "Norte", "Leste")}
_NOBODY = {"en": "that side", "pt": "outro lado"}
_NOWHERE = {"en": "the table", "pt": "toda a mesa"}
_NOTHING = {"en": "none", "pt": "nenhuma"}
_AND = {"en": " and ", "pt": " e "}


def say(reason: Reason, language: str = "en") -> str:
    """The sentence of a reason; a language that is not known is answered in English.

    >>> say(Reason("over"))
    'The game is over and nothing more can be played: start a new match.'
    """
    language = language if language in LANGUAGES else "en"
    sentence = SENTENCES.get(reason.code, SENTENCES["no-such-action"])[LANGUAGES.index(language)]
    seats = _SEATS_IN[language]
    who = seats[reason.seat] if reason.seat is not None and 0 <= reason.seat < 4 else _NOBODY[language]
    names = [seats[c.col] if c.zone == "van" and 0 <= c.col < 4 else square_name(c) for c in reason.cells]
    return sentence.format(
        at=_listed(names, language) or _NOWHERE[language],
        first=names[0] if names else _NOWHERE[language],
        others=_listed(names[1:], language) or _NOTHING[language],
        who=who,
        Who=who[:1].upper() + who[1:],
    )


def unopposed_remark(seat: Seat | None, language: str = "en") -> str:
    """What to tell players about the one that sits unopposed; "" when everybody has an opposite.

    >>> unopposed_remark(Seat(3))[:25]
    'Nobody sits opposite East'
    """
    if seat is None:
        return ""
    language = language if language in LANGUAGES else "en"
    return UNOPPOSED[LANGUAGES.index(language)].format(who=_SEATS_IN[language][seat])


def _listed(names: list[str], language: str) -> str:
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + _AND[language] + names[-1]
