"""`make evenings`: whole simulated evenings as video, ten pictures a second, watched as a real table is.

Each seed is a room, a game with mistakes and hands that move; the session that a real table has reads every picture.
What it wrote is compared with what was done: actions found and invented, mistakes told, questions, and the time from
"hand gone" to the page's view.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

import cv2
import numpy as np

from device.panel import QuietPanel
from device.watched import Ended, Look, Picture
from rules.catalogue import game_named
from rules.game import AnyGame
from table.cli_said import printed
from table.evening import Evening
from table.events import Asked, CameraLost, Event, Noticed, PlayAccepted, PlayCorrected, PlayRefused, PlayUndone
from table.journal import Journal
from table.reading import reader_of, taught_by
from table.record import WITHOUT_LOSS, Recorder
from table.session import Session
from table.setup_folder import read_setup
from table.sim.moving import Ways
from table.sim.players import Act, Deed
from table.sim.shots import Disturbances
from table.sim.source import SimPlan, SimSource
from vision.frame import Frame
from vision.kits.gridlock import GridlockKit

FPS = 10.0
SIZE_PX = (640, 480)
NEVER_FULL_MB = 1e6
QUICK = Ways(coming=3, there=1, going=2)
"""Few pictures of moving arms: they are dear to paint."""


@dataclass(frozen=True, slots=True)
class Written:
    """An event, the time of the picture at which it was written, and how long that picture took to read."""

    event: Event
    taken_ns: int
    took_ms: float


@dataclass(slots=True)
class Figures:
    """What came of evenings. `wrong_*` are mistakes of players; `amended`: told first, then mended by the table."""

    evenings: int = 0
    done: int = 0
    found: int = 0
    invented: int = 0
    amended: int = 0
    wrong_done: int = 0
    wrong_found: int = 0
    wrong_invented: int = 0
    questions: int = 0
    most_questions: int = 0
    camera_lost: int = 0
    late_ms: list[float] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def add(self, other: Figures) -> None:
        """The sums of both."""
        for name in ("evenings", "done", "found", "invented", "amended", "wrong_done", "wrong_found",
                     "wrong_invented", "questions", "camera_lost"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.most_questions = max(self.most_questions, other.most_questions)
        self.late_ms += other.late_ms
        self.remarks += other.remarks

    @property
    def is_clean(self) -> bool:
        """Everything found, nothing invented, at most one question a game."""
        return (self.found == self.done and self.wrong_found == self.wrong_done and self.most_questions <= 1
                and self.invented == self.wrong_invented == 0)

    def told(self) -> dict[str, object]:
        """As JSON."""
        return {
            "evenings": self.evenings, "actions": self.done, "found": self.found, "invented": self.invented,
            "amended": self.amended, "mistakes": self.wrong_done, "mistakes_found": self.wrong_found,
            "false_alarms": self.wrong_invented, "questions": self.questions,
            "most_questions_a_game": self.most_questions,
            "hand_gone_to_page_ms": {
                f"p{share}": round(float(np.percentile(self.late_ms, share))) for share in (50, 95) if self.late_ms
            },
        }


class FilmCamera:
    """Hands the session one picture at a time."""

    def __init__(self) -> None:
        self._frame: Frame | None = None

    def give(self, frame: Frame) -> None:
        self._frame = frame

    def next(self, timeout_s: float) -> Look:
        frame, self._frame = self._frame, None
        return Ended() if frame is None else Picture(frame)

    def close(self) -> None:
        """Nothing to let go of."""


def plan_of(seed: int, size_px: tuple[int, int] = SIZE_PX, most_deeds: int | None = None) -> SimPlan:
    """The evening of a seed: three or four players, in every other one the lamp is switched in the moment of a
    move, in every third one the camera is knocked; of a short one, within its deeds, and with quick hands."""
    switch_after, bump_after, ways = 4 + seed % 5, 6 + seed % 7, Ways()
    if most_deeds is not None:
        switch_after, bump_after, ways = seed // 2 % most_deeds, seed // 3 % most_deeds, QUICK
    disturbances = Disturbances(switch_after if seed % 2 else None, bump_after if seed % 3 == 0 else None)
    return SimPlan(seed, players=4 - seed % 2, size_px=size_px, fps=FPS, disturbances=disturbances, ways=ways)


def watched(
    plan: SimPlan, folder: Path, most_deeds: int | None = None, keep: str = "off"
) -> tuple[list[Written], list[tuple[Deed, int]]]:
    """The journal of one evening with its times, and what was done with the time at which the hand was gone.

    `folder` then holds `journal.sqlite` and, as `keep` says (see `table.record`), `recordings/evening`.
    """
    source = SimSource(plan, live=False)
    setup = read_setup(source.write_setup(folder / "setup"))
    taught = taught_by(setup)
    if not isinstance(taught.kit, GridlockKit):
        raise TypeError(f"wanted a table of Gridlock, found one of {taught.kit.name}: simulate another")
    journal, camera = Journal(folder / "journal.sqlite"), FilmCamera()
    evening = Evening(journal, game_named, taught.kit.visible)
    recorder = Recorder(folder / "recordings", "evening", setup, keep, NEVER_FULL_MB, jpeg_quality=WITHOUT_LOSS)
    session = Session(evening, camera, reader_of(taught), QuietPanel(), recorder)
    evening.listen(session.heard)
    evening.open("gridlock", source.setup)
    written: list[Written] = []
    deeds: list[tuple[Deed, int]] = []
    source.open()
    for frame in source.frames():
        deeds += [(deed, frame.taken_ns) for deed in source.deeds[len(deeds):]]
        if most_deeds is not None and len(deeds) >= most_deeds and _has_rested(deeds[-1], frame.taken_ns):
            break
        camera.give(frame)
        seq, began_ns = journal.last_seq, time.perf_counter_ns()
        session.step()
        took_ms = (time.perf_counter_ns() - began_ns) / 1e6
        written += [Written(entry.event, frame.taken_ns, took_ms) for entry in journal.after(seq)]
    source.close()
    recorder.close(journal.path)
    journal.close()
    return written, deeds


def _has_rested(last: tuple[Deed, int], now_ns: int) -> bool:
    """Whether the table has lain for as long after this deed as it does before the next."""
    deed, gone_ns = last
    return now_ns - gone_ns >= 1e6 * (Ways().puzzled_ms if deed.act is Act.WRONG else Ways().rest_ms) - 1e9 / FPS


def compared(game: AnyGame, written: Sequence[Written], deeds: Sequence[tuple[Deed, int]], name: str = "") -> Figures:
    """What was written against what was done."""
    figures = Figures(evenings=1)
    done = [(game.write(deed.move), gone_ns) for deed, gone_ns in deeds if deed.act is Act.PLAYED]
    told = _last_told(written)
    figures.done = len(done)
    same = SequenceMatcher(None, [text for text, _ in done], [text for text, _ in told], autojunk=False)
    pairs = [(a + i, b + i) for a, b, n in same.get_matching_blocks() for i in range(n)]
    figures.found, figures.invented = len(pairs), len(told) - len(pairs)
    # Under a hand that does something else already an action may be told before that hand is gone.
    figures.late_ms = [max(0.0, (told[b][1].taken_ns - done[a][1]) / 1e6) + told[b][1].took_ms for a, b in pairs]
    for a in sorted(set(range(len(done))) - {a for a, _ in pairs}):
        figures.remarks.append(f"{name}: missed {done[a][0]} at {done[a][1] / 1e9:.1f} s")
    for b in sorted(set(range(len(told))) - {b for _, b in pairs}):
        figures.remarks.append(f"{name}: invented {told[b][0]} at {told[b][1].taken_ns / 1e9:.1f} s")
    figures.amended = sum(isinstance(w.event, PlayCorrected | PlayUndone) for w in written)
    figures.questions = figures.most_questions = sum(isinstance(w.event, Asked) for w in written)
    figures.camera_lost = sum(isinstance(w.event, CameraLost) for w in written)
    figures.remarks += [f"{name}: asked at {w.taken_ns / 1e9:.1f} s: {[o.moves for o in w.event.options]}"
                        for w in written if isinstance(w.event, Asked)]
    _mistakes(figures, written, deeds, name)
    return figures


def _last_told(written: Iterable[Written]) -> list[tuple[str, Written]]:
    """The actions that stand at the end, each with where it was told, or told anew. Keeping is seen by nobody."""
    told: list[tuple[str, Written]] = []
    for one in written:
        match one.event:
            case PlayAccepted(move=text):
                told.append((text, one))
            case PlayUndone(count=count):
                del told[-count:]
            case PlayCorrected(index=index, move=text, dropped=dropped):
                told[index] = (text, one)
                for lost in dropped:
                    told.remove(next(pair for pair in told if pair[0] == lost))
            case _:
                pass
    return [(text, one) for text, one in told if "keep" not in text]


def _mistakes(figures: Figures, written: Sequence[Written], deeds: Sequence[tuple[Deed, int]], name: str) -> None:
    """Players' mistakes against the alarms that were given, each within the time it lay there."""
    alarms = [w for w in written if isinstance(w.event, PlayRefused | Noticed)]
    ends = [ns for _, ns in deeds[1:]] + [2**62]
    for (deed, gone_ns), end_ns in zip(deeds, ends, strict=True):
        if deed.act is not Act.WRONG:
            continue
        figures.wrong_done += 1
        mine = [w for w in alarms if gone_ns - 3_000_000_000 <= w.taken_ns < end_ns
                and isinstance(w.event, PlayRefused) and w.event.reasons[0].code == deed.reason]
        figures.wrong_found += bool(mine)
        alarms = [w for w in alarms if w not in mine[:1]]
        if not mine:
            figures.remarks.append(f"{name}: mistake not told, {deed.reason} at {gone_ns / 1e9:.1f} s")
    figures.wrong_invented = len(alarms)
    for w in alarms:
        said = f"{w.event.move} {w.event.reasons}" if isinstance(w.event, PlayRefused) else str(w.event)
        figures.remarks.append(f"{name}: false alarm at {w.taken_ns / 1e9:.1f} s: {said[:160]}")


