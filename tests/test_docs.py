"""What exists is written down: every game, command, option, setting, kind of event, cue and make target."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from device.cues import Cue, Sound
from rules.catalogue import GAMES
from table.cli import cli
from table.events import KINDS
from table.settings import KEYS, Settings

ROOT = Path(__file__).resolve().parents[1]
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("*/README.md"))]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def commands(command: click.Command, path: str = "overboard") -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by its whole name."""
    if isinstance(command, click.Group):
        for name, one in command.commands.items():
            yield from commands(one, f"{path} {name}")
    else:
        yield path, command


COMMANDS = dict(commands(cli))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.facts.name)
def test_every_game_is_described(game: object) -> None:
    facts = game.facts  # type: ignore[attr-defined]
    assert f"**{facts.title}**" in text_of("README.md")
    section = text_of("rules/README.md").split(f"## {facts.title}")[1].split("\n## ")[0]
    assert [option.name for option in facts.options if f"`{option.name}`" not in section] == []


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_and_option_is_described(path: str) -> None:
    first = " ".join(path.split()[:2])
    assert f"`{first}" in text_of("README.md")
    sections = re.split(r"^## ", text_of("docs/commands.md"), flags=re.MULTILINE)
    section = next((one for one in sections if one.split("\n")[0] == path), "")
    options = [name for one in COMMANDS[path].params if isinstance(one, click.Option) for name in one.opts]
    assert [name for name in options if name.startswith("--") and f"| `{name}` |" not in section] == []
    written = re.findall(r"^\| `(--[a-z-]+)`", section, flags=re.MULTILINE)
    assert [name for name in written if name not in options] == []
    assert section or not options


def test_no_command_is_described_that_does_not_exist() -> None:
    named = set(re.findall(r"^## (overboard .+)$", text_of("docs/commands.md"), flags=re.MULTILINE))
    groups = {" ".join(path.split()[:-1]) for path in COMMANDS}
    assert named - set(COMMANDS) - groups == set()
    mentioned = {name for path in DOCS for name in re.findall(r"`overboard ([a-z]+)", path.read_text(encoding="utf-8"))}
    planned = {"score"}
    assert mentioned - {path.split()[1] for path in COMMANDS} - planned == set()


@pytest.mark.parametrize("where", KEYS, ids=".".join)
def test_every_setting_is_described_with_its_default(where: tuple[str, str]) -> None:
    section, key = where
    value = getattr(getattr(Settings(), section), key)
    default = json.dumps(list(value) if isinstance(value, tuple) else value)
    part = text_of("docs/settings.md").split(f"## [{section}]")[1].split("\n## ")[0]
    assert f"| `{key}` | `{default}` | {KEYS[where].wanted} | {KEYS[where].says} |" in part


def test_no_setting_is_described_that_does_not_exist() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \|", text_of("docs/settings.md"), flags=re.MULTILINE)
    assert sorted(rows) == sorted(key for _, key in KEYS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_event_is_described(kind: str) -> None:
    assert f"| `{kind}` |" in text_of("table/README.md")


@pytest.mark.parametrize("cue", Cue, ids=lambda cue: cue.value)
def test_every_cue_is_described(cue: Cue) -> None:
    assert f"| `{cue.value}` |" in text_of("device/README.md")


@pytest.mark.parametrize("level", Sound, ids=lambda level: level.value)
def test_every_sound_level_is_described(level: Sound) -> None:
    assert f"`{level.value}`" in text_of("device/README.md")


def test_every_make_target_is_described() -> None:
    makefile = text_of("Makefile")
    targets = re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE)
    head = makefile.split("\n\n")[0]
    assert "run" in targets
    assert [one for one in targets if one != "clean" and f"make {one}" not in head] == []


def test_links_lead_somewhere() -> None:
    broken = [
        f"{path.relative_to(ROOT)}: {link}"
        for path in DOCS for link in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8"))
        if "://" not in link and not (path.parent / link).exists()
    ]
    assert [one for one in broken if "docs/phone.png" not in one] == []


def test_no_document_names_this_machine() -> None:
    found = [str(path.relative_to(ROOT)) for path in DOCS
             if re.search(r"(^|[^A-Za-z.])/(work|root)/", path.read_text(encoding="utf-8"))]
    assert found == []
