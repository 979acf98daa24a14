"""The HTML report: what it tells, that it is closed in itself, and that nothing escapes from it."""

from __future__ import annotations

import re
import shutil
import struct
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.records.genome import Genome
from coral_batch.records.rows import (
    AdapterCardRow,
    BestRow,
    SelectionRow,
    TimeRow,
)
from coral_batch.records.settings import Scores
from coral_batch.report.claims import LOCATED
from coral_batch.report.page.charts import (
    Series,
    by_generation,
    pareto,
    time_chart,
    training_curve,
)
from coral_batch.report.page.generation import part_page
from coral_batch.report.page.image import png, slice_through_time, snapshots
from coral_batch.report.page.lineage import DRAWN, LineageEntry, genealogy
from coral_batch.report.page.repairs import SHOWN
from coral_batch.report.reading import read_repairs
from coral_batch.search.best import NOBODY_PASSED, REFUSED
from stages.index import index
from stages.page import page
from stages.results import results
from tests.report_lake import GENERATIONS, refuse, write_best, write_lake
from tests.report_pages import EVIDENCE, make_pages


class Page(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        self.text += " " if tag in {"td", "th", "dt", "dd", "li", "span", "h3"} else ""

    def handle_data(self, data: str) -> None:
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


def test_the_first_page_compares_the_best_genome_with_the_base_model(
    pages: dict[str, Page],
) -> None:
    text = " ".join(pages["index.html"].text.split())
    opening = text[text.index("Evolved adapters") :]
    assert opening.startswith(
        "Evolved adapters that repair Python bugs Of 2 held-out bugs, which nobody trained or"
        " selected on, the best genome 001-00 repairs 0.75 [0.25, 1.00], the base model"
        " 0.25 [0.00, 0.75]: +0.50 [-0.10, +1.00]. CodeLinterEval, official pass@1,"
        " 0.25 [0.12, 0.50] in place of 0.25 [0.12, 0.50]. Its last training showed it lint errors"
        " as well, in programs of the training role."
    )
    assert "5 genomes, 4 adapters trained on 1,200 tokens, 20 samples of 400 tokens." in opening
    assert opening.index("Contamination") < opening.index("Selection scores")
    assert "Selection scores" in text
    assert "so they flatter the best genome" in text
    for name in ("Empty answer", "The program as it was"):
        assert f"{name} 0.762 0.500 1.000 0.900 0.750 0.700 0.000 0/2" in text
    assert "Best less base +0.091 +0.250 +0.000 +0.000 +0.110 +0.000 +0.500 +1" in text


def test_the_first_page_draws_who_descends_from_whom_and_what_each_is_worth(
    pages: dict[str, Page],
) -> None:
    text = " ".join(pages["index.html"].text.split())
    assert "Its line of descent, with what selection saw: 000-01 0.808, 001-00 0.900." in text
    assert "001-01 0.808" in text
    # The generation is linked once, by itself; every other link names a genome.
    assert pages["index.html"].values("href").count("generations/001.html") == 1


def test_the_repairs_behind_the_headline_are_one_click_away(pages: dict[str, Page]) -> None:
    text = " ".join(pages["index.html"].text.split())
    assert "All held-out repairs: best genome, base model." in text
    assert {"evaluation/best.html", "evaluation/base.html"} <= {*pages["index.html"].values("href")}
    for one, other in (("best", "base"), ("base", "best")):
        assert f"{other}.html" in pages[f"evaluation/{one}.html"].values("href")


def test_the_first_page_names_the_adapter_that_is_exported(pages: dict[str, Page]) -> None:
    key = lake.read_document("best", BestRow).key
    files = {"adapter_model.safetensors": "e" * 64}
    lake.write_rows("adapter_cards", [AdapterCardRow(key, {"steps": 784}, files)], "001")
    index()
    text = " ".join(Page(lake.path("index").read_text("utf-8")).text.split())
    for words in (
        f"coral export writes its adapter, {key[:12]}",
        f"exported adapter: adapter_model.safetensors {'e' * 64}",
        'What determined the exported adapter { "steps": 784 }',
    ):
        assert words in text


def test_the_note_of_the_held_out_bugs_tells_what_the_line_found_is(pages: dict[str, Page]) -> None:
    what = "line of the bug found: how often the line that the model would most likely change first"
    assert what in " ".join(pages["index.html"].text.split())
    lake.write_document("evidence", replace(EVIDENCE, located=None))
    index()
    assert LOCATED not in lake.path("index").read_text("utf-8")


def test_the_first_page_tells_of_the_run_of_both_kinds_of_scores_and_of_the_second_benchmark(
    pages: dict[str, Page],
) -> None:
    text = " ".join(pages["index.html"].text.split())
    cells = "2 x 2 pass@1 0.25 [0.00, 0.75] 0.75 [0.25, 1.00] +0.50 [-0.10, +1.00] 0.93"
    for words in (
        *("tiny", "1,234", "seccomp, rlimits", "torch", "3" * 64, "2" * 64, "Python"),
        "bugfix: 0.30",  # params.yaml as it stands
        str(lake.path("examples")),
        f"selection {cells}",
        f"held out {cells}",
        "Selection: WARNING, chance alone can explain the difference",
        "Held out: WARNING, chance alone can explain the difference",
        "about 12 such problems",
        "4 trained on 1,200 tokens",
        "n-grams of tokens 0.250 sieve gcd",
        "official pass@1 0.25 [0.12, 0.50] 0.25 [0.12, 0.50] +0.25 [+0.12, +0.50]",
        "strict pass@10 - - -",
        "passes the item's tests, or, without tests, has the syntax tree of",
        "8 items of 6 functions, 5 answers each; 4 items have tests",
        "clean 0 30 findings 40 10 tests pass 7 7 flake8 codes fixed 9 9",
    ):
        assert words in text, words


def test_the_first_page_says_when_the_gate_refused_the_best_genome(pages: dict[str, Page]) -> None:
    assert REFUSED not in pages["index.html"].text
    refuse({*GENERATIONS["000"], *GENERATIONS["001"]})
    write_best()
    results()
    index()
    assert Page(lake.path("index").read_text("utf-8")).text.count(REFUSED) == 2


def test_a_generation_shows_every_genome_and_repair(pages: dict[str, Page]) -> None:
    text = " ".join(pages["generations/001.html"].text.split())
    for part in (
        "001-00 Crossover+mutation of 000-01 and 000-02; fitness 0.900; survived",
        "complexity 0.100",
        "method DoRA",
        "repetition penalty 1.05",
        "3 steps, 300 tokens",
        "Written by 001-00 (sample 0)",
        "- return n - 1 + return n + 1",
        "Verdicts: 1 PASS, 1 FAIL",
        "case 1 FAIL 0 1",
        "flake8 1:1 E302",
        "bugfix 1.000 why bugfix",
        "on average, would first change the program",
        "25 def sieve(n): 75 > return n - 1 0 (behind it)",
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
    assert text.count("Against the buggy program") == 2  # problems
    assert "000-00 (samples 0, 1); 000-01 (samples 0, 1)" in text


def test_a_page_says_what_it_leaves_out(workspace: Path) -> None:
    write_lake()
    one = read_repairs(lake, params.load(), lake.VALIDATION_BASE)[0]
    many = [
        replace(one, sample=replace(one.sample, code=f"x = {number}", sample=number))
        for number in range(SHOWN + 3)
    ]
    text = part_page(lake.VALIDATION_BASE, [], many)
    assert text.count("Against the buggy program") == SHOWN
    assert f"{SHOWN + 3} distinct" in text
    assert f"The first {SHOWN} are shown" in text


def test_nothing_that_a_model_wrote_becomes_markup(pages: dict[str, Page]) -> None:
    for name, found in pages.items():
        tags = {tag for tag, _ in found.tags}
        assert not tags & {"script", "iframe", "object", "embed", "form", "base"}, name
        assert [tag for tag, _ in found.tags].count("style") == 1
        attributes = {key for _, held in found.tags for key in held}
        assert not {key for key in attributes if key.startswith("on")} | attributes & {"style"}
        assert "<script>window.owned = 1</script>" in found.text
        assert "{{ 7 * 191 }}" in found.text
        assert "<U+0000><U+001B>[31m<U+0007><U+007F><U+009B><U+202E><U+2066><U+200B>" in found.text


def test_a_page_needs_nothing_but_itself(pages: dict[str, Page]) -> None:
    for name, found in pages.items():
        policies = [a["content"] or "" for t, a in found.tags if "http-equiv" in a]
        assert len(policies) == 1
        assert policies[0].startswith("default-src 'none'; style-src 'sha256-"), name
        assert "unsafe" not in policies[0]
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


def test_the_genealogy_of_many_genomes_draws_the_line_and_counts_what_it_leaves_out() -> None:
    drawn, undrawn = genealogy([_entry(number) for number in range(4)], "003-07")
    named = {f"{number:03d}-0{index}" for number in range(3) for index in (0, 1)} | {"003-07"}
    assert {name for name in named if f">{name}  0.500</text>" in drawn} == named
    assert drawn.count("<a ") == DRAWN
    assert undrawn == 4 * 50 - DRAWN


def test_the_line_of_a_genome_is_all_its_ancestors() -> None:
    lineage = [
        _of("000", [_genome("000-00"), _genome("000-01"), _genome("000-02")]),
        _of("001", [_genome("000-01"), _genome("001-00", "000-01", "000-02")]),
        _of("002", [_genome("002-00", "001-00")]),
    ]
    drawn, undrawn = genealogy(lineage, "002-00")
    assert "5 genomes in 3 generations; 002-00 descends from 3 of all 5" in drawn
    assert undrawn == 0


def test_charts_stand_for_a_run_of_one_generation_and_for_no_time() -> None:
    drawn = by_generation("Fitness", [Series("best genome", "best", [0.5])], ["000"])
    assert "nan" not in drawn
    assert "best genome from 0.500 to 0.500" in drawn
    nothing = TimeRow("validation/base", 0, 0, 0.0, 0, 0, 0.0, 0, 0.0, 0.0)
    assert "nan" not in time_chart([nothing])
    assert training_curve(()) == ""
    assert "in 1 steps" in training_curve((0.5,))
    one = _fate("000-00", Scores(1.0, 1.0, 1.0, 1.0, 1.0))
    assert "nan" not in pareto([one], [one], one, one.objectives, Scores(1.0, 0.0, 0.0, 0.0, 0.0))


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


def _genome(name: str, *parents: str) -> Genome:
    return Genome(name, parents, "mutation" if parents else "random", "B3/S23", 1, 0.5)


def _entry(number: int) -> LineageEntry:
    name = f"{number:03d}"
    parents = (f"{number - 1:03d}-00", f"{number - 1:03d}-01") if number else ()
    genomes = [_genome(f"{name}-{index:02d}", *parents) for index in range(50)]
    return _of(name, genomes, f"{name}-00", f"{name}-01")


def _of(name: str, genomes: list[Genome], *survivors: str) -> LineageEntry:
    worth = dict.fromkeys((genome.id for genome in genomes), 0.5)
    return LineageEntry(name, genomes, frozenset(survivors), worth)


def _fate(genome: str, objectives: Scores | None = None) -> SelectionRow:
    shown = objectives or Scores(*np.random.default_rng(int(genome[:3])).random(5).tolist())
    fitness = 0.3 * shown.bugfix
    return SelectionRow(
        genome, shown, fitness, 0.5, 0.5, fitness, shown, True, (), 0.0, False, 0, None, True, ()
    )
