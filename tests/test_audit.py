"""`coral audit` names any single value, row or file of a finished run that was changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from coral_batch import lake
from coral_batch.audit.recorded import Mismatch
from coral_batch.audit.steps import run_steps, steps
from coral_batch.commands import cli
from coral_batch.corpus.split.overlap import measure_overlaps
from coral_batch.errors import CoralError
from coral_batch.lake import params, seals, vouchers
from coral_batch.lake.schemas import schema_of
from coral_batch.linteval.items.sources import make
from coral_batch.linting.pool import lint
from coral_batch.linting.programs import TOOLS
from coral_batch.models.base.catalogue import CATALOGUE
from coral_batch.models.base.checkpoint import provenance
from coral_batch.records.finding import Finding
from coral_batch.records.items import Item
from coral_batch.records.rows import BestRow
from coral_batch.records.settings import Base, Params
from coral_batch.records.verdict import Program, Verdict
from tests import REPOSITORY
from tests.finished_lake import ask, make_finished_lake
from tests.other_values import changed
from tests.settings import set_params

PART = "001"
VIEWS = {"base", "page", "index"}
TABLES = [table for table in lake.PLACES if table not in VIEWS]
LINTEVAL = {table for table in TABLES if table.startswith("linteval_")}
ANSWERS = [table for table in TABLES if "{model}" in lake.PLACES[table]]
FOUNDATION = {
    *("problems", "manifest", "statistics", "overlaps", "bug_trials", "bugs", "card", "examples"),
    *("calibration", "corpus_dropped", "refit_examples"),
}
ROWS = [table for table in TABLES if lake.PLACES[table].endswith((".jsonl", ".parquet"))]
DOCUMENTS = [table for table in TABLES if lake.PLACES[table].endswith(".json")]


def columns(tables: Sequence[str]) -> list[tuple[str, str]]:
    """Return table and column of every column, nested objects leaf by leaf."""
    return [
        (table, ".".join((name, *path)))
        for table in tables
        for name, field in schema_of(table)["properties"].items()
        for path in leaves(field)
    ]


def leaves(schema: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, field in schema.get("properties", {}).items():
        for path in leaves(field):
            yield (name, *path)
    if "properties" not in schema:
        yield ()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        make_finished_lake(folder)
    return folder


class Linted:
    """The linters, asked once about the same source: most tests leave all sources as they are."""

    def __init__(self) -> None:
        self.known: dict[tuple[object, str], list[Finding]] = {}

    def __call__(
        self,
        sources: Sequence[str],
        workers: int | None,
        tools: Sequence[str] = TOOLS,
        **options: bool,
    ) -> list[list[Finding]]:
        kind = (tools, *options.items())
        new = [source for source in dict.fromkeys(sources) if (kind, source) not in self.known]
        if new:
            for source, found in zip(new, lint(new, workers, tools, **options), strict=True):
                self.known[kind, source] = found
        return [list(self.known[kind, source]) for source in sources]


LINTED = Linted()


class Overlaps:
    """The comparison of programs, done once for the same ones: it takes a second."""

    def __init__(self) -> None:
        self.known: dict[str, list[Any]] = {}

    def __call__(self, problems: Sequence[Any]) -> list[Any]:
        key = repr(problems)
        if key not in self.known:
            self.known[key] = measure_overlaps(problems)
        return self.known[key]


OVERLAPS = Overlaps()


@pytest.fixture
def here(finished: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The finished run as the working directory; the next test finds it as it was."""
    monkeypatch.chdir(finished)
    for module in ("linting.tables", "linteval.scores.tables"):
        monkeypatch.setattr(f"coral_batch.{module}.lint", LINTED)
    monkeypatch.setattr("stages.split.measure_overlaps", OVERLAPS)
    before = contents(finished)
    yield finished
    for file in contents(finished).keys() - before.keys():
        (finished / file).unlink()
    for file, content in before.items():
        if not (finished / file).is_file() or (finished / file).read_bytes() != content:
            (finished / file).parent.mkdir(parents=True, exist_ok=True)
            (finished / file).write_bytes(content)


