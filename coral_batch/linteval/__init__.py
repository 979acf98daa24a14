"""CodeLinterEval: code and flake8's complaints go in, code that flake8 accepts is to come out.

`item` says what an item is. Pure functions on frozen dataclasses: no file system, no torch.
"""
