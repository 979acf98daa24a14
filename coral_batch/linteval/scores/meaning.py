"""Whether an answer's syntax tree is the original's, but for what flake8 asked to change.

Both trees are normalised: by `_Plain` and `_Negated`, and by one small transformer for each flake8
code that was found in the original. Then they have to be equal, up to the order of the module's
imports and the new names of ambiguous variables. docs/codelintereval.md lists what that accepts.

The answer is taken to be clean: a name whose import or assignment is missing is for flake8 to find.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from coral_batch.records.finding import Finding
from coral_batch.verdicts.inside import syntax

_AMBIGUOUS = ("E741", "E742", "E743")
_NAME = re.compile(r"(\b(?:id|arg|name|asname)=')([^']*)")  # in what `ast.dump` writes
_ACTS = (
    *(ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Subscript, ast.Starred),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
_EMPTY = frozenset({"dict", "list", "set", "tuple"})

_Import = ast.Import | ast.ImportFrom


def same(original: str, findings: Sequence[Finding], answer: str) -> bool:
    """Whether the trees are the same.

    Args:
        original: the item's code.
        findings: flake8's findings in it.
        answer: the code of the answer, in which flake8 finds nothing.

    Returns:
        False also where one of them is no Python or nested too deeply to be compared.
    """
    messages: dict[str, list[str]] = {}
    for finding in findings:
        messages.setdefault(finding.code, []).append(finding.message)
    try:
        before, after = (ast.dump(_normalised(code, messages)) for code in (original, answer))
    except (SyntaxError, RecursionError, ValueError):  # of an integer not all digits can be written
        return False
    told = [message for code in _AMBIGUOUS for message in messages.get(code, ())]
    ambiguous = {name for message in told for name in re.findall("'(.+)'", message)}
    return before == _with_old_names(after, before, ambiguous)


def _normalised(code: str, messages: Mapping[str, Sequence[str]]) -> ast.Module:
    tree = _Plain().visit(syntax.parse(code))
    for step, codes in _STEPS.items():
        if told := [message for one in codes for message in messages.get(one, ())]:
            tree = step(told).visit(tree)
    tree = _Negated().visit(tree)
    imports = {ast.dump(node): node for node in tree.body if isinstance(node, _Import)}
    others = [node for node in tree.body if not isinstance(node, _Import)]
    tree.body = [*(imports[key] for key in sorted(imports)), *others]
    return tree


def _with_old_names(after: str, before: str, ambiguous: Collection[str]) -> str:
    """Return the answer's tree with ambiguous names in place of those that stand for them.

    There is one for each, new to the program.

    Args:
        after: the tree, as `ast.dump` writes it.
        before: the original's.
        ambiguous: the names that flake8 calls so.
    """
    old, new = ([name for _, name in _NAME.findall(tree)] for tree in (before, after))
    known = set(old)
    pairs = {
        (there, here)
        for here, there in zip(old, new, strict=False)
        if here in ambiguous and there not in known
    }
    names = dict(pairs)
    if len(set(names.values())) < len(pairs):
        return after
    return _NAME.sub(lambda match: f"{match[1]}{names.get(match[2], match[2])}", after)


class _Step(ast.NodeTransformer):
    """Makes in a tree what a complaint asks for.

    Args:
        messages: those of the complaint in the original.

    Attributes:
        pattern: finds in a message what it is about.
        told: what it found.
    """

    pattern = "^$"

    def __init__(self, messages: Sequence[str] = ()) -> None:
        self.told = {found for message in messages for found in re.findall(self.pattern, message)}


class _Plain(_Step):
    """An import for each name; no `pass`, no docstrings, no prefix ``u``."""

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        return [ast.Import([alias]) for alias in node.names]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        return [ast.ImportFrom(node.module, [alias], node.level) for alias in node.names]

    def visit_Pass(self, _: ast.Pass) -> None:
        return None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return ast.Constant(node.value)


class _Negated(_Step):
    """E713, E714: ``x not in y`` and ``x is not y``."""

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        inner = node.operand
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            for positive, negative in ((ast.In, ast.NotIn), (ast.Is, ast.IsNot)):
                if isinstance(inner.ops[0], positive):
                    return ast.Compare(inner.left, [negative()], inner.comparators)
        return node


class _Unimported(_Step):
    """F401: without the import."""

    pattern = "^'(.+)' imported but unused"

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> ast.AST | None:
        alias = node.names[0]
        name = alias.name
        if isinstance(node, ast.ImportFrom):
            module = _module(node)
            name = f"{module}{'' if module.endswith('.') else '.'}{name}"
        shown = name if alias.asname in {None, alias.name} else f"{name} as {alias.asname}"
        return None if shown in self.told else node

    visit_ImportFrom = visit_Import


class _Unstarred(_Step):
    """F403, F405: without the import of all names, or of those that stand for it."""

    pattern = r"^'(.+)' may be undefined, or defined from star imports: (.+)$"

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        alias = node.names[0]
        named = any(
            name == alias.name and _module(node) in modules.split(", ")
            for name, modules in self.told
        )
        return None if alias.name == "*" or (named and alias.asname is None) else node


class _Redefined(_Step):
    """F811: of what is defined twice in a suite, the last."""

    pattern = "^redefinition of unused '(.+)' from"

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        suite = getattr(node, "body", None)
        if isinstance(suite, list):
            later: set[str | None] = set()
            for number in reversed(range(len(suite))):
                name = _defined(suite[number])
                if name in later:
                    del suite[number]
                later |= {name} & self.told
        return node


class _InFunctions(_Step):
    """Makes something of the names that the innermost function does not use in some way.

    Attributes:
        uses: those ways.
        free: the names.
    """

    uses: tuple[type[ast.expr_context], ...]

    def __init__(self, messages: Sequence[str]) -> None:
        super().__init__(messages)
        self.free = self.told

    def visit_FunctionDef(self, node: ast.AST) -> ast.AST:
        around, self.free = self.free, self.told - self.used_in(node)
        self.generic_visit(node)
        self.free = around
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def used_in(self, node: ast.AST) -> set[str]:
        return {
            one.id
            for one in ast.walk(node)
            if isinstance(one, ast.Name) and isinstance(one.ctx, self.uses)
        }


class _Unassigned(_InFunctions):
    """F841, F842: without the variable, and without its value if that cannot act.

    A variable named ``_`` is none.
    """

    pattern = "^local variable '(.+)' is"
    uses = (ast.Load, ast.Del)

    def __init__(self, messages: Sequence[str]) -> None:
        super().__init__(messages)
        self.told.add("_")
        self.free = set()

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        node.targets = [target for target in node.targets if not self._is_free(target)]
        return node if node.targets else self.visit_Expr(ast.Expr(node.value))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if not self._is_free(node.target):
            return node
        return self.visit_Expr(ast.Expr(node.value)) if node.value else None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return node if any(map(_acts, ast.walk(node))) else None

    def visit_withitem(self, node: ast.withitem) -> ast.AST:
        if self._is_free(node.optional_vars):
            node.optional_vars = None
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name in self.told - self.used_in(node):
            node.name = None
        return self.generic_visit(node)

    def _is_free(self, target: ast.AST | None) -> bool:
        return isinstance(target, ast.Name) and target.id in self.free


class _Unglobal(_InFunctions):
    """F824: no `global` or `nonlocal` for a name that is not assigned."""

    pattern = "^`[a-z]+ (.+)` is unused"
    uses = (ast.Store, ast.Del)

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> ast.AST | None:
        node.names = [name for name in node.names if name not in self.free]
        return node if node.names else None

    visit_Nonlocal = visit_Global


class _IsNone(_Step):
    """E711: ``x is None``."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and _is_none(node.left):
            node.left, node.comparators = node.comparators[0], [node.left]
        return _with_operators(node, _is_none, {ast.Eq: ast.Is, ast.NotEq: ast.IsNot})


