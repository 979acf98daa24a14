"""Lets `pytest --correct python_testcases` test the corrected programs."""
import pytest


def pytest_addoption(parser):
    parser.addoption('--correct', action='store_true',
                     help='test the corrected programs, not the buggy ones')


def pytest_configure(config):
    pytest.use_correct = config.getoption('--correct')
