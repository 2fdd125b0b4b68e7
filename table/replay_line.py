"""One line of `overboard replay`, in the words of scenes/FORMAT.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ReplayLine:
    """One thing said at one picture; the last line of a finished match has `said` "over", scores and winners."""

    frame: str
    said: str
    move: Mapping[str, Any] | None = None
    reasons: tuple[str, ...] = ()
    to_move: str | None = None
    ms: float = 0.0
    scores: Mapping[str, int] | None = None
    winners: tuple[str, ...] = ()
    also: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """The line as it is printed."""
        if self.said == "over":
            return json.dumps({"said": "over", "scores": self.scores, "winners": list(self.winners)})
        out = {"frame": self.frame, "said": self.said, "move": self.move, "reasons": list(self.reasons),
               "to_move": self.to_move, "ms": round(self.ms, 2), **self.also}
        return json.dumps(out)
