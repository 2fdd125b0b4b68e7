"""The simulated camera: pictures, times and the evening it shows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from table.errors import NotReady
from table.setup_folder import read_setup
from table.sim.players import Act, Evening, Habits, gridlock_setup
from table.sim.room import any_room
from table.sim.setup_files import GRIDLOCK_COLOURS, sides_with
from table.sim.shots import Disturbances, Pace, Shot, shots_of
from table.sim.source import SimPlan, SimSource
from vision.frame import Frame, Image, SourceFailed

SIZE_PX = (320, 240)
BRISK = Pace(100.0, 100.0, 100.0, 200.0, 0.0, 400.0)


class Clock:
    """A clock that goes only while somebody waits, and a little at every look."""

    def __init__(self) -> None:
        self.now_ns = 5_000_000_000

    def __call__(self) -> int:
        return self.now_ns

    def wait(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


def plan(**changed: object) -> SimPlan:
    given: dict[str, object] = {"seed": 4, "size_px": SIZE_PX, "pace": BRISK, "fps": 10.0}
    return SimPlan(**{**given, **changed})  # type: ignore[arg-type]  # the tests' own keywords


def first_frames(source: SimSource, count: int) -> list[Frame]:
    frames: Iterator[Frame] = source.frames()
    return [next(frames) for _ in range(count)]


def test_counted_pictures_come_in_order_at_the_rate_asked_for_and_never_repeat() -> None:
    source = SimSource(plan(), live=False)
    source.open()
    frames = first_frames(source, 12)
    source.close()
    assert [frame.seq for frame in frames] == list(range(12))
    assert [frame.taken_ns for frame in frames] == [i * 100_000_000 for i in range(12)]
    assert all(frame.image.shape == (240, 320, 3) for frame in frames)
    assert not any(np.array_equal(a.image, b.image) for a, b in itertools.pairwise(frames))
    assert [deed.act for deed in source.deeds] == [Act.PLAYED, Act.WRONG]


def test_two_sources_of_one_seed_show_the_same_pictures() -> None:
    pictures = []
    for _ in range(2):
        source = SimSource(plan(), live=False)
        source.open()
        pictures.append(np.stack([frame.image for frame in first_frames(source, 5)]))
        source.close()
    assert np.array_equal(pictures[0], pictures[1])


def test_a_live_source_keeps_its_pace_and_goes_on_where_it_was_closed() -> None:
    clock = Clock()
    source = SimSource(plan(), live=True, clock_ns=clock, wait=clock.wait)
    source.open()
    frames = source.frames()
    seen = [next(frames) for _ in range(20)]
    gaps = np.diff([frame.taken_ns for frame in seen])
    assert gaps.tolist() == [100_000_000] * 19
    source.close()
    assert list(frames) == []
    source.close()
    with pytest.raises(SourceFailed, match="call open"):
        next(source.frames())
    source.open()
    again = next(source.frames())
    source.close()
    assert again.seq == 20


class BlankEasel:
    """Paints nothing, at once."""

    def paint(self, shot: Shot) -> Image:
        return np.full((SIZE_PX[1], SIZE_PX[0], 3), 90, np.uint8)


def test_a_live_table_lies_there_when_the_game_is_over_until_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    source = SimSource(plan(), live=True, clock_ns=clock, wait=clock.wait)
    monkeypatch.setattr(source, "_easel", BlankEasel())
    source.open()
    frames = source.frames()
    assert any(source.is_over for _ in itertools.islice(frames, 100_000))
    last = source.layout
    assert last == source.deeds[-1].after
    assert sum(deed.act is Act.WRONG for deed in source.deeds) == 3
    assert [next(frames).camera for _ in range(3)] == ["sim"] * 3
    assert source.layout == last
    source.close()
    assert list(frames) == []


def test_a_counted_evening_ends_with_its_game(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SimSource(plan(players=3), live=False)
    monkeypatch.setattr(source, "_easel", BlankEasel())
    source.open()
    last = list(source.frames())[-1]
    assert source.is_over
    assert sum(source.scores().values()) > 0
    placed = [deed for deed in source.deeds if deed.act is Act.PLAYED and deed.move.verb == "place"]
    assert len(placed) == 9
    assert last.taken_ns == last.seq * 100_000_000


def test_a_fault_of_the_painter_is_told_to_whoever_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(shot: Shot) -> Image:
        raise ValueError("no paint")

    source = SimSource(plan())
    monkeypatch.setattr(source._easel, "paint", fault)
    source.open()
    with pytest.raises(SourceFailed, match="found a fault \\(no paint\\)"):
        next(source.frames())
    source.close()


def test_a_closed_source_says_so() -> None:
    with pytest.raises(SourceFailed, match="wanted an open source, found a closed one"):
        next(SimSource(plan()).frames())


def test_too_many_players_are_refused() -> None:
    with pytest.raises(NotReady, match="wanted 3 or 4 simulated players, found 2"):
        SimSource(plan(players=2))


def test_the_set_up_of_a_source_reads_as_that_of_a_real_table(tmp_path: Path) -> None:
    source = SimSource(plan(players=3), live=False)
    setup = read_setup(source.write_setup(tmp_path / "table"))
    assert (setup.game, setup.kind, setup.per_size) == ("gridlock", "game", 1)
    assert setup.seats == source.sides
    assert setup.first_seat == source.setup.first
    assert setup.palette is not None
    assert {piece.colour for _, piece in setup.palette.pieces} == set(setup.colours)
    corners = source.room.corners_px()
    for name, at in setup.taps:
        assert np.hypot(at[0] - corners[name][0], at[1] - corners[name][1]) < 30
    lens = setup.lens[0].model()
    assert lens.matrix[0, 0] == pytest.approx(source.room.cameras[0].focal_px, rel=0.003)


def all_shots(pace: Pace, disturbances: Disturbances | None = None) -> list[Shot]:
    rng = np.random.default_rng(7)
    sides = sides_with(GRIDLOCK_COLOURS)
    room = any_room(GRIDLOCK_COLOURS, SIZE_PX, rng)
    evening = Evening(gridlock_setup(sides, 1, sides[0][0], sides[2][0]), rng, Habits(3, early=True))
    return list(shots_of(room, evening, rng, pace, disturbances))


def test_an_evening_keeps_the_times_that_a_demonstration_needs() -> None:
    shots = all_shots(Pace())
    ends = np.cumsum([shot.hold_ms for shot in shots])
    begins = ends - [shot.hold_ms for shot in shots]
    first = next(i for i, shot in enumerate(shots) if shot.deed is not None)
    wrong = next(i for i, shot in enumerate(shots) if shot.deed is not None and shot.deed.act is Act.WRONG)
    assert begins[first] < 2500
    assert begins[wrong] < 6000
    assert begins[-1] < 130_000
    assert sum(shot.deed is not None and shot.deed.act is Act.WRONG for shot in shots) == 3


def test_each_deed_is_a_hand_that_comes_a_hand_that_is_there_and_a_table_at_rest() -> None:
    shots = all_shots(BRISK)[1:]
    for coming, there, rest in zip(shots[::3], shots[1::3], shots[2::3], strict=True):
        assert coming.arm is not None
        assert there.arm is not None
        assert rest.arm is None
        assert rest.deed is not None
        assert coming.layout == rest.deed.before
        assert there.layout == rest.layout == rest.deed.after


def test_lamp_and_camera_are_disturbed_when_asked_and_stay_so() -> None:
    shots = all_shots(BRISK, Disturbances(switch_after=2, bump_after=4))
    lights, bumps = [shot.light for shot in shots], [shot.bumped for shot in shots]
    assert lights == sorted(lights)
    assert bumps == sorted(bumps)
    assert 0 < lights.index(1) < bumps.index(True) < len(shots)
    quiet = shots[lights.index(1)]
    assert quiet.arm is None
    assert quiet.deed is None
