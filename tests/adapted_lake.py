"""The small lake of `report_lake`, with a tiny base model and an adapter that fits it."""

from dataclasses import asdict, replace
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

from coral_batch import lake
from coral_batch.evidence.summary import Evidence
from coral_batch.lake import params
from coral_batch.lake.hashes import file_sha256
from coral_batch.models.base.checkpoint import materialise, read_card
from coral_batch.models.prompts.examples import examples_sha256, portion
from coral_batch.records.example import Example
from coral_batch.records.rows import AdapterCardRow, AdapterRow, BestRow
from coral_batch.search.ids import place
from stages.evidence import evidence
from tests.report_lake import make_run
from tests.tiny import make_tiny_base

KEY = "b" * 64
"""Key of the adapter of every genome of generation 001, once `make_adapter` has made it."""


def make_run_on_tiny_base() -> None:
    """Write the lake of `make_run`, its evidence, and a base from the local folder ``tiny``."""
    make_run()
    evidence()
    make_tiny_base(Path("tiny"))
    materialise("tiny", None, lake.path("base"), lake.DOWNLOADS)


def make_adapter(genome: str = "001-00") -> Path:
    """Give the run an adapter of its base, trained on a genome's portion; return its folder."""
    best = lake.read_document("best", BestRow)
    folder = lake.path("adapter_folders", "001") / KEY
    torch.manual_seed(1)
    model = AutoModelForCausalLM.from_pretrained(lake.path("base"))
    config = LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    get_peft_model(model, config).save_pretrained(folder)
    (folder / "README.md").unlink()
    files = {file.name: file_sha256(file) for file in folder.iterdir()}
    lake.write_document("best", replace(best, key=KEY))
    evidence = lake.read_document("evidence", Evidence)
    lake.write_document("evidence", replace(evidence, key=KEY))
    rows = [replace(row, key=KEY) for row in lake.read_rows("adapters", AdapterRow, "001")]
    lake.write_rows("adapters", rows, "001")
    settings = params.load()
    number = place(genome, settings.evolution.population, settings.evolution.survivors)
    learnt = portion(lake.read_rows("examples", Example), settings.examples, number)
    known = {
        "base": read_card(lake.path("base")).sha256,
        "examples": examples_sha256(learnt),
        "parents": [{"key": "c" * 64, "share": 1.0}],
        "training": asdict(settings.training),
        "seed": 7,
    }
    lake.write_rows("adapter_cards", [AdapterCardRow(KEY, known, files)], "001")
    return folder
