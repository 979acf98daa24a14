"""Evolve LoRA/DoRA adapters that repair Python bugs, as a batch system on a file-based lake.

From Python, `repair` does what `coral repair` does.
"""

__all__ = ["repair"]

TYPE_CHECKING = False  # as in `typing`, which would have to be imported for it
if TYPE_CHECKING:
    from coral_batch.commands.repair import repair
else:

    def __getattr__(name: str) -> object:
        """Import what is asked for, so that importing the package does nothing."""
        if name != "repair":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from coral_batch.commands.repair import repair  # noqa: PLC0415 (when it is asked for)

        return repair
