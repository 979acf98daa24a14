"""`coral export`: an adapter as a folder for PEFT, vLLM and the Hugging Face hub.

The folder has PEFT's two files and README.md, the model card. It has no base weights and no
tokenizer; the card says how to get them. The configuration names the base only if a Hugging Face id
loads exactly its weights.

`--merged` writes a complete model with tokenizer, which needs neither PEFT nor the base. `--gguf`
writes a file that llama.cpp applies to its own file of the base.

`coral export released --release` fills the repository's folder `released`. `coral repair` uses it
if there is no finished run.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from safetensors import SafetensorError

from coral_batch import lake
from coral_batch.errors import CoralError, apart
from coral_batch.evidence.summary import Evidence
from coral_batch.lake import find, params
from coral_batch.lake.atomic import check_free, unfinished
from coral_batch.lake.hashes import check_files, file_sha256
from coral_batch.models.prompts.examples import examples_sha256, portion
from coral_batch.records.example import Example
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Role
from coral_batch.records.rows import AdapterCardRow, BestRow, SelectionRow
from coral_batch.repair.adapters import check_best, check_origin, find_adapter, generation_of
from coral_batch.repair.released import CONFIGURATION, RECORD, WEIGHTS, write_release
from coral_batch.report.model_card import GGUF_ADAPTER, Exported, Form, Trained, model_card
from coral_batch.search.descent import ancestors
from coral_batch.search.ids import birth, place


def export(
    destination: Annotated[
        Path, typer.Argument(metavar="DEST", help="The folder to make; it must not exist.")
    ],
    genome: Annotated[
        str | None,
        typer.Argument(
            metavar="GENOME",
            help="The genome, e.g. 001-01; without it, the best genome.",
        ),
    ] = None,
    merged: Annotated[
        bool,
        typer.Option(
            "--merged", help="The whole model, the adapter merged into the base's weights."
        ),
    ] = False,
    gguf: Annotated[
        bool, typer.Option("--gguf", help="The adapter as a file for llama.cpp (LoRA only).")
    ] = False,
    release: Annotated[
        bool,
        typer.Option(
            "--release",
            help=f"Matrices in bfloat16, half the size, and {RECORD}, the record that"
            " `coral repair` checks.",
        ),
    ] = False,
) -> None:
    """Export an adapter for PEFT, vLLM and the Hugging Face hub, or for llama.cpp.

    DEST gets the adapter as PEFT's folder; with --merged, a model that transformers, vLLM and
    llama.cpp's converter read by itself; with --gguf, a file that llama.cpp takes as --lora.
    README.md there is its model card.
    """
    # Imported here: torch takes seconds, which --help must not.
    from coral_batch.models.base.checkpoint import check_base, read_card

    params.check_here()
    forms = {"--merged": merged, "--gguf": gguf, "--release": release}
    if sum(forms.values()) > 1:
        raise CoralError(
            "only one form can be exported at a time",
            found=" and ".join(name for name, wanted in forms.items() if wanted),
            expected="one of them",
            action="export twice, into two folders",
        )
    check_free(destination)
    # Merging and GGUF read the base model's files.
    base = (check_base if merged or gguf else read_card)(lake.path("base"))
    exported, card, folder = _exported(genome)
    examples = lake.read_rows("examples", Example)
    ancestors, learnt = _learnt(exported, card, examples)
    again = f"run `dvc repro adapters@{exported.generation}`"
    check_files(folder, card.files, "the table adapter_cards", again)
    check_origin(card, "base", base.sha256)
    trained = _trained(card, examples, ancestors, learnt)
    form: Form = "merged" if merged else "gguf" if gguf else "peft"
    try:
        with unfinished(destination) as complete:
            if form == "merged":
                _merge(folder, complete)
            elif form == "gguf":
                from coral_batch.commands.gguf_adapter import write_gguf_adapter

                complete.mkdir()
                name = f"coral-batch {exported.genome}"
                write_gguf_adapter(folder, lake.path("base"), name, complete / GGUF_ADAPTER)
            else:
                hub = base.origin == "hub"
                _copy(folder, complete, base.name if hub else None, base.revision)
            text = model_card(exported, trained, base, form)
            (complete / "README.md").write_text(text, encoding="utf-8")
            if release:
                _halve(complete / WEIGHTS)
                write_release(complete, base, exported.knobs)
    except SafetensorError as error:
        raise CoralError(
            "the export cannot be written",
            file=destination,
            found=str(error),
            action="free space or grant write access, and run again",
        ) from None
    what = "merged into" if merged else "for"
    print(
        f"{exported.genome} of generation {exported.generation} {what} {base.name}: {destination}"
    )


def _learnt(
    exported: Exported, card: AdapterCardRow, examples: Sequence[Example]
) -> tuple[int, int]:
    """Return the number of a genome's ancestors, and of the examples that it and they learned."""
    settings = params.load()
    members = frozenset({exported.genome})
    if card.determinants["parents"]:
        # Also those that params.yaml no longer has.
        until = (f"{number:03d}" for number in range(int(exported.generation) + 1))
        parts = (lake.read_rows("population", Genome, name) for name in until)
        members = ancestors((member for part in parts for member in part), exported.genome)
    evolution = settings.evolution
    portions = {
        member: portion(
            examples,
            settings.examples,
            place(member, evolution.population, evolution.survivors),
        )
        for member in sorted(members, key=birth)
    }
    check_origin(card, "examples", examples_sha256(portions[exported.genome]))
    # A line can be dealt a portion twice.
    return len(members) - 1, len({one for dealt in portions.values() for one in dealt})


