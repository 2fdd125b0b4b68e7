"""A folder of a game replayed: the truth's verdicts, reasons, turns and scores, from made-up observations of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from table.errors import BadFolder
from table.opening import opened
from table.replay import Replay, replay_folder
from table.replay_line import ReplayLine
from table.setup_folder import read_setup
from tests.table.scripted import KIT, SCENES, Noise, hand_over, layout_of_truth, observed, truth_frames
from vision.observation import BoardState

GAME_111 = SCENES / "gridlock-game-111"
pytestmark = pytest.mark.skipif(not GAME_111.exists(), reason="the shared scenes are not here")


def replayed(noise: Noise | None, seed: int) -> list[tuple[dict[str, Any], list[ReplayLine]]]:
    """Each frame's truth and what was said at it; the last pair has the line "over"."""
    rng = np.random.default_rng(seed)
    replay = Replay(opened(read_setup(GAME_111)), KIT.visible)
    out = []
    for i, frame in enumerate(truth_frames(GAME_111)):
        board = BoardState.MOVED if frame["tag"] == "bump" else BoardState.STEADY
        seen = observed(layout_of_truth(frame), i, i * 10**9, hand_over(rng) if frame["hand"] else (), frame["hand"],
                        board, noise, rng)
        out.append((frame, replay.lines(frame["frame"], seen)))
    over = replay.over()
    return [*out, ({}, [over] if over is not None else [])]


def is_as_in_truth(frame: dict[str, Any], lines: list[ReplayLine]) -> bool:
    said, last, move = [line.said for line in lines], lines[-1], frame.get("move", {})
    told = last.move or {}
    match frame.get("verdict"):
        case "legal":
            good = said == ["accepted"] and all(told.get(key) == value for key, value in move.items())
        case "illegal":
            good = said == ["refused"] and last.reasons[0] == move["reason"] and told["square"] == move["square"]
        case "restored":
            good = said == ["restored"] and told == {"kind": "restore"}
        case _:
            good = said == (["moved_board"] if frame["tag"] == "bump" else ["unchanged"])
    return good and last.to_move == frame["to_move"]


def test_perfect_observations_give_exactly_the_truth() -> None:
    *frames, (_, over) = replayed(None, 0)
    wrong = [frame["frame"] for frame, lines in frames if not is_as_in_truth(frame, lines)]
    assert wrong == []
    assert over[0].scores == truth_frames(GAME_111)[-1]["scores"]
    assert over[0].winners == ("east",)


@pytest.mark.parametrize("seed", range(6))
def test_a_reader_that_is_now_and_then_unsure_gives_the_truth(seed: int) -> None:
    *frames, (_, over) = replayed(Noise(weak=0.005), seed)
    assert [frame["frame"] for frame, lines in frames if not is_as_in_truth(frame, lines)] == []
    assert over[0].scores == truth_frames(GAME_111)[-1]["scores"]


@pytest.mark.parametrize("seed", range(6))
def test_w1_a_reader_that_often_errs_delays_but_never_spoils_the_game(seed: int) -> None:
    *frames, (_, over) = replayed(Noise(weak=0.05, wrong=0.003, wrong_p=0.93, van_unseen=0.3), seed)
    said = [line.said for _, lines in frames for line in lines]
    legal = sum(frame.get("verdict") == "legal" for frame, _ in frames)
    assert said.count("accepted") == legal, "every action is found in the end, and none invented"
    assert said.count("unclear") <= 1
    assert over
    assert over[0].scores == truth_frames(GAME_111)[-1]["scores"]


@pytest.mark.parametrize(
    ("square", "piece"),
    [("a1", None), ("e4", "yellow"), ("b1", "red")],
    ids=["a piece never seen", "a piece always seen where none is", "a piece always read as another"],
)
def test_w1_a_square_misread_for_good_never_blocks_play(square: str, piece: str | None) -> None:
    from rules.words import Colour, Piece

    wrong = {KIT.cell_named(square): None if piece is None else Piece("small", Colour(piece), 1)}
    replay = Replay(opened(read_setup(GAME_111)), KIT.visible)
    said = []
    frames = truth_frames(GAME_111)
    for i, frame in enumerate(frames):
        instead = wrong if i > 8 and i < len(frames) - 20 else {}
        seen = observed(layout_of_truth(frame), i, i * 10**9, instead=instead)
        said += [line.said for line in replay.lines(frame["frame"], seen)]
    over = replay.over()
    assert over is not None
    assert over.scores == frames[-1]["scores"]
    assert said.count("unclear") + said.count("refused") <= 3 + 2


def test_a_board_that_is_not_found_is_said_and_nothing_else() -> None:
    replay = Replay(opened(read_setup(GAME_111)), KIT.visible)
    frame = truth_frames(GAME_111)[0]
    lines = replay.lines("x.jpg", observed(layout_of_truth(frame), board=BoardState.LOST))
    assert [line.said for line in lines] == ["no_board"]


def test_a_line_is_json_in_the_words_of_the_format() -> None:
    *frames, (_, over) = replayed(None, 0)
    line = json.loads(frames[0][1][0].to_json())
    assert line == {"frame": "0002.jpg", "said": "accepted", "reasons": [], "to_move": "west", "ms": 0.0,
                    "move": {"kind": "place", "seat": "south", "square": "a1", "size": "medium"}}
    assert json.loads(over[0].to_json()) == {
        "said": "over", "scores": {"south": 3, "west": 3, "north": 1, "east": 5}, "winners": ["east"]}


def test_a_folder_of_stills_is_no_game(tmp_path: Path) -> None:
    with pytest.raises(BadFolder, match="wanted a folder of kind game"):
        next(replay_folder(SCENES / "gridlock-stills-101"))
