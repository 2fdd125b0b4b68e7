"""The referee, as tables: which look at which position gives which ruling. Field reports W1, W2, O1, O2."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from rules.catalogue import game_named
from rules.game import Setup
from rules.match import Match, Play
from rules.words import Cell, Colour, Layout, Piece, Seat
from table.following import Followed, Patience, look
from table.hypotheses import wants
from table.opening import box_of
from table.referee import (
    Accepted,
    Partway,
    Refused,
    Reread,
    Restored,
    Ruling,
    TakenBack,
    Unchanged,
    Unclear,
    rule,
)
from table.seen import Seen, Standing, Why
from tests.table.scripted import KIT, SEATS4, VAN, Noise, observed
from vision.kits.gridlock import van_cell

GAME = game_named("gridlock")


def match_of(*texts: str, per_size: int = 3, van: str = "north") -> Match:
    """A match with four sides, south first, after these moves."""
    setup = Setup(SEATS4, tuple((s,) for s, _ in SEATS4), Seat(0), (("per_size", str(per_size)), ("van", van)))
    match = Match.begun(GAME, setup)
    for text in texts:
        match = match.after(Play(GAME.read(text, match.state)))
    return match


DROPS = ("S:Sa1", "W:Sa5", "N:Sh8", "E:Sh1", "S:Ma2", "W:Mb5", "N:Mg8", "E:Mg1", "S:La3", "W:Lc5", "N:Lf8", "E:Lf1")
"""A whole placement with one of each size; south drops first."""


def p(text: str) -> Piece | None:
    """"Sr" is a small red one upright, "Mge" a medium green one lying to the east, "" nothing, "van" the van."""
    if text in ("", "van"):
        return VAN if text else None
    sizes = {"S": "small", "M": "medium", "L": "large"}
    colours = {"r": "red", "y": "yellow", "g": "green", "b": "blue"}
    facing = "nesw".index(text[2]) if len(text) > 2 else None
    return Piece(sizes[text[0]], Colour(colours[text[1]]), facing)


def c(name: str) -> Cell:
    seats = ("south", "west", "north", "east")
    return van_cell(Seat(seats.index(name))) if name in seats else KIT.cell_named(name)


def seen_of(match: Match, changes: Mapping[str, str], hidden: Sequence[str] = (), hand: bool = False,
            ranks: Mapping[str, Sequence[tuple[str, float]]] | None = None) -> Seen:
    """The match's table with some cells otherwise; `ranks` gives cells doubtful readings."""
    pieces = dict(match.game.layout(match.state).pieces)
    for name, text in changes.items():
        piece = p(text)
        pieces.pop(c(name), None)
        if piece is not None:
            pieces[c(name)] = piece
    seen = Seen.of(observed(Layout(pieces), hidden=[c(name) for name in hidden], hand=hand))
    if ranks:
        cells = dict(seen.cells)
        for name, ranked in ranks.items():
            cells[c(name)] = tuple((p(text), share) for text, share in ranked)
        seen = Seen(cells, seen.hidden, seen.hand)
    return seen


def in_words(match: Match, ruling: Ruling) -> str:
    """A ruling as the tables below have it."""
    write = match.game.write
    match ruling:
        case Unchanged():
            return "unchanged"
        case Partway():
            return "partway"
        case Accepted(verdict=verdict, then=then):
            return " ".join(["accepted", write(verdict.move), *(write(v.move) for v in then)])
        case Refused(verdict=verdict):
            return f"refused {verdict.reasons[0].code}"
        case Restored():
            return "restored"
        case TakenBack(move=move):
            return f"taken back {write(move)}"
        case Reread(index=index, move=move):
            return f"reread {index} {write(move)}"
        case Unclear(candidates=candidates):
            return f"unclear {len(candidates)}"


TWO = ("S:Sa1", "W:Mc3")


