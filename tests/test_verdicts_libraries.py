"""A program may use the standard library, with the shared libraries that it needs."""

from __future__ import annotations

import pytest

from coral_batch.records.verdict import Verdict
from coral_batch.verdicts.pool import judge
from tests.programs import SETTINGS, program

USES = {
    "bz2": "bz2.decompress(bz2.compress(b'a')) == b'a'",
    "ctypes": "ctypes.c_int(3).value == 3",
    "decimal": "decimal.Decimal('0.1') * 3 == decimal.Decimal('0.3')",
    "hashlib": "len(hashlib.pbkdf2_hmac('sha256', b'a', b'b', 1)) == 32",
    "lzma": "lzma.decompress(lzma.compress(b'a')) == b'a'",
    "sqlite3": "sqlite3.connect(':memory:').execute('select 1').fetchone() == (1,)",
    "ssl": "ssl.create_default_context() is not None",
    "uuid": "uuid.uuid1() != uuid.uuid4()",
    "xml.dom.minidom": "xml.dom.minidom.parseString('<a/>').documentElement.tagName == 'a'",
    "zlib": "zlib.decompress(zlib.compress(b'a')) == b'a'",
}


def judged(code: str) -> Verdict:
    ((verdict,),) = judge([program("f", code, [((1,), 1)])], SETTINGS, workers=1)
    return verdict


@pytest.mark.parametrize("module", USES)
def test_a_module_that_this_python_has_is_there_in_the_jail(module: str) -> None:
    pytest.importorskip(module)
    verdict = judged(f"import {module}\ndef f(n):\n    return int({USES[module]})\n")
    assert (verdict.kind, verdict.detail) == ("PASS", "")


def test_keys_are_derived_by_the_systems_library() -> None:
    hashlib = pytest.importorskip("_hashlib")
    if not hasattr(hashlib, "scrypt"):
        pytest.skip("this Python has no scrypt")
    code = "import hashlib\ndef f(n):\n    key = hashlib.scrypt(b'a', salt=b'b', n=2, r=1, p=1)\n"
    verdict = judged(f"{code}    return n if len(key) == 64 else key\n")
    assert (verdict.kind, verdict.detail) == ("PASS", "")
