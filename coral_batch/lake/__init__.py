"""The lake: where tables are, and how they are read, validated and written.

The only package that knows the lake's paths. Common functions are re-exported here, as in
``lake.read_rows("samples", SampleRow, "000")``.
"""

from coral_batch.lake.places import (
    DOWNLOADS,
    EVALUATIONS,
    GENOME,
    LINT_MODELS,
    PARTS,
    PLACES,
    ROOT,
    SCHEMAS,
    STORE,
    VALIDATION_BASE,
    above,
    at,
    below,
    journal,
    lint_models,
    lint_subject,
    path,
)
from coral_batch.lake.tables import (
    BrokenTable,
    build,
    find,
    frame,
    plain,
    read_arrays,
    read_document,
    read_frame,
    read_rows,
    write_arrays,
    write_document,
    write_folders,
    write_frame,
    write_rows,
    write_text,
)
