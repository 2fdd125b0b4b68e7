"""Every reason against an action, as a sentence in English and in Brazilian Portuguese.

A sentence says what was wanted, what was found and what to do. `{at}` is the places the reason names, `{first}` the
first of them, `{last}` the last, `{who}` the seat it names.
"""

from __future__ import annotations

from rules.game import LANGUAGES, Reason
from rules.gridopolis.notation import node_text

SENTENCES: dict[str, tuple[str, str]] = {
    "out-of-turn": (
        "It is not {who}'s turn, but something was done at {at}: undo it and let the seat whose turn it is play.",
        "Não é a vez do {who}, mas algo foi feito em {at}: desfaça e deixe jogar quem está na vez.",
    ),
    "no-marker-there": (
        "A move begins with a marker, and there is none at {at}: move one that is there.",
        "Uma jogada começa com uma peça, e não há nenhuma em {at}: mova uma que exista.",
    ),
    "not-own-marker": (
        "One moves one's own markers, and the one at {at} is {who}'s: put it back and move yours.",
        "Movem-se as próprias peças, e a de {at} é do {who}: devolva-a e mova a sua.",
    ),
    "another-king": (
        "The second move belongs to the king at {first}, and another marker moved from {last}: put that back.",
        "O segundo movimento é do rei em {first}, e outra peça saiu de {last}: devolva-a.",
    ),
    "king-still-moving": (
        "After its first move the king at {first} moves again or the turn ends, and something was built at {last}: "
        "take that off.",
        "Depois do primeiro movimento, o rei em {first} move de novo ou a vez acaba, e algo foi construído em {last}: "
        "retire-o.",
    ),
    "goes-nowhere": (
        "A move goes from pad to pad, and the one from {at} goes nowhere: say where it lands.",
        "Um movimento vai de base a base, e o de {at} não vai a lugar nenhum: diga onde chega.",
    ),
    "no-pad-there": (
        "Markers and blocker-boxes stand on pads, and there is none at {at}: choose a pad.",
        "Peças e bloqueios ficam sobre bases, e não há nenhuma em {at}: escolha uma base.",
    ),
    "pad-blocked": (
        "A pad with a blocker-box is out of the game, and {at} has one: choose another pad.",
        "Uma base com bloqueio está fora do jogo, e {at} tem um: escolha outra base.",
    ),
    "pad-taken": (
        "One marker stands on each pad, and {at} is taken: choose a free pad.",
        "Cada base comporta uma peça, e {at} está ocupada: escolha uma base livre.",
    ),
    "backwards": (
        "{who}'s pawns never go back towards their home row, and this one went from {first} to {last}: put it back.",
        "Os peões do {who} nunca voltam em direção à própria base, e este foi de {first} a {last}: devolva-o.",
    ),
    "first-not-forward": (
        "{who}'s pawns go forward on their first move, and this one went from {first} to {last}: put it back.",
        "Os peões do {who} avançam no primeiro movimento, e este foi de {first} a {last}: devolva-o.",
    ),
    "not-forward-from-home": (
        "From its home row {who}'s pawn goes forward, and this one went from {first} to {last}: put it back.",
        "Da própria base o peão do {who} avança, e este foi de {first} a {last}: devolva-o.",
    ),
    "one-step-only": (
        "A marker goes one pad, or jumps, and this one went on from {first} to {last}: let it stay where it came to.",
        "A peça anda uma base, ou salta, e esta seguiu de {first} a {last}: deixe-a onde chegou.",
    ),
    "not-straight": (
        "A jump goes straight over one marker to the pad behind it, and from {first} to {last} is no such line: "
        "put it back.",
        "O salto passa reto por uma peça até a base atrás dela, e de {first} a {last} não há essa linha: devolva-a.",
    ),
    "nothing-to-jump": (
        "A jump goes over a marker, and there is none at {at}: go one pad, or jump elsewhere.",
        "O salto passa por cima de uma peça, e não há nenhuma em {at}: ande uma base ou salte em outro lugar.",
    ),
    "mixed-jumps": (
        "A move jumps over one's own markers or captures, never both, and the one at {at} is of the other sort: "
        "end before it.",
        "Um movimento salta as próprias peças ou captura, nunca ambos, e a de {at} é do outro tipo: pare antes dela.",
    ),
    "own-jumps-straight": (
        "Jumps over one's own markers keep to one straight line, and from {first} to {last} they turned: end before.",
        "Saltos sobre as próprias peças seguem uma só linha reta, e de {first} a {last} houve curva: pare antes.",
    ),
    "ends-when-kinged": (
        "A pawn that becomes a king ends its move there, and this one went on from {at}: put it back there.",
        "O peão que vira rei termina ali o movimento, e este seguiu de {at}: devolva-o para lá.",
    ),
    "must-teleport": (
        "A marker that lands on a teleporter comes out of another that is free, and the one at {at} did not: "
        "choose where it comes out, and end there.",
        "A peça que cai num teletransporte sai por outro que esteja livre, e a de {at} não saiu: "
        "escolha por onde sai, e pare ali.",
    ),
    "no-teleporter": (
        "Only a teleporter takes a marker elsewhere, and {first} is none: leave the marker there, not at {last}.",
        "Só um teletransporte leva a peça a outro lugar, e {first} não é: deixe a peça ali, não em {last}.",
    ),
    "comes-out-elsewhere": (
        "From the teleporter at {first} a marker comes out of another teleporter, and {last} is none: choose one.",
        "Do teletransporte em {first} a peça sai por outro teletransporte, e {last} não é: escolha um.",
    ),
    "captured-not-removed": (
        "Every marker that was jumped leaves the grid-set, and {at} is still there: take it off.",
        "Toda peça saltada sai do tabuleiro, e a de {at} continua lá: retire-a.",
    ),
    "not-jumped": (
        "Only markers that were jumped leave the grid-set, and {at} was not jumped: put it back.",
        "Só saem do tabuleiro as peças saltadas, e {at} não foi saltada: devolva-a.",
    ),
    "not-turned": (
        "A pawn on an opponent's home row becomes a king, and the one at {at} still shows a pawn: turn it over.",
        "O peão na base do adversário vira rei, e o de {at} ainda mostra um peão: vire-o.",
    ),
    "turned": (
        "A marker becomes a king on an opponent's home row only, and the one at {at} was turned over: turn it back.",
        "A peça só vira rei na base do adversário, e a de {at} foi virada: desvire-a.",
    ),
    "kamikaze-takes-one": (
        "A kamikaze jumps over one opponent, and here there are others: {at}. Name just one.",
        "O kamikaze salta um só adversário, e aqui há outros: {at}. Diga só um.",
    ),
    "kamikaze-own": (
        "A kamikaze jumps over an opponent, and the marker at {at} is one's own: put both back.",
        "O kamikaze salta um adversário, e a peça de {at} é própria: devolva as duas.",
    ),
    "kamikaze-level": (
        "A kamikaze stays on one storey, and from {first} over {last} it does not: put both back.",
        "O kamikaze fica num só andar, e de {first} por cima de {last} não fica: devolva as duas.",
    ),
    "pad-behind": (
        "A kamikaze lands off the grid-set, and there is a pad at {at}: land on it, or jump elsewhere.",
        "O kamikaze cai fora do tabuleiro, e há uma base em {at}: pouse nela ou salte em outro lugar.",
    ),
    "no-blocker-left": (
        "Each player has two blocker-boxes, and {who} has set both: do something else.",
        "Cada jogador tem dois bloqueios, e {who} já usou os dois: faça outra coisa.",
    ),
    "pad-has-part": (
        "A blocker-box goes on a pad with nothing on it, and {at} has a teleporter or a kingerizer: choose another.",
        "O bloqueio vai numa base sem nada, e {at} tem teletransporte ou coroador: escolha outra.",
    ),
    "no-pad-left": (
        "Each player has three pads to add, and {who} has used them all: do something else.",
        "Cada jogador tem três bases para somar, e {who} já usou todas: faça outra coisa.",
    ),
    "no-post-left": (
        "Each player has two posts, and {who} has used both: add the pad on a link, or do something else.",
        "Cada jogador tem dois postes, e {who} já usou os dois: ponha a base numa ligação ou faça outra coisa.",
    ),
    "no-link-left": (
        "A pad is added on a link, and {who} has none left: do something else.",
        "A base se prende numa ligação, e {who} não tem mais nenhuma: faça outra coisa.",
    ),
    "no-such-place": (
        "A pad is added at a node near the grid-set, and {at} is none: choose another place.",
        "A base se põe num nó perto do tabuleiro, e {at} não é: escolha outro lugar.",
    ),
    "pad-there": (
        "A pad is added where there is none, and {at} has one: choose another place.",
        "A base se põe onde não há nenhuma, e {at} já tem: escolha outro lugar.",
    ),
    "no-pad-below": (
        "This pad must be straight above another, and below {at} there is none: choose another place.",
        "Esta base deve ficar bem acima de outra, e abaixo de {at} não há: escolha outro lugar.",
    ),
    "no-link-below": (
        "A post stands on a link of the pad below that has no post and no link above it, and below {at} there is "
        "none: choose another place.",
        "O poste fica numa ligação da base de baixo sem poste e sem ligação acima, e abaixo de {at} não há: "
        "escolha outro lugar.",
    ),
    "nothing-beside": (
        "A pad without a post is linked to a pad beside it, and beside {at} there is none: choose another place.",
        "A base sem poste se liga a uma base ao lado, e ao lado de {at} não há: escolha outro lugar.",
    ),
    "must-act": (
        "A turn may end without an action only when {who} can do nothing, and there is something: move, jump or build.",
        "Só se passa a vez sem agir quando o {who} nada pode fazer, e há o que fazer: mova, salte ou construa.",
    ),
    "lifted": (
        "A marker leaves the grid-set only when it is jumped, and the one from {at} was taken off: put it back.",
        "Uma peça só sai do tabuleiro quando é saltada, e a de {at} foi retirada: devolva-a.",
    ),
    "flipped": (
        "A marker is turned over only when it lands on an opponent's home row, and the one at {at} was: turn it back.",
        "A peça só se vira ao chegar à base do adversário, e a de {at} foi virada: desvire-a.",
    ),
    "unbuilt": (
        "What was built stays for the whole game, and the pad at {at} was taken away: put it back.",
        "O que foi construído fica até o fim, e a base de {at} foi retirada: devolva-a.",
    ),
    "no-such-seat": (
        "Only a seat in play may act, and this one is not: let a seat in play act.",
        "Só age quem joga, e este lado não joga: deixe agir um lado do jogo.",
    ),
    "no-such-action": (
        "In Gridopolis one moves, jumps or builds, and this is none of them: choose one.",
        "No Gridopolis se move, salta ou constrói, e isto não é nenhum deles: escolha um.",
    ),
    "malformed": (
        "The action says more than it may, or contradicts itself: name just what is done and where.",
        "A ação diz mais do que pode, ou se contradiz: diga só o que se faz e onde.",
    ),
    "unreadable": (
        "This cannot be read as an action: write it like S:0,-1,1>0,0,1, S:b1,1,0, S:+3,0,1 or S:done.",
        "Isto não se lê como uma ação: escreva como S:0,-1,1>0,0,1, S:b1,1,0, S:+3,0,1 ou S:done.",
    ),
    "over": (
        "The game is over and nothing more can be played: start a new match.",
        "A partida acabou e nada mais se joga: comece outra.",
    ),
}
"""By code: the English and the Portuguese sentence."""

_SEATS_IN = {"en": ("South", "West", "North", "East"), "pt": ("Sul", "Oeste", "Norte", "Leste")}
_NOBODY = {"en": "that side", "pt": "outro lado"}
_NOWHERE = {"en": "the table", "pt": "toda a mesa"}
_AND = {"en": " and ", "pt": " e "}


def say(reason: Reason, language: str = "en") -> str:
    """The sentence of a reason; a language that is not known is answered in English.

    >>> say(Reason("over"))
    'The game is over and nothing more can be played: start a new match.'
    """
    language = language if language in LANGUAGES else "en"
    sentence = SENTENCES.get(reason.code, SENTENCES["no-such-action"])[LANGUAGES.index(language)]
    who = _SEATS_IN[language][reason.seat] if reason.seat is not None and 0 <= reason.seat < 4 else _NOBODY[language]
    names = [f"({node_text(cell)})" for cell in reason.cells]
    return sentence.format(
        at=_listed(names, language) or _NOWHERE[language],
        first=names[0] if names else _NOWHERE[language],
        last=names[-1] if names else _NOWHERE[language],
        who=who,
    )


def _listed(names: list[str], language: str) -> str:
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + _AND[language] + names[-1]
