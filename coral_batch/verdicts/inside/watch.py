"""The process that calls a program and sends all that can be seen of each call.

That is what came back, the arguments as the call left them, and what was printed so far. Whether
that is as it should be is for the judge to find out, who has watched another program as well.

What it does not do: see what goes past `sys.stdout`, or what a class of the program holds.
"""

from __future__ import annotations

import io
import marshal
import sys
from typing import Any

from .channel import receive, send
from .program import call, load


def main(channel: int) -> None:
    """Load the program that the first frame brings and answer its calls.

    The frame is ``(name, code, calls)``, as for a program otherwise; the value that an answer holds
    is the list of the result, the arguments and the text printed.
    """
    name, code, calls = marshal.loads(receive(channel) or b"")
    printed = sys.stdout = io.StringIO()
    answer, function = load(name, code)
    send(channel, answer)
    if function is None:
        return

    def watched(*arguments: Any) -> list[Any]:
        return [function(*arguments), arguments, printed.getvalue()]

    for one in calls:
        send(channel, call(watched, marshal.loads(one)))
