"""An evening at a painted mat, followed picture by picture; and the commands that make, replay and judge it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rules.quadropolis.growth import Spent, grown
from rules.quadropolis.state import City
from table.cli import cli
from table.evaluate import evaluate_folder
from table.reading import read_folder
from table.replay import replay_folder
from table.said import replay_words
from table.score import city_of
from table.sim.city_evening import Deed, Player
from table.sim.city_game import CityGamePlan, simulate_city_game
from vision.kits.quadropolis import QuadropolisKit


def evening(seed: int) -> list[Deed]:
    return list(Player(QuadropolisKit(), 12.0, np.random.default_rng(seed)).evening(16, 5))


@pytest.mark.parametrize("seed", range(6))
def test_the_rules_agree_with_what_players_do(seed: int) -> None:
    """Legal deeds are legal builds, wrong ones are refused for the reason that is told, and nothing else changes."""
    before, spent = City(), Spent()
    kinds: Counter[str] = Counter()
    for deed in evening(seed):
        if deed.reach is not None:
            continue
        city = city_of(deed.laid.position)
        growth = grown(before, city, spent)
        kinds[deed.verdict] += 1
        if deed.verdict == "legal":
            assert growth.build is not None
            before, spent = city, growth.spent
        elif deed.verdict == "illegal":
            assert deed.move is not None
            told = [reason.code for reason in (*growth.reasons, *growth.about_resources())]
            assert told[0] == deed.move["reason"]
        elif city.floors == before.floors:
            before = City(before.floors, *_resources(before, city))
    assert kinds["legal"] > 10
    assert kinds["illegal"] == kinds["restored"] == 5


def _resources(before: City, now: City) -> tuple[bytes, bytes]:
    """What lies there now, if it is more: some come late, some are missing for a while."""
    more = sum(now.people) >= sum(before.people) and sum(now.energy) >= sum(before.energy)
    return (now.people, now.energy) if more else (before.people, before.energy)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return simulate_city_game(tmp_path_factory.mktemp("evening") / "room", CityGamePlan(3, 4, 2, (1230, 924)))


def test_a_painted_evening_is_followed_as_it_was_played(folder: Path) -> None:
    report = evaluate_folder(folder, read_folder, replay_folder)
    story = report.replay
    assert story is not None
    assert story.slips == ()
    assert (story.moves.right, story.alarms.right, story.reasons.right, story.restored.right) == (4, 2, 2, 2)
    assert (story.invented, story.false_alarms) == (0, 0)
    assert story.questions <= 1
    assert report.city is not None
    assert report.city.pictures == len(json.loads((folder / "setup.json").read_text())["frames"])


def test_the_replay_speaks_the_words_of_the_files_and_never_opens_the_truth(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in folder.iterdir():
        if path.name != "scene.json":
            (copy / path.name).symlink_to(path)
    lines = list(replay_folder(copy))
    accepted = [json.loads(line.to_json()) for line in lines if line.said == "accepted"]
    assert all(set(line["move"]) == {"kind", "seat", "slot", "face", "floor", "architects"} for line in accepted)
    assert {line.said for line in lines} <= {"accepted", "refused", "restored", "partway", "unclear", "unchanged",
                                             "moved_board"}
    assert any("on " in replay_words(line) and "architect" in replay_words(line) for line in lines)


def test_the_command_paints_an_evening(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = CliRunner().invoke(cli, ["simulate", "--kind", "city-game", "--plays", "1", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "overboard replay" in done.output
    setup = json.loads((out / "setup.json").read_text())
    assert (setup["game"], setup["kind"]) == ("quadropolis", "game")
    assert json.loads((out / "scene.json").read_text())["frames"][2]["tag"] in ("turn", "hand")
