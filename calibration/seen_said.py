"""Why `vision` found no board and no mat, in Portuguese too.

`vision` has no people to talk to and says it in English. Each sentence that can come is a pattern here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rules.words import Said

SEEN_PT: Sequence[tuple[str, str]] = (
    (r"wanted pictures of (\S+), found (\S+): set the camera back.*",
     "as imagens têm {1} em vez de {0} px: volte a câmera ao que era ou prepare a mesa outra vez"),
    (r"the board moved too far to tell which way round it lies: .*",
     "o tabuleiro girou demais para saber para que lado está: toque no canto a1"),
    (r"wanted a chessboard of 8x8 squares, found a picture that is too dark.*",
     "a imagem está escura demais: acenda uma luz"),
    (r"wanted a chessboard of 8x8 squares, found a picture that is too bright.*",
     "a imagem está clara demais: afaste a luz"),
    (r"wanted a chessboard of 8x8 squares, found a picture with too little contrast.*",
     "a imagem tem pouco contraste: veja a luz e limpe a lente"),
    (r"wanted a chessboard of 8x8 squares, found a picture too blurred.*",
     "a imagem está borrada demais: ajuste o foco e deixe a câmera parada"),
    (r"wanted a chessboard of 8x8 squares, found nothing like one: .*",
     "não se vê o tabuleiro: aponte a câmera para que os quatro cantos apareçam"),
    (r"wanted a board of 8x8 squares, found a chequered pattern that goes on beyond .*",
     "o xadrez continua além de oito casas: use um tabuleiro de 8x8 e tire de perto outras coisas quadriculadas"),
    (r"wanted a board of 8x8 squares, found .*",
     "o tabuleiro não se vê inteiro: mostre as oito fileiras e tire a mão de cima"),
    (r"something like a chessboard, but its lines do not meet.*",
     "as linhas do tabuleiro não se encontram onde deviam: deixe-o plano e a câmera parada"),
    (r"wanted taps on a1, h1, h8 (?:or|and) a8, found .*",
     "faltam toques nos cantos a1, h1, h8 e a8: toque nos cantos do tabuleiro"),
    (r"wanted (.*) tapped within (\S+) squares of a corner of the board, found (\S+) squares: .*",
     "o toque em {0} ficou a {2} casas do canto do tabuleiro, e o máximo é {1}: toque de novo no canto de fora"),
    (r"wanted a1, a8, h8 and h1 clockwise as the picture shows them, found them the other way round: .*",
     "os cantos a1, a8, h8 e h1 não seguem o sentido do relógio: confira as letras na borda e toque de novo"),
    (r"wanted the four corners of a board, found taps that enclose none: .*",
     "os quatro toques não cercam um tabuleiro: toque uma vez em cada canto de fora"),
    (r"wanted a whole mat with its 16 slots, found one that the picture cuts off: .*",
     "a foto corta o tabuleiro da cidade: afaste-se um pouco e tire de novo"),
    (r"wanted a mat with 16 printed slots, found (\d+) squares that form none: .*",
     "não se vê um tabuleiro com 16 casas impressas: mostre-o inteiro, de cima, nítido e sem reflexos"),
    (r"wanted the lines of at least (\d+) slots, found (\d+): .*",
     "só se veem as linhas de {1} casas, e são precisas {0}: mostre o tabuleiro nítido e sem reflexos"),
    (r"wanted taps on corners of the mat .*",
     "falta um toque num canto do tabuleiro: toque onde a linha 1 encontra a coluna 1"),
    (r"wanted (.*) tapped within (\S+) slots of a corner of the mat, found (\S+) slots: .*",
     "o toque em {0} ficou a {2} casas do canto do tabuleiro, e o máximo é {1}: toque de novo no canto de fora"),
)
"""What `vision` says of boards and mats, as patterns, and how a person in Brazil would say it."""


def seen_said(why: str) -> Said:
    """A sentence of `vision` in both languages; one that is not known stays in English."""
    for pattern, text in SEEN_PT:
        found = re.fullmatch(pattern, why, re.DOTALL)
        if found is not None:
            parts = [re.sub(r"(?<=\d)\.(?=\d)", ",", part).replace(" and ", " e ") for part in found.groups()]
            return Said(why, text.format(*parts))
    return Said(why, why)
