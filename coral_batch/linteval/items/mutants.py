"""Put lint errors into clean programs, which become the canonical code of the bundled items.

An error is an edit of the text that keeps the program's behaviour. Each program gives one or more
items with two to four kinds of error each. Kinds that few items have so far go first, so that the
items cover as many as possible. All draws depend on the seed, the program's name and the item's
number, so adding a program changes the others little.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise

import numpy as np

from coral_batch.corpus.code.edits import Edit, apply
from coral_batch.errors import CoralError
from coral_batch.linteval.items import spacing, statements
from coral_batch.linteval.items.view import Site, Sites, View
from coral_batch.records.items import Candidate
from coral_batch.seeding import generator

_FEWEST, _MOST = 2, 4


@dataclass(frozen=True)
class Fault:
    """One kind of lint error.

    Attributes:
        code: the flake8 code that its edits cause (others may come with it).
        sites: finds the places of a program where it can be put in.
        many: whether to put it in at about half of the places instead of one.
        layout: whether the syntax tree stays the same.
        rival: faults with the same rival exclude each other in one program.
    """

    code: str
    sites: Sites
    many: bool = False
    layout: bool = True
    rival: str = ""


# In the order in which they are put in: statements first, edits that move whole lines last.
FAULTS = (
    Fault("E731", statements.lambda_assignment, layout=False),
    Fault("E741", statements.ambiguous_name, layout=False),
    Fault("F841", statements.unused_variable, layout=False),
    Fault("F824", statements.unused_global, layout=False),
    Fault("E711", statements.compared_to_none, layout=False, many=True),
    Fault("E713", statements.negated(ast.NotIn, " in "), layout=False),
    Fault("E714", statements.negated(ast.IsNot, " is "), layout=False),
    Fault("E721", statements.compared_types, layout=False),
    Fault("E712", statements.compared_to_true, layout=False),
    Fault("E722", statements.bare_except, layout=False),
    Fault("F541", statements.formatted_without_placeholder, layout=False, many=True),
    Fault("W605", statements.invalid_escape),
    Fault("E305", statements.to_the_end((ast.Assign,), "\n", ast.FunctionDef), layout=False),
    Fault("E402", statements.to_the_end(statements.IMPORTS, "\n\n"), layout=False, rival="imports"),
    Fault("E401", statements.imports_on_one_line, layout=False, rival="imports"),
    Fault("F403", statements.star_import, layout=False, rival="imports"),
    Fault("F811", statements.import_twice, layout=False, rival="imports"),
    Fault("F401", statements.unused_import, layout=False, rival="imports"),
    Fault("E275", spacing.parenthesis_after_keyword, many=True),
    Fault("E127", spacing.continuation(2), rival="continuation"),
    Fault("E128", spacing.continuation(-2), rival="continuation"),
    Fault("E502", spacing.continuation(0, " \\"), rival="continuation"),
    Fault("E201", spacing.between(" ", spacing.opening), many=True),
    Fault("E202", spacing.between(" ", spacing.closing), many=True),
    Fault("E203", spacing.between(" ", spacing.punctuation), many=True),
    Fault("E211", spacing.between(" ", spacing.arguments), many=True),
    Fault("E221", spacing.around_operator("  ", " "), rival="operator"),
    Fault("E222", spacing.around_operator(" ", "  "), rival="operator"),
    Fault("E223", spacing.around_operator("\t", " "), rival="operator"),
    Fault("E224", spacing.around_operator(" ", "\t"), rival="operator"),
    Fault("E225", spacing.around_operator("", ""), many=True, rival="operator"),
    Fault("E228", spacing.around_operator("", "", ("%",))),
    Fault("E231", spacing.between("", spacing.comma), many=True),
    Fault("E251", spacing.around_default),
    Fault("E271", spacing.between("  ", spacing.after_keyword), rival="keyword"),
    Fault("E272", spacing.between("  ", spacing.before_keyword), rival="keyword"),
    Fault("E273", spacing.between("\t", spacing.after_keyword), rival="keyword"),
    Fault("E274", spacing.between("\t", spacing.before_keyword), rival="keyword"),
    Fault("E701", statements.colon_line),
    Fault("E702", statements.semicolon_line),
    Fault("E703", statements.final_semicolon, many=True),
    Fault("E261", spacing.inline_comment(" # "), rival="comment"),
    Fault("E262", spacing.inline_comment("  #"), rival="comment"),
    Fault("E265", spacing.block_comment("#"), rival="comment"),
    Fault("E266", spacing.block_comment("## "), rival="comment"),
    Fault("E116", spacing.block_comment("# ", 4), rival="comment"),
    Fault("E115", spacing.comment_instead_of_block, rival="comment"),
    Fault("E501", spacing.block_comment("# ", comments=spacing.LONG), rival="comment"),
    Fault("E302", spacing.few_blank_lines),
    Fault("E303", spacing.blank_lines(lambda _: "\n\n")),
    Fault("E111", spacing.indentation("  "), rival="indentation"),
    Fault("E117", spacing.indentation(" " * 8), rival="indentation"),
    Fault("W191", spacing.indentation("\t"), rival="indentation"),
    Fault("E101", spacing.indentation("    ", "\t"), rival="indentation"),
    Fault("W291", spacing.trailing_blanks, many=True),
    Fault("W293", spacing.blank_lines(lambda line: " " * line.indent + "\n")),
    Fault("W292", spacing.no_final_newline, rival="end"),
    Fault("W391", spacing.final_blank_lines, rival="end"),
)
_LAYOUT = tuple(fault for fault in FAULTS if fault.layout)


def mutants(programs: Sequence[Candidate], each: int, seed: int) -> list[Candidate]:
    """Return programs with lint errors for each clean one, `NAME 1`, `NAME 2` and so on.

    Args:
        programs: the clean programs, with their tests.
        each: how many to make per program.
        seed: the run's seed.

    Raises:
        CoralError: a program does not parse, or no two errors can be put into it.
    """
    used: Counter[str] = Counter()
    candidates = []
    for program in programs:
        codes = {program.code}
        for number in range(1, each + 1):
            random = generator(seed, "linteval", program.source, number)
            code = program.code
            while code in codes:  # a repeated draw counts as used: other kinds come next
                (code,) = _spoil([program.code], FAULTS, random, used, program.source)
            codes.add(code)
            name = f"{program.source} {number}"
            candidates.append(replace(program, source=name, code=code, canonical=program.code))
    return candidates


def spoil_alike(versions: Sequence[str], name: str, seed: int, used: Counter[str]) -> list[str]:
    """Put the same lint errors into all versions of a program, which keep their differences.

    They are layout errors, which keep the syntax tree: others, such as an unused variable, could be
    taken for the program's bug.

    Args:
        versions: programs that parse, each a small change of the one before it.
        name: the program's name, for the draws.
        seed: the run's seed.
        used: how many programs have each kind so far; updated.

    Raises:
        CoralError: no two errors can be put into all of them.
    """
    random = generator(seed, "linteval", "alike", name)
    return _spoil(versions, _LAYOUT, random, used, name)


def put_in(fault: Fault, code: str, random: np.random.Generator) -> str | None:
    """Put one kind of lint error into a program.

    Args:
        fault: the kind.
        code: a program that parses, ending in a newline.
        random: draws the places.

    Returns:
        The program with the error, or None if it has no place for it.
    """
    view = View(code)
    sites = list(fault.sites(view))
    if not sites:
        return None
    chosen = [site for site in sites if fault.many and random.random() < 0.5]
    chosen = chosen or [sites[int(random.integers(len(sites)))]]
    mutant = apply(code, _apart(chosen))
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(mutant)
            compile(tree, "mutant", "exec", dont_inherit=True)
    except SyntaxError:
        return None
    same = ast.dump(tree) == ast.dump(view.tree)
    return mutant if same or not fault.layout else None


def _spoil(
    versions: Sequence[str],
    faults: Sequence[Fault],
    random: np.random.Generator,
    used: Counter[str],
    name: str,
) -> list[str]:
    """Put the two to four kinds that are rarest so far into all versions of a program."""
    wanted = int(random.integers(_FEWEST, _MOST + 1))
    luck = random.random(len(faults))
    order = sorted(range(len(faults)), key=lambda index: (used[faults[index].code], luck[index]))
    while True:
        chosen = _compatible(faults, order, wanted)
        if len(chosen) < _FEWEST:
            raise CoralError(
                "too few lint errors can be put into a program",
                found=name,
                expected=f"a program with places for {_FEWEST} kinds",
            )
        codes = list(versions)
        for index in chosen:
            spoiled = _put_in_all(faults[index], codes, random)
            if spoiled is None:
                order.remove(index)
                break
            codes = spoiled
        else:
            used.update(faults[index].code for index in chosen)
            return codes


def _put_in_all(
    fault: Fault, codes: Sequence[str], random: np.random.Generator
) -> list[str] | None:
    """Put an error into all versions by the same draws; None if that changes their differences."""
    state = random.bit_generator.state
    spoiled = []
    for code in codes:
        random.bit_generator.state = state
        mutant = put_in(fault, code, random)
        if mutant is None:
            return None
        spoiled.append(mutant)
    pairs = zip(pairwise(codes), pairwise(spoiled), strict=True)
    same = all(_difference(*before) == _difference(*after) for before, after in pairs)
    return spoiled if same else None


def _difference(one: str, other: str) -> tuple[int, int, int]:
    """Return the number of lines only in `one`, lines only in `other`, and added characters."""
    lines, others = one.split("\n"), other.split("\n")
    blocks = SequenceMatcher(None, lines, others, autojunk=False).get_matching_blocks()
    common = sum(block.size for block in blocks)
    return len(lines) - common, len(others) - common, len(other) - len(one)


def _compatible(faults: Sequence[Fault], order: Sequence[int], wanted: int) -> list[int]:
    """Choose the first faults that do not exclude each other; return them in their own order."""
    chosen: list[int] = []
    rivals: set[str] = set()
    for index in order:
        rival = faults[index].rival
        if len(chosen) < wanted and rival not in rivals:
            chosen.append(index)
            rivals |= {rival} - {""}
    return sorted(chosen)


def _apart(sites: Sequence[Site]) -> list[Edit]:
    """Return the edits of the sites that do not touch an earlier site."""
    edits: list[Edit] = []
    for site in sites:
        if all(e.end < other.start or other.end < e.start for e in site for other in edits):
            edits += site
    return edits
