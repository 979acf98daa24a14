import csv
import io


def table_column(text, name):
    """Return the values of the column called name of a table in CSV whose
    first line has the names; rows without a value there are left out.
    """
    rows = csv.DictReader(io.StringIO(text))
    values = []
    for row in rows:
        if row.get(name):
            values.append(row[name].strip())
    return values
