"""Damage is an error that names the line; so is what cannot be a run."""

from __future__ import annotations

import json
import pickle

import pytest

from agenteval.runlog import RunLog, RunLogError, read_log


@pytest.fixture
def lines(path, make_tasks, make_run):
    """The lines of a sound log: header, tasks "a" and "b", runs a0, b0, a1 in lines 4 to 6."""
    with RunLog(path, make_tasks("a", "b"), repeats=2) as log:
        for pair in (("a", 0), ("b", 0), ("a", 1)):
            log.append(make_run(*pair))
    return path.read_bytes().splitlines(keepends=True)


def line(**record):
    return json.dumps(record).encode() + b"\n"


RUN = {"id": "b", "repeat": 1, "passed": True, "reasons": []}

DAMAGE = [
    pytest.param(5, b'{"id":"b","rep\n', "is not JSON .* at character", id="a torn line"),
    pytest.param(5, b"\n", "is not JSON", id="an empty line"),
    pytest.param(5, b"\0" * 40 + b"\n", "is not JSON", id="NUL bytes"),
    pytest.param(5, b'{"id":"\xff"}\n', "is not JSON .*utf-8", id="not UTF-8"),
    pytest.param(5, b"[" * 200_000 + b"\n", "is not JSON .nested too deep", id="endless nesting"),
    pytest.param(
        5,
        line(id="b", repeat=1, passed={"__int__": 3}),
        "the mark '__int__' cannot hold 3",
        id="a broken mark",
    ),
    pytest.param(5, b"[1]\n", r"must be an object, got \[1\]", id="a list"),
    pytest.param(5, b"null\n", "must be an object, got None", id="null"),
    pytest.param(
        5, line(other=1), "is neither a run nor a task, got {'other': 1}", id="no line of ours"
    ),
    pytest.param(
        5,
        line(**{**RUN, "id": "c"}),
        "a run of task 'c', which the log does not list",
        id="unknown task",
    ),
    pytest.param(
        5,
        line(**{**RUN, "id": 1}),
        "a run of task 1, which the log does not list",
        id="unknown number",
    ),
    pytest.param(
        6,
        line(**{**RUN, "repeat": 0}),
        "task 'b': repeat 0 is there a second time",
        id="a run twice",
    ),
    pytest.param(
        6,
        line(**{**RUN, "repeat": 2}),
        "task 'b': repeat 2 of a log with 2 repeats",
        id="a repeat too many",
    ),
    pytest.param(
        6, line(**{**RUN, "repeat": -1}), "'repeat' counts from 0, got -1", id="repeat -1"
    ),
    pytest.param(
        6, line(**{**RUN, "repeat": True}), "'repeat' must be int, got True", id="repeat true"
    ),
    pytest.param(
        6, line(**{**RUN, "repeat": 1.0}), "'repeat' must be int, got 1.0", id="repeat 1.0"
    ),
    pytest.param(6, line(**{**RUN, "id": None}), "'id' must be str or int, got None", id="id null"),
    pytest.param(6, line(**{**RUN, "id": True}), "'id' must be str or int, got True", id="id true"),
    pytest.param(6, line(**{**RUN, "passed": 1}), "'passed' must be bool, got 1", id="passed 1"),
    pytest.param(
        6, line(**{**RUN, "reasons": "x"}), "'reasons' must be list, got 'x'", id="reasons text"
    ),
    pytest.param(6, line(id="b"), "'repeat' must be int, got None", id="a run without a repeat"),
    pytest.param(
        4,
        line(task="a", fingerprint="0" * 32),
        "task 'a' is listed a second time",
        id="a task twice",
    ),
    pytest.param(4, line(task="c"), "task 'c': fingerprint must be a str", id="no fingerprint"),
    pytest.param(
        4,
        line(task=[1], fingerprint=""),
        r"a task's id must be a str or an int, got \[1\]",
        id="task id a list",
    ),
    pytest.param(
        4,
        line(task=True, fingerprint=""),
        "a task's id must be a str or an int, got True",
        id="task id true",
    ),
    pytest.param(4, line(repeats=2), "repeats must be an int above 2, got 2", id="no more repeats"),
    pytest.param(
        4, line(repeats="3"), "repeats must be an int above 2, got '3'", id="repeats text"
    ),
]


@pytest.mark.parametrize(("number", "bad", "match"), DAMAGE)
@pytest.mark.parametrize("position", ["in the middle", "at the end"])
def test_damage_names_its_line(path, lines, make_tasks, number, bad, match, position):
    before = [*lines[: number - 1], bad]
    data = b"".join(before + lines[number - 1 :] if position == "in the middle" else before)
    path.write_bytes(data)
    with pytest.raises(RunLogError, match=f"line {number}: .*{match}") as caught:
        list(read_log(path))
    assert caught.value.path == str(path)
    assert caught.value.line == number
    assert "delete that line to have its run done again" in str(caught.value)
    with pytest.raises(RunLogError, match=f"line {number}: .*{match}"):
        RunLog(path, make_tasks("a", "b"), repeats=2, resume=True)
    assert path.read_bytes() == data


