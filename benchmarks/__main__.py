"""Measure coral-batch and its peers, print one table and write it as JSON.

    python -m benchmarks [linting] [verdicts] [training] [decoding]

Without names all of them run one after another, each in its own process, so that none inherits
another's threads, memory or affinity. Each module's ``measure()`` returns its rows
(`benchmarks.table.Row`). If one fails, the others still run and the exit status is 1.

The table is written to benchmarks/results/ with the machine, the versions and the commit, in a file
named by the time. Run nothing else meanwhile.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import traceback
from concurrent.futures import ProcessPoolExecutor

from benchmarks.table import Row, machine, measured, table, utc, write_results

NAMES = ("linting", "verdicts", "training", "decoding")


def main() -> int:
    """Run from the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(NAMES))
    names = parser.parse_args().names or NAMES
    if unknown := set(names) - set(NAMES):
        parser.error(f"no benchmark named {', '.join(sorted(unknown))}")
    start, before = utc(), machine()
    rows: list[Row] = []
    failed = []
    for name in names:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        # Not "spawn": a peer that starts processes itself would inherit that choice.
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(max_workers=1, mp_context=context) as own:
            try:
                rows += own.submit(measured, name).result()
            except Exception:
                traceback.print_exc()
                failed.append(name)
    print(table(rows))
    result = {"started": start, "machine": before, "failed": failed}
    write_results(start, {**result, "rows": [row.record() for row in rows]})
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