def _trained(
    card: AdapterCardRow, examples: Sequence[Example], ancestors: int, learnt: int
) -> Trained:
    taught = {one.problem for one in examples}
    roles = [row for row in lake.read_rows("manifest", Role) if row.name in taught]
    shown = {(one.problem, one.bug) for one in examples if not one.lint}
    injected = Counter(problem for problem, bug in shown if bug is not None)
    linted = Counter(one.problem for one in examples if one.lint)
    words = ["its own bug (if it has one)"] if any(bug is None for _, bug in shown) else []
    if injected:
        words.append(f"up to {max(injected.values())} injected ones")
    if linted:
        most = max(linted.values())
        versions = "a version" if most == 1 else f"up to {most} versions"
        words.append(f"{versions} with lint errors")
    origins = sorted({row.source for row in roles})
    settings = {**card.determinants["training"], "seed": card.determinants["seed"]}
    table = file_sha256(lake.path("examples"))
    return Trained(table, origins, words, settings, ancestors, learnt)


def _is_best(genome: str) -> bool:
    return lake.path("best").exists() and lake.read_document("best", BestRow).genome == genome


def _exported(genome: str | None) -> tuple[Exported, AdapterCardRow, Path]:
    """Return the named genome, or the best one, with its adapter's card and folder."""
    evidence = None
    if genome is None or _is_best(genome):
        best = lake.read_document("best", BestRow)
        genome, part = best.genome, best.generation
        evidence = lake.read_document("evidence", Evidence)
        if (evidence.best, evidence.generation, evidence.key) != (genome, part, best.key):
            found = f"{evidence.best} with adapter {evidence.key[:8]} as the best genome"
            raise apart(found, lake.path("evidence"))
    else:
        part = generation_of(genome, params.load().generations, "GENOME")
    row, card, folder = find_adapter(part, genome)
    if evidence is not None:
        check_best(best, row.key)
    fates = lake.read_rows("selection", SelectionRow, part)
    fate = find(fates, lake.path("selection", part), genome=genome)
    passed = fate.passed if evidence is None else best.passed
    exported = Exported(genome, part, row.configuration, row.knobs, fate.fitness, passed, evidence)
    return exported, card, folder


def _copy(folder: Path, complete: Path, base: str | None, revision: str | None) -> None:
    """Copy an adapter and set the base's hub id in its configuration."""
    shutil.copytree(folder, complete)
    configuration = json.loads((folder / CONFIGURATION).read_text(encoding="utf-8"))
    configuration |= {"base_model_name_or_path": base, "revision": revision}
    text = json.dumps(configuration, indent=2, sort_keys=True) + "\n"
    (complete / CONFIGURATION).write_text(text, encoding="utf-8")


def _halve(weights: Path) -> None:
    """Store an adapter's matrices in bfloat16, to which decoding on a bf16 processor rounds them.

    DoRA's magnitudes keep their type, since they differ little from the base's.
    """
    from safetensors.torch import load_file, save_file

    tensors = {
        name: tensor if "magnitude" in name else tensor.bfloat16()
        for name, tensor in load_file(weights).items()
    }
    save_file(tensors, weights, {"format": "pt"})
    weights.chmod(0o644)  # safetensors writes files that only their owner can read


def _merge(folder: Path, complete: Path) -> None:
    """Merge an adapter into the base and write the model, in the base's dtype."""
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoTokenizer

    base = lake.path("base")
    model = PeftModel.from_pretrained(
        AutoModelForCausalLM.from_pretrained(base, dtype="auto"), str(folder)
    )
    model.merge_and_unload().save_pretrained(complete)
    AutoTokenizer.from_pretrained(base).save_pretrained(complete)
    for file in complete.iterdir():
        file.chmod(0o644)  # safetensors writes files that only their owner can read
