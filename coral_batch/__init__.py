"""Evolve LoRA/DoRA adapters that repair Python bugs, as a batch system on a file-based lake."""

import os

# libgomp reads this when torch is imported. By default its threads spin for milliseconds at every
# barrier: with one other busy process on two cores, decoding then takes 20 times as long. A short
# spin costs nothing on an idle machine (measured: 120 against 108 to 144 ms a step).
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
