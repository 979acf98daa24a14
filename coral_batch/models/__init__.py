"""The base model, its adapters and their answers. All code that uses torch is here."""

import os

from coral_batch.work.machine import idle

# How long libgomp's threads spin at a barrier before they sleep, read when torch is imported. If
# another process keeps a core busy, spinning makes training 3 times and decoding 20 times slower;
# on idle cores sleeping costs some time. Results do not change.
os.environ.setdefault("GOMP_SPINCOUNT", "300000" if idle() else "1000")
