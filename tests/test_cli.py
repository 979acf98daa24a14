"""The command line: every stage is a command, and a user error is one message."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from coral_batch.commands import cli
from coral_batch.corpus.readers import READERS
from coral_batch.lake import params
from tests import REPOSITORY
from tests.command import coral
from tests.fresh import output_of
from tests.processes import alive, descendants, wait_until
from tests.settings import set_params

ITEMS = ("snippets", "mbpp", "folder", "official")


def test_the_command_line_loads_no_heavy_package() -> None:
    loaded = output_of("import sys, coral_batch.commands.cli; print(*sys.modules)").split()
    assert not {"torch", "transformers", "peft", "bandit", "joblib", "pytest"} & set(loaded)


def test_help_groups_the_commands_and_describes_each_in_a_full_sentence(workspace: Path) -> None:
    sections = coral("--help").stdout.split("\n\n")
    panels = {section.split(maxsplit=1)[0].rstrip(":"): section for section in sections}
    for panel, commands in {
        "Run": [*cli.STAGES, "linteval"],
        "Look": ["show", "compare", "audit", "doctor"],
        "Use": ["repair", "export", "score"],
        "Keep": ["use", "generations", "store"],
    }.items():
        lines = panels[panel].splitlines()[1:]
        assert [line.split()[0] for line in lines if line[2] != " "] == commands
    for group in ((), ("linteval",), ("store",)):
        shown = coral(*group, "--help").stdout
        assert "..." not in shown.replace("[ARGS]...", "")


def test_a_stage_of_any_pipeline_runs(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stage's place is printed only for our own dvc.yaml."""
    monkeypatch.setenv("DVC_STAGE", "mine@a")
    ours = (REPOSITORY / "dvc.yaml").read_text()
    mine = "  mine:\n    foreach: [a, b]\n    do: {cmd: 'echo ${item}'}\n"
    for content in (None, ours, ours.replace("stages:\n", f"stages:\n{mine}")):
        if content is not None:
            Path("dvc.yaml").write_text(content)
        done = coral("--version")
        assert (done.returncode, done.stderr) == (0, "")


def test_a_stage_dies_with_dvc(workspace: Path) -> None:
    """Otherwise it would write its tables beside those of the next run."""
    params.FILE.unlink()
    os.mkfifo(params.FILE)  # the stage waits for someone to write to it
    starts = "import subprocess, sys; subprocess.run([sys.argv[1], 'split'])"
    command = [sys.executable, "-c", starts, str(Path(sys.executable).with_name("coral"))]
    with subprocess.Popen(command, env={**os.environ, "DVC_STAGE": "split"}) as dvc:
        end = -1

        def waits() -> bool:
            nonlocal end
            with contextlib.suppress(OSError):
                end = os.open(params.FILE, os.O_WRONLY | os.O_NONBLOCK)
            return end >= 0

        wait_until(waits)
        (stage,) = descendants(dvc.pid)
        dvc.kill()
        wait_until(lambda: not alive(stage))
        os.close(end)


def test_other_code_than_the_installed_is_refused_and_a_copy_is_not(workspace: Path) -> None:
    for folder in ("coral_batch", "stages", "schemas"):
        shutil.copytree(REPOSITORY / folder, folder, dirs_exist_ok=True)
    assert coral("generations").returncode == 0
    for changed in (
        "coral_batch/report/page/templates/index.html",
        "coral_batch/objectives/formulas.py",
    ):
        with Path(changed).open("a") as file:
            file.write("# mine\n")
        done = coral("generations")
        assert done.returncode == 1
        assert "not the installed one" in done.stderr and changed in done.stderr
        assert "make setup" in done.stderr


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert coral("--version").stdout == f"coral-batch {project['version']}\n"


def test_generations_are_shown_and_set(workspace: Path) -> None:
    assert coral("generations").stdout.startswith("3 generations: 000 to 002")
    shown = coral("generations", "5")
    assert "5 generations: 000 to 004" in shown.stdout
    assert "gate.generations is 3" in shown.stdout
    assert "the last 3 generations meet the strictest gate" in shown.stdout
    assert "set gate.generations to 5 in params.yaml" in shown.stdout
    assert list(params.load().generations) == ["000", "001", "002", "003", "004"]
    assert "gate" not in coral("generations", "3").stdout
    assert "generation 002, which is not run" in coral("generations", "2").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["automata", "007"], ["'007'", "000, 001, 002"]),
        (["generations", "0"], ["count", "1"]),
        (["audit", "000", "--rerun", "000/000-00/gcd/0"], ["--rerun", "found: '000'"]),
        (["nonsense"], ["nonsense"]),
        (["automata", "000"], ["population.jsonl", "dvc repro"]),
        (
            ["corpus", "nowhere"],
            ["'nowhere'", "classics, drills, exercises, practice, snippets, unseen"],
        ),
        (["show", "000"], ["population.jsonl", "dvc repro"]),
        (["show", "0"], ["'0'", "002 (see", "validation/base, evaluation/base", "best, bugs"]),
        (["samples", "0"], ["'0'", "validation/base, evaluation/base, evaluation/best"]),
        (["audit", "0"], ["'0'", "evaluation/best, linteval/MODEL"]),
        (
            ["linteval", "show", "001-02"],
            ["coral linteval samples 001-02`, then `coral linteval scores 001-02`"],
        ),
    ],
)
def test_a_mistake_is_one_message_without_a_traceback(
    workspace: Path, arguments: list[str], words: list[str]
) -> None:
    done = coral(*arguments)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("command", "key", "form"),
    [
        *(("corpus classics", "corpus.sources.classics.reader", reader) for reader in READERS),
        *(("linteval items", "linteval.source", kind) for kind in ITEMS),
    ],
)
def test_an_impossible_path_is_one_message(
    workspace: Path, command: str, key: str, form: str
) -> None:
    long = "x" * 300
    set_params({key: form, f"{key.rpartition('.')[0]}.path": long})
    done = coral(*command.split())
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert long in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["split"],
        ["show", "validation/base"],
        ["show", "bugs"],
        ["linteval", "show", "base"],
        ["export", "adapter"],
        *(["store", command] for command in ("list", "verify", "prune")),
    ],
)
def test_running_outside_a_project_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    done = coral(*arguments)
    assert done.returncode == 1
    assert "no params.yaml here" in done.stderr
    assert "in coral-batch's folder" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["split"], "interrupted; `dvc repro` resumes here"),
        (["linteval", "samples", "best"], "interrupted; `dvc repro` resumes here"),
        (["linteval", "samples", "001-02"], "interrupted; run the same command to resume"),
        (
            ["linteval", "run", "items.jsonl", "answers.jsonl", "--model", "base"],
            "interrupted; run the same command to resume",
        ),
    ],
)
def test_ctrl_c_says_how_to_resume(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.setattr(params, "load", lambda *_: signal.raise_signal(signal.SIGINT))
    done = coral(*arguments)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (130, said)
