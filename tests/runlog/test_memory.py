"""A log's memory does not grow with its runs."""

from __future__ import annotations

import tracemalloc

from agenteval.runlog import RunLog, read_log


def peak(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_is_the_same_for_ten_times_the_runs(path, make_tasks, make_run):
    def write_and_read(repeats):
        tasks = make_tasks(*range(20))
        with RunLog(path, tasks, repeats=repeats, resume=True) as log:
            for task in range(20):
                for repeat in range(repeats):
                    if not log.has(task, repeat):
                        log.append(make_run(task, repeat, metadata="x" * 500))
            assert sum(1 for _ in log.stored()) == 20 * repeats
        assert sum(1 for _ in read_log(path)) == 20 * repeats

    write_and_read(1)  # what is imported on the way counts for neither
    few = peak(lambda: write_and_read(10))
    many = peak(lambda: write_and_read(100))
    assert many < few + 10_000  # 1,800 more runs, of more than 500 bytes each


def test_many_tasks_take_some_bytes_each(path, make_tasks, make_run):
    tasks = make_tasks(*(f"task {number}" for number in range(2000)))

    def write_and_resume():
        with RunLog(path, tasks, repeats=8) as log:
            log.append(make_run("task 7"))
        with RunLog(path, tasks, repeats=8, resume=True) as log:
            assert log.has("task 7", 0)

    assert peak(write_and_resume) < 2000 * 400