def contents(folder: Path) -> dict[str, bytes]:
    files = (folder / "lake").rglob("*")
    return {str(file.relative_to(folder)): file.read_bytes() for file in files if file.is_file()}


def part_of(table: str) -> str | None:
    if "{model}" in lake.PLACES[table]:
        return "best"
    if "{source}" in lake.PLACES[table]:
        return "own" if table == "corpus_dropped" else "classics"
    return PART if "{part}" in lake.PLACES[table] else None


@cache
def settings_of(folder: Path) -> Params:
    return params.load(folder / params.FILE)


def run_audit(part: str | None) -> list[Mismatch]:
    settings = settings_of(Path.cwd())
    return run_steps(settings, steps(settings, part))[0]


def audit_around(table: str) -> list[Mismatch]:
    """Audit a generation, what all rest on, CodeLinterEval, or what comes out of the run."""
    if part_of(table) == PART:
        return run_audit(PART)
    groups = [group for group in (FOUNDATION, LINTEVAL) if table in group]
    rest = {"finalists", "best", "evidence", "metrics", "plots", "times"}
    around = groups[0] if groups else rest
    settings = settings_of(Path.cwd())
    listed = [step for step in steps(settings, None) if step.places[0][0] in around]
    return run_steps(settings, listed)[0]


def row_number(table: str, column: str, count: int) -> int:
    return int(hashlib.sha256(f"{table}.{column}".encode()).hexdigest(), 16) % count


def read(table: str) -> list[dict[str, Any]]:
    return lake.read_raw(table, part_of(table))


def write(table: str, rows: list[dict[str, Any]], part: str | None = None) -> None:
    """Write rows as they are: unlike the lake, without sealing and validating them."""
    file = lake.path(table, part or part_of(table))
    if file.suffix == ".parquet":
        schema = pl.read_parquet_schema(file)
        pl.DataFrame(rows, schema=schema, orient="row").write_parquet(file)
    else:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        file.write_text(text, encoding="utf-8")


def sealed_again(table: str, row: dict[str, Any]) -> dict[str, Any]:
    schema = schema_of(table)
    return {**row, "seal": seals.seal(table, schema, row)} if seals.is_sealed(schema) else row


def test_a_finished_run_follows(here: Path) -> None:
    done = CliRunner().invoke(cli.app, ["audit"])
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert all(line.endswith(": follows") for line in lines)
    tables = [place for step in steps(params.load(), None) for place in step.places]
    assert len(lines) == len(set(lines)) == len(tables)


@pytest.mark.parametrize(
    ("table", "column"), columns(ROWS), ids=[f"{t}-{c}" for t, c in columns(ROWS)]
)
def test_a_changed_value_is_named(here: Path, table: str, column: str) -> None:
    rows = read(table)
    number = row_number(table, column, len(rows))
    path = column.split(".")
    was = rows[number]
    rows[number] = changed(was, path, schema_of(table))
    write(table, rows)
    (mismatch,) = audit_around(table)
    assert mismatch.file == lake.path(table, part_of(table))
    assert mismatch.row is not None
    assert mismatch.row.startswith(f"row {number + 1} ")
    assert mismatch.column is not None
    assert (mismatch.column + ".").startswith(column + ".")


FIELDS = [(table, name) for table in DOCUMENTS for name in schema_of(table)["properties"]]


@pytest.mark.parametrize(("table", "column"), FIELDS, ids=[f"{t}-{c}" for t, c in FIELDS])
def test_a_changed_value_of_a_document_is_named(here: Path, table: str, column: str) -> None:
    (document,) = lake.read_raw(table)
    new = changed(document, [column], schema_of(table))
    lake.path(table).write_text(json.dumps(new))
    mismatches = audit_around(table)
    if (table, column) == ("card", "files"):  # by which the tokenizer's files are refused
        mismatches = [one for one in mismatches if one.problem is None]
    (mismatch,) = mismatches
    assert mismatch.file == lake.path(table)
    assert mismatch.column is not None
    assert (mismatch.column + ".").startswith(column + ".")


