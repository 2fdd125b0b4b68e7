"""`overboard run` as a program of its own: what it prints, the page it serves, and how it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from table.running import EVERYWHERE, Ending, addresses
from tests.table.commanded import is_one_sentence
from vision.detect.pyramid_net import MODEL as PYRAMIDS

ROOT = Path(__file__).resolve().parents[2]
READY = "Ctrl-C ends it."
needs_readers = pytest.mark.skipif(not PYRAMIDS.exists(), reason="the trained reader is not here")


@contextmanager
def running(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """The program in a folder of its own; killed at the end if it still runs."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OVERBOARD_")}
    environment |= {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    program = subprocess.Popen(
        [sys.executable, "-m", "table", "run", *words], cwd=folder, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    try:
        yield program
    finally:
        program.kill()
        program.communicate()


def lines_until(program: subprocess.Popen[str], last: str) -> list[str]:
    """What it prints up to a line; fails with everything it said if that never comes."""
    assert program.stdout is not None
    lines = []
    for line in program.stdout:
        lines.append(line.rstrip("\n"))
        if lines[-1] == last:
            return lines
    assert program.stderr is not None
    pytest.fail(f"it ended without {last!r}: {lines} {program.stderr.read()}")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@needs_readers
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_simulated_table_serves_its_page_and_ends_when_told(ending: signal.Signals, tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path, "--source", "sim", "--host", "127.0.0.1", "--port", str(port)) as program:
        said = "\n".join(lines_until(program, READY))
        assert f"http://127.0.0.1:{port}" in said
        assert "The code:" in said
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as page:
            assert b"Overboard" in page.read()
        program.send_signal(ending)
        _, err = program.communicate(timeout=20)
    assert (program.returncode, err) == (0, "")
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=2)


@needs_readers
def test_a_taken_port_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        with running(tmp_path, "--source", "sim", "--host", "127.0.0.1", "--port", port) as program:
            _, err = program.communicate(timeout=60)
    assert program.returncode == 1
    assert is_one_sentence(err)
    assert "--port" in err


def test_the_address_by_number_comes_first() -> None:
    for host in EVERYWHERE:
        first, *names = addresses(host, 8080)
        assert all(part.isdigit() for part in first.removeprefix("http://").removesuffix(":8080").split("."))
        assert all(name.endswith(".local:8080") for name in names)
    assert addresses("192.168.1.7", 81) == ("http://192.168.1.7:81",)
    assert addresses("::1", 81) == ("http://[::1]:81",)


def test_signals_are_heard_inside_and_only_there() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Ending().listening() as ending:
        assert not ending.wait(0)
        os.kill(os.getpid(), signal.SIGTERM)
        assert ending.wait(5)
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_end_may_be_told_by_the_program_itself() -> None:
    ending = Ending()
    threading.Thread(target=ending.now).start()
    assert ending.wait(5)
