"""The rule of the room: the standard library and nothing else; and every example in a docstring is true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import rules
from rules.catalogue import GAMES

ROOT = Path(__file__).parents[2]
MODULES = ["rules", *sorted(module.name for module in pkgutil.walk_packages(rules.__path__, "rules."))]


def test_rules_import_nothing_but_the_standard_library() -> None:
    """In a fresh interpreter without site-packages, and none of the other rooms comes along."""
    script = (
        "import sys, importlib\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        f"for name in {MODULES!r}: importlib.import_module(name)\n"
        "theirs = {name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)\n"
        "print(*sorted(theirs - {'rules', '__main__', '__mp_main__'}))\n"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    """A table of doctests that finds none would pass."""
    found = [test for name in MODULES for test in doctest.DocTestFinder().find(importlib.import_module(name))]
    assert sum(bool(test.examples) for test in found) >= 12


def test_every_game_has_a_section_in_the_readme() -> None:
    readme = (ROOT / "rules" / "README.md").read_text(encoding="utf-8")
    for game in GAMES:
        assert f"## {game.facts.title}" in readme
        for option in game.facts.options:
            assert f"`{option.name}`" in readme
            assert all(f"`{value}`" in readme for value in option.values if value and not value.isdigit())