def test_a_wrong_value_of_any_generation_is_named_once_in_the_whole_run(here: Path) -> None:
    """What comes out of the run is compared with what a generation should be, though let go of."""
    best = lake.read_document("best", BestRow)
    places = []
    for part, table, column in (
        (best.generation, "scores", "bugfix"),
        ("000", "case_times", "cpu_seconds"),
        ("001", "samples", "seed"),
        ("001", "verdicts", "test"),
    ):
        rows = lake.read_raw(table, part)
        number = next(n for n, row in enumerate(rows) if row["genome"] in (best.genome, "001-00"))
        rows[number] = changed(rows[number], [column], schema_of(table))
        write(table, rows, part)
        places.append((lake.path(table, part), column))
    mismatches = run_audit(None)
    assert sorted((mismatch.file, mismatch.column) for mismatch in mismatches) == sorted(places)


def test_what_rests_on_a_wrong_measured_value_is_not_said_to_follow(here: Path) -> None:
    rows = lake.read_raw("adapter_durations", PART)
    rows[0]["seconds"] += 1
    write("adapter_durations", rows)
    metrics = json.loads(lake.path("metrics").read_text())
    metrics["baseline"]["fitness"] += 0.01
    lake.path("metrics").write_text(json.dumps(metrics))
    done = CliRunner().invoke(cli.app, ["audit"])
    told = [line for line in done.stdout.splitlines() if line.startswith("lake/")]
    said = dict(line.split(": ", 1) for line in told if ": " in line)
    assert said.pop(str(lake.path("adapter_durations", PART))).startswith("1 wrong")
    # It does not rest on durations, unlike the times.
    assert said.pop(str(lake.path("metrics"))) == "1 wrong"
    assert said.pop(str(lake.path("times"))).startswith("follows, but not all checked")
    assert {name for name, words in said.items() if words != "follows"} == set()


def test_of_long_texts_the_part_that_differs_is_shown(here: Path) -> None:
    rows = read("samples")
    rows[0]["prompt"] = rows[0]["prompt"] + " "
    write("samples", rows)
    (mismatch,) = run_audit(PART)
    _, found, expected, _ = str(mismatch).splitlines()
    assert found.removeprefix("  found: ").strip() != expected.removeprefix("  expected: ").strip()


@pytest.mark.parametrize("array", ["genomes", "packed", "width"])
def test_a_changed_cell_of_an_automaton_is_named(here: Path, array: str) -> None:
    arrays = lake.read_arrays("automata", PART)
    if array == "packed":
        arrays["packed"][2, 3, 4, 1] ^= 16
    elif array == "genomes":
        arrays["genomes"][1] = "001-77"
    else:
        arrays["width"] = arrays["width"] + 1
    lake.write_arrays("automata", arrays, PART)
    (mismatch,) = run_audit(PART)
    place = {"packed": "packed.2.3.4.1", "genomes": "genomes.1", "width": "width"}
    assert (mismatch.file, mismatch.column) == (lake.path("automata", PART), place[array])


REARRANGED: dict[str, Callable[[list[Any]], list[Any]]] = {
    "missing": lambda rows: rows[:1] + rows[2:],
    "twice": lambda rows: [*rows[:2], *rows[1:]],
    "swapped": lambda rows: [rows[1], rows[0], *rows[2:]],
    "empty": lambda rows: [],
}
# Every table without a row; the other changes where rows follow, are measured, or share a key.
CASES = [(table, "missing") for table in ROWS] + [
    (table, change)
    for table in ("manifest", "population", "adapter_cards", "samples", "case_times", "findings")
    for change in ("twice", "swapped", "empty")
]


@pytest.mark.parametrize(("table", "change"), CASES)
def test_a_row_missing_twice_or_elsewhere_is_named(here: Path, table: str, change: str) -> None:
    rows = read(table)
    write(table, REARRANGED[change](rows))
    mismatches = audit_around(table)
    assert lake.path(table, part_of(table)) in {mismatch.file for mismatch in mismatches}


def test_of_a_row_that_is_there_twice_the_first_counts(here: Path) -> None:
    """The other one is named, and nothing for what it says, though under a seal of its own."""
    rows = read("samples")
    other = {**rows[1], "raw": "nothing"}
    other["seal"] = seals.seal("samples", schema_of("samples"), other)
    write("samples", [*rows[:2], other, *rows[2:]])
    (mismatch,) = run_audit(PART)
    assert (mismatch.row, mismatch.expected) == ("row 3", "no such row")


