"""Measurements beside the peers; see README.md."""

import coral_batch  # noqa: F401 (sets how torch's threads wait, before a benchmark imports torch)