@pytest.mark.parametrize(
    ("played", "changes", "says"),
    [
        pytest.param((), {}, "unchanged", id="nothing was done"),
        pytest.param((), {"a1": "Sr"}, "accepted S:Sa1", id="a placement"),
        pytest.param((), {"b5": "Sy"}, "refused out-of-turn", id="another's colour out of turn"),
        pytest.param(TWO, {"c4": "Lg"}, "accepted N:Lc4", id="the third placement"),
        pytest.param(TWO, {"north": "", "east": "van"}, "accepted N:pass>E", id="the van is handed on"),
        pytest.param(TWO, {"north": "", "west": "van"}, "refused wrong-neighbour", id="the van goes the wrong way"),
        pytest.param(TWO, {"north": ""}, "unchanged", id="the van is in somebody's hand"),
        pytest.param((*TWO, "N:pass"), {"east": "", "south": "van"}, "refused just-handed", id="handed on at once"),
        pytest.param(TWO, {"c3": ""}, "taken back W:Mc3", id="the last piece is taken back"),
        pytest.param(TWO, {"c3": "", "c4": "My"}, "reread 1 W:Mc4", id="O2: the last piece slid on"),
        pytest.param(TWO, {"c3": "Ly"}, "reread 1 W:Lc3", id="the last piece was read too small"),
        pytest.param(TWO, {"a1": "Mr"}, "reread 0 S:Ma1", id="an earlier piece was read too small"),
        pytest.param(TWO, {"a1": ""}, "unclear 0", id="an earlier piece was taken off"),
        pytest.param(TWO, {"c4": "Lg", "d4": "Sb"}, "accepted N:Lc4 E:Sd4", id="two quick actions in their only order"),
        pytest.param(TWO, {"north": "", "east": "van", "d4": "Sb"}, "accepted N:pass>E E:Sd4",
                     id="a pass and a quick placement"),
        pytest.param((*DROPS,), {"a1": "Srn"}, "accepted S:xa1", id="a drop that turns nothing"),
        pytest.param((*DROPS,), {"a1": "Sre"}, "refused wrong-direction", id="a drop to the side"),
        pytest.param((*DROPS,), {"a5": "Sye"}, "refused not-own-piece", id="another's piece dropped its way"),
        pytest.param((*DROPS,), {"a5": "Syn"}, "refused not-own-piece", id="another's piece dropped one's own way"),
        pytest.param((*DROPS, "S:xa1"), {"a5": "Sye"}, "accepted W:xa5", id="the next drop"),
        pytest.param((*DROPS, "S:xa1", "W:xa5", "N:xh8", "E:xh1"), {"a2": "Mrn", "a5": "Syn"}, "accepted S:xa2",
                     id="a drop that turns one, seen whole"),
        pytest.param((*DROPS, "S:xa1", "W:xa5", "N:xh8", "E:xh1"), {"a2": "Mrn"}, "partway",
                     id="O1: a drop whose turned piece is still to be turned"),
        pytest.param((*DROPS, "S:xa1", "W:xa5", "N:xh8", "E:xh1"), {"a5": "Syn"}, "partway",
                     id="O1: the turned piece comes first"),
    ],
)
def test_what_a_sure_look_means(played: tuple[str, ...], changes: Mapping[str, str], says: str) -> None:
    match = match_of(*played, per_size=1 if played[:12] == DROPS else 3)
    box = box_of(match.game, match.setup)
    assert in_words(match, rule(match, seen_of(match, changes), KIT.visible, box=box)) == says


