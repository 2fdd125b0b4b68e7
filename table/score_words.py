"""Lines of `read` and `score` about cities as sentences, for people who do not ask for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vision.kits.quadropolis import Face


def city_words(body: Mapping[str, Any]) -> str:
    """One city: what stands in each slot, what lies beside, what is hidden and what is rather asked about."""
    position = body["position"]
    words = [
        f"{row},{col} {_building(slot)}"
        for row, slots in enumerate(position["city"], start=1) for col, slot in enumerate(slots, start=1) if slot
    ] or ["an empty mat"]
    words.append(f"beside {_tokens(position['beside']) or 'nothing'}")
    if body["hidden"]:
        words.append("hidden: " + " ".join(_slot(at) for at in body["hidden"]))
    if body["unsure"]:
        words.append("unsure: " + " ".join(_slot(one["at"]) for one in body["unsure"]))
    return f"{body['frame']}: {', '.join(words)} ({body['ms']:.0f} ms)"


def score_words(body: Mapping[str, Any]) -> str:
    """One scored city: the parts, each reason, and what laying the pieces better would give."""
    if not body["corners"]:
        return f"{body['frame']}: no mat. {body.get('why', '')}"
    parts = body["score"]
    where = f", city {body['mat']}" if "mat" in body else ""
    lines = [f"{body['frame']}{where}: {parts['total']} points ("
             + ", ".join(f"{name} {points}" for name, points in parts.items() if name != "total") + ")"]
    lines += [f"  {one['points']:+d} {one['label']} at {' '.join(_slot(at) for at in one['at'])}"
              for one in body["reasons"]]
    if body["best"]["total"] > parts["total"]:
        lines.append(f"  with the pieces laid best: {body['best']['total']} points")
    for name, ats in (("unsure", [one["at"] for one in body["unsure"]]), ("hidden", body["hidden"])):
        if ats:
            lines.append(f"  {name}: {' '.join(_slot(at) for at in ats)}")
    return "\n".join(lines)


def _slot(at: Any) -> str:
    return at if isinstance(at, str) else ",".join(str(n) for n in at)


def _building(slot: Mapping[str, Any]) -> str:
    top = slot["floors"][-1]
    face = Face(top["type"], top["inhabitants"], top["energy"], top["vp"], top["mayor"])
    floors = f" of {len(slot['floors'])} floors" if len(slot["floors"]) > 1 else ""
    tokens = _tokens(slot)
    return f"{face.type} {face.word}{floors}{f' with {tokens}' if tokens else ''}"


def _tokens(slot: Mapping[str, Any]) -> str:
    return " and ".join(f"{slot[name]} {word}" for name, word in (("inhabitants", "inhabitants"), ("energy", "energy"))
                        if slot[name])
