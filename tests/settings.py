"""Changes to the parameters of a project that a test makes."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from coral_batch.lake import params


@contextmanager
def _edited(folder: Path) -> Iterator[Any]:
    """Yield the content of a project's params.yaml, to be changed."""
    file, yaml = folder / params.FILE, YAML(typ="rt")
    document = yaml.load(file)
    yield document
    yaml.dump(document, file)


def set_params(values: Mapping[str, Any], folder: Path = Path()) -> None:
    """Set keys in the params.yaml of a project; the other keys keep their values.

    Args:
        values: by dotted key, such as `{"automata.height": 8}`.
        folder: the project's.

    Raises:
        KeyError: params.yaml has no such key.
    """
    with _edited(folder) as document:
        for key, value in values.items():
            *sections, name = key.split(".")
            section = document
            for step in sections:
                section = section[step]
            if name not in section:
                raise KeyError(key)
            section[name] = value


def set_sources(sources: Mapping[str, Mapping[str, Any]], folder: Path = Path()) -> None:
    """Replace the sources of the corpus in the params.yaml of a project.

    Args:
        sources: by name, each as params.yaml has it.
        folder: the project's.
    """
    with _edited(folder) as document:
        document["corpus"]["sources"] = {name: dict(source) for name, source in sources.items()}


def keep_sources(names: Iterable[str], folder: Path = Path()) -> None:
    """Remove every source of the corpus but these from the params.yaml of a project.

    Args:
        names: of the sources.
        folder: the project's.
    """
    with _edited(folder) as document:
        sources = document["corpus"]["sources"]
        for name in set(sources) - set(names):
            del sources[name]
