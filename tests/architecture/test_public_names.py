"""What the package offers: every name is listed, documented, and its examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from types import ModuleType

import pytest

import agenteval

MODULES = ["agenteval"] + [
    info.name for info in pkgutil.walk_packages(agenteval.__path__, "agenteval.")
]
PACKAGES = [
    "harness",
    "measures",
    "records",
    "reliability",
    "report",
    "runlog",
    "traces",
    "trajectory",
]


def load(name: str) -> ModuleType:
    return importlib.import_module(name)


def public_functions() -> list[object]:
    found = {}
    for package in PACKAGES:
        module = load(f"agenteval.{package}")
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value):
                found[f"{package}.{name}"] = value
    return [pytest.param(value, id=name) for name, value in found.items()]


@pytest.mark.parametrize("name", MODULES)
def test_every_module_lists_its_public_names(name: str) -> None:
    module = load(name)
    assert all(isinstance(entry, str) for entry in module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)
    assert [entry for entry in module.__all__ if not hasattr(module, entry)] == []


@pytest.mark.parametrize("name", MODULES)
def test_every_doctest_runs(name: str) -> None:
    failed, _ = doctest.testmod(load(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


@pytest.mark.parametrize("function", public_functions())
def test_every_public_function_says_what_it_answers_with_an_example(function: object) -> None:
    text = inspect.getdoc(function) or ""
    assert text.splitlines()[0].endswith((".", "?")), "the first line is one sentence"
    assert ">>> " in text, "an example that runs"


def test_the_top_level_offers_every_public_function() -> None:
    functions = {parameter.id.split(".")[1] for parameter in public_functions()}
    forms = set(load("agenteval.report").__all__)  # offered as `report.text`, `report.html`, ...
    assert functions - forms <= set(agenteval.__all__)
