"""A city that is followed in tests: looks as a camera would have them, made up slot by slot."""

from __future__ import annotations

from dataclasses import dataclass, field

from rules.quadropolis.state import SLOTS
from table.city_following import Counted, Followed, Ruling, look
from table.city_history import History
from table.city_looks import CityLook, SlotLook


@dataclass
class Evening:
    """One city and the looks at it, a second apart; `tiles` by slot: face and floors as they are read."""

    followed: Followed = field(default_factory=lambda: Followed(History()))
    tiles: dict[int, tuple[str, int]] = field(default_factory=dict)
    beside: tuple[int, int] = (0, 0)
    hidden: set[int] = field(default_factory=set)
    unsure: dict[int, tuple[tuple[str, int, float], ...]] = field(default_factory=dict)
    uncounted: bool = False
    hand: bool = False
    at_s: int = 0

    def lay(self, slot: int, face: str, floors: int = 1, people: int = 0, energy: int = 0) -> tuple[Ruling, ...]:
        self.tiles[slot] = (face, floors)
        self.beside = (self.beside[0] + people, self.beside[1] + energy)
        return self.look()

    def look(self) -> tuple[Ruling, ...]:
        """What the next look tells, but for the counted tokens."""
        self.at_s += 1
        slots = tuple(self._slot(slot) for slot in range(SLOTS))
        seen = CityLook(slots, self.beside, 0.5 if self.hand else 0.7 if self.uncounted else 0.98)
        self.followed, told = look(self.followed, seen, self.at_s * 10**9)
        return tuple(one for one in told if not isinstance(one, Counted))

    def _slot(self, slot: int) -> SlotLook:
        if slot in self.hidden:
            return SlotLook(hidden=True)
        if slot in self.unsure:
            return SlotLook(tops=self.unsure[slot])
        return SlotLook(tops=((*self.tiles[slot], 1.0),)) if slot in self.tiles else SlotLook()