def test_other_determinants_under_an_adapters_key_are_seen_through_a_new_seal(here: Path) -> None:
    cards = read("adapter_cards")
    cards[0]["determinants"]["versions"] = {"torch": "1.0.0"}
    write("adapter_cards", [sealed_again("adapter_cards", card) for card in cards])
    named = {(mismatch.file, mismatch.column) for mismatch in run_audit(PART)}
    assert (lake.path("adapter_cards", PART), "key") in named


def test_another_key_of_an_adapter_is_seen_through_new_seals_in_every_table(here: Path) -> None:
    key, other = read("adapter_cards")[0]["key"], "ab" * 32
    for table in ("adapter_cards", "adapter_durations", "adapters", "subjects"):
        rows = json.loads(json.dumps(read(table)).replace(key, other))
        write(table, [sealed_again(table, row) for row in rows])
    folder = lake.path("adapter_folders", PART)
    (folder / key).rename(folder / other)
    named = {(mismatch.file, mismatch.column) for mismatch in run_audit(PART)}
    (folder / other).rename(folder / key)
    assert (lake.path("adapter_cards", PART), "key") in named


@pytest.mark.parametrize(
    ("file", "around", "named"),
    [
        ("lake/generations/001/adapters/*/adapter_model.safetensors", "adapters", None),
        ("lake/generations/001/adapters/*/adapter_config.json", "adapters", None),
        ("lake/base/model.safetensors", "card", "lake/base/card.json"),
        ("lake/report/plots/fitness.csv", "plots", None),
        ("lake/raw/classics/python_programs/gcd.py", "problems", "lake/corpus/classics.jsonl"),
        ("lake/raw/items/*/clamp.py", "linteval_items", "lake/linteval/items.jsonl"),
        ("lake/linteval/plots/fixed.csv", "linteval_plots", None),
    ],
)
def test_a_changed_file_is_named(here: Path, file: str, around: str, named: str | None) -> None:
    found = sorted(here.glob(file))[0]
    found.chmod(0o644)
    found.write_bytes(found.read_bytes().replace(b"return ", b"return  ")[:-1] + b" ")
    mismatches = audit_around(around)
    assert (named or str(found.relative_to(here))) in {str(one.file) for one in mismatches}


@pytest.mark.parametrize("table", ["card", "adapter_folders"])
def test_a_link_to_itself_in_the_place_of_weights_is_named(here: Path, table: str) -> None:
    folder = here / lake.path(table, part_of(table))
    folder = folder.parent if table == "card" else folder
    weights = sorted(folder.rglob("*.safetensors"))[0]
    weights.unlink()
    weights.symlink_to(weights.name)
    mismatches = audit_around(table)
    weights.unlink()
    (mismatch,) = mismatches
    assert "no such file" in (mismatch.found, mismatch.expected)


def test_a_folder_too_many_and_one_missing_are_named(here: Path) -> None:
    folder = lake.path("adapter_folders", PART)
    one = sorted(folder.iterdir())[0]
    one.rename(folder / ("0" * 64))
    assert {mismatch.file for mismatch in run_audit(PART)} == {one, folder / ("0" * 64)}
    (folder / ("0" * 64)).rename(one)


@pytest.mark.parametrize("table", ["population", "samples", "verdicts", "calibration", "card"])
def test_what_cannot_be_read_is_told_and_what_rests_on_it_is_not_called_right(
    here: Path, table: str
) -> None:
    lake.path(table, part_of(table)).write_bytes(b"{")
    done = CliRunner().invoke(cli.app, ["audit"])
    assert done.exit_code == 1
    assert str(lake.path(table, part_of(table))) in done.output
    assert "1 values or rows do not follow" in done.output
    if table != "population":  # which is drawn again from the seed
        assert "not checked" in done.output


