"""The line on stderr, and a callable in its place."""

from __future__ import annotations

import asyncio
import io
import sys
import threading

import pytest

from agenteval.harness import evaluate, evaluate_async, progress, scripted_agent


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets."""
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def tasks(make_task):
    return [make_task(place, input=place) for place in range(4)]


@pytest.fixture
def ticking(clock):
    """An agent that takes ten seconds, and is wrong once."""

    def agent(given):
        clock[0] += 10
        return {"status": "final", "answer": "no" if given == 1 else "yes"}

    return agent


def test_a_terminal_has_one_line(tasks, ticking, monkeypatch, clock, capsys):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    evaluate(ticking, tasks, repeats=2, progress=True)
    drawn = stream.getvalue()
    assert drawn.endswith("\n")
    assert drawn.count("\n") == 1
    lines = [line.rstrip() for line in drawn[1:-1].split("\r")]
    assert lines[0] == "1/8 runs, 1 of 1 passed, 10 s, about 1 min 10 s left"
    assert lines[1] == "2/8 runs, 2 of 2 passed, 20 s, about 1 min 0 s left"
    assert lines[3] == "4/8 runs, 2 of 4 passed, 40 s, about 40 s left"
    assert lines[-1] == "8/8 runs, 6 of 8 passed, 1 min 20 s"
    assert capsys.readouterr().out == ""


def test_a_shorter_line_covers_the_longer_one_before(tasks, ticking, monkeypatch, clock):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    evaluate(ticking, tasks, progress=True)
    shown = ""
    for line in stream.getvalue().rstrip("\n").split("\r"):
        shown = line + shown[len(line) :]
    assert shown.rstrip() == "4/4 runs, 3 of 4 passed, 40 s"


def test_a_terminal_is_not_drawn_for_every_run(tasks, monkeypatch, clock, good):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    evaluate(good, tasks, repeats=250, progress=True)
    assert stream.getvalue().count("\r") == 2  # the first and the last


def test_elsewhere_a_plain_line_every_few_seconds(tasks, ticking, monkeypatch, clock, capsys):
    def quick(given):
        clock[0] += 2
        return {"status": "final", "answer": "yes"}

    evaluate(quick, tasks, repeats=2, progress=True)
    written = capsys.readouterr()
    assert written.err == (
        "3/8 runs, 3 of 3 passed, 6 s, about 10 s left\n"
        "6/8 runs, 6 of 6 passed, 12 s, about 4 s left\n"
        "8/8 runs, 8 of 8 passed, 16 s\n"
    )
    assert written.out == ""


def test_a_resumed_log_is_no_measure_of_the_pace(tasks, ticking, tmp_path, capsys, clock):
    log = tmp_path / "log.jsonl"
    evaluate(ticking, tasks[:2], log=log)
    evaluate(ticking, tasks, log=log, resume=True, progress=True)
    assert capsys.readouterr().err == (
        "3/4 runs, 1 of 1 passed, 10 s, about 10 s left\n4/4 runs, 2 of 2 passed, 20 s\n"
    )


def test_no_stderr_is_no_fault(tasks, good, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert evaluate(good, tasks, progress=True)["passed"] == 4


def test_nothing_is_printed_unless_asked(tasks, good, capsys):
    evaluate(good, tasks, max_workers=2)
    assert capsys.readouterr() == ("", "")


def by_await(agent, tasks, **options):
    return asyncio.run(evaluate_async(agent, tasks, **options))


@pytest.mark.parametrize("way", [evaluate, by_await])
@pytest.mark.parametrize("workers", [1, 3])
def test_a_callable_is_told_of_every_run(tasks, way, workers):
    told = []
    agent = scripted_agent(
        {place: {"status": "final", "answer": "yes" if place else "no"} for place in range(4)}
    )

    def tell(done, total, run):
        told.append((done, total, run, threading.current_thread()))

    report = way(agent, tasks, repeats=2, max_workers=workers, progress=tell)
    assert [(done, total) for done, total, _, _ in told] == [(n, 8) for n in range(1, 9)]
    assert {thread for *_, thread in told} == {threading.current_thread()}
    runs = sorted((run for _, _, run, _ in told), key=lambda run: (run["id"], run["repeat"]))
    assert runs == report["runs"]


def test_a_callable_is_told_where_a_resumed_log_stands(tasks, good, tmp_path):
    log = tmp_path / "log.jsonl"
    evaluate(good, tasks[:3], log=log)
    told = []
    evaluate(good, tasks, log=log, resume=True, progress=lambda *args: told.append(args[:2]))
    assert told == [(4, 4)]
