"""What a run's numbers are worth: intervals, the probability of a gain, what it cost.

Pure functions; neither torch nor the file system.
"""
