"""The page's own sentences, in English and in Brazilian Portuguese, and the words for cells and pieces.

A sentence is a `Said`, so that neither language can be left out. `{name}` in it is filled by `say`.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

from rules.words import NATURE, Cell, Colour, Piece, Said, Seat
from webui.city_phrases import CITY_PHRASES
from webui.desk import SeatView

VAN_ZONE: Final = "van"
"""The zone of `Cell`s that mean "in front of a seat"; `col` is the seat."""

PHRASES: Final = MappingProxyType(
    {
        "title": Said("Overboard", "Overboard"),
        "other-language": Said("Português", "English"),
        "to-play": Said("{who} to play", "Vez do {who}"),
        "over": Said("The game is over", "Fim de jogo"),
        "no-turn": Said("Not begun yet", "Ainda não começou"),
        "wins": Said("{who} wins", "{who} venceu"),
        "win-shared": Said("{who} share the win", "{who} dividem a vitória"),
        "and": Said("and", "e"),
        "phase.place": Said("Placing", "Colocando"),
        "phase.drop": Said("Dropping", "Derrubando"),
        "phase.over": Said("Finished", "Terminado"),
        "board": Said("Board", "Tabuleiro"),
        "turn-board": Said("Turn the board", "Girar o tabuleiro"),
        "sit-here": Said("I sit here", "Sento aqui"),
        "you-sit": Said("your side", "seu lado"),
        "seats": Said("Players", "Jogadores"),
        "player": Said("Player {n}", "Jogador {n}"),
        "points": Said("points", "pontos"),
        "point": Said("point", "ponto"),
        "left": Said("left", "restam"),
        "van": Said("Mystery Machine", "Máquina de Mistério"),
        "story": Said("What happened", "O que aconteceu"),
        "story-empty": Said("Nothing yet. Make the first move.", "Nada ainda. Faça a primeira jogada."),
        "score": Said("Score", "Placar"),
        "score-final": Said("Final score", "Placar final"),
        "score-tap": Said("Tap a line to see it on the board.", "Toque numa linha para vê-la no tabuleiro."),
        "score-none": Said("No points yet.", "Nenhum ponto ainda."),
        "score.chain": Said("Chain of {n}", "Corrente de {n}"),
        "put-right": Said("Put it right on the table", "Arrume na mesa"),
        "put-right-done": Said(
            "When it is right, this goes away by itself.", "Quando estiver certo, este aviso some sozinho."
        ),
        "question": Said("The camera is not sure", "A câmera está em dúvida"),
        "question-help": Said("Tap what is true.", "Toque no que é verdade."),
        "question-look": Said(
            "Anyone with the code can answer. Putting the table right answers it, too.",
            "Quem tem o código pode responder. Arrumar a mesa também resolve.",
        ),
        "look-here": Said("Look at the table", "Confiram a mesa"),
        "tone.plain": Said("News", "Aviso"),
        "tone.good": Said("Good", "Certo"),
        "tone.wrong": Said("Not allowed", "Não pode"),
        "tone.ask": Said("Question", "Pergunta"),
        "tone.trouble": Said("Trouble", "Problema"),
        "health.waiting": Said("Watching", "Olhando"),
        "health.hand": Said("Hand over the board", "Mão sobre o tabuleiro"),
        "health.settling": Said("Settling", "Acomodando"),
        "health.reading": Said("Reading", "Lendo"),
        "health.question": Said("Waiting for an answer", "Esperando resposta"),
        "health.put-right": Said("Put the table right", "Arrumem a mesa"),
        "health.camera-lost": Said("Camera lost", "Câmera perdida"),
        "health.board-lost": Said("Board lost", "Tabuleiro perdido"),
        "health.setting-up": Said("Setting up", "Preparando"),
        "health.over": Said("Finished", "Terminado"),
        "frame-old": Said("No new picture for some seconds", "Sem imagem nova há alguns segundos"),
        "line-silent": Said(
            "No word from the table for {n} s. This may be an old position. Trying again.",
            "Sem notícias da mesa há {n} s. A posição pode ser antiga. Tentando de novo.",
        ),
        "undo": Said("Undo", "Desfazer"),
        "correct": Said("Correct", "Corrigir"),
        "correct-on": Said("Tap the wrong square", "Toque na casa errada"),
        "more": Said("More", "Mais"),
        "close": Said("Close", "Fechar"),
        "cancel": Said("Cancel", "Cancelar"),
        "sound": Said("Sound", "Som"),
        "sound.off": Said("Off", "Desligado"),
        "sound.wrong": Said("Only wrong", "Só erros"),
        "sound.some": Said("Some", "Alguns"),
        "sound.all": Said("All", "Todos"),
        "picture": Said("Camera picture", "Imagem da câmera"),
        "picture-none": Said("There is no picture now.", "Não há imagem agora."),
        "new-match": Said("New game", "Novo jogo"),
        "new-match-sure": Said("End this game and begin another?", "Terminar este jogo e começar outro?"),
        "new-match-yes": Said("Yes, new game", "Sim, novo jogo"),
        "leave": Said("Only look with this phone", "Só olhar com este celular"),
        "join": Said("Enter the code to make changes", "Digite o código para mudar algo"),
        "join-short": Said("Enter code", "Digitar código"),
        "join-help": Said(
            "The device shows the code. Looking needs none.", "O aparelho mostra o código. Para olhar não precisa."
        ),
        "join-field": Said("Code", "Código"),
        "join-go": Said("Let me change things", "Quero poder mudar"),
        "join-done": Said("This phone may make changes now.", "Agora este celular pode mudar as coisas."),
        "join-wrong": Said(
            "That is not the code. Read it again on the device.", "O código não é esse. Leia de novo no aparelho."
        ),
        "join-wait": Said(
            "Too many wrong codes. Try again in {n} s.", "Muitos códigos errados. Tente de novo em {n} s."
        ),
        "share": Said("Open on another phone", "Abrir em outro celular"),
        "square-is": Said("What stands on {cell}?", "O que está em {cell}?"),
        "van-is": Said("What stands {cell}?", "O que está {cell}?"),
        "square-likely": Said("Likely", "Mais provável"),
        "square-else": Said("Something else", "Outra coisa"),
        "empty": Said("Empty", "Vazia"),
        "now": Said("now", "agora"),
        "upright": Said("standing", "em pé"),
        "pointing": Said("lying, pointing {way}", "deitada, apontando para {way}"),
        "way.0": Said("north", "o norte"),
        "way.1": Said("east", "o leste"),
        "way.2": Said("south", "o sul"),
        "way.3": Said("west", "o oeste"),
        "seat.0": Said("South", "Sul"),
        "seat.1": Said("West", "Oeste"),
        "seat.2": Said("North", "Norte"),
        "seat.3": Said("East", "Leste"),
        "kind.small": Said("small", "pequena"),
        "kind.medium": Said("medium", "média"),
        "kind.large": Said("large", "grande"),
        "kind.van": Said("Mystery Machine", "Máquina de Mistério"),
        "step.move": Said(
            "Move the {piece} from {source} back to {target}.", "Leve a {piece} de {source} de volta a {target}."
        ),
        "step.turn": Said("Turn the {piece} on {target}: {posture}.", "Vire a {piece} em {target}: {posture}."),
        "step.stand": Said("Stand the {piece} on {target} up again.", "Ponha de pé a {piece} em {target}."),
        "step.put": Said("Put the {piece} on {target}, {posture}.", "Ponha a {piece} em {target}, {posture}."),
        "step.take": Said("Take the {piece} off {source}.", "Tire a {piece} de {source}."),
        "step.swap": Said(
            "On {target}, take the {old} away and put the {piece}, {posture}.",
            "Em {target}, tire a {old} e ponha a {piece}, {posture}.",
        ),
        "step.van": Said(
            "Give the Mystery Machine back to {who}.", "Devolva a Máquina de Mistério: ela fica com {who}."
        ),
        "in-front": Said("in front of {who}", "na frente de {who}"),
        "sending": Said("Sending", "Enviando"),
        "not-sent": Said(
            "Not sent: the table cannot be reached. Come closer to the network and tap again.",
            "Não enviado: a mesa não responde. Chegue mais perto da rede e toque de novo.",
        ),
        "no-script": Said(
            "This page follows the table by a small script, and scripts are off. Allow them, or reload to see news.",
            "Esta página acompanha a mesa com um script, e scripts estão desligados. Permita-os, ou recarregue.",
        ),
        "error.404": Said(
            "There is nothing at this address. Go back to the board.", "Não há nada neste endereço. Volte ao tabuleiro."
        ),
        "error.405": Said("This address is not used that way.", "Este endereço não se usa assim."),
        "error.500": Said(
            "Something broke in the page; it is written down in the log. The game is safe. Reload in a moment.",
            "Algo quebrou na página; está anotado no registro. O jogo está salvo. Recarregue daqui a pouco.",
        ),
        "error.host": Said(
            "This page answers to its own addresses only. Open the address that the device shows.",
            "Esta página só responde nos próprios endereços. Abra o endereço que o aparelho mostra.",
        ),
        "error.origin": Said(
            "Another web page tried to speak to the table. Open the board itself and try there.",
            "Outra página tentou falar com a mesa. Abra o tabuleiro e tente por lá.",
        ),
        "error.code": Said(
            "Changes need the code that the device shows. Enter it first.",
            "Mudanças precisam do código que o aparelho mostra. Digite-o primeiro.",
        ),
        "error.json": Said(
            "Wanted a JSON body, found something else. Reload the page and try again.",
            "Era esperado um corpo JSON. Recarregue a página e tente de novo.",
        ),
        "error.wish": Said(
            "The table did not understand: {what}. Reload the page and try again.",
            "A mesa não entendeu: {what}. Recarregue a página e tente de novo.",
        ),
        "error.too-long": Said("That was too long. Reload the page.", "Isso foi longo demais. Recarregue a página."),
        "back": Said("To the board", "Ao tabuleiro"),
        **CITY_PHRASES,
    }
)

COLOUR_NAMES: Final = MappingProxyType(
    {
        "red": (Said("red", "vermelho"), Said("R", "Vm")),
        "yellow": (Said("yellow", "amarelo"), Said("Y", "Am")),
        "green": (Said("green", "verde"), Said("G", "Vd")),
        "blue": (Said("blue", "azul"), Said("B", "Az")),
        "black": (Said("black", "preto"), Said("K", "Pt")),
        "white": (Said("white", "branco"), Said("W", "Br")),
        "orange": (Said("orange", "laranja"), Said("O", "La")),
        "purple": (Said("purple", "roxo"), Said("P", "Rx")),
        "pink": (Said("pink", "rosa"), Said("Pk", "Ro")),
        "cyan": (Said("cyan", "ciano"), Said("C", "Ci")),
        "grey": (Said("grey", "cinza"), Said("Gy", "Cz")),
        "brown": (Said("brown", "marrom"), Said("Br", "Mr")),
        "clear": (Said("clear", "transparente"), Said("Cl", "Tr")),
    }
)
"""Name and letter of each known colour; a colour that is not here keeps the name the players gave it."""


def say(key: str, language: str, **values: object) -> str:
    """The sentence of that key in that language, its places filled. `KeyError` for an unknown key.

    >>> say("to-play", "pt", who="azul")
    'Vez do azul'
    """
    return PHRASES[key].in_language(language).format(**values)


def say_if_known(key: str, language: str, fallback: str) -> str:
    """As `say`, or `fallback` where the table sends a word the page does not know."""
    return say(key, language) if key in PHRASES else fallback


def colour_name(colour: Colour, language: str) -> str:
    """The colour's name in a sentence, in small letters."""
    known = COLOUR_NAMES.get(colour)
    return known[0].in_language(language) if known else str(colour)


