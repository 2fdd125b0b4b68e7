"""Every reason against an action, as a sentence in English and in Brazilian Portuguese.

A sentence says what was wanted, what was found and what to do. `{at}` is the places the reason names, `{first}` the
first of them, `{others}` the rest, `{who}` the seat it names; `{what}` counts the pieces that it names.
"""

from __future__ import annotations

from rules.game import LANGUAGES, Reason
from rules.quadropolis.notation import place_name
from rules.words import Cell

SENTENCES: dict[str, tuple[str, str]] = {
    "out-of-turn": (
        "It is not {who}'s turn: undo what was done at {at} and let the seat whose turn it is play.",
        "Não é a vez do {who}: desfaça o que foi feito em {at} e deixe jogar quem está na vez.",
    ),
    "time-to-fill": (
        "The site is filled before anybody acts, and it is still empty: put the round's tiles on it first.",
        "A zona de construção é preenchida antes de alguém jogar, e está vazia: coloque antes as peças da rodada.",
    ),
    "time-to-take": (
        "A turn begins with an architect, and none was set down yet: undo this and set one beside the site.",
        "A vez começa com um arquiteto, e nenhum foi colocado ainda: desfaça isto e coloque um junto à zona.",
    ),
    "time-to-build": (
        "The tile in hand is built or discarded first, and it was not yet: undo this and place it.",
        "Antes se constrói ou descarta a peça na mão, e isso não foi feito: desfaça isto e coloque-a.",
    ),
    "time-to-allocate": (
        "The last round is over and only inhabitants and energy are moved, and this is something else: undo it.",
        "A última rodada acabou e só se realocam habitantes e energia, e isto é outra coisa: desfaça-o.",
    ),
    "space-empty": (
        "Every space of the site gets a tile, and these have none: {at}. Put one on each.",
        "Todo espaço da zona recebe uma construção, e estes estão sem: {at}. Complete-os.",
    ),
    "not-of-this-round": (
        "Only this round's tiles for this number of players lie face up, and these are not of them: {at}. Change them.",
        "Só ficam viradas para cima as peças desta rodada e deste número de jogadores, e estas não são: {at}. "
        "Troque-as.",
    ),
    "not-turned-up": (
        "All tiles for this number of players are turned up, and too many lie face down, as here: {at}. Turn them.",
        "Viram-se todas as peças deste número de jogadores, e há viradas para baixo demais, como aqui: {at}. Vire-as.",
    ),
    "architect-used": (
        "Each architect is used once a round, and this one of {who} stands around the site already: "
        "put it back and use another at {at}.",
        "Cada arquiteto é usado uma vez por rodada, e este do {who} já está em volta da zona: "
        "devolva-o e use outro em {at}.",
    ),
    "not-own-architect": (
        "An architect is one of {who}'s own four, and the one at {at} is not: use your own.",
        "O arquiteto deve ser um dos quatro do {who}, e o de {at} não é: use o seu.",
    ),
    "position-taken": (
        "One architect stands at each position, and {at} is taken: choose another position.",
        "Cada posição comporta um arquiteto, e {at} está ocupada: escolha outra posição.",
    ),
    "at-urbanist": (
        "An architect may not point at the urbanist, and {first} points at it on {others}: choose another line.",
        "O arquiteto não pode apontar para o urbanista, e {first} aponta para ele em {others}: escolha outra linha.",
    ),
    "no-such-position": (
        "An architect stands at the end of a row or column of the site, and this is none: choose one of the 20.",
        "O arquiteto fica na ponta de uma linha ou coluna da zona, e isto não é: escolha uma das 20 posições.",
    ),
    "slot-taken": (
        "A tile goes on an empty slot, and {at} is taken: choose another slot or discard the tile.",
        "A peça vai num espaço vazio, e {at} está ocupado: escolha outro espaço ou descarte a peça.",
    ),
    "only-towers-stack": (
        "Only a residential block goes on another, and this tile is none: choose an empty slot instead of {at}.",
        "Só um bloco residencial vai sobre outro, e esta peça não é: escolha um espaço vazio em vez de {at}.",
    ),
    "too-high": (
        "A residential block has four floors at most, and the one at {at} has them: choose another slot.",
        "Um bloco residencial tem no máximo quatro andares, e o de {at} já tem: escolha outro espaço.",
    ),
    "wrong-number": (
        "The row, the column or the new floor must have the architect's number, and {first} has not "
        "(architect: {others}). Choose another slot or discard the tile.",
        "A linha, a coluna ou o novo andar deve ter o número do arquiteto, e {first} não tem "
        "(arquiteto: {others}). Escolha outro espaço ou descarte a peça.",
    ),
    "not-own-city": (
        "A tile goes into the city of {who}, who took it, and {at} is another's: move it there.",
        "A peça vai para a cidade do {who}, que a pegou, e {at} é de outro: leve-a para lá.",
    ),
    "no-such-slot": (
        "A tile goes on a slot from 1,1 to 4,4 of the city, and this is none: choose one of the 16.",
        "A peça vai num espaço de 1,1 a 4,4 da cidade, e isto não é: escolha um dos 16.",
    ),
    "not-that-tile": (
        "The tile that was taken is the one to build, and the one at {at} is another: put the right one there.",
        "Constrói-se a peça que foi pega, e a de {at} é outra: coloque a certa.",
    ),
    "nothing-built-there": (
        "Inhabitants and energy go on buildings, and there is none at {at}: lay them beside the city.",
        "Habitantes e energia vão sobre construções, e não há nenhuma em {at}: deixe-os ao lado da cidade.",
    ),
    "no-room-there": (
        "A building holds what activates it, a shop four customers too, and more lies at {at}: take some off.",
        "A construção recebe o que a ativa, e a loja até quatro clientes, e há mais em {at}: retire o excesso.",
    ),
    "more-than-there-is": (
        "Only the inhabitants and energy of {who}'s city are laid out, and these are more: take some away.",
        "Só se realocam os habitantes e a energia da cidade do {who}, e aqui há mais: retire o excesso.",
    ),
    "lifted": (
        "A tile leaves the site only by an architect, and the one from {at} was lifted off: put it back.",
        "Uma peça só sai da zona por um arquiteto, e a de {at} foi retirada: devolva-a.",
    ),
    "moved-building": (
        "A building stays where it was built, and the one from {first} was moved: put it back.",
        "A construção fica onde foi construída, e a de {first} foi movida: devolva-a.",
    ),
    "architects-spent": (
        "Each architect builds once a round, and none is left whose number is the row, the column or the new floor "
        "of {at}: take the tile off; build it elsewhere or discard it.",
        "Cada arquiteto constrói uma vez por rodada, e não resta nenhum com o número da linha, da coluna ou do novo "
        "andar de {at}: retire a peça; construa em outro espaço ou descarte-a.",
    ),
    "two-at-once": (
        "A turn builds one tile, and here are more at once: {at}. Take off all but one.",
        "Em cada vez se constrói uma peça, e aqui há mais de uma: {at}. Retire todas menos uma.",
    ),
    "resources-missing": (
        "A tile brings its inhabitants and energy, and {what} are missing: take them and lay them on the city or "
        "beside it.",
        "A peça traz seus habitantes e sua energia, e faltam {what}: pegue-os e deixe-os na cidade ou ao lado dela.",
    ),
    "resources-too-many": (
        "A city has only what its tiles brought, and {what} are too many: put them back into the supply.",
        "Uma cidade só tem o que suas peças trouxeram, e há {what} a mais: devolva ao estoque.",
    ),
    "moved-urbanist": (
        "The urbanist moves only to where an architect points, and it was set elsewhere: put it back to {at}.",
        "O urbanista só vai para onde um arquiteto aponta, e foi posto em outro lugar: devolva-o para {at}.",
    ),
    "no-such-seat": (
        "Only a seat in play may act, and this one is not: let a seat in play act.",
        "Só age quem joga, e este lado não joga: deixe agir um lado do jogo.",
    ),
    "no-such-action": (
        "In Quadropolis one takes, builds, discards or allocates, and this is none of them: choose one.",
        "No Quadropolis se pega, constrói, descarta ou realoca, e isto não é nenhum deles: escolha um.",
    ),
    "malformed": (
        "The action says more than it may, or contradicts itself: name just what is done and where.",
        "A ação diz mais do que pode, ou se contradiz: diga só o que se faz e onde.",
    ),
    "unreadable": (
        "This cannot be read as an action: write it like S:2w3, S:b23, S:discard or S:allocate=best.",
        "Isto não se lê como uma ação: escreva como S:2w3, S:b23, S:discard ou S:allocate=best.",
    ),
    "over": (
        "The game is over and nothing more can be played: start a new match.",
        "A partida acabou e nada mais se joga: comece outra.",
    ),
}
"""By code: the English and the Portuguese sentence."""

