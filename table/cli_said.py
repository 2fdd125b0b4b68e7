"""Lines on standard output, and bars on standard error where somebody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

T = TypeVar("T")


def printed(line: str) -> None:
    """One line, out at once: whoever reads our lines reads them picture by picture."""
    click.echo(line)
    sys.stdout.flush()


def progress(things: Iterable[T], label: str, length: int | None = None) -> Iterator[T]:
    """The same things, with a bar on a terminal. None where the lines themselves are on the terminal."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield from things
        return
    with click.progressbar(things, length=length, label=label, file=sys.stderr) as bar:
        yield from bar


@contextmanager
def doing(label: str) -> Iterator[Callable[[int, int], None]]:
    """A function to be told how many are done, of how many; it draws a bar on a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, of: None
        return
    bar: Any = click.progressbar(length=1, label=label, file=sys.stderr)
    with bar:
        def told(done: int, of: int) -> None:
            bar.length = max(of, 1)
            bar.update(done - bar.pos)

        yield told
