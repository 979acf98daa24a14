"""Kills, full and read-only disks."""