class _ByValue(_Step):
    """F632: ``x == "text"``."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        return _with_operators(node, _is_literal, {ast.Is: ast.Eq, ast.IsNot: ast.NotEq})


class _ByTruth(_Step):
    """E712: ``x`` or ``not x``."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        value, truth, negated = _equality(node, _is_truth)
        if not isinstance(truth, ast.Constant):
            return node
        return ast.UnaryOp(ast.Not(), value) if negated is truth.value else value


class _Isinstance(_Step):
    """E721: `isinstance`."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        kind, asked, negated = _equality(node, _is_type_call)
        if not isinstance(asked, ast.Call):
            return node
        call = ast.Call(ast.Name("isinstance", ast.Load()), [*asked.args, kind], [])
        return ast.UnaryOp(ast.Not(), call) if negated else call


class _Caught(_Step):
    """E722: ``except Exception`` or ``except BaseException``."""

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"}:
            node.type = None
        return self.generic_visit(node)


class _Lambda(_Step):
    """E731: `def` and a `lambda` with a name are one."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        last = node.body[0] if len(node.body) == 1 else None
        if not isinstance(last, ast.Return) or node.decorator_list or node.returns:
            return node
        value = ast.Lambda(node.args, last.value or ast.Constant(None))
        return ast.Assign([ast.Name(node.name, ast.Store())], value)