def test_a_base_folder_that_was_changed_after_it_was_copied_is_named(here: Path) -> None:
    weights = here / "tiny/model.safetensors"
    was = weights.read_bytes()
    weights.write_bytes(was[:-1] + bytes([was[-1] ^ 1]))
    mismatches = audit_around("card")
    weights.write_bytes(was)
    (here / "tiny").rename(here / "elsewhere")
    without = audit_around("card")
    (here / "elsewhere").rename(here / "tiny")
    place = (lake.path("card"), "files.model.safetensors")
    assert [(one.file, one.column) for one in mismatches] == [place]
    assert without == []


@pytest.mark.parametrize("column", schema_of("card")["properties"])
@pytest.mark.parametrize("origin", ["hub", "catalogue"])
def test_a_changed_value_of_a_card_of_another_origin_is_named(
    here: Path, origin: str, column: str
) -> None:
    name, commit = ("nobody/tiny", "c" * 40) if origin == "hub" else (next(iter(CATALOGUE)), None)
    known = {**lake.read_document("card", dict), **provenance(name, origin), "revision": commit}
    settings = replace(settings_of(here), base=Base(name, commit))
    listed = [step for step in steps(settings, None) if step.places[0][0] == "card"]
    lake.write_document("card", known)
    assert run_steps(settings, listed)[0] == []
    lake.write_document("card", changed(known, [column], schema_of("card")))
    assert column in {str(one.column).split(".")[0] for one in run_steps(settings, listed)[0]}


def test_roles_are_given_again_where_the_source_is_gone(here: Path) -> None:
    (here / "lake/raw/classics").rename(here / "lake/raw/gone")
    settings = settings_of(here)
    listed = [step for step in steps(settings, None) if step.places[0] == ("problems", "classics")]
    assert run_steps(settings, listed)[0] == []
    rows = read("problems")
    number = next(n for n, row in enumerate(rows) if row["role"] == "held_out")
    rows[number]["role"] = "training"
    write("problems", rows)
    (mismatch,) = run_steps(settings, listed)[0]
    assert (mismatch.column, mismatch.expected) == ("role", "held_out")


def codelinter(settings: Params) -> list[Mismatch]:
    listed = [step for step in steps(settings, None) if step.places[0][0] == "linteval_items"]
    return run_steps(settings, listed)[0]


def test_items_follow_from_their_own_code_where_their_source_is_gone(here: Path) -> None:
    (here / "lake/raw/items").rename(here / "lake/raw/elsewhere")
    assert codelinter(settings_of(here)) == []
    rows = read("linteval_items")
    rows[2]["inputs"]["feedback"] = "E225: missing whitespace around operator in 1 line\n"
    write("linteval_items", rows)
    (mismatch,) = codelinter(settings_of(here))
    assert (mismatch.file, mismatch.column) == (lake.path("linteval_items"), "inputs.feedback")


def test_items_of_other_sources_follow_from_them(here: Path) -> None:
    """What flake8 dropped is dropped again, whatever the seal says; what the jail did stands."""

    def fail_one(programs: Sequence[Program]) -> list[list[Verdict]]:
        """Fail the canonical form of one."""
        failed = [Verdict(0, None, "FAIL", "returned 0", 0.0, 0.0)]
        last = len(programs) - 1
        return [failed if number == last else [] for number in range(len(programs))]

    folder = here / "lake/raw/folder"
    folder.mkdir()
    for name, code in (("a", "x=1\n"), ("b", "x=1\n"), ("c", "x = 1\n"), ("d", "def (\n")):
        (folder / f"{name}.py").write_text(code)
    items = here / "lake/raw/items.json"
    items.write_text(json.dumps([asdict(item) for item in lake.read_rows("linteval_items", Item)]))
    snippets = here / "lake/raw/items"
    for source, path in (("snippets", snippets), ("official", items), ("folder", folder)):
        chosen = replace(settings_of(here).linteval, source=source, path=str(path))
        settings = replace(settings_of(here), linteval=chosen)
        data_set = make(settings, fail_one)
        lake.write_rows("linteval_items", data_set.items)
        lake.write_rows("linteval_tests", data_set.tests)
        lake.write_rows("linteval_dropped", data_set.dropped)
        lake.write_document("linteval_statistics", data_set.statistics)
        assert codelinter(settings) == []
        reasons = {"snippets": ["canonical_fails"], "folder": ["duplicate", "clean", "unparseable"]}
        assert [drop.reason for drop in data_set.dropped] == reasons.get(source, [])
    drops = list(data_set.dropped)
    drops[1] = replace(drops[1], reason="not_linted")
    lake.write_rows("linteval_dropped", drops)
    (mismatch,) = codelinter(settings)
    assert (mismatch.row, mismatch.column) == ("row 2 (c.py)", "reason")


