"""How many bugs adapters of many configurations repair: a landscape to test searches on.

    python -m benchmarks.configurations [--first 0] [--adapters 64]

Takes points of the cube of configurations, uniformly and always the same ones, and trains the
adapter of each that none before it has, a few at a time. At every temperature among the candidates
it draws one answer to each bug that selection sees and each that the finalists see again
(`validation` in params.yaml), and to each held-out bug (`evaluation`), and adds what was repaired
to benchmarks/configurations.csv. What the table holds is not measured again, so that it can grow
from night to night, on any machine; each row says on which. Several can share the work, each with
adapters from a number on; what they write is put together by hand. The lake must have its base,
bugs, split and examples (`dvc repro base bugs examples`).

`python -m benchmarks.landscape --measured` replays searches on the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from math import prod
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl

from benchmarks.arms import answer
from benchmarks.table import ROOT, machine
from coral_batch import lake
from coral_batch.corpus.split.reading import read_problems
from coral_batch.corpus.split.roles import select
from coral_batch.corpus.split.shown import drawn_again, measured, selected_on
from coral_batch.evidence.reliability import reliability
from coral_batch.lake import params
from coral_batch.lake.atomic import atomic
from coral_batch.lake.stage import Lake
from coral_batch.lake.store import Store
from coral_batch.models.base.device import arithmetic, devices
from coral_batch.models.training.obtain import Adapter, obtain_adapters
from coral_batch.records.bug import Bug
from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.example import Example
from coral_batch.records.problem import Problem, Role
from coral_batch.records.rows import SubjectRow
from coral_batch.records.settings import Candidates, Params
from coral_batch.search.mapping.mapping import decode
from coral_batch.seeding import generator
from coral_batch.work.text import table

FILE = ROOT / "benchmarks/configurations.csv"
TEXTS = {"selected_on": pl.String, "again": pl.String, "held_out": pl.String}
"""Columns of outcomes, a bug a digit: 1 for one that was repaired."""
HEAVY = ("r", "lora_alpha", "lora_dropout", "target_modules", "method")
_TOGETHER = {"cpu": 2, "cuda": 4}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first adapter")
    parser.add_argument("--adapters", type=int, default=64, help="number of the last, plus one")
    arguments = parser.parse_args()
    settings = params.load()
    if settings.sampling.change != "required":
        parser.error("sampling.change has to be required, so that there are first changes")
    if arguments.adapters > (most := prod(len(getattr(settings.candidates, one)) for one in HEAVY)):
        parser.error(f"the candidates are {most} adapters")
    lake_ = Lake()
    manifest, bugs = lake_.rows("manifest", Role), lake_.rows("bugs", Bug)
    problems = read_problems(lake_, settings)
    test = select(problems, manifest, "test")
    shown = {
        "selected_on": selected_on(test, bugs, settings.validation.bugs),
        "again": drawn_again(test, bugs, settings.validation),
        "held_out": measured(problems, bugs, manifest, settings.evaluation),
    }
    done = known()
    numbers = set() if done is None else set(done["adapter"])
    missing = [
        (number, *one)
        for number, one in enumerate(islice(points(settings.candidates), arguments.adapters))
        if number >= arguments.first and number not in numbers
    ]
    examples = lake_.rows("examples", Example)
    together = _TOGETHER[devices()[0].type]
    for start in range(0, len(missing), together):
        some = missing[start : start + together]
        wanted = [(configuration, settings.seed) for _, configuration, _ in some]
        adapters = obtain_adapters(
            lake.path("base"),
            examples,
            wanted,
            settings.training,
            Store(lake.STORE),
            settings.compute.threads,
            settings.compute.kernels,
        )
        rows = _rows(some, [adapters[one] for one in wanted], shown, settings)
        frame = pl.DataFrame(rows)
        done = frame if done is None else pl.concat([done, frame])
        with atomic(FILE) as opened:
            done.write_csv(opened)
        print(f"{done['adapter'].n_unique()} adapters in {FILE.relative_to(ROOT)}", flush=True)
    if done is not None:
        print(_summary(done))


def known() -> pl.DataFrame | None:
    """Return the table, a row for each adapter and temperature; None before its first row."""
    return pl.read_csv(FILE, schema_overrides=TEXTS) if FILE.exists() else None


def points(candidates: Candidates) -> Iterator[tuple[AdapterConfiguration, Knobs]]:
    """Return what uniform coordinates mean, each adapter's configuration once."""
    seen: set[AdapterConfiguration] = set()
    random = generator(0, "configurations")
    while True:
        [(configuration, knobs)] = decode(random.random((1, 4)), candidates)
        if configuration not in seen:
            seen.add(configuration)
            yield configuration, knobs


