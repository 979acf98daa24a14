"""params.yaml: what is accepted, what is refused and with which words."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.lake.schemas import validator
from coral_batch.records.settings import Calibration
from coral_batch.verdicts.layers import LAYERS
from tests.errors import refused
from tests.settings import set_params, set_sources

pytestmark = pytest.mark.usefixtures("workspace")


def edit(old: str, new: str) -> None:
    file = Path("params.yaml")
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_there_may_be_enough_automata_for_as_many_bins_as_there_may_be() -> None:
    keys = validator("params").schema["properties"]["calibration"]["properties"]
    most = {name: key["maximum"] for name, key in keys.items()}
    assert Calibration(**most).needed <= most["automata"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("seed: 1", "sead: 1", ["sead"]),
        ("seed: 1", "seed:", ["seed", "found:    null", "integer"]),
        ("- user_namespace", "- foo", ["verdicts.require.0", "foo", "landlock"]),
        ("roles: quixbugs ", "roles: heldout ", ["one of quixbugs", "an object of training, test"]),
        ('"001": {next', "001: {next", ["not a string", '"001"']),
        ("seed: 1", "seed: 1.0", ["seed", "1.0", "integer"]),
        ("seed: 1", "seed: -1", ["seed", "-1", "at least 0"]),
        ("seed: 1", "seed: 1\nseed: 2", ["seed", "duplicate"]),
        ("seed: 1", "seed: [1", ["line", "YAML"]),
        ("seed: 1", "seed: !!bool perhaps", ["valid YAML", "perhaps"]),
        ("seed: 1", "seed: " + "[" * 10_000, ["recursion", "YAML"]),
        ("seed: 1", "seed: " + "9" * 5_000, ["5000 digits", "YAML"]),
        ("r: [8, 16]", "r: []", ["candidates.r", "[]", "at least this many items: 1"]),
        ("r: [8, 16]", "r: [4, 4]", ["candidates.r", "no item twice"]),
        ("learning_rate: 4.0e-4", "learning_rate: .nan", ["training.learning_rate", "nan"]),
        ("bugfix: 0.30", "bugfix: 0.31", ["objectives.weights", "1.01", "1.0"]),
        ("base: {bugfix: 0.20", "base: {bugfix: 0.70", ["gate.base.bugfix", "0.7", "0.6"]),
        ("survivors: 2", "survivors: 4", ["evolution.survivors", "at most 3"]),
        ("change: required", "change: free", ["evolution.select", "'reading'", "fitness"]),
        (
            "samples: 1                  # per bug; `coralx`: 8",
            "samples: 2",
            ["evaluation.samples", "1 at temperature 0", "raise sampling.base_temperature"],
        ),
        ("samples: 1                  # repairs", "samples: 4  #", ["validation.samples", "1 at"]),
        ("temperature: 0.6", "temperature: 0", ["linteval.samples", "raise linteval.temperature"]),
        ("bugs: 4 ", "bugs: 5 ", ["examples.bugs", "5", "at most injection.each = 4"]),
        ("automata: 16384", "automata: 1727", ["calibration.automata", "1727", "at least 1728"]),
        ("bins: 6", "bins: 51", ["calibration.bins", "at most 50"]),
        (
            "path: lake/raw/classics",
            "path: https://example.org/x",
            ["corpus.sources.classics.path", "clone or download it yourself"],
        ),
        ("    classics:", '    "classics\\n":', ["corpus.sources", r"'classics\n'", "matching"]),
        ('"001": {next: "002"}', '"001": {next: "003"}', ["generations", "coral generations"]),
    ],
)
def test_a_mistake_is_named_with_its_key(old: str, new: str, words: list[str]) -> None:
    edit(old, new)
    with refused("params.yaml", *words):
        params.load()


def test_an_official_data_set_has_its_own_instructions() -> None:
    set_params({"linteval.source": "official", "linteval.prompts": "mine.json"})
    with refused("params.yaml", "linteval.prompts", "mine.json", "linteval.source is official"):
        params.load()


def test_the_layers_that_may_be_required_are_those_of_the_jail() -> None:
    verdicts = validator("params").schema["properties"]["verdicts"]["properties"]
    assert tuple(verdicts["require"]["items"]["enum"]) == LAYERS


def test_the_order_of_sources_means_nothing() -> None:
    """DVC, which compares maps without an order, would not make anything again."""
    before = params.load()
    sources = YAML(typ="safe").load(params.FILE)["corpus"]["sources"]
    other_way_round = dict(reversed(sources.items()))
    assert list(other_way_round) != list(sources)
    set_sources(other_way_round)
    after = params.load()
    assert list(after.corpus.sources) == list(before.corpus.sources)
    assert after == before


@pytest.mark.parametrize("content", [b"seed: \xff\xfe", "seed: 1".encode("utf-16")])
def test_a_file_that_is_not_utf8_is_refused(content: bytes) -> None:
    Path("params.yaml").write_bytes(content)
    with pytest.raises(CoralError, match="UTF-8"):
        params.load()


@pytest.mark.parametrize("count", [1, 3, 12])
def test_rewriting_the_generations_changes_nothing_else(count: int) -> None:
    before = Path("params.yaml").read_text()
    params.write_generations(count)
    after = Path("params.yaml").read_text()
    head = before[: before.index('  "000"')]
    assert after.startswith(head)
    assert list(params.load().generations) == [f"{index:03d}" for index in range(count)]
    params.write_generations(3)
    assert Path("params.yaml").read_text() == before


def test_rewriting_the_generations_keeps_how_lines_end() -> None:
    text = params.FILE.read_bytes().replace(b"\n", b"\r\n")
    params.FILE.write_bytes(text)
    params.write_generations(5)
    assert params.FILE.read_bytes().replace(b"\r\n", b"").count(b"\n") == 0
    params.write_generations(3)
    assert params.FILE.read_bytes() == text


def test_rewriting_the_generations_follows_a_link_and_keeps_the_mode() -> None:
    own = params.FILE.rename("own.yaml")
    own.chmod(0o600)
    params.FILE.symlink_to(own)
    params.write_generations(5)
    assert params.FILE.is_symlink()
    assert len(params.load(own).generations) == 5
    assert own.stat().st_mode & 0o777 == 0o600


def test_maps_of_generations_that_disagree_are_rewritten() -> None:
    before = Path("params.yaml").read_text()
    edit('"002": {next: "003"}\n', '"002": {next: "003"}\n  "003": {next: "004"}\n')
    with refused("params.yaml", "write both maps with `coral generations N`"):
        params.load()
    params.write_generations(3)
    assert Path("params.yaml").read_text() == before


def test_an_invalid_file_is_not_rewritten() -> None:
    edit("seed: 1", "seed: -1")
    before = Path("params.yaml").read_text()
    with pytest.raises(CoralError):
        params.write_generations(5)
    assert Path("params.yaml").read_text() == before
    assert list(Path().iterdir()) == [Path("params.yaml")]


def test_a_folder_in_the_place_of_params_is_told() -> None:
    params.FILE.unlink()
    params.FILE.mkdir()
    with refused("cannot be read", "params.yaml", "directory"):
        params.load()
