"""Evolve LoRA/DoRA adapters that repair Python bugs, as a batch system on a file-based lake."""
