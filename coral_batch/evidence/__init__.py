"""Statistics of a run: intervals, reliability, cost.

Pure functions; neither torch nor the file system.
"""