def test_the_answers_of_any_genome_are_audited_with_the_lake_and_alone(here: Path) -> None:
    (model,) = set(lake.lint_models()) - set(lake.LINT_MODELS)
    alone = ["audit", f"linteval/{model}"]
    done = CliRunner().invoke(cli.app, alone)
    assert done.exit_code == 0, done.output
    lines = {f"{lake.path(table, model)}: follows" for table in ANSWERS}
    assert set(done.stdout.splitlines()) == lines
    rows = lake.read_raw("linteval_scores", model)
    rows[0]["official"] = not rows[0]["official"]
    pl.DataFrame(rows).write_parquet(lake.path("linteval_scores", model))
    (mismatch,) = audit_around("linteval_scores")
    assert (mismatch.file, mismatch.column) == (lake.path("linteval_scores", model), "official")
    assert CliRunner().invoke(cli.app, alone).exit_code == 1
    assert CliRunner().invoke(cli.app, ["audit", "linteval/base"]).exit_code == 0
    assert CliRunner().invoke(cli.app, ["audit", "linteval/none"]).exit_code == 2


def test_answers_that_had_to_change_the_code_follow(here: Path) -> None:
    before = (here / params.FILE).read_bytes()
    try:
        set_params({"linteval.change": "required"})
        ask("base")
        settings = params.load()
        assert run_steps(settings, steps(settings, "linteval/base"))[0] == []
    finally:
        (here / params.FILE).write_bytes(before)


def test_answers_whose_tests_are_gone_are_not_called_right_alone(here: Path) -> None:
    write("linteval_tests", read("linteval_tests")[-1:])
    done = CliRunner().invoke(cli.app, ["audit", "linteval/base"])
    assert done.exit_code == 1
    assert f"{lake.path('linteval_tests')}\n" in done.output
    assert f"{lake.path('linteval_scores', 'base')}: not checked" in done.output


def test_the_message_names_file_row_column_found_expected_and_source(here: Path) -> None:
    rows = read("samples")
    rows[3]["seed"] += 1
    write("samples", rows)
    done = CliRunner().invoke(cli.app, ["audit", PART])
    assert done.exit_code == 1
    name = ", ".join(str(rows[3][key]) for key in ("genome", "problem", "sample"))
    assert f"lake/generations/001/samples.jsonl, row 4 ({name}), seed\n" in done.output
    assert f"found:    {rows[3]['seed']}\n" in done.output
    assert f"expected: {rows[3]['seed'] - 1}\n" in done.output
    assert "from:     params.yaml: seed" in done.output
    assert CliRunner().invoke(cli.app, ["audit", "000"]).exit_code == 0


def test_a_value_that_should_be_null_is_said_to_be_none(here: Path) -> None:
    (row,) = lake.read_raw("subjects", lake.BASELINE)
    write("subjects", [{**row, "key": "0" * 64}], lake.BASELINE)
    done = CliRunner().invoke(cli.app, ["audit"])
    assert "lake/baseline/subjects.jsonl, row 1 (base), key\n" in done.output
    assert "expected: None\n" in done.output


def test_the_calibration_can_be_made_again(here: Path) -> None:
    assert CliRunner().invoke(cli.app, ["audit", "--calibration", PART]).exit_code == 0
    document = lake.read_document("calibration", dict)
    document["rounds"][1][2][0][3] += 1e-12
    lake.write_document("calibration", document)  # sealed anew
    done = CliRunner().invoke(cli.app, ["audit", "--calibration", PART])
    assert "rounds.1.2.0.3" in done.output


