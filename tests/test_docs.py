"""The docs: paths, links and commands lead somewhere, generated parts are up to date.

Commands are parsed, as `coral`, DVC and make know them: in code blocks as they stand, in prose with
words such as FILE for values.
"""

import contextlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from dvc.cli import DvcParserError
from dvc.cli.parser import get_main_parser
from ruamel.yaml import YAML
from typer.exceptions import TyperException
from typer.main import get_command

from coral_batch.commands.cli import app
from tests import REPOSITORY
from tests.reference import PAGE, reference

PAGES = [
    page.relative_to(REPOSITORY).as_posix()
    for folder in (".", "docs", "benchmarks", "lake/raw/*")
    for page in sorted(REPOSITORY.glob(f"{folder}/*.md"))
]
HISTORY = {"CHANGELOG.md", "docs/notebook.md"}
"""Pages with commands of their time."""
CURRENT = [page for page in PAGES if page not in HISTORY]
PATHS = r"\b(?:coral_batch|stages|schemas|integrations|tests|benchmarks|docs)/[\w/.*-]*[\w*]"
LINKS = r"\]\(([^)#:]*)(?:#([^):]*))?\)"
BLOCKS = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
COMMAND = r"(?:\$ )?(?:\w+=\S+ )*((?:coral|dvc|make) .*)"
SHELL = {"", "sh", "bash", "console"}
MADE = ("benchmarks/results", "benchmarks/peers")
"""What is not in git."""


def anchors(page: Path) -> set[str]:
    """Return what GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", BLOCKS.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_path_and_link_leads_somewhere(page: str) -> None:
    text = (REPOSITORY / page).read_text()
    named = {name for name in re.findall(PATHS, text) if not name.startswith(MADE)}
    assert [name for name in sorted(named) if not any(REPOSITORY.glob(name))] == []
    for file, anchor in re.findall(LINKS, text):
        target = (REPOSITORY / page).parent / file if file else REPOSITORY / page
        assert target.exists(), file
        assert not anchor or anchor in anchors(target), f"{file}#{anchor}"


def commands(line: str) -> list[str]:
    """Return the commands of a line, without a prompt and variables of the environment."""
    parts = (re.fullmatch(COMMAND, part.strip()) for part in re.split(r"&&|;", line))
    return [found[1] for found in parts if found]


def in_blocks(text: str) -> Iterator[str]:
    """Yield the commands in code blocks of the shell; two spaces end one, a remark follows."""
    for language, block in BLOCKS.findall(text):
        lines = re.sub(r"\\\n\s*", "", block).splitlines() if language in SHELL else []
        yield from (one.partition("  ")[0] for line in lines for one in commands(line))


def in_prose(text: str) -> Iterator[str]:
    """Yield the commands in prose."""
    for quoted in re.findall(r"`([^`]+)`", BLOCKS.sub("", text)):
        yield from commands(" ".join(quoted.split()))


def check(line: str, complete: bool) -> None:
    """Parse a command as its program would; a value may be wrong, but no name of an option."""
    program, *words = shlex.split(line, comments=True)
    {"coral": check_coral, "dvc": check_dvc, "make": check_make}[program](words, complete)


def check_coral(words: list[str], complete: bool) -> None:
    command = get_command(app)
    while words and words[0] in getattr(command, "commands", ()):
        command = command.commands[words.pop(0)]
    if hasattr(command, "commands"):
        assert words in ([], ["--help"], ["--version"])
        return
    try:
        with contextlib.suppress(typer.Exit):  # --help
            command.make_context(command.name, words)
    except typer.BadParameter as error:  # a missing argument has a class of its own
        assert not complete or type(error) is typer.BadParameter, error


def check_dvc(words: list[str], complete: bool) -> None:
    try:
        parsed = get_main_parser().parse_args(words)
    except DvcParserError as error:
        raise AssertionError(f"dvc {words} cannot be parsed") from error
    if parsed.cmd == "repro":
        stages = YAML(typ="safe").load(REPOSITORY / "dvc.yaml")["stages"]
        assert {target.split("@")[0] for target in parsed.targets} <= stages.keys()


def check_make(words: list[str], complete: bool) -> None:
    targets = re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    assert {word for word in words if "=" not in word} <= set(targets)


@pytest.mark.parametrize("page", CURRENT)
def test_every_command_is_one(page: str) -> None:
    text = (REPOSITORY / page).read_text()
    for line in in_blocks(text):
        check(line, complete=True)
    for line in in_prose(text) if REPOSITORY / page != PAGE else ():
        check(line, complete=False)


def test_a_wrong_command_is_found() -> None:
    wrong = "```\n$ coral show --genomes 000  # all\nA=1 dvc repro nothing && make picture\n```"
    for line in [*in_blocks(wrong), *in_prose("`coral\nlist` and `coral export a b c`")]:
        with pytest.raises((AssertionError, TyperException)):
            check(line, complete=False)


@pytest.mark.parametrize("page", CURRENT)
def test_every_parameter_that_an_experiment_sets_is_one(page: str) -> None:
    params = YAML(typ="safe").load(REPOSITORY / "params.yaml")
    for key in re.findall(r"-S\s+([a-z_.]+)=", (REPOSITORY / page).read_text()):
        inner = params
        for name in key.split("."):
            inner = inner[name]


def test_the_reference_is_up_to_date() -> None:
    assert PAGE.read_text() == reference(), "run `make docs`"


def test_every_page_of_the_docs_is_reached_from_the_readme() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    pages = [page for page in PAGES if page.count("/") < 2 and page != "README.md"]
    assert [page for page in pages if f"({page})" not in readme] == []