@pytest.mark.parametrize(
    ("played", "changes", "ranks", "says"),
    [
        pytest.param(TWO, {}, {"c4": (("Lg", 0.7), ("", 0.29))}, "partway", id="hardly more than nothing"),
        pytest.param(TWO, {}, {"c4": (("Lg", 0.45), ("Mg", 0.42))}, "unclear 2", id="two sizes alike: to be asked"),
        pytest.param(TWO, {}, {"c4": (("Lg", 0.85), ("Mg", 0.1))}, "accepted N:Lc4", id="one size clearly likelier"),
        pytest.param(TWO, {}, {"c4": (("Lb", 0.7), ("", 0.28))}, "partway", id="a weak reading never refuses"),
        pytest.param(TWO, {}, {"c4": (("Lb", 0.97), ("Lg", 0.02))}, "refused out-of-turn", id="a sure one does"),
        pytest.param(TWO, {"c4": "Lg"}, {"a1": (("Sb", 0.97), ("Sr", 0.02))}, "accepted N:Lc4",
                     id="W1: a piece misread elsewhere blocks nothing"),
        pytest.param(TWO, {"c4": "Lg"}, {"g7": (("Sbe", 0.95), ("", 0.04))}, "accepted N:Lc4",
                     id="W1: a piece seen where there is none blocks nothing"),
        pytest.param(TWO, {}, {"c4": (("Lgs", 0.8), ("Lg", 0.15))}, "accepted N:Lc4",
                     id="W1: a piece set down is rather misread than laid down"),
        pytest.param(TWO, {}, {"a1": (("Sr", 0.5), ("Sb", 0.5))}, "unchanged", id="W2: a piece between two labels"),
        pytest.param(TWO, {}, {"north": (("", 0.9), ("van", 0.1))}, "unchanged", id="an unseen van is no pass"),
    ],
)
def test_what_a_doubtful_look_means(
    played: tuple[str, ...], changes: Mapping[str, str], ranks: Mapping[str, Sequence[tuple[str, float]]], says: str
) -> None:
    match = match_of(*played)
    assert in_words(match, rule(match, seen_of(match, changes, ranks=ranks), KIT.visible)) == says


@pytest.mark.parametrize(
    ("changes", "hidden", "says"),
    [
        pytest.param({}, ("d4", "d5"), "unchanged", id="a hand and nothing else"),
        pytest.param({"c4": "Lg"}, ("d4", "d5"), "partway", id="a piece beside the hand"),
        pytest.param({"c4": "Lg"}, ("g1", "g2"), "accepted N:Lc4", id="a piece far from the hand"),
        pytest.param({"c4": "Lb"}, ("g1", "g2"), "partway", id="nothing is refused under a hand"),
        pytest.param({"north": "", "east": "van"}, ("g1", "g2"), "partway", id="the van waits for the hand to go"),
        pytest.param({"c3": ""}, ("g1", "g2"), "partway", id="nothing is taken back under a hand"),
    ],
)
def test_what_a_look_with_a_hand_means(changes: Mapping[str, str], hidden: Sequence[str], says: str) -> None:
    match = match_of(*TWO)
    assert in_words(match, rule(match, seen_of(match, changes, hidden, hand=True), KIT.visible)) == says


def test_a_cell_in_glare_neither_helps_nor_hinders() -> None:
    match = match_of(*DROPS, "S:xa1", "W:xa5", "N:xh8", "E:xh1", per_size=1)
    seen = seen_of(match, {"a2": "Mrn", "a5": "Syn"}, hidden=("a5",))
    assert in_words(match, rule(match, seen, KIT.visible)) == "accepted S:xa2"


def test_what_was_refused_is_no_news_until_it_changes_and_is_told_when_put_back() -> None:
    match = match_of(*TWO)
    wrong = seen_of(match, {"b5": "Sb"})
    refused = rule(match, wrong, KIT.visible)
    assert isinstance(refused, Refused)
    assert [(change.cell, change.before, change.after) for change in refused.put_right] == [(c("b5"), p("Sb"), None)]
    standing = (Standing(Why.REFUSED, ((c("b5"), p("Sb")),)),)
    assert isinstance(rule(match, wrong, KIT.visible, standing), Unchanged)
    both = rule(match, seen_of(match, {"b5": "Sb", "c4": "Lg"}), KIT.visible, standing)
    assert in_words(match, both) == "accepted N:Lc4"
    assert isinstance(rule(match, seen_of(match, {}), KIT.visible, standing), Restored)


def test_a_correction_stays_until_the_cell_looks_otherwise() -> None:
    match = match_of(*TWO)
    standing = (Standing(Why.CORRECTED, ((c("a1"), p("Sb")),)),)
    followed = Followed(match, standing)
    after, rulings = look(followed, seen_of(match, {"a1": "Sb"}), KIT.visible)
    assert isinstance(rulings[0][0], Unchanged)
    assert after.standings == standing
    after, _ = look(followed, seen_of(match, {"a1": "Lb"}), KIT.visible)
    assert after.standings == ()


