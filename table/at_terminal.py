"""Who sits at a terminal and is led through a wizard: what they read, what they type, in their language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from calibration.errors import CalibrationError, NotTaught
from device.pins import DeviceError
from rules.words import Said
from table.errors import NotReady, TableError
from table.troubles import in_portuguese
from vision.frame import VisionError

_ENDINGS_PT: Sequence[tuple[str, str]] = (
    (r"wanted a camera \(pi, usb or usb:NUMBER\), found the source (.*): .*",
     "a fonte {0} não é uma câmera: indique pi, usb ou usb:NÚMERO com --source"),
    (r"wanted a picture, found none in (\d+) s: .*",
     "nenhuma foto em {0} s: veja o cabo da câmera e depois rode `overboard doctor`"),
    (r"(.*): wanted a lens as .*", "{0}: não é uma lente como a que `overboard calibrate camera PASTA --json` escreve: "
                                   "escreva-a de novo"),
    (r"(.*): wanted a photograph, found none .*", "{0}: não há essa foto: confira o nome"),
    (r"(.*): wanted a quadropolis folder .*",
     "{0}: não é uma pasta de quadropolis com empty, taps e tiles no setup.json: dê fotos das peças num tabuleiro"),
)
"""What can end a wizard beside cameras and boards, as patterns."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """`ask` shows a question and gives what was typed, `say` shows a line; `language`: "en" or "pt"."""

    ask: Callable[[str], str]
    say: Callable[[str], object]
    language: str = "en"

    def says(self, said: Said) -> None:
        """Shows a sentence."""
        self.say(said.in_language(self.language))

    def asks(self, said: Said) -> str:
        """Shows a question and gives what was typed."""
        return self.ask(said.in_language(self.language))


@contextmanager
def ending_in(language: str) -> Iterator[None]:
    """What ends the wizard (no camera, a full disk) is said in its language too. Raises `NotReady` for it."""
    try:
        yield
    except (TableError, DeviceError, VisionError, CalibrationError, OSError) as error:
        if not language.startswith("pt"):
            raise
        raise NotReady(ending_pt(error)) from error


def ending_pt(error: Exception) -> str:
    """What ended a wizard, in Portuguese; a sentence that nobody knows stays in English."""
    if isinstance(error, NotTaught):
        return error.said.pt
    if isinstance(error, OSError) and type(error).__module__ == "builtins":
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}não deu para ler ou gravar ({error.strerror or error}): confira o nome, as permissões e o disco"
    for pattern, text in _ENDINGS_PT:
        found = re.fullmatch(pattern, str(error), re.DOTALL)
        if found is not None:
            return text.format(*found.groups())
    return in_portuguese(str(error))
