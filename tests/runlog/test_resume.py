"""What a log accepts from the evaluation that goes on with it."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator

import pytest

from agenteval.runlog import RunLog, RunLogError, read_log


def pairs(runs):
    return [(run["id"], run["repeat"]) for run in runs]


@pytest.fixture
def write(path, make_tasks, make_run):
    """Write a log of the tasks "a" and "b" with the runs asked for."""

    def write(*done, repeats=2, **options):
        with RunLog(path, make_tasks("a", "b"), repeats=repeats, **options) as log:
            for task, repeat in done:
                log.append(make_run(task, repeat))

    return write


def test_a_new_log_has_a_header_and_its_tasks(path, make_tasks):
    with RunLog(path, make_tasks("a", 1), repeats=3, label="v1") as log:
        assert not log.has("a", 0)
        assert list(log.stored()) == []
    header, first, second = map(json.loads, path.read_text().splitlines())
    assert header == {"agenteval": "run log", "version": 1, "label": "v1", "repeats": 3}
    assert first["task"] == "a"
    assert second["task"] == 1
    assert list(read_log(path)) == []


def test_a_run_is_in_the_file_when_append_returns(path, make_tasks, make_run):
    run = make_run("a")
    with RunLog(path, make_tasks("a"), repeats=1) as log:
        log.append(run)
        assert list(read_log(path)) == [run]


def test_an_existing_log_is_refused_without_resume(path, write, make_tasks):
    write(("a", 0))
    before = path.read_bytes()
    with pytest.raises(RunLogError, match=r"exists already; pass resume=True .* another file"):
        RunLog(path, make_tasks("a", "b"), repeats=2)
    assert path.read_bytes() == before


def test_resume_without_a_log_starts_one(path, make_tasks):
    RunLog(path, make_tasks("a"), repeats=1, resume=True).close()
    assert list(read_log(path)) == []


@pytest.mark.parametrize("resume", [False, True])
def test_an_empty_file_is_started(path, write, resume):
    path.touch()
    write(("a", 0), resume=resume)
    assert pairs(read_log(path)) == [("a", 0)]


def test_resume_knows_what_is_there(path, write, make_tasks, make_run):
    write(("b", 1), ("a", 0))
    with RunLog(path, make_tasks("a", "b"), repeats=2, resume=True) as log:
        asked = [(task, repeat) for task in "ab" for repeat in (0, 1)]
        assert [log.has(*one) for one in asked] == [True, False, False, True]
        assert pairs(log.stored()) == [("b", 1), ("a", 0)]
        log.append(make_run("a", 1))
        assert pairs(log.stored()) == [("b", 1), ("a", 0), ("a", 1)]
    assert pairs(read_log(path)) == [("b", 1), ("a", 0), ("a", 1)]


def test_resuming_with_nothing_new_writes_nothing(path, write):
    write(("a", 0))
    before = path.read_bytes()
    write(resume=True)
    assert path.read_bytes() == before


def test_ids_1_and_text_1_stay_apart(path, make_tasks, make_run):
    tasks = make_tasks(1, "1")
    with RunLog(path, tasks, repeats=1) as log:
        log.append(make_run("1"))
    with RunLog(path, tasks, repeats=1, resume=True) as log:
        assert log.has("1", 0)
        assert not log.has(1, 0)
        log.append(make_run(1))
    assert pairs(read_log(path)) == [("1", 0), (1, 0)]


@pytest.mark.parametrize(
    "task",
    [
        pytest.param("\ud83d" + "\ude00", id="halves of a surrogate pair"),
        pytest.param("\u2028\n\x85", id="line ends"),
        pytest.param(10**5000, id="huge number"),
        pytest.param(-1, id="negative"),
        pytest.param("", id="empty"),
    ],
)
def test_odd_ids(path, make_tasks, make_run, task):
    with RunLog(path, make_tasks(task), repeats=1) as log:
        log.append(make_run(task))
    with RunLog(path, make_tasks(task), repeats=1, resume=True) as log:
        assert log.has(task, 0)
        assert pairs(log.stored()) == [(task, 0)]


def test_more_repeats_extend_the_log(path, write, make_tasks, make_run):
    write(("a", 0), ("a", 1))
    with RunLog(path, make_tasks("a", "b"), repeats=100, resume=True) as log:
        assert log.has("a", 1)
        log.append(make_run("a", 99))
    with RunLog(path, make_tasks("a", "b"), repeats=100, resume=True) as log:
        assert pairs(log.stored()) == [("a", 0), ("a", 1), ("a", 99)]


def test_fewer_repeats_leave_the_others_in_the_log(path, write, make_tasks, make_run):
    write(("a", 0), ("a", 2), repeats=3)
    with RunLog(path, make_tasks("a", "b"), repeats=2, resume=True) as log:
        assert pairs(log.stored()) == [("a", 0)]
        assert not log.has("a", 2)
        with pytest.raises(
            ValueError, match=r"repeat 2 of task 'a' is not part of this evaluation"
        ):
            log.append(make_run("a", 2))
        log.append(make_run("a", 1))
    with RunLog(path, make_tasks("a", "b"), repeats=3, resume=True) as log:
        assert pairs(log.stored()) == [("a", 0), ("a", 2), ("a", 1)]


def test_added_and_left_out_tasks(path, write, make_tasks, make_run):
    write(("a", 0), ("b", 0))
    with RunLog(path, make_tasks("b", "c"), repeats=2, resume=True) as log:
        assert pairs(log.stored()) == [("b", 0)]
        assert not log.has("a", 0)
        log.append(make_run("c"))
        with pytest.raises(ValueError, match=r"task 'a' is not part of this evaluation of 2 tasks"):
            log.append(make_run("a", 1))
    assert pairs(read_log(path)) == [("a", 0), ("b", 0), ("c", 0)]
    with RunLog(path, make_tasks("a", "b", "c"), repeats=2, resume=True) as log:
        assert pairs(log.stored()) == [("a", 0), ("b", 0), ("c", 0)]


def test_a_changed_task_is_refused(path, write, make_tasks):
    write(("a", 0))
    before = path.read_bytes()
    tasks = make_tasks("a") + make_tasks("b", max_tool_calls=3)
    with pytest.raises(
        RunLogError, match=r"line 3: task 'b' has changed since .* another id, or log elsewhere"
    ) as caught:
        RunLog(path, tasks, repeats=2, resume=True)
    assert caught.value.line == 3
    assert path.read_bytes() == before


def test_all_changed_tasks_are_counted(path, write, make_tasks):
    write()
    with pytest.raises(RunLogError, match=r"task 'a' \(and 1 more\) has changed"):
        RunLog(path, make_tasks("a", "b", own=1), repeats=2, resume=True)


def test_a_changed_task_that_is_left_out_does_not_matter(path, write, make_tasks):
    write()
    RunLog(path, make_tasks("a"), repeats=2, resume=True).close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("v1", "v2", id="another"),
        pytest.param("v1", None, id="none now"),
        pytest.param(None, "v1", id="none then"),
    ],
)
def test_another_label_is_refused(path, write, make_tasks, old, new):
    write(("a", 0), label=old)
    before = path.read_bytes()
    with pytest.raises(
        RunLogError,
        match=rf"line 1: is of label {old!r}, this evaluation's is {new!r}; pass the label",
    ):
        RunLog(path, make_tasks("a", "b"), repeats=2, label=new, resume=True)
    assert path.read_bytes() == before
    write(("a", 1), label=old, resume=True)


def test_a_failed_opening_frees_the_log(path, write):
    write(label="v1")
    with pytest.raises(RunLogError, match="label"):
        write(label="v2", resume=True)
    write(("a", 0), label="v1", resume=True)


def whole_lines(data: bytes) -> list[dict]:
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


@pytest.mark.parametrize("padding", [b"", b"\0" * 20], ids=["cut", "cut and filled with NUL"])
def test_a_log_cut_at_any_byte_is_repaired(path, make_tasks, make_run, padding):
    tasks = make_tasks("a", "\u2028")
    want = [(task, repeat) for task in ("a", "\u2028") for repeat in (0, 1)]
    with RunLog(path, tasks, repeats=2, label="é") as log:
        for task, repeat in want:
            log.append(make_run(task, repeat, metadata={"cost": float("inf"), "text": '\n{"'}))
    whole = path.read_bytes()
    assert len(whole) > 700
    for end in range(len(whole) + 1):
        torn = whole[:end] + padding
        path.unlink()  # to write over a file takes some file systems far longer
        path.write_bytes(torn)
        left = [(line["id"], line["repeat"]) for line in whole_lines(whole[:end]) if "id" in line]
        assert pairs(read_log(path)) == left
        assert path.read_bytes() == torn
        with RunLog(path, tasks, repeats=2, label="é", resume=True) as log:
            assert pairs(log.stored()) == left
            missing = [pair for pair in want if not log.has(*pair)]
            assert missing == [pair for pair in want if pair not in left]
            for task, repeat in missing:
                log.append(make_run(task, repeat))
        assert sorted(pairs(read_log(path))) == sorted(want)
        written = path.read_bytes()
        assert written.startswith(whole[: whole[:end].rfind(b"\n") + 1])
        assert b"\0" not in written


def test_a_torn_line_is_left_alone_when_the_log_is_refused(path, write):
    write(("a", 0), label="v1")
    torn = path.read_bytes()[:-5]
    path.write_bytes(torn)
    with pytest.raises(RunLogError, match="label"):
        write(label="v2", resume=True)
    assert path.read_bytes() == torn


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"my notes", id="text without a newline"),
        pytest.param(b'{"id": 1}', id="json without a newline"),
    ],
)
def test_a_file_of_something_else_is_never_cut(path, write, content):
    path.write_bytes(content)
    with pytest.raises(RunLogError, match=r"line 1: is no run log: .* name another file"):
        write(resume=True)
    with pytest.raises(RunLogError, match="is no run log"):
        read_log(path)
    assert path.read_bytes() == content


def test_random_interruptions_and_extensions(path, make_tasks, make_run):
    """Evaluations of any tasks and repeats, cut anywhere: the log agrees with a plain dict."""
    draw = random.Random(4)
    for _ in range(30):
        path.unlink(missing_ok=True)
        known: dict[tuple, dict] = {}
        for _ in range(6):
            ids = draw.sample(["a", "b", "c", 1, "1", 2], draw.randrange(1, 5))
            repeats = draw.randrange(1, 5)
            with RunLog(path, make_tasks(*ids), repeats=repeats, resume=True) as log:
                here = {pair for pair in known if pair[0] in ids and pair[1] < repeats}
                assert set(pairs(log.stored())) == here
                assert list(log.stored()) == [known[pair] for pair in known if pair in here]
                missing = [
                    (task, repeat)
                    for task in ids
                    for repeat in range(repeats)
                    if not log.has(task, repeat)
                ]
                assert set(missing) == {(t, r) for t in ids for r in range(repeats)} - here
                for pair in draw.sample(missing, draw.randrange(len(missing) + 1)):
                    known[pair] = make_run(*pair, answer=str(draw.random()))
                    log.append(known[pair])
            if known and draw.random() < 0.5:
                data = path.read_bytes()
                last = data.rfind(b"\n", 0, -1) + 1
                if b'"id"' in data[last:]:
                    os.truncate(path, draw.randrange(last, len(data)))
                    known.popitem()
            assert list(read_log(path)) == list(known.values())


def test_stored_streams_and_leaves_out_what_is_appended_meanwhile(
    path, write, make_tasks, make_run
):
    write(("a", 0), ("a", 1))
    with RunLog(path, make_tasks("a", "b"), repeats=2, resume=True) as log:
        stored = log.stored()
        assert isinstance(stored, Iterator)
        seen = [next(stored)]
        log.append(make_run("b", 0))
        seen.extend(stored)
    assert pairs(seen) == [("a", 0), ("a", 1)]


def test_a_relative_path_survives_a_change_of_folder(path, make_tasks, make_run, monkeypatch):
    (path.parent / "elsewhere").mkdir()
    monkeypatch.chdir(path.parent)
    with RunLog(path.name, make_tasks("a"), repeats=2) as log:
        log.append(make_run("a"))
        runs = read_log(path.name)
        monkeypatch.chdir("elsewhere")
        log.append(make_run("a", 1))
        assert pairs(log.stored()) == [("a", 0), ("a", 1)]
        assert pairs(runs) == [("a", 0), ("a", 1)]
    assert {entry.name for entry in path.parent.iterdir()} == {"elsewhere", path.name}


def test_paths_may_be_bytes_and_text(path, make_tasks):
    RunLog(os.fsencode(path), make_tasks("a"), repeats=1).close()
    assert list(read_log(str(path))) == []
