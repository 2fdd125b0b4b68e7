"""Lines of `read` and `replay` as sentences, for people who do not ask for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from table.replay_line import ReplayLine
from table.score_words import city_words


def read_words(body: Mapping[str, Any]) -> str:
    """One read picture: how many pieces, the van, what is hidden and what is rather asked about."""
    if not body["corners"]:
        return f"{body['frame']}: no board. {body.get('why', '')}"
    position = body["position"]
    if "city" in position:
        return city_words(body)
    words = [f"{len(position['pieces'])} pyramids"]
    words += [f"{p['square']} {p['colour']} {p['size']} {p['facing']}" for p in position["pieces"]]
    words.append(f"Mystery Machine at {position['van']}" if position["van"] else "no Mystery Machine in the picture")
    if body["hidden"]:
        words.append("hidden: " + " ".join(body["hidden"]))
    if body["unsure"]:
        words.append("unsure: " + " ".join(one["at"] for one in body["unsure"]))
    return f"{body['frame']}: {', '.join(words)} ({body['ms']:.0f} ms)"


def replay_words(line: ReplayLine) -> str:
    """One thing said at one picture."""
    if line.said == "over":
        scores = ", ".join(f"{seat} {points}" for seat, points in (line.scores or {}).items())
        return f"over: {scores}; winning: {', '.join(line.winners) or 'nobody'}"
    move = line.move or {}
    told = " ".join(str(move[key]) for key in ("seat", "kind", "colour", "size", "square") if move.get(key))
    if isinstance(face := move.get("face"), Mapping):
        told += f" {face_said(face)}"
    if move.get("slot"):
        told += f" on {move['slot']}"
    if move.get("architects"):
        told += f" (architect {' or '.join(str(n) for n in move['architects'])})"
    words = [f"{line.frame}: {line.said.replace('_', ' ')}"]
    if told:
        words.append(told)
    if line.reasons:
        words.append(f"({', '.join(line.reasons)})")
    turn = "" if line.to_move is None else f"; {line.to_move} to move"
    return f"{' '.join(words)}{turn} ({line.ms:.0f} ms)"


def face_said(face: Mapping[str, Any]) -> str:
    """A tile's face in short words.

    >>> face_said({"type": "harbor", "inhabitants": 1, "energy": 1, "vp": 0, "mayor": False})
    'harbor 1i1e'
    """
    gives = "".join(f"{face[key]}{key[0]}" for key in ("inhabitants", "energy", "vp") if face.get(key))
    return " ".join(word for word in (str(face["type"]), gives, "mayor" if face.get("mayor") else "") if word)
