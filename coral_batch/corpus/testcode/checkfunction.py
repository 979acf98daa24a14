"""Problems with tests as in HumanEval: a function ``check`` that takes the function under test."""

from __future__ import annotations

import ast

from coral_batch.corpus.sources.names import bound, definitions, loaded
from coral_batch.corpus.sources.programs import check_changed, parse, parse_program
from coral_batch.corpus.sources.rows import Lost, make_problem
from coral_batch.corpus.testcode.asserts import Checks, check_asserts, checks
from coral_batch.records.problem import Problem
from coral_batch.verdicts.functions import take_docstring

_CHECK = "check"


def check_problem(
    name: str,
    function: str,
    program: str,
    tests: str,
    *,
    buggy: str | None = None,
    docstring: str | None = None,
) -> Problem:
    """Make a problem.

    Args:
        name: the problem's name.
        function: name of the function under test.
        program: the correct program.
        tests: source with the function ``check``.
        buggy: the buggy program.
        docstring: the problem's docstring; None for the function's.

    Raises:
        Lost: see `parse_program` and `check_tests`, or the two programs are the same.
    """
    tree = parse_program(program, function)
    cases, test_file = check_tests(tests, function, tree)
    reference, own = take_docstring(program, function)
    if buggy is not None:
        check_changed(parse_program(buggy, function, "the buggy program"), tree)
        buggy = take_docstring(buggy, function)[0]
    return make_problem(
        name,
        function,
        reference,
        buggy=buggy,
        docstring=own if docstring is None else docstring.strip(),
        cases=cases,
        tests=test_file,
    )


def check_tests(source: str, function: str, program: ast.Module) -> Checks:
    """Make cases or tests of what ``check`` asserts.

    If its body has only asserts, each becomes a test, except asserts of a constant. Otherwise the
    whole body becomes one test. The test file also has the definitions that the tests need: those
    of the correct program, then those of `source`.

    Args:
        source: the definition of ``check`` and of everything it needs.
        function: name of the function under test.
        program: the correct program.

    Raises:
        Lost: `source` is empty or not Python, has no such function, or the function asserts
            nothing; see also `checks`.
    """
    tree = parse(source, "the test")
    check = _check(tree)
    # Published files call check at module level to run the tests; the call is not a test.
    tree.body = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) or _CHECK not in loaded(node)
    ]
    candidate = check.args.args[0].arg
    body = [node for node in check.body if not _says_nothing(node)]
    alone = all(isinstance(node, ast.Assert) for node in body)
    preamble = definitions(tree, loaded(*body) - {candidate}, _CHECK)
    beyond = loaded(*body, *preamble) - bound(*tree.body) - {candidate}
    preamble = [*definitions(program, beyond, function), *preamble]
    if candidate != function:
        preamble.append(ast.parse(f"{candidate} = {function}").body[0])
    check_asserts([*body, *preamble], "check asserts nothing")
    tests = [[node] for node in body] if alone else [body]
    return checks(function, tests, preamble=preamble, aliases=[candidate])


def _check(tree: ast.Module) -> ast.FunctionDef:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == _CHECK and len(node.args.args) == 1:
            return node
    raise Lost("untestable", "the tests have no def check(candidate)")


def _says_nothing(node: ast.stmt) -> bool:
    """Whether a statement is a string, ``pass``, or an assert of a constant."""
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.Assert(test=ast.Constant()):
            return True
    return False
