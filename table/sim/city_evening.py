"""One player's evening at a Quadropolis mat, told as deeds: builds, what they bring, mistakes that are put right.

Only the rules' tile list and numbers are asked; nothing here knows pictures. Tiles and tokens lie as hands leave them:
what nobody touches stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rules.quadropolis.moves import capacity, fits_number
from rules.quadropolis.state import BESIDE, MOST_FLOORS, ROUNDS_IN_ALL, SLOTS
from rules.quadropolis.tiles import CODE_WRITTEN, TILE, tiles_of
from table.score_folder import face_words
from table.sim.city_paint import Spotted, TileLaid, TokenLaid
from vision.kits.quadropolis import CLASSIC_FACES, ENERGY, FLOOR_MM, INHABITANT, SIDE, Face, QuadropolisKit

SEAT = "south"
"""Whose city is followed, in the words of the files."""
_FACE_OF: Mapping[str, Face] = {face.word: face for face in CLASSIC_FACES}
_STACKS, _LATE, _SHIFTS, _REACHES, _LAID_ON = 0.9, 0.25, 0.25, 0.3, 0.5
_TOKENS_MM, _TRIES = 13.2, 80
_FARTHEST_MM = 44.0
"""So far from the mat's edge tokens are laid, at most."""
WRONGS: tuple[str, ...] = ("cover", "two", "move", "take", "many", "missing")


@dataclass(frozen=True, slots=True)
class Lying:
    """A token, and the slot on which it lies, or `BESIDE`."""

    place: int
    token: TokenLaid


