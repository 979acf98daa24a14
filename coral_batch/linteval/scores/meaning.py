"""Whether an answer's syntax tree equals the original's, except for what flake8 asked to change.

Both trees are normalised: the usual fixes of flake8's findings in the original then make no
difference. docs/codelintereval.md lists the accepted fixes.

The answer has to be clean: names whose import or assignment is missing are left to flake8.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from coral_batch.records.finding import Finding
from coral_batch.verdicts.inside import syntax

# flake8 code -> pattern of the name in its message.
_NAMED = {
    "F401": "^'(.+)' imported but unused",
    "F403": r"^'from (.+) import \*' used",
    "F405": "^'(.+)' may be undefined",
    "F811": "^redefinition of unused '(.+)' from",
    "F824": "^`[a-z]+ (.+)` is unused",
    "F841": "^local variable '(.+)' is",
    **dict.fromkeys(("E741", "E742", "E743"), "'(.+)'"),
}
_ACTS = (
    *(ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Subscript, ast.Starred),
    ast.Attribute,
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def same(original: str, findings: Sequence[Finding], answer: str) -> bool:
    """Whether the trees are the same.

    Args:
        original: the item's code.
        findings: flake8's findings in it.
        answer: the code of the answer, in which flake8 finds nothing.

    Returns:
        False also if one of them is not Python or is nested too deeply to be compared.
    """
    form = _Form(findings)
    try:
        before, after = (form.visit(syntax.parse(code)) for code in (original, answer))
        ambiguous = form.named["E741"] | form.named["E742"] | form.named["E743"]
        return ast.dump(before) == ast.dump(_with_old_names(after, before, ambiguous))
    except (SyntaxError, RecursionError, ValueError):  # ValueError: integer too long to print
        return False


def _with_old_names(after: ast.AST, before: ast.AST, ambiguous: Collection[str]) -> ast.AST:
    """Return a tree with ambiguous names in place of the one new name that each has."""
    old, new = ([name for *_, name in _names_in(tree)] for tree in (before, after))
    pairs = zip(old, new, strict=False)
    names = {there: here for here, there in pairs if here in ambiguous and there not in old}
    if len(set(names.values())) == len(names):
        for place, key, name in [*_names_in(after)]:
            place[key] = names.get(name, name)
    return after


def _names_in(tree: ast.AST) -> Iterator[tuple[Any, Any, str]]:
    """Yield the container, the key in it, and the value of each name, also of attributes."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant):
            for field, value in ast.iter_fields(node):
                if isinstance(value, str):
                    yield vars(node), field, value
                elif isinstance(value, list):
                    yield from (
                        (value, at, one) for at, one in enumerate(value) if isinstance(one, str)
                    )


