"""Simulated folders are as scenes/FORMAT.md has them, key by key."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rules.words import Cell
from table.errors import BadFolder
from table.evaluate import evaluate_folder
from table.evaluate_cells import Share
from table.evaluate_truth import TRUTH, read_truth
from table.replay import replay_folder
from table.setup_folder import read_setup
from table.sim.folder import FolderPlan, random_layout, simulate_folder
from table.sim.setup_files import GRIDLOCK_COLOURS, sides_with
from tests.table.scripted import layout_of_truth, observed, truth_frames
from vision.frame import Frame, read_picture
from vision.observation import Observation

SIZE_PX = (480, 360)
DEV = Path(__file__).parents[3] / "shared" / "scenes" / "dev"
FRAME_KEYS = ["frame", "tag", "light", "hand", "camera", "corners", "pieces", "van"]


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("game")
    return simulate_folder(out, FolderPlan("game", 5, players=3, size_px=(320, 240), lens=True))


@pytest.fixture(scope="module")
def stills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    plan = FolderPlan("stills", 6, pictures=3, size_px=SIZE_PX, lens=False)
    return simulate_folder(tmp_path_factory.mktemp("stills"), plan)


def scene(folder: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((folder / TRUTH).read_text())
    return told


def test_a_game_has_every_sort_of_picture_and_tells_each_as_the_format_has_it(game: Path) -> None:
    told = scene(game)
    assert list(told) == ["format", "game", "kind", "board", "seats", "per_size", "frames"]
    wanted = {"empty": [], "palette": [], "turn": ["move", "verdict", "to_move"], "hand": ["to_move"],
              "light": ["to_move"], "bump": ["to_move"]}
    assert {frame["tag"] for frame in told["frames"]} == set(wanted)
    for frame in told["frames"][:-1]:
        assert list(frame) == FRAME_KEYS + wanted[frame["tag"]]
        assert frame["hand"] is (frame["tag"] == "hand")
    assert list(told["frames"][-1]) == [*FRAME_KEYS, "move", "verdict", "to_move", "scores"]
    verdicts = [frame["verdict"] for frame in told["frames"] if "verdict" in frame]
    assert verdicts.count("illegal") == verdicts.count("restored") == 3
    for one, two in itertools.pairwise(verdicts):
        assert (one == "illegal") is (two == "restored")
    assert verdicts.count("legal") >= 18


def test_the_moves_of_a_game_are_told_in_the_words_of_the_format(game: Path) -> None:
    keys = {"place": ["kind", "seat", "square", "size"], "drop": ["kind", "seat", "square", "turned"],
            "pass": ["kind", "seat"], "restore": ["kind"]}
    reasons = {"out-of-turn": ["reason", "square", "colour"], "not-own-piece": ["reason", "square"],
               "wrong-direction": ["reason", "square"]}
    for frame in scene(game)["frames"]:
        if "move" in frame and "reason" in frame["move"]:
            assert list(frame["move"]) == reasons[frame["move"]["reason"]]
        elif "move" in frame:
            assert list(frame["move"]) == keys[frame["move"]["kind"]]


def test_a_bump_moves_the_corners_and_they_stay_there(game: Path) -> None:
    frames = scene(game)["frames"]
    at = [frame["tag"] for frame in frames].index("bump")
    corners = [frame["corners"] for frame in frames]
    assert all(each == corners[0] for each in corners[:at])
    assert corners[at] != corners[0]
    assert all(each == corners[at] for each in corners[at:])


def test_the_switched_lamp_is_another_light_for_one_picture(game: Path) -> None:
    pictures = {f["tag"]: read_picture(game / f["frame"]).astype(float) for f in scene(game)["frames"]}
    assert np.abs(pictures["light"].mean(axis=(0, 1)) - pictures["hand"].mean(axis=(0, 1))).max() > 1.0


def test_set_up_reads_back_with_what_people_at_the_table_know(game: Path, stills: Path) -> None:
    setup = read_setup(game)
    told = scene(game)
    assert setup.frames == tuple(frame["frame"] for frame in told["frames"][2:])
    assert abs((setup.square_mm or 0) - told["board"]["square_mm"]) < 1.0
    assert setup.first_seat is not None
    assert setup.van is not None
    assert len(setup.lens) == 1
    assert read_setup(stills).lens == ()
    assert {f["tag"] for f in scene(stills)["frames"]} == {"empty", "palette", "still"}


def test_projection_of_the_truths_camera_gives_the_truths_corners(game: Path) -> None:
    import cv2

    told = scene(game)
    edge = 8 * told["board"]["square_mm"]
    ring = np.array([[0, 0, 0], [edge, 0, 0], [edge, edge, 0], [0, edge, 0]], dtype=np.float64)
    for frame in (told["frames"][0], told["frames"][-1]):
        camera = frame["camera"]
        px, _ = cv2.projectPoints(ring, np.array(camera["rvec"]), np.array(camera["tvec"]),
                                  np.array(camera["matrix"]).reshape(3, 3), np.array(camera["distortion"]))
        assert np.abs(px.reshape(-1, 2) - np.array(list(frame["corners"].values()))).max() < 0.1


@pytest.mark.parametrize(("made", "given"), [("game", "gridlock-game-111"), ("stills", "gridlock-stills-101")])
def test_the_keys_are_those_of_the_folders_given(
    made: str, given: str, request: pytest.FixtureRequest
) -> None:
    if not DEV.is_dir():
        pytest.skip("the shared folders are not here")
    folder: Path = request.getfixturevalue(made)
    for name in ("setup.json", TRUTH):
        ours, theirs = (json.loads((one / name).read_text()) for one in (folder, DEV / given))
        assert list(ours) == list(theirs)
        if name == TRUTH:
            assert list(ours["board"]) == list(theirs["board"])
            assert list(ours["frames"][2]) == list(theirs["frames"][2])
            assert list(ours["frames"][0]["camera"]) == list(theirs["frames"][0]["camera"])


def test_the_same_plan_writes_the_same_bytes_and_tells_its_progress(tmp_path: Path) -> None:
    plan = FolderPlan("game", 8, plays=2, slips=0, size_px=(320, 240))
    told: list[tuple[int, int]] = []
    folders = [
        simulate_folder(tmp_path / name, plan, lambda done, of: told.append((done, of))) for name in ("one", "two")
    ]
    names = sorted(path.name for path in folders[0].iterdir())
    assert names == sorted(path.name for path in folders[1].iterdir())
    assert all((folders[0] / name).read_bytes() == (folders[1] / name).read_bytes() for name in names)
    assert told[0] == (1, len(told) // 2)
    assert told[-1] == (len(told) // 2, len(told) // 2)
    pictures = read_truth(folders[0]).pictures
    assert sum(picture.verdict == "legal" for picture in pictures) == 2
    assert pictures[-1].scores is None


class PerfectEyes:
    """Sees what is true of each picture."""

    def __init__(self, folder: Path) -> None:
        self._pictures = truth_frames(folder)

    def observe(self, frame: Frame) -> Observation:
        told = self._pictures[frame.seq]
        hidden = [Cell(col, row) for col in (3, 4) for row in range(4)] if told["hand"] else []
        return observed(layout_of_truth(told), frame.seq, frame.taken_ns, hidden=hidden, hand=told["hand"])


@pytest.mark.parametrize(("seed", "players"), [(5, 4), (8, 3)])
def test_who_sees_all_of_a_simulated_game_tells_its_truth(seed: int, players: int, tmp_path: Path) -> None:
    plan = FolderPlan("game", seed, players=players, slips=4, size_px=(120, 90))
    folder = simulate_folder(tmp_path / "game", plan)
    figures = evaluate_folder(folder, lambda _: [], lambda one: replay_folder(one, PerfectEyes(one))).replay
    assert figures is not None
    assert figures.slips == ()
    assert (figures.moves.of >= 18, figures.alarms, figures.scores) == (True, Share(4, 4), Share(1, 1))
    assert (figures.questions, figures.turns.right) == (0, figures.turns.of)


@pytest.mark.parametrize("count", [4, 58])
def test_a_random_position_has_so_many_pieces_and_a_van(count: int) -> None:
    layout = random_layout(sides_with(GRIDLOCK_COLOURS), count, np.random.default_rng(1))
    assert len(layout.pieces) == count + 1
    assert sum(piece.kind == "van" for piece in layout.pieces.values()) == 1


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (FolderPlan("city"), "wanted a kind"), (FolderPlan(players=2), "wanted 3 or 4 simulated players"),
        (FolderPlan(per_size=6), "wanted 1 to 5 pyramids"), (FolderPlan("stills", pictures=0), "at least one picture"),
    ],
    ids=["unknown kind", "two players", "too many pieces for the board", "no pictures"],
)
def test_a_plan_that_cannot_be_is_refused(plan: FolderPlan, says: str, tmp_path: Path) -> None:
    with pytest.raises(BadFolder, match=says):
        simulate_folder(tmp_path / "new", plan)


def test_a_folder_with_files_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(BadFolder, match="wanted an empty or a new folder"):
        simulate_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]
