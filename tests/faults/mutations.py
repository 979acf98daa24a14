"""Ways in which a file can be wrong: each takes its bytes and a generator, and gives other bytes.

A mutation that does not apply to a file (a line of a file without lines) gives None. Another sort
(`PLACES`) puts something that is no such file in its place.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

OUTSIDE = Path("outside")
"""A file in the project's folder, which is the working directory, that no command may touch."""
Mutation = Callable[[bytes, np.random.Generator], bytes | None]

NASTY: tuple[Any, ...] = (
    None,
    True,
    "",
    0,
    -1,
    1e308,
    -0.0,
    0.5,
    10**30,
    "\x00",
    "\ud800",
    "../../outside",
    "/etc/passwd",
    "a/b",
    ".",
    "x" * 70_000,
    "000-00",
    "wrap",
    "base",
    [],
    [[]],
    {},
    {"a": 1},
    [None] * 3,
)
"""What a value may be replaced by: other types, extremes, paths, and ids that exist."""


def _pick(values: Any, random: np.random.Generator) -> Any:
    return values[int(random.integers(len(values)))]


# Any file -----------------------------------------------------------------------------------


def truncated(content: bytes, random: np.random.Generator) -> bytes | None:
    return content[: int(random.integers(len(content)))] if content else None


def flipped(content: bytes, random: np.random.Generator) -> bytes | None:
    if not content:
        return None
    changed = bytearray(content)
    for _ in range(int(random.integers(1, 9))):
        changed[int(random.integers(len(changed)))] ^= 1 << int(random.integers(8))
    return bytes(changed)


# Text ---------------------------------------------------------------------------------------


def not_utf_8(content: bytes, random: np.random.Generator) -> bytes:
    at = int(random.integers(len(content) + 1))
    return content[:at] + b"\xff\xfe\x80" + content[at:]


def a_number_beyond_all_bounds(content: bytes, random: np.random.Generator) -> bytes | None:
    digits = [at for at, byte in enumerate(content) if chr(byte).isdigit()]
    if not digits:
        return None
    at = _pick(digits, random)
    return content[:at] + _pick((b"NaN", b"1e999", b"9" * 5000), random) + content[at + 1 :]


# JSON: a document, or a line of a table -----------------------------------------------------


def _in_json(
    content: bytes, random: np.random.Generator, change: Callable[[Any], str | None]
) -> bytes | None:
    """Apply `change` to one JSON line, or to the whole file where that is the JSON."""
    try:
        lines = (
            [content.decode()] if content[:2] in (b"{\n", b"[\n") else content.decode().split("\n")
        )
        at = int(random.integers(max(1, len(lines) - 1)))
        changed = change(json.loads(lines[at]))
    except ValueError:
        return None
    if changed is None:
        return None
    lines[at] = changed
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) inside `value`."""
    keys = (
        list(value)
        if isinstance(value, dict)
        else range(len(value) if isinstance(value, list) else 0)
    )
    return [place for key in keys for place in ((value, key), *_places(value[key]))]


def a_value_replaced(content: bytes, random: np.random.Generator) -> bytes | None:
    def change(value: Any) -> str | None:
        places = _places(value)
        if not places:
            return None
        container, key = _pick(places, random)
        container[key] = _pick(NASTY, random)
        return json.dumps(value)

    return _in_json(content, random, change)


def a_field_missing(content: bytes, random: np.random.Generator) -> bytes | None:
    def change(value: Any) -> str | None:
        places = _places(value)
        if not places:
            return None
        container, key = _pick(places, random)
        del container[key]
        return json.dumps(value)

    return _in_json(content, random, change)


def a_key_twice(content: bytes, random: np.random.Generator) -> bytes | None:
    def change(value: Any) -> str | None:
        if not isinstance(value, dict) or not value:
            return None
        key = _pick(list(value), random)
        return json.dumps(value)[:-1] + f", {json.dumps(key)}: {json.dumps(value[key])}}}"

    return _in_json(content, random, change)


# YAML ---------------------------------------------------------------------------------------


def a_setting_replaced(content: bytes, random: np.random.Generator) -> bytes | None:
    lines = content.decode().split("\n")
    settings = [at for at, line in enumerate(lines) if ": " in line and not line.startswith("#")]
    if not settings:
        return None
    at = _pick(settings, random)
    values = (
        *("", "null", "-1", "1e400", ".nan", "yes", "[]", "{}", "'../../outside'", "2026-01-01"),
        *("!!python/object/apply:os.getcwd []", "*nowhere", "&a [*a]", "\t1", "'unclosed", "0x1F"),
        *("99999999999999999999999", "[q_proj, [q_proj]]", "0.30000000001", "'\\ud800'", "<<: 1"),
    )
    lines[at] = f"{lines[at].partition(': ')[0]}: {_pick(values, random)}"
    return "\n".join(lines).encode()


def a_bomb_of_aliases(content: bytes, random: np.random.Generator) -> bytes:
    levels = [b"a0: &a0 [x, x]"]
    levels += [b"a%d: &a%d [*a%d, *a%d]" % (i, i, i - 1, i - 1) for i in range(1, 40)]
    return content + b"\n" + b"\n".join(levels) + b"\n"


# Parquet ------------------------------------------------------------------------------------


def _in_frame(content: bytes, change: Callable[[pl.DataFrame], pl.DataFrame]) -> bytes | None:
    frame = pl.read_parquet(io.BytesIO(content))
    if frame.is_empty():
        return None
    stream = io.BytesIO()
    change(frame).write_parquet(stream)
    return stream.getvalue()


def a_cell_replaced(content: bytes, random: np.random.Generator) -> bytes | None:
    def change(frame: pl.DataFrame) -> pl.DataFrame:
        name = _pick(frame.columns, random)
        cells = frame[name].to_list()
        kinds: dict[Any, tuple[Any, ...]] = {
            pl.String: ("", "../../outside", "\x00", "PASS", "000-00", "wrap", None),
            pl.Int64: (0, -1, 2**62, None),
            pl.Float64: (0.0, -1.0, float("nan"), float("inf"), 1e-300, None),
            pl.Boolean: (True, False, None),
        }
        cells[int(random.integers(len(cells)))] = _pick(
            kinds[frame[name].dtype.base_type()], random
        )
        return frame.with_columns(pl.Series(name, cells, frame[name].dtype))

    return _in_frame(content, change)


def a_column_changed(content: bytes, random: np.random.Generator) -> bytes | None:
    def change(frame: pl.DataFrame) -> pl.DataFrame:
        name = _pick(frame.columns, random)
        return _pick(
            (
                lambda: frame.drop(name),
                lambda: frame.rename({name: f"{name}_renamed"}),
                lambda: frame.with_columns(pl.lit(1).alias("surplus")),
                lambda: frame.with_columns(pl.lit(None).alias(name)),
                lambda: frame.with_columns(pl.col(name).cast(pl.String)),
                lambda: frame.select(reversed(frame.columns)),
            ),
            random,
        )()

    return _in_frame(content, change)


# Arrays (npz) -------------------------------------------------------------------------------


def an_array_changed(content: bytes, random: np.random.Generator) -> bytes | None:
    with np.load(io.BytesIO(content)) as loaded:
        arrays = dict(loaded)
    name = _pick(list(arrays), random)
    array = arrays[name]
    flat = array.reshape(-1)
    arrays[name] = _pick(
        (
            lambda: array.astype("U8"),
            lambda: array[..., None],
            lambda: flat[: max(0, flat.size - 1)],
            lambda: np.zeros((0,), array.dtype),
            lambda: np.array(7),
            lambda: np.array(-1),
            lambda: np.array([object()], dtype=object),
        ),
        random,
    )()
    if random.random() < 0.2:
        del arrays[name]
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=True, **arrays)
    return stream.getvalue()


def a_header_that_lies_about_its_array(content: bytes, random: np.random.Generator) -> bytes | None:
    """The shape in an array's header claims terabytes."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = _pick(list(members), random)
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }"
    header = header.ljust(117) + b"\n"
    members[name] = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for member, text in members.items():
            archive.writestr(member, text)
    return stream.getvalue()