class _Form(ast.NodeTransformer):
    """Normalises a tree, so that it equals all trees with accepted fixes of the findings.

    Args:
        findings: flake8's findings in the original.

    Attributes:
        codes: their codes.
        named: flake8 code -> the names in its findings.
        unused: the variables to remove from the innermost function.
        assigned: the names that it assigns.
        guarded: whether this is part of a `try`, where any expression can matter.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.codes = {finding.code for finding in findings}
        self.named: dict[str, set[str]] = {code: set() for code in _NAMED}
        for finding in findings:
            if finding.code in _NAMED:
                names = re.findall(_NAMED[finding.code], finding.message)
                self.named[finding.code].update(names)
        self.unused: set[str] = set()
        self.assigned: set[str] = set()
        self.guarded = False

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self.generic_visit(node)
        body = self._last(node.body)
        imports = {
            ast.dump(one): one for one in body if isinstance(one, ast.Import | ast.ImportFrom)
        }
        others = [one for one in body if not isinstance(one, ast.Import | ast.ImportFrom)]
        node.body = [*(imports[key] for key in sorted(imports)), *others]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        around, self.unused = self.unused, set()
        self.generic_visit(node)
        self.unused = around
        node.body = self._last(node.body)
        return node

    def _last(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Remove definitions and imports that a later one of the same name replaces."""
        kept: list[ast.stmt] = []
        later: set[str] = set()
        for one in reversed(body):
            match one:
                case ast.Import([alias]) | ast.ImportFrom(_, [alias]):
                    name = alias.asname or alias.name
                case ast.Assign([ast.Name(name)], ast.Lambda()):  # from a function, for E731
                    pass
                case _:
                    name = getattr(one, "name", "")  # of a function or a class
            if name not in later:
                kept.insert(0, one)
            later |= {name} & self.named["F811"]
        return kept

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        shown = self.named["F401"]
        return [ast.Import([alias]) for alias in node.names if _shown(alias) not in shown]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        module = "." * node.level + (node.module or "")
        prefix = module if module.endswith(".") else f"{module}."
        starred = {"*", *self.named["F405"]} if module in self.named["F403"] else set()
        return [
            ast.ImportFrom(node.module, [alias], node.level)
            for alias in node.names
            if prefix + _shown(alias) not in self.named["F401"] and _shown(alias) not in starred
        ]

    def visit_Pass(self, _: ast.Pass) -> None:
        return None

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return ast.Constant(node.value)  # without a prefix

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        texts = [str(part.value) for part in node.values if isinstance(part, ast.Constant)]
        return ast.Constant("".join(texts)) if len(texts) == len(node.values) else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        acts = self.guarded or any(isinstance(part, _ACTS) for part in ast.walk(node.value))
        self.generic_visit(node)
        if isinstance(node.value, ast.Constant) or ("F841" in self.codes and not acts):
            return None
        return node

    def visit_Try(self, node: ast.Try | ast.TryStar) -> ast.AST:
        around, self.guarded = self.guarded, True
        self.generic_visit(node)
        self.guarded = around
        return node

    visit_TryStar = visit_Try

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return _negated(node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        operator = node.ops[0]
        if len(node.ops) > 1 or not isinstance(operator, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
            return node
        differ = isinstance(operator, ast.NotEq | ast.IsNot)
        left, right = node.left, node.comparators[0]
        for value, other in ((left, right), (right, left)):
            match value:
                case ast.Constant(None) if "E711" in self.codes:
                    return ast.Compare(other, [ast.IsNot() if differ else ast.Is()], [value])
                case ast.Constant(True | False as truth) if "E712" in self.codes:
                    return _negated(other) if differ is truth else other
                case constant if "F632" in self.codes and _is_constant(constant):
                    return ast.Compare(left, [ast.NotEq() if differ else ast.Eq()], [right])
                case ast.Call(ast.Name("type"), [asked]) if "E721" in self.codes:
                    test = ast.Call(ast.Name("isinstance", ast.Load()), [asked, other], [])
                    return _negated(test) if differ else test
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        around = self.unused, self.assigned, self.guarded
        self.assigned = _assigned_in(node)
        shared = {
            name
            for one in ast.walk(node)
            if isinstance(one, ast.Global | ast.Nonlocal)
            for name in one.names
        }
        unused = {"_", *self.named["F841"]} if "F841" in self.codes else set()
        self.unused, self.guarded = unused - _read_in(node) - shared, False
        self.generic_visit(node)
        self.unused, self.assigned, self.guarded = around
        node.body = self._last(node.body)
        match node:
            case ast.FunctionDef(body=[ast.Return(value)], decorator_list=[], returns=None):
                if "E731" in self.codes:
                    function = ast.Lambda(node.args, value or ast.Constant(None))
                    return ast.Assign([ast.Name(node.name, ast.Store())], function)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if getattr(node.target, "id", "") not in self.unused:
            return self.generic_visit(node)
        return node.value and self.visit_Expr(ast.Expr(node.value))

    def visit_withitem(self, node: ast.withitem) -> ast.AST:
        if getattr(node.optional_vars, "id", "") in self.unused:
            node.optional_vars = None
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        node.targets = [one for one in node.targets if getattr(one, "id", "") not in self.unused]
        return self.generic_visit(node) if node.targets else self.visit_Expr(ast.Expr(node.value))

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name in self.named["F841"] - _read_in(node):
            node.name = None
        if "E722" in self.codes and getattr(node.type, "id", "") in {"Exception", "BaseException"}:
            node.type = None
        return self.generic_visit(node)

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> ast.AST | None:
        unneeded = self.named["F824"] - self.assigned
        node.names = [name for name in node.names if name not in unneeded]
        return node if node.names else None

    visit_Nonlocal = visit_Global


def _is_constant(node: ast.expr) -> bool:
    """Whether F632 is about comparing with this: a number, a text, or a tuple of constants."""
    if isinstance(node, ast.Tuple):
        return all(isinstance(one, ast.Constant) or _is_constant(one) for one in node.elts)
    return isinstance(node, ast.Constant) and isinstance(
        node.value, str | bytes | int | float | complex
    )


def _shown(alias: ast.alias) -> str:
    """Return an imported name as flake8 writes it: `os.path as path` without the new name."""
    renamed = alias.asname not in {None, alias.name.rpartition(".")[2]}
    return f"{alias.name} as {alias.asname}" if renamed else alias.name


def _read_in(node: ast.AST) -> set[str]:
    names = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return {one.id for one in names if not isinstance(one.ctx, ast.Store)}


def _assigned_in(node: ast.AST) -> set[str]:
    names = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return {one.id for one in names if not isinstance(one.ctx, ast.Load)}


def _negated(value: ast.expr) -> ast.expr:
    match value:
        case ast.Compare(left, [ast.In()], right):
            return ast.Compare(left, [ast.NotIn()], right)
        case ast.Compare(left, [ast.Is()], right):
            return ast.Compare(left, [ast.IsNot()], right)
    return ast.UnaryOp(ast.Not(), value)
