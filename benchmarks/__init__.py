"""Benchmarks against peers; see README.md."""

import coral_batch.models  # noqa: F401 (sets how torch's threads wait, before torch is imported)
