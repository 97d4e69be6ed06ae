"""Shared by all tests."""

from __future__ import annotations

import gc


def pytest_collection() -> None:
    """Do not search for garbage while thousands of tests, which stay, are collected."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Set the tests aside: a search of them all for garbage outlasts a time limit of some."""
    gc.collect()
    gc.freeze()
    gc.enable()