class _Unformatted(_Step):
    """F541: no prefix ``f``."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        texts = [str(part.value) for part in node.values if isinstance(part, ast.Constant)]
        return ast.Constant("".join(texts)) if len(texts) == len(node.values) else node


_STEPS: dict[type[_Step], tuple[str, ...]] = {
    _Unimported: ("F401",),
    _Unstarred: ("F403", "F405"),
    _Redefined: ("F811",),
    _Unassigned: ("F841", "F842"),
    _Unglobal: ("F824",),
    _IsNone: ("E711",),
    _ByTruth: ("E712",),
    _Isinstance: ("E721",),
    _Caught: ("E722",),
    _Lambda: ("E731",),
    _Unformatted: ("F541",),
    _ByValue: ("F632",),
}


def _module(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")


def _defined(statement: Any) -> str | None:
    """Return the name that a definition, or an import of one name, binds."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return statement.name
    if isinstance(statement, _Import):
        alias = statement.names[0]
        return alias.asname or alias.name.split(".")[0]
    return None


def _acts(node: ast.AST) -> bool:
    """Whether a node can have an effect other than an exception."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id not in _EMPTY or bool(node.args or node.keywords)
    return isinstance(node, _ACTS)


def _with_operators(
    node: ast.Compare,
    concerns: Callable[[ast.expr], bool],
    operators: Mapping[type[ast.cmpop], type[ast.cmpop]],
) -> ast.Compare:
    """Put operators in place of others where a value beside them is concerned."""
    values = [node.left, *node.comparators]
    for number, operator in enumerate(node.ops):
        if any(map(concerns, values[number : number + 2])):
            node.ops[number] = operators.get(type(operator), type(operator))()
    return node


def _equality(
    node: ast.Compare, concerns: Callable[[ast.expr], bool]
) -> tuple[ast.expr, ast.expr | None, bool]:
    """Return of a test for equality one value, the other, which is concerned, and whether it fails.

    The concerned one is None where there is none, and where it is another test.
    """
    sides = [node.left, *node.comparators]
    equal = len(sides) == 2 and isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.Is | ast.IsNot)
    if concerns(sides[0]):
        sides.reverse()
    negated = isinstance(node.ops[0], ast.NotEq | ast.IsNot)
    return sides[0], sides[1] if equal and concerns(sides[1]) else None, negated


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_truth(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def _is_literal(node: ast.expr) -> bool:
    """Whether an expression is a constant that `is` is not for."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_literal, node.elts))
    return isinstance(node, ast.Constant) and not (_is_none(node) or _is_truth(node))


def _is_type_call(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return node.func.id == "type" and len(node.args) == 1