def test_the_runs_before_the_damage_are_read(path, lines):
    path.write_bytes(b"".join(lines[:5]) + b"x\n" + lines[5])
    runs = read_log(path)
    assert [next(runs)["id"], next(runs)["id"]] == ["a", "b"]
    with pytest.raises(RunLogError, match="line 6"):
        next(runs)


def test_deleting_the_damaged_line_mends_the_log(path, lines, make_tasks):
    path.write_bytes(b"".join(lines[:4] + lines[5:]))
    with RunLog(path, make_tasks("a", "b"), repeats=2, resume=True) as log:
        assert not log.has("b", 0)
        assert log.has("a", 1)


@pytest.mark.parametrize(
    ("header", "match"),
    [
        pytest.param(b"hello\n", "is no run log: it does not begin with a header", id="text"),
        pytest.param(b"\n", "is no run log", id="an empty line"),
        pytest.param(b"[]\n", "must be an object", id="a list"),
        pytest.param(line(id=1), "is no run log", id="other JSON Lines"),
        pytest.param(
            line(agenteval="report", version=1, repeats=1), "is no run log", id="not a log"
        ),
        pytest.param(
            line(agenteval="run log", version=2, repeats=1),
            "has format version 2, this agenteval reads version 1; use the agenteval that wrote it",
            id="a later version",
        ),
        pytest.param(
            line(agenteval="run log", repeats=1), "has format version None", id="no version"
        ),
        pytest.param(
            line(agenteval="run log", version=1, repeats=0),
            "repeats must be an int above 0, got 0",
            id="no repeats",
        ),
        pytest.param(
            line(agenteval="run log", version=1, repeats=1, label=5),
            "label must be a str or null, got 5",
            id="label a number",
        ),
    ],
)
def test_a_bad_header_is_refused_at_once(path, lines, make_tasks, header, match):
    data = header + b"".join(lines[1:])
    path.write_bytes(data)
    with pytest.raises(RunLogError, match=f"line 1: {match}") as caught:
        read_log(path)
    assert caught.value.line == 1
    with pytest.raises(RunLogError, match=f"line 1: {match}"):
        RunLog(path, make_tasks("a", "b"), repeats=2, resume=True)
    assert path.read_bytes() == data


def test_lines_that_end_as_windows_ends_them_are_read(path, lines):
    path.write_bytes(b"".join(lines).replace(b"\n", b"\r\n"))
    assert len(list(read_log(path))) == 3


@pytest.mark.parametrize(
    ("change", "match"),
    [
        pytest.param({"id": None}, "'id' must be str or int, got None", id="id"),
        pytest.param({"repeat": "0"}, "'repeat' must be int, got '0'", id="repeat"),
        pytest.param({"repeat": -1}, "'repeat' counts from 0, got -1", id="negative repeat"),
        pytest.param({"passed": "yes"}, "'passed' must be bool, got 'yes'", id="passed"),
        pytest.param({"reasons": None}, "'reasons' must be list, got None", id="reasons"),
        pytest.param({5: 1}, r"keys must be str, got \[5\]", id="key"),
    ],
)
def test_append_refuses_what_it_could_not_read_again(path, make_tasks, make_run, change, match):
    with RunLog(path, make_tasks("a"), repeats=1) as log:
        with pytest.raises(TypeError, match=f"RunLog.append: a run's {match}"):
            log.append({**make_run("a"), **change})
        with pytest.raises(TypeError, match=r"RunLog.append: a run must be a dict, got list"):
            log.append([])
        log.append(make_run("a"))
    assert len(list(read_log(path))) == 1


@pytest.mark.parametrize(
    ("task", "repeat", "match"),
    [
        pytest.param("a", 0, "repeat 0 of task 'a' is in the log already; ask has", id="twice"),
        pytest.param("c", 0, "task 'c' is not part of this evaluation", id="unknown task"),
        pytest.param("a", 2, "repeat 2 of task 'a' is not part of this", id="repeat too high"),
    ],
)
def test_append_refuses_a_run_that_does_not_belong(path, make_tasks, make_run, task, repeat, match):
    with RunLog(path, make_tasks("a", "b"), repeats=2) as log:
        log.append(make_run("a"))
        before = path.read_bytes()
        with pytest.raises(ValueError, match=f"RunLog.append: .*{match}"):
            log.append(make_run(task, repeat))
        assert path.read_bytes() == before


def test_the_error_survives_pickling(path):
    error = RunLogError("is odd", str(path), 7)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is RunLogError
    assert (again.problem, again.path, again.line) == ("is odd", str(path), 7)
    assert str(again) == str(error) == f"run log {str(path)!r}, line 7: is odd"
    assert str(RunLogError("is odd", "x")) == "run log 'x': is odd"
