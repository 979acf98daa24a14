"""Kills, full and read-only disks, two runs at once."""