# safetensors --------------------------------------------------------------------------------


def a_tensor_header_that_lies(content: bytes, random: np.random.Generator) -> bytes | None:
    (length,) = struct.unpack("<Q", content[:8])
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    names = [name for name in header if name != "__metadata__"]
    name = _pick(names, random)
    entry = header[name]
    claimed = None

    def lengthen() -> None:
        nonlocal claimed
        claimed = int(_pick((0, length + 1, 2**40, 2**63), random))

    _pick(
        (
            lambda: entry.update(shape=[*entry["shape"], 2]),
            lambda: entry.update(shape=[2**40, 2**40]),
            lambda: entry.update(shape=[-1, 4]),
            lambda: entry.update(dtype=_pick(("F64", "I8", "NONE"), random)),
            lambda: entry.update(data_offsets=[0, len(data) + 8]),
            lambda: entry.update(data_offsets=entry["data_offsets"][::-1]),
            lambda: header.update({"../outside": entry}),
            lambda: header.pop(name),
            lengthen,
        ),
        random,
    )()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text) if claimed is None else claimed) + text + data


# What is no file ----------------------------------------------------------------------------


def nothing(file: Path) -> None:
    file.unlink()


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def a_link_out_of_the_lake(file: Path) -> None:
    file.unlink()
    file.symlink_to(OUTSIDE.absolute())


BYTES: tuple[Mutation, ...] = (truncated, flipped)
TEXT: tuple[Mutation, ...] = (*BYTES, not_utf_8, a_number_beyond_all_bounds)
JSON: tuple[Mutation, ...] = (*TEXT, a_value_replaced, a_field_missing, a_key_twice)
YAML: tuple[Mutation, ...] = (*TEXT, a_setting_replaced, a_bomb_of_aliases)
PARQUET: tuple[Mutation, ...] = (*BYTES, a_cell_replaced, a_column_changed)
ARRAYS: tuple[Mutation, ...] = (*BYTES, an_array_changed, a_header_that_lies_about_its_array)
TENSORS: tuple[Mutation, ...] = (*BYTES, a_tensor_header_that_lies)
MUTATIONS = {
    ".yaml": YAML,
    ".json": JSON,
    ".jsonl": JSON,
    ".jinja": TEXT,
    ".py": TEXT,
    ".parquet": PARQUET,
    ".npz": ARRAYS,
    ".safetensors": TENSORS,
}
"""File name suffix -> the mutations that its files undergo."""
PLACES = (nothing, a_folder, a_link_out_of_the_lake)
"""What may stand in a file's place."""
