"""What camera and board suffer, in Portuguese too.

The rooms that find a trouble (`device`, `vision`) say it in English; the page speaks both languages. Each sentence
that can come is a pattern here, or, where `vision` says it, in `calibration.seen_said`; one that is not is shown as
it came, behind a word in Portuguese.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from calibration.seen_said import seen_said
from rules.words import Said

_PORTUGUESE: Sequence[tuple[str, str]] = (
    (r"too dark", "escura demais: acenda uma luz"),
    (r"not sharp", "fora de foco: ajuste a lente ou limpe-a"),
    (r"the camera: wanted a picture within (\d+) s, found that it does not answer: .*",
     "a câmera não responde há {0} s: veja o cabo e o conector; a tentativa se repete sozinha"),
    (r"the camera: wanted an answer, found that it hangs, twice over: .*",
     "a câmera travou duas vezes: tire o cabo e ponha de novo, ou reinicie o Overboard"),
    (r"the camera: wanted a new picture, found that it repeats its last one for (\d+) s: .*",
     "a câmera repete a última imagem há {0} s: veja o conector; a tentativa se repete sozinha"),
    (r"the camera: wanted pictures of (\S+) px, found (\S+): .*",
     "a câmera manda imagens de {1} em vez de {0} px: é aberta de novo; se continuar assim, prepare a mesa outra vez"),
    (r"the camera: wanted pictures of the size of set-up, found another: .*",
     "as imagens têm outro tamanho do que na preparação: espere, a câmera é aberta de novo"),
    (r"the camera: wanted its colours as at set-up, found red and blue exchanged: .*",
     "vermelho e azul vieram trocados: o programa destroca e o jogo continua"),
    (r"the camera: wanted pictures without end, found that they stopped: .*",
     "as imagens pararam: veja o conector da câmera"),
    (r"the camera: wanted a picture, found none yet: .*", "ainda não veio nenhuma imagem: espere"),
    (r"the Pi camera: wanted a picture within (\d+) s, found none: .*",
     "nenhuma imagem em {0} s: veja as duas pontas do cabo da câmera"),
    (r"USB camera (\S+): wanted a picture, found that it has stopped delivering: .*",
     "a câmera USB {0} parou de mandar imagens: veja o conector"),
    (r"USB camera (\S+): wanted to open it, found no .*",
     "a câmera USB {0} não está lá: veja o conector"),
    (r"USB camera (\S+): wanted to open it, found that this user may not use it: (.*), then log in again",
     "este usuário não pode usar a câmera USB {0}: rode {1} e entre de novo no sistema"),
    (r"the Pi camera: wanted the picamera2 library, found that it does not load .*",
     "falta a biblioteca picamera2: rode sudo apt install python3-picamera2 e crie o ambiente com "
     "--system-site-packages"),
    (r"the Pi camera: wanted camera (\d+), found no such camera: .*",
     "a câmera {0} do Pi não está lá: veja o cabo e se rpicam-hello --list-cameras a mostra"),
    (r"the Pi camera: wanted camera (\d+), found it in use or not answering .*",
     "a câmera {0} do Pi está ocupada ou não responde: feche o outro programa que a usa e tente de novo"),
    (r".* wanted to open it, found it in use by another program: .*",
     "outro programa usa a câmera: feche-o e tente de novo"),
    (r"the board: wanted it whole in the picture, found it lost: .*",
     "o tabuleiro saiu da imagem: ponha-o de novo debaixo da câmera"),
    (r"the program: wanted to read a picture, found a fault \((.*)\): .*",
     "o programa falhou numa imagem ({0}): ele continua; avise quem cuida dele"),
    (r"(.*): wanted to write down \S+, found that the disk refused .*",
     "o disco não aceita mais nada ({0}): libere espaço; nada do que foi escrito se perdeu"),
)


def in_portuguese(sentence: str) -> str:
    """The sentence in Portuguese; as it is if it is not among those that are known."""
    for pattern, text in _PORTUGUESE:
        found = re.fullmatch(pattern, sentence, re.DOTALL)
        if found is not None:
            return text.format(*found.groups())
    return seen_said(sentence).pt


def camera_said(why: str) -> Said:
    """A camera that is lost."""
    return Said(why, f"Câmera perdida: {in_portuguese(why)}.")


def board_said(why: str) -> Said:
    """A board that is lost."""
    return Said(why, f"Tabuleiro perdido: {in_portuguese(why)}.")


def picture_said(trouble: str) -> Said:
    """A picture, or the program, in trouble. `vision` says of a picture only what it is."""
    if trouble in ("too dark", "not sharp"):
        act = "turn on a lamp" if trouble == "too dark" else "focus or clean the lens"
        return Said(f"The picture is {trouble}: {act}.", f"A imagem está {in_portuguese(trouble)}.")
    told = in_portuguese(trouble)
    return Said(trouble, told[:1].upper() + told[1:])


def covered_said(corners: Sequence[str], has_hand: bool) -> Said:
    """Corners of the board that something covers; the board is taken to be where it was."""
    what_en = "A hand covers" if has_hand else "Something covers"
    what_pt = "Uma mão cobre" if has_hand else "Alguma coisa cobre"
    several = len(corners) > 1
    named_en = f"the corner{'s' if several else ''} {' and '.join(corners)}"
    named_pt = f"{'os cantos' if several else 'o canto'} {' e '.join(corners)}"
    return Said(f"{what_en} {named_en}: holding the board's last position.",
                f"{what_pt} {named_pt}: vale a última posição do tabuleiro.")