_SEATS_IN = {"en": ("South", "West", "North", "East"), "pt": ("Sul", "Oeste", "Norte", "Leste")}
_SIDES_IN = {"en": ("north", "east", "south", "west"), "pt": ("norte", "leste", "sul", "oeste")}
_NOBODY = {"en": "that side", "pt": "outro lado"}
_NOWHERE = {"en": "the table", "pt": "toda a mesa"}
_BESIDE = {"en": "the edge", "pt": "fora da zona"}
_AND = {"en": " and ", "pt": " e "}
_COUNTED = {
    "en": (("1 inhabitant", "{n} inhabitants"), ("1 energy", "{n} energy")),
    "pt": (("1 habitante", "{n} habitantes"), ("1 energia", "{n} energias")),
}


def say(reason: Reason, language: str = "en") -> str:
    """The sentence of a reason; a language that is not known is answered in English.

    >>> say(Reason("over"))
    'The game is over and nothing more can be played: start a new match.'
    """
    language = language if language in LANGUAGES else "en"
    sentence = SENTENCES.get(reason.code, SENTENCES["no-such-action"])[LANGUAGES.index(language)]
    who = _SEATS_IN[language][reason.seat] if reason.seat is not None and 0 <= reason.seat < 4 else _NOBODY[language]
    names = [_named(cell, language) for cell in reason.cells]
    return sentence.format(
        at=_listed(names, language) or _NOWHERE[language],
        first=names[0] if names else _NOWHERE[language],
        others=_listed(names[1:], language) or _NOWHERE[language],
        who=who,
        what=_counted(reason.cells, language),
    )


def _counted(cells: tuple[Cell, ...], language: str) -> str:
    """The inhabitants and the energy among places, counted."""
    counts = [sum(cell.zone.startswith(kind) for cell in cells) for kind in ("inhabitants", "energy")]
    named = zip(counts, _COUNTED[language], strict=True)
    words = [one if n == 1 else many.format(n=n) for n, (one, many) in named if n]
    return _listed(words, language) or _NOWHERE[language]


def _named(cell: Cell, language: str) -> str:
    name = place_name(cell)
    if len(name) == 2 and name[0] in "nesw":
        return f"{_SIDES_IN[language]['nesw'.index(name[0])]} {name[1]}"
    if len(name) == 1 and name in "SWNE":
        return _SEATS_IN[language]["SWNE".index(name)]
    return _BESIDE[language] if name == "beside" else name


def _listed(names: list[str], language: str) -> str:
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + _AND[language] + names[-1]
