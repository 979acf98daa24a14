"""Files in /proc and /sys that say how much memory a machine has."""

from pathlib import Path

MIB = 2**20


def machine(root: Path, groups: str, **files: str) -> Path:
    """Make a machine of 1 GiB of available memory, with files below `/sys/fs/cgroup`."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/meminfo").write_text("MemTotal: 2097152 kB\nMemAvailable: 1048576 kB\n")
    (root / "proc/self/cgroup").write_text(groups)
    for name, text in files.items():
        file = root / "sys/fs/cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    return root
