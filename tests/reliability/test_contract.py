"""What every measure promises: any container, any spelling of yes and no, nothing changed."""

from __future__ import annotations

import copy
from array import array
from collections import ChainMap, OrderedDict, UserDict, UserList, deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import pytest

from agenteval.reliability import (
    assert_no_regressions,
    compare,
    flaky_tasks,
    pass_at_k,
    pass_hat_k,
    regressions,
    reliability_curve,
    reliability_table,
)

SAMPLE = {
    "steady": [True, True, True],
    "flaky": [True, False, True],
    "broken": [False, False, False, False],
}
OTHER = {"steady": [True, True], "flaky": [True, True], "broken": [False, False], "more": [True]}

MEASURES = [
    pytest.param(lambda runs: pass_hat_k(runs, 2), "pass_hat_k", id="pass_hat_k-first"),
    pytest.param(
        lambda runs: pass_hat_k(runs, 2, estimator="subsets"), "pass_hat_k", id="pass_hat_k-subsets"
    ),
    pytest.param(lambda runs: pass_at_k(runs, 2), "pass_at_k", id="pass_at_k-first"),
    pytest.param(
        lambda runs: pass_at_k(runs, 2, estimator="subsets"), "pass_at_k", id="pass_at_k-subsets"
    ),
    pytest.param(reliability_curve, "reliability_curve", id="reliability_curve"),
    pytest.param(reliability_table, "reliability_table", id="reliability_table"),
    pytest.param(flaky_tasks, "flaky_tasks", id="flaky_tasks"),
    pytest.param(
        lambda runs: regressions(runs, OTHER), r"regressions\(old\)", id="regressions-old"
    ),
    pytest.param(
        lambda runs: regressions(OTHER, runs), r"regressions\(new\)", id="regressions-new"
    ),
    pytest.param(lambda runs: compare(runs, OTHER), r"compare\(old\)", id="compare-old"),
    pytest.param(lambda runs: compare(OTHER, runs), r"compare\(new\)", id="compare-new"),
    pytest.param(
        lambda runs: assert_no_regressions(runs, OTHER), r"assert_no_regressions\(old\)", id="gate"
    ),
]
every_measure = pytest.mark.parametrize(("measure", "name"), MEASURES)
Measure = Callable[[Any], Any]


class Flag:
    """A yes or no that is no int, but equals one and hashes like one, as numpy's does."""

    def __init__(self, value: bool) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return self.value == other

    def __hash__(self) -> int:
        return hash(self.value)


class Series:
    """Sized and iterable but no Sequence, as arrays and data frame columns are."""

    def __init__(self, values: list[bool]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, position: int) -> bool:
        return self.values[position]

    def count(self) -> int:
        return len(self.values)


class Touchy:
    """Refuses to be compared, as pandas' NA does."""

    def __eq__(self, other: object) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    __hash__ = object.__hash__


