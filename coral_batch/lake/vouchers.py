"""What each column of the lake follows from, in words: the `from` of its schema, or of its table.

``python -m coral_batch.lake.vouchers`` prints the table of docs/audit.md.
"""

from __future__ import annotations

from coral_batch import lake
from coral_batch.lake.schemas import schema_of

# Folders have no schema.
_FOLDERS = {
    "adapter_folders": "adapter_cards.jsonl: files",
    "plots": "metrics.json, selection and scores",
    "linteval_plots": "changes of base and best",
}
_VIEWS = {"base", "page", "index"}
"""What no check compares: the base model's files are in its card, and pages show tables."""


def voucher(table: str, column: str) -> str:
    """Return what vouches for a column; with "" what vouches for the table's rows."""
    if table in _FOLDERS:
        return _FOLDERS[table]
    schema = schema_of(table)
    field = schema["properties"].get(column, {})
    columns = [one["from"] for one in schema["properties"].values() if "from" in one]
    return field.get("from") or schema.get("from") or columns[0]


def markdown() -> str:
    """Return a table of all columns, those of a table with the same voucher together."""
    lines = ["| table | columns | what vouches for them |", "| --- | --- | --- |"]
    for table in lake.PLACES:
        if table in _VIEWS:
            continue
        groups: dict[str, list[str]] = {}
        names = ["all"]
        if table not in _FOLDERS:
            names = list(schema_of(table)["properties"])
        for name in names:
            groups.setdefault(voucher(table, name), []).append(name)
        for words, group in groups.items():
            columns = ", ".join(group) if len(groups) > 1 else "all"
            lines.append(f"| {table} | {columns} | {words} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
