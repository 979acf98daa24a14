"""The HTML report: its content, and that it is self-contained and safe."""

import base64
import contextlib
import hashlib
import itertools
import re
import shutil
import struct
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from coral_batch import lake
from coral_batch.evidence.paired import Estimate
from coral_batch.evidence.summary import Evidence
from coral_batch.lake import params
from coral_batch.records.problem import Bug
from coral_batch.records.rows import BestRow, SampleRow, SelectionRow, TimeRow
from coral_batch.records.settings import Scores
from coral_batch.repair.adapters import find_adapter
from coral_batch.report.claims import FIRST_CHANGES
from coral_batch.report.page.charts import (
    Series,
    by_generation,
    descent_chart,
    held_out_chart,
    pareto,
    training_curve,
)
from coral_batch.report.page.generation import part_page
from coral_batch.report.page.image import png, slice_through_time, snapshots
from coral_batch.report.page.repairs import MOST_REPAIRS
from coral_batch.report.reading import read_repairs
from coral_batch.search.best import NOBODY_PASSED, REFUSED
from stages.evidence import evidence
from stages.index import index
from stages.page import page
from stages.results import results
from tests import REPOSITORY
from tests.report_lake import GENERATIONS, make_run, refuse, write_best, write_lake
from tests.rows import genome, selected

PARTS = (lake.VALIDATION_BASE, *lake.EVALUATIONS.values(), *GENERATIONS)

HOSTILE = (
    "</script></style></title></pre><script>window.owned = 1</script>\n"
    "<img src=x onerror='window.owned = 1'><svg onload=\"window.owned = 1\"></svg>\n"
    "</details><style>body { display: none }</style><a href='javascript:window.owned = 1'>\n"
    "{{ 7 * 191 }} {% raw %} &lt;script&gt;\n"
    "\x00\x1b[31m\x07\x7f\x9b\u202e\u2066\u200b\u2028\ufeff\U000e0041 end"
)

_PASSES = {
    "pass@1": {"value": 0.25, "low": 0.125, "high": 0.5},
    "pass@5": {"value": 0.5, "low": 0.25, "high": 0.75},
    "pass@10": None,
}
_LINTED = {
    "items": 8,
    "functions": 6,
    "tested": 4,
    "samples": 5,
    "official": _PASSES,
    "strict": _PASSES,
    "tests_passed": 7,
    "changes": {"fixed": 9, "stayed": 8, "lost": 0, "new": 3},
}
LINTEVAL = {
    "base": {**_LINTED, "genome": "base", "outcomes": {"findings": 40}},
    "best": {**_LINTED, "genome": "001-00", "outcomes": {"clean": 30, "findings": 10}},
    "official": _PASSES,
    "strict": _PASSES,
}


def make_pages(folder: Path) -> None:
    """Write the small lake into an empty project folder, and every page of it."""
    shutil.copy(REPOSITORY / "params.yaml", folder)
    with contextlib.chdir(folder):
        make_run()
        evidence()
        # Evaluate on the problems of selection again: those of `make_run` have no programs to show.
        write_lake()
        for part in PARTS:
            _make_hostile(part)
        results()
        lake.write_document("linteval_metrics", LINTEVAL)
        for part in PARTS:
            page(part)
        index()


def _make_hostile(part: str) -> None:
    samples = lake.read_rows("samples", SampleRow, part)
    changed = [
        replace(row, code=HOSTILE) if (row.problem, row.sample) == ("sieve", 1) else row
        for row in samples
    ]
    lake.write_rows("samples", changed, part)
    for table, column in (("verdicts", "detail"), ("findings", "message")):
        hostile = pl.when(pl.col("sample") == 1).then(pl.lit(HOSTILE)).otherwise(pl.col(column))
        frame = lake.read_frame(table, part).with_columns(hostile.alias(column))
        lake.write_frame(table, frame, part)
    frame = lake.read_frame("scores", part)
    lake.write_frame("scores", frame.with_columns(style_reason=pl.lit(HOSTILE)), part)


