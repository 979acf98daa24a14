"""The model card of an exported adapter, as the Hugging Face hub reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from huggingface_hub import ModelCardData

from coral_batch.evidence.summary import Comparison, Evidence
from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.report.base_origin import FOLDER, BaseCard, Origin, origin
from coral_batch.report.claims import TITLES, conclusion, paired_cells
from coral_batch.report.roles import with_training
from coral_batch.search.best import REFUSED

GGUF_ADAPTER = "adapter.gguf"

Form = Literal["peft", "merged", "gguf"]
"""What is exported: PEFT's folder, the whole model, or the file `GGUF_ADAPTER` for llama.cpp."""

# The greatest ranks that vLLM can be told to make room for.
_RANKS = (8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Exported:
    """The genome whose adapter is exported.

    Attributes:
        passed: it passed the gate of its generation.
        evidence: only of a run's best genome.
    """

    genome: str
    generation: str
    configuration: AdapterConfiguration
    knobs: Knobs
    fitness: float
    passed: bool
    evidence: Evidence | None
    refit: bool = False


@dataclass(frozen=True)
class Trained:
    """What an adapter was trained on and with.

    Attributes:
        table: file name of the table of training examples.
        examples: its SHA-256.
        origins: where the problems come from that these show.
        own: they show bugs that the problems came with.
        injected: injected bugs that they show of a problem, at most.
        lint: versions with lint errors that they show of a problem, at most.
        seed: of the training.
        settings: name -> value of the hyperparameters, as params.yaml calls them.
    """

    table: str
    examples: str
    origins: Sequence[str]
    own: bool
    injected: int
    lint: int
    seed: object
    settings: Mapping[str, Any]


def model_card(exported: Exported, trained: Trained, base: BaseCard, form: Form) -> str:
    """Return README.md: front matter for the hub, then base, data, scores, configuration, licence.

    Args:
        exported: the genome.
        trained: its adapter's training.
        base: the base model's card.
        form: what lies beside the card.
    """
    source = origin(base)
    merged = form == "merged"
    method = "dora" if exported.configuration.use_dora else "lora"
    search = "" if exported.evidence is None else f" (search `{exported.evidence.search}`)"
    front = ModelCardData(
        base_model=source.repository,
        library_name={"peft": "peft", "merged": "transformers", "gguf": None}[form],
        pipeline_tag="text-generation",
        tags=[
            *(["gguf", "llama-cpp"] if form == "gguf" else []),
            method,
            "code",
            "program-repair",
            "python",
            "coral-batch",
        ],
        license=None if base.licence is None else base.licence.lower(),
    )
    parts = (
        f"---\n{front.to_yaml()}\n---",
        f"# Python bug repair: {'DoRA' if method == 'dora' else 'LoRA'} adapter"
        f" {'merged into' if merged else 'for'} {source.title}",
        f"Genome {exported.genome} of generation {exported.generation} of a coral-batch"
        f" run{search}: an adapter that repairs Python functions.",
        _base(source, merged),
        _data(trained),
        _scores(exported),
        _configuration(exported, trained),
        _use(exported, source, form),
        _licence(base, source),
    )
    return "\n\n".join(parts) + "\n"


def _base(source: Origin, merged: bool) -> str:
    if merged:
        return (
            f"## Base model\n\nIts weights are in this folder. They were those of {source.title}."
        )
    return (
        f"## Base model\n\n{source.words}\n\nOn other weights of the same model, such as another"
        " quantisation, the scores may differ."
    )


def _data(trained: Trained) -> str:
    places = ", ".join(f"`{origin}`" for origin in trained.origins)
    shown = ["its own bug"] if trained.own else []
    shown += [f"up to {trained.injected} injected ones"] if trained.injected else []
    if trained.lint:
        versions = "a version" if trained.lint == 1 else f"up to {trained.lint} versions"
        shown.append(f"{versions} with lint errors")
    return (
        f"## Training data\n\nThe training problems of {places}, each with {' and '.join(shown)}:"
        f" the run's `{trained.table}`, SHA-256 `{trained.examples}`. The test problems selected"
        " the adapter; the held-out problems did neither."
    )


def _scores(exported: Exported) -> str:
    words = ", of the configuration trained on fewer examples" if exported.refit else ""
    lines = ["## Scores", f"Fitness {exported.fitness:.3f}, a selection score{words}."]
    evidence = exported.evidence
    if not exported.passed:
        lines.append("The gate refused this genome." if evidence is None else f"**{REFUSED}**")
    if evidence is None:
        lines.append("Not measured on held-out problems: only the run's best genome is.")
        return "\n\n".join(lines)
    rows = [
        "| problems | metric | base model | this adapter | difference | P(ahead) |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, comparison in evidence.scores.items():
        for k, paired in _metrics(comparison).items():
            cells = " | ".join(paired_cells(paired))
            drawn = f"{TITLES[name]}, {comparison.problems} x {comparison.best_samples} samples"
            rows.append(f"| {drawn} | pass@{k} | {cells} |")
    lines.append("\n".join(rows))
    lines += [
        f"{TITLES[name].capitalize()}: {conclusion(comparison)}"
        for name, comparison in evidence.scores.items()
    ]
    lines += with_training(evidence.scores)
    lines.append(
        "In brackets 95 % bootstrap intervals. `selection` flatters: the adapter was chosen by it."
    )
    return "\n\n".join(lines)


def _metrics(comparison: Comparison) -> dict[int, Any]:
    return {1: comparison.pass_at_1, comparison.k: comparison.pass_at_k}


def _configuration(exported: Exported, trained: Trained) -> str:
    rows = ["| | |", "| --- | --- |"]
    training = {**trained.settings, "seed": trained.seed}
    for part in (asdict(exported.configuration), training, asdict(exported.knobs)):
        for name, value in part.items():
            shown = ", ".join(value) if isinstance(value, tuple) else value
            rows.append(f"| {name} | {shown} |")
    return (
        "## Configuration\n\nAdapter, training, and the sampling that the scores were measured"
        " with.\n\n" + "\n".join(rows)
    )


def _use(exported: Exported, source: Origin, form: Form) -> str:
    """Return how to load what is exported, and how to serve it."""
    if form == "merged":
        return _use_merged()
    return _use_gguf(source) if form == "gguf" else _use_peft(exported, source)


def _use_peft(exported: Exported, source: Origin) -> str:
    """Return how to load the adapter, as code that runs as it stands, and how to serve it."""
    parts = [
        "## Use",
        "In the folder of this card:",
        f'```python\n{source.code}\nmodel = PeftModel.from_pretrained(base, ".")\n```',
    ]
    rank = next((rank for rank in _RANKS if rank >= exported.configuration.r), None)
    if exported.configuration.use_dora or rank is None:
        what = f"ranks above {_RANKS[-1]}" if rank is None else "DoRA adapters"
        parts.append(f"vLLM does not serve {what}: `coral export --merged` makes a model for it.")
    else:
        if source.folder is not None:
            parts.append(
                "vLLM needs the base as a folder, made before the adapter is put on it by"
                f"\n\n```\n{source.folder}\n```"
            )
        parts.append(
            f"```\nvllm serve {source.served} --enable-lora --max-lora-rank {rank}"
            " --lora-modules repair=.\n```"
        )
    return "\n\n".join(parts)


def _use_merged() -> str:
    """Return how to load and serve the merged model, as code that runs as it stands."""
    return """\
## Use

In the folder of this card:

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained(".", dtype="auto")
tokenizer = AutoTokenizer.from_pretrained(".")
```

`vllm serve .` serves it, and `convert_hf_to_gguf.py` of llama.cpp makes it a GGUF file. Merged
weights are rounded once more than an adapter beside its base: a close choice of a token may come
out otherwise."""


def _use_gguf(source: Origin) -> str:
    """Return how llama.cpp puts the adapter on the base, as commands."""
    if source.gguf is None:
        file = f"{FOLDER}.gguf"
        fetch = f"hf download {source.id} --revision {source.revision} --local-dir {FOLDER}\n"
        made = (
            "llama.cpp reads the base from a GGUF file, which its `convert_hf_to_gguf.py` makes:"
            f"\n\n```\n{fetch if source.id else ''}"
            f"python convert_hf_to_gguf.py {FOLDER} --outfile {file}\n```"
        )
    else:
        file = source.gguf
        made = (
            f"llama.cpp computes with the quantised weights of `{file}` as they are, and with the"
            " file's own embedding, where the scores were measured on the dequantised ones with"
            " the output matrix as embedding: a close choice of a token may come out otherwise."
        )
    return f"""\
## Use

```
llama-cli -m {file} --lora {GGUF_ADAPTER}
llama-server -m {file} --lora {GGUF_ADAPTER}
```

{made}"""


def _licence(base: BaseCard, source: Origin) -> str:
    if base.licence is None:
        return f"## Licence\n\nThat of {source.title}, which its files do not state."
    return f"## Licence\n\n{base.licence}, as {source.title}."
