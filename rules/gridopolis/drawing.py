"""A Gridopolis position as lines of text, for the terminal: storey by storey, the highest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rules.drawing import colour_marks, counted

LEGEND = (
    "( ) a pad; a marker is its colour's letter, small for a pawn, capital for a king;",
    "* teleporter, ^ kingerizer, X blocker-box; - and | links, = and # links that carry a post.",
)
_PARTS = {None: " ", "teleporter": "*", "kingerizer": "^", "blocker": "X"}
_WIDE = 5
Node = tuple[int, int, int]


def drawing(saved: Mapping[str, Any]) -> list[str]:
    """Each storey with its pads, markers and links, north up, then what each side has."""
    marks = colour_marks(saved["colours"].values())
    canvas = _canvas(saved, marks)
    lines: list[str] = []
    for z in sorted({node[2] for node in canvas.pads}, reverse=True):
        lines.extend([f"Storey {z}", *canvas.storey(z), ""])
    for seat, colour in saved["colours"].items():
        lines.append(_side_line(saved, seat, colour, marks[colour]))
    if saved["mover"] is not None:
        mover = ",".join(map(str, saved["mover"]))
        lines.append(f"The king at {mover} may move once more.")
    return [*lines, *LEGEND]


class _Canvas:
    """The pads as words, and the links as marks between them."""

    def __init__(self, pads: Mapping[Node, str], links: Mapping[tuple[Node, Node], bool]) -> None:
        self.pads = pads
        self.links = links
        nodes = [*pads, *(node for link in links for node in link)]
        self.west, self.east = min(n[0] for n in nodes), max(n[0] for n in nodes)

    def storey(self, z: int) -> Iterable[str]:
        """The rows of a storey, the far one first; under them the columns' numbers."""
        here = [node for node in self.pads if node[2] == z]
        here += [node for link in self.links for node in link if node[2] == z]
        south, north = min(n[1] for n in here), max(n[1] for n in here)
        columns = range(self.west, self.east + 1)
        lines = []
        for y in range(north, south - 1, -1):
            row = "".join(
                self.pads.get((x, y, z), "    ") + self._mark((x, y, z), (x + 1, y, z), "-", "=") for x in columns
            )
            lines.append(f"{y:3} {row}".rstrip())
            if y > south:
                joints = "".join(f" {self._mark((x, y - 1, z), (x, y, z), '|', '#')}".ljust(_WIDE) for x in columns)
                lines.append(f"    {joints}".rstrip())
        return [*lines, "     " + "".join(f"{x:2}".ljust(_WIDE) for x in columns).rstrip()]

    def _mark(self, one: Node, two: Node, link: str, posted: str) -> str:
        carries = self.links.get((one, two))
        return " " if carries is None else posted if carries else link


def _node(place: Iterable[int]) -> Node:
    x, y, z = place
    return x, y, z


def _link(ends: Iterable[Iterable[int]]) -> tuple[Node, Node]:
    one, two = sorted(_node(end) for end in ends)
    return one, two


def _canvas(saved: Mapping[str, Any], marks: Mapping[str, str]) -> _Canvas:
    pads = {_node(pad["node"]): f"( {_PARTS[pad.get('part')]})" for pad in saved["pads"]}
    for marker in saved["markers"]:
        node, mark = _node(marker["node"]), marks[marker["colour"]]
        pads[node] = f"({mark.upper() if marker['rank'] == 'king' else mark}{pads.get(node, '   ')[2]})"
    posts = {_link(post) for post in saved["posts"]}
    return _Canvas(pads, {_link(link): _link(link) in posts for link in saved["links"]})


def _side_line(saved: Mapping[str, Any], seat: str, colour: str, mark: str) -> str:
    ranks = [marker["rank"] for marker in saved["markers"] if marker["colour"] == colour]
    taken = [marker["rank"] for marker in saved["captured"].get(seat, [])]
    markers = counted(_ranked(ranks, rank) for rank in ("pawn", "king"))
    captured = counted(_ranked(taken, rank) for rank in ("pawn", "king"))
    reserve = counted(saved["reserve"].get(seat, {}).items())
    turns = saved["turns"].get(seat, 0)
    return f"{seat:5} {mark} {colour}: {markers}; captured {captured}; reserve {reserve}; turns taken {turns}"


def _ranked(ranks: list[str], rank: str) -> tuple[str, int]:
    count = ranks.count(rank)
    return rank if count == 1 else f"{rank}s", count