class Page(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = self.script = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        self.text += " " if tag in {"td", "th", "dt", "dd", "li", "span", "h3", "option"} else ""

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script" and not self.script:
            self.script = data
        self.text += data

    def values(self, attribute: str) -> list[str]:
        return [value for _, found in self.tags if (value := found.get(attribute)) is not None]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with all its pages; tests work on a copy."""
    folder = tmp_path_factory.mktemp("finished")
    make_pages(folder)
    return folder


@pytest.fixture
def pages(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Page]:
    monkeypatch.chdir(shutil.copytree(finished, tmp_path / "copy"))
    root = lake.path("index").parent
    return {
        file.relative_to(root).as_posix(): Page(file.read_text("utf-8"))
        for file in root.rglob("*.html")
    }


def _first_page() -> str:
    return " ".join(Page(lake.path("index").read_text("utf-8")).text.split())


def test_the_first_page_opens_with_the_result_and_what_ran(pages: dict[str, Page]) -> None:
    opening = _first_page().partition("Against the base model")[0]
    for words in (
        "75 % of the best genome's repairs of 2 held-out bugs pass, 25 % of the base model's",
        "tiny, search evolved, population 3 x 2 generations, seed 1. Corpus: classics"
        " (1 training, 2 test, 0 held-out programs).",
        "base model 25 % [0, 75]",
        "best genome 75 % [25, 100]",
        "Difference: +50 [+0, +100] points, may be noise.",
    ):
        assert words in opening, words


def test_the_first_page_draws_the_line_of_descent_with_its_scores(pages: dict[str, Page]) -> None:
    descriptions = pages["index.html"].values("aria-label")
    assert "Line of descent of 001-00. 000-01 0.808, 001-00 0.900" in descriptions
    links = pages["index.html"].values("href")
    assert {"generations/000.html#g000-01", "generations/001.html#g001-00"} <= {*links}


def test_the_first_page_links_best_genome_its_repairs_and_last_generation(
    pages: dict[str, Page],
) -> None:
    links = pages["index.html"].values("href")
    opening = links[: links.index("evaluation/base.html")]
    expected = ["generations/001.html#g001-00", "evaluation/best.html", "generations/001.html"]
    assert [link for link in opening if link in expected][-3:] == expected
    for one, other in (("best", "base"), ("base", "best")):
        assert f"{other}.html" in pages[f"evaluation/{one}.html"].values("href")


def test_the_first_page_names_the_adapter_that_is_exported(pages: dict[str, Page]) -> None:
    best = lake.read_document("best", BestRow)
    exported, card, _ = find_adapter(best.generation, best.genome)
    text = _first_page()
    assert f"coral export writes the adapter of 001-00, {exported.key[:12]}" in text
    for name, digest in card.files.items():
        assert f"exported adapter: {name} {digest}" in text
    assert 'Inputs of the exported adapter { "arithmetic": {' in text


def test_the_first_page_without_first_changes_has_no_share_of_lines_found(
    pages: dict[str, Page],
) -> None:
    assert "Line of the bug ranked first: share of bugs whose line" in _first_page()
    known = lake.read_document("evidence", Evidence)
    lake.write_document("evidence", replace(known, first_changes={}))
    index()
    assert FIRST_CHANGES["line"] not in lake.path("index").read_text("utf-8")


def test_the_first_page_has_evidence_second_benchmark_times_and_run(pages: dict[str, Page]) -> None:
    text = _first_page()
    cells = "2 x 2 pass@1 25 % [0, 75] 75 % [25, 100] +50 [+0, +100]"
    for words in (
        *("tiny", "1,234", "torch", "3" * 64, "2" * 64, "Python"),
        "bugfix: 0.30",  # params.yaml as it stands
        str(lake.path("examples")),
        f"selection {cells}",
        f"held out {cells} may be noise",
        "n-grams of tokens 0.30 0.60 sieve gcd",
        "official pass@1 25 % [13, 50] 25 % [13, 50] +25 [+13, +50]",
        "The training examples include lint errors.",
        "8 items of 6 functions, 4 with tests; 5 answers each",
        "clean 0 30 findings 40 10 tests pass 7 7 flake8 codes of answers, fixed 9 9",
        "empty answer 0.763 0.500 1.000 0.900 0.750 0.700 0 % 0/2",
        "unchanged program 0.763 0.500 1.000 0.900 0.750 0.700 0 % 0/2",
        "best genome 001-00 0.900 0.875 1.000 0.900 0.915 0.700 75 % 2/2",
        "training took 0.8 min, decoding 0.5 min and test cases 0.3 min.",
        "Not timed: all else",
        "5 genomes: 4 adapters trained on 1,200 tokens, 16 samples of 320 tokens.",
    ):
        assert words in text, words
    assert "pass@10" not in text  # too few answers


def test_the_first_page_says_when_the_gate_refused_the_best_genome(pages: dict[str, Page]) -> None:
    assert REFUSED not in pages["index.html"].text
    refuse({*GENERATIONS["000"], *GENERATIONS["001"]})
    write_best()
    results()
    index()
    assert REFUSED in _first_page()


def test_a_generation_shows_every_genome_and_repair(pages: dict[str, Page]) -> None:
    text = " ".join(pages["generations/001.html"].text.split())
    for part in (
        "001-00 crossover+mutation of 000-01 and 000-02 25.0 0.900",
        "001-00 Crossover+mutation of 000-01 and 000-02; fitness 0.900; survived",
        "complexity 0.100",
        "method DoRA",
        "repetition penalty 1.05",
        "3 steps, 300 tokens",
        "By 001-00 (sample 0)",
        "- return n - 1 + return n + 1",
        "Verdicts: 1 PASS, 1 FAIL",
        "case 1 FAIL 0 1",
        "flake8 1:1 E302",
        "bugfix 1.000 why bugfix",
        "Probability of the first change by line",
        "25 def sieve(n): 75 > return n - 1 0 (after the last line)",
        "sieve ✓ 1 of 6 samples own",
        "Isolation of the tests: seccomp, rlimits.",
    ):
        assert part in text, part
    assert "001-00" not in pages["validation/base.html"].text
    assert "The buggy code, unchanged." in pages["validation/base.html"].text


def test_a_generation_says_when_nobody_passed_the_gate(pages: dict[str, Page]) -> None:
    assert NOBODY_PASSED not in pages["generations/001.html"].text
    rows = lake.read_rows("selection", SelectionRow, "001")
    lake.write_rows("selection", [replace(row, nobody_passed=True) for row in rows], "001")
    page("001")
    text = Page(lake.path("page", "001").read_text("utf-8")).text
    assert NOBODY_PASSED in text
    assert "selected from" not in text


def test_a_program_that_several_samples_have_is_shown_once(workspace: Path) -> None:
    write_lake()
    repairs = read_repairs(lake, params.load(), "000")
    same = [replace(one, sample=replace(one.sample, code="pass")) for one in repairs]
    text = part_page(lake.VALIDATION_BASE, [], same)
    assert text.count("Diff to the buggy program") == 2  # problems
    assert "000-00 (samples 0, 1); 000-01 (samples 0, 1)" in text


def test_a_page_says_what_it_leaves_out(workspace: Path) -> None:
    write_lake()
    one = read_repairs(lake, params.load(), lake.VALIDATION_BASE)[0]
    many = [
        replace(one, sample=replace(one.sample, code=f"x = {number}", sample=number))
        for number in range(MOST_REPAIRS + 3)
    ]
    text = part_page(lake.VALIDATION_BASE, [], many)
    assert text.count("Diff to the buggy program") == MOST_REPAIRS
    assert f"The first {MOST_REPAIRS} of {MOST_REPAIRS + 3} distinct repairs" in text


def test_nothing_that_a_model_wrote_becomes_markup(pages: dict[str, Page]) -> None:
    for name, found in pages.items():
        tags = {tag for tag, _ in found.tags}
        assert not tags & {"iframe", "object", "embed", "form", "base"}, name
        assert [tag for tag, _ in found.tags].count("style") == 1
        assert [tag for tag, _ in found.tags].count("script") == (name != "index.html")
        attributes = {key for _, held in found.tags for key in held}
        assert not {key for key in attributes if key.startswith("on")} | attributes & {"style"}
        if name == "index.html":  # has no model output
            continue
        assert "<script>window.owned = 1</script>" in found.text
        assert "{{ 7 * 191 }}" in found.text
        assert "<U+0000><U+001B>[31m<U+0007><U+007F><U+009B><U+202E><U+2066><U+200B>" in found.text


def test_a_page_needs_nothing_but_itself(pages: dict[str, Page]) -> None:
    for name, found in pages.items():
        policies = [a["content"] or "" for t, a in found.tags if "http-equiv" in a]
        assert len(policies) == 1
        assert policies[0].startswith("default-src 'none'; style-src 'sha256-"), name
        assert "unsafe" not in policies[0]
        if name != "index.html":
            digest = base64.b64encode(hashlib.sha256(found.script.encode()).digest()).decode()
            assert f"script-src 'sha256-{digest}'" in policies[0]
        assert all(value.startswith("data:image/png;base64,") for value in found.values("src"))


def test_every_link_leads_somewhere(pages: dict[str, Page]) -> None:
    root = lake.path("index").parent
    ids = {name: set(found.values("id")) for name, found in pages.items()}
    for name, found in pages.items():
        folder = (root / name).parent
        anchors = [a["href"] or "" for t, a in found.tags if t == "a"]
        assert anchors
        for href in anchors:
            file, _, anchor = href.partition("#")
            assert not file or (folder / file).is_file(), (name, href)
            page_ = (folder / file).resolve().relative_to(root.resolve()) if file else Path(name)
            assert not anchor or anchor in ids[page_.as_posix()], (name, href)


def test_pictures_have_alternatives_and_sections_headings(pages: dict[str, Page]) -> None:
    for found in pages.values():
        for tag, attributes in found.tags:
            if tag == "img":
                assert attributes["alt"]
            if tag == "svg":
                assert attributes.get("aria-hidden") or attributes["aria-label"]
        tags = [tag for tag, _ in found.tags]
        assert tags.count("h1") == tags.count("main") == tags.count("nav") == 1
        labels = [a["aria-labelledby"] for tag, a in found.tags if tag == "section"]
        assert set(labels) <= set(found.values("id"))
        assert found.tags[0] == ("html", {"lang": "en"})


def test_only_times_and_the_run_itself_differ_between_two_first_pages(
    pages: dict[str, Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lasting() -> str:
        html = lake.path("index").read_text("utf-8")
        return re.sub(r'<section id="(time|run)".*?</section>', "", html, flags=re.DOTALL)

    before = lasting()
    assert "seconds" not in before
    rows = lake.read_rows("times", TimeRow)
    lake.write_rows("times", [replace(row, training_seconds=1234.5) for row in rows])
    monkeypatch.setattr("coral_batch.report.page.identity.processor", lambda: "another one")
    index()
    assert "1234.5" in lake.path("index").read_text("utf-8")
    assert "another one" in lake.path("index").read_text("utf-8")
    assert lasting() == before


def test_every_problem_and_repair_can_be_filtered(pages: dict[str, Page]) -> None:
    found = pages["generations/001.html"]
    assert found.values("data-name") == ["sieve", "wrap"]
    assert found.values("data-kind") == ["own", "own"]
    assert {*found.values("data-outcome")} == {"repaired", "not repaired,FAIL"}
    assert {"all", "repaired", "FAIL", "own"} <= set(found.text.split())
    page = lake.path("page", "001").read_text("utf-8")
    assert "<option>not repaired</option>" in page
    # Without the script the filter is hidden and all problems are shown.
    hidden = [attributes for _, attributes in found.tags if "hidden" in attributes]
    assert [attributes["id"] for attributes in hidden] == ["filter"]


def test_a_bug_has_its_kind(lake_once: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lake_once)
    repairs = read_repairs(lake, params.load(), lake.EVALUATIONS["best"])
    shown = {one.problem.name: one.kind for one in repairs if one.kind != "own"}
    assert len(shown) == 3
    assert shown.items() <= {bug.id: bug.kind for bug in lake.read_rows("bugs", Bug)}.items()


def test_the_chart_of_a_long_line_labels_some_of_its_genomes() -> None:
    line = [f"{number:03d}-00" for number in range(20)]
    genomes = [genome(name, *line[:index][-1:]) for index, name in enumerate(line)]
    others = [genome(f"{number:03d}-01") for number in range(20)]
    scores = {one.id: 0.5 for one in genomes + others}
    drawn = descent_chart(genomes + others, scores, line, [name[:3] for name in line])
    assert 2 <= drawn.count("<a ") <= 6
    assert drawn.count(">019-00</text>") == 1
    assert "018-00 0.500, 019-00 0.500" in drawn  # the description has all of them


@pytest.mark.parametrize("scores", [(0.21, 0.22, 0.27), (0.27, 0.22, 0.21), (0.3, 0.1, 0.3)])
def test_labels_of_a_line_of_descent_do_not_overlap(scores: tuple[float, ...]) -> None:
    line = [f"{number:03d}-00" for number in range(3)]
    genomes = [genome(name, *line[:index][-1:]) for index, name in enumerate(line)]
    worth, names = dict(zip(line, scores, strict=True)), [name[:3] for name in line]
    drawn = descent_chart(genomes, worth, line, names)
    width = 45  # of six bold digits of 11 px, with room
    left = {"start": 0, "middle": -width / 2, "end": -width}
    labels = re.findall(r'class="mark (\w+)" x="([\d.]+)" y="([\d.]+)">\d{3}-00<', drawn)
    places = [(float(x) + left[anchor], float(y)) for anchor, x, y in labels]
    assert len(places) == 3
    for (x, y), (other_x, other_y) in itertools.combinations(places, 2):
        assert abs(x - other_x) >= width or abs(y - other_y) >= 24


def test_the_chart_of_descent_draws_the_other_parents() -> None:
    genomes = [genome("000-00"), genome("000-01"), genome("001-00", "000-00", "000-01")]
    scores = {"000-00": 0.5, "000-01": 0.25, "001-00": 0.75}
    drawn = descent_chart(genomes, scores, ["000-00", "001-00"], ["000", "001"])
    edges = re.search(r'class="edge" d="([^"]*)"', drawn)
    assert edges is not None
    assert edges[1].count("M") == 1


def test_charts_of_one_generation_and_of_zeros_can_be_drawn() -> None:
    drawn = by_generation("Fitness", [Series("best genome", "best", [0.5])], ["000"])
    assert "nan" not in drawn
    assert "best genome from 0.500 to 0.500" in drawn
    nothing = Estimate(0.0, 0.0, 0.0)
    assert "nan" not in held_out_chart(nothing, nothing)
    assert "nan" not in descent_chart([genome("000-00")], {"000-00": 0.0}, ["000-00"], ["000"])
    assert training_curve(()) == ""
    assert "in 1 steps" in training_curve((0.5,))
    one = selected("000-00", Scores(1.0, 1.0, 1.0, 1.0, 1.0), 0.3)
    assert "nan" not in pareto([one], one, one.objectives, Scores(1.0, 0.0, 0.0, 0.0, 0.0))


def test_a_picture_is_a_png_of_the_cells() -> None:
    cells = np.random.default_rng(1).integers(0, 2, (9, 5, 11), np.uint8)
    content = png(cells[3])
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", content[16:24]) == (11, 5)
    data = content[content.index(b"IDAT") + 4 : content.index(b"IEND") - 8]
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(5, 1 + 2)
    assert np.array_equal(np.unpackbits(rows[:, 1:], axis=1, count=11), cells[3])
    steps, grids = snapshots(cells)
    assert steps == [0, 2, 4, 6, 8]
    assert np.array_equal(grids[:, -11:], cells[8])
    assert np.array_equal(slice_through_time(cells), cells[:, 2])
    assert snapshots(cells[:2])[0] == [0, 1]
