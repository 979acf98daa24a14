"""`coral export`: an adapter as a folder that PEFT, vLLM and the Hugging Face hub expect.

Two files as PEFT writes them and a README.md that is the hub's model card. Base weights and
tokenizer stay where they are; the configuration names the base by its id on the hub.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.evidence.summary import Evidence
from coral_batch.lake import find, params
from coral_batch.lake.hashes import check_files
from coral_batch.records.rows import AdapterCardRow, AdapterRow, BestRow, SelectionRow
from coral_batch.report.model_card import Exported, model_card

CONFIGURATION = "adapter_config.json"


def export(
    destination: Annotated[Path, typer.Argument(help="The folder to make; it must not exist.")],
    genome: Annotated[
        str | None,
        typer.Argument(help="GENERATION/GENOME, e.g. 001/001-02; without it, the best genome."),
    ] = None,
) -> None:
    """Export an adapter for PEFT, vLLM and the Hugging Face hub."""
    # Imported here: torch takes seconds, which --help must not.
    from coral_batch.models.base.catalogue import CATALOGUE
    from coral_batch.models.base.checkpoint import read_card

    if destination.exists():
        raise CoralError(
            "there is something already", file=destination, expected="a folder that is not there"
        )
    settings = params.load()
    base = read_card(lake.path("base"))
    # A catalogued GGUF lies beside the model that it was made of, whose name lacks the suffix.
    entry = CATALOGUE.get(base.name) if base.origin not in ("hub", "folder") else None
    hub = base.name if entry is None else entry.repository.removesuffix("-GGUF")
    folder, exported = _best() if genome is None else _genome(genome)
    configuration = json.loads((folder / CONFIGURATION).read_text(encoding="utf-8"))
    configuration |= {"base_model_name_or_path": hub, "revision": base.revision}
    text = model_card(exported, base, hub, settings)
    _write(destination, folder, configuration, text)
    print(f"{exported.genome} of generation {exported.generation} for {hub}: {destination}")


def _best() -> tuple[Path, Exported]:
    best = lake.read_document("best", BestRow)
    evidence = lake.read_document("evidence", Evidence)
    if (evidence.best, evidence.generation) != (best.genome, best.generation):
        raise CoralError(
            "the tables do not belong together",
            file=lake.path("evidence"),
            found=evidence.best,
            expected=best.genome,
            action="run `dvc repro`",
        )
    folder = lake.path("best_adapter") / best.key
    check_files(folder, best.files, "the document best", "run `dvc repro --force best`")
    return (
        folder,
        Exported(
            best.genome, best.generation, best.configuration, best.knobs, best.fitness, evidence
        ),
    )


def _genome(name: str) -> tuple[Path, Exported]:
    generation, _, genome = name.partition("/")
    if not re.fullmatch(r"[0-9]{3}", generation) or generation not in lake.generations():
        raise CoralError(
            "no such genome",
            field="GENOME",
            found=name,
            expected=f"GENERATION/GENOME, generation one of {', '.join(lake.generations())}",
        )
    adapters = {row.genome: row for row in lake.read_rows("adapters", AdapterRow, generation)}
    if genome not in adapters:
        raise CoralError(
            "no such genome",
            file=lake.path("adapters", generation),
            found=genome,
            expected=f"one of {', '.join(adapters)}",
        )
    row = adapters[genome]
    fates = lake.read_rows("selection", SelectionRow, generation)
    cards = lake.read_rows("adapter_cards", AdapterCardRow, generation)
    card = find(cards, lake.path("adapter_cards", generation), key=row.key)
    folder = lake.path("adapter_folders", generation) / card.key
    again = f"run `dvc repro --force adapters@{generation}`"
    check_files(folder, card.files, "the table adapter_cards", again)
    return (
        folder,
        Exported(
            genome,
            generation,
            row.configuration,
            row.knobs,
            find(fates, lake.path("selection", generation), genome=genome).fitness,
            None,
        ),
    )


def _write(destination: Path, folder: Path, configuration: dict[str, Any], text: str) -> None:
    """Write the whole folder or nothing."""
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=f".{destination.name}.", dir=destination.parent
        ) as temporary:
            complete = Path(temporary) / "complete"
            shutil.copytree(folder, complete)
            config = json.dumps(configuration, indent=2, sort_keys=True) + "\n"
            (complete / CONFIGURATION).write_text(config, encoding="utf-8")
            (complete / "README.md").write_text(text, encoding="utf-8")
            complete.rename(destination)
    except (OSError, shutil.Error) as error:
        raise CoralError(
            "the export cannot be written",
            file=destination,
            found=str(error),
            action="free space or grant write access, and run again",
        ) from None