def test_one_repair_can_be_run_again(here: Path) -> None:
    row = read("verdicts")[-1]
    name = f"{PART}/{row['genome']}/{row['problem']}/{row['sample']}"
    done = CliRunner().invoke(cli.app, ["audit", "--rerun", name])
    assert done.exit_code == 0, done.output
    frame = lake.read_frame("verdicts", PART)
    lake.write_frame("verdicts", frame.with_columns(detail=pl.lit("another")), PART)
    done = CliRunner().invoke(cli.app, ["audit", "--rerun", name])
    assert done.exit_code == 1
    assert f"case {row['case']}: {row['kind']}, not as before" in done.output
    words = name.split("/")
    for index, what in enumerate(("PART", "GENOME", "PROBLEM", "SAMPLE")):
        wrong = "/".join([*words[:index], "99", *words[index + 1 :]])
        missing = str(CliRunner().invoke(cli.app, ["audit", "--rerun", wrong]).exception)
        assert f"no such repair\n  field:    --rerun, {what}\n  found:    '99'" in missing
        assert words[index] in missing.partition("expected: one of ")[2]
    short = CliRunner().invoke(cli.app, ["audit", "--rerun", "/".join(words[:2])])
    assert "expected: PART/GENOME/PROBLEM/SAMPLE" in str(short.exception)


def test_a_verdict_that_comes_out_otherwise_is_named_by_its_case(here: Path) -> None:
    *others, row = read("verdicts")
    name = f"{PART}/{row['genome']}/{row['problem']}/{row['sample']}"
    for rows, named in (([*others, {**row, "kind": "CRASH"}], ".kind"), (others, "")):
        write("verdicts", rows)
        done = CliRunner().invoke(cli.app, ["audit", "--rerun", name])
        assert f"{lake.path('verdicts', PART)}, {name}, case {row['case']}{named}\n" in done.output


def test_a_repair_of_a_bug_that_is_gone_is_told_and_not_run_again(here: Path) -> None:
    part = lake.EVALUATIONS["best"]
    row = next(row for row in lake.read_raw("samples", part) if "-" in row["problem"])
    rows = [bug for bug in read("bugs") if bug["id"] != row["problem"]]
    write("bugs", rows)
    name = f"{part}/{row['genome']}/{row['problem']}/{row['sample']}"
    gone = CliRunner().invoke(cli.app, ["audit", "--rerun", name])
    assert isinstance(gone.exception, CoralError)
    assert f"no row with name {row['problem']}" in str(gone.exception)


def test_a_seal_shows_a_change_of_itself_and_of_each_value() -> None:
    schema = schema_of("durations")
    row = {"unit": "a", "seconds": 1.5, "reused": False}
    sealed = {**row, "seal": seals.seal("sample_durations", schema, row)}
    assert seals.broken("sample_durations", schema, ["a"], sealed) == []
    for column, value in (("seconds", 1.25), ("reused", True)):
        other = {**sealed, column: value}
        assert seals.broken("sample_durations", schema, ["a"], other) == [column]
    for index in range(len(sealed["seal"])):
        digit = "0" if sealed["seal"][index] != "0" else "1"
        damaged = sealed["seal"][:index] + digit + sealed["seal"][index + 1 :]
        other = {**sealed, "seal": damaged}
        assert seals.broken("sample_durations", schema, ["a"], other) == ["seal"]
    # A seal of another row or table does not fit.
    assert len(seals.broken("sample_durations", schema, ["b"], sealed)) == 2
    assert len(seals.broken("adapter_durations", schema, ["a"], sealed)) == 2


def test_every_table_of_the_lake_is_audited() -> None:
    settings = params.load(REPOSITORY / "params.yaml")
    audited = {table for step in steps(settings, None) for table, _ in step.places}
    assert set(lake.PLACES) - VIEWS == audited


def test_the_documented_vouchers_are_those_of_the_schemas() -> None:
    assert vouchers.markdown() in (REPOSITORY / "docs/audit.md").read_text()


def test_every_column_has_a_voucher() -> None:
    for table in ROWS + DOCUMENTS:
        schema = schema_of(table)
        for name, field in schema["properties"].items():
            assert field.get("from") or schema.get("from"), f"{table}.{name}"
