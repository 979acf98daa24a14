"""A program may use the standard library, with the shared libraries that it needs."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path

import pytest

from coral_batch.verdicts.cases import judge_cases
from coral_batch.verdicts.jail import Jail
from coral_batch.verdicts.layers import isolation
from coral_batch.verdicts.pool import judge
from tests.programs import SETTINGS, program

USES = {
    "bz2": "bz2.decompress(bz2.compress(b'a')) == b'a'",
    "ctypes": "ctypes.c_int(3).value == 3",
    "decimal": "decimal.Decimal('0.1') * 3 == decimal.Decimal('0.3')",
    "hashlib": "len(hashlib.scrypt(b'a', salt=b'b', n=2, r=1, p=1)) == 64",
    "lzma": "lzma.decompress(lzma.compress(b'a')) == b'a'",
    "sqlite3": "sqlite3.connect(':memory:').execute('select 1').fetchone() == (1,)",
    "ssl": "ssl.create_default_context() is not None",
    "uuid": "uuid.uuid1() != uuid.uuid4()",
    "xml.dom.minidom": "xml.dom.minidom.parseString('<a/>').documentElement.tagName == 'a'",
    "zlib": "zlib.decompress(zlib.compress(b'a')) == b'a'",
}


def test_modules_that_this_python_has_are_there_in_the_jail() -> None:
    for module, use in USES.items():
        if importlib.util.find_spec(module.partition(".")[0]):
            code = f"import {module}\ndef f(n):\n    return int({use})\n"
            ((verdict,),) = judge([program("f", code, [((1,), 1)])], SETTINGS, workers=1)
            assert (verdict.kind, verdict.detail) == ("PASS", ""), module


def test_time_zones_that_the_system_lacks_come_from_the_package_tzdata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zones = tmp_path / "tzdata" / "zoneinfo"
    zones.mkdir(parents=True)
    (tmp_path / "tzdata" / "__init__.py").touch()
    header = b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, 0, 1, 4)
    offset = struct.pack(">lbb", 2 * 3600, 0, 0) + b"XYZ\0"
    (zones / "Nowhere").write_bytes((header + offset) * 2 + b"\nXYZ-2\n")
    monkeypatch.syspath_prepend(tmp_path)
    code = (
        "from datetime import datetime\nfrom zoneinfo import ZoneInfo\n"
        "def f(n):\n    return str(datetime(2000, 1, n, tzinfo=ZoneInfo('Nowhere')).utcoffset())\n"
    )
    with Jail(isolation.__wrapped__(())) as jail:
        verdict = judge_cases(jail, program("f", code, [((1,), "2:00:00")]), SETTINGS)[0]
    assert (verdict.kind, verdict.detail) == ("PASS", "")