@dataclass(frozen=True, slots=True)
class MatLaid:
    """What lies on and beside the mat: by slot the tiles from the ground up, and the tokens."""

    stacks: tuple[tuple[TileLaid, ...], ...] = ((),) * SLOTS
    tokens: tuple[Lying, ...] = ()

    @property
    def tiles(self) -> tuple[TileLaid, ...]:
        return tuple(tile for stack in self.stacks for tile in stack)

    def codes(self, slot: int) -> bytes:
        """The tiles of a slot as the rules number them."""
        return bytes(CODE_WRITTEN[tile.face.word] for tile in self.stacks[slot] if tile.face is not None)

    def count(self, place: int) -> tuple[int, int]:
        """The inhabitants and the energy that lie at a place."""
        kinds = [one.token.kind for one in self.tokens if one.place == place]
        return kinds.count(INHABITANT.kind), kinds.count(ENERGY.kind)

    @property
    def position(self) -> dict[str, Any]:
        """The same in the words of the files."""
        city: list[list[dict[str, Any] | None]] = [[None] * SIDE for _ in range(SIDE)]
        for slot, stack in enumerate(self.stacks):
            if stack:
                people, energy = self.count(slot)
                floors = [face_words(tile.face) for tile in stack if tile.face is not None]
                city[slot // SIDE][slot % SIDE] = {"floors": floors, "inhabitants": people, "energy": energy}
        people, energy = self.count(BESIDE)
        return {"city": city, "beside": {"inhabitants": people, "energy": energy}}

    def with_stack(self, slot: int, stack: tuple[TileLaid, ...]) -> MatLaid:
        """With other tiles on a slot; what lay on them lies on the top one now."""
        lift = (len(stack) - len(self.stacks[slot])) * FLOOR_MM
        tokens = tuple(replace(one, token=replace(one.token, z_mm=one.token.z_mm + lift)) if one.place == slot else one
                       for one in self.tokens)
        return MatLaid((*self.stacks[:slot], stack, *self.stacks[slot + 1 :]), tokens)


@dataclass(frozen=True, slots=True)
class Deed:
    """What the table looks like once something was done. `move` and `verdict` as in the files, "" where nothing was;
    `reach`: the slot over which a hand is now, None without one."""

    laid: MatLaid
    verdict: str = ""
    move: Mapping[str, Any] | None = None
    reach: int | None = None


def slot_word(slot: int) -> str:
    """A slot as "row,column".

    >>> slot_word(6)
    '2,3'
    """
    return f"{slot // SIDE + 1},{slot % SIDE + 1}"


class Player:
    """Plays one city. Everything is drawn from `rng`; `margin_mm`: the mat's edge beyond the slots."""

    def __init__(self, kit: QuadropolisKit, margin_mm: float, rng: np.random.Generator) -> None:
        self._kit, self._margin_mm, self._rng = kit, margin_mm, rng
        self.laid = MatLaid()

    def evening(self, builds: int, wrongs: int) -> Iterator[Deed]:
        """So many builds, fewer where the four rounds end before, with so many mistakes between them."""
        rng, done = self._rng, 0
        order = [str(one) for one in rng.permutation(WRONGS)] * 3
        after = sorted(int(n) for n in rng.choice(np.arange(1, max(builds, wrongs + 1)), wrongs, replace=False))
        for round_ in range(1, ROUNDS_IN_ALL + 1):
            tiles = [int(code) for code in rng.permutation(tiles_of(round_))]
            for number in rng.permutation([1, 2, 3, 4]):
                code = tiles.pop()
                slot = self._slot_for(code, int(number))
                if slot is None or done >= builds:
                    continue
                yield from self._build(slot, _FACE_OF[TILE[code].face])
                done += 1
                if done in after:
                    yield from self._wrong(order)

    def _slot_for(self, code: int, number: int) -> int | None:
        """Where an architect of this number builds; towers grow rather than spread."""
        tower = TILE[code].face[0] == "T"
        free, towers = [], []
        for slot, stack in enumerate(self.laid.stacks):
            codes = self.laid.codes(slot)
            if not fits_number(slot, codes, number, "row_column_or_floor"):
                continue
            if not stack:
                free.append(slot)
            elif tower and TILE[codes[0]].face[0] == "T" and len(stack) < MOST_FLOORS:
                towers.append(slot)
        chosen = towers if towers and (not free or self._rng.random() < _STACKS) else free
        return int(self._rng.choice(chosen)) if chosen else None

    def _build(self, slot: int, face: Face) -> Iterator[Deed]:
        rng, before = self._rng, self.laid
        after = before.with_stack(slot, (*before.stacks[slot], self._tile(before, slot, face)))
        if rng.random() < _REACHES:
            yield Deed(after if rng.random() < 0.5 else before, reach=slot)
        move = {"kind": "build", "seat": SEAT, "slot": slot_word(slot), "face": face_words(face),
                "floor": len(after.stacks[slot])}
        self.laid = after
        late = (face.inhabitants or face.energy) and rng.random() < _LATE
        if not late:
            self._bring(face.inhabitants, face.energy)
        yield Deed(self.laid, "legal", move)
        if late:
            self._bring(face.inhabitants, face.energy)
            yield Deed(self.laid)
        elif rng.random() < _SHIFTS and self._shift():
            yield Deed(self.laid)

    # ---- what is wrong and put right -----------------------------------------------------------------------

    def _wrong(self, order: list[str]) -> Iterator[Deed]:
        """The next mistake that can be made now; it lies there for two pictures, then it is put right."""
        right = self.laid
        for n, kind in enumerate(order):
            made = self._made(kind, right)
            if made is not None:
                del order[n]
                laid, reason, slot = made
                told: dict[str, Any] = {"kind": "wrong", "seat": SEAT, "reason": reason}
                yield Deed(laid, "illegal", told if slot is None else {**told, "slot": slot_word(slot)})
                yield Deed(laid)
                yield Deed(right, "restored", {"kind": "restore"})
                return

    def _made(self, kind: str, right: MatLaid) -> tuple[MatLaid, str, int | None] | None:
        """How the table looks then, the rules' reason and where; None where that mistake cannot be made."""
        rng = self._rng
        bare = [s for s in range(SLOTS) if right.stacks[s] and right.count(s) == (0, 0)]
        free = [s for s in range(SLOTS) if not right.stacks[s]]
        match kind:
            case "cover" if bare:
                slot = int(rng.choice(bare))
                under = right.stacks[slot][-1].kind
                kinds = [face for face in CLASSIC_FACES if face.type not in (under, "tower")]
                face = kinds[int(rng.integers(len(kinds)))]
                reason = "only-towers-stack" if under == "tower" else "slot-taken"
                if under == "tower" and len(right.stacks[slot]) == MOST_FLOORS:
                    top = right.stacks[slot][-1].face
                    face = next(one for one in CLASSIC_FACES if one.type == "tower" and one != top)
                    reason = "too-high"
                return right.with_stack(slot, (*right.stacks[slot], self._tile(right, slot, face))), reason, slot
            case "two" if len(free) > 2:
                first, second = sorted(int(s) for s in rng.choice(free, 2, replace=False))
                laid = right
                for slot in (first, second):
                    face = CLASSIC_FACES[int(rng.integers(len(CLASSIC_FACES)))]
                    laid = laid.with_stack(slot, (self._tile(laid, slot, face),))
                return laid, "two-at-once", first
            case "move" if free and (single := [s for s in bare if len(right.stacks[s]) == 1]):
                slot, to = int(rng.choice(single)), int(rng.choice(free))
                tile = right.stacks[slot][0]
                moved = right.with_stack(slot, ()).with_stack(to, (self._set_down(tile, to),))
                return moved, "moved-building", slot
            case "take" if single := [s for s in bare if len(right.stacks[s]) == 1]:
                slot = int(rng.choice(single))
                return right.with_stack(slot, ()), "moved-building", slot
            case "many":
                self._bring(*((1, 0) if rng.random() < 0.5 else (0, 1)), beside=True)
                laid, self.laid = self.laid, right
                return None if laid == right else (laid, "resources-too-many", None)
            case "missing" if any(one.place == BESIDE for one in right.tokens):
                gone = next(one for one in right.tokens if one.place == BESIDE)
                left = tuple(one for one in right.tokens if one is not gone)
                return MatLaid(right.stacks, left), "resources-missing", None
            case _:
                return None

    # ---- hands ----------------------------------------------------------------------------------------------

    def _tile(self, laid: MatLaid, slot: int, face: Face) -> TileLaid:
        """A tile as a hand sets it down on a slot, or on what lies there."""
        stack, rng = laid.stacks[slot], self._rng
        if stack:
            under = stack[-1].at
            dx, dy = np.clip(rng.normal(0, 0.7, 2), -2, 2)
            at = Spotted(under.x_mm + float(dx), under.y_mm + float(dy), under.turn_deg + float(rng.normal(0, 1.2)))
            return TileLaid(at, len(stack) * FLOOR_MM, face.type, face, int(rng.integers(1 << 30)))
        return self._set_down(TileLaid(Spotted(0, 0), 0.0, face.type, face, int(rng.integers(1 << 30))), slot)

    def _set_down(self, tile: TileLaid, slot: int) -> TileLaid:
        x, y, _ = self._kit.places[slot].centre_mm
        dx, dy = np.clip(self._rng.normal(0, 1.3, 2), -3.5, 3.5)
        turn = float(np.clip(self._rng.normal(0, 2.3), -7, 7))
        return replace(tile, at=Spotted(x + float(dx), y + float(dy), turn))

    def _bring(self, people: int, energy: int, beside: bool = False) -> None:
        """Tokens come, onto buildings that have room for them or beside the mat."""
        for kind in [INHABITANT.kind] * people + [ENERGY.kind] * energy:
            on = None if beside or self._rng.random() > _LAID_ON else self._on_some(kind)
            lying = on or self._beside(kind)
            if lying is not None:
                self.laid = MatLaid(self.laid.stacks, (*self.laid.tokens, lying))

    def _shift(self) -> bool:
        """A token from beside the mat goes onto a building."""
        for one in self.laid.tokens:
            if one.place == BESIDE and (on := self._on_some(one.token.kind)) is not None:
                left = tuple(other for other in self.laid.tokens if other is not one)
                self.laid = MatLaid(self.laid.stacks, (*left, on))
                return True
        return False

    def _on_some(self, kind: str) -> Lying | None:
        """A token of a kind on a building that has room for it."""
        which = int(kind == ENERGY.kind)
        for slot in self._rng.permutation(SLOTS):
            slot = int(slot)
            if capacity(self.laid.codes(slot))[which] > self.laid.count(slot)[which]:
                spot = self._spot_on(slot)
                if spot is not None:
                    z_mm = len(self.laid.stacks[slot]) * FLOOR_MM
                    return Lying(slot, TokenLaid(kind, spot, z_mm))
        return None

    def _spot_on(self, slot: int) -> Spotted | None:
        """On the printed cost of the top tile, or elsewhere on it where that is taken."""
        rng, half, at = self._rng, self._kit.tile_mm / 2, self.laid.stacks[slot][-1].at
        taken = [one.token.at for one in self.laid.tokens if one.place == slot]
        for n in range(_TRIES):
            x, y = (half - 7.2 + float(rng.normal(0, 1.3)), 7.2 - half + float(rng.normal(0, 1.3))) if n == 0 else (
                float(v) for v in rng.uniform(-half + 6, half - 6, 2))
            px, py = (float(v) for v in at.on_table(np.array([[x, y]]))[0])
            if y < half - 13 and all(np.hypot(px - o.x_mm, py - o.y_mm) > _TOKENS_MM for o in taken):
                return Spotted(px, py, float(rng.uniform(0, 360)))
        return None

    def _beside(self, kind: str) -> Lying | None:
        """A token in the row below the mat; None where there is no more room."""
        rng, span = self._rng, SIDE * self._kit.pitch_mm
        taken = [one.token.at for one in self.laid.tokens if one.place == BESIDE]
        for _ in range(_TRIES):
            x = float(rng.uniform(20, span - 20))
            y = -self._margin_mm - float(rng.uniform(12, _FARTHEST_MM))
            if all(np.hypot(x - o.x_mm, y - o.y_mm) > _TOKENS_MM for o in taken):
                return Lying(BESIDE, TokenLaid(kind, Spotted(x, y, float(rng.uniform(0, 360))), -2.0))
        return None