def evening_of(seed: int, size_px: tuple[int, int] = SIZE_PX, most_deeds: int | None = None) -> Figures:
    """Plays and watches the evening of a seed."""
    with tempfile.TemporaryDirectory() as name:
        written, deeds = watched(plan_of(seed, size_px, most_deeds), Path(name), most_deeds)
    return compared(game_named("gridlock"), written, deeds, f"seed {seed}")


def main(words: Sequence[str]) -> int:
    """Plays the seeds, tells each and the sum; 1 if anything was missed or invented."""
    parser = argparse.ArgumentParser(prog="python -m table.evenings", description=__doc__)
    parser.add_argument("--seeds", default="1-10", help="FIRST-LAST")
    parser.add_argument("--size", default="640x480", help="WIDTHxHEIGHT of a picture, in px")
    parser.add_argument("--deeds", type=int, default=None, help="stop each evening after so many deeds")
    parser.add_argument("--json", action="store_true", help="the sum as JSON")
    given = parser.parse_args(words)
    first, _, last = given.seeds.partition("-")
    width, _, height = given.size.partition("x")
    cv2.setNumThreads(1)
    total = Figures()
    for seed in range(int(first), int(last or first) + 1):
        one = evening_of(seed, (int(width), int(height)), given.deeds)
        total.add(one)
        if not given.json:
            printed(f"seed {seed}: {one.found}/{one.done} found, {one.invented} invented, {one.amended} amended, "
                    f"mistakes {one.wrong_found}/{one.wrong_done}, {one.wrong_invented} false alarms, "
                    f"{one.questions} asked")
            for remark in one.remarks:
                printed(f"  {remark}")
    printed(json.dumps(total.told(), indent=None if given.json else 2))
    return 0 if total.is_clean else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