def _looks(match: Match, seen: Seen, times_ms: Sequence[int]) -> list[list[str]]:
    followed, out = Followed(match), []
    for ms in times_ms:
        one = Seen(seen.cells, seen.hidden, seen.hand, 0, ms * 1_000_000)
        followed, rulings = look(followed, one, KIT.visible, patience=Patience(3000, 1000))
        out.append([in_words(match, ruling) for ruling, _ in rulings])
    return out


def test_r8_an_impossible_table_gives_one_signal_after_three_seconds_and_none_before() -> None:
    match = match_of(*TWO)
    seen = seen_of(match, {"a1": ""})
    said = _looks(match, seen, range(0, 6000, 500))
    assert said[:6] == [["partway"]] * 6
    assert said[6] == ["refused removed-piece"]
    assert said[7:] == [["unchanged"]] * 5


def test_a_question_waits_a_second_and_is_asked_once() -> None:
    match = match_of(*TWO)
    seen = seen_of(match, {}, ranks={"c4": (("Lg", 0.45), ("Mg", 0.42))})
    said = _looks(match, seen, range(0, 4000, 500))
    assert said == [["partway"], ["partway"], ["unclear 2"], *[["partway"]] * 5]


def test_a_refused_thing_that_has_become_legal_is_believed_with_the_next_action() -> None:
    match = match_of("S:Sa1")
    followed, _ = look(Followed(match), seen_of(match, {"b5": "Sg"}), KIT.visible)
    assert followed.standings
    followed, rulings = look(followed, seen_of(match, {"b5": "Sg", "c3": "My"}), KIT.visible)
    assert [in_words(match, r) for r, _ in rulings] == ["accepted W:Mc3"]
    followed, rulings = look(followed, seen_of(match, {"b5": "Sg", "c3": "My", "h8": "Lb"}), KIT.visible)
    assert [in_words(match, r) for r, _ in rulings] == ["accepted N:Sb5 E:Lh8"]
    assert followed.standings == ()


def test_a_piece_put_back_and_the_next_action_lie_in_one_look() -> None:
    match = match_of(*TWO)
    followed, _ = look(Followed(match), seen_of(match, {"b5": "Sb"}), KIT.visible)
    _, rulings = look(followed, seen_of(match, {"c4": "Lg"}), KIT.visible)
    assert [in_words(match, r) for r, _ in rulings] == ["restored", "accepted N:Lc4"]


def test_every_legal_action_of_a_whole_game_is_accepted_when_it_is_seen() -> None:
    rng = np.random.default_rng(3)
    match = match_of(per_size=2)
    for _ in range(60):
        moves = list(GAME.moves(match.state))
        if not moves:
            break
        move = moves[int(rng.integers(len(moves)))]
        after = match.after(Play(move))
        if GAME.layout(after.state) == GAME.layout(match.state):
            match = after
            continue
        ruling = rule(match, Seen.of(observed(GAME.layout(after.state))), KIT.visible)
        assert in_words(match, ruling) == f"accepted {GAME.write(move)}"
        match = after
    assert GAME.outcome(match.state) is not None


def test_a_look_at_a_full_four_player_table_takes_under_ten_milliseconds() -> None:
    rng = np.random.default_rng(1)
    match = match_of(per_size=5)
    while GAME.phase(match.state) == "placement":
        moves = [m for m in GAME.moves(match.state) if m.verb == "place"]
        match = match.after(Play(moves[int(rng.integers(len(moves)))]))
    wants(match.game, match.state, KIT.visible)
    times = []
    for i in range(30):
        seen = Seen.of(observed(GAME.layout(match.state), noise=Noise(0.05, 0.01), rng=np.random.default_rng(i)))
        began = time.process_time()
        rule(match, seen, KIT.visible)
        times.append(time.process_time() - began)
    assert sorted(times)[len(times) // 2] < 0.010
