"""CodeLinterEval: given code and flake8's findings in it, write code that flake8 accepts.

`coral_batch.records.items.Item` is one task.
"""
