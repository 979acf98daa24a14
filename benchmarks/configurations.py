"""How many bugs adapters of many configurations repair: a landscape to test searches on.

    python -m benchmarks.configurations [--first 0] [--adapters 64] [--temperature 0.2 ...]

Takes points of the cube of configurations, uniformly and always the same ones, and trains the
adapter of each that is not measured yet, a few at a time. At each temperature, by default every one
among the candidates, it draws one answer to each bug that selection sees and each that the
finalists see again (`validation` in params.yaml), and to each held-out bug (`evaluation`); and to
as many bugs of the source `classics` alone as selection sees, which tells what few test programs
would have told. What was repaired is added to benchmarks/configurations.csv. What the table holds
is not measured again, so that it can grow from night to night, on any machine; each row says on
which. Several can share the work, each with adapters from a number on; what they write is put
together by hand. The lake must have its base, bugs, split and examples (`dvc repro base bugs
examples`).

`--summary` prints what the table says and measures nothing; `python -m benchmarks.landscape
--measured` replays searches on it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import comb, prod
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

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
from coral_batch.work.text import decimal, table

FILE = ROOT / "benchmarks/configurations.csv"
SETS = ("classics", "selected_on", "again", "held_out")
"""Columns of outcomes, a bug a digit: 1 for one that was repaired."""
HEAVY = ("r", "lora_alpha", "lora_dropout", "target_modules", "method")
_TOGETHER = {"cpu": 2, "cuda": 4}
_TRIED = 8
"""Adapters that a search of the default size trains."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first adapter")
    parser.add_argument("--adapters", type=int, default=64, help="number of the last, plus one")
    parser.add_argument("--temperature", action="append", type=float, metavar="T")
    parser.add_argument("--summary", action="store_true")
    arguments = parser.parse_args()
    done = known()
    if arguments.summary:
        if (told := _summary(done)) is None:
            parser.error(f"fewer than {_TRIED} adapters are measured at the lowest temperature")
        print(told)
        return
    settings = params.load()
    temperatures = arguments.temperature or settings.candidates.temperature
    if unknown := set(temperatures) - set(settings.candidates.temperature):
        parser.error(f"not among candidates.temperature: {', '.join(map(str, sorted(unknown)))}")
    if settings.sampling.change != "required":
        parser.error("sampling.change has to be required, so that there are first changes")
    if arguments.adapters > (most := prod(len(getattr(settings.candidates, one)) for one in HEAVY)):
        parser.error(f"the candidates are {most} adapters")
    lake_ = Lake()
    manifest, bugs = lake_.rows("manifest", Role), lake_.rows("bugs", Bug)
    problems = read_problems(lake_, settings)
    test = select(problems, manifest, "test")
    few = {role.name for role in manifest if role.source == "classics"}
    shown = {
        "classics": selected_on(
            [problem for problem in test if problem.name in few], bugs, settings.validation.bugs
        ),
        "selected_on": selected_on(test, bugs, settings.validation.bugs),
        "again": drawn_again(test, bugs, settings.validation),
        "held_out": measured(problems, bugs, manifest, settings.evaluation),
    }
    measured_at = set() if done is None else set(done.select("adapter", "temperature").rows())
    missing = []
    for number, (configuration, knobs) in enumerate(
        islice(points(settings.candidates), arguments.adapters)
    ):
        wanted = [one for one in temperatures if (number, one) not in measured_at]
        if number >= arguments.first and wanted:
            missing.append(_Adapter(number, configuration, knobs, wanted))
    examples = lake_.rows("examples", Example)
    together = _TOGETHER[devices()[0].type]
    for start in range(0, len(missing), together):
        some = missing[start : start + together]
        adapters = obtain_adapters(
            lake.path("base"),
            examples,
            [(one.configuration, settings.seed) for one in some],
            settings.training,
            Store(lake.STORE),
            settings.compute.threads,
        )
        trained = [adapters[one.configuration, settings.seed] for one in some]
        frame = pl.DataFrame(_rows(some, trained, shown, settings))
        done = frame if done is None else pl.concat([done, frame])
        with atomic(FILE) as opened:
            done.write_csv(opened)
        print(f"{done['adapter'].n_unique()} adapters in {FILE.relative_to(ROOT)}", flush=True)
    if (told := _summary(done)) is not None:
        print(told)


@dataclass(frozen=True)
class _Adapter:
    """What is to be measured: an adapter's number, its configuration and knobs, temperatures."""

    number: int
    configuration: AdapterConfiguration
    knobs: Knobs
    temperatures: Sequence[float]


