"""What people ask of the scored cities, judged: a fact to write down, or a sentence why not. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from rules.quadropolis.state import BESIDE, SLOTS
from rules.words import Said
from table.cities import (
    LONGEST_NAME,
    MOST_CITIES,
    MOST_TOKENS,
    BesideCorrected,
    Book,
    CityDropped,
    CityFact,
    CityNamed,
    CityRead,
    CityTurned,
    PiecesLaid,
    ReadingsChosen,
    Scoring,
    ScoringClosed,
    SlotCorrected,
    TilesChosen,
    fault_of,
)
from table.cities_score import HARBOURS, TIES, best_near, result_of
from table.city_history import FollowBegun, FollowEnded, begun
from table.city_read import ReadCity
from webui.city_desk import (
    AddByHand,
    ChooseReadings,
    ChooseTiles,
    CityWish,
    CorrectBeside,
    CorrectSlot,
    DropCity,
    FollowCity,
    LayBest,
    NameCity,
    NewScoring,
    ReadCamera,
    ReadPicture,
    TurnCity,
    UnfollowCity,
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why not. `code` is stale or refused, as in `Receipt`."""

    code: str
    said: Said


STALE: Final = Refusal("stale", Said(
    "Somebody has changed this meanwhile. Look again, then tap.",
    "Alguém mudou isto enquanto isso. Olhe de novo e depois toque."))
GONE: Final = Refusal("stale", Said(
    "This city is no longer in the result. Look again.", "Esta cidade não está mais no resultado. Olhe de novo."))
FULL: Final = Refusal("refused", Said(
    f"A game has at most {MOST_CITIES} cities, and so many are here. Remove one, or begin a new result.",
    f"Um jogo tem no máximo {MOST_CITIES} cidades, e já há {MOST_CITIES} aqui. Retire uma, ou comece outro resultado."))
TWICE: Final = Refusal("refused", Said(
    "This picture is in the result already. Take one of the next city.",
    "Esta foto já está no resultado. Fotografe a próxima cidade."))
NONE_YET: Final = Refusal("refused", Said(
    "There is no city here yet, so there is no result to keep. Take a picture first.",
    "Ainda não há cidade aqui, portanto nada a guardar. Primeiro fotografe uma."))
BEST_ALREADY: Final = Refusal("refused", Said(
    "The pieces already lie best. There is nothing to move.", "As peças já estão na melhor posição. Nada a mover."))
FOLLOWED: Final = Refusal("refused", Said(
    "The camera follows this city already.", "A câmera já acompanha esta cidade."))
NOT_FOLLOWED: Final = Refusal("refused", Said(
    "The camera does not follow this city.", "A câmera não acompanha esta cidade."))
TOO_MANY: Final = Refusal("refused", Said(
    "A game builds at most 16 tiles in a city, and this one has more. Correct it first, then follow it.",
    "Um jogo constrói no máximo 16 peças numa cidade, e esta tem mais. Corrija-a antes e depois acompanhe."))
NO_SET: Final = Refusal("refused", Said(
    "There is no tile set of that name. Choose one of the list.", "Não há conjunto de peças com esse nome. "
    "Escolha um da lista."))


def _cannot(what: str) -> Refusal:
    return Refusal("refused", Said(f"That cannot be: {what}. Reload the page and try again.",
                                   f"Isso não pode ser: {what}. Recarregue a página e tente de novo."))


def decided(book: Book, on_seq: int, wish: CityWish, tile_sets: tuple[str, ...] = ()) -> CityFact | Refusal:
    """The fact that a wish makes, asked for on what was shown at `on_seq`. Pictures are judged by `may_read`."""
    now = book.now
    match wish:
        case ReadPicture() | ReadCamera():
            raise ValueError("wanted a wish that is judged at once, found a picture: ask may_read")
        case AddByHand():
            if on_seq < now.scoring:
                return STALE
            return FULL if len(now.sheets) >= MOST_CITIES else CityRead(0, ReadCity())
        case ChooseReadings(harbours, tie):
            if on_seq < now.chosen_seq:
                return STALE
            if harbours not in HARBOURS or tie not in TIES:
                return _cannot(f"{harbours}, {tie}")
            return ReadingsChosen(harbours, tie)
        case ChooseTiles(name):
            if on_seq < now.chosen_seq:
                return STALE
            return TilesChosen(name) if name in tile_sets else NO_SET
        case NewScoring():
            if on_seq != now.seq:
                return STALE
            return ScoringClosed(result_of(now)) if now.sheets else NONE_YET
        case _:
            return _of_city(now, on_seq, wish)


def _of_city(
    now: Scoring, on_seq: int, wish: CorrectSlot | CorrectBeside | TurnCity | LayBest | NameCity | DropCity
    | FollowCity | UnfollowCity,
) -> CityFact | Refusal:
    """A wish about one city. It is old only if that city has changed: two players may correct two cities at a time."""
    sheet = now.sheet(wish.city)
    if sheet is None:
        return GONE
    if on_seq < sheet.spoken_seq:
        return STALE
    match wish:
        case CorrectSlot(city, slot, building):
            if building is not None and building.face[:1] != "T":
                building = replace(building, floors=1)
            fault = "slot" if not 0 <= slot < SLOTS else fault_of(building) if building else ""
            return _cannot(fault) if fault else SlotCorrected(city, slot, building)
        case CorrectBeside(city, inhabitants, energy):
            if not (0 <= inhabitants <= MOST_TOKENS and 0 <= energy <= MOST_TOKENS):
                return _cannot(f"inhabitants and energy: wanted 0 to {MOST_TOKENS}")
            return BesideCorrected(city, inhabitants, energy)
        case TurnCity(city):
            return CityTurned(city)
        case LayBest(city):
            lies, then = sheet.counted, best_near(sheet.counted, now.harbours)
            return BEST_ALREADY if lies == then else PiecesLaid(city, tuple(then.people), tuple(then.energy))
        case FollowCity(city):
            if sheet.is_followed:
                return FOLLOWED
            history = sheet.history or begun(sheet.slots, sheet.beside)
            return FollowBegun(city) if history.is_possible else TOO_MANY
        case UnfollowCity(city):
            return FollowEnded(city) if sheet.is_followed else NOT_FOLLOWED
        case NameCity(city, player):
            return CityNamed(city, tidy_name(player))
        case DropCity(city):
            return CityDropped(city)


def may_read(book: Book, on_seq: int, wish: ReadPicture | ReadCamera, digest: str) -> Refusal | None:
    """Why a picture is not read, before it is opened. Others may add cities meanwhile: only the result must be this."""
    now = book.now
    if on_seq < now.scoring:
        return STALE
    sheet = now.sheet(wish.city)
    if wish.city and sheet is None:
        return GONE
    if any(one.read.print == digest for one in now.sheets):
        return TWICE
    return FULL if not wish.city and len(now.sheets) >= MOST_CITIES else None


def tidy_name(text: str) -> str:
    """A player's name: printable signs, no runs of spaces, not too long.

    >>> tidy_name("  Ana\\n  Lúcia ")
    'Ana Lúcia'
    """
    clean = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(clean.split())[:LONGEST_NAME].strip()


def place_said(place: int) -> Said:
    """A place in words: "row 2, column 3", or beside the mat.

    >>> place_said(6).en
    'row 2, column 3'
    """
    if place == BESIDE:
        return Said("beside the mat", "ao lado do tabuleiro")
    row, col = place // 4 + 1, place % 4 + 1
    return Said(f"row {row}, column {col}", f"linha {row}, coluna {col}")
