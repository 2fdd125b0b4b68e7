"""What a person is offered first who says that a cell holds something else. Pure.

The camera's own possibilities come first. A camera that is sure and wrong names none: then what a legal action
would put there follows, then what is mistaken for what it says: another size, another posture, another colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rules.match import Match
from rules.words import Cell, Colour, Piece
from table.hypotheses import Visible, wants

WORTH_NAMING = 0.02
"""A possibility less likely than this comes after what the rules and kinship suggest."""

Offer = tuple[Piece | None, float]


def offered(
    ranked: Sequence[Offer], expected: Piece | None, legal: Sequence[Piece], pieces: Sequence[Piece]
) -> tuple[Offer, ...]:
    """Every offer once, the likeliest first: `ranked` is what the camera thinks, best first, `expected` what the
    match says, `legal` what actions would put there, `pieces` everything that may be named."""
    share = dict(ranked)
    best = ranked[0][0] if ranked else expected
    named = [piece for piece, p in ranked if p >= WORTH_NAMING]
    known = [piece for piece, p in ranked if p < WORTH_NAMING]
    order: list[Piece | None] = [*named]
    order += legal if best is None else _kin(best, pieces)
    order += [*known, expected, None, *(() if best is None else legal)]
    return tuple((piece, share.get(piece, 0.0)) for piece in dict.fromkeys(order))


def _kin(piece: Piece, pieces: Sequence[Piece]) -> Iterator[Piece]:
    """What a camera most often takes for `piece`: the same but for its size; its posture; its colour."""
    yield from (p for p in pieces if p.colour == piece.colour and p.facing == piece.facing and p != piece)
    yield from (p for p in pieces if (p.kind, p.colour) == (piece.kind, piece.colour) and p != piece)
    yield from (p for p in pieces if (p.kind, p.facing) == (piece.kind, piece.facing) and p != piece)


def legal_in(match: Match, cell: Cell, visible: Visible) -> tuple[Piece, ...]:
    """What the actions of now would put into a cell, the commonest first."""
    counts = Counter(
        change.after for _, changes in wants(match.game, match.state, visible)
        for change in changes if change.cell == cell and change.after is not None
    )
    return tuple(piece for piece, _ in counts.most_common())


def nameable(match: Match) -> tuple[Piece, ...]:
    """Every piece that may stand in a cell of this match."""
    kinds = dict.fromkeys(kind for hand in match.game.hands(match.states[0]).values() for kind, _ in hand)
    upright = [Piece(kind, Colour(colour), None) for _, colour in match.setup.colours for kind in kinds]
    lying = [Piece(p.kind, p.colour, facing) for p in upright for facing in range(4)]
    beside = dict.fromkeys(p for c, p in match.game.layout(match.state).pieces.items() if c.zone != "board")
    return (*upright, *lying, *beside)
