"""The base model, its adapters, and what they write. All that computes with torch is here."""

import os

from coral_batch.work.machine import idle

# libgomp reads this when torch is imported: how long its threads spin at a barrier before they
# sleep. On idle cores sleeping costs time; but where another process keeps a core busy, spinning
# makes a training step 3 and decoding 20 times as slow. It changes no result.
os.environ.setdefault("GOMP_SPINCOUNT", "300000" if idle() else "1000")
