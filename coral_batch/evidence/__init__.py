"""Statistics of a run: intervals, probability of a gain, cost.

Pure functions; neither torch nor the file system.
"""
