"""Kills, full and read-only disks, two runs at once, damaged stores and hostile input files."""
