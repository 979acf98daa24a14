"""flake8 with its default settings on one source, in this process.

The result is that of ``flake8 --isolated --disable-noqa -`` on the source as UTF-8, whatever
plugins are installed beside flake8. The checker and the style guide of flake8 are used directly:
its public API (`flake8.api.legacy`) prints to stdout, reads files and loads every installed plugin.
These classes are internal to flake8, so its version is pinned and the tests compare the findings
with the command line's.

There is no time limit here; `coral_batch.linting.pool` has one.
"""

from __future__ import annotations

import argparse
import functools
import io
import tokenize
from configparser import RawConfigParser
from importlib import metadata
from operator import itemgetter

from flake8.checker import FileChecker
from flake8.exceptions import PluginExecutionFailed
from flake8.main.options import register_default_options, stage1_arg_parser
from flake8.options.aggregator import aggregate_options
from flake8.options.manager import OptionManager
from flake8.plugins.finder import FLAKE8_GROUPS, Checkers, Plugin, PluginOptions, load_plugins
from flake8.processor import FileProcessor
from flake8.statistics import Statistics
from flake8.style_guide import DecisionEngine, StyleGuide
from flake8.violation import Violation

from coral_batch.records.finding import ERROR, Finding, failure, printable

# In angle brackets, so that linecache never looks for a file of this name.
_NAME = "<source>"


def flake8(source: str, *, honour_noqa: bool = False, final_newline: bool = True) -> list[Finding]:
    """Return flake8's findings on `source`, ordered by line and column.

    Args:
        source: the text to lint.
        honour_noqa: let ``# noqa`` comments silence findings, as flake8 does by default.
        final_newline: end the last line with a newline if it has none, so that W292 is not found
            in code that was cut out of a longer text.

    Returns:
        The findings, or a single ERROR finding where flake8 itself would end with a traceback
        (nesting beyond the recursion limit, text that UTF-8 cannot hold).
    """
    if final_newline and source and not source.endswith("\n"):
        source += "\n"
    checkers, options, decisions = _engine(honour_noqa)
    collector = _Collector()
    guide = StyleGuide(options, collector, Statistics(), decider=decisions)
    try:
        _, results, _ = _TextChecker(_lines(source), checkers, options).run_checks()
        results.sort(key=itemgetter(1, 2))
        for code, line, column, text, physical_line in results:
            guide.handle_error(code, _NAME, line, column, text, physical_line)
    except Exception as error:  # whatever hostile text makes the checkers raise is a result
        cause = error.original_exception if isinstance(error, PluginExecutionFailed) else error
        return [failure("flake8", ERROR, f"flake8 raised {type(cause).__name__}")]
    return [
        Finding("flake8", found.code, printable(found.text), found.line_number, found.column_number)
        for found in collector.violations
    ]


class _Collector:
    """Stands where flake8 has the formatter that prints."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []

    def handle(self, violation: Violation) -> None:
        self.violations.append(violation)


class _TextChecker(FileChecker):
    """flake8's checker of a file, on lines in memory."""

    def __init__(self, lines: list[str], checkers: Checkers, options: argparse.Namespace) -> None:
        self._source_lines = lines
        super().__init__(filename=_NAME, plugins=checkers, options=options)

    def _make_processor(self) -> FileProcessor:
        return FileProcessor(self.filename, self.options, lines=self._source_lines)


def _lines(source: str) -> list[str]:
    """Split `source` as flake8 splits what it reads from stdin: cookies, BOM, newlines."""
    data = source.encode()
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = io.TextIOWrapper(io.BytesIO(data), encoding).read()
    except (LookupError, SyntaxError, UnicodeError):
        text = source
    return list(io.StringIO(text))


@functools.cache
def _engine(honour_noqa: bool) -> tuple[Checkers, argparse.Namespace, DecisionEngine]:
    """Assemble flake8 as its command line does, from its own plugins alone."""
    distribution = metadata.distribution("flake8")
    plugins = load_plugins(
        [
            Plugin("flake8", distribution.version, entry_point)
            for entry_point in distribution.entry_points
            if entry_point.group in FLAKE8_GROUPS
        ],
        PluginOptions.blank(),
    )
    manager = OptionManager(
        version=distribution.version,
        plugin_versions=plugins.versions_str(),
        parents=[stage1_arg_parser()],
        formatter_names=list(plugins.reporters),
    )
    register_default_options(manager)
    manager.register_plugins(plugins)
    arguments = [] if honour_noqa else ["--disable-noqa"]
    options = aggregate_options(manager, RawConfigParser(), "", arguments)
    for plugin in plugins.all_plugins():
        if hasattr(plugin.obj, "parse_options"):
            plugin.obj.parse_options(options)
    return plugins.checkers, options, DecisionEngine(options)