def genes(configuration: AdapterConfiguration, knobs: Knobs) -> dict[str, Any]:
    """Return what a configuration consists of, by the names of the candidates."""
    return {
        "r": configuration.r,
        "lora_alpha": configuration.lora_alpha,
        "lora_dropout": configuration.lora_dropout,
        "target_modules": " ".join(configuration.target_modules),
        "method": "dora" if configuration.use_dora else "lora",
        **vars(knobs),
    }


def place(genes: Mapping[str, Any], candidates: Candidates) -> list[float]:
    """Return where a configuration stands among the candidates for an adapter and temperature.

    Each gene by its number among its candidates, in [0, 1]; `genes` as above.
    """
    places = []
    for name in (*HEAVY, "temperature"):
        choices = list(getattr(candidates, name))
        if name == "target_modules":
            choices = [" ".join(sorted(modules)) for modules in choices]
        places.append(choices.index(genes[name]) / (len(choices) - 1))
    return places


def _rows(
    points: Sequence[tuple[int, AdapterConfiguration, Knobs]],
    adapters: Sequence[Adapter],
    shown: Mapping[str, Sequence[Problem]],
    settings: Params,
) -> list[dict[str, Any]]:
    """Return what some adapters repair at every temperature; all of it is drawn together."""
    subjects = {
        number: [
            SubjectRow(
                f"{number}-{temperature}",
                adapter.key,
                str(adapter.folder.absolute()),
                adapter.files,
                replace(knobs, temperature=temperature),
            )
            for temperature in settings.candidates.temperature
        ]
        for (number, _, knobs), adapter in zip(points, adapters, strict=True)
    }
    once = {problem.name: problem for problems in shown.values() for problem in problems}
    drawn = list(chain.from_iterable(subjects.values()))
    rows, passed, looks = answer(drawn, list(once.values()), settings)
    repaired = {(row.genome, row.problem): well for row, well in zip(rows, passed, strict=True)}
    right = {(look.genome, look.problem): look.right for look in looks}
    return [
        {
            "adapter": number,
            **genes(configuration, subject.knobs),
            "loss": round(float(np.mean(adapter.curve.loss[-32:])), 4),
            **{
                f"right_{name}": _mean(right[subject.genome, one.name] for one in problems)
                for name, problems in shown.items()
            },
            **{
                name: "".join(str(int(repaired[subject.genome, one.name])) for one in problems)
                for name, problems in shown.items()
            },
            "machine": arithmetic().get("model") or machine()["cpu"],
        }
        for (number, configuration, _), adapter in zip(points, adapters, strict=True)
        for subject in subjects[number]
    ]


def _mean(right: Iterable[float | None]) -> float:
    """Return the mean probability of the right change, where it is known."""
    return round(fmean(one for one in right if one is not None), 4)


def _summary(frame: pl.DataFrame) -> str:
    """Return what each choice gives on average, and what tells how many held-out bugs it repairs.

    Rank correlations are between the means of adapters over temperatures.
    """
    shares = frame.with_columns(
        pl.col(name).str.count_matches("1") / pl.col(name).str.len_chars() for name in TEXTS
    )
    rows: list[Sequence[str]] = []
    for gene in (*HEAVY, "temperature"):
        rows += [()] if rows else []
        for some in shares.sort(gene).partition_by(gene, maintain_order=True):
            cells = [f"{share:.3f}" for share in some.select(pl.col(*TEXTS).mean()).row(0)]
            rows.append((f"{gene} {some[gene][0]}", str(some["adapter"].n_unique()), *cells))
    means = shares.group_by("adapter").agg(pl.col(*TEXTS, "^right_.*$", "loss").mean())
    correlations: list[Sequence[str]] = [
        (name, f"{means.select(pl.corr(name, 'held_out', method='spearman')).item():+.2f}")
        for name in means.columns
        if name not in ("adapter", "held_out")
    ]
    reliable: list[Sequence[str]] = []
    for name in TEXTS:
        one = reliability(np.array([list(text) for text in frame[name]]).astype(float))
        cells = [f"{one.spread:.3f}", f"{one.chance:.3f}", f"{one.reliability:.2f}"]
        reliable.append((name, str(one.problems), *cells))
    header = ("between configurations", "bugs", "spread", "chance", "reliability")
    return "\n\n".join(
        (
            table(("share repaired", "adapters", *TEXTS), rows, left={"share repaired"}),
            table(header, reliable, left={header[0]}),
            table(("", "rank correlation with held_out"), correlations, left={""}),
        )
    )


if __name__ == "__main__":
    main()