def letters_of(colours: Iterable[Colour], language: str) -> dict[Colour, str]:
    """A mark of one or two letters for each colour, no two alike: colours must be told without colour.

    >>> letters_of([Colour("red"), Colour("rust")], "en")
    {'red': 'R', 'rust': 'Ru'}
    """
    letters: dict[Colour, str] = {}
    for colour in dict.fromkeys(colours):
        known = COLOUR_NAMES.get(colour)
        name = (str(colour) or "?").capitalize()
        wishes = [known[1].in_language(language)] if known else []
        wishes += [name[0], name[:2], *(name[0] + sign for sign in name[2:]), *(f"{name[0]}{n}" for n in range(2, 99))]
        letters[colour] = next(wish for wish in wishes if wish not in letters.values())
    return letters


def cell_name(cell: Cell, language: str, seats: Iterable[SeatView] = ()) -> str:
    """The cell as people call it: "c4" on a board, "in front of blue" for the van's places.

    >>> cell_name(Cell(2, 3), "en")
    'c4'
    """
    if cell.zone == VAN_ZONE:
        return say("in-front", language, who=seat_phrase(Seat(cell.col), language, seats))
    if cell.zone != "board" or not 0 <= cell.col < 26 or cell.row < 0:
        return f"{cell.zone} {cell.col},{cell.row}" + (f",{cell.level}" if cell.level else "")
    name = f"{'abcdefghijklmnopqrstuvwxyz'[cell.col]}{cell.row + 1}"
    return name if cell.level == 0 else f"{name}/{cell.level}"


