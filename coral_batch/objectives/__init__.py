"""The objectives of a repair, their reasons, and the fitness of a genome.

`formulas` has one function per objective, `score` applies them to a sample, `aggregate` goes from
samples to genomes. Pure functions: no file system, no process, no torch.
"""
