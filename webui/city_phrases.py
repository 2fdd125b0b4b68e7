"""The sentences of the page "Score a city", in English and in Brazilian Portuguese; part of `webui.phrases`."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from webui.desk import Said

CITY_PHRASES: Final = MappingProxyType(
    {
        "city.title": Said("Score a city", "Pontuar uma cidade"),
        "city.take": Said("Take a picture", "Tirar foto"),
        "city.choose": Said("Choose a picture", "Escolher foto"),
        "city.by-hand": Said("Enter a city by hand", "Montar uma cidade à mão"),
        "city.none": Said("No city yet", "Nenhuma cidade ainda"),
        "city.none-help": Said(
            "Photograph each player's mat from above, in good light, with the pieces beside it in the picture.",
            "Fotografe o tabuleiro de cada jogador de cima, com boa luz e com as peças ao lado aparecendo na foto.",
        ),
        "city.none-look": Said(
            "Whoever has the code can photograph a city; its points then show here.",
            "Quem tem o código pode fotografar uma cidade; os pontos aparecem aqui.",
        ),
        "city.reading": Said("Reading the picture", "Lendo a foto"),
        "city.sending": Said("Sending the picture: {n} %", "Enviando a foto: {n} %"),
        "city.too-big": Said(
            "Wanted a picture of at most {most} MB, found {found} MB. Send one photograph, not a film.",
            "Era esperada uma foto de no máximo {most} MB, há {found} MB. Envie só uma foto, não um filme.",
        ),
        "city.upload-lost": Said(
            "The picture did not arrive whole. Send it again.", "A foto não chegou inteira. Envie-a de novo."
        ),
        "city.result": Said("Score pad", "Bloco de pontos"),
        "city.part.towers": Said("Towers", "Prédios"),
        "city.part.shops": Said("Shops", "Lojas"),
        "city.part.services": Said("Public services", "Serviços públicos"),
        "city.part.parks": Said("Parks", "Parques"),
        "city.part.factories": Said("Factories", "Fábricas"),
        "city.part.harbors": Said("Harbours", "Portos"),
        "city.part.penalty": Said("Penalties", "Penalidades"),
        "city.total": Said("Total", "Total"),
        "city.place": Said("Place", "Lugar"),
        "city.wins": Said("{who} wins with {n}", "{who} venceu com {n}"),
        "city.shared": Said("{who} share the win with {n}", "{who} dividem a vitória com {n}"),
        "city.tie-note": Said(
            "Equal points: more inhabitants come first, then fewer empty slots.",
            "Empate em pontos: mais habitantes vem antes, depois menos espaços vazios.",
        ),
        "city.number": Said("City {n}", "Cidade {n}"),
        "city.unsure": Said("Not sure: {n} to look at", "Em dúvida: confira {n}"),
        "city.unsure-help": Said("Tap what is true.", "Toque no que é verdade."),
        "city.unsure-look": Said("Anyone with the code can answer.", "Quem tem o código pode responder."),
        "city.slot-is": Said("What stands at {place}?", "O que está em {place}?"),
        "city.hidden": Said("This slot could not be read.", "Não foi possível ler este espaço."),
        "city.beside-is": Said("How much lies beside the mat?", "Quanto está ao lado do tabuleiro?"),
        "city.beside-now": Said("Beside the mat: {what}", "Ao lado do tabuleiro: {what}"),
        "city.likely": Said("Likely", "Mais provável"),
        "city.other": Said("Something else", "Outra coisa"),
        "city.other-slot": Said("Another answer", "Outra resposta"),
        "city.confirm": Said("As read", "Como lido"),
        "city.empty": Said("Empty", "Vazio"),
        "city.nothing": Said("nothing", "nada"),
        "city.floors-energy": Said("Floors and energy", "Andares e energia"),
        "city.people-energy": Said("Inhabitants and energy", "Habitantes e energia"),
        "city.more-tokens": Said("More pieces on it", "Mais peças em cima"),
        "city.inhabitants": Said("Inhabitants", "Habitantes"),
        "city.energy": Said("Energy", "Energia"),
        "city.why": Said("Why these points", "Por que estes pontos"),
        "city.why-help": Said("Tap a line to see it on the city.", "Toque numa linha para vê-la na cidade."),
        "city.no-points": Said("Nothing scores here yet.", "Nada pontua aqui ainda."),
        "city.best": Said("Laid better: {n} points", "Com peças melhor postas: {n} pontos"),
        "city.best-already": Said("The pieces already lie best.", "As peças já estão na melhor posição."),
        "city.best-done": Said("We have laid them so", "Já pusemos assim"),
        "city.move.inhabitants": Said(
            "Move {n} inhabitants from {source} to {target}.", "Leve {n} habitantes de {source} para {target}."
        ),
        "city.move.inhabitants.1": Said(
            "Move 1 inhabitant from {source} to {target}.", "Leve 1 habitante de {source} para {target}."
        ),
        "city.move.energy": Said(
            "Move {n} energy from {source} to {target}.", "Leve {n} energias de {source} para {target}."
        ),
        "city.move.energy.1": Said(
            "Move 1 energy from {source} to {target}.", "Leve 1 energia de {source} para {target}."
        ),
        "city.at": Said("row {row}, column {column}", "linha {row}, coluna {column}"),
        "city.beside": Said("beside the mat", "ao lado do tabuleiro"),
        "city.type.tower": Said("Tower", "Prédio"),
        "city.type.shop": Said("Shop", "Loja"),
        "city.type.service": Said("Public service", "Serviço público"),
        "city.type.park": Said("Park", "Parque"),
        "city.type.factory": Said("Factory", "Fábrica"),
        "city.type.harbor": Said("Harbour", "Porto"),
        "city.mayor": Said("with the Mayor", "com o Prefeito"),
        "city.gives-points": Said("{n} printed points", "{n} pontos impressos"),
        "city.gives-point": Said("1 printed point", "1 ponto impresso"),
        "city.gives-people": Said("gives {n} inhabitants", "dá {n} habitantes"),
        "city.gives-person": Said("gives 1 inhabitant", "dá 1 habitante"),
        "city.gives-energy": Said("gives {n} energy", "dá {n} de energia"),
        "city.floors": Said("{n} floors", "{n} andares"),
        "city.floor": Said("1 floor", "1 andar"),
        "city.n-people": Said("{n} inhabitants", "{n} habitantes"),
        "city.one-person": Said("1 inhabitant", "1 habitante"),
        "city.n-energy": Said("{n} energy", "{n} energias"),
        "city.one-energy": Said("1 energy", "1 energia"),
        "city.idle": Said("not supplied", "sem suprimento"),
        "city.reason.tower": Said("Tower of {n} floors", "Prédio de {n} andares"),
        "city.reason.shop": Said("Shop with {n} inhabitants", "Loja com {n} habitantes"),
        "city.reason.districts": Said("Public services in {n} districts", "Serviços públicos em {n} bairros"),
        "city.reason.service-points": Said("Public service, printed", "Serviço público, impresso"),
        "city.reason.park": Said("Park beside {n} towers", "Parque ao lado de {n} prédios"),
        "city.reason.factory": Said(
            "Factory beside {shops} shops and {harbors} harbours", "Fábrica ao lado de {shops} lojas e {harbors} portos"
        ),
        "city.reason.harbor-line": Said("Line of {n} harbours", "Linha de {n} portos"),
        "city.reason.harbor-row": Said("Row of {n} harbours", "Fileira de {n} portos"),
        "city.reason.harbor-column": Said("Column of {n} harbours", "Coluna de {n} portos"),
        "city.reason.harbor-points": Said("Harbour, printed", "Porto, impresso"),
        "city.reason.idle-inhabitants": Said("{n} inhabitants without work", "{n} habitantes sem função"),
        "city.reason.idle-energy": Said("{n} energy without use", "{n} energias sem uso"),
        "city.name": Said("Whose city is it?", "De quem é a cidade?"),
        "city.name-short": Said("Name", "Nome"),
        "city.name-field": Said("Name", "Nome"),
        "city.name-go": Said("Keep the name", "Guardar o nome"),
        "city.again": Said("Take this city anew", "Fotografar esta de novo"),
        "city.drop": Said("Remove this city", "Retirar esta cidade"),
        "city.drop-sure": Said("Remove this city from the result?", "Retirar esta cidade do resultado?"),
        "city.drop-yes": Said("Yes, remove it", "Sim, retirar"),
        "city.harbours": Said("Harbours count", "Portos contam"),
        "city.harbours.best_line": Said("the one longest line", "a linha mais longa"),
        "city.harbours.row_plus_column": Said("longest row and column", "fileira e coluna mais longas"),
        "city.tie": Said("Equal points: inhabitants", "Empate: habitantes"),
        "city.tie.all": Said("of the whole city", "de toda a cidade"),
        "city.tie.placed": Said("on buildings only", "só nos edifícios"),
        "city.tiles": Said("Tile set", "Conjunto de peças"),
        "city.png": Said("Save as a picture", "Salvar como imagem"),
        "city.csv": Said("Save as a table (CSV)", "Salvar como tabela (CSV)"),
        "city.new": Said("Keep this and begin another", "Guardar e começar outro"),
        "city.new-sure": Said(
            "Keep this result and begin another? It stays in the journal.",
            "Guardar este resultado e começar outro? Ele fica no diário.",
        ),
        "city.new-yes": Said("Yes, begin another", "Sim, começar outro"),
        "city.kept": Said("Earlier results", "Resultados anteriores"),
        "city.picture-code": Said(
            "The photograph shows to phones that know the code.", "A foto aparece para celulares que sabem o código."
        ),
        "city.no-script": Said(
            "Sending pictures and correcting needs scripts, which are off. Allow them and reload.",
            "Enviar fotos e corrigir precisa de scripts, que estão desligados. Permita-os e recarregue.",
        ),
        "city.tap-slot": Said("Tap a slot to correct it.", "Toque num espaço para corrigir."),
        "city.back": Said("Board", "Tabuleiro"),
    }
)
