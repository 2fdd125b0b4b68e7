"""The house's own rules: who may import whom, which file may name the truth, how long a file may be."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("rules", "vision", "calibration", "device", "webui", "table")
OURS: dict[str, tuple[str, ...]] = {
    "rules": (),
    "vision": ("rules.words",),
    "calibration": ("vision", "rules.words"),
    "device": ("vision.frame",),
    "webui": ("rules",),
    "table": ("rules", "vision", "calibration", "device", "webui"),
}
"""What a room may import of ours, beside itself."""
THEIRS: dict[str, tuple[str, ...]] = {
    "rules": (),
    "vision": ("numpy", "cv2"),
    "calibration": ("numpy", "cv2"),
    "device": ("gpiozero", "numpy", "cv2", "picamera2", "libcamera", "lgpio"),
    "webui": ("flask", "werkzeug", "markupsafe", "waitress", "segno", "click"),
    "table": ("numpy", "cv2", "click", "pillow_heif"),
}
"""What a room may import of others, beside the standard library."""
LEARNING = ("table/sim/train.py", "table/sim/piece_net.py")
"""What trains the reader; it alone may import torch and onnx."""
MOST_LINES = 420
MOST_LINES_OF_TESTS = 500
BANNED_NAMES = ("utils", "helpers", "common", "manager", "core", "misc")


def files(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imports(path: Path, tree: ast.AST | None = None) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything a file imports, wherever it stands: functions and type checks too.

    `from a import b` counts as `a.b`: whether b is a module makes no difference to who depends on whom.
    """
    tree = tree or ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield node.lineno, "." * node.level + (node.module or "")
            else:
                yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def is_within(name: str, allowed: tuple[str, ...]) -> bool:
    return any(name == one or name.startswith(one + ".") for one in allowed)


def complaint(room: str, where: str, line: int, name: str) -> str | None:
    """What is wrong with one import, or None."""
    first = name.partition(".")[0]
    if name.startswith("."):
        return f"{where}:{line}: {name}: write the whole name, beginning with the room"
    if first in ROOMS or first == "tests":
        if first == room or is_within(name, OURS[room]):
            return None
        return f"{where}:{line}: {room} may not import {name}; of ours it may import {OURS[room] or 'nothing'}"
    if first in sys.stdlib_module_names or first in THEIRS[room] or (first in ("torch", "onnx") and where in LEARNING):
        return None
    return f"{where}:{line}: {room} may not import {name}; of others it may import {THEIRS[room] or 'nothing'}"


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    found = [
        complaint(room, path.relative_to(ROOT).as_posix(), line, name)
        for path in files(room) for line, name in imports(path)
    ]
    assert [one for one in found if one] == []


@pytest.mark.parametrize(
    ("room", "text", "is_allowed"),
    [
        ("rules", "import numpy", False),
        ("rules", "from vision.frame import Frame", False),
        ("rules", "import json", True),
        ("vision", "from rules.words import Cell", True),
        ("vision", "from rules.game import Move", False),
        ("vision", "def f():\n    from table.errors import NotReady", False),
        ("device", "from vision.frame import Frame", True),
        ("device", "from vision.pose import BoardPose", False),
        ("webui", "import table.session", False),
        ("table", "from webui import serve", True),
        ("table", "import torch", False),
        ("table", "from tests.table.scripted import KIT", False),
        ("calibration", "from . import fit", False),
    ],
    ids=lambda value: str(value).replace("\n", " "),
)
def test_the_import_rule_itself(room: str, text: str, is_allowed: bool) -> None:
    """The test above would pass if it looked away."""
    found = [complaint(room, f"{room}/made_up.py", line, name) for line, name in imports(Path(), ast.parse(text))]
    assert (found == [None]) is is_allowed


def test_the_truth_is_named_by_the_accuracy_report_alone() -> None:
    named = [
        path.relative_to(ROOT).as_posix() for room in ROOMS for path in files(room)
        if "scene.json" in path.read_text(encoding="utf-8")
    ]
    assert named, "the report itself must name it, or this test looks for the wrong word"
    assert [name for name in named if not name.startswith("table/evaluate")] == []


def test_what_reads_pictures_does_not_import_the_accuracy_report() -> None:
    """Whoever may open the truth is imported by the commands, and its file's name by the simulator that writes it."""
    may = ("table/cli.py", "table/sim/folder.py", "table/sim/city_folder.py", "table/sim/city_game.py",
           "table/bench.py")
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}" for room in ROOMS for path in files(room)
        if not path.relative_to(ROOT).as_posix().startswith(("table/evaluate", *may))
        for line, name in imports(path) if name.startswith("table.evaluate")
    ]
    assert found == []


@pytest.mark.parametrize("room", [*ROOMS, "tests"])
def test_files_stay_short_and_are_named_for_what_they_hold(room: str) -> None:
    most = MOST_LINES_OF_TESTS if room == "tests" else MOST_LINES
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files(room)}
    assert lengths
    assert [f"{path.relative_to(ROOT)}: {n} lines" for path, n in lengths.items() if n > most] == []
    assert [str(path.relative_to(ROOT)) for path in lengths if path.stem in BANNED_NAMES] == []


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_its_rule_first(room: str) -> None:
    """The README's first paragraph after its title says the room's rule."""
    text = (ROOT / room / "README.md").read_text(encoding="utf-8")
    title, first = text.strip().split("\n\n")[:2]
    assert re.match(rf"# {room}\b", title)
    assert re.search(r"\b(rule|room)\b", first, re.IGNORECASE), f"{room}/README.md begins: {first[:80]}"


def test_every_public_thing_says_what_it_is() -> None:
    """Modules, and the classes and functions at their top that others may use."""
    silent = []
    for room in ROOMS:
        for path in files(room):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            where = path.relative_to(ROOT).as_posix()
            if tree.body and not ast.get_docstring(tree):
                silent.append(where)
            silent += [
                f"{where}:{node.lineno}: {node.name}" for node in tree.body
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
                and node.name != "main" and not ast.get_docstring(node)
            ]
    assert silent == []
