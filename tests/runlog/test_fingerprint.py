"""When a task is still the same task."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import subprocess
import sys
from types import MappingProxyType, SimpleNamespace

import pytest

from agenteval.runlog.fingerprint import fingerprint
from agenteval.trajectory import Call


def of(**content):
    return fingerprint({"id": "a", "input": "x", "expected": "y", **content})


@dataclasses.dataclass
class State:
    rows: object
    note: str = ""


class Thing:
    pass


def check(task, result):
    pass


def other_check(task, result):
    pass


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            {"metadata": {"a": 1, "b": 2}}, {"metadata": {"b": 2, "a": 1}}, id="key order"
        ),
        pytest.param(
            {"metadata": {1: 1, 2: 2}}, {"metadata": {2: 2, 1: 1}}, id="number keys' order"
        ),
        pytest.param({"forbidden_tools": ["rm"]}, {"forbidden_tools": ("rm",)}, id="tuple"),
        pytest.param({"input": {"a": 1}}, {"input": MappingProxyType({"a": 1})}, id="mapping"),
        pytest.param({"metadata": math.nan}, {"metadata": float("nan")}, id="nan"),
        pytest.param({"metadata": Thing()}, {"metadata": Thing()}, id="address of an object"),
        pytest.param(
            {"metadata": [lambda: 1]}, {"metadata": [lambda: 1]}, id="address of a lambda"
        ),
        pytest.param(
            {"metadata": functools.partial(check, Thing())},
            {"metadata": functools.partial(check, Thing())},
            id="addresses within a repr",
        ),
        pytest.param({"input": {"ab", "cd", 1}}, {"input": {1, "cd", "ab"}}, id="set"),
        pytest.param(
            {"input": State({"ab", "cd"})}, {"input": State({"cd", "ab"})}, id="set in a dataclass"
        ),
        pytest.param(
            {"reference": [Call("f", {"a": 1})]},
            {"reference": [{"name": "f", "args": {"a": 1}}]},
            id="call or dict",
        ),
        pytest.param(
            {"reference": [Call("f")]}, {"reference": ({"name": "f"},)}, id="call without arguments"
        ),
        pytest.param(
            {"reference": [{"name": "f", "args": None, "error": None}]},
            {"reference": [{"name": "f", "args": {}}]},
            id="empty arguments and error",
        ),
        pytest.param(
            {"reference": [SimpleNamespace(name="f", args={"a": (1,)}, error=None)]},
            {"reference": [Call("f", {"a": [1]})]},
            id="call look-alike",
        ),
        pytest.param(
            {"references": [[Call("f")], [Call("g")]]},
            {"references": [[{"name": "f"}], [{"name": "g", "args": {}}]]},
            id="several references",
        ),
        pytest.param({"id": "b"}, {"id": 1}, id="the id is no content"),
    ],
)
def test_same_content_same_fingerprint(one, other):
    assert of(**one) == of(**other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"input": "x"}, {"input": "x "}, id="input"),
        pytest.param({"expected": "1"}, {"expected": 1}, id="number or text"),
        pytest.param({"expected": 1}, {"expected": 1.0}, id="int or float"),
        pytest.param({"expected": True}, {"expected": 1}, id="bool or int"),
        pytest.param({"expected": None}, {"expected": "None"}, id="none or its text"),
        pytest.param({}, {"max_tool_calls": 3}, id="an added key"),
        pytest.param({"max_tool_calls": 3}, {"max_tool_calls": 4}, id="budget"),
        pytest.param({"metadata": {"state": 1}}, {"metadata": {"state": 2}}, id="metadata"),
        pytest.param({"own": 1}, {"own": 2}, id="own key"),
        pytest.param({"metadata": {1: 2}}, {"metadata": {"1": 2}}, id="key 1 or '1'"),
        pytest.param({"input": [1, 2]}, {"input": [2, 1]}, id="order of a list"),
        pytest.param({"input": {1, 2}}, {"input": [1, 2]}, id="set or list"),
        pytest.param({"input": {1, 2}}, {"input": {1, 3}}, id="set"),
        pytest.param({"input": State(1)}, {"input": State(2)}, id="dataclass"),
        pytest.param({"input": b"a"}, {"input": b"b"}, id="bytes"),
        pytest.param(
            {"input": bytes(50_000)}, {"input": bytes(49_999) + b"x"}, id="the end of a long repr"
        ),
        pytest.param({"own": check}, {"own": other_check}, id="function"),
        pytest.param(
            {"reference": [Call("f", {"a": 1})]},
            {"reference": [Call("f", {"a": 2})]},
            id="reference",
        ),
        pytest.param({"reference": [Call("f")]}, {"reference": []}, id="a reference step less"),
        pytest.param({"metadata": " at 0x12"}, {"metadata": " at 0x34"}, id="text like an address"),
    ],
)
def test_other_content_other_fingerprint(one, other):
    assert of(**one) != of(**other)


def test_is_the_same_in_every_process():
    """Text hashes differ from process to process, and with them the order of a set."""
    script = (
        "from dataclasses import dataclass\n"
        "from agenteval.runlog.fingerprint import fingerprint\n"
        "@dataclass\n"
        "class State: rows: set\n"
        "def check(task, result): pass\n"
        "words = {'one', 'two', 'three', 'four'}\n"
        "task = {'id': 1, 'input': words, 'metadata': object(), 'own': (check, State(words))}\n"
        "print(fingerprint(task))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1


@pytest.mark.parametrize(
    "value",
    [pytest.param(5, id="number"), pytest.param("f", id="text"), pytest.param([5], id="step")],
)
def test_a_reference_of_the_wrong_kind_is_left_to_those_who_check_tasks(value):
    assert of(reference=value) == of(reference=value)
    assert of(references=value) != of(references=None)


def test_does_not_change_the_task():
    task = {"id": 1, "reference": [{"name": "f", "error": None}], "references": ((Call("f"),),)}
    before = repr(task)
    fingerprint(task)
    assert repr(task) == before