class Anything:
    """Equals everything, as unittest.mock.ANY does."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = object.__hash__


@every_measure
def test_the_input_stays_as_it_is(measure: Measure, name: str) -> None:
    given, before = copy.deepcopy(SAMPLE), copy.deepcopy(SAMPLE)
    measure(given)
    assert given == before
    assert list(given) == list(before)


@every_measure
@pytest.mark.parametrize(
    "container",
    [
        pytest.param(OrderedDict, id="OrderedDict"),
        pytest.param(MappingProxyType, id="MappingProxyType"),
        pytest.param(UserDict, id="UserDict"),
        pytest.param(ChainMap, id="ChainMap"),
    ],
)
def test_any_mapping_will_do(measure: Measure, name: str, container: Any) -> None:
    assert measure(container(SAMPLE)) == measure(SAMPLE)


@every_measure
@pytest.mark.parametrize(
    "container",
    [
        pytest.param(tuple, id="tuple"),
        pytest.param(deque, id="deque"),
        pytest.param(UserList, id="UserList"),
        pytest.param(Series, id="sized and iterable"),
        pytest.param(type("Runs", (list,), {}), id="subclass of list"),
        pytest.param(lambda runs: array("b", runs), id="array"),
    ],
)
def test_any_sequence_will_do(measure: Measure, name: str, container: Any) -> None:
    assert measure({task: container(runs) for task, runs in SAMPLE.items()}) == measure(SAMPLE)


@every_measure
@pytest.mark.parametrize("kind", [int, float, complex, Fraction, Decimal, Flag])
def test_any_number_type_will_do(measure: Measure, name: str, kind: Any) -> None:
    given = {task: [kind(run) for run in runs] for task, runs in SAMPLE.items()}
    assert measure(given) == measure(SAMPLE)


def test_numpy_will_do_without_being_imported() -> None:
    numpy = pytest.importorskip("numpy")
    for measure, _ in (parameter.values for parameter in MEASURES):
        for kind in (numpy.bool_, numpy.int8, numpy.float64):
            arrays = {task: numpy.array(runs, dtype=kind) for task, runs in SAMPLE.items()}
            assert measure(arrays) == measure(SAMPLE)
            lists = {task: [kind(run) for run in runs] for task, runs in SAMPLE.items()}
            assert measure(lists) == measure(SAMPLE)


def test_pandas_will_do_without_being_imported() -> None:
    pandas = pytest.importorskip("pandas")
    for measure, name in (parameter.values for parameter in MEASURES):
        columns = {task: pandas.Series(runs) for task, runs in SAMPLE.items()}
        assert measure(columns) == measure(SAMPLE)
        missing = pandas.array([True, None, True], dtype="boolean")
        with pytest.raises(TypeError, match=rf"^{name}: task 'flaky', position 1: .*got NAType"):
            measure(SAMPLE | {"flaky": missing})


@every_measure
def test_ids_keep_apart_what_python_keeps_apart(measure: Measure, name: str) -> None:
    given = {1: [True, True], "1": [False, False], **OTHER, "more": [True, True]}
    measure(given)
    assert pass_hat_k({1: [True], "1": [False]}, 1) == 0.5


@every_measure
def test_no_tasks_is_an_error(measure: Measure, name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: there are no tasks"):
        measure({})


@every_measure
@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param(
            [True, False],
            r"must be a mapping of task id to a list, got list \[True, False\]; pass \{task id: "
            r"\[True, False, ...\]\}; agenteval.outcomes\(runs\) makes it from runs",
            id="list",
        ),
        pytest.param(None, "must be a mapping of task id to a list, got NoneType None", id="None"),
        pytest.param("runs", "must be a mapping of task id to a list, got str 'runs'", id="text"),
        pytest.param(
            {"pass_rate": 1.0, "runs": []},
            r"got dict .*for a report that is agenteval.outcomes\(report\['runs'\]\)",
            id="report",
        ),
        pytest.param(
            {"a": "TTF"}, "task 'a': the outcomes must be a list, got str 'TTF'", id="text as list"
        ),
        pytest.param(
            {"a": b"\1\0"}, "task 'a': the outcomes must be a list, got bytes", id="bytes as list"
        ),
        pytest.param(
            {"a": {True, False}}, "got set .*a set has no order and keeps equal", id="set as list"
        ),
        pytest.param(
            {"a": {"passed": True}}, "task 'a': the outcomes must be a list, got dict", id="run"
        ),
        pytest.param(
            {"a": iter([True])}, "got list_iterator .*read only once, so make it a list", id="iter"
        ),
    ],
)
def test_a_wrong_container_is_named(measure: Measure, name: str, given: Any, message: str) -> None:
    with pytest.raises(TypeError, match=rf"^{name}: .*{message}"):
        measure(given)


@every_measure
@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param(
            0.7, r"got float 0\.7; choose a threshold: \[score >= 0\.5 for score", id="score"
        ),
        pytest.param(2, "got int 2; choose a threshold", id="two"),
        pytest.param(float("nan"), "got float nan", id="nan"),
        pytest.param(None, "got NoneType None; decide what an unknown outcome means", id="None"),
        pytest.param("pass", "got str 'pass'; say which text means passed", id="text"),
        pytest.param([], r"got list \[\]", id="nested list"),
        pytest.param(Touchy(), "got Touchy", id="refuses comparison"),
        pytest.param(Anything(), "got Anything", id="equals everything"),
    ],
)
def test_what_is_neither_true_nor_false_is_named_with_its_place(
    measure: Measure, name: str, value: Any, message: str
) -> None:
    given = {"steady": [True, True], "flaky": [True, False, value, True]}
    place = rf"^{name}: task 'flaky', position 2: an outcome must be True or False \(or 1 or 0\)"
    with pytest.raises(TypeError, match=f"{place}, {message}"):
        measure(given)


@pytest.mark.parametrize("measure", [lambda runs: pass_hat_k(runs, 1), flaky_tasks])
def test_a_bare_outcome_is_no_list_where_repeats_matter(measure: Measure) -> None:
    with pytest.raises(TypeError, match=r"task 'a': .*got bool True; .*for a single one: \[True\]"):
        measure({"a": True})
