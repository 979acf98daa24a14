"""The model card of an exported adapter, as the Hugging Face hub reads it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol

from huggingface_hub import ModelCardData

from coral_batch.evidence.summary import Comparison, Evidence
from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.settings import Params
from coral_batch.report.claims import TITLES, conclusion, paired_cells

# The greatest ranks that vLLM can be told to make room for.
_RANKS = (8, 16, 32, 64, 128, 256, 512)


class BaseCard(Protocol):
    """What the card of the base model has to say."""

    @property
    def name(self) -> str: ...
    @property
    def origin(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def licence(self) -> str | None: ...
    @property
    def revision(self) -> str | None: ...
    @property
    def weights(self) -> str: ...


@dataclass(frozen=True)
class Exported:
    """The genome whose adapter is exported; `evidence` only of a run's best one."""

    genome: str
    generation: str
    configuration: AdapterConfiguration
    knobs: Knobs
    fitness: float
    evidence: Evidence | None


def model_card(exported: Exported, base: BaseCard, hub: str, settings: Params) -> str:
    """Return README.md: front matter for the hub, then base, data, scores, configuration, licence.

    Args:
        exported: the genome.
        base: the base model's card.
        hub: its id on the hub, or the name of the folder it came from.
        settings: the run's.
    """
    method = "dora" if exported.configuration.use_dora else "lora"
    front = ModelCardData(
        base_model=hub,
        library_name="peft",
        pipeline_tag="text-generation",
        tags=[method, "code", "program-repair", "python", "coral-batch"],
        license=None if base.licence is None else base.licence.lower(),
    )
    parts = (
        f"---\n{front.to_yaml()}\n---",
        f"# Python bug repair: {'DoRA' if method == 'dora' else 'LoRA'} adapter for {hub}",
        f"Genome {exported.genome} of generation {exported.generation} of a coral-batch run"
        f" (search `{settings.search.kind}`, seed {settings.seed}): an adapter that repairs Python"
        " functions.",
        _base(base, hub),
        _data(settings),
        _scores(exported),
        _configuration(exported, settings),
        _use(exported, hub),
        _licence(base, hub),
    )
    return "\n\n".join(parts) + "\n"


def _base(base: BaseCard, hub: str) -> str:
    at = f" at revision {base.revision}" if base.revision else ""
    return (
        f"## Base model\n\n{hub}{at}. Trained and measured on `{base.name}` (from: {base.origin},"
        f" {base.dtype}); its weights: {base.weights}.\n\nOn other weights of the same model, such"
        " as another quantisation, the scores may differ."
    )


def _data(settings: Params) -> str:
    corpus = settings.corpus
    origin = corpus.path if corpus.url is None else f"{corpus.url} at {corpus.revision}"
    return (
        "## Training data\n\nThe 24 training problems of CORAL-X's split of QuixBugs' names, each"
        f" with 4 instructions, from `{origin}`. The 8 test problems selected the adapter; the 8"
        " held-out problems did neither."
    )


def _scores(exported: Exported) -> str:
    lines = ["## Scores", f"Fitness {exported.fitness:.3f}, a selection score."]
    evidence = exported.evidence
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
    lines.append(
        "In brackets 95 % bootstrap intervals. `selection` flatters: the adapter was chosen by it."
    )
    return "\n\n".join(lines)


def _metrics(comparison: Comparison) -> dict[int, Any]:
    return {1: comparison.pass_at_1, comparison.k: comparison.pass_at_k}


def _configuration(exported: Exported, settings: Params) -> str:
    rows = ["| | |", "| --- | --- |"]
    for part in (exported.configuration, settings.training, exported.knobs):
        for name, value in asdict(part).items():
            shown = ", ".join(value) if isinstance(value, tuple) else value
            rows.append(f"| {name} | {shown} |")
    return (
        "## Configuration\n\nAdapter, training, and the sampling that the scores were measured"
        " with.\n\n" + "\n".join(rows)
    )


def _use(exported: Exported, hub: str) -> str:
    code = (
        "```python\nfrom peft import PeftModel\nfrom transformers import AutoModelForCausalLM\n\n"
        f'base = AutoModelForCausalLM.from_pretrained("{hub}")\n'
        'model = PeftModel.from_pretrained(base, "PATH")\n```'
    )
    if exported.configuration.use_dora:
        served = "vLLM does not serve DoRA adapters; merge it into the base with PEFT first."
    else:
        rank = next(rank for rank in _RANKS if rank >= exported.configuration.r)
        served = (
            f"```\nvllm serve {hub} --enable-lora --max-lora-rank {rank}"
            " --lora-modules repair=PATH\n```"
        )
    return f"## Use\n\n{code}\n\n{served}"


def _licence(base: BaseCard, hub: str) -> str:
    if base.licence is None:
        return f"## Licence\n\nThat of {hub}, which its files do not state."
    return f"## Licence\n\n{base.licence}, as {hub}."