def seat_phrase(seat: Seat, language: str, seats: Iterable[SeatView]) -> str:
    """Who sits there, by the colour they play: players know each other by it; else the side of the table."""
    for view in seats:
        if view.seat == seat and view.colour:
            return colour_name(view.colour, language)
    return "" if seat == NATURE else say(f"seat.{int(seat)}", language)


def piece_name(piece: Piece, language: str) -> str:
    """Size and colour: "large red"."""
    kind = say_if_known(f"kind.{piece.kind}", language, piece.kind)
    if not piece.colour:
        return kind
    colour = colour_name(piece.colour, language)
    if not language.startswith("pt"):
        return f"{kind} {colour}"
    return f"{kind} {_feminine(colour)}"


def posture(piece: Piece, language: str) -> str:
    """How it stands or lies: "lying, pointing north"."""
    if piece.facing is None:
        return say("upright", language)
    return say("pointing", language, way=say(f"way.{piece.facing % 4}", language))


def piece_phrase(piece: Piece | None, language: str) -> str:
    """The whole of it: "large red, lying, pointing north"; or "Empty"."""
    if piece is None:
        return say("empty", language)
    if piece.kind == "van":
        return piece_name(piece, language)
    return f"{piece_name(piece, language)}, {posture(piece, language)}"


def _feminine(colour_pt: str) -> str:
    """A pyramid is feminine in Portuguese: vermelho becomes vermelha."""
    return colour_pt[:-1] + "a" if colour_pt.endswith("o") else colour_pt
