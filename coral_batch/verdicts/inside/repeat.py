"""The process that runs a program's passed cases again and again, to tell how long they take.

Each round loads the module afresh, as QuixBugs' suite does once: what a program remembers between
calls is gone in the next round.

What it does not do: give results. They were judged before, in another process.
"""

from __future__ import annotations

import marshal
import sys
from collections import deque
from collections.abc import Callable
from time import thread_time_ns
from typing import Any

from .channel import receive, send
from .program import add_modules

_LOOKED_AT = 32  # one round in so many: asking for the time takes longer than most calls


def main(channel: int) -> None:
    """Run the rounds; send how long the calls of each case took in those that were looked at, ns.

    The first frame is ``(name, code, support, calls, rounds)``, as for a program otherwise.
    """
    name, code, support, calls, rounds = marshal.loads(receive(channel) or b"")
    if support:
        add_modules(support)
    compiled = compile(code, f"{name}.py", "exec", dont_inherit=True)
    spent = [0] * len(calls)
    for number in range(rounds):
        module = sys.modules[name] = type(sys)(name)
        exec(compiled, module.__dict__)
        function = module.__dict__[name]
        if number % _LOOKED_AT:
            for call in calls:
                _run(function, call)
            continue
        for case, call in enumerate(calls):
            start = thread_time_ns()
            _run(function, call)
            spent[case] += thread_time_ns() - start
    send(channel, f"[{','.join(map(str, spent))}]")


def _run(function: Callable[..., Any], call: bytes) -> None:
    result = function(*marshal.loads(call))
    if hasattr(result, "__next__"):
        deque(result, maxlen=0)  # a generator has done nothing yet