def known() -> pl.DataFrame | None:
    """Return the table, a row for each adapter and temperature; None before its first row."""
    texts = dict.fromkeys(SETS, pl.String)
    return pl.read_csv(FILE, schema_overrides=texts) if FILE.exists() else None


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
    adapters: Sequence[_Adapter],
    trained: Sequence[Adapter],
    shown: Mapping[str, Sequence[Problem]],
    settings: Params,
) -> list[dict[str, Any]]:
    """Return what some adapters repair at their temperatures; all of it is drawn together."""
    subjects = {
        adapter.number: [
            SubjectRow(
                f"{adapter.number}-{temperature}",
                one.key,
                str(one.folder.absolute()),
                one.files,
                replace(adapter.knobs, temperature=temperature),
            )
            for temperature in adapter.temperatures
        ]
        for adapter, one in zip(adapters, trained, strict=True)
    }
    once = {problem.name: problem for problems in shown.values() for problem in problems}
    drawn = list(chain.from_iterable(subjects.values()))
    rows, passed, looks = answer(drawn, list(once.values()), settings)
    repaired = {(row.genome, row.problem): well for row, well in zip(rows, passed, strict=True)}
    right = {(look.genome, look.problem): look.right for look in looks}
    return [
        {
            "adapter": adapter.number,
            **genes(adapter.configuration, subject.knobs),
            "loss": round(float(np.mean(one.curve.loss[-32:])), 4),
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
        for adapter, one in zip(adapters, trained, strict=True)
        for subject in subjects[adapter.number]
    ]


def _mean(right: Iterable[float | None]) -> float:
    """Return the mean probability of the right change, where it is known."""
    return round(fmean(one for one in right if one is not None), 4)


def _summary(frame: pl.DataFrame | None) -> str | None:
    """Return what each choice gives, and what tells how many held-out bugs an adapter repairs.

    All of the adapters that are measured at the lowest temperature, and at that one, but for the
    comparison of temperatures, of the adapters that have all of them. None if there are fewer
    adapters than a search tries.
    """
    if frame is None:
        return None
    shares = frame.with_columns(
        pl.col(name).str.count_matches("1") / pl.col(name).str.len_chars() for name in SETS
    )
    cold = frame["temperature"] == frame["temperature"].min()
    coldest = shares.filter(cold)
    if len(coldest) < _TRIED:
        return None
    most = frame["temperature"].n_unique()
    whole = shares.filter(pl.len().over("adapter") == most)
    rows: list[tuple[str, ...]] = [("all", *_shares(coldest))]
    for gene in (*HEAVY, "temperature"):
        rows.append(())
        part = whole if gene == "temperature" else coldest
        for some in part.sort(gene).partition_by(gene, maintain_order=True):
            rows.append((f"{gene} {some[gene][0]}", *_shares(some)))
    outcomes = {
        name: np.array([list(text) for text in frame.filter(cold)[name]]).astype(float)
        for name in SETS
    }
    rows.append(())
    for name, expression in (("least", pl.col(*SETS).min()), ("most", pl.col(*SETS).max())):
        cells = [f"{share:.3f}" for share in coldest.select(expression).row(0)]
        rows.append((f"{name} by one", str(len(coldest)), *cells))
    for many, of in (("any", np.max), ("each", np.min)):
        cells = [f"{of(one, axis=0).mean():.3f}" for one in outcomes.values()]
        rows.append((f"by {many} of all", str(len(coldest)), *cells))
    reliable: list[Sequence[str]] = []
    for name in SETS:
        # Over bugs, since the table does not say of which programs they are.
        one = reliability(outcomes[name])
        cells = [f"{one.spread:.3f}", f"{one.chance:.3f}", f"{one.reliability:.2f}"]
        reliable.append((name, str(one.programs), *cells))
    held_out = coldest["held_out"].to_numpy()
    signals = coldest.select(pl.col(*SETS, "^right_.*$"), less_loss=-pl.col("loss"))
    agree: list[Sequence[str]] = []
    for name in signals.columns:
        told = [
            decimal(signals.select(pl.corr(name, other, method="spearman")).item(), 2, signed=True)
            for other in SETS
        ]
        best = of_the_best(signals[name].to_numpy(), held_out, _TRIED)
        agree.append((name, *told, f"{best:.3f}"))
    header = ("between adapters", "bugs", "spread", "chance", "reliability")
    told_header = ("rank correlation with", *SETS, f"held_out, best of {_TRIED} by it")
    return "\n\n".join(
        (
            table(("share repaired", "adapters", *SETS), rows, left={"share repaired"}),
            table(header, reliable, left={header[0]}),
            table(told_header, agree, left={told_header[0]}),
        )
    )


def _shares(frame: pl.DataFrame) -> tuple[str, ...]:
    """Return how many adapters there are, and the mean shares that they repair."""
    shares = frame.select(pl.col(*SETS).mean()).row(0)
    return (str(frame["adapter"].n_unique()), *(f"{share:.3f}" for share in shares))


def of_the_best(seen: NDArray[np.float64], values: NDArray[np.float64], tried: int) -> float:
    """Return the mean value of what seems best of so many, drawn without replacement.

    Of ``n`` in ascending order the ``k``-th is the last of ``tried`` in ``comb(k, tried - 1)`` of
    ``comb(n, tried)`` draws, ``k`` counted from 0; of those that seem alike any may be taken.
    """
    mean = {one: float(values[seen == one].mean()) for one in np.unique(seen)}
    return sum(
        comb(place, tried - 1) * mean[one] for place, one in enumerate(np.sort(seen))
    ) / comb(len(seen), tried)


if __name__ == "__main__":
    main()
