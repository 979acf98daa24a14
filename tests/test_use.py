"""`coral use`: a profile's values in params.yaml."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from coral_batch.commands.use import use
from coral_batch.lake import params
from tests import REPOSITORY
from tests.errors import refused

PROFILES = sorted(file.stem for file in (REPOSITORY / "profiles").glob("*.yaml"))


@pytest.fixture(autouse=True)
def profiles(workspace: Path) -> Path:
    return Path(shutil.copytree(REPOSITORY / "profiles", workspace / "profiles"))


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_valid_and_default_undoes_it(
    name: str, profiles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = params.load()
    use(name)
    assert (capsys.readouterr().out == "params.yaml already has these values\n") == (
        name == "default"
    )
    count = YAML(typ="safe").load(profiles / f"{name}.yaml").get("generations", 3)
    assert len(params.load().generations) == count
    use("default")
    assert params.load() == shipped


def test_the_default_sets_all_but_seed_machine_and_jail(profiles: Path) -> None:
    """So that it undoes whatever else was changed."""
    yaml = YAML(typ="safe")
    shipped, default = yaml.load(Path("params.yaml")), yaml.load(profiles / "default.yaml")
    del shipped["seed"], shipped["compute"], shipped["parts"], shipped["generations"]
    del shipped["verdicts"]["memory_mb"], shipped["verdicts"]["require"]
    for name, value in shipped.items():
        assert value.keys() == default[name].keys(), name


@pytest.mark.parametrize("name", PROFILES)
def test_the_protocol_of_coralx_is_the_same_after_any_other_profile(name: str) -> None:
    use("coralx")
    alone = params.load()
    assert (alone.training.learning_rate, alone.training.layers) == (2e-4, None)
    assert (alone.evolution.crossover, alone.candidates.r) == (0.7, (4, 8, 16))
    use("default")
    use(name)
    use("coralx")
    found = params.load()
    others = {key: getattr(alone, key) for key in ("base", "injection", "linteval")}
    assert replace(found, **others) == alone


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_may_follow_that_of_coralx(name: str) -> None:
    use("coralx")
    use(name)
    params.load()


def test_humanevalfix_is_answered_greedily_after_a_profile_that_samples() -> None:
    use("coralx")
    use("humanevalfix")
    found = params.load()
    assert found.sampling.base_temperature == max(found.candidates.temperature) == 0
    assert (found.validation.samples, found.evaluation.samples) == (1, 1)


def test_changes_are_printed_and_comments_stay(
    profiles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (profiles / "mine.yaml").write_text(
        "# Of mine.\ngenerations: 2\nseed: 7\ncandidates: {r: [4]}\n"
        "corpus: {sources: {own: {reader: folder, path: src, roles: test}}}\n"
    )
    before = Path("params.yaml").read_text()
    use(None)
    assert "mine            Of mine.\n" in capsys.readouterr().out
    (profiles / "other.yaml").write_bytes(b"# \xe4\n")
    with refused("other.yaml", "not UTF-8"):
        use(None)
    (profiles / "other.yaml").unlink()
    use("mine")
    said = capsys.readouterr().out
    assert "seed: 1 -> 7\n" in said
    assert "candidates.r: [8, 16] -> [4]\n" in said
    assert "generations: 3 -> 2\n" in said
    assert "corpus.sources.drills: {" in said
    used = params.load()
    assert (list(used.corpus.sources), used.candidates.r) == (["own"], (4,))
    after = Path("params.yaml").read_text()
    assert re.findall("^#.*", after, re.MULTILINE) == re.findall("^#.*", before, re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("examples: {bug: 3}", ["examples.bug", "unknown key", "bugs, lint, portion"]),
        ("seed: x", ["mine.yaml", "seed", "'x'", "integer"]),
        ("seed: {a: 1}", ["mine.yaml is not valid", "seed", "integer"]),
        ("evolution: {survivors: 4}", ["mine.yaml", "evolution.survivors", "at most 3"]),
        ("- 1", ["no keys"]),
        ("a: [", ["mine.yaml", "YAML"]),
        ("", ["no keys"]),
    ],
)
def test_a_profile_that_does_not_fit_changes_nothing(
    profiles: Path, text: str, words: list[str]
) -> None:
    (profiles / "mine.yaml").write_text(text)
    before = Path("params.yaml").read_text()
    with refused(*words):
        use("mine")
    assert Path("params.yaml").read_text() == before


def test_an_unknown_profile_is_reported_with_the_known_ones() -> None:
    with refused("profiles/nosuch.yaml", "one of codelintereval, coralx, default"):
        use("nosuch")
